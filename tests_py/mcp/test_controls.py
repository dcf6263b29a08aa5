"""Controls that pages draw themselves, and what is said of a field after it was given something."""

import json
from pathlib import Path

import pytest

from tests_py.support.client import Reply
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long


async def state(workshop: Workshop) -> dict[str, str]:
    """What the page itself took."""
    held: dict[str, str] = json.loads(await workshop.server.evaluate("() => state"))
    return held


async def attribute(workshop: Workshop, field: str, name: str) -> str:
    """A property of an element, as text."""
    held = await workshop.server.evaluate(f"() => String(document.getElementById('{field}').{name})")
    return held.strip('"')


async def fill(workshop: Workshop, page: Reply, *fields: tuple[str, str | list[str]]) -> Reply:
    """Fills a form, whether or not that works."""
    given = [
        {"name": name, "ref": page.ref(f'"{name}"'), "values" if isinstance(value, list) else "value": value}
        for name, value in fields
    ]
    return await workshop.server.call("browser_fill_form", fields=given)


@pytest.mark.parametrize("wanted", ["Large", "large", "Medium", "Extra"])
async def test_a_field_with_a_list_holds_what_was_chosen_from_it(
    workshop: Workshop, site: Site, wanted: str
) -> None:
    page = await workshop.open(site.page("custom-controls"))
    filled = await fill(workshop, page, ("Size", wanted))
    assert not filled.is_error, filled.text
    chosen = {"large": "Large", "Extra": "Extra large"}.get(wanted, wanted)
    assert (await state(workshop))["size"] == chosen
    assert f'"{chosen}"' in filled.section("Result")


@pytest.mark.parametrize(
    ("field", "wanted", "kept"),
    [
        ("Size", "Large", "size"),
        ("Fruit", "Banana", "fruit"),
        ("Row", "Row 333", "row"),
        ("Plain", "South", "plain"),
    ],
)
async def test_an_option_is_chosen_from_every_kind_of_list(
    workshop: Workshop, site: Site, field: str, wanted: str, kept: str
) -> None:
    page = await workshop.open(site.page("custom-controls"))
    await workshop.do("browser_select_option", ref=page.ref(f'"{field}"'), values=[wanted])
    assert (await state(workshop))[kept] == wanted


