"""The kits that React applications are made of."""

import pytest

from tests_py.zoo.conftest import Visit

mui = pytest.mark.library("MUI = @mui/material")
antd = pytest.mark.library("Ant Design = antd")
radix = pytest.mark.library("Radix = radix-ui")
headless = pytest.mark.library("Headless UI = @headlessui/react")


@mui
async def test_options_of_mui_are_chosen_by_clicking(visit: Visit) -> None:
    page = await visit("mui")
    await page.click("combobox", "Size")
    await page.click("option", "Medium")
    await page.click("combobox", "Tags")
    await page.click("option", "Red")
    await page.click("option", "Blue")
    await page.press("Escape")
    assert await page.value("[state.size, state.tags]") == ["Medium", ["Red", "Blue"]]


@mui
async def test_a_form_of_mui_is_filled_in_one_call(visit: Visit) -> None:
    page = await visit("mui")
    await page.fill(
        ("textbox", "Your name", "Ada"),
        ("combobox", "Size", "Large"),
        ("combobox", "City", "Madrid"),
        ("checkbox", "News", "true"),
        ("switch", "Dark", "true"),
        ("radio", "Fast", "true"),
        ("slider", "Volume", "65"),
    )
    held = await page.value("state")
    expected = {
        "name": "Ada",
        "size": "Large",
        "city": "Madrid",
        "news": True,
        "dark": True,
        "pace": "fast",
        "volume": 65,
    }
    assert {key: held[key] for key in expected} == expected


@mui
async def test_a_suggestion_of_mui_is_chosen(visit: Visit) -> None:
    page = await visit("mui")
    await page.type("combobox", "City", text="Li")
    await page.click("option", "Lima")
    assert await page.value("state.city") == "Lima"


@mui
async def test_several_suggestions_of_mui_are_chosen_and_one_is_removed(visit: Visit) -> None:
    page = await visit("mui")
    await page.choose("combobox", "Cities", values=["Lisbon", "Milan"])
    assert await page.value("state.cities") == ["Lisbon", "Milan"]


@mui
async def test_a_date_of_mui_is_picked_by_clicking(visit: Visit) -> None:
    page = await visit("mui")
    await page.click("button", "Choose date, selected date is May 15, 2030")
    await page.click("button", "Next month")
    await page.click("gridcell", "20")
    assert await page.value("state.day") == "2030-06-20"


@mui
async def test_a_date_of_mui_is_typed(visit: Visit) -> None:
    page = await visit("mui")
    await page.click("spinbutton", "Month")
    await page.press("0", "7", "0", "9", "2", "0", "3", "1")
    assert await page.value("state.day") == "2031-07-09"


@mui
async def test_stars_of_mui_are_given(visit: Visit) -> None:
    page = await visit("mui")
    await page.click("radio", "4 Stars")
    assert await page.value("state.stars") == 4


@mui
async def test_a_dialog_of_mui_is_answered_and_its_toast_reported(visit: Visit) -> None:
    page = await visit("mui")
    await page.click("button", "Delete")
    await page.shows("It is gone then.")
    result = await page.click("button", "Yes")
    assert await page.value("state.asked") == "yes"
    assert "Deleted for good" in result.text


@mui
async def test_a_menu_a_tab_and_an_accordion_of_mui_are_opened(visit: Visit) -> None:
    page = await visit("mui")
    await page.click("button", "More")
    await page.click("menuitem", "Archive")
    assert await page.value("state.asked") == "Archive"
    await page.click("tab", "Two")
    await page.shows("Text of two")
    await page.click("button", "Why?")
    await page.shows("Because it is so.")


@antd
async def test_options_of_antd_are_chosen_by_clicking(visit: Visit) -> None:
    page = await visit("antd")
    await page.click("combobox", "Size :")
    await page.click("generic", "Medium")
    await page.click("combobox", "Tags :")
    await page.click("generic", "Red")
    await page.click("generic", "Blue")
    assert await page.value("[values().size, values().tags]") == ["Medium", ["Red", "Blue"]]


@antd
async def test_a_form_of_antd_is_filled_in_one_call(visit: Visit) -> None:
    page = await visit("antd")
    await page.fill(
        ("combobox", "Size :", "Large"),
        ("combobox", "City :", "London"),
        ("textbox", "Arrival :", "2031-07-09"),
        ("spinbutton", "Guests :", "5"),
        ("textbox", "Name :", "Ada"),
        ("checkbox", "News", "true"),
        ("switch", "Dark :", "true"),
        ("radio", "Fast", "true"),
    )
    held = await page.value("values()")
    expected = {
        "size": "Large",
        "city": "London",
        "day": "2031-07-09",
        "guests": 5,
        "name": "Ada",
        "news": True,
        "dark": True,
        "pace": "fast",
    }
    assert {key: held.get(key) for key in expected} == expected


@antd
async def test_several_tags_of_antd_are_chosen_in_one_call(visit: Visit) -> None:
    page = await visit("antd")
    await page.choose("combobox", "Tags :", values=["Green", "Blue"])
    assert await page.value("values().tags") == ["Green", "Blue"]


