"""Whoever has one machine pays for none of this."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests_py.support.fleet import Fleet, Redis
from tests_py.support.site import Site
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long


def connections(pid: int) -> list[str]:
    """The TCP sockets of a process: the other end of each."""
    own = set()
    for entry in Path(f"/proc/{pid}/fd").iterdir():
        with suppress(OSError):
            own.add(str(entry.readlink()))
    tables = [Path(f"/proc/{pid}/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
    rows = [row.split() for table in tables for row in table]
    return [row[2] for row in rows if f"socket:[{row[9]}]" in own]


def threads(pid: int) -> set[str]:
    """The names of its threads."""
    names = set()
    for entry in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            names.add((entry / "comm").read_text().strip())
    return names


def test_without_other_servers_nothing_is_connected_to(new_wire: Callable[..., Wire], site: Site) -> None:
    wire = new_wire("--headless")
    wire.shake_hands()
    assert "Register" in str(wire.call("browser_navigate", url=site.page("form")))
    assert connections(wire.process.pid) == []
    assert "replica lives" not in threads(wire.process.pid)


def test_with_them_it_is_seen(tmp_path: Path) -> None:
    """So that the test above would see it."""
    with Redis() as redis:
        fleet = Fleet(tmp_path, redis, [])
        try:
            server = fleet.start()
            assert connections(server.process.pid)
            assert "replica lives" in threads(server.process.pid)
        finally:
            fleet.close()
