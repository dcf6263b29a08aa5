"""Many clients at once."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import pytest

from tests_py.support.http import HttpServer
from tests_py.support.site import Site

CLIENTS = 50
CALLS = 20


def memory_kb(pid: int) -> int:
    found = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{pid}/smaps_rollup").read_text(), re.MULTILINE)
    assert found
    return int(found[1])


@pytest.mark.timeout(600)
async def test_fifty_clients_each_see_their_own_page_and_leave_nothing(tmp_path: Path, site: Site) -> None:
    with HttpServer(tmp_path) as server:

        async def work(number: int) -> None:
            async with server.connect() as client:
                await client.open(f"{site.page('form')}?client={number}")
                for call in range(CALLS - 1):
                    seen = await client.evaluate(f"() => [location.search, {call}].join()")
                    assert f"?client={number},{call}" in seen

        await work(0)
        before = memory_kb(server.pid)
        await asyncio.gather(*(work(number) for number in range(1, CLIENTS + 1)))
        least = before * 1.10
        end = asyncio.get_running_loop().time() + 30
        while (after := memory_kb(server.pid)) > least and asyncio.get_running_loop().time() < end:
            await asyncio.sleep(0.5)
        assert after <= least, f"{before} kB before, {after} kB after"
