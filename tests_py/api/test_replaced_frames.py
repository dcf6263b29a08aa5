"""A frame that is replaced while something is done in it: what was begun goes on in its successor."""

from collections.abc import Awaitable, Callable

import pytest

from patchright_mcp.async_api import FrameLocator, Page
from tests_py.support.site import Site

pytestmark = pytest.mark.long

PAGE = """<!doctype html><div id="holder"></div><script>
let presses = 0;
function put() {
  const frame = document.createElement("iframe");
  frame.srcdoc = '<button onclick="parent.pressed()">Go</button><input>';
  holder.replaceChildren(frame);
}
function pressed() { presses += 1; document.title = presses; }
function replace(times) {
  put();
  if (times > 0) setTimeout(replace, 60, times - 1);
}
replace(20);
</script>"""

DONE: dict[str, Callable[[FrameLocator], Awaitable[object]]] = {
    "click": lambda frame: frame.locator("button").click(),
    "hover": lambda frame: frame.locator("button").hover(),
    "fill": lambda frame: frame.locator("input").fill("x"),
    "press": lambda frame: frame.locator("input").press("a"),
    "text": lambda frame: frame.locator("button").inner_text(),
    "wait_for": lambda frame: frame.locator("button").wait_for(),
    "evaluate": lambda frame: frame.locator("button").evaluate("e => e.id"),
    "attribute": lambda frame: frame.locator("button").get_attribute("id"),
    "box": lambda frame: frame.locator("button").bounding_box(),
    "visible": lambda frame: frame.locator("button").is_visible(),
    "texts": lambda frame: frame.locator("button").all_inner_texts(),
    "outline": lambda frame: frame.locator("body").aria_snapshot(),
    "handle": lambda frame: frame.locator("button").element_handle(),
}


@pytest.mark.parametrize("action", DONE)
async def test_what_is_done_in_a_frame_that_is_replaced_goes_on(page: Page, site: Site, action: str) -> None:
    await page.goto(site.publish("/replaced", PAGE))
    for _ in range(3):
        await DONE[action](page.frame_locator("iframe"))


async def test_a_press_that_replaces_its_own_frame_is_done_once(page: Page, site: Site) -> None:
    own = PAGE.replace("replace(20)", "put()").replace("presses += 1;", "presses += 1; put();")
    await page.goto(site.publish("/replaced", own))
    await page.frame_locator("iframe").locator("button").click()
    assert await page.title() == "1"


async def test_what_is_no_frame_is_said_at_once(page: Page, site: Site) -> None:
    await page.goto(site.page("form"))
    with pytest.raises(Exception, match="Element is not an <iframe>"):
        await page.frame_locator("form").locator("button").click()
