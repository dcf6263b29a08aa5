"""Fields: typing, choosing, filling, and keys."""

import json

import pytest

from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop


async def held(workshop: Workshop, field: str) -> str:
    """What a field holds."""
    return await workshop.server.evaluate(f"() => document.getElementById('{field}').value")


async def received(workshop: Workshop) -> set[str]:
    """What the page heard of its fields."""
    return set((await workshop.server.evaluate("() => heard.join('\\n')")).splitlines())


@pytest.mark.parametrize(
    ("name", "field", "text"),
    [
        ("Number", "number", "12.5"),
        ("Date", "date", "2024-03-07"),
        ("Time", "time", "14:30"),
        ("Volume", "volume", "75"),
    ],
)
async def test_each_kind_of_field_is_typed_into_as_by_a_person(
    workshop: Workshop, site: Site, name: str, field: str, text: str
) -> None:
    page = await workshop.open(site.page("fields"))
    await workshop.do("browser_type", ref=page.ref(f'"{name}"'), text=text)
    assert await held(workshop, field) == text
    assert f"{field} input trusted=true" in await received(workshop)


async def test_a_colour_is_set_and_the_page_hears_of_it(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("fields"))
    await workshop.do("browser_type", ref=page.ref('"Colour"'), text="#ff8800")
    assert "#ff8800" in await held(workshop, "colour")
    assert {line.split(" trusted")[0] for line in await received(workshop)} == {
        "colour input",
        "colour change",
    }


async def test_rich_text_is_replaced_by_what_is_typed(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("fields"))
    await workshop.do("browser_type", ref=page.ref('"Rich text"'), text="new")
    shown = await workshop.server.evaluate("() => document.getElementById('rich').innerText")
    assert shown.strip() == "new"
    assert "rich input trusted=true" in await received(workshop)


async def test_a_value_that_the_field_does_not_take_is_refused_with_an_example(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("fields"))
    said = await workshop.refused("browser_type", ref=page.ref('"Date"'), text="yesterday")
    assert "a date such as 2024-03-07" in said


@pytest.mark.parametrize("choice", ["b", "Banana"])
async def test_an_option_is_chosen_by_value_or_by_label(workshop: Workshop, site: Site, choice: str) -> None:
    page = await workshop.open(site.page("fields"))
    after = await workshop.do("browser_select_option", ref=page.ref('"Fruit"'), values=[choice])
    assert await held(workshop, "fruit") == "b"
    assert 'Selected ["Banana"] in combobox "Fruit"' in after.section("Result")


async def test_a_label_is_meant_before_a_value_that_nobody_sees(workshop: Workshop, site: Site) -> None:
    guests = "".join(f"<option value={number}>{number + 1}</option>" for number in range(4))
    towns = '<option value=fr>Paris<option value=us>Paris<option value="Rome">Milan<option value=it>Rome'
    body = f"<select id=guests aria-label=Guests>{guests}</select><select id=town aria-label=Town>{towns}"
    page = await workshop.open(site.publish("/options", document("Options", body)))
    number, town = page.ref('"Guests"'), page.ref('"Town"')
    await workshop.do("browser_select_option", ref=number, values=["2"])
    assert await held(workshop, "guests") == "1"
    await workshop.do("browser_select_option", ref=number, values=["0"])
    assert await held(workshop, "guests") == "0"
    await workshop.do("browser_fill_form", fields=[{"name": "Guests", "ref": number, "value": "3"}])
    assert await held(workshop, "guests") == "2"
    step = {"tool": "browser_select_option", "arguments": {"ref": number, "values": ["4"]}}
    await workshop.do("browser_steps", steps=[step])
    assert await held(workshop, "guests") == "3"
    await workshop.do("browser_select_option", ref=town, values=["Rome"])
    assert await held(workshop, "town") == "it"
    answer = await workshop.refused("browser_select_option", ref=town, values=["Paris"])
    assert '"Paris (value fr)", "Paris (value us)"' in answer
    await workshop.do("browser_select_option", ref=town, values=["us"])
    assert await held(workshop, "town") == "us"


async def test_several_options_are_chosen_where_there_can_be_several(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("fields"))
    await workshop.do("browser_select_option", ref=page.ref('"Tags"'), values=["Red", "Blue"])
    chosen = await workshop.server.evaluate(
        "() => [...document.getElementById('tags').selectedOptions].map((option) => option.text).join()"
    )
    assert chosen == "Red,Blue"


@pytest.mark.long
async def test_a_choice_that_cannot_be_is_refused_with_what_can(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("fields"))
    fruit = page.ref('"Fruit"')
    assert '"Apple", "Banana"' in await workshop.refused("browser_select_option", ref=fruit, values=["Mango"])
    several = await workshop.refused("browser_select_option", ref=fruit, values=["Apple", "Banana"])
    assert "for one option" in several
    button = await workshop.refused("browser_select_option", ref=page.ref('button "Send"'), values=["Apple"])
    assert "a button" in button
    assert "Click to open the list" in button


