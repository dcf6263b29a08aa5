"""What scripts that read the web have here beside Playwright's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest

from patchright_mcp.async_api import Error, Page
from patchright_mcp.extract import Select
from tests_py.support.site import Site

SHOP = """<div class=item><h2>Lamp</h2><b class=price>1.299,00 €</b><a href=/lamp>more</a>
<i>red</i><i>blue</i></div>
<div class=item><h2>Chair</h2><b class=price>$ 49.5</b><a href=/chair>more</a></div>"""


@dataclass
class Item:
    name: Annotated[str, Select("h2")]
    price: Annotated[float, Select(".price")]
    link: Annotated[str, Select("a", attribute="href")]
    colours: Annotated[list[str], Select("i")]
    note: Annotated[str | None, Select(".note")]


async def test_items_of_a_page_become_dataclasses(page: Page, site: Site) -> None:
    await page.goto(site.publish("/shop", SHOP))
    assert await page.extract(Item, each=".item") == [
        Item("Lamp", 1299.0, f"{site.origin}/lamp", ["red", "blue"], None),
        Item("Chair", 49.5, f"{site.origin}/chair", [], None),
    ]
    with pytest.raises(Error, match=r'Item.name, item 1: no element matches "h2"'):
        await page.extract(Item, each="b")


async def test_a_locator_may_be_meant_for_whichever_frame_has_it(page: Page) -> None:
    await page.set_content(
        "<p>outside</p><iframe srcdoc='<iframe srcdoc=\"<button>Deep</button>\"></iframe>'></iframe>"
    )
    deep = page.frame_locator().get_by_role("button", name="Deep")
    await deep.click()
    assert await deep.inner_text() == "Deep"
    assert await page.frame_locator().first.get_by_text("outside").count() == 1
    assert await page.frame_locator().get_by_text("nowhere").count() == 0


async def test_a_page_shows_itself_in_a_notebook(page: Page) -> None:
    await page.set_content("<button>Save &amp; go</button>")
    shown = page._repr_html_()
    assert 'src="data:image/jpeg;base64,' in shown
    assert "Save &amp; go" in shown
    await page.close()
    assert page._repr_html_() == "<code>about:blank</code>"


async def test_without_a_window_nobody_is_waited_for(page: Page) -> None:
    page.set_default_timeout(77)
    await page.pause()
    with pytest.raises(Error, match="Timeout 77ms exceeded"):
        await page.click("#nothing")


async def test_a_session_of_the_protocol_tells_of_its_end(page: Page) -> None:
    ended: list[str] = []
    one, other = [await page.context.new_cdp_session(page) for _ in range(2)]
    one.on("close", lambda: ended.append("one"))
    other.on("close", lambda: ended.append("other"))
    await one.detach()
    assert ended == ["one"]
    await page.close()
    assert ended == ["one", "other"]
