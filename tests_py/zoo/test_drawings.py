"""What is drawn: maps, charts, diagrams; and an API's own page."""

import pytest

from tests_py.support.site import Site
from tests_py.zoo.conftest import Visit

leaflet = pytest.mark.library("Leaflet")
chart = pytest.mark.library("Chart.js = chart.js")
flow = pytest.mark.library("React Flow = @xyflow/react")
swagger = pytest.mark.library("Swagger UI = swagger-ui-dist")


@leaflet
async def test_a_map_is_zoomed_and_a_marker_opened(visit: Visit) -> None:
    page = await visit("leaflet")
    await page.click("button", "Zoom in")
    assert await page.value("map.getZoom()") == 13
    await page.click("button", "The harbour")
    await page.shows("Boats leave at noon")


@leaflet
async def test_a_layer_of_a_map_is_chosen(visit: Visit) -> None:
    page = await visit("leaflet")
    await page.hover("button", "Layers")
    await page.click("checkbox", "Weather")
    assert await page.value("document.querySelector('.leaflet-control-layers-selector').checked") is True


@leaflet
async def test_a_marker_is_dragged(visit: Visit) -> None:
    page = await visit("leaflet")
    await page.drag(("button", "Marker"), ("button", "The harbour"))
    assert await page.value("Math.abs(flag.getLatLng().lng - 5.32) < 0.01") is True


@chart
async def test_what_a_chart_shows_is_read(visit: Visit) -> None:
    page = await visit("chartjs")
    await page.shows("Sales by quarter")


@chart
async def test_a_bar_of_a_chart_is_pointed_at_and_clicked(visit: Visit) -> None:
    page = await visit("chartjs")
    x, y = await page.value("(({ x, y, base }) => [x, (y + base) / 2])(chart.getDatasetMeta(0).data[1])")
    await page.click("img", "Sales by quarter", position=f"{x:.0f},{y:.0f}")
    await page.shows("Summer")
    assert await page.value("picked") == [1]


@flow
async def test_a_step_is_added(visit: Visit) -> None:
    page = await visit("react-flow")
    await page.click("button", "Add a step")
    await page.shows("New step")
    assert await page.value("flow.nodes.length") == 3


@flow
async def test_a_step_is_moved(visit: Visit) -> None:
    page = await visit("react-flow")
    await page.drag(("text", "Read"), ("application", ""), endPosition="475,338")
    moved = await page.value("flow.nodes[0]")
    assert abs(moved["x"] - 400) < 20
    assert moved["y"] > 280


@flow
async def test_two_steps_are_connected(visit: Visit) -> None:
    page = await visit("react-flow")
    await page.drag(("generic", "1-a-null-source"), ("generic", "1-b-null-target"))
    assert await page.value("flow.edges") == [["a", "b"]]


@swagger
async def test_an_operation_is_tried_out(visit: Visit, zoo: Site) -> None:
    zoo.publish("/boats", '["Argo"]', "application/json")
    page = await visit("swagger")
    await page.click("button", "GET /boats List the boats")
    await page.click("button", "Try it out")
    await page.choose("combobox", "--", values=["red"])
    await page.type("textbox", "owner", text="Ada")
    result = await page.click("button", "Execute")
    assert zoo.requested("/boats")[-1].query == {"colour": "red", "owner": "Ada"}
    assert "Argo" in result.text


@swagger
async def test_a_body_is_edited_and_sent(visit: Visit, zoo: Site) -> None:
    zoo.publish("/boats", '{"id": 7}', "application/json")
    page = await visit("swagger")
    await page.click("button", "POST /boats Add a boat")
    await page.click("button", "Try it out")
    await page.type("textbox", '{\n  "name": "Argo"\n}', text='{"name": "Fram"}')
    await page.click("button", "Execute")
    assert zoo.requested("/boats")[-1].body == '{"name": "Fram"}'