@antd
async def test_a_date_of_antd_is_picked_by_clicking(visit: Visit) -> None:
    page = await visit("antd")
    await page.click("textbox", "Arrival :")
    await page.click("cell", "22")
    assert await page.value("values().day") == "2030-05-22"


@antd
async def test_a_slider_of_antd_is_set(visit: Visit) -> None:
    page = await visit("antd")
    await page.fill(("slider", "20", "65"))
    assert await page.value("values().volume") == 65


@antd
async def test_dialogs_of_antd_are_answered_and_its_message_reported(visit: Visit) -> None:
    page = await visit("antd")
    await page.click("button", "Empty")
    await page.click("button", "OK")
    assert await page.value("asked") == "emptied"
    await page.click("button", "Delete")
    result = await page.click("button", "OK")
    assert await page.value("asked") == "deleted"
    assert "Deleted for good" in result.text


@antd
async def test_a_menu_that_opens_under_the_pointer_is_chosen_from(visit: Visit) -> None:
    page = await visit("antd")
    await page.hover("button", "More")
    await page.click("menuitem", "Archive")
    assert await page.value("asked") == "archive"


@antd
async def test_a_table_of_antd_is_sorted_paged_and_chosen_from(visit: Visit) -> None:
    page = await visit("antd")
    await page.click("columnheader", "Age")
    await page.click("checkbox", "Select row 1")
    await page.click("listitem", "2")
    await page.shows("Gus")
    assert await page.value("picked") == [0]


@antd
async def test_a_tree_of_antd_is_opened(visit: Visit) -> None:
    page = await visit("antd")
    await page.click("img", "caret-down")
    await page.click("treeitem", "Apple")
    assert await page.value("asked") == "a"


@radix
async def test_a_form_of_radix_is_filled_in_one_call(visit: Visit) -> None:
    page = await visit("radix")
    await page.fill(
        ("combobox", "Size", "Large"),
        ("checkbox", "News", "true"),
        ("switch", "Dark", "true"),
        ("radio", "fast", "true"),
        ("slider", "Volume", "65"),
    )
    held = await page.value("state")
    assert held == {"size": "Large", "volume": [65], "news": True, "dark": True, "pace": "fast", "asked": ""}


@radix
async def test_an_option_of_radix_is_chosen_by_clicking(visit: Visit) -> None:
    page = await visit("radix")
    await page.click("combobox", "Size")
    await page.click("option", "Medium")
    assert await page.value("state.size") == "Medium"


@radix
async def test_dialogs_of_radix_are_answered(visit: Visit) -> None:
    page = await visit("radix")
    await page.click("button", "Edit")
    await page.type("textbox", "Name", text="Ada")
    await page.click("button", "Save")
    assert await page.value("state.asked") == "Ada"
    await page.click("button", "Delete")
    await page.click("button", "Yes")
    assert await page.value("state.asked") == "deleted"


@radix
async def test_a_submenu_of_radix_is_chosen_from(visit: Visit) -> None:
    page = await visit("radix")
    await page.click("button", "More")
    await page.hover("menuitem", "Share")
    await page.click("menuitem", "By mail")
    assert await page.value("state.asked") == "mailed"


@radix
async def test_a_context_menu_is_chosen_from(visit: Visit) -> None:
    page = await visit("radix")
    await page.click("text", "A picture", button="right")
    await page.click("menuitem", "Copy")
    assert await page.value("state.asked") == "copied"


@radix
async def test_a_tooltip_and_a_card_are_seen_under_the_pointer(visit: Visit) -> None:
    page = await visit("radix")
    await page.hover("button", "Cost")
    await page.shows("What it costs")
    await page.hover("link", "Ada")
    await page.shows("Wrote the first program")


@headless
async def test_options_of_headless_ui_are_chosen_by_clicking(visit: Visit) -> None:
    page = await visit("headlessui")
    await page.click("button", "Size Small")
    await page.click("option", "Medium")
    await page.click("button", "Tags None")
    await page.click("option", "Red")
    await page.click("option", "Blue")
    await page.press("Escape")
    assert await page.value("[state.size, state.tags]") == ["Medium", ["Red", "Blue"]]


@headless
async def test_a_form_of_headless_ui_is_filled_in_one_call(visit: Visit) -> None:
    page = await visit("headlessui")
    await page.fill(("combobox", "City", "Madrid"), ("switch", "Dark", "true"), ("radio", "Fast", "true"))
    assert await page.value("[state.city, state.dark, state.pace]") == ["Madrid", True, "Fast"]


@headless
async def test_a_suggestion_of_headless_ui_is_chosen(visit: Visit) -> None:
    page = await visit("headlessui")
    await page.type("combobox", "City", text="lon")
    await page.click("option", "London")
    assert await page.value("state.city") == "London"


@headless
async def test_a_menu_a_dialog_and_a_disclosure_of_headless_ui_are_opened(visit: Visit) -> None:
    page = await visit("headlessui")
    await page.click("button", "More")
    await page.click("menuitem", "Archive")
    assert await page.value("state.asked") == "Archive"
    await page.click("button", "Delete")
    await page.click("button", "Yes")
    assert await page.value("state.asked") == "deleted"
    await page.click("button", "Why?")
    await page.shows("Because it is so.")
