"""Looking like a device."""

import json

import pytest

from tests_py.support.client import serve
from tests_py.support.site import Site

pytestmark = pytest.mark.long

SEEN = (
    "() => [innerWidth, innerHeight, devicePixelRatio, navigator.maxTouchPoints > 0, screen.orientation.type]"
)


async def test_a_page_of_another_size_still_looks_like_the_device(site: Site) -> None:
    async with serve("--headless", "--device", "Pixel 7") as server:
        sized = "<meta name=viewport content='width=device-width'>"
        await server.call("browser_navigate", url=site.publish("/sized", sized))
        portrait = await server.evaluate(SEEN)
        await server.call("browser_resize", width=839, height=412)
        landscape = await server.evaluate(SEEN)
    assert json.loads(portrait) == [412, 839, 2.625, True, "portrait-primary"]
    assert json.loads(landscape) == [839, 412, 2.625, True, "landscape-primary"]
