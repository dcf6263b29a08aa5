"""Pages as a script drives them."""

import asyncio
import math
from datetime import datetime, timezone
from pathlib import Path
from typing import Literal, cast
from urllib.parse import urlparse

import pytest

from patchright_mcp.async_api import (
    Browser,
    BrowserContext,
    Dialog,
    Error,
    FilePayload,
    Page,
    Playwright,
    async_playwright,
    expect,
)
from patchright_mcp.async_api import TimeoutError as PatchrightTimeoutError
from tests_py.support.site import Site


async def test_a_form_is_filled_and_sent(page: Page) -> None:
    await page.set_content("<form><label>Name <input></label><button>Go</button></form><p></p>")
    await page.get_by_label("Name").fill("Ada")
    await page.evaluate(
        """() => document.querySelector('form').addEventListener('submit', (event) => {
            event.preventDefault();
            document.querySelector('p').textContent = document.querySelector('input').value;
        })"""
    )
    await page.get_by_role("button", name="Go").click()
    assert await page.locator("p").inner_text() == "Ada"


async def test_values_keep_their_meaning_both_ways(page: Page) -> None:
    moment = datetime(2024, 3, 7, 14, 30, tzinfo=timezone.utc)
    result = await page.evaluate(
        "given => ({...given, undefined: undefined, error: new RangeError('far'), set: [1n, -0]})",
        {"nan": math.nan, "moment": moment, "address": urlparse("http://a.example/b?c"), "none": None},
    )
    assert math.isnan(result["nan"])
    assert result["moment"] == moment
    assert result["address"].geturl() == "http://a.example/b?c"
    assert (result["none"], result["undefined"]) == (None, None)
    assert (result["error"].name, result["error"].message) == ("RangeError", "far")
    assert result["set"][0] == 1
    assert math.copysign(1, result["set"][1]) == -1
    fractions = [10.0**power / 3 for power in range(-150, 150)]
    assert await page.evaluate("fractions => fractions", fractions) == fractions
    ring = await page.evaluate("() => { const ring = {}; ring.self = ring; return ring; }")
    assert ring["self"] is ring
    body = await page.evaluate_handle("document.body")
    assert (
        await page.evaluate("([list, { node }]) => list.length + node.tagName", [[1], {"node": body}])
        == "1BODY"
    )


async def test_variables_of_the_page_are_seen_only_where_asked(page: Page) -> None:
    await page.set_content("<script>window.secret = 42</script>")
    assert await page.evaluate("() => window.secret") is None
    assert await page.evaluate("() => window.secret", isolated_context=False) == 42


async def test_a_missing_element_says_what_was_waited_for(page: Page) -> None:
    with pytest.raises(PatchrightTimeoutError) as missing:
        await page.get_by_text("nobody").click(timeout=50)
    assert missing.value.message.startswith("Locator.click: Timeout 50ms exceeded.\n")
    assert 'waiting for get_by_text("nobody")' in missing.value.message


async def test_of_several_elements_each_is_shown_with_a_way_to_it(page: Page) -> None:
    await page.set_content(
        """<p data-testid=greeting>Hello</p><button>OK</button><button>OK</button><label>Name <input></label>
        <img alt=Logo src=data:,><b>Hello</b><section><i>a</i><i></i></section>"""
    )
    ways = [
        'get_by_test_id("greeting")',
        'get_by_role("button", name="OK").first',
        'get_by_role("button", name="OK").nth(1)',
        'get_by_role("textbox", name="Name")',
        'get_by_role("img", name="Logo")',
        'get_by_text("Hello").nth(1)',
        'locator("section")',
        'get_by_text("a", exact=True)',
        'locator("i:nth-of-type(2)")',
    ]
    with pytest.raises(
        Error, match=r"strict mode violation: locator\(.*\) resolved to 9 elements"
    ) as several:
        await page.locator("p, button, input, img, b, section, i").text_content()
    lines = several.value.message.splitlines()
    assert lines[1].startswith('    1) <p data-testid="greeting">Hello</p> aka ')
    assert [line.partition(" aka ")[2] for line in lines[1:10]] == ways
    with pytest.raises(AssertionError, match=r"2\) <button>OK</button> aka .*\n \nCall log:\n  - Expect"):
        await expect(page.locator("button")).to_be_visible(timeout=50)


