"""What pages can find out about who drives the browser."""

from pathlib import Path

from tests_py.support.client import Server, serve
from tests_py.support.site import Site
from tests_py.support.traps import noticed, visit


async def test_a_whole_task_leaves_nothing_that_a_page_can_notice(server: Server, site: Site) -> None:
    notes = await visit(server, site, "a-task")
    assert noticed(notes) == {}, notes


async def test_nor_do_programs_assertions_pictures_and_what_developers_ask(
    tmp_path: Path, site: Site
) -> None:
    also: list[tuple[str, dict[str, object]]] = [
        ("browser_run", {"program": "print(await page.title(), await page.locator('h1').inner_text())"}),
        ("browser_expect", {"ref": "h1", "is": "visible"}),
        ("browser_export_script", {}),
        ("browser_picture", {"labels": True}),
        ("browser_picture", {"compare": True}),
        ("browser_record", {"action": "mhtml"}),
        ("browser_inspect", {"what": "vitals"}),
        ("browser_inspect", {"what": "accessibility"}),
        ("browser_inspect", {"what": "styles", "ref": "h1"}),
    ]
    async with serve("--headless", "--caps", "code,testing,evidence,devtools", cwd=tmp_path) as server:
        notes = await visit(server, site, "a-developer", also)
    assert noticed(notes) == {}, notes
