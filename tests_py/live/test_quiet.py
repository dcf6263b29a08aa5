"""A page that somebody watches, or works on, sees nothing of it; and one that stands still costs nothing."""

import asyncio
import logging
import statistics
from collections.abc import Callable

import pytest

from patchright_mcp.async_api import Page
from tests_py.live.conftest import Handed, come_in, invited, question_of
from tests_py.support.site import Site
from tests_py.support.traps import notes_of, noticed
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long

SHOWS_GREEN = """([x, y, green]) => {
    const picture = document.querySelector('#picture');
    const pixel = picture.getContext('2d').getImageData(x * picture.width, y * picture.height, 1, 1).data;
    return pixel[1] > 200 === green;
}"""
LOG = logging.getLogger(__name__)
PICTURES = """() => {
    if (!self.pictures) {
        self.pictures = [0];
        const draw = CanvasRenderingContext2D.prototype.drawImage;
        CanvasRenderingContext2D.prototype.drawImage = function (...given) {
            self.pictures[0] += 1;
            draw.apply(this, given);
        };
    }
    return self.pictures[0];
}"""


async def test_a_page_does_not_notice_that_somebody_works_on_it(
    new_wire: Callable[..., Wire], viewer: Page, site: Site
) -> None:
    found = {}
    for watched in (False, True):
        name = f"watched-{watched}"
        wire = new_wire("--headless")
        wire.shake_hands(elicitation={"form": {}, "url": {}})
        wire.call("browser_navigate", url=site.url(f"/pages/traps.html?name={name}"))
        notes_of(site, name)
        if watched:
            call = wire.start_call("browser_ask_person", reason="Please look")
            await come_in(viewer, invited(question_of(wire)))
            await viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
            await viewer.mouse.move(400, 400)
            await viewer.mouse.move(500, 450, steps=10)
            await viewer.locator("#done").click()
            wire.answer_to(call)
        wire.call("browser_evaluate", function="() => document.title")
        wire.call("browser_navigate", url=site.page("form"))
        found[watched] = noticed(notes_of(site, name))
    assert found[True] == found[False]


async def test_coming_and_going_is_no_event_of_the_page(handed: Handed) -> None:
    await handed.click("field")
    await handed.viewer.keyboard.type("x")
    await handed.value("field", "x")
    for kind in ("resize", "blur", "visibilitychange"):
        assert not handed.received(kind)
    await handed.viewer.locator("#done").click()
    handed.wire.answer_to(handed.invitation.call)
    size = handed.wire.call("browser_evaluate", function="() => [innerWidth, innerHeight].join('x')")
    assert "x".join(str(int(side)) for side in handed.notes()["size"]) in str(size)
    for kind in ("resize", "blur", "visibilitychange"):
        assert not handed.received(kind)


async def test_a_still_page_costs_no_pictures(handed: Handed) -> None:
    async def pictures() -> int:
        return int(await handed.viewer.evaluate(PICTURES, isolated_context=False))

    await pictures()
    await handed.viewer.wait_for_timeout(500)
    before = await pictures()
    await handed.viewer.wait_for_timeout(2000)
    assert await pictures() == before
    await handed.click("colour")
    while await pictures() == before:
        await handed.viewer.wait_for_timeout(20)


TRIES = 20
PRESSED = """(at) => new Promise((resolve) => {
    const picture = document.querySelector('#picture');
    const pixel = () => picture.getContext('2d').getImageData(at[0], at[1], 1, 1).data[1] > 200;
    const was = pixel(), draw = CanvasRenderingContext2D.prototype.drawImage;
    let begun = 0;
    addEventListener('pointerdown', () => { begun = performance.now(); }, { capture: true, once: true });
    CanvasRenderingContext2D.prototype.drawImage = function (...given) {
        draw.apply(this, given);
        if (!begun || pixel() === was) return;
        CanvasRenderingContext2D.prototype.drawImage = draw;
        resolve(performance.now() - begun);
    };
    document.body.dataset.ready = 'yes';
})"""


async def test_each_press_is_seen_in_the_picture(handed: Handed) -> None:
    """How long that takes stands in the log (`--log-cli-level INFO`)."""
    viewer, (x, y) = handed.viewer, await handed.at("toggle")
    size, place = handed.notes()["size"], handed.notes()["boxes"]["toggle"]
    scale = await viewer.evaluate("() => document.querySelector('#picture').width") / size[0]
    await viewer.mouse.move(x, y)
    took = []
    for _ in range(TRIES):
        await viewer.evaluate("() => { delete document.body.dataset.ready; }")
        measured = asyncio.ensure_future(
            viewer.evaluate(PRESSED, [part * scale for part in place], isolated_context=False)
        )
        await viewer.wait_for_function("() => document.body.dataset.ready")
        await viewer.mouse.down()
        took.append(await measured)
        await viewer.mouse.up()
    LOG.info("pointer to pixel: p50 %.0f ms, most %.0f ms", statistics.median(took), max(took))
    assert len(took) == TRIES


async def test_a_viewer_that_was_stuck_sees_the_present(handed: Handed) -> None:
    script = """() => { const end = performance.now() + 2500; while (performance.now() < end); }"""
    x, y = await handed.at("colour")
    await handed.viewer.mouse.move(x, y)
    await handed.viewer.mouse.down()
    await handed.viewer.mouse.up()
    await handed.viewer.evaluate(script)
    size, place = handed.notes()["size"], handed.notes()["boxes"]["colour"]
    seen = f"""() => {{ const picture = document.querySelector('#picture'), at = picture.width / {size[0]};
        const [x, y] = [{place[0]} * at, {place[1]} * at];
        return picture.getContext('2d').getImageData(x, y, 1, 1).data[1] > 200; }}"""
    await handed.viewer.wait_for_function(seen)


async def test_a_person_whose_line_broke_comes_back_without_a_code(handed: Handed) -> None:
    await handed.viewer.reload()
    await handed.viewer.locator("#stage.held").wait_for()
    await handed.viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
    await handed.click("field")
    await handed.viewer.keyboard.type("back")
    await handed.value("field", "back")


async def test_a_second_viewer_of_the_person_takes_the_place_of_the_first(handed: Handed) -> None:
    first = handed.viewer
    second = await first.context.new_page()
    await second.goto(handed.invitation.link)
    await second.locator("#stage.held").wait_for()
    await first.locator("#end h1").wait_for()
    await second.wait_for_function("() => document.querySelector('#picture').width > 300")
    handed.viewer = second
    # What the first showed is no longer shown there, and not by that also ended for the second.
    for number in range(3):
        await handed.click("toggle")
        await handed.until(lambda: len(handed.received("toggled")) == number + 1, "a click")  # noqa: B023
        await second.wait_for_function(SHOWS_GREEN, arg=[*handed.colour_at("toggle"), number % 2 == 0])
    await handed.viewer.locator("#done").click()
    assert not handed.wire.answer_to(handed.invitation.call)["result"].get("isError", False)
