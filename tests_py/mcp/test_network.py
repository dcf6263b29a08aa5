"""Requests of the page: searched, shown whole, changed on their way; and requests that no page makes."""

import gzip
import json

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

DATA = json.dumps({"items": [{"id": number, "name": f"Thing {number}"} for number in range(2000)]})
ASK = """async (path) => {
  const answer = await fetch(path, { method: "POST", headers: { "X-Asked": "yes" }, body: "sent=1" });
  return answer.text();
}"""

READ = """async () => {
  const answer = await fetch("/api/x");
  return [answer.status, await answer.text(), answer.headers.get("content-type")].join();
}"""


async def ask(workshop: Workshop, path: str) -> str:
    return await workshop.server.evaluate(f"() => ({ASK})('{path}')")


def requests_in(result: str) -> list[dict[str, object]]:
    """The list in an answer."""
    listed: list[dict[str, object]] = json.loads(result.partition("\n\n")[2])
    return listed


async def test_loads_that_are_led_to_another_origin_go_on_while_something_is_routed(
    workshop: Workshop, site: Site
) -> None:
    headers = {"Access-Control-Allow-Origin": site.origin}
    site.publish("/end", "there", "text/plain", headers)
    site.lead("/hop", f"{site.other_origin}/end")
    await workshop.do("browser_context_create", name="led")
    await workshop.open(site.page("form"))
    load = "() => fetch('/hop').then(r => r.text(), () => 'failed')"
    await workshop.do("browser_route", action="block", url="/zz")
    assert await workshop.server.evaluate(load) == "there"
    await workshop.do("browser_route", action="clear")
    await workshop.do("browser_access", username="me", password="secret")  # noqa: S106
    assert await workshop.server.evaluate(load) == "there"
    await workshop.do("browser_context_close", name="led")


async def test_a_request_is_found_by_what_was_answered_and_shown_whole(
    workshop: Workshop, site: Site
) -> None:
    site.publish("/api/things", DATA, kind="application/json")
    site.publish("/api/others", "{}", kind="application/json")
    await workshop.open(site.page("form"))
    await workshop.server.evaluate(
        "async () => { await fetch('/api/others'); await fetch('/api/things?q=1') }"
    )
    found = requests_in((await workshop.do("browser_network_search", text="thing 1999")).section("Result"))
    assert [request["url"] for request in found] == [site.url("/api/things?q=1")]
    number = found[0]["id"]
    listed = requests_in((await workshop.do("browser_network_requests")).section("Result"))
    assert number in [request["id"] for request in listed]
    shown = json.loads((await workshop.do("browser_network_request", id=number)).section("Result"))
    assert shown["responseHeaders"]["Content-Type"] == "application/json"
    assert "User-Agent" in shown["requestHeaders"]
    part = await workshop.do("browser_network_request", id=number, part="body", path="items[3].name")
    assert '"Thing 3"' in part.section("Result")
    ids = {"part": "body", "path": "items[*].id", "filename": "ids"}
    names = await workshop.do("browser_network_request", id=number, **ids)
    assert "Written to" in names.section("Result")
    written = (workshop.folder / ".patchright-mcp" / "ids.txt").read_text()
    assert json.loads(written) == list(range(2000))
    piece = (await workshop.do("browser_network_request", id=number, part="body", maxChars=50)).section(
        "Result"
    )
    assert f"characters 0 to 50 of {len(DATA)}" in piece
    assert "leads nowhere" in await workshop.refused(
        "browser_network_request", id=number, part="body", path="x.y"
    )
    assert "there is no request 999999" in await workshop.refused("browser_network_request", id=999999)


async def test_a_key_is_a_key_whatever_it_is_called(workshop: Workshop, site: Site) -> None:
    # What the library that reads JSON for us could take for more than that.
    thing = {"$serde_json::private::RawValue": "[1]"}
    site.publish("/api/thing", json.dumps({"things": [thing]}), kind="application/json")
    await workshop.open(site.page("form"))
    await workshop.server.evaluate("async () => { await fetch('/api/thing') }")
    answer = await workshop.do("browser_network_search", url="/api/thing")
    (found,) = requests_in(answer.section("Result"))
    shown = await workshop.do("browser_network_request", id=found["id"], part="body", path="things[0]")
    assert json.dumps(thing, indent=2) in shown.section("Result")


