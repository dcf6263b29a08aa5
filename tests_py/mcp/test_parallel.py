"""Calls at the same time: on one page they take turns, on ten pages they do not wait for each other."""

import asyncio

import pytest

from tests_py.support.site import Site
from tests_py.support.wire import until
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long

PAGES = 10
COUNT_WHO_IS_INSIDE = """async () => {
  window.inside = (window.inside ?? 0) + 1;
  const inside = window.inside;
  await new Promise((resolve) => setTimeout(resolve, 10));
  window.inside -= 1;
  return inside;
}"""


async def test_calls_on_one_page_never_overlap(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    calls = [workshop.server.evaluate(COUNT_WHO_IS_INSIDE) for _ in range(PAGES)]
    assert await asyncio.gather(*calls) == ["1"] * PAGES


async def test_calls_on_ten_pages_are_all_under_way_at_once(workshop: Workshop, site: Site) -> None:
    made = [await workshop.do("create_session") for _ in range(PAGES)]
    sessions = [str((reply.structured or {})["sessionId"]) for reply in made]
    opened = [
        workshop.do("browser_navigate", url=site.page("form"), sessionId=session) for session in sessions
    ]
    await asyncio.gather(*opened)
    site.hold()
    calls = [
        asyncio.ensure_future(
            workshop.do(
                "browser_evaluate",
                function=f"async () => (await fetch('/hold/{number}')).status",
                sessionId=session,
            )
        )
        for number, session in enumerate(sessions)
    ]
    # Nobody is answered before all have asked: calls that waited for each other would never get here.
    paths = [f"/hold/{number}" for number in range(PAGES)]
    await asyncio.to_thread(until, lambda: all(map(site.requested, paths)), "the last request")
    site.release()
    assert [reply.section("Result") for reply in await asyncio.gather(*calls)] == ["200"] * PAGES
    for session in sessions:
        await workshop.do("close_session", sessionId=session)
