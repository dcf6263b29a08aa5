"""What pages can find out about who drives the browser."""

import json
from pathlib import Path

import pytest

from tests_py.support import client
from tests_py.support.client import Server, serve
from tests_py.support.site import Site
from tests_py.support.traps import noticed, visit

pytestmark = pytest.mark.long


def quietest() -> tuple[str, ...]:
    """What keeps pages from being told: Firefox says of itself that it is driven, unless asked not to."""
    return ("--hide-webdriver",) if client.BROWSER == "firefox" else ()


@pytest.mark.timeout(180)  # Every tool is used, one after the other.
async def test_a_task_with_every_tool_leaves_nothing_that_a_page_can_notice(
    tmp_path: Path, site: Site
) -> None:
    async with serve("--headless", "--login-timeout", "1", *quietest(), cwd=tmp_path) as server:
        notes = await visit(server, site, "a-task")
    assert noticed(notes) == {}, notes


async def test_a_page_that_listens_to_no_hand_sees_what_an_input_method_and_a_mouse_lead_to(
    server: Server, site: Site
) -> None:
    page = await server.open(site.page("traps-unheard"))
    values = [
        ("textbox", "Name", "Ada Lovelace"),
        ("textbox", "Email", "ada@example.org"),
        ("textbox", "Born", "1815-12-10"),
        ("textbox", "About", "Two\nlines"),
        ("combobox", "Colour", "Blue"),
        ("checkbox", "Agree", "true"),
    ]
    named = {"Born": '"Born"'}
    fields = [
        {
            "name": name,
            "type": kind,
            "ref": page.ref(named.get(name, f'{kind} "{name}"')),
            "value": value,
        }
        for kind, name, value in values
    ]
    filled = await server.call("browser_fill_form", fields=fields)
    assert not filled.is_error, filled.text
    for _, name, value in values[:2]:
        assert f'{name}: "{value}"' in filled.text
    typed = await server.call("browser_type", ref=page.ref('textbox "Name"'), text="Grace Hopper")
    assert 'which shows "Grace Hopper"' in typed.text
    for name in ("One", "Two", "Three"):
        await server.click(page.ref(f'button "{name}"'))
    log = json.loads(await server.evaluate("() => JSON.stringify(log)"))
    assert json.loads(await server.evaluate("() => JSON.stringify(caught)")) == []
    assert json.loads(await server.evaluate("() => JSON.stringify(firsts)")) == ["keydown"]
    assert [entry[3] for entry in log if entry[:2] == ["input", "name"]] == ["Ada Lovelace", "Grace Hopper"]
    assert [entry[0] for entry in log if entry[1] == "colour"] == ["input", "change", "click"]
    clicked = [name for kind, name, *_ in log if kind == "click" and name != "colour"]
    assert clicked == ["agree", "one", "two", "three"]


@pytest.mark.timeout(180)  # As above, with those behind `--caps`.
async def test_nor_do_programs_assertions_recording_pictures_and_what_developers_ask(
    tmp_path: Path, site: Site
) -> None:
    also: list[tuple[str, dict[str, object]]] = [
        ("browser_run", {"code": "return [await page.title(), await page.locator('h1').innerText()]"}),
        (
            "browser_run_python",
            {"program": "print(await page.title(), await page.locator('h1').inner_text())"},
        ),
        ("browser_expect", {"ref": "h1", "is": "visible"}),
        ("browser_export_script", {}),
        ("browser_picture", {"labels": True}),
        ("browser_picture", {"compare": True}),
        ("browser_record", {"action": "mhtml"}),
        ("browser_inspect", {"what": "vitals"}),
        ("browser_inspect", {"what": "accessibility"}),
        ("browser_inspect", {"what": "styles", "ref": "h1"}),
    ]
    flags = ("--headless", "--login-timeout", "1", "--caps", "code,testing,evidence,devtools")
    async with serve(*flags, *quietest(), cwd=tmp_path) as server:
        await server.open(site.page("form"))
        recording = await server.call("browser_export_script", record=True)
        assert not recording.is_error, recording.text
        notes = await visit(server, site, "a-developer", also)
    assert noticed(notes) == {}, notes
