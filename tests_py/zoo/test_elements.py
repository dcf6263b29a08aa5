"""Kits that are markup: Bootstrap's classes, Shoelace's web components."""

import pytest

from tests_py.zoo.conftest import Visit

bootstrap = pytest.mark.library("Bootstrap")
shoelace = pytest.mark.library("Shoelace = @shoelace-style/shoelace")


@bootstrap
async def test_a_form_with_drawn_controls_is_filled(visit: Visit) -> None:
    page = await visit("bootstrap")
    await page.fill(
        ("switch", "Dark mode", "true"),
        ("radio", "Grid", "true"),
        ("slider", "Price", "35"),
        ("textbox", "Email address", "ada@example.com"),
    )
    assert await page.value("[dark.checked, grid.checked, price.value, mail.value]") == [
        True,
        True,
        "35",
        "ada@example.com",
    ]


@bootstrap
async def test_a_menu_of_bootstrap_is_chosen_from(visit: Visit) -> None:
    page = await visit("bootstrap")
    await page.click("button", "More")
    await page.click("link", "Rename")
    assert await page.value("heard") == ["rename"]


@bootstrap
async def test_a_modal_is_filled_and_closed(visit: Visit) -> None:
    page = await visit("bootstrap")
    await page.click("button", "Launch")
    await page.type("textbox", "Code", text="1234")
    await page.click("button", "Go")
    assert await page.value("heard") == ["go 1234"]
    await page.click("button", "Cost")


@bootstrap
async def test_a_tooltip_and_a_toast_are_seen(visit: Visit) -> None:
    page = await visit("bootstrap")
    await page.hover("button", "Cost")
    await page.shows("tooltip")
    result = await page.click("button", "Save")
    assert "All is saved." in result.text


@bootstrap
async def test_tabs_an_accordion_and_a_drawer_are_opened(visit: Visit) -> None:
    page = await visit("bootstrap")
    await page.click("tab", "Profile")
    await page.shows("About me")
    await page.click("button", "Why?")
    await page.shows("Because it is so.")
    await page.click("button", "Filters")
    await page.click("checkbox", "Only new")
    await page.click("button", "Close filters")
    assert await page.value("document.querySelector('#new').checked") is True


@shoelace
async def test_fields_of_web_components_are_filled(visit: Visit) -> None:
    page = await visit("shoelace")
    await page.fill(
        ("textbox", "Your name", "Ada"),
        ("checkbox", "News", "true"),
        ("switch", "Dark", "true"),
        ("radio", "Fast", "true"),
        ("slider", "Volume", "70"),
    )
    assert await page.value("['name', 'pace', 'volume'].map((id) => by(id).value)") == ["Ada", "fast", 70]
    assert await page.value("[by('news').checked, by('dark').checked]") == [True, True]


@shoelace
async def test_an_option_of_a_web_component_is_chosen(visit: Visit) -> None:
    page = await visit("shoelace")
    await page.click("combobox", "Size")
    await page.click("option", "Medium")
    assert await page.value("by('size').value") == "m"


@shoelace
async def test_options_of_web_components_are_chosen_in_a_form(visit: Visit) -> None:
    page = await visit("shoelace")
    await page.fill(("combobox", "Size", "Large"))
    await page.choose("combobox", "Toppings", values=["Olives", "Corn"])
    assert await page.value("by('size').value") == "l"
    assert await page.value("by('toppings').value") == ["olives", "corn"]


@shoelace
async def test_stars_are_given(visit: Visit) -> None:
    page = await visit("shoelace")
    await page.fill(("slider", "Stars", "4"))
    assert await page.value("by('stars').value") == 4


@shoelace
async def test_a_dialog_of_web_components_is_answered(visit: Visit) -> None:
    page = await visit("shoelace")
    await page.click("button", "Open")
    await page.shows("Really?")
    await page.click("button", "Yes")
    assert await page.value("heard") == ["yes"]


@shoelace
async def test_a_menu_tabs_and_details_of_web_components_are_opened(visit: Visit) -> None:
    page = await visit("shoelace")
    await page.click("tab", "Two")
    await page.shows("Text of two")
    await page.click("button", "More about it")
    await page.shows("What is within")
    await page.click("button", "Actions")
    await page.click("menuitem", "Copy")
    assert await page.value("heard") == ["copy"]
