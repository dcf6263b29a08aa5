"""Two servers, three browsers and a Redis: what each of them may lose."""

from __future__ import annotations

import logging
import os
import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests_py.fleet.conftest import opened as begin
from tests_py.support.certificates import Authority
from tests_py.support.fleet import ANSWER_S, Chromium, Fleet, Redis, Road, call, code, metric, status, text
from tests_py.support.http import HttpServer, until
from tests_py.support.site import Site

pytestmark = pytest.mark.long

SESSIONS = int(os.environ.get("PATCHRIGHT_FLEET_SESSIONS", "6"))
"""How many there are. More than a few only make it slow: `make fleet` has many."""
LOGGER = logging.getLogger(__name__)
IN_TROUBLE = SESSIONS if SESSIONS > 6 else 1
"""How many there are while the state is cut off, lost or slow."""


@pytest.fixture
def redis() -> Iterator[Redis]:
    with Redis() as redis:
        yield redis


@pytest.fixture
def fleet(tmp_path: Path, redis: Redis, browsers: list[Chromium]) -> Iterator[Fleet]:
    fleet = Fleet(tmp_path, redis, browsers)
    yield fleet
    fleet.close()


def opened(server: HttpServer, site: Site, count: int = SESSIONS) -> list[str]:
    """As many sessions as are wanted."""
    return begin(server, site, count)


def title(server: HttpServer, session: str) -> str:
    reported = call(
        server, "browser_evaluate", sessionId=session, function="() => document.title + document.cookie"
    )
    return text(reported)


def report(what: str, took_s: float) -> None:
    """Says how long something took, which `make fleet` shows."""
    LOGGER.info("%s within %.2f s, load %.0f", what, took_s, os.getloadavg()[0])


def titles(server: HttpServer, sessions: list[str]) -> None:
    """Each session answers as it was made, all asked at once."""

    def one(asked: tuple[int, str]) -> float:
        number, session = asked
        begun = time.monotonic()
        shown = title(server, session)
        assert f"page {number}number={number}" in shown, (number, shown)
        return time.monotonic() - begun

    with ThreadPoolExecutor(16) as workers:
        report(
            f"{len(sessions)} sessions asked at once, each answered",
            max(workers.map(one, enumerate(sessions))),
        )


def test_any_server_answers_for_a_session_and_sessions_spread(fleet: Fleet, site: Site) -> None:
    one, other = fleet.start(), fleet.start()
    sessions = opened(one, site)
    loads = [fleet.sessions_in(browser) for browser in fleet.browsers]
    assert sum(loads) == SESSIONS
    assert max(loads) - min(loads) <= 1, loads
    for number, session in enumerate(sessions):
        assert f"page {number}number={number}" in title(other, session)
    assert metric(other, "patchright_calls_forwarded_total") == SESSIONS
    listed = call(other, "list_sessions")["structuredContent"]
    assert {entry["sessionId"] for entry in listed["sessions"]} == set(sessions)
    assert not call(other, "close_session", sessionId=sessions[0]).get("isError")
    assert "SESSION_NOT_FOUND" in text(call(one, "browser_snapshot", sessionId=sessions[0]))
    assert fleet.owners_in_turn() >= SESSIONS


def test_a_server_that_is_killed_loses_no_session(fleet: Fleet, site: Site) -> None:
    one, other = fleet.start(), fleet.start()
    begun = time.monotonic()
    sessions = opened(one, site)
    report(f"{SESSIONS} sessions were opened", time.monotonic() - begun)
    snapshot = text(call(one, "browser_snapshot", sessionId=sessions[1]))
    ref = snapshot[snapshot.index("[ref=") + 5 :].split("]")[0]
    site.hold()
    with ThreadPoolExecutor(SESSIONS + 1) as workers:
        under_way = workers.submit(
            call, other, "navigate", sessionId=sessions[0], url=site.url("/hold/killed")
        )
        until(lambda: site.requested("/hold/killed"), "the request")
        killed = time.monotonic()
        one.process.send_signal(signal.SIGKILL)
        # What is asked while it dies may reach it still, and be lost.
        one.process.wait(20)
        asked = [workers.submit(title, other, session) for session in sessions[1:]]
        lost = under_way.result(ANSWER_S)
        report("the call under way was answered", time.monotonic() - killed)
        assert "the server that ran this call is gone" in text(lost)
        for number, answer in enumerate(asked, 1):
            assert f"page {number}number={number}" in answer.result(ANSWER_S)
        report(f"all {len(asked)} others were answered", time.monotonic() - killed)
    site.release()
    stale = call(other, "browser_click", sessionId=sessions[1], target=ref)
    assert code(stale) in {"unknown_ref", "stale_ref"}, stale
    assert not call(other, "browser_snapshot", sessionId=sessions[0]).get("isError")
    assert fleet.owners_in_turn() >= SESSIONS


