"""An action of the library that does not reach its element, or that the page takes back, is an error."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from patchright_mcp.async_api import Error, Page, async_playwright

REPLACED = """<button>Go</button><script>
addEventListener("mousedown", () => {
  const button = document.querySelector("button");
  button.replaceWith(button.cloneNode(true));
});</script>"""
BETWEEN = "<button onclick='this.remove()'>Go</button>"
BACK = "<input type=checkbox oninput='setTimeout(() => { this.checked = !this.checked }, 20)'>"
LEAVES = "<input type=checkbox onmousedown='this.remove()'>"
CHOICE = """<select oninput="setTimeout(() => { this.value = 'Ant' }, 20)"><option>Ant<option>Bee</select>"""
REFUSES = "<input value=old oninput='this.value = &quot;old&quot;'>"
REFUSES_LATE = "<input value=old oninput='setTimeout(() => { this.value = &quot;old&quot; }, 20)'>"
REMOVED = "<input onkeydown='' oninput='this.value.length > 2 && this.remove()'>"
CARD = """<div id=card draggable=true style="width:80px;height:40px">Card</div>
<div id=place style="width:200px;height:80px" ondragover="event.preventDefault()">Here</div>"""
COVERED = f"""{CARD}<script>card.ondragstart = () => setTimeout(() => document.body.insertAdjacentHTML(
  "beforeend", "<p style='position:fixed;inset:0;margin:0'></p>"));</script>"""

FAILS: dict[str, tuple[str, Callable[[Page], Awaitable[object]], str]] = {
    "click": (REPLACED, lambda page: page.click("button"), "not_actionable"),
    "double click": (BETWEEN, lambda page: page.dblclick("button"), "not_actionable"),
    "check": (BACK, lambda page: page.check("input"), "not_taken"),
    "check what leaves": (LEAVES, lambda page: page.check("input"), "not_actionable"),
    "choose": (CHOICE, lambda page: page.select_option("select", "Bee"), "not_taken"),
    "fill": (REFUSES, lambda page: page.fill("input", "new"), "not_taken"),
    "fill late": (REFUSES_LATE, lambda page: page.fill("input", "new"), "not_taken"),
    "fill what leaves": (REMOVED, lambda page: page.fill("input", "letters"), "element_not_found"),
    "type": (REFUSES, lambda page: page.locator("input").press_sequentially("new"), "not_taken"),
    "drag": (COVERED, lambda page: page.drag_and_drop("#card", "#place"), "did_not_move"),
}


@pytest.mark.parametrize("what", FAILS)
async def test_an_action_without_its_effect_is_an_error(page: Page, what: str) -> None:
    content, act, code = FAILS[what]
    await page.set_content(content)
    page.set_default_timeout(3_000)
    with pytest.raises(Error) as caught:
        await act(page)
    assert caught.value._code == code, caught.value


async def test_a_lost_press_says_what_to_do_next(page: Page) -> None:
    await page.set_content(REPLACED)
    with pytest.raises(Error, match="click that one"):
        await page.click("button")


@pytest.mark.parametrize("how", [{"force": True}, {"no_wait_after": True}])
async def test_a_press_is_not_checked_where_that_is_not_wanted(page: Page, how: dict[str, bool]) -> None:
    await page.set_content(REPLACED)
    force, no_wait_after = how.get("force"), how.get("no_wait_after")
    await page.click("button", force=force, no_wait_after=no_wait_after)


@pytest.mark.long
async def test_a_compatible_press_is_not_checked() -> None:
    async with async_playwright(playwright_compatible=True) as playwright:
        browser = await playwright.chromium.launch()
        page = await browser.new_page()
        await page.set_content(REPLACED + BACK)
        await page.click("button")
        await page.check("input")


WORKS: dict[str, tuple[str, Callable[[Page], Awaitable[object]]]] = {
    "a menu that closes as it is pressed": (
        "<ul role=listbox><li role=option onmousedown='this.remove()'>Ant</ul>",
        lambda page: page.click("li"),
    ),
    "a task that goes when it is checked": (
        "<label><input type=checkbox onchange='this.parentNode.remove()'>Do</label>",
        lambda page: page.check("input"),
    ),
    "a code that goes when it is complete": (
        "<input aria-label=Code onkeydown='' oninput='this.value.length > 3 && this.remove()'>",
        lambda page: page.fill("input", "4711"),
    ),
    "a field that goes on from where the caret is": (
        "<input value=end>",
        lambda page: page.locator("input").press_sequentially("start "),
    ),
    "keys for a page that takes them": (
        "<input onkeydown='' oninput='this.value = &quot;&quot;'>",
        lambda page: page.locator("input").press_sequentially("wasd"),
    ),
    "a link that is drawn anew with its page": (
        """<main><a href="#next" onclick='setTimeout(() => { main.innerHTML += "" })'>Next</a></main>
<script>const main = document.querySelector("main");</script>""",
        lambda page: page.click("a"),
    ),
    "a drop": (CARD, lambda page: page.drag_and_drop("#card", "#place")),
}


@pytest.mark.parametrize("what", WORKS)
async def test_what_a_page_does_with_an_action_is_no_error(page: Page, what: str) -> None:
    content, act = WORKS[what]
    await page.set_content(content)
    page.set_default_timeout(3_000)
    await act(page)


async def test_files_for_a_field_that_is_replaced_reach_the_new_one(page: Page, tmp_path: Path) -> None:
    (tmp_path / "given.txt").write_text("given")
    await page.set_content("<input type=file id=file onchange='document.title = this.files.length'>")
    async with page.expect_file_chooser() as chosen:
        await page.click("input")
    chooser = await chosen.value
    await page.evaluate("() => { file.replaceWith(file.cloneNode()) }")
    await chooser.set_files(tmp_path / "given.txt")
    assert await page.title() == "1"


@pytest.mark.long
async def test_what_never_stops_moving_is_hovered_and_clicked(page: Page) -> None:
    await page.set_content(
        """<style>@keyframes go { to { transform: translateX(40px) } }
button { animation: go 1s infinite alternate linear }</style>
<button onmouseover="this.title = 'over'" onclick="document.title = this.title">Go</button>"""
    )
    await page.hover("button", timeout=10_000)
    await page.click("button", timeout=10_000)
    assert await page.title() == "over"
