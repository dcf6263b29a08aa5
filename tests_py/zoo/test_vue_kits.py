"""The kits that Vue applications are made of."""

import pytest

from tests_py.zoo.conftest import Visit

vuetify = pytest.mark.library("Vuetify")
primevue = pytest.mark.library("PrimeVue")
quasar = pytest.mark.library("Quasar")


@vuetify
async def test_options_of_vuetify_are_chosen_by_clicking(visit: Visit) -> None:
    page = await visit("vuetify")
    await page.click("combobox", "Size")
    await page.click("option", "Medium")
    await page.click("combobox", "Tags")
    await page.click("option", "Red")
    await page.click("option", "Blue")
    await page.press("Escape")
    assert await page.value("[state.size, state.tags]") == ["Medium", ["Red", "Blue"]]


@vuetify
async def test_a_form_of_vuetify_is_filled_in_one_call(visit: Visit) -> None:
    page = await visit("vuetify")
    await page.fill(
        ("textbox", "Your name", "Ada"),
        ("combobox", "Size", "Large"),
        ("combobox", "City", "Madrid"),
        ("checkbox", "News", "true"),
        ("checkbox", "Dark", "true"),
        ("radio", "Fast", "true"),
        ("slider", "20", "65"),
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


@vuetify
async def test_a_suggestion_of_vuetify_is_chosen(visit: Visit) -> None:
    page = await visit("vuetify")
    await page.type("combobox", "City", text="lon")
    await page.click("option", "London")
    assert await page.value("state.city") == "London"


@vuetify
async def test_a_dialog_and_a_menu_of_vuetify_are_used(visit: Visit) -> None:
    page = await visit("vuetify")
    await page.click("button", "Delete")
    await page.click("button", "Yes")
    assert await page.value("state.asked") == "deleted"
    await page.click("button", "More")
    await page.click("listitem", "Rename")
    assert await page.value("state.asked") == "renamed"


@vuetify
async def test_a_tab_a_panel_and_a_table_of_vuetify_are_used(visit: Visit) -> None:
    page = await visit("vuetify")
    await page.click("tab", "Two")
    await page.shows("Text of two")
    await page.click("button", "Why?")
    await page.shows("Because it is so.")
    await page.click("button", "Next page")
    await page.shows("Gus")


@primevue
async def test_options_of_primevue_are_chosen_by_clicking(visit: Visit) -> None:
    page = await visit("primevue")
    await page.click("combobox", "Size")
    await page.click("option", "Medium")
    await page.click("combobox", "Tags")
    await page.click("option", "Red")
    await page.click("option", "Blue")
    assert await page.value("[state.size, state.tags]") == ["Medium", ["Red", "Blue"]]


@primevue
async def test_a_form_of_primevue_is_filled_in_one_call(visit: Visit) -> None:
    page = await visit("primevue")
    await page.fill(
        ("combobox", "Size", "Large"),
        ("combobox", "City", "Madrid"),
        ("checkbox", "News", "true"),
        ("switch", "Dark", "true"),
        ("radio", "Fast", "true"),
        ("slider", "Volume", "65"),
    )
    held = await page.value("state")
    expected = {"size": "Large", "city": "Madrid", "news": True, "dark": True, "pace": "fast", "volume": 65}
    assert {key: held[key] for key in expected} == expected


@primevue
async def test_a_date_of_primevue_is_picked_by_clicking(visit: Visit) -> None:
    page = await visit("primevue")
    await page.click("combobox", "Arrival")
    await page.click("button", "Next Month")
    await page.click("text", "20")
    assert await page.value("state.day.toDateString()") == "Thu Jun 20 2030"


@primevue
async def test_a_date_of_primevue_is_typed(visit: Visit) -> None:
    page = await visit("primevue")
    await page.type("combobox", "Arrival", text="07/09/2031", submit=True)
    assert await page.value("state.day.toDateString()") == "Wed Jul 09 2031"


@primevue
async def test_a_dialog_and_a_table_of_primevue_are_used(visit: Visit) -> None:
    page = await visit("primevue")
    await page.click("button", "Delete")
    await page.click("button", "Yes")
    assert await page.value("state.asked") == "deleted"
    await page.click("columnheader", "Age")
    await page.click("button", "Page 2")
    await page.shows("Dora")


@quasar
async def test_options_of_quasar_are_chosen_by_clicking(visit: Visit) -> None:
    page = await visit("quasar")
    await page.click("combobox", "Size")
    await page.click("option", "Medium")
    await page.click("combobox", "Tags")
    await page.click("option", "Red")
    await page.click("option", "Blue")
    await page.press("Escape")
    assert await page.value("[state.size, state.tags]") == ["Medium", ["Red", "Blue"]]


@quasar
async def test_a_form_of_quasar_is_filled_in_one_call(visit: Visit) -> None:
    page = await visit("quasar")
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


@quasar
async def test_a_day_of_quasar_is_picked(visit: Visit) -> None:
    page = await visit("quasar")
    await page.click("button", "22 May 2030")
    assert await page.value("state.day") == "2030/05/22"


@quasar
async def test_a_dialog_a_menu_and_a_panel_of_quasar_are_used(visit: Visit) -> None:
    page = await visit("quasar")
    await page.click("button", "Delete")
    await page.click("button", "Yes")
    assert await page.value("state.asked") == "deleted"
    await page.click("button", 'Expand "More"')
    await page.click("button", "Rename")
    assert await page.value("state.asked") == "renamed"
    await page.click("button", 'Expand "Why?"')
    await page.shows("Because it is so.")
