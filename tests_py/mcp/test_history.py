"""Back, forward, again; and for what a navigation waits."""

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


async def test_back_forward_and_again(workshop: Workshop, site: Site) -> None:
    first = site.publish("/first", "<title>First</title><p>one")
    await workshop.open(first)
    await workshop.open(site.publish("/second", "<title>Second</title><p>two"))
    assert "First" in (await workshop.do("browser_history", action="back")).section("Page")
    assert "Second" in (await workshop.do("browser_history", action="forward")).section("Page")
    site.publish("/second", "<title>Second</title><p>two, renewed")
    assert "two, renewed" in (await workshop.do("browser_history", action="reload")).section("Snapshot")
    assert "There is no page to go forward to" in await workshop.refused("browser_history", action="forward")


async def test_a_fresh_load_passes_the_caches(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/page", "<p>page"))
    await workshop.do("browser_history", action="reload")
    await workshop.do("browser_history", action="fresh")
    asked = [request.headers.get("Cache-Control") for request in site.requested("/page")]
    assert asked == [None, "max-age=0", "no-cache"]


async def test_a_navigation_waits_for_what_it_is_reported(workshop: Workshop, site: Site) -> None:
    site.hold()
    url = site.publish("/slow", "<h1>Slow</h1><img src='/hold/picture'>")
    shown = await workshop.do("browser_navigate", url=url, waitUntil="domcontentloaded")
    assert "still loading" not in shown.text
    said = await workshop.refused("browser_navigate", url=url, waitUntil="load", timeout=500)
    assert "The page did not load within 500 ms" in said
    said = await workshop.refused("browser_history", action="reload", waitUntil="networkidle", timeout=500)
    assert "within 500 ms" in said
    site.release()
    await workshop.do("browser_navigate", url=url, waitUntil="load")
    assert await workshop.server.evaluate("() => document.readyState") == "complete"


@pytest.mark.parametrize("timeout", [0, -1, 99, "NaN", 1e9])
async def test_nonsense_is_refused_by_name_and_starts_no_pause(
    workshop: Workshop, site: Site, timeout: object
) -> None:
    url = site.page("form")
    assert "`timeout` must be" in await workshop.refused("browser_navigate", url=url, timeout=timeout)
    assert "`timeout` must be" in await workshop.refused("browser_history", action="reload", timeout=timeout)
    assert "`timeout` must be" in await workshop.refused("browser_wait_for", text="x", timeout=timeout)
    await workshop.open(url)
