"""Browsers of a pool: how they are reached, and which of them takes a session."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from tests_py.fleet.conftest import opened
from tests_py.fleet.test_fleet import title
from tests_py.support.certificates import Authority
from tests_py.support.fleet import Chromium, Gateway, Grid, call, free_port, metric, status, text
from tests_py.support.http import HttpServer, until
from tests_py.support.site import Site

pytestmark = pytest.mark.long


def listed(tmp_path: Path, *entries: Mapping[str, object]) -> str:
    """A file that lists these browsers."""
    pool = tmp_path / "pool.json"
    pool.write_text(json.dumps(list(entries)))
    return str(pool)


def test_a_pool_alone_spreads_clients_and_sessions(
    started: Callable[..., HttpServer], browsers: list[Chromium], site: Site
) -> None:
    server = started("--pool", ",".join(browser.url for browser in browsers), "--metrics")
    sessions = opened(server, site, 3)
    assert metric(server, "patchright_browsers") == 3
    assert metric(server, "patchright_sessions") == 3
    assert metric(server, 'patchright_call_seconds_count{tool="create_session"}') == 3
    assert [f"page {number}" in title(server, session) for number, session in enumerate(sessions)] == [
        True
    ] * 3
    answer = server.ask([f"Host: {server.host}:{server.port}"], method="GET", path="/metrics").body.decode()
    assert answer.endswith("# EOF\n")
    assert site.url("")[:16] not in answer


def test_a_grid_starts_browsers_and_gets_them_back(
    started: Callable[..., HttpServer], browsers: list[Chromium], site: Site, tmp_path: Path
) -> None:
    """Against a stand-in made from the grid's documentation."""
    with Grid(browsers[0]) as grid:
        pool = tmp_path / "pool.json"
        pool.write_text(
            json.dumps(
                [{"url": grid.url, "service": "selenium", "headers": {"Authorization": "Basic Z3JpZA=="}}]
            )
        )
        server = started("--pool", str(pool))
        sessions = opened(server, site, 2)
        assert [f"page {number}" in title(server, session) for number, session in enumerate(sessions)] == [
            True
        ] * 2
        assert grid.begun == 1, "all sessions are in one browser of the grid"
        assert grid.keys == {"Basic Z3JpZA=="}
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(20)
        assert grid.ended == 1


def test_a_pool_follows_its_file(
    started: Callable[..., HttpServer], browsers: list[Chromium], site: Site, tmp_path: Path
) -> None:
    pool = tmp_path / "pool.json"

    def write(*entries: dict[str, object]) -> None:
        pool.write_text(json.dumps(list(entries)))

    write({"url": browsers[0].url, "labels": ["eu"]}, {"url": browsers[1].url, "draining": True})
    server = started("--pool", str(pool))
    made = [call(server, "create_session", label=label) for label in ("eu", "us")]
    assert [bool(one.get("isError")) for one in made] == [False, True]
    assert "every browser in the pool is full" in text(made[1])
    session = str(made[0]["structuredContent"]["sessionId"])
    call(server, "navigate", sessionId=session, url=site.page("form"))
    write(
        {"url": browsers[0].url, "labels": ["eu"], "draining": True},
        {"url": browsers[1].url, "labels": ["us"]},
    )
    until(lambda: not call(server, "create_session", label="us").get("isError"), "that the file is read")
    assert call(server, "create_session", label="eu").get("isError")
    assert "Register" in text(call(server, "browser_snapshot", sessionId=session)), (
        "what drains keeps what it has"
    )


def test_a_browser_behind_tls_is_reached_with_its_headers(
    started: Callable[..., HttpServer], browsers: list[Chromium], site: Site, tmp_path: Path
) -> None:
    authority = Authority(tmp_path)
    with Gateway(browsers[0].port, authority.server("127.0.0.1"), "sesame-5") as gateway:
        address = f"https://127.0.0.1:{gateway.port}"
        right, wrong = {"X-Key": "sesame-5"}, {"X-Key": "sesame-6"}
        trusts = {"SSL_CERT_FILE": str(authority.path)}
        server = started("--pool", listed(tmp_path, {"url": address, "headers": right}), env=trusts)
        (session,) = opened(server, site, 1)
        assert "page 0" in title(server, session)
        ways = {path.split("/")[1] for path in gateway.let_in}
        assert ways == {"json", "devtools"}, "asked for its socket, and reached there"
        assert gateway.refused == 0
        assert "sesame" not in "".join(server.log)

        for entry, env in (
            ({"url": address, "headers": wrong}, trusts),
            ({"url": address, "headers": right}, {}),
        ):
            other = started("--pool", listed(tmp_path, entry), env=env)
            before = len(gateway.let_in)
            made = call(other, "create_session")
            assert made.get("isError"), made
            assert "sesame" not in str(made)
            assert len(gateway.let_in) == before


def test_sessions_go_where_there_is_room_for_them(
    started: Callable[..., HttpServer], browsers: list[Chromium], site: Site, tmp_path: Path
) -> None:
    pool = listed(
        tmp_path,
        {"url": browsers[0].url, "capacity": 1, "labels": ["eu", "small"]},
        {"url": browsers[1].url, "capacity": 3, "labels": ["eu"]},
        {"url": browsers[2].url, "capacity": 3, "labels": ["us"]},
    )
    server = started("--pool", pool)
    made = opened(server, site, 4, label="eu")
    assert "every browser in the pool is full" in text(call(server, "create_session", label="eu"))
    assert "every browser in the pool is full" in text(call(server, "create_session", label="small"))
    assert not call(server, "create_session", label="us").get("isError")
    for session in made[:2]:
        assert not call(server, "close_session", sessionId=session).get("isError")
    assert not call(server, "create_session", label="eu").get("isError")


def test_a_name_stands_for_the_browsers_that_it_leads_to(
    started: Callable[..., HttpServer], browsers: list[Chromium], site: Site, tmp_path: Path
) -> None:
    """One that does not lead anywhere yet is looked up again."""
    server = started("--pool", f"dns+http://localhost:{browsers[0].port}", "--metrics")
    (session,) = opened(server, site, 1)
    assert "page 0" in title(server, session)
    assert metric(server, "patchright_pool_browsers") == 1

    nowhere = {"url": f"dns+http://nowhere.invalid:{browsers[0].port}"}
    later = started("--pool", listed(tmp_path, nowhere))
    assert "every browser in the pool is full" in text(call(later, "create_session"))
    assert status(later, "/ready") == 503
    listed(tmp_path, {"url": f"dns+http://localhost:{browsers[0].port}"})
    until(lambda: not call(later, "create_session").get("isError"), "that it is looked up")
    assert status(later, "/ready") == 200


def test_one_that_is_not_there_is_passed_over_until_it_is(
    started: Callable[..., HttpServer], browsers: list[Chromium], site: Site
) -> None:
    port = free_port()
    server = started("--pool", f"http://127.0.0.1:{port},{browsers[0].url}", "--metrics")
    sessions = opened(server, site, 2)
    assert ["page" in title(server, session) for session in sessions] == [True, True]
    assert metric(server, "patchright_browsers") == 1
