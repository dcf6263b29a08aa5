"""The clock of a context, turned by a script."""

from typing import Any

import pytest

from patchright_mcp.async_api import Error, Frame, Page
from tests_py.support.site import Site

EIGHT = 1709193600000
"""The moment at which the clocks of these tests begin, in ms."""
HOUR = 3600 * 1000


async def now(page: Page | Frame) -> int:
    return int(await page.evaluate("Date.now()", isolated_context=False))


async def test_what_falls_due_is_called_as_the_clock_is_turned(page: Page) -> None:
    await page.clock.install(time="2024-02-29T08:00:00Z")
    await page.clock.pause_at(EIGHT / 1000 + 3600)
    calls: list[Any] = []
    await page.expose_function("note", calls.append)
    await page.evaluate(
        """() => {
            const begun = performance.now();
            setInterval(() => note(performance.now() - begun), 400);
            setTimeout(() => note('late'), 5000);
            clearTimeout(setTimeout(() => note('never'), 10));
        }""",
        isolated_context=False,
    )
    await page.clock.run_for(1000)
    assert calls == [400, 800]
    # Each is called once at the end of a jump, in the order in which they were due.
    await page.clock.fast_forward("01:00")
    assert calls[2:] == [61000, "late"]
    assert await now(page) == EIGHT + HOUR + 61000
    await page.clock.resume()
    await page.evaluate("new Promise(done => setTimeout(done, 1))", isolated_context=False)
    assert await now(page) > EIGHT + HOUR + 61000


async def test_all_documents_show_the_same_time(page: Page, site: Site) -> None:
    await page.clock.install(time=EIGHT / 1000)
    await page.clock.pause_at(EIGHT / 1000 + 3600)
    await page.goto(site.page("frames"))
    assert {await now(frame) for frame in page.frames} == {EIGHT + HOUR}
    async with page.expect_popup() as opened:
        await page.evaluate("() => { window.open('about:blank') }")
    await page.clock.run_for("02")
    assert {await now(each) for each in (*page.frames, (await opened.value).main_frame)} == {
        EIGHT + HOUR + 2000
    }
    # Our own world has the real time.
    assert await page.evaluate("Date.now()") > EIGHT + 24 * HOUR


async def test_dates_change_apart_from_timers(page: Page) -> None:
    await page.clock.set_fixed_time("2024-02-29T08:00:00Z")
    script = """new Promise(done => setTimeout(() => done([
        Date.now(), new Date().getTime(), Date().includes('2024'), new Date(0).getTime(),
        new Intl.DateTimeFormat('en', { year: 'numeric' }).format(), new Date() instanceof Date,
    ]), 1))"""
    result = await page.evaluate(script, isolated_context=False)
    assert result == [EIGHT, EIGHT, True, 0, "2024", True]
    await page.clock.set_system_time(EIGHT / 1000 + 1)
    assert EIGHT + 1000 <= await now(page) < EIGHT + HOUR


async def test_what_a_clock_cannot_do_is_said(page: Page) -> None:
    await page.clock.install(time=EIGHT / 1000)
    with pytest.raises(Error, match="Cannot fast-forward to the past"):
        await page.clock.pause_at(EIGHT / 1000 - 1)
    with pytest.raises(Error, match="Clock only understands numbers, 'mm:ss' and 'hh:mm:ss'"):
        await page.clock.run_for("1:2:3:4")
    with pytest.raises(Error, match="Invalid date: never"):
        await page.clock.set_fixed_time("never")
    await page.clock.pause_at(EIGHT / 1000 + 3600)
    script = (
        "() => { setTimeout(() => { throw new Error('broken') }); setTimeout(() => window.done = true, 5) }"
    )
    await page.evaluate(script, isolated_context=False)
    with pytest.raises(Error, match="broken"):
        await page.clock.run_for(10)
    assert await page.evaluate("window.done", isolated_context=False) is True
