"""Files that go into pages, and files that come out of them."""

from urllib.parse import urlencode

import pytest

from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop


@pytest.fixture
def files(workshop: Workshop) -> list[str]:
    """Two files that the server may read."""
    for name in ("one.txt", "two.txt"):
        (workshop.folder / name).write_text(f"This is {name}")
    return ["one.txt", str(workshop.folder / "two.txt")]


async def test_a_chooser_that_a_click_opens_is_told_and_gets_the_files(
    workshop: Workshop, site: Site, files: list[str]
) -> None:
    page = await workshop.open(site.page("handles"))
    asked = await workshop.do("browser_click", ref=page.ref('button "Choose files"'))
    assert "answer it with browser_file_upload" in asked.section("Modal state")
    after = await workshop.do("browser_file_upload", paths=files)
    assert "Uploaded 2 file(s): one.txt, two.txt" in after.section("Result")
    assert await workshop.output() == "Several: one.txt,two.txt"
    assert not after.has_section("Modal state")


async def test_an_input_that_only_exists_for_the_chooser_gets_its_file(
    workshop: Workshop, site: Site, files: list[str]
) -> None:
    page = await workshop.open(site.page("handles"))
    await workshop.do("browser_click", ref=page.ref('button "Choose one"'))
    # What it does not take leaves it open, and goes nowhere else.
    assert "an input for one file" in await workshop.refused("browser_file_upload", paths=files)
    await workshop.do("browser_file_upload", paths=files[:1])
    assert await workshop.output() == "One: This is one.txt"


async def test_a_hidden_input_gets_files_without_a_chooser(
    workshop: Workshop, site: Site, files: list[str]
) -> None:
    await workshop.open(site.page("handles"))
    await workshop.do("browser_file_upload", paths=files)
    assert await workshop.output() == "Several: one.txt,two.txt"


async def test_no_paths_cancel_the_chooser(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("handles"))
    await workshop.do("browser_click", ref=page.ref('button "Choose one"'))
    after = await workshop.do("browser_file_upload")
    assert after.section("Result") == "File chooser cancelled"
    assert "Click what opens one first" in await workshop.refused("browser_file_upload")


async def test_files_that_are_missing_or_elsewhere_are_all_refused_by_name(
    workshop: Workshop, site: Site, files: list[str]
) -> None:
    await workshop.open(site.page("handles"))
    said = await workshop.refused("browser_file_upload", paths=[*files, "missing.txt", "/etc/passwd"])
    assert "- missing.txt: there is no such file" in said
    assert "- /etc/passwd: it is outside the folders" in said
    assert await workshop.output() == ""


async def test_a_download_is_saved_and_told_with_its_size(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("handles"))
    reply = await workshop.do("browser_click", ref=page.ref('link "Download"'))
    while "Downloaded report.bin" not in reply.text:  # The test's own limit ends this.
        reply = await workshop.server.snapshot()
    assert "(18 bytes)" in reply.section("Events")
    saved = next((workshop.folder / ".patchright-mcp").glob("report*.bin"))
    assert saved.read_bytes() == b"a file, not a page"


@pytest.mark.parametrize("name", ["ж" * 200 + ".pdf", "報告" * 150 + ".tar.gz", "🙂" * 90 + ".txt"])
async def test_a_download_with_a_long_name_in_any_script_is_saved(
    workshop: Workshop, site: Site, name: str
) -> None:
    link = f'<a href="{site.url("/named")}?{urlencode({"name": name})}">Get</a>'
    page = await workshop.open(site.publish("/get", document("Get", link)))
    reply = await workshop.do("browser_click", ref=page.ref('link "Get"'))
    while "Downloaded " not in reply.text:  # The test's own limit ends this.
        assert "failed" not in reply.text
        reply = await workshop.server.snapshot()
    (saved,) = (workshop.folder / ".patchright-mcp").glob(f"{name[:20]}*")
    assert saved.suffix == name[name.rindex(".") :]
    saved.unlink()
