"""Answers that go to a file, so that their reader need not read them to have them."""

import json

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

ROWS = 3_000


async def test_a_whole_page_goes_to_a_file_and_only_its_size_to_the_reader(
    workshop: Workshop, site: Site
) -> None:
    rows = "".join(f"<li><a href='/{number}'>Entry number {number}</a></li>" for number in range(ROWS))
    await workshop.open(site.publish("/rows", f"<title>Rows</title><ul>{rows}</ul>"))
    answer = await workshop.do("browser_snapshot", filename="rows.yml")
    assert "Written to .patchright-mcp/rows.yml" in answer.section("Result")
    assert len(answer.text) < 500
    written = (workshop.folder / ".patchright-mcp" / "rows.yml").read_text()
    assert all(f'"Entry number {number}"' in written for number in (0, ROWS // 2, ROWS - 1))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("browser_evaluate", {"function": "() => [1, 2]"}),
        ("browser_console_messages", {}),
        ("browser_network_requests", {}),
        ("browser_find", {"text": "name"}),
    ],
)
async def test_every_tool_that_reads_can_write_instead(
    workshop: Workshop, site: Site, tool: str, arguments: dict[str, object]
) -> None:
    await workshop.open(site.page("form"))
    shown = await workshop.do(tool, **arguments)
    answer = await workshop.do(tool, filename=f"{tool}-out", **arguments)
    (written,) = (workshop.folder / ".patchright-mcp").glob(f"{tool}-out.*")
    shown_text = shown.section("Snapshot" if shown.has_section("Snapshot") else "Result")
    assert shown_text.removeprefix("```yaml\n").removesuffix("\n```").strip() == written.read_text().strip()
    assert f"{len(written.read_text())} characters" in answer.section("Result")


async def test_a_text_is_written_as_it_is(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.do("browser_evaluate", function="() => '# Not ours\\n- a line'", filename="text.md")
    assert (workshop.folder / ".patchright-mcp" / "text.md").read_text() == "# Not ours\n- a line"


async def test_only_what_was_written_here_is_replaced(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    for number in (1, 2):
        await workshop.do("browser_evaluate", function=f"() => {number}", filename="again.json")
    assert json.loads((workshop.folder / ".patchright-mcp" / "again.json").read_text()) == 2
    mine = workshop.folder / "main.py"
    mine.write_text("print('mine')\n")
    said = await workshop.refused("browser_evaluate", function="() => 1", filename="./main.py")
    assert "something else has that name" in said
    assert mine.read_text() == "print('mine')\n"
    for name in ("../out.json", ".hidden/x.json", "/etc/x.json", "a\\b"):
        await workshop.refused("browser_evaluate", function="() => 1", filename=name)
