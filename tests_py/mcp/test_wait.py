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
    answer = await workshop.do("browser_wait_for", time=0.5)
    assert "Waited for 0.5 seconds" in answer.section("Result")
    assert float(await workshop.server.evaluate("() => performance.now()")) - before >= 500


@pytest.mark.parametrize("arguments", [{}, {"text": "a", "time": 1}, {"text": "a", "textGone": "b"}])
async def test_one_thing_is_waited_for_at_a_time(workshop: Workshop, arguments: dict[str, object]) -> None:
    assert "Give exactly one" in await workshop.refused("browser_wait_for", **arguments)


async def test_nobody_waits_longer_than_a_minute(workshop: Workshop) -> None:
    assert "`time` must be at most 60" in await workshop.refused("browser_wait_for", time=61)


async def test_an_element_is_waited_for_until_it_can_be_seen_and_until_it_cannot(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/late", "<p id=it hidden>It</p>"))
    await later(workshop, "document.querySelector('#it').hidden = false")
    await workshop.do("browser_wait_for", selector="#it")
    assert "It" in (await workshop.server.snapshot()).section("Snapshot")
    await later(workshop, "document.querySelector('#it').remove()")
    await workshop.do("browser_wait_for", selectorGone="#it")
    said = await workshop.refused("browser_wait_for", selector="#it", timeout=300)
    assert "Timed out after 300 ms waiting for the element" in said
    assert "selector is invalid" in await workshop.refused("browser_wait_for", selector="p[", timeout=300)


async def test_an_address_is_waited_for(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await later(workshop, "history.pushState(null, '', '/there/7?x=1')")
    await workshop.do("browser_wait_for", url="/there/*x=1")
    assert "Timed out after" in await workshop.refused("browser_wait_for", url="/elsewhere", timeout=200)


async def test_a_response_is_waited_for_and_reported(workshop: Workshop, site: Site) -> None:
    site.hold()
    await workshop.open(site.page("form"))
    await later(workshop, "fetch('/hold/data?n=1')")
    assert "Timed out after" in await workshop.refused("browser_wait_for", response="/hold/data", timeout=400)
    site.release()
    answer = await workshop.do("browser_wait_for", response="/hold/*n=1")
    assert "Answered 200" in answer.section("Result")


async def test_a_condition_is_waited_for(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await later(workshop, "window.ready = 1")
    await workshop.do("browser_wait_for", function="() => window.ready")
    assert "Timed out after" in await workshop.refused(
        "browser_wait_for", function="() => window.never", timeout=300
    )


@pytest.mark.long
async def test_rest_and_silence_of_the_network_are_waited_for(workshop: Workshop, site: Site) -> None:
    site.hold()
    await workshop.open(site.page("form"))
    await workshop.server.evaluate("() => { fetch('/hold/rest') }")
    for state in ("load", "domcontentloaded"):
        await workshop.do("browser_wait_for", state=state)
    site.release()
    for state in ("networkidle", "idle"):
        await workshop.do("browser_wait_for", state=state)


async def test_a_download_is_waited_for(workshop: Workshop, site: Site) -> None:
    site.hold()
    await workshop.open(site.publish("/get", "<a href='/hold/file' download='late.txt'>Get</a>"))
    await workshop.do("browser_click", ref="text=Get")
    refused = await workshop.refused("browser_wait_for", state="download", timeout=300)
    assert "No download finished within" in refused
    assert "browser_network_requests" in refused
    site.release()
    answer = await workshop.do("browser_wait_for", state="download")
    assert "Downloaded late.txt to" in answer.section("Events")
    # It is answered once: the next wait is for another one.
    assert "No download finished" in await workshop.refused("browser_wait_for", state="download", timeout=300)


async def test_a_download_that_was_reported_of_already_is_waited_for_no_more(
    workshop: Workshop, site: Site
) -> None:
    reply = await workshop.open(
        site.publish("/have", "<a href='data:text/plain,x' download='now.txt'>Get</a>")
    )
    reply = await workshop.do("browser_click", ref="text=Get")
    while "Downloaded now.txt" not in reply.text:  # The test's own limit ends this.
        reply = await workshop.server.snapshot()
    answer = await workshop.do("browser_wait_for", state="download")
    assert "No download goes on: now.txt is at " in answer.section("Result")


async def test_a_wait_is_for_what_was_begun_last(workshop: Workshop, site: Site) -> None:
    site.hold()
    await workshop.open(
        site.publish(
            "/two",
            "<a href='data:text/plain,x' download='old.txt'>Old</a> <a href='/hold/file' download>New</a>",
        )
    )
    reply = await workshop.do("browser_click", ref="text=Old")
    while "Downloaded old.txt" not in reply.text:  # The test's own limit ends this.
        reply = await workshop.server.snapshot()
    # Nothing has been heard of the new one yet: its server has not answered.
    await workshop.do("browser_click", ref="text=New")
    assert "No download finished" in await workshop.refused("browser_wait_for", state="download", timeout=300)
    site.release()
    answer = await workshop.do("browser_wait_for", state="download")
    assert "old.txt" not in answer.section("Result")
