"""What fingers do on a person's telephone, the page hears: as a mouse, or as touches where it takes such."""

from collections.abc import AsyncIterator, Callable

import pytest

from patchright_mcp.async_api import Browser, CDPSession, Page
from tests_py.live.conftest import TRUSTED, Handed, Invitation, come_in, invited, question_of
from tests_py.support.site import Site
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long

Place = tuple[float, float]
PICTURE = "() => document.querySelector('#picture').getBoundingClientRect().width"


@pytest.fixture
async def viewer(persons_browser: Browser) -> AsyncIterator[Page]:
    """A telephone in the person's hand."""
    context = await persons_browser.new_context(
        viewport={"width": 412, "height": 915}, has_touch=True, is_mobile=True
    )
    yield await context.new_page()
    await context.close()


class Fingers:
    """The person's fingers on the glass of their telephone."""

    def __init__(self, session: CDPSession) -> None:
        self._session = session

    async def _send(self, kind: str, *places: Place) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(places)]
        await self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    async def put(self, *places: Place) -> None:
        """Puts one more finger down; all that are there are named."""
        await self._send("touchStart", *places)

    async def move(self, *ways: tuple[Place, Place], steps: int = 8) -> None:
        """Moves each finger from one place to another."""
        for step in range(1, steps + 1):
            part = step / steps
            places = [(a[0] + (b[0] - a[0]) * part, a[1] + (b[1] - a[1]) * part) for a, b in ways]
            await self._send("touchMove", *places)

    async def lift(self) -> None:
        await self._send("touchEnd")

    async def tap(self, place: Place) -> None:
        await self.put(place)
        await self.lift()


async def fingers_on(page: Page) -> Fingers:
    return Fingers(await page.context.new_cdp_session(page))


def beside(place: Place, right: float, down: float) -> Place:
    return place[0] + right, place[1] + down


async def test_one_finger_is_the_mouse_of_a_page_that_takes_no_touches(handed: Handed) -> None:
    fingers = await fingers_on(handed.viewer)
    await fingers.tap(await handed.at("field"))
    await handed.until(lambda: handed.received("click", "field"), "a tap")
    assert handed.received("click", "field") == [["click", "field", 1]]
    # A tap calls the telephone's keyboard.
    assert await handed.viewer.evaluate("() => document.activeElement.id") == "keys"
    await handed.viewer.keyboard.insert_text("by finger")
    await handed.value("field", "by finger")
    box = await handed.at("box")
    await fingers.put(box)
    await fingers.move((box, beside(box, 60, 30)))
    await fingers.lift()
    await handed.until(lambda: handed.received("dragged"), "a drag")
    _, right, down = handed.received("dragged")[0]
    scale = handed.notes()["size"][0] / float(await handed.viewer.evaluate(PICTURE))
    assert abs(right - 60 * scale) < 10
    assert abs(down - 30 * scale) < 10


async def test_a_finger_that_stays_holds_the_button(handed: Handed) -> None:
    fingers = await fingers_on(handed.viewer)
    await fingers.put(await handed.at("colour"))
    await handed.until(lambda: handed.received("pressed"), "a press")
    await handed.viewer.wait_for_timeout(600)
    assert not handed.received("released")
    await fingers.lift()
    await handed.until(lambda: handed.received("released"), "the end of the press")


async def test_two_fingers_scroll_the_page_and_press_nothing(handed: Handed) -> None:
    fingers = await fingers_on(handed.viewer)
    one = await handed.at("long")
    two = beside(one, 20, 0)
    await fingers.put(one)
    await fingers.put(one, two)
    await fingers.move((one, beside(one, 0, -60)), (two, beside(two, 0, -60)))
    await fingers.lift()
    await handed.until(lambda: [entry for entry in handed.received("scroll") if entry[1] > 100], "scrolling")
    assert not handed.received("click")
    await fingers.tap(await handed.at("word"))
    await handed.until(lambda: handed.received("click"), "a tap")
    assert handed.received("click") == [["click", "word", 1]]


