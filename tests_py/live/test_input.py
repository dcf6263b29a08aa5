"""What a person does in the viewer, the page hears as if it were done at its own screen."""

from collections.abc import Callable
from pathlib import Path

import pytest

from patchright_mcp.async_api import Page
from tests_py.live.conftest import TRUSTED, Handed, invited, question_of
from tests_py.support.site import Site
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long

FINGER_PX = 36


async def test_what_is_typed_arrives_whole(handed: Handed) -> None:
    await handed.click("field")
    await handed.viewer.keyboard.type("a.'!@(-é x")
    await handed.value("field", "a.'!@(-é x")
    await handed.viewer.keyboard.press("Control+a")
    await handed.viewer.keyboard.press("Backspace")
    await handed.value("field", "")
    downs = handed.received("keydown")
    assert ["keydown", ".", "Period", 190, True] in downs
    assert ["keydown", "a", "KeyA", 65, True] in downs
    await handed.click("many")
    await handed.viewer.keyboard.type("one\ntwo")
    await handed.value("many", "one\ntwo")


async def test_alt_graph_types_its_character(handed: Handed) -> None:
    await handed.click("field")
    script = """() => document.querySelector('#keys').dispatchEvent(new KeyboardEvent('keydown', {
        key: '@', code: 'KeyQ', keyCode: 81, ctrlKey: true, altKey: true,
        modifierAltGraph: true, cancelable: true,
    }))"""
    await handed.viewer.evaluate(script, isolated_context=False)
    await handed.value("field", "@")


async def test_an_input_method_composes_in_the_page(handed: Handed) -> None:
    await handed.click("field")
    session = await handed.viewer.context.new_cdp_session(handed.viewer)
    for text in ("ni", "nihao"):
        await session.send(
            "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
        )
    await handed.until(lambda: handed.received("compositionupdate", "nihao"), "composing")
    await session.send("Input.insertText", {"text": "你好"})
    await handed.value("field", "你好")
    await handed.until(lambda: handed.received("compositionend"), "the end of composing")
    assert len(handed.received("compositionstart")) == 1
    assert handed.received("compositionend") == [["compositionend", "你好"]]


async def test_a_keyboard_without_keys_types_each_letter_once(handed: Handed) -> None:
    await handed.click("field")
    for letter in "phone":
        await handed.viewer.keyboard.insert_text(letter)
    await handed.value("field", "phone")
    script = """() => document.querySelector('#keys').dispatchEvent(new InputEvent('input', {
        inputType: 'deleteContentBackward' }))"""
    await handed.viewer.evaluate(script, isolated_context=False)
    await handed.value("field", "phon")


async def test_what_the_person_pastes_arrives_and_nothing_else(handed: Handed) -> None:
    await handed.click("field")
    script = """() => {
        const data = new DataTransfer();
        data.setData('text/plain', 'a secret of the person');
        const event = new ClipboardEvent('paste', { clipboardData: data, cancelable: true });
        document.querySelector('#keys').dispatchEvent(event);
    }"""
    await handed.viewer.evaluate(script, isolated_context=False)
    await handed.value("field", "a secret of the person")


async def test_buttons_drags_and_the_wheel(handed: Handed) -> None:
    mouse = handed.viewer.mouse
    await mouse.dblclick(*await handed.at("word"))
    await handed.until(lambda: handed.received("dblclick", "word"), "a double click")
    await handed.until(lambda: handed.received("selection")[-1][1].strip() in ("alphabet", "soup"), "a word")
    await handed.click("word", button="right")
    await handed.until(lambda: handed.received("contextmenu", "word", TRUSTED), "a right click")
    x, y = await handed.at("box")
    await mouse.move(x, y)
    await mouse.down()
    await mouse.move(x + 100, y + 50, steps=5)
    await mouse.up()
    await handed.until(lambda: handed.received("dragged"), "a drag")
    _, right, down = handed.received("dragged")[0]
    assert 90 < right < 110
    assert 40 < down < 60
    await mouse.move(*await handed.at("long"))
    await mouse.wheel(0, 200)
    await handed.until(lambda: [entry for entry in handed.received("scroll") if entry[1] > 100], "scrolling")


async def test_a_list_that_no_picture_shows_is_chosen_from(handed: Handed) -> None:
    await handed.click("list")
    options = handed.viewer.locator("#options option")
    await options.nth(3).wait_for(state="attached")
    assert await options.all_text_contents() == ["Red", "Grey", "Green", "Blue"]
    await handed.viewer.locator("#options").select_option("Blue")
    await handed.viewer.locator("#choice button").click()
    await handed.until(lambda: handed.received("change", "list"), "a change")
    assert handed.received("change", "list") == [["change", "list", True, "Blue"]]
    assert handed.received("input", "list") == [["input", "list", True, "Blue"]]


