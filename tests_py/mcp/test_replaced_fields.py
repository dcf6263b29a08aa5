"""Fields that a library keeps out of sight, to hold what is chosen in what it draws in their place."""

import pytest

from tests_py.support.client import REF
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

OUT_OF_SIGHT = {
    "transparent": "opacity:0;position:absolute",
    "shrunk": "position:absolute;transform:scale(0)",
    "away": "position:absolute;left:-9999px",
    "clipped": "position:absolute;width:1px;height:1px;clip:rect(0 0 0 0)",
}
LIST = """<label for=size>Size</label>
<div role=combobox id=drawn tabindex=0 aria-expanded=false aria-controls=list style="width:200px;height:20px">
<select id=size tabindex=-1 style="{style}"><option>Small<option>Medium<option>Large</select>
<div role=listbox><div role=option aria-selected=true id=shown>Small</div></div></div>
<div id=list role=listbox hidden>
<div role=option>Small</div><div role=option>Medium</div><div role=option>Large</div></div>
<script>
drawn.onclick = () => {{ list.hidden = !list.hidden; }};
list.onclick = (event) => {{
  shown.textContent = size.value = event.target.textContent;
  list.hidden = true;
}};
</script>"""


@pytest.mark.parametrize("style", OUT_OF_SIGHT.values(), ids=list(OUT_OF_SIGHT))
async def test_what_is_drawn_for_a_field_has_its_name_and_is_reported_alone(
    workshop: Workshop, site: Site, style: str
) -> None:
    page = await workshop.open(site.publish("/kept/list", document("Kept", LIST.format(style=style))))
    shown = page.section("Snapshot")
    assert shown.count("- combobox") == 1
    assert 'combobox "Size"' in shown


async def test_who_chooses_in_the_kept_list_by_a_selector_chooses_in_the_drawn_one(
    workshop: Workshop, site: Site
) -> None:
    body = LIST.format(style=OUT_OF_SIGHT["transparent"])
    await workshop.open(site.publish("/kept/chosen", document("Kept", body)))
    answer = await workshop.do("browser_select_option", ref="#size", values=["Large"])
    assert await workshop.server.evaluate("() => shown.textContent + size.value") == "LargeLarge"
    assert 'combobox "Size"' in answer.section("Result")


BESIDE = "".join(
    f"<label for={name}>{label}</label> "
    "<div><span contenteditable role=textbox tabindex=0 style='display:block'>&#8203;</span></div>"
    f'<input id={name} tabindex=-1 style="position:absolute;left:-9999px">'
    for name, label in (("one", "Skills"), ("two", "Users"))
)


async def test_each_of_several_kept_fields_stands_for_what_is_drawn_beside_it(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/kept/beside", document("Beside", BESIDE)))
    for name, field in (("Skills", "#one"), ("Users", "#two")):
        answer = await workshop.do("browser_type", ref=field, text=name.lower())
        assert f'textbox "{name}"' in answer.section("Result")
    drawn = "() => [...document.querySelectorAll('span')].map((span) => span.innerText.trim()).join()"
    assert await workshop.server.evaluate(drawn) == "skills,users"


HIDDEN = BESIDE.replace("tabindex=-1 style=", "hidden tabindex=-1 style=")


async def test_a_field_that_is_hidden_is_refused_with_what_is_shown_in_its_place(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/kept/hidden", document("Hidden", HIDDEN)))
    refused = await workshop.refused("browser_type", ref="#two", text="Ada")
    drawn = [REF.findall(line)[0] for line in page.text.splitlines() if "- textbox" in line]
    assert f"[ref={drawn[-1]}]" in refused
    filled = await workshop.refused(
        "browser_fill_form", fields=[{"name": "Skills", "ref": "#one", "value": "rust"}]
    )
    assert f"[ref={drawn[1]}]" in filled


ALONE = """<label for=one>One</label><input id=one hidden name=one>
<label for=two>Two</label><input id=two name=two>"""


async def test_another_field_of_the_form_stands_for_no_hidden_one(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/kept/alone", document("Alone", ALONE)))
    refused = await workshop.refused("browser_type", ref="#one", text="Ada")
    assert "ref=" not in refused
