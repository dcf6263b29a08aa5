"""Pages on paper."""

import re
import zlib

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


def objects(pdf: bytes) -> bytes:
    """All that is written in it, unpacked where the browser packs what is no picture or text."""
    packed = re.findall(rb"/ObjStm\b.*?stream\r?\n(.*?)endstream", pdf, re.DOTALL)
    return pdf + b"".join(zlib.decompressobj().decompress(part) for part in packed)


def paper(pdf: bytes) -> set[str]:
    """The sizes of the pages, in points."""
    boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)", objects(pdf))
    return {f"{float(width):.0f}x{float(height):.0f}" for width, height in boxes}


def pages(pdf: bytes) -> int:
    """How many there are."""
    return len(re.findall(rb"/Type\s*/Page\b", objects(pdf)))


async def test_the_page_is_saved_and_the_answer_says_where(either_workshop: Workshop, site: Site) -> None:
    await either_workshop.open(site.page("form"))
    reply = await either_workshop.do("browser_pdf_save", path="form.pdf")
    pdf = (either_workshop.folder / ".patchright-mcp/form.pdf").read_bytes()
    assert pdf.startswith(b"%PDF-")
    assert f"PDF saved to '.patchright-mcp/form.pdf' ({len(pdf)} bytes" in reply.section("Result")
    assert paper(pdf) == {"612x792"}


async def test_paper_margins_and_pages_are_as_they_are_reported(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("obstacles"))
    await workshop.do("browser_pdf_save", path="all", format="a4", landscape=True, margin=0.5)
    folder = workshop.folder / ".patchright-mcp"
    whole = (folder / "all.pdf").read_bytes()
    assert paper(whole) == {"843x596"}
    assert pages(whole) > 1
    await workshop.do("browser_pdf_save", path="part.pdf", pageRanges="2", scale=0.5)
    assert pages((folder / "part.pdf").read_bytes()) == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"scale": 9, "margin": -1}, ["`scale` must be at most 2", "`margin` must be at least 0"]),
        ({"pageRanges": "x-y"}, ["`pageRanges`"]),
        ({"path": "../out.pdf"}, ["must not contain .."]),
        ({"path": "/etc/out.pdf"}, ["outside the folders that may be used"]),
        ({"path": "nowhere/out.pdf"}, ["there is no such folder"]),
    ],
)
async def test_what_cannot_be_printed_so_is_refused(
    workshop: Workshop, site: Site, arguments: dict[str, object], words: list[str]
) -> None:
    await workshop.open(site.page("form"))
    said = await workshop.refused("browser_pdf_save", **arguments)
    assert all(part in said for part in words), said


async def test_a_path_below_the_working_directory_is_written_and_only_a_pdf_is_replaced(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.page("form"))
    reports = workshop.folder / "reports"
    reports.mkdir()
    for path in ("reports/one", "reports/one.pdf", str(reports / "one.pdf")):
        answer = await workshop.do("browser_pdf_save", path=path)
        assert "reports/one.pdf" in answer.section("Result")
    (only,) = reports.iterdir()
    assert only.read_bytes().startswith(b"%PDF-")
    assert only.stat().st_mode & 0o777 == 0o600
    only.write_text("my own words")
    assert "not replaced" in await workshop.refused("browser_pdf_save", path="reports/one.pdf")
    assert only.read_text() == "my own words"
