"""How little a hand needs where nobody hears it, and what it takes its time for."""

import asyncio
from typing import Any, Literal

import pytest

from patchright_mcp.async_api import Browser, Page, expect
from tests_py.support.site import Site

LONG_WORD = "Ada Lovelace"


async def received(page: Page, expression: str = "log") -> list[Any]:
    """What the page noted, in its own world."""
    noted = await page.evaluate(expression, isolated_context=False)
    assert isinstance(noted, list)
    return noted


async def test_input_without_listeners_has_the_same_result(page: Page, site: Site) -> None:
    await page.goto(site.page("traps-unheard"))
    await page.get_by_label("Name").fill(LONG_WORD)
    await page.get_by_label("Email").fill("ada@example.org")
    await page.get_by_label("Born").fill("1815-12-10")
    await page.get_by_label("About").fill("Two\nlines")
    await page.get_by_label("Colour").select_option("Blue")
    await page.get_by_label("Agree").check()
    for name in ("One", "Two", "Three"):
        await page.get_by_role("button", name=name).click()
    log = await received(page)
    assert await received(page, "caught") == []
    of = {name: [entry for entry in log if entry[1] == name] for name in ("name", "email", "born", "about")}
    assert of["name"] == [
        ["beforeinput", "name", "insertText", LONG_WORD],
        ["input", "name", "insertText", LONG_WORD],
        ["change", "name", None, None],
    ]
    assert [entry[3] for entry in of["email"]] == ["ada@example.org", "ada@example.org", None]
    assert [entry[0] for entry in of["born"]][-1] == "change"
    # The browser tells of a line end by itself.
    assert [of["about"][at][0] for at in (0, 1, -1)] == ["beforeinput", "input", "change"]
    assert [entry[0] for entry in log if entry[1] == "colour"] == ["input", "change", "click"]
    clicked = [name for kind, name, *_ in log if kind == "click" and name != "colour"]
    assert clicked == ["agree", "one", "two", "three"]
    # What came first was a key, as with an input method; a text without one comes from nowhere.
    assert await received(page, "firsts") == ["keydown"]
    await expect(page.get_by_label("Email")).to_have_value("ada@example.org")
    await expect(page.get_by_label("Born")).to_have_value("1815-12-10")
    await expect(page.get_by_label("About")).to_have_value("Two\nlines")


@pytest.mark.parametrize("where", ["window", "document", "field", "form"])
async def test_where_keys_have_listeners_each_is_struck(page: Page, where: str) -> None:
    await page.set_content("<form id=form><input id=field></form><input id=other><script>log = []</script>")
    await page.evaluate(
        f"{where}.addEventListener('keydown', (event) => log.push([event.key]))", isolated_context=False
    )
    await page.fill("#field", LONG_WORD)
    struck = await received(page)
    assert [key for (key,) in struck if key != "Shift"] == list(LONG_WORD)
    await expect(page.locator("#field")).to_have_value(LONG_WORD)
    await page.fill("#other", LONG_WORD)
    await expect(page.locator("#other")).to_have_value(LONG_WORD)
    if where in ("field", "form"):
        assert await received(page) == struck


async def test_a_field_that_listens_once_it_has_the_focus_hears_the_keys(page: Page) -> None:
    await page.set_content("<input id=field><script>log = []</script>")
    listen = "void (field.onfocus = () => { field.onkeydown = (event) => log.push([event.key]) })"
    await page.evaluate(listen, isolated_context=False)
    await page.fill("#field", "abc")
    assert await received(page) == [["a"], ["b"], ["c"]]
    await expect(page.locator("#field")).to_have_value("abc")


async def test_press_sequentially_presses_each_key_without_listeners(page: Page) -> None:
    await page.set_content("<input id=field><script>log = []</script>")
    await page.evaluate("void (field.oninput = (event) => log.push([event.data]))", isolated_context=False)
    await page.locator("#field").press_sequentially("abc")
    assert await received(page) == [["a"], ["b"], ["c"]]


@pytest.mark.parametrize("kind", ["mousemove", "pointermove", "pointerover", "mouseenter"])
async def test_a_way_with_listeners_is_walked(page: Page, kind: str) -> None:
    """By the page's clock: what comes at once comes in one moment."""
    await page.set_content("<button id=b style='width:100vw;height:90vh'>B</button><script>log = []</script>")
    listen = f"b.addEventListener('{kind}', (event) => log.push([event.timeStamp, event.clientX]), true)"
    await page.evaluate(listen, isolated_context=False)
    await page.click("#b")
    moves = await received(page)
    assert moves
    if kind.endswith("move"):
        assert len({at for at, _ in moves}) >= 2


@pytest.mark.long
async def test_a_page_that_draws_slowly_hears_the_way_all_the_same(page: Page) -> None:
    await page.set_content(
        "<body style='height: 600px'><button>One</button><script>ways = []; moves = 0;"
        "addEventListener('mousemove', () => moves++); addEventListener('mousedown', () => ways.push(moves));"
        "const draw = () => { const end = performance.now() + 120; while (performance.now() < end);"
        "requestAnimationFrame(draw) }; draw()</script>"
    )
    for _ in range(3):
        await page.mouse.move(600, 500)
        await page.evaluate("moves = 0", isolated_context=False)
        await page.get_by_role("button").click()
    # A busy machine draws fewer frames, and each hands on one move. Without a way there is one.
    assert min(await received(page, "ways")) >= 2


