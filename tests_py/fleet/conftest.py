"""Browsers that somebody else runs, and servers for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests_py.support.fleet import Chromium, call
from tests_py.support.http import HttpServer
from tests_py.support.site import Site


@pytest.fixture(scope="module")
def browsers() -> Iterator[list[Chromium]]:
    browsers = [Chromium() for _ in range(3)]
    yield browsers
    for browser in browsers:
        browser.end()


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Callable[..., HttpServer]]:
    servers: list[HttpServer] = []

    def start(*arguments: str, env: dict[str, str] | None = None) -> HttpServer:
        servers.append(HttpServer(tmp_path, *arguments, env=env))
        return servers[-1]

    yield start
    for server in servers:
        with server:
            pass


def opened(server: HttpServer, site: Site, count: int, **arguments: object) -> list[str]:
    """Sessions, each with a cookie and a word of its own in its page."""

    def one(number: int) -> str:
        made = call(server, "create_session", **arguments)
        assert not made.get("isError"), made
        session = str(made["structuredContent"]["sessionId"])
        came = call(server, "navigate", sessionId=session, url=site.page("form"))
        assert not came.get("isError"), came
        script = f"() => {{ document.title = 'page {number}'; document.cookie = 'number={number}'; }}"
        written = call(server, "browser_evaluate", sessionId=session, function=script)
        assert not written.get("isError"), written
        return session

    with ThreadPoolExecutor(4) as workers:
        return list(workers.map(one, range(count)))
