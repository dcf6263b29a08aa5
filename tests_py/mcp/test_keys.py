"""Keys and buttons: in a row, repeated, held, and only down or up; typing where the focus is."""

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

EAR = """<input id=field><canvas width=300 height=200></canvas><output></output><script>
const told = [];
addEventListener("keydown", (e) => told.push(`+${e.key}`));
addEventListener("keyup", (e) => told.push(`-${e.key}`));
const canvas = document.querySelector("canvas");
for (const kind of ["mousedown", "mousemove", "mouseup"]) {
  canvas.addEventListener(kind, (e) => told.push(`${kind} ${e.offsetX},${e.offsetY} ${e.buttons}`));
}
</script>"""


async def received(workshop: Workshop) -> str:
    return await workshop.server.evaluate("() => told.splice(0).join(' ')")


async def test_several_keys_in_one_call_and_again(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/ear", EAR))
    answer = await workshop.do("browser_press_key", keys=["a", "Enter"], times=2)
    assert "Pressed keys a, Enter 2 times" in answer.section("Result")
    assert await received(workshop) == "+a -a +Enter -Enter +a -a +Enter -Enter"


async def test_a_key_is_held_for_the_calls_that_follow(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/ear", EAR))
    await workshop.do("browser_press_key", key="Shift", action="down")
    await workshop.do("browser_press_key", key="a")
    await workshop.do("browser_press_key", key="Shift", action="up")
    assert await received(workshop) == "+Shift +A -A -Shift"


async def test_a_key_is_held_so_long(workshop: Workshop, site: Site) -> None:
    ear = "onkeydown = (e) => { down = e.timeStamp }; onkeyup = (e) => { held = e.timeStamp - down }"
    await workshop.open(site.publish("/held", f"<script>let down, held; {ear}</script>"))
    await workshop.do("browser_press_key", key="x", hold=300)
    assert float(await workshop.server.evaluate("() => held")) >= 290


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({}, "Give one of `key` and `keys`"),
        ({"key": "a", "keys": ["b"]}, "Give one of `key` and `keys`"),
        ({"key": "a", "times": 0}, "`times` must be at least 1"),
        ({"key": "a", "times": 101}, "`times` must be at most 100"),
        ({"key": "a", "hold": -1}, "`hold` must be at least 1 ms"),
        ({"key": "a", "hold": 5, "action": "down"}, "go with the action press only"),
        ({"keys": ["a", "Nonsense"]}, 'There is no key named "Nonsense"'),
    ],
)
async def test_nonsense_is_refused_by_name(
    workshop: Workshop, site: Site, arguments: dict[str, object], problem: str
) -> None:
    await workshop.open(site.publish("/ear", EAR))
    assert problem in await workshop.refused("browser_press_key", **arguments)
    assert not await received(workshop)


async def test_text_is_typed_where_the_focus_is(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/ear", EAR))
    answer = await workshop.do("browser_type", text="Hi")
    assert "Pressed the keys of 2 characters. No element has the focus" in answer.section("Result")
    assert await received(workshop) == "+Shift +H -H -Shift +i -i"
    await workshop.do("browser_click", ref="#field")
    answer = await workshop.do("browser_type", text=" there", submit=True)
    assert "Typed 6 characters where the focus is, and Enter" in answer.section("Result")
    assert await workshop.server.evaluate("() => `[${field.value}]`") == "[ there]"
    answer = await workshop.do("browser_type", text="!")
    assert 'which shows " there!"' in answer.section("Result")


async def test_a_line_is_drawn_by_hand(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/ear", EAR))
    await workshop.do("browser_hover", action="down", ref="canvas", position="10,20")
    await workshop.do("browser_hover", ref="canvas", position="100,50")
    await workshop.do("browser_hover", action="up")
    drawn = await received(workshop)
    assert "mousedown 10,20 1" in drawn
    assert "mousemove 100,50 1" in drawn
    assert "mouseup 100,50 0" in drawn


async def test_the_pointer_goes_nowhere_outside(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/ear", EAR))
    assert "must be less than" in await workshop.refused("browser_hover", position="9000,10")
    assert "is missing" in await workshop.refused("browser_hover")
    assert "two numbers" in await workshop.refused("browser_hover", action="down", position="NaN,1")