def test_a_server_that_ends_hands_its_sessions_over(fleet: Fleet, site: Site) -> None:
    # Nobody could wait for such a lease: it is given back.
    one, other = fleet.start("--state-lease", "600000"), fleet.start()
    sessions = opened(one, site, 3)
    site.hold()
    with ThreadPoolExecutor(2) as workers:
        under_way = workers.submit(call, one, "navigate", sessionId=sessions[0], url=site.url("/hold/ended"))
        until(lambda: site.requested("/hold/ended"), "the request")
        one.process.send_signal(signal.SIGTERM)
        site.release()
        assert not under_way.result(20).get("isError")
    one.process.wait(20)
    for number, session in enumerate(sessions[1:], 1):
        assert f"page {number}number={number}" in title(other, session)
    assert (
        "another server has taken over"
        not in text(call(other, "browser_snapshot", sessionId=sessions[1])).lower()
    )
    assert fleet.owners_in_turn() >= 3


def test_a_server_that_may_be_back_is_not_asked_all_the_time(fleet: Fleet, site: Site) -> None:
    """As many may wait for it as it had sessions, and each is told in the end that nothing was done."""
    one, other = fleet.start("--state-lease", "600000"), fleet.start()
    (session,) = opened(one, site, 1)
    one.process.send_signal(signal.SIGKILL)
    one.process.wait(20)
    entry = call(other, "browser_snapshot", sessionId=session)
    assert "the server that has the session cannot be reached" in text(entry), entry
    # Ten seconds, and once a second.
    assert metric(other, "patchright_calls_forwarded_total") == 11


def test_a_browser_that_dies_takes_only_its_own_sessions(
    tmp_path: Path, redis: Redis, browsers: list[Chromium], site: Site
) -> None:
    mortal = Chromium()
    fleet = Fleet(tmp_path, redis, [*browsers[:2], mortal], "--restore")
    try:
        server = fleet.start()
        sessions = opened(server, site)
        dead = redis.ask("ZRANGE", f"{{patchright}}:node:{mortal.url}", "0", "-1")
        assert len(dead) == SESSIONS // 3
        mortal.kill()
        for number, session in enumerate(sessions):
            shown = title(server, session)
            assert (f"page {number}" in shown) == (session not in dead), shown
            if session in dead:
                call(server, "navigate", sessionId=session, url=site.page("form"))
                assert f"number={number}" in title(server, session), "its cookies came along"
        assert fleet.sessions_in(mortal) == 0
        assert not call(server, "create_session").get("isError")
    finally:
        fleet.close()
        mortal.end()


def test_a_server_cut_off_from_the_state_stops_before_another_takes_over(
    fleet: Fleet, redis: Redis, site: Site
) -> None:
    road = Road(redis.port)
    # There is a tenth of it in which the one has stopped and the other may not begin: who asks then, waits.
    one, other = fleet.start("--state-lease", "8000", state=road.port), fleet.start()
    sessions = opened(one, site, IN_TROUBLE)
    road.cut()
    # What is under way is given up in the moment in which it stops.
    given_up = call(one, "browser_evaluate", sessionId=sessions[-1], function="() => new Promise(() => {})")
    assert given_up["isError"], given_up
    assert status(one, "/ready") == 503
    titles(other, sessions)
    road.mend()
    until(lambda: status(one, "/ready") == 200, "that it is back")
    titles(one, sessions)
    assert metric(one, "patchright_calls_forwarded_total") >= IN_TROUBLE
    assert fleet.owners_in_turn() >= 3 * IN_TROUBLE
    road.close()


