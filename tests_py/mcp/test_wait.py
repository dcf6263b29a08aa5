"""Waiting for a page."""

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


async def later(workshop: Workshop, change: str) -> None:
    """Has the page do something a little later."""
    await workshop.server.evaluate(f"() => {{ setTimeout(() => {{ {change} }}, 200); }}")


async def test_a_text_is_waited_for_until_it_can_be_read(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("consequences"))
    await later(workshop, "say('Loading complete')")
    after = await workshop.do("browser_wait_for", text="Loading complete")
    assert "Text 'Loading complete' appeared on page" in after.section("Result")
    assert "Loading complete" in after.section("Snapshot")


async def test_a_text_is_waited_for_until_it_is_gone(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("consequences"))
    await workshop.server.evaluate("() => say('Loading …')")
    await later(workshop, "document.querySelector('output').hidden = true")
    after = await workshop.do("browser_wait_for", textGone="Loading …")
    assert "disappeared from page" in after.section("Result")


async def test_a_text_in_a_frame_of_another_process_counts(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("frames"))
    await workshop.do("browser_wait_for", text="Press inside")


async def test_a_time_is_waited(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    before = float(await workshop.server.evaluate("() => performance.now()"))
    told = await workshop.do("browser_wait_for", time=0.5)
    assert "Waited for 0.5 seconds" in told.section("Result")
    assert float(await workshop.server.evaluate("() => performance.now()")) - before >= 500


@pytest.mark.parametrize("arguments", [{}, {"text": "a", "time": 1}, {"text": "a", "textGone": "b"}])
async def test_one_thing_is_waited_for_at_a_time(workshop: Workshop, arguments: dict[str, object]) -> None:
    assert "Give exactly one" in await workshop.refused("browser_wait_for", **arguments)


async def test_nobody_waits_longer_than_a_minute(workshop: Workshop) -> None:
    assert "`time` must be at most 60" in await workshop.refused("browser_wait_for", time=61)