async def test_elements_in_shadow_roots_come_after_those_beside_them(page: Page) -> None:
    await page.set_content(
        """<p id=a>x</p><div><p id=b>x</p><template shadowrootmode=open>
            <slot></slot><p id=c>x</p><div><template shadowrootmode=open><p id=d>x</p></template></div>
            <p id=e>x</p></template></div><p id=f>x</p>"""
    )

    async def found(selector: str) -> str:
        return str(await page.locator(selector).evaluate_all("found => found.map(({ id }) => id).join('')"))

    assert await found("p") == await found("text=x") == await found("role=paragraph") == "abfced"
    assert await found("div >> p") == "bcde"


async def test_closed_shadow_roots_are_looked_into_from_the_first_look_on(page: Page) -> None:
    put_in = "document.querySelector('x-a').attachShadow({ mode: 'closed' }).innerHTML = '%s'"
    host = f"<x-a></x-a><script>{put_in}</script>"
    for name in ("One", "Two"):
        await page.set_content(host % f"<button>{name}</button>")
        assert await page.get_by_role("button", name=name).count() == 1
    await page.set_content(host % "<label>Name <input></label>")
    await page.get_by_label("Name").fill("Ada")
    assert await page.get_by_label("Name").input_value() == "Ada"
    for isolated in (True, False):
        await page.set_content(host % f"<button>{isolated}</button>")
        count = page.locator("button").evaluate_all("found => found.length", isolated_context=isolated)
        assert await count == 1
    await page.set_content(host % "<button>Text</button>")
    assert await page.locator("button").all_inner_texts() == ["Text"]
    # What comes later, and what must not be there.
    await page.set_content("<x-a></x-a>")
    assert not await page.get_by_text("Late").is_visible()
    await page.evaluate(put_in % "<p>Late</p>")
    with pytest.raises(AssertionError):
        await expect(page.get_by_text("Late")).to_be_hidden(timeout=100)
    await page.get_by_text("Late").wait_for()


async def test_popups_are_pages_of_the_same_context(page: Page, site: Site) -> None:
    await page.goto(site.page("form"))
    async with page.expect_popup() as opened:
        await page.evaluate("url => { window.open(url) }", site.page("form") + "?new")
    popup = await opened.value
    assert popup.url == site.page("form") + "?new"
    await popup.wait_for_load_state()
    assert await popup.title() == await page.title()
    assert popup in page.context.pages
    assert await popup.opener() is page
    closed = asyncio.ensure_future(popup.wait_for_event("close"))
    await asyncio.sleep(0)
    await popup.close()
    assert await closed is popup
    with pytest.raises(Error, match="Target page, context or browser has been closed"):
        await popup.title()


async def test_a_popup_is_as_large_as_it_was_asked_to_be(browser: Browser) -> None:
    async with await browser.new_context(viewport={"width": 700, "height": 500}) as context:
        page = await context.new_page()
        for features, size in (("width=320, height=240", (320, 240)), ("", (700, 500))):
            async with page.expect_popup() as opened:
                await page.evaluate("(features) => { open('about:blank', '', features) }", features)
            popup = await opened.value
            assert popup.viewport_size == {"width": size[0], "height": size[1]}
            assert await popup.evaluate("[innerWidth, innerHeight]") == list(size)


async def test_a_handle_knows_the_page_that_its_element_was_taken_to(page: Page, site: Site) -> None:
    await page.goto(site.page("form"))
    async with page.expect_popup() as opened:
        await page.evaluate("() => { window.other = open('about:blank') }")
    popup = await opened.value
    button = await page.wait_for_selector("button")
    assert button is not None
    assert await button.owner_frame() is page.main_frame
    await page.evaluate("(button) => { other.document.body.append(button) }", button)
    assert await button.owner_frame() is popup.main_frame


async def test_a_file_is_of_the_type_that_is_reported(page: Page) -> None:
    await page.set_content(
        """<input type=file multiple><script>
        heard = [];
        oninput = onchange = async ({ isTrusted, target }) => {
            for (const file of target.files) heard.push([isTrusted, file.name, file.type, await file.text()]);
        };</script>"""
    )
    notes: FilePayload = {"name": "a.txt", "mimeType": "application/x-notes", "buffer": b"inside"}
    plain: FilePayload = {"name": "b.txt", "mimeType": "text/plain", "buffer": b"inside"}
    await page.set_input_files("input", [notes, plain])
    await page.wait_for_function("heard.length === 4")
    assert sorted(await page.evaluate("heard", isolated_context=False)) == [
        *[[True, "a.txt", "application/x-notes", "inside"]] * 2,
        *[[True, "b.txt", "text/plain", "inside"]] * 2,
    ]


