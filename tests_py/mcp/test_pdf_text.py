"""PDFs read as text, wherever they are shown."""

from __future__ import annotations

import pytest

from patchright_mcp.async_api import async_playwright
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long

REPORT = """<!doctype html><meta charset=utf-8><title>Report</title>
<style>section { break-after: page } td, th { padding: 4px 16px }</style>
<section><h1>Annual report</h1><p>The year went well, with <b>two</b> new offices.</p>
<table><tr><th>Office<th>Staff<tr><td>Kyiv<td>41<tr><td>Łódź<td>17</table></section>
<section><h2>Outlook</h2><ul><li>More offices<li>Fewer meetings</ul></section>"""
KIND = "application/pdf"


def paper(content: str, *, more: str = "") -> bytes:
    """A file written by hand, without structure: its page in Helvetica, which it does not bring along."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources"
            " << /Font << /F 5 0 R >> /XObject << /I 6 0 R >> >> >>"
        ),
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        (
            "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8"
            " /Length 1 >>\nstream\n0\nendstream"
        ),
    ]
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size = len(objects) + 1
    end = f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R {more}>>"
    return f"{out}{end}\nstartxref\n{len(out)}\n%%EOF\n".encode("latin-1")


def written(x: int, y: int, size: int, text: str) -> str:
    return f"BT /F {size} Tf {x} {y} Td ({text}) Tj ET\n"


PLAIN = paper(
    written(72, 720, 24, "Price list")
    + written(72, 690, 11, "Valid until the end of the year, and")
    + written(72, 676, 11, "not a day longer.")
    + "".join(
        written(72, y, 11, name) + written(300, y, 11, price)
        for y, name, price in [(640, "Tea", "4.00"), (626, "Coffee", "5.50"), (612, "Water", "0.00")]
    )
)
SCAN = paper("q 612 0 0 792 0 0 cm /I Do Q")
LOCKED = paper(
    written(72, 720, 24, "Secret"),
    more="/ID [<00><00>] /Encrypt << /Filter /Standard /V 1 /R 2 /P -4"
    f" /O <{'11' * 32}> /U <{'22' * 32}> >> ",
)


@pytest.fixture
async def report(workshop: Workshop, site: Site) -> str:
    """Where a file with structure is served, which the browser has printed."""
    await workshop.open(site.publish("/report-source", REPORT))
    await workshop.do("browser_pdf_save", path="report-source.pdf")
    printed = (workshop.folder / ".patchright-mcp/report-source.pdf").read_bytes()
    return site.publish("/report.pdf", printed, KIND)


async def test_a_pdf_in_the_tab_is_shown_found_read_and_waited_for(workshop: Workshop, report: str) -> None:
    shown = (await workshop.open(report)).section("Snapshot")
    assert "PDF, 2 pages" in shown
    assert 'heading "Annual report" [level=1]' in shown
    assert "Łódź | 17" in shown
    assert "Zoom in" not in shown
    again = (await workshop.do("browser_snapshot")).section("Snapshot")
    assert 'region "Page 2"' in again
    found = (await workshop.do("browser_find", text="fewer meetings")).text
    assert "Page 2" in found
    await workshop.do("browser_wait_for", text="new offices")
    read = (await workshop.do("browser_read")).section("Result")
    assert "--- Page 2 of 2 ---" in read
    assert "# Annual report" in read
    assert "## Outlook" in read
    assert "| Kyiv | 41 |" in read
    assert "Office\tStaff" in (await workshop.do("browser_read", format="text")).section("Result")


async def test_a_file_with_structure_is_read_by_it(site: Site) -> None:
    narrow = REPORT.replace("4px 16px", "0")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch()
        page = await browser.new_page()
        await page.set_content(narrow)
        printed = await page.pdf(tagged=True)
        await page.goto(site.publish("/tagged.pdf", printed, KIND))
        read = await page.markdown()
        for line in ("# Annual report", "## Outlook", "| Office | Staff |", "| Kyiv | 41 |"):
            assert f"\n{line}\n" in read
        assert read.count("offices") == 2
        assert "More offices Fewer" not in read
        await browser.close()


@pytest.mark.parametrize(
    "shown",
    [
        "<iframe src=/report.pdf width=600 height=300></iframe>",
        "<embed src=/report.pdf type=application/pdf width=600 height=300>",
        "<object data=/report.pdf type=application/pdf width=600 height=300></object>",
    ],
)
@pytest.mark.usefixtures("report")
async def test_a_pdf_in_a_page_is_read_with_it(workshop: Workshop, site: Site, shown: str) -> None:
    page = await workshop.open(site.publish("/around", f"<h1>Around</h1>{shown}<p>After it</p>"))
    text = page.section("Snapshot")
    assert text.index("Around") < text.index("Annual report") < text.index("After it")
    assert "Zoom in" not in text
    assert "Fewer meetings" in (await workshop.do("browser_read")).section("Result")
    assert "Fewer meetings" in (await workshop.do("browser_find", text="fewer")).text


async def test_a_pdf_is_fetched_also_as_a_download(workshop: Workshop, site: Site, report: str) -> None:
    assert "| Kyiv | 41 |" in (await workshop.do("patchright_fetch", url=report)).text
    body = PLAIN
    named = {"Content-Disposition": 'attachment; filename="prices.pdf"'}
    url = site.publish("/prices", body, KIND, named)
    assert "# Price list" in (await workshop.do("patchright_fetch", url=url)).text
    await workshop.open(site.page("form"))
    await workshop.server.call("browser_navigate", url=url)
    await workshop.do("browser_wait_for", state="download")
    read = (await workshop.do("browser_read", download="prices.pdf")).section("Result")
    assert "| Coffee | 5.50 |" in read
    assert "no download" in await workshop.refused("browser_read", download="other.pdf")


async def test_without_structure_places_and_sizes_tell(workshop: Workshop, site: Site) -> None:
    shown = (await workshop.open(site.publish("/plain.pdf", PLAIN, KIND))).section("Snapshot")
    assert 'heading "Price list" [level=1]' in shown
    assert "Valid until the end of the year, and not a day longer." in shown
    assert "Tea | 4.00" in shown


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (SCAN, "without text: its pages are pictures"),
        (LOCKED, "opens only with a password"),
        (b"%PDF-1.7\nnothing that follows is one", "the file is broken"),
    ],
)
async def test_a_pdf_that_cannot_be_read_says_why(
    workshop: Workshop, site: Site, body: bytes, said: str
) -> None:
    assert said in (await workshop.open(site.publish("/unread.pdf", body, KIND))).text
    assert said in (await workshop.do("browser_read")).text


async def test_the_library_reads_pdfs(site: Site) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch()
        page = await browser.new_page()
        await page.goto(site.publish("/plain.pdf", PLAIN, KIND))
        assert "| Coffee | 5.50 |" in await page.markdown()
        assert "Price list" in await page.snapshot()
        await browser.close()
