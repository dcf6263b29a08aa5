"""What scripts that read the web have here beside Playwright's."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Annotated

import pytest

from patchright_mcp.async_api import Browser, Error, Page
from patchright_mcp.extract import Select
from patchright_mcp.pool import PagePool
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
    with pytest.raises(Error, match=r"Item.name: nothing is at 'h2'"):
        await page.extract(Item, each="b")


async def test_a_pool_has_no_more_pages_than_it_may_and_tries_again(browser: Browser) -> None:
    open_now, most = 0, 0
    tries: dict[int, int] = {}
    both = asyncio.Event()

    async def work(page: Page, item: int) -> int:
        nonlocal open_now, most
        open_now += 1
        most = max(most, open_now)
        tries[item] = tries.get(item, 0) + 1
        try:
            if open_now == 2:
                both.set()
            await both.wait()
            if item == 3 and tries[item] == 1:
                raise Error("once")
            if item == 4:
                raise Error("always")
            return int(await page.evaluate("n => n * 2", item))
        finally:
            open_now -= 1

    async with PagePool(browser, size=2, retries=1, least_free_mb=0) as pool:
        assert await pool.map(work, [1, 2, 3]) == [2, 4, 6]
        told = await pool.try_map(work, [4, 5])
    assert str(told[0]) == "always"
    assert told[1] == 10
    assert most == 2
    assert tries == {1: 1, 2: 1, 3: 2, 4: 2, 5: 1}


async def test_a_pool_waits_for_memory_before_a_further_page(
    browser: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = iter([100.0, 100.0])
    looks: list[float] = []

    def look() -> float:
        looks.append(next(free, 900.0))
        return looks[-1]

    monkeypatch.setattr("patchright_mcp.pool.free_mb", look)
    monkeypatch.setattr("patchright_mcp.pool._LOOK_AGAIN", 0)
    pool = PagePool(browser, least_free_mb=400)
    async with pool.page(), pool.page() as second:
        assert not second.is_closed()
    assert looks == [100.0, 100.0, 900.0]


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