async def test_dialogs_are_answered_by_who_listens_and_else_dismissed(page: Page) -> None:
    assert await page.evaluate("confirm('sure?')") is False
    asked: list[str] = []

    async def answer(dialog: Dialog) -> None:
        asked.append(dialog.message)
        await dialog.accept("blue")

    page.once("dialog", answer)
    assert await page.evaluate("prompt('colour?')") == "blue"
    assert asked == ["colour?"]


async def test_giving_up_a_task_gives_up_its_wait(page: Page) -> None:
    waiting = asyncio.ensure_future(page.wait_for_selector("nothing", timeout=0))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert await page.evaluate("1 + 1") == 2


async def test_the_pointer_travels_unless_it_is_to_be_instant(browser: Browser) -> None:
    received = {}
    styles: list[Literal["natural", "instant"] | None] = [None, "natural", "instant"]
    for style in styles:
        context = await browser.new_context(input=style)
        page = await context.new_page()
        await page.set_content(
            "<button style='margin: 300px'>Go</button><script>moves = 0; onmousemove = () => moves++</script>"
        )
        await page.click("button")
        received[style] = await page.evaluate("moves", isolated_context=False)
        await context.close()
    assert received["instant"] <= 1 < min(received[None], received["natural"])
    with pytest.raises(Error, match="input: expected one of"):
        await browser.new_context(input="slow")  # type: ignore[arg-type]


async def test_pages_call_functions_of_the_script_also_after_a_navigation(page: Page, site: Site) -> None:
    await page.expose_function("add", lambda a, b: a + b)

    async def refuse() -> None:
        raise ValueError("not today")

    await page.expose_function("refuse", refuse)
    assert await page.evaluate("add(1, 2)", isolated_context=False) == 3
    await page.goto(site.page("form"))
    assert await page.evaluate("add('a', 'b')", isolated_context=False) == "ab"
    result = await page.evaluate("refuse().catch((error) => error.message)", isolated_context=False)
    assert result == "not today"


async def test_selectors_may_name_an_engine_of_ones_own(playwright: Playwright, page: Page) -> None:
    await playwright.selectors.register(
        "bold", "{ queryAll: (root, body) => root.querySelectorAll('b' + body) }"
    )
    await page.set_content("<b>x</b><b class=y>z</b>")
    assert await page.text_content("bold=.y") == "z"
    with pytest.raises(Error, match="already registered"):
        await playwright.selectors.register("bold", "{}")


async def test_a_script_of_ours_may_open_windows_and_one_of_the_page_may_not(page: Page, site: Site) -> None:
    await page.goto(
        site.publish("/opens", "<a target=_blank href=/pages/form.html>a</a><script>w = open()</script>")
    )
    assert await page.evaluate(
        "[window.w === null, navigator.userActivation.hasBeenActive]", isolated_context=False
    ) == [
        True,
        False,
    ]
    async with page.expect_popup() as opened:
        await page.evaluate("open('/pages/form.html')")
    assert (await opened.value).url == site.page("form")
    async with page.expect_popup():
        await page.dispatch_event("a", "click")


async def test_files_and_texts_are_dropped_on_an_element(page: Page) -> None:
    await page.set_content("<div style='width: 99px; height: 99px'></div>")
    await page.evaluate(
        """() => {
            const zone = document.querySelector('div');
            zone.addEventListener('dragover', (event) => event.preventDefault());
            zone.addEventListener('drop', async (event) => {
                event.preventDefault();
                window.dropped = [event.isTrusted, event.dataTransfer.getData('text/plain')];
                for (const file of event.dataTransfer.files) dropped.push(file.name, await file.text());
            });
        }""",
        isolated_context=False,
    )
    zone = page.locator("div")
    await zone.drop({"data": {"text/plain": "hello"}})
    assert await page.evaluate("dropped", isolated_context=False) == [True, "hello"]
    await zone.drop({"files": {"name": "a.txt", "mimeType": "text/plain", "buffer": b"inside"}})
    await page.wait_for_function("() => dropped.length === 4")
    assert await page.evaluate("dropped", isolated_context=False) == [True, "", "a.txt", "inside"]


@pytest.mark.long
async def test_a_drop_is_where_it_is_reported(page: Page) -> None:
    async def dropped_at(page: Page) -> list[int]:
        await page.set_content("<div style='position: absolute; left: 20px; top: 30px; padding: 50px'></div>")
        await page.evaluate(
            """() => {
                const zone = document.querySelector('div');
                zone.addEventListener('dragover', (event) => event.preventDefault());
                zone.addEventListener('drop', (event) => { window.at = [event.clientX, event.clientY] });
            }""",
            isolated_context=False,
        )
        await page.locator("div").drop({"data": {"text/plain": "a"}}, position={"x": 7, "y": 90})
        return cast("list[int]", await page.evaluate("at", isolated_context=False))

    assert await dropped_at(page) == [27, 120]
    async with async_playwright(playwright_compatible=True) as compatible:
        browser = await compatible.chromium.launch()
        assert await dropped_at(await browser.new_page()) == [27, 120]
        await browser.close()