async def test_a_long_list_below_the_viewport_is_scrolled_to_and_searched(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(f"{site.page('custom-controls')}?below")
    await workshop.do("browser_select_option", ref=page.ref('"Row"'), values=["Row 333"])
    assert (await state(workshop))["row"] == "Row 333"


async def test_a_long_list_that_does_not_scroll_is_given_up_with_what_it_offers(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(f"{site.page('custom-controls')}?stuck")
    said = await workshop.refused("browser_select_option", ref=page.ref('"Row"'), values=["Row 333"])
    assert "Row 0" in said


async def test_several_are_chosen_and_no_others(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("custom-controls"))
    filled = await fill(workshop, page, ("Tags", ["Red", "Blue"]))
    assert not filled.is_error, filled.text
    assert (await state(workshop))["tags"] == "Red,Blue"
    assert await attribute(workshop, "tag-list", "hidden") == "true"


@pytest.mark.parametrize("field", ["Size", "Fruit"])
async def test_what_is_not_offered_is_refused_with_what_is(
    workshop: Workshop, site: Site, field: str
) -> None:
    page = await workshop.open(site.page("custom-controls"))
    said = await workshop.refused("browser_select_option", ref=page.ref(f'"{field}"'), values=["Mango"])
    assert '"Small", "Medium"' in said or '"Apple", "Banana", "Cherry"' in said
    assert field.lower() not in await state(workshop)


async def test_what_could_be_several_is_not_guessed(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("custom-controls"))
    said = await workshop.refused("browser_select_option", ref=page.ref('"Size"'), values=["arge"])
    assert '"Large", "Extra large"' in said


async def test_boxes_are_pressed_where_they_are_drawn(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("custom-controls"))
    filled = await fill(
        workshop, page, ("Terms", "true"), ("Alerts", "true"), ("Dark", "true"), ("Fast", "true")
    )
    assert not filled.is_error, filled.text
    assert await attribute(workshop, "terms", "checked") == "true"
    assert await attribute(workshop, "alerts", "checked") == "true"
    assert await attribute(workshop, "dark", "ariaChecked") == "true"
    assert "- checked: Terms, Alerts, Dark, Fast" in filled.section("Result")


async def test_a_group_takes_the_names_of_its_buttons(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("custom-controls"))
    page = await workshop.do("browser_snapshot", allRefs=True)
    filled = await fill(workshop, page, ("Speed", "Fast"))
    assert '- Speed: "Fast"' in filled.section("Result")


async def test_a_box_under_its_paint_is_clicked(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("custom-controls"))
    await workshop.do("browser_click", ref=page.ref('"Alerts"'))
    assert await attribute(workshop, "alerts", "checked") == "true"


async def test_sliders_go_to_the_value_or_as_near_as_they_can(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("custom-controls"))
    filled = await fill(workshop, page, ("Volume", "732"))
    assert not filled.is_error, filled.text
    assert await attribute(workshop, "volume", "ariaValueNow") == "730"
    assert 'shows "730" (given "732")' in filled.section("Result")
    said = await fill(workshop, page, ("Volume", "2000"))
    assert "a slider from 0 to 1000" in said.section("Error")


async def test_a_slider_that_shows_its_number_beside_it_is_moved(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("custom-controls"))
    field = {"name": "Heat", "type": "slider", "ref": page.ref('"Heat"'), "value": "17"}
    filled = await workshop.do("browser_fill_form", fields=[field])
    assert await attribute(workshop, "degrees", "textContent") == "17"
    assert '"17"' in filled.section("Result")


THUMBS = """<style>.track { position: relative; width: 200px; height: 10px; margin: 20px; }
.thumb { position: absolute; width: 12px; height: 12px; background: navy; }
#clock { position: absolute; top: 20px; left: 60px; }</style>
<div id=clock>0</div>
<div><div class=track><span class=thumb tabindex=0 aria-label=First></span></div><p>12</p></div>
<div><div class=track><span class=thumb tabindex=0 aria-label=Second></span></div><p>5</p></div><script>
setInterval(() => { clock.textContent++; }, 10);
document.querySelectorAll(".thumb").forEach((thumb) => thumb.addEventListener("keydown", ({ key }) => {
  const shown = thumb.parentNode.nextElementSibling;
  const by = { ArrowLeft: -1, ArrowRight: 1 }[key] ?? 0;
  shown.textContent = Math.min(20, Math.max(0, Number(shown.textContent) + by));
}));
</script>"""


async def test_a_slider_is_set_while_a_clock_ticks_beside_it(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/controls/thumbs", document("Thumbs", THUMBS)))
    given = {"First": "2", "Second": "15"}
    fields = [
        {"name": name, "type": "slider", "ref": page.ref(f'"{name}"'), "value": value}
        for name, value in given.items()
    ]
    filled = await workshop.do("browser_fill_form", fields=fields)
    shown = "() => Array.from(document.querySelectorAll('p'), (place) => place.textContent).join()"
    assert await workshop.server.evaluate(shown) == "2,15", filled.text


async def test_a_slider_that_stops_short_is_not_reported_as_set(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/controls/thumbs", document("Thumbs", THUMBS)))
    field = {"name": "First", "type": "slider", "ref": page.ref('"First"'), "value": "40"}
    assert "20" in await workshop.refused("browser_fill_form", fields=[field])


async def test_what_the_page_made_of_a_value_is_reported(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("custom-controls"))
    filled = await fill(workshop, page, ("Amount", "1234"), ("Seats", "12"), ("Name", "Ada"))
    reported = filled.section("Result")
    assert '- Amount: shows "1,234" (given "1234")' in reported
    assert '- Seats: shows "10" (given "12")' in reported
    assert '- Name: "Ada"' in reported
    typed = await workshop.do("browser_type", ref=page.ref('"Amount"'), text="98765")
    assert 'which shows "98,765"' in typed.section("Result")


async def test_a_field_that_stays_empty_is_an_error(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("custom-controls"))
    said = await workshop.refused("browser_type", ref=page.ref('"Refuses"'), text="something")
    assert "shows nothing" in said


async def test_a_form_goes_on_behind_a_field_that_fails_and_tells_of_all(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("custom-controls"))
    filled = await fill(
        workshop,
        page,
        ("Amount", "5"),
        ("Refuses", "x"),
        ("Fruit", "Mango"),
        ("Name", "Ada"),
        ("Size", "Small"),
    )
    assert filled.is_error
    said = filled.section("Error")
    assert "2 of 5 fields could not be filled" in said
    assert "- Refuses: the page did not take it; it shows nothing" in said
    assert '- Fruit: there is no such option; the options are: "Apple", "Banana", "Cherry"' in said
    assert "arguments" not in said
    for entry in ('- Amount: "5"', '- Name: "Ada"', '- Size: "Small"'):
        assert entry in filled.section("Result")
    assert (await state(workshop))["size"] == "Small"


@pytest.mark.parametrize(
    ("name", "written", "held"),
    [
        ("Hour", "2:30 AM", "02:30"),
        ("Hour", "2:30 pm", "14:30"),
        ("Day", "March 5, 2027", "2027-03-05"),
        ("Day", "5.3.2027", "2027-03-05"),
        ("Meeting", "March 5, 2027 2:30 PM", "2027-03-05T14:30"),
        ("Month", "March 2027", "2027-03"),
        ("Colour", "red", "#ff0000"),
        ("Colour", "#0F8", "#00ff88"),
    ],
)
async def test_dates_times_and_colours_are_taken_as_people_write_them(
    workshop: Workshop, site: Site, name: str, written: str, held: str
) -> None:
    page = await workshop.open(site.page("custom-controls"))
    filled = await fill(workshop, page, (name, written))
    assert not filled.is_error, filled.text
    assert await attribute(workshop, name.lower(), "value") == held
    assert f'shows "{held}" (given "{written}")' in filled.section("Result")


async def test_a_date_that_can_be_read_in_two_ways_is_refused_with_one_that_works(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("custom-controls"))
    said = await workshop.refused("browser_type", ref=page.ref('"Day"'), text="3/5/2027")
    assert "March 5, 2027" in said
    assert "ref" not in said


async def test_a_file_is_given_with_the_rest_of_the_form(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("custom-controls"))
    file = Path(workshop.folder) / "order.txt"
    file.write_text("two", encoding="utf-8")
    fields = [
        {"name": "Name", "ref": page.ref('"Name"'), "value": "Ada"},
        {"name": "File", "type": "file", "ref": page.ref('"Add a file"'), "value": str(file)},
    ]
    filled = await workshop.do("browser_fill_form", fields=fields)
    assert '- File: "order.txt"' in filled.section("Result")


LOCKED = """<label>Colour <select id=colour><option>red<option value=g>green</select></label><script>
colour.onchange = () => { colour.value = "red"; };
</script>"""


async def test_an_option_that_the_page_takes_back_is_not_reported_as_chosen(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/controls/locked", document("Locked", LOCKED)))
    filled = await fill(workshop, page, ("Colour", "g"))
    assert filled.is_error
    assert 'Colour: the page did not take it; it shows "red"' in filled.section("Error")
    chosen = await workshop.refused("browser_select_option", ref=page.ref('"Colour"'), values=["green"])
    assert 'the field shows "red"' in chosen
    filled = await fill(workshop, page, ("Colour", "red"))
    assert not filled.is_error, filled.text


THREE = """<div role=checkbox aria-checked=mixed tabindex=0 onclick="setAttribute('aria-checked',
  ({ mixed: 'false', false: 'true', true: 'mixed' })[getAttribute('aria-checked')])">Rows</div>
<div role=checkbox aria-checked=mixed tabindex=0 onclick="setAttribute('aria-checked', 'false')">Never</div>
<label>Fine <input type=range min=0 max=1 step=0.05></label><label>Size <input type=number></label>"""


async def test_a_box_of_three_states_is_pressed_on_and_reported_of_as_it_is(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/three", THREE))
    rows = {"name": "Rows", "ref": page.ref('"Rows"'), "type": "checkbox", "value": "true"}
    assert "- Rows: checked" in (await workshop.do("browser_fill_form", fields=[rows])).section("Result")
    never = rows | {"name": "Never", "ref": page.ref('"Never"')}
    said = await workshop.refused("browser_fill_form", fields=[never])
    assert "the page made it not checked" in said


async def test_what_a_number_must_be_is_reported(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/three", THREE))
    fine = {"name": "Fine", "ref": page.ref('"Fine"'), "type": "slider", "value": "0.333"}
    said = await workshop.refused("browser_fill_form", fields=[fine])
    assert "a slider from 0 to 1 in steps of 0.05" in said
    size = {"name": "Size", "ref": page.ref('"Size"'), "type": "textbox", "value": "1,5"}
    assert "a number such as 1234.5" in await workshop.refused("browser_fill_form", fields=[size])