async def test_a_way_over_a_frame_is_walked_since_only_the_frame_knows_who_listens(
    page: Page, site: Site
) -> None:
    site.publish(
        "/listening",
        "<body style='height:2000px'><script>log = []; onmousemove = (e) => log.push([e.timeStamp])</script>",
    )
    site.publish(
        "/framing-moves",
        "<body style='margin:0'><iframe src='/listening' style='width:900px;height:400px;border:0'></iframe>"
        "<br><button id=b>B</button>",
    )
    await page.goto(site.url("/framing-moves"))
    await page.mouse.move(10, 10)
    await page.click("#b")
    moves = await page.frames[1].evaluate("log", isolated_context=False)
    assert len({at for (at,) in moves}) >= 3


async def test_the_pointer_stays_where_it_pressed_and_shows_it(page: Page) -> None:
    await page.set_content(
        "<style>#b:hover { color: rgb(1, 2, 3) }</style><button id=b style='margin:300px'>B</button>"
    )
    await page.click("#b")
    await expect(page.locator("#b")).to_have_css("color", "rgb(1, 2, 3)")
    await page.mouse.move(1, 1)
    await page.hover("#b")
    await expect(page.locator("#b")).to_have_css("color", "rgb(1, 2, 3)")


async def test_what_comes_up_under_an_unheard_pointer_is_seen_before_the_press(page: Page) -> None:
    await page.set_content(
        "<style>#cover { display: none; position: fixed; inset: 0 } #b:hover + #cover { display: block }"
        "#cover:hover { display: block }</style>"
        "<button id=b style='margin:200px'>B</button><div id=cover></div><script>log = []</script>"
    )
    await page.evaluate("void (onclick = (event) => log.push([event.target.id]))", isolated_context=False)
    with pytest.raises(Exception, match="cover"):
        await page.click("#b", timeout=700)
    assert await received(page) == []


EIGHT = (
    """<style>button { position: absolute; width: 60px; height: 30px }</style><script>log = []</script>"""
    + "".join(
        f"<button style='left: {at % 4 * 150}px; top: {at // 4 * 200 + 40}px'>b{at}</button>"
        for at in range(8)
    )
)
LISTEN = """for (const button of document.querySelectorAll("button"))
    for (const kind of ["mouseenter", "mousedown", "click"])
        button.addEventListener(kind, () => log.push(`${kind} ${button.textContent}`));"""


@pytest.mark.parametrize("style", ["instant", "natural"])
async def test_of_several_presses_at_once_each_reaches_its_own_element(
    browser: Browser, style: Literal["instant", "natural"]
) -> None:
    page = await browser.new_page(input=style)
    await page.set_content(EIGHT)
    await page.evaluate(LISTEN, isolated_context=False)
    await asyncio.gather(*(page.get_by_text(f"b{at}").click() for at in range(8)))
    log = await received(page)
    # One after the other, whoever comes first: a page has one pointer.
    pressed = [line.split()[1] for line in log if line.startswith("click")]
    assert sorted(pressed) == [f"b{at}" for at in range(8)]
    # A pointer that travels comes over others on its way.
    kinds = ("mousedown", "click") if style == "natural" else ("mouseenter", "mousedown", "click")
    reported = [line for line in log if line.split()[0] in kinds]
    assert reported == [f"{kind} {name}" for name in pressed for kind in kinds]
    await page.close()


async def test_nothing_is_pressed_while_something_is_dragged(page: Page) -> None:
    await page.set_content("<p id=from>from</p><p id=to style='margin-top:300px'>to</p>")
    await page.evaluate(
        """() => {
            log = [];
            for (const kind of ["mousedown", "mouseup"]) addEventListener(kind, () => log.push(kind), true);
        }""",
        isolated_context=False,
    )
    presses = (page.mouse.click(400, 100 + at) for at in range(3))
    await asyncio.gather(page.locator("#from").drag_to(page.locator("#to")), *presses)
    assert await received(page) == ["mousedown", "mouseup"] * 4


@pytest.mark.parametrize("style", ["instant", "natural"])
@pytest.mark.parametrize("drawn", ["", "with difficulty"])
async def test_what_a_click_has_set_in_motion_is_next_clicked_where_it_comes_to_rest(
    browser: Browser, style: Literal["instant", "natural"], drawn: str
) -> None:
    page = await browser.new_page(input=style)
    await page.set_content("""
        <style>i { position: absolute; top: 99px; width: 600px; height: 400px;
            background: conic-gradient(red, blue, red); filter: blur(9px) }</style>
        <button style='transition: transform 400ms linear'>Away</button><div></div>""")
    await page.evaluate(
        """(hard) => {
            log = [];
            const button = document.querySelector("button");
            button.onclick = ({ clientX }) => {
                log.push(clientX);
                button.style.transform = "translateX(300px)";
                // What takes long to draw puts the beginning of the motion off by more than a frame.
                if (hard) document.querySelector("div").innerHTML = "<i></i>".repeat(40);
            };
        }""",
        bool(drawn),
        isolated_context=False,
    )
    button = page.get_by_role("button")
    await button.click()
    await button.click()
    first, second = await received(page)
    assert first < 300 < second
    await page.close()