async def test_a_click_holds_the_keys_it_names_and_no_others(page: Page) -> None:
    await page.set_content("<button>press</button>")
    await page.evaluate(
        """() => document.querySelector('button').addEventListener(
            'click', (event) => { window.shift = event.shiftKey }
        )"""
    )
    await page.keyboard.down("Shift")
    await page.click("button", modifiers=[])
    assert await page.evaluate("shift") is False
    await page.click("button")
    assert await page.evaluate("shift") is True
    await page.keyboard.up("Shift")


async def test_a_key_that_is_held_repeats_itself(page: Page) -> None:
    await page.evaluate(
        "() => { window.keys = []; onkeydown = (event) => keys.push(event.key, event.repeat) }"
    )
    for key in ("a", "a", "b", "?"):
        await page.keyboard.down(key)
    assert await page.evaluate("keys") == ["a", False, "a", True, "b", False, "?", False]


async def test_nothing_is_scrolled_where_that_is_not_wanted(page: Page) -> None:
    await page.set_content("<div style='height: 3000px'></div><button>low</button>")
    with pytest.raises(Error, match="Element is outside of the viewport"):
        await page.locator("button").click(scroll="none", force=True)
    assert await page.evaluate("scrollY") == 0
    await page.evaluate("() => { onmousemove = (event) => { window.moves = (window.moves ?? 0) + 1 } }")
    await page.locator("button").click(steps=3)
    assert await page.evaluate("moves") == 3


async def test_elements_are_found_by_where_they_lie(page: Page) -> None:
    await page.set_content(
        """<style>div { position: absolute; width: 40px; height: 40px }</style>
        <div id=a style="left: 0; top: 0"></div><div id=b style="left: 200px; top: 0"></div>
        <div id=c style="left: 60px; top: 0"></div><div id=d style="left: 0; top: 100px"></div>"""
    )

    async def found(selector: str) -> str:
        return str(await page.locator(selector).evaluate_all("found => found.map(({ id }) => id).join('')"))

    assert await found("div:right-of(#a)") == "cb"
    assert await found("div:right-of(#a, 30)") == "c"
    assert await found("div:below(#a)") == "d"
    assert await found("div:above(#d)") == "acb"
    assert await found("div:left-of(#b)") == "cad"
    assert await found("div:near(#a)") == "c"


async def test_calls_of_the_page_come_before_what_caused_them_is_done(page: Page) -> None:
    calls: list[int] = []
    await page.expose_function("note", calls.append)
    await page.set_content("<button onclick='for (let i = 0; i < 50; i++) note(i)'>go</button>")
    await page.click("button")
    assert calls == list(range(50))


async def test_handles_say_what_they_stand_for(page: Page) -> None:
    await page.set_content(
        "<input type=checkbox checked name=news><p id=a class='b c'>word</p><ul><li></li></ul>"
    )
    assert str(await page.query_selector("input")) == 'JSHandle@<input checked name="news" type="checkbox"/>'
    assert str(await page.query_selector("p")) == 'JSHandle@<p id="a" class="b c">word</p>'
    assert str(await page.query_selector("ul")) == "JSHandle@<ul>\u2026</ul>"
    promise = await (await page.evaluate_handle("({ later: Promise.resolve(1) })")).get_property("later")
    assert str(promise) == "Promise"


async def test_a_context_takes_over_the_state_of_another(browser: Browser, page: Page, site: Site) -> None:
    await page.goto(site.page("form"))
    await page.evaluate("() => { localStorage.setItem('kept', 'yes'); document.cookie = 'seen=1' }")
    state = await page.context.storage_state()
    async with await browser.new_context() as other:
        first = await other.new_page()
        await first.goto(site.page("form"))
        await first.evaluate("() => { localStorage.setItem('own', 'gone'); document.cookie = 'own=1' }")
        await other.set_storage_state(state)
        await first.reload()
        result = await first.evaluate("[document.cookie, localStorage.kept, localStorage.own]")
        assert result == ["seen=1", "yes", None]


