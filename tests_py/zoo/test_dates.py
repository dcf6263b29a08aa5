"""Dates: a picker and a calendar."""

import pytest

from tests_py.zoo.conftest import Visit

flatpickr = pytest.mark.library("flatpickr")
calendar = pytest.mark.library("FullCalendar = fullcalendar")


@flatpickr
async def test_a_day_is_picked_by_clicking(visit: Visit) -> None:
    page = await visit("flatpickr")
    await page.click("textbox", "Arrival")
    await page.click("text", "May 22, 2030")
    assert await page.value("document.querySelector('#arrival').value") == "2030-05-22"


@flatpickr
async def test_a_day_is_typed(visit: Visit) -> None:
    page = await visit("flatpickr")
    await page.type("textbox", "Arrival", text="2031-01-02", submit=True)
    assert (
        await page.value("document.querySelector('#arrival')._flatpickr.selectedDates[0].getFullYear()")
        == 2031
    )


@flatpickr
async def test_a_range_of_days_is_picked(visit: Visit) -> None:
    page = await visit("flatpickr")
    await page.click("textbox", "Stay")
    await page.click("text", "May 20, 2030")
    await page.click("text", "May 24, 2030")
    assert await page.value("document.querySelector('#stay').value") == "2030-05-20 to 2030-05-24"


@flatpickr
async def test_a_month_and_an_hour_are_set(visit: Visit) -> None:
    page = await visit("flatpickr")
    await page.click("textbox", "Meeting")
    await page.choose("combobox", "Month", values=["August"])
    await page.click("text", "August 1, 2030")
    await page.type("spinbutton", "Hour", text="14", submit=True)
    assert await page.value("document.querySelector('#meeting').value") == "2030-08-01 14:00"


@calendar
async def test_the_view_and_the_month_are_changed(visit: Visit) -> None:
    page = await visit("fullcalendar")
    await page.click("button", "Next month")
    await page.shows("June 2030")
    await page.click("button", "week")
    assert await page.value("calendar.view.type") == "timeGridWeek"


@calendar
async def test_an_event_is_dragged_to_another_day(visit: Visit) -> None:
    page = await visit("fullcalendar")
    await page.drag(("text", "Regatta"), ("gridcell", "May 22, 2030"))
    assert await page.value("calendar.getEventById('1').startStr") == "2030-05-22"


@calendar
async def test_a_day_and_an_event_are_clicked(visit: Visit) -> None:
    page = await visit("fullcalendar")
    await page.click("gridcell", "May 8, 2030")
    await page.click("text", "Regatta")
    assert await page.value("clicked") == ["2030-05-08", "Regatta"]