async def test_two_fingers_enlarge_the_picture_and_taps_still_meet(handed: Handed) -> None:
    viewer, fingers = handed.viewer, await fingers_on(handed.viewer)
    before = float(await viewer.evaluate(PICTURE))
    one = await handed.at("field")
    two = beside(one, 30, 0)
    await fingers.put(one)
    await fingers.put(one, two)
    await fingers.move((one, beside(one, -30, 0)), (two, beside(two, 30, 0)))
    await fingers.lift()
    await viewer.wait_for_function(f"() => ({PICTURE})() > {before * 2}")
    assert float(await viewer.evaluate("() => document.documentElement.scrollWidth")) <= 412
    assert not handed.received("scroll")
    await fingers.tap(await handed.at("field"))
    await handed.until(lambda: handed.received("click"), "a tap")
    assert handed.received("click") == [["click", "field", 1]]
    # Moved with two fingers, what lay beside comes into view.
    colour = await handed.at("colour")
    assert colour[0] > 412
    one = await handed.at("field")
    two = beside(one, 0, 30)
    far = 412 - 60 - colour[0]
    await fingers.put(one)
    await fingers.put(one, two)
    await fingers.move((one, beside(one, far, 0)), (two, beside(two, far, 0)))
    await fingers.lift()
    await fingers.tap(await handed.at("colour"))
    await handed.until(lambda: handed.received("pressed"), "a tap beside")


@pytest.fixture
async def phone(
    new_wire: Callable[..., Wire], viewer: Page, site: Site, request: pytest.FixtureRequest
) -> Handed:
    """A page for telephones, handed over to a person with one."""
    wire = new_wire("--headless", "--device", "Pixel 7")
    wire.shake_hands(elicitation={"form": {}, "url": {}})
    name = request.node.name
    wire.call("browser_navigate", url=f"{site.page('fingers')}?name={name}")
    call = wire.start_call("browser_ask_person", reason="Please touch this page")
    answer = invited(question_of(wire))
    invitation = Invitation(answer.link, answer.code, call)
    await come_in(viewer, invitation)
    handed = Handed(viewer, site, name, wire, invitation)
    await handed.until(handed.notes, "notes")
    await viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
    return handed


async def test_a_page_that_takes_touches_is_given_them(phone: Handed) -> None:
    fingers = await fingers_on(phone.viewer)
    await fingers.tap(await phone.at("button"))
    await phone.until(lambda: phone.received("click", "button"), "a tap")
    assert phone.received("touchstart") == [["touchstart", "button", TRUSTED, 1]]
    assert phone.received("touchend") == [["touchend", "button", TRUSTED, 0]]
    assert phone.received("click") == [["click", "button", TRUSTED, ""]]
    await fingers.put(await phone.at("box"))
    await phone.until(lambda: phone.received("touchstart", "box", TRUSTED, 1), "a long press")
    await phone.viewer.wait_for_timeout(600)
    assert len(phone.received("touchend")) == 1
    await fingers.lift()
    await phone.until(lambda: len(phone.received("touchend")) == 2, "its end")
    box = await phone.at("box")
    await fingers.put(box)
    await fingers.move((box, beside(box, 0, -120)))
    await fingers.lift()
    await phone.until(lambda: [entry for entry in phone.received("scroll") if entry[1] > 50], "scrolling")


async def test_a_page_that_takes_touches_is_given_two_fingers(phone: Handed) -> None:
    fingers = await fingers_on(phone.viewer)
    one = beside(await phone.at("box"), -20, 0)
    two = beside(one, 40, 0)
    await fingers.put(one)
    await fingers.put(one, two)
    await phone.until(lambda: phone.received("touchstart", "box", TRUSTED, 2), "two fingers")
    await fingers.move((one, beside(one, -60, 0)), (two, beside(two, 60, 0)))
    await fingers.lift()
    await phone.until(lambda: [entry for entry in phone.received("scale") if entry[1] > 1.3], "a larger page")


async def test_a_list_that_a_tap_opens_is_chosen_from(phone: Handed) -> None:
    fingers = await fingers_on(phone.viewer)
    await fingers.tap(await phone.at("list"))
    options = phone.viewer.locator("#options option")
    await options.nth(2).wait_for(state="attached")
    await phone.viewer.locator("#options").select_option("Blue")
    await phone.viewer.locator("#choice button").click()
    await phone.until(lambda: phone.received("change", "list"), "a change")
    assert phone.received("change", "list") == [["change", "list", TRUSTED, "Blue"]]