async def test_a_date_and_a_proposal_are_picked_in_the_view(handed: Handed) -> None:
    value, ok = handed.viewer.locator("#value"), handed.viewer.locator("#pick button[value=yes]")
    await handed.click("day")
    await handed.viewer.locator("#pick[open]").wait_for()
    assert await value.get_attribute("type") == "date"
    assert await value.get_attribute("min") == "2026-01-01"
    await value.fill("2026-12-24")
    await ok.click()
    await handed.until(lambda: handed.received("input", "day", TRUSTED, "2026-12-24"), "a date")
    assert not handed.received("input", "day", not TRUSTED)
    await handed.click("town")
    await handed.viewer.locator("#pick[open]").wait_for()
    proposals = handed.viewer.locator("#proposals option")
    assert await proposals.evaluate_all("(all) => all.map((one) => one.value)") == ["Aachen", "Bonn"]
    await value.fill("Bonn")
    await ok.click()
    await handed.value("town", "Bonn")


async def test_dialogs_files_and_windows_are_the_persons(handed: Handed, tmp_path: Path) -> None:
    viewer = handed.viewer
    await handed.click("ask")
    await viewer.locator("#ask[open]").wait_for()
    assert await viewer.locator("#ask p").text_content() == "Shall it be?"
    await viewer.locator("#ask button[value=yes]").click()
    await handed.until(lambda: handed.received("answered"), "an answer")
    assert handed.received("answered") == [["answered", True]]
    given = tmp_path / "given.txt"
    given.write_text("of the person")
    await handed.click("file")
    await viewer.locator("#files[open]").wait_for()
    await viewer.locator("#file").set_input_files(given)
    await viewer.locator("#files button[value=yes]").click()
    await handed.until(lambda: handed.received("file"), "a file")
    assert handed.received("file") == [["file", "given.txt", "of the person"]]
    await handed.click("open")
    tabs = viewer.locator("#tabs button")
    await tabs.nth(1).wait_for()
    await viewer.evaluate("() => { window.button = document.querySelectorAll('#tabs button')[1] }")
    # Names come a moment after the windows: they move no button away from under the hand.
    moved = """() => {
        const before = button.getBoundingClientRect().x;
        document.querySelector('#tabs button').textContent = '';
        return button.getBoundingClientRect().x - before;
    }"""
    assert await viewer.evaluate(moved) == 0
    await tabs.nth(1).click()
    await viewer.wait_for_function("() => document.querySelector('#url').textContent.includes('form.html')")
    # A report between press and release takes no click away.
    assert await viewer.evaluate("() => window.button.isConnected")


async def test_the_picture_follows_the_hand(handed: Handed) -> None:
    x, y = await handed.at("colour")
    seen = """() => { const picture = document.querySelector('#picture'); const at = picture.width / %f;
        return picture.getContext('2d').getImageData(%f * at, %f * at, 1, 1).data[1] > 200; }"""
    size, place = handed.notes()["size"], handed.notes()["boxes"]["colour"]
    await handed.viewer.mouse.move(x, y)
    await handed.viewer.mouse.down()
    await handed.viewer.wait_for_function(seen % (size[0], *place))
    await handed.viewer.mouse.up()


async def test_the_view_needs_no_mouse(new_wire: Callable[..., Wire], viewer: Page, site: Site) -> None:
    wire = new_wire("--headless", "--input", "instant")
    wire.shake_hands(elicitation={"form": {}, "url": {}})
    wire.call("browser_navigate", url=f"{site.page('watched')}?name=keyboard")
    call = wire.start_call("browser_ask_person", reason="Please write")
    reply = invited(question_of(wire))
    handed = Handed(viewer, site, "keyboard", wire, reply)
    await viewer.goto(reply.link)
    await viewer.keyboard.type(reply.code)
    await viewer.keyboard.press("Enter")
    await viewer.locator("#stage.held").wait_for()
    focused = "() => document.activeElement.id"
    for _ in range(10):
        await viewer.keyboard.press("Tab")
        if await viewer.evaluate(focused) == "keys":
            break
    assert await viewer.evaluate(focused) == "keys"
    # From here on Tab is the page's own.
    await viewer.keyboard.press("Tab")
    await viewer.keyboard.type("no mouse")
    await handed.value("field", "no mouse")
    await viewer.keyboard.press("F6")
    assert await viewer.evaluate(focused) == "done"
    await viewer.keyboard.press("Enter")
    answer = wire.answer_to(call)["result"]
    assert "The user says that it is done" in answer["content"][0]["text"]


async def test_the_view_fits_a_telephone(handed: Handed) -> None:
    viewer = handed.viewer
    for width, height in ((320, 568), (390, 844)):
        await viewer.set_viewport_size({"width": width, "height": height})
        await viewer.wait_for_function(f"() => innerWidth === {width}")
        script = """() => ({
            width: document.documentElement.scrollWidth,
            picture: document.querySelector('#picture').getBoundingClientRect().width,
            heights: [...document.querySelectorAll("header button")].map((one) => one.offsetHeight),
        })"""
        seen = await viewer.evaluate(script)
        assert seen["width"] <= width
        assert seen["picture"] > width / 2
        assert min(seen["heights"]) >= FINGER_PX
    await handed.click("field")
    await viewer.keyboard.type("small")
    await handed.value("field", "small")
