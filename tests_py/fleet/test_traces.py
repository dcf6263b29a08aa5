"""Spans of calls, as a collector of OpenTelemetry is sent them."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests_py.support.fleet import Chromium, Fleet, Redis, call
from tests_py.support.http import KEY, HttpServer, until
from tests_py.support.site import Site

pytestmark = pytest.mark.long

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
CALLER = "00f067aa0ba902b7"


class Collector:
    """Takes spans, and does so only if it is told to."""

    def __init__(self) -> None:
        self.answers: list[int] = []
        """What it answers next; then that all is well."""
        self.bodies: list[str] = []
        self.asked: list[tuple[str, str, str]] = []
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                kind, key = self.headers["Content-Type"], self.headers.get("X-Key", "")
                collector.asked.append((self.path, kind, key))
                status = collector.answers.pop(0) if collector.answers else 200
                if status == 200:
                    collector.bodies.append(body)
                self.send_response(status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_: object) -> None:
                """Says nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def resources(self) -> list[dict[str, Any]]:
        """What spans are told of, in the order in which it came."""
        return [one for body in self.bodies for one in json.loads(body)["resourceSpans"]]

    def spans(self) -> list[dict[str, Any]]:
        """The spans that it was sent."""
        scopes = [scope for resource in self.resources() for scope in resource["scopeSpans"]]
        return [span for scope in scopes for span in scope["spans"]]

    def of(self, tool: str) -> list[dict[str, Any]]:
        """Those of calls of this tool."""
        return [span for span in self.spans() if span["name"] == f"tools/call {tool}"]


def attributes(expected: dict[str, Any]) -> dict[str, str]:
    """The attributes of a span or a resource."""
    return {one["key"]: one["value"]["stringValue"] for one in expected["attributes"]}


@pytest.fixture
def collector() -> Iterator[Collector]:
    collector = Collector()
    yield collector
    collector.close()


def test_each_call_is_a_span_without_addresses_and_keys(
    started: Callable[..., HttpServer], collector: Collector, site: Site
) -> None:
    server = started("--otlp", collector.url, "--otlp-header", "X-Key: sesame-7", "--timeout-settle", "50")
    client = server.begin()
    client.text("browser_navigate", url=site.page("form"))
    failed = client.call("browser_click", target="#nothing-of-this-name")
    assert failed["isError"]
    until(lambda: collector.of("browser_click"), "the spans")

    (went,), (clicked,) = collector.of("browser_navigate"), collector.of("browser_click")
    assert attributes(went) == {
        "mcp.method.name": "tools/call",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "browser_navigate",
    }
    assert went["status"] == {}
    assert clicked["status"] == {"code": 2}
    assert attributes(clicked)["error.type"] == failed["_meta"]["errorCode"]
    for span in (went, clicked):
        assert len(span["traceId"]) == 32
        assert len(span["spanId"]) == 16
        assert span["kind"] == 2
        assert 0 < int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"]) < 60e9
    assert went["traceId"] != clicked["traceId"], "whoever names no trace has each call in one of its own"
    resource = attributes(collector.resources()[0]["resource"])
    assert resource["service.name"] == "patchright-mcp"
    assert resource["service.instance.id"]
    assert collector.asked[0] == ("/v1/traces", "application/json", "sesame-7")
    shown = "".join(collector.bodies)
    for secret in (site.origin, "form.html", "#nothing", KEY, "sesame"):
        assert secret not in shown
    assert "sesame" not in "".join(server.log)


def test_a_call_belongs_to_the_trace_of_its_caller(
    started: Callable[..., HttpServer], collector: Collector
) -> None:
    server = started("--otlp", collector.url)
    client = server.begin()
    message = {"jsonrpc": "2.0", "id": 5, "method": "tools/call"}
    params = {"name": "list_sessions", "arguments": {}}
    given = {"_meta": {"traceparent": f"00-{TRACE}-{CALLER}-01"}}
    client.post({**message, "params": {**params, **given}})
    unrecorded = {"_meta": {"traceparent": f"00-{TRACE[::-1]}-{CALLER}-00"}}
    client.post({**message, "params": {**params, **unrecorded}})
    client.post({**message, "params": params})
    until(lambda: len(collector.spans()) == 2, "the spans")
    below, alone = collector.spans()
    assert (below["traceId"], below["parentSpanId"]) == (TRACE, CALLER)
    assert alone["traceId"] != TRACE
    assert "parentSpanId" not in alone
    assert TRACE[::-1] not in "".join(collector.bodies), "what is not recorded is not sent"


def test_spans_wait_for_a_collector_that_is_busy_and_go_out_at_the_end(
    started: Callable[..., HttpServer], collector: Collector
) -> None:
    collector.answers = [503, 429]
    server = started("--otlp", collector.url)
    client = server.begin()
    client.call("list_sessions")
    until(lambda: collector.of("list_sessions"), "the third attempt")
    assert len(collector.asked) == 3
    client.call("list_sessions")
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(20)
    assert len(collector.of("list_sessions")) == 2, "what had not gone out yet goes at the end"


def test_a_collector_that_refuses_or_is_not_there_holds_nobody_up(
    started: Callable[..., HttpServer], collector: Collector
) -> None:
    collector.answers = [400]
    server = started("--otlp", collector.url)
    client = server.begin()
    client.call("list_sessions")
    until(lambda: "the collector refuses spans" in "".join(server.log), "the complaint")
    assert len(collector.asked) == 1
    collector.close()
    assert not client.call("list_sessions").get("isError")
    server.process.send_signal(signal.SIGTERM)
    assert server.process.wait(20) == 0


def test_without_it_nothing_is_sent(started: Callable[..., HttpServer], collector: Collector) -> None:
    server = started()
    server.begin().call("list_sessions")
    server.process.send_signal(signal.SIGTERM)
    server.process.wait(20)
    assert collector.asked == []


def test_a_call_that_is_passed_on_is_one_trace(
    tmp_path: Path, browsers: list[Chromium], collector: Collector, site: Site
) -> None:
    with Redis() as redis:
        fleet = Fleet(tmp_path, redis, browsers[:1], "--otlp", collector.url)
        try:
            one, other = fleet.start(), fleet.start()
            session = str(call(one, "create_session")["structuredContent"]["sessionId"])
            assert not call(other, "navigate", sessionId=session, url=site.page("form")).get("isError")
            until(lambda: len(collector.of("navigate")) == 2, "both spans")
            spans = {span.get("parentSpanId"): span for span in collector.of("navigate")}
            outer = spans.pop(None)
            (inner,) = spans.values()
            assert inner["traceId"] == outer["traceId"]
            assert inner["parentSpanId"] == outer["spanId"]
            instances = {
                attributes(entry["resource"])["service.instance.id"] for entry in collector.resources()
            }
            assert len(instances) == 2
        finally:
            fleet.close()