async def test_the_words_of_a_label_stand_for_its_field(workshop: Workshop, site: Site) -> None:
    labels = (
        "<label><input type=checkbox><span>Olives</span></label><label><b>Name</b> <input id=name></label>"
    )
    await workshop.open(site.publish("/labels", document("Labels", labels)))
    values = {"text=Olives": "true", "text=Name": "Ada"}
    fields = [{"name": name, "ref": name, "value": value} for name, value in values.items()]
    reply = await workshop.do("browser_fill_form", fields=fields)
    assert 'checkbox "Olives" [checked]' in reply.section("Snapshot")
    assert await held(workshop, "name") == "Ada"


async def test_a_form_is_filled_in_one_call_in_the_order_given(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("fields"))
    fields = [
        ("Name", "textbox", "Ada"),
        ("Nickname", "textbox", "Countess"),  # Cannot be written into before there is a name.
        ("Volume", "slider", "30"),
        ("Fruit", "combobox", "Banana"),
        ("News", "checkbox", "true"),
        ("Large", "radio", "true"),
    ]
    await workshop.do(
        "browser_fill_form",
        fields=[
            {"name": name, "element": name, "type": kind, "ref": page.ref(f'"{name}"'), "value": value}
            for name, kind, value in fields
        ],
    )
    assert await held(workshop, "name") == "Ada"
    assert await held(workshop, "nickname") == "Countess"
    assert await held(workshop, "volume") == "30"
    assert await held(workshop, "fruit") == "b"
    checked = "() => ['news', 'small', 'large'].map((id) => document.getElementById(id).checked).join()"
    assert await workshop.server.evaluate(checked) == "true,false,true"


async def test_all_mistakes_in_a_form_are_reported_by_name_and_nothing_is_filled(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("fields"))
    fields = [
        ("First name", "textbox", page.ref('"Name"'), "Ada"),
        ("Loudness", "slider", page.ref('"Volume"'), "loud"),
        ("Newsletter", "checkbox", page.ref('"News"'), "perhaps"),
        ("The button", "textbox", page.ref('button "Send"'), "x"),
        ("What is not there", "textbox", "e99999", "x"),
    ]
    said = await workshop.refused(
        "browser_fill_form",
        fields=[
            {"name": name, "type": kind, "ref": ref, "value": value} for name, kind, ref, value in fields
        ],
    )
    for name in ("Loudness", "Newsletter", "The button", "What is not there"):
        assert f"- {name}: " in said
    assert "Nothing was filled" in said
    assert await held(workshop, "name") == ""


async def test_enter_in_a_field_submits_its_form(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("fields"))
    await workshop.do("browser_click", ref=page.ref('"Name"'))
    after = await workshop.do("browser_press_key", key="Enter")
    assert "Sent" in after.section("Snapshot")
    assert "Pressed key 'Enter'" in after.section("Result")


async def test_chords_select_and_replace(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("fields"))
    await workshop.do("browser_type", ref=page.ref('"Name"'), text="Ada")
    for key in ("Shift+ArrowLeft", "x", "Control+a", "Shift+b"):
        await workshop.do("browser_press_key", key=key)
        if key == "x":
            assert await held(workshop, "name") == "Adx"
    assert await held(workshop, "name") == "B"


async def test_a_key_that_does_not_exist_is_refused_with_how_keys_are_named(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.page("fields"))
    assert "KeyboardEvent.key" in await workshop.refused("browser_press_key", key="Contrl+a")


OVERWRITTEN = """<input aria-label=Title id=title><script>
title.addEventListener("beforeinput", () => { title.value = "door"; }, { once: true });
</script>"""


async def test_a_field_that_the_page_writes_into_meanwhile_is_filled_once_more(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/form/overwritten", document("Overwritten", OVERWRITTEN)))
    fields = [{"name": "Title", "ref": page.ref('textbox "Title"'), "value": "A blue door"}]
    await workshop.do("browser_fill_form", fields=fields)
    assert await workshop.server.evaluate("() => title.value") == "A blue door"


SUGGESTING = """<label>From <input id=from></label><ul id=list hidden></ul><script>
const towns = ["Kapalua, HI (JHM)", "Princeton, WV (BLF)", "Princeton, NJ (PCT)"];
const field = document.getElementById("from");
let presses = 0;
field.oninput = () => setTimeout(() => {
  const fitting = towns.filter((town) => town.toLowerCase().includes(field.value.toLowerCase()));
  list.hidden = !fitting.length;
  list.replaceChildren(...fitting.map((town) => {
    const item = Object.assign(document.createElement("li"), { textContent: town });
    item.onmousedown = () => { field.value = town; list.hidden = true; presses += 1; };
    return item;
  }));
}, 200);
</script>"""


@pytest.mark.parametrize(
    ("given", "shown", "presses"),
    [
        ("Kapalua", "Kapalua, HI (JHM)", 1),
        ("princeton, nj (pct)", "Princeton, NJ (PCT)", 1),
        ("Princeton", "Princeton", 0),
        ("Elsewhere", "Elsewhere", 0),
    ],
)
async def test_a_suggestion_is_chosen_once_if_only_one_is_meant(
    workshop: Workshop, site: Site, given: str, shown: str, presses: int
) -> None:
    await workshop.open(site.publish("/towns", document("Towns", SUGGESTING)))
    field = {"name": "From", "type": "combobox", "ref": "#from", "value": given}
    await workshop.do("browser_fill_form", fields=[field])
    found = await workshop.server.evaluate("() => [document.getElementById('from').value, presses]")
    assert json.loads(found) == [shown, presses]
