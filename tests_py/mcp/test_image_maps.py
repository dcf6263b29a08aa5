"""The areas of image maps are listed, and pressed inside of their shapes."""

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long

PAGE = """<!doctype html><meta charset=utf-8><title>Map</title>
<style>body { margin: 0 } img { display: block; %s }</style>
<div style="height: 1500px">Above</div>
<map name=plan>
<area shape=rect coords="10,10,60,60" href="#rect" alt="Hall">
<area shape=circle coords="150,60,40" href="#circle" alt="Tower">
<area shape=poly coords="220,10,380,10,380,20,230,20,230,180,220,180" href="#poly" alt="Wing">
<area shape=default href="#default" alt="Garden">
</map>
<img usemap="#plan" width=400 height=200 alt="Plan"
 src="data:image/svg+xml,%%3Csvg xmlns='http://www.w3.org/2000/svg' width='400' height='200'/%%3E">
<output></output>
<script>document.addEventListener("click", (event) => {
  document.querySelector("output").textContent = event.target.alt;
  event.preventDefault();
});</script>"""


@pytest.mark.parametrize(
    "style", ["", "border: 7px solid; padding: 5px 20px", "zoom: 1.5", "transform: scale(.8)"]
)
async def test_each_area_is_pressed_inside_its_shape(workshop: Workshop, site: Site, style: str) -> None:
    page = await workshop.open(site.publish("/plan", PAGE % style))
    for name in ("Hall", "Tower", "Wing", "Garden"):
        line = page.line(f'link "{name}"')
        assert "covered" not in line
        assert "hidden" not in line
        await workshop.do("browser_click", target=page.ref(f'link "{name}"'))
        assert await workshop.output() == name


async def test_an_area_that_is_covered_is_marked_and_refused(workshop: Workshop, site: Site) -> None:
    cover = "<div style='position: fixed; inset: 0; background: white'>Please wait</div>"
    page = await workshop.open(site.publish("/plan", PAGE % "" + cover))
    assert "[covered" in (await workshop.do("browser_snapshot", allRefs=True)).line('link "Hall"')
    assert "covered" in await workshop.refused("browser_click", target=page.ref('link "Hall"'))
