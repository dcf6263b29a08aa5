"""Many clients at once."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from tests_py.support.extent import extent
from tests_py.support.http import HttpServer, memory_kb
from tests_py.support.site import Site

pytestmark = pytest.mark.long

CLIENTS = extent(10, 50)
CALLS = 20


async def settled(pid: int, aim_kb: float = 0) -> int:
    """The least memory that is seen until it is `aim_kb`, or no longer shrinks for a while."""
    least, patience = memory_kb(pid), 20
    while least > aim_kb and patience:
        await asyncio.sleep(0.5)
        now = memory_kb(pid)
        patience = 20 if now < least else patience - 1
        least = min(least, now)
    return least


@pytest.mark.timeout(600)
async def test_many_clients_each_see_their_own_page_and_leave_nothing(tmp_path: Path, site: Site) -> None:
    with HttpServer(tmp_path) as server:

        async def work(number: int) -> None:
            async with server.connect() as client:
                await client.open(f"{site.page('form')}?client={number}")
                for call in range(CALLS - 1):
                    seen = await client.evaluate(f"() => [location.search, {call}].join()")
                    assert f"?client={number},{call}" in seen

        # What the first crowd makes the process learn stays (tables, arenas); what clients leave must not.
        await asyncio.gather(*(work(number) for number in range(CLIENTS)))
        before = await settled(server.pid)
        await asyncio.gather(*(work(number) for number in range(CLIENTS)))
        after = await settled(server.pid, before * 1.1)
        assert after <= before * 1.1, f"{before} kB after the first crowd, {after} kB after the second"