async def test_what_was_sent_is_shown(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await ask(workshop, "/echo/1")
    answer = await workshop.do("browser_network_search", url="/echo/", method="post")
    (found,) = requests_in(answer.section("Result"))
    sent = await workshop.do("browser_network_request", id=found["id"], part="sent")
    assert "sent=1" in sent.section("Result")
    headers = json.loads((await workshop.do("browser_network_request", id=found["id"])).section("Result"))
    assert headers["requestHeaders"]["X-Asked"] == "yes"


async def test_requests_are_blocked_answered_and_changed_until_the_rules_are_cleared(
    workshop: Workshop, site: Site
) -> None:
    site.publish("/real", "from the server", kind="text/plain")
    await workshop.open(site.page("form"))
    await workshop.do("browser_route", action="answer", url="/api/*", body='{"made": "up"}', status=201)
    assert await workshop.server.evaluate(READ) == '201,{"made": "up"},application/json'
    await workshop.do("browser_route", action="block", url="/real")
    failed = "() => fetch('/real').then(() => 'came', () => 'failed')"
    assert await workshop.server.evaluate(failed) == "failed"
    await workshop.do("browser_route", action="headers", url="/seen", headers={"X-Extra": "added"})
    await workshop.server.evaluate("async () => { await fetch('/seen', { headers: { 'X-Own': 'kept' } }) }")
    headers = site.requested("/seen")[-1].headers
    assert (headers["X-Extra"], headers["X-Own"]) == ("added", "kept")
    rules = json.loads((await workshop.do("browser_route", action="list")).section("Result"))
    assert [rule["action"] for rule in rules] == ["answer", "block", "headers"]
    await workshop.do("browser_route", action="clear", url="/real")
    assert await workshop.server.evaluate(failed) == "came"
    assert "Removed 2 rules" in (await workshop.do("browser_route", action="clear")).section("Result")
    assert await workshop.server.evaluate("async () => (await fetch('/real')).text()") == "from the server"


async def test_an_answer_can_be_late(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.do("browser_route", action="answer", url="/late", body="late", delay=400)
    late = "const begun = performance.now(); await fetch('/late'); return performance.now() - begun"
    assert float(await workshop.server.evaluate(f"async () => {{ {late} }}")) >= 390
    await workshop.do("browser_route", action="clear")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ({"action": "block"}, "`url` is needed"),
        ({"action": "block", "url": "x", "body": "y"}, "go with the action answer only"),
        ({"action": "answer", "url": "x", "status": 99}, "`status` must be at least 200"),
        ({"action": "answer", "url": "x", "delay": -1}, "`delay` must be at least 0 ms"),
        ({"action": "headers", "url": "x"}, "`headers` are needed"),
        ({"action": "headers", "url": "x", "headers": {"a b": "c"}}, "is not a valid header"),
        ({"action": "headers", "url": "x", "headers": {"a": "b\r\nc: d"}}, "is not a valid header"),
    ],
)
async def test_nonsense_is_refused_by_name(
    workshop: Workshop, site: Site, arguments: dict[str, object], problem: str
) -> None:
    await workshop.open(site.page("form"))
    assert problem in await workshop.refused("browser_route", **arguments)


async def test_a_request_is_sent_with_the_cookies_of_the_pages(workshop: Workshop, site: Site) -> None:
    site.publish("/api/me", '{"me": 1}', kind="application/json")
    await workshop.open(site.page("form"))
    await workshop.server.evaluate("() => { document.cookie = 'user=ann; path=/' }")
    answer = await workshop.do("browser_request", url=site.url("/api/me"), headers={"X-Own": "1"})
    assert "Answered 200" in answer.section("Result")
    assert '{"me": 1}' in answer.section("Result")
    headers = {name.lower(): value for name, value in site.requested("/api/me")[-1].headers.items()}
    assert "user=ann" in headers["cookie"]
    assert headers["x-own"] == "1"
    assert "only http and https" in await workshop.refused("browser_request", url="data:text/html,x")


