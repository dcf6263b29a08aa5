"""What came with jQuery: its widgets, select2, DataTables."""

import pytest

from tests_py.zoo.conftest import Visit

ui = pytest.mark.library("jQuery UI = jquery-ui")
ORDER = "[...document.querySelectorAll('#tasks li')].map((item) => item.textContent).join()"


@ui
async def test_a_date_is_picked_by_clicking(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.click("textbox", "Departure")
    await page.click("generic", "Next")
    await page.click("link", "17")
    assert await page.value("document.querySelector('#departure').value") == "06/17/2030"


@ui
async def test_a_date_is_typed(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.type("textbox", "Departure", text="03/09/2031")
    assert await page.value("$('#departure').datepicker('getDate').toDateString()") == "Sun Mar 09 2031"


@ui
async def test_a_suggestion_is_chosen(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.type("textbox", "City", text="Li")
    await page.click("listitem", "Lima")
    assert await page.value("document.querySelector('#city').value") == "Lima"


@ui
async def test_a_drawn_select_is_chosen_from(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.choose("combobox", "Olives", values=["Corn"])
    assert await page.value("document.querySelector('#topping').value") == "Corn"


@ui
async def test_a_spinner_counts_up(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.click("spinbutton", "Guests")
    await page.press("ArrowUp", "ArrowUp")
    assert await page.value("$('#guests').spinner('value')") == 4


@ui
async def test_a_slider_is_set(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.click("generic", "ui-slider-handle ui-corner-all")
    await page.press("PageUp", "PageUp", *["ArrowRight"] * 5)
    assert await page.value("$('#volume').slider('value')") == 65


@ui
@pytest.mark.parametrize(
    ("item", "place", "other", "order"),
    [
        ("Alpha", "after", "Gamma", "Beta,Gamma,Alpha,Delta"),
        ("Delta", "before", "Alpha", "Delta,Alpha,Beta,Gamma"),
    ],
)
async def test_a_list_is_sorted_by_dragging(
    visit: Visit, item: str, place: str, other: str, order: str
) -> None:
    page = await visit("jquery-ui")
    await page.drag(("listitem", item), ("listitem", other), place=place)
    assert await page.value(ORDER) == order


@ui
async def test_a_card_is_dragged_into_the_bin(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.drag(("text", "Card"), ("text", "Bin"))
    assert await page.value("heard") == ["binned"]


@ui
async def test_an_accordion_and_tabs_are_opened(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.click("tab", "Second part")
    await page.shows("What the second says")
    await page.click("tab", "Two")
    await page.shows("Text of two")


@ui
async def test_drawn_boxes_are_ticked(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.fill(("checkbox", "News", "true"), ("radio", "Large", "true"))
    assert await page.value(
        "['news', 'small', 'large'].map((id) => document.getElementById(id).checked)"
    ) == [
        True,
        False,
        True,
    ]


@ui
async def test_a_dialog_is_answered(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.click("button", "Delete all")
    await page.shows("It cannot be undone.")
    await page.click("button", "Delete")
    assert await page.value("heard") == ["deleted"]
    assert "It cannot be undone." not in (await page.do("browser_snapshot")).text


@ui
async def test_a_submenu_is_chosen_from(visit: Visit) -> None:
    page = await visit("jquery-ui")
    await page.hover("menuitem", "Save as")
    await page.click("menuitem", "Picture")
    assert await page.value("heard") == ["Picture"]


select2 = pytest.mark.library("select2")


@select2
async def test_an_option_is_searched_and_chosen(visit: Visit) -> None:
    page = await visit("select2")
    await page.click("combobox", "Portugal")
    await page.press("P", "o", "l")
    await page.click("option", "Poland")
    assert await page.value("$('#country').val()") == "Poland"


@select2
async def test_an_option_is_chosen_in_one_call(visit: Visit) -> None:
    page = await visit("select2")
    await page.choose("combobox", "Portugal", values=["Norway"])
    assert await page.value("$('#country').val()") == "Norway"


@select2
async def test_several_tags_are_chosen(visit: Visit) -> None:
    page = await visit("select2")
    for tag in ("red", "blue"):
        await page.click("searchbox", "")
        await page.click("option", tag)
    assert await page.value("$('#tags').val()") == ["red", "blue"]


@select2
async def test_what_the_server_suggests_is_chosen(visit: Visit) -> None:
    page = await visit("select2")
    await page.click("combobox", "Search a boat")
    await page.press("a", "r")
    await page.click("option", "Argo")
    assert await page.value("$('#boat').val()") == "2"


tables = pytest.mark.library("DataTables = datatables.net-dt")
FIRST = "document.querySelector('#people tbody td').textContent"


@tables
async def test_a_table_is_sorted(visit: Visit) -> None:
    page = await visit("datatables")
    await page.click("button", "Age: Activate to sort")
    assert await page.value("document.querySelector('#people tbody').rows[0].cells[1].textContent") == "20"
    await page.click("button", "Age: Activate to invert sorting")
    assert await page.value("document.querySelector('#people tbody').rows[0].cells[1].textContent") == "69"


@tables
async def test_a_table_is_searched(visit: Visit) -> None:
    page = await visit("datatables")
    await page.type("searchbox", "Search:", text="Nora")
    await page.shows("Showing 1 to 1 of 1 entry")
    assert await page.value(FIRST) == "Nora"


@tables
async def test_a_table_is_paged_and_its_page_made_longer(visit: Visit) -> None:
    page = await visit("datatables")
    await page.click("link", "2")
    assert await page.value(FIRST) == "Kai"
    await page.choose("combobox", "entries per page", values=["25"])
    assert await page.value("document.querySelectorAll('#people tbody tr').length") == 25