def test_sessions_outlive_a_state_that_was_lost(fleet: Fleet, redis: Redis, site: Site) -> None:
    one, other = fleet.start(), fleet.start()
    sessions = opened(one, site, IN_TROUBLE)
    redis.stop()
    # As long as the lease, nobody can tell.
    until(lambda: status(one, "/ready") == 503, "that it is noticed")
    gone = call(one, "browser_evaluate", sessionId=sessions[-1], function="() => 1")
    assert "shared state" in text(gone), gone
    redis.start()
    until(lambda: status(one, "/ready") == 200, "that it is back")
    titles(one, sessions)
    titles(other, sessions)
    assert fleet.owners_in_turn() >= 3 * IN_TROUBLE


def test_a_slow_state_makes_calls_slow_and_no_more(fleet: Fleet, redis: Redis, site: Site) -> None:
    road = Road(redis.port)
    road.delay_s = 0.05
    one, other = fleet.start(state=road.port), fleet.start()
    sessions = opened(one, site, IN_TROUBLE)
    for server in (one, other):
        titles(server, sessions)
    assert fleet.owners_in_turn() >= 3 * IN_TROUBLE
    road.close()


def test_a_client_goes_on_with_another_server(fleet: Fleet, site: Site) -> None:
    one, other = fleet.start(), fleet.start()
    client = one.begin()
    client.text("browser_navigate", url=site.page("form"))
    client.server = other
    assert "form" in client.text("browser_evaluate", function="() => location.href"), (
        "the other one asks the first"
    )
    one.process.send_signal(signal.SIGKILL)
    one.process.wait(20)

    def goes_on() -> bool:
        message = {"jsonrpc": "2.0", "id": 9, "method": "tools/list"}
        return client.post(message).status == 200

    until(goes_on, "an answer without beginning again")
    client.text("browser_navigate", url=site.page("form"))


def test_all_servers_pause_together(fleet: Fleet, site: Site) -> None:
    one, other = fleet.start("--timeout-navigation", "2500"), fleet.start()
    site.hold()
    begun = call(one, "patchright_fetch", url=site.url("/hold/pause"))
    site.release()
    assert "cooldown" in str(begun) or "login_timeout" in str(begun), begun
    paused = call(other, "list_sessions")
    assert paused["structuredContent"]["status"] == "cooldown", paused


def test_all_servers_keep_their_distance_from_a_site(fleet: Fleet, site: Site) -> None:
    servers = [fleet.start("--min-interval", "700"), fleet.start("--min-interval", "700")]
    begun = time.monotonic()

    def visit(server: HttpServer) -> float:
        (session,) = opened(server, site, 1)
        call(server, "navigate", sessionId=session, url=site.page("form"))
        return time.monotonic() - begun

    with ThreadPoolExecutor(2) as workers:
        ended = list(workers.map(visit, servers))
    # Four visits, and so three distances between them, whichever server made them.
    assert max(ended) >= 2.1, ended


def test_the_state_takes_a_password(tmp_path: Path, browsers: list[Chromium], site: Site) -> None:
    with Redis("open sesame") as redis:
        fleet = Fleet(tmp_path, redis, browsers[:1])
        try:
            server = fleet.start(state_url=f"redis://:open%20sesame@127.0.0.1:{redis.port}")
            (session,) = opened(server, site, 1)
            assert "page 0" in title(server, session)
            assert "sesame" not in "".join(server.log)
        finally:
            fleet.close()


def test_the_state_is_reached_over_tls_by_who_trusts_it(
    tmp_path: Path, browsers: list[Chromium], site: Site
) -> None:
    authority = Authority(tmp_path)
    authority.server("127.0.0.1")
    with Redis("open sesame", tmp_path / "127.0.0.1.pem") as redis:
        fleet = Fleet(tmp_path, redis, browsers[:1])
        there = f":open%20sesame@127.0.0.1:{redis.port}"
        try:
            trusts = {"SSL_CERT_FILE": str(authority.path)}
            server = fleet.start(state_url=f"rediss://{there}", env=trusts)
            (session,) = opened(server, site, 1)
            assert "page 0" in title(server, session)
            refused = [
                fleet.start(state_url=f"rediss://{there}", is_ready=False),
                fleet.start(state_url=f"redis://{there}", env=trusts, is_ready=False),
                fleet.start(state_url=f"rediss://:wrong@127.0.0.1:{redis.port}", env=trusts, is_ready=False),
            ]
            for other in refused:
                made = call(other, "create_session")
                assert "shared state" in text(made), made
                assert status(other, "/ready") == 503
                assert "sesame" not in "".join(other.log)
        finally:
            fleet.close()
