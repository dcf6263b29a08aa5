"""What the library does to get somewhere changes nothing that the page holds."""

from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from patchright_mcp.async_api import Page

pytestmark = pytest.mark.long

STYLE = "<style>body { margin: 0; font: 16px sans-serif } main > * { display: block; margin: 20px }</style>"
FIELDS = {
    "number": "<input id=field type=number value=90>",
    "range": "<input id=field type=range max=200 value=90>",
    "date": "<input id=field type=date value=2024-03-07>",
    "datetime-local": "<input id=field type=datetime-local value=2024-03-07T14:30>",
    "time": "<input id=field type=time value=14:30>",
    "month": "<input id=field type=month value=2024-03>",
    "week": "<input id=field type=week value=2024-W10>",
    "text": "<input id=field value=90>",
    "select": "<select id=field><option>1<option selected>2<option>3</select>",
    "listbox": "<select id=field size=2><option>1<option selected>2<option>3<option>4</select>",
    "textarea": "<textarea id=field rows=3>90\n91\n92\n93\n94\n95</textarea>",
    "editable": "<div id=field contenteditable>90</div>",
    "spinbutton": "<div id=field role=spinbutton tabindex=0>90</div>",
    "stepper": "<div id=field tabindex=0 class=own>90</div>",
}
# Steps whatever the wheel is turned over: a field of a page's own, and a number field that has no focus.
OWN = """<script>
const step = (event) => {
  if (field.matches('[role=spinbutton], .own')) field.textContent -= Math.sign(event.deltaY);
};
field.addEventListener('wheel', step, { passive: PASSIVE });
</script>"""
VALUE = "() => JSON.stringify([field.value ?? field.textContent, field.scrollTop])"


def form(field: str, *, above: int = 0, passive: bool = True) -> str:
    """A field, a button below the fold and one above it."""
    fold = "<div style='height: 3000px'>Far</div>"
    own = OWN.replace("PASSIVE", str(passive).lower())
    return (
        f"{STYLE}<main><button id=top>Top</button><div style='height: {above}px'></div>{field}{fold}"
        f"<button id=save>Save</button><div id=end>End</div></main>{own}"
    )


async def rest_over_the_field(page: Page) -> None:
    """Gives the field the focus, with the pointer over it."""
    await page.locator("#field").hover()
    await page.evaluate("() => field.focus()")


WAYS: dict[str, Callable[[Page], Coroutine[Any, Any, object]]] = {
    "click": lambda page: page.click("#save"),
    "hover": lambda page: page.hover("#save"),
    "scroll": lambda page: page.locator("#end").scroll_into_view_if_needed(),
    "drag": lambda page: page.drag_and_drop("#end", "#save"),
}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", FIELDS)
async def test_getting_to_an_element_changes_no_field(page: Page, kind: str, way: str) -> None:
    await page.set_content(form(FIELDS[kind]))
    await rest_over_the_field(page)
    before = await page.evaluate(VALUE)
    await WAYS[way](page)
    assert await page.evaluate("() => scrollY") > 0
    assert await page.evaluate(VALUE) == before
    await page.click("#top")
    assert await page.evaluate(VALUE) == before


@pytest.mark.parametrize("kind", ["number", "spinbutton", "stepper"])
async def test_a_field_that_is_scrolled_below_the_pointer_is_not_changed(page: Page, kind: str) -> None:
    await page.set_content(form(FIELDS[kind], above=900))
    await page.evaluate("() => field.focus({ preventScroll: true })")
    before = await page.evaluate(VALUE)
    box = await page.locator("#field").bounding_box()
    assert box is not None
    await page.mouse.move(box["x"] + 20, 300)
    await page.click("#save")
    assert await page.evaluate(VALUE) == before
    await page.click("#top")
    assert await page.evaluate(VALUE) == before


async def test_a_wheel_that_is_asked_for_is_turned(page: Page) -> None:
    await page.set_content(form(FIELDS["number"]))
    await rest_over_the_field(page)
    await page.mouse.wheel(0, 100)
    assert await page.input_value("#field") != "90"