WRITE_FILES = """async () => {
  const root = await navigator.storage.getDirectory();
  const write = async (folder, name, data) => {
    const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
    await writable.write(data);
    await writable.close();
  };
  await write(root, "note.txt", "kept");
  const inner = await root.getDirectoryHandle("a", { create: true });
  await inner.getDirectoryHandle("empty", { create: true });
  await write(await inner.getDirectoryHandle("b", { create: true }), "bytes", new Uint8Array([0, 255, 128]));
}"""
READ_FILES = """async () => {
  const read = async (folder, above) => {
    const found = {};
    for await (const [name, handle] of folder.entries()) {
      const path = above + name;
      if (handle.kind === "directory") Object.assign(found, { [path]: null }, await read(handle, `${path}/`));
      else found[path] = [...new Uint8Array(await (await handle.getFile()).arrayBuffer())];
    }
    return found;
  };
  return read(await navigator.storage.getDirectory(), "");
}"""


async def test_a_context_takes_over_the_private_files_of_another(
    browser: Browser, page: Page, site: Site, tmp_path: Path
) -> None:
    await page.goto(site.page("form"))
    await page.evaluate(WRITE_FILES)
    assert (await page.context.storage_state())["origins"] == []
    state = await page.context.storage_state(opfs=True, path=tmp_path / "state.json")
    assert state["origins"] == [
        {
            "origin": site.origin,
            "localStorage": [],
            "opfs": [
                {"path": "a", "type": "directory"},
                {"path": "a/b", "type": "directory"},
                {"path": "a/b/bytes", "type": "file", "base64": "AP+A"},
                {"path": "a/empty", "type": "directory"},
                {"path": "note.txt", "type": "file", "base64": "a2VwdA=="},
            ],
        }
    ]
    kept = {"a": None, "a/b": None, "a/b/bytes": [0, 255, 128], "a/empty": None, "note.txt": [*b"kept"]}
    # A page that has gone elsewhere is not there to be asked.
    await page.goto("about:blank")
    assert await page.context.storage_state(opfs=True) == state
    async with await browser.new_context(storage_state=tmp_path / "state.json") as other:
        first = await other.new_page()
        await first.goto(site.page("form"))
        assert await first.evaluate(READ_FILES) == kept
        await other.set_storage_state({"cookies": [], "origins": []})
        assert await first.evaluate(READ_FILES) == {}


STATE = "() => [document.hasFocus(), document.visibilityState]"


async def test_of_two_tabs_the_one_that_is_worked_on_is_in_front(
    context: BrowserContext, page: Page, site: Site
) -> None:
    """As a site finds out: one of its tabs reads what the other has written down."""
    tell = """(name) => ['visibilitychange', 'focus', 'blur'].forEach((type) => addEventListener(type, () => {
        localStorage[name] = `${document.visibilityState} ${document.hasFocus()}`;
    }))"""
    second = await context.new_page()
    for name, tab in (("first", page), ("second", second)):
        await tab.goto(site.page("form"))
        await tab.evaluate(tell, name)
    await second.wait_for_function("localStorage.first === 'hidden false'")
    await page.wait_for_function("localStorage.second === 'hidden false'")
    assert await page.evaluate("[localStorage.first, outerHeight > innerHeight]") == ["visible true", True]


async def test_tabs_that_are_worked_on_at_once_are_all_drawn(context: BrowserContext) -> None:
    pages = [await context.new_page() for _ in range(3)]
    await asyncio.gather(*[each.evaluate("new Promise(requestAnimationFrame)") for each in pages])
    result = await asyncio.gather(*[each.evaluate(STATE) for each in pages])
    assert result == [[True, "visible"]] * 3


async def test_a_page_is_as_large_as_its_window_by_default(browser: Browser, page: Page) -> None:
    size = "() => ({ width: innerWidth, height: innerHeight })"
    assert page.viewport_size == await page.evaluate(size)
    assert await page.evaluate("outerHeight - innerHeight") > 50
    given = {"width": 640, "height": 480}
    async with await browser.new_context(viewport={"width": 640, "height": 480}) as context:
        page = await context.new_page()
        assert page.viewport_size == given
        assert await page.evaluate(size) == given
    async with await browser.new_context(no_viewport=True) as context:
        assert (await context.new_page()).viewport_size is None


async def test_operations_that_are_begun_together_reach_the_page_in_order(page: Page) -> None:
    await page.evaluate("() => { globalThis.heard = []; }")
    asked = range(200)
    await asyncio.gather(*(page.evaluate("(number) => { heard.push(number); }", number) for number in asked))
    assert await page.evaluate("heard") == list(asked)