async def test_what_is_no_text_is_written_as_it_came(workshop: Workshop, site: Site) -> None:
    body = bytes(range(256)) * 4
    address = site.publish("/bin", body, kind="application/octet-stream")
    await workshop.open(site.page("form"))
    answer = await workshop.do("browser_request", url=address, filename="thing.bin")
    assert "(1024 bytes)" in answer.section("Result")
    assert next(workshop.folder.rglob("thing.bin")).read_bytes() == body
    answer = await workshop.do("browser_request", url=address)
    assert answer.section("Result") == (
        "Answered 200 (1024 bytes, application/octet-stream)\n"
        "The body is not text; give filename to have it as it is."
    )


async def test_an_answer_from_elsewhere_and_its_headers_are_reported(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    end = site.publish("/end", "here", headers={"X-Mark": "seven"})
    answer = await workshop.do("browser_request", url=site.lead("/begin", end))
    assert f"Answered 200 by {end} (4 bytes" in answer.section("Result")
    answer = await workshop.do("browser_request", url=end, method="HEAD")
    assert "x-mark: seven" in answer.section("Result")


async def test_a_request_without_an_answer_says_what_to_do(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    answer = await workshop.refused("browser_request", url=site.url("/hold"), timeout=200)
    assert "No response arrived within" in answer
    assert "more time" in answer
    assert "snapshot" not in answer
    site.release()


async def test_requests_go_into_an_archive_that_other_tools_read(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.server.evaluate(
        "() => fetch('/echo?a=1', { method: 'POST', body: 'sent' }).then((r) => r.text())"
    )
    await workshop.do("browser_network_requests", filename="all.har")
    log = json.loads(next(workshop.folder.rglob("all.har")).read_text())["log"]
    assert log["version"] == "1.2"
    page, sent = log["entries"][0], log["entries"][-1]
    assert (page["request"]["url"], page["response"]["status"]) == (site.page("form"), 200)
    assert page["response"]["content"]["mimeType"] == "text/html"
    assert sent["request"]["method"] == "POST"
    assert sent["request"]["queryString"] == [{"name": "a", "value": "1"}]
    assert sent["request"]["postData"]["text"] == "sent"
    assert sent["time"] >= sent["timings"]["wait"] >= 0
    assert sent["startedDateTime"].endswith("Z")
    assert "<form" in page["response"]["content"]["text"]
    assert log["browser"]["name"] == "chromium"


async def test_both_recorders_write_cookies(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.server.evaluate(
        "() => { document.cookie = 'lamp=on; path=/';"
        " return fetch('/cookie?name=bulb&value=new').then((r) => r.text()) }"
    )
    await workshop.do("browser_network_requests", filename="cookies.har")
    by_tool = json.loads(next(workshop.folder.rglob("cookies.har")).read_text())["log"]["entries"][-1]
    recorded = workshop.folder / "library.har"
    program = f"""
await context.tracing.start_har({str(recorded)!r})
await page.reload()
await page.evaluate("fetch('/cookie?name=bulb&value=new').then(r => r.text())")
await context.tracing.stop_har()
"""
    await workshop.do("browser_run_python", program=program)
    by_library = json.loads(recorded.read_text())["log"]["entries"][-1]
    for entry in (by_tool, by_library):
        assert {"name": "lamp", "value": "on"} in entry["request"]["cookies"]
        assert entry["response"]["cookies"] == [{"name": "bulb", "value": "new", "path": "/"}]
    await workshop.server.evaluate(
        "() => { for (const name of ['lamp', 'bulb']) document.cookie = `${name}=; max-age=0; path=/`; }"
    )


async def test_a_page_is_played_back_from_its_archive(workshop: Workshop, site: Site) -> None:
    site.publish("/api/stock", '{"lamps": 7}', kind="application/json")
    site.publish("/api/bytes", bytes(range(200, 256)), "application/octet-stream")
    script = """<script type=module>
      const { lamps } = await (await fetch("/api/stock")).json();
      const bytes = new Uint8Array(await (await fetch("/api/bytes")).arrayBuffer());
      document.body.append(`${lamps} lamps, ${bytes.length} bytes up to ${bytes.at(-1)}`);
    </script>"""
    shown = "7 lamps, 56 bytes up to 255"
    await workshop.open(site.publish("/stock", script))
    await workshop.do("browser_wait_for", text=shown)
    await workshop.do("browser_network_requests", filename="stock.har")
    archive = next(workshop.folder.rglob("stock.har"))
    program = f"""
await context.route_from_har({str(archive)!r}, url="{site.origin}/**")
await page.reload()
await page.get_by_text("{shown}").wait_for()
await context.unroute_all()
"""
    before = len(site.requested("/stock")), len(site.requested("/api/stock"))
    await workshop.do("browser_run_python", program=program)
    assert (len(site.requested("/stock")), len(site.requested("/api/stock"))) == before


@pytest.mark.parametrize("layers", [1, 2])
async def test_an_answer_without_end_is_not_held(workshop: Workshop, site: Site, layers: int) -> None:
    body = bytes(20 << 20)
    for _ in range(layers):
        body = gzip.compress(body)
    headers = {"Content-Encoding": ", ".join(["gzip"] * layers)}
    bomb = site.publish("/bomb", body, "text/plain", headers)
    assert "is larger than" in await workshop.refused("browser_request", url=bomb)


async def test_what_was_answered_is_found_when_the_page_has_gone_on(workshop: Workshop, site: Site) -> None:
    site.publish("/api/prices", '{"lamp": "49 crowns"}', kind="application/json")
    await workshop.open(site.page("form"))
    await workshop.server.evaluate("async () => { await (await fetch('/api/prices')).text() }")
    await workshop.open(site.page("fields"))
    answer = await workshop.do("browser_network_search", text="49 CROWNS")
    (found,) = requests_in(answer.section("Result"))
    assert found["url"] == site.url("/api/prices")
    for part in ({"part": "body"}, {}):  # Only a body has a path.
        body = await workshop.do("browser_network_request", id=found["id"], path="lamp", **part)
        assert "49 crowns" in body.section("Result")
    answer = await workshop.do("browser_network_search", url="/api/", method="GET")
    assert [request["id"] for request in requests_in(answer.section("Result"))] == [found["id"]]
    assert (
        requests_in((await workshop.do("browser_network_search", text="crown jewels")).section("Result"))
        == []
    )


async def test_domains_of_a_list_are_blocked(workshop: Workshop, site: Site) -> None:
    site.publish("/widget", "a widget", kind="text/plain")
    other = site.url("/widget").replace("127.0.0.1", "ads.localhost.test")
    await workshop.do("browser_context_create", name="calm")
    await workshop.open(site.page("form"))
    (workshop.folder / "hosts.txt").write_text(
        "# mine\n0.0.0.0 ads.localhost.test\n||tracker.example^\nx##.ad\n"
    )
    answer = await workshop.do("browser_route", action="block", list="hosts.txt")
    assert "2 domains are blocked; 1 line means more" in answer.section("Result")
    attempt = (
        "async () => { try { await fetch('%s', { mode: 'no-cors' }); return 'came' }"
        " catch { return 'blocked' } }"
    )
    assert await workshop.server.evaluate(attempt % other) == "blocked"
    failed = requests_in((await workshop.do("browser_network_search", url="ads.localhost")).section("Result"))
    assert "BLOCKED_BY_CLIENT" in str(failed[-1]["failure"])
    assert await workshop.server.evaluate(attempt % site.url("/widget")) == "came"
    await workshop.do("browser_route", action="block", list="ads")
    assert await workshop.server.evaluate(attempt % "https://stats.g.doubleclick.net/collect") == "blocked"
    listed = json.loads((await workshop.do("browser_route", action="list")).section("Result"))
    assert [rule["list"] for rule in listed] == ["hosts.txt", "ads"]
    await workshop.do("browser_route", action="clear", list="ads")
    listed = json.loads((await workshop.do("browser_route", action="list")).section("Result"))
    assert [rule["list"] for rule in listed] == ["hosts.txt"]
    assert "names no domain" in await empty_list(workshop)
    assert "give one" in await workshop.refused("browser_route", action="block", list="ads", url="x")
    assert "`list` goes with" in await workshop.refused("browser_route", action="answer", list="ads", url="x")
    assert "outside the folders" in await workshop.refused(
        "browser_route", action="block", list="/etc/shadow"
    )
    await workshop.do("browser_context_close", name="calm")


async def empty_list(workshop: Workshop) -> str:
    (workshop.folder / "empty.txt").write_text("! nothing\n")
    return await workshop.refused("browser_route", action="block", list="empty.txt")
