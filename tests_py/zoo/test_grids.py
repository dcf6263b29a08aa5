"""Data grids: cells that are edited, filtered, sorted, paged, chosen and moved."""

import pytest

from tests_py.zoo.conftest import Visit

ag_grid = pytest.mark.library("AG Grid = ag-grid-community")
tabulator = pytest.mark.library("Tabulator = tabulator-tables")
HANDLE = "tabulator-cell tabulator-row-handle"
FIRST_ROW = "api.getDisplayedRowAtIndex(0).data"


@ag_grid
async def test_a_column_is_sorted(visit: Visit) -> None:
    page = await visit("ag-grid")
    await page.click("text", "Year")
    assert await page.value(f"{FIRST_ROW}.year") == 1900
    await page.click("text", "Year")
    assert await page.value(f"{FIRST_ROW}.year") == 1999


@ag_grid
async def test_a_column_is_filtered(visit: Visit) -> None:
    page = await visit("ag-grid")
    await page.type("textbox", "Boat Filter Input", text="Fram 16")
    await page.shows("Fram 166")
    assert await page.value("api.getDisplayedRowCount()") == 2


@ag_grid
async def test_a_cell_is_edited(visit: Visit) -> None:
    page = await visit("ag-grid")
    await page.click("gridcell", "Beagle 2", doubleClick=True)
    await page.type("textbox", "Input Editor", text="Beagle II", submit=True)
    assert await page.value("api.getDisplayedRowAtIndex(2).data.boat") == "Beagle II"


@ag_grid
async def test_rows_are_chosen_and_a_box_in_a_cell_is_ticked(visit: Visit) -> None:
    page = await visit("ag-grid")
    await page.click("checkbox", "Press Space to toggle row selection (unchecked)", 1)
    assert await page.value("api.getSelectedRows().map((row) => row.boat)") == ["Argo 1"]
    await page.click("checkbox", "Press SPACE to toggle cell value (unchecked)", 2)
    assert await page.value("api.getDisplayedRowAtIndex(2).data.sold") is True


@ag_grid
async def test_a_grid_is_paged_and_its_page_made_longer(visit: Visit) -> None:
    page = await visit("ag-grid")
    await page.click("button", "Next Page")
    await page.shows("21 to 40 of 200")
    await page.click("combobox", "Page Size")
    await page.click("option", "50")
    assert await page.value("api.paginationGetPageSize()") == 50


@ag_grid
async def test_a_column_is_moved_by_dragging(visit: Visit) -> None:
    page = await visit("ag-grid")
    await page.drag(("text", "Sold"), ("text", "Year"))
    moved = await page.value("api.getAllDisplayedColumns().map((column) => column.getColId())")
    assert [name for name in moved if name in {"boat", "year", "sold"}] == ["boat", "sold", "year"]


@tabulator
async def test_a_cell_of_a_table_is_edited(visit: Visit) -> None:
    page = await visit("tabulator")
    await page.click("gridcell", "Bea")
    await page.press("Control+a", "B", "o", "Enter")
    assert await page.value("table.getData()[1].name") == "Bo"


@tabulator
async def test_a_cell_is_chosen_from_a_list(visit: Visit) -> None:
    page = await visit("tabulator")
    await page.click("gridcell", "Bergen", 0)
    await page.click("text", "Oslo")
    assert await page.value("table.getData()[0].city") == "Oslo"


@tabulator
async def test_a_header_sorts_and_filters(visit: Visit) -> None:
    page = await visit("tabulator")
    await page.type("searchbox", "", text="Gus")
    await page.shows("Gus")
    assert await page.value("table.getDataCount('active')") == 1


@tabulator
async def test_a_table_of_tabulator_is_paged(visit: Visit) -> None:
    page = await visit("tabulator")
    await page.click("button", "Show Page 2")
    await page.shows("Hana")
    assert await page.value("table.getPage()") == 2


@tabulator
async def test_a_row_is_moved_by_dragging(visit: Visit) -> None:
    page = await visit("tabulator")
    await page.drag(("gridcell", HANDLE, 0), ("gridcell", HANDLE, 2))
    assert await page.value("table.getRows().slice(0, 3).map((row) => row.getData().name).indexOf('Ada')") > 0
