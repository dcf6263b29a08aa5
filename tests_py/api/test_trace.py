"""What a trace holds."""

import asyncio
import json
import zipfile
from pathlib import Path

import pytest

from patchright_mcp.async_api import BrowserContext, Error, Page
from tests_py.support.site import Site


async def test_a_trace_tells_the_calls_their_groups_and_the_requests(
    context: BrowserContext, page: Page, site: Site, tmp_path: Path
) -> None:
    await context.tracing.start(title="A visit")
    async with await context.tracing.group("in a group"):
        await page.goto(site.page("form"))
    with pytest.raises(Error):
        await page.click("nothing", timeout=50)
    await context.tracing.stop(path=tmp_path / "trace.zip")
    await page.title()
    with zipfile.ZipFile(tmp_path / "trace.zip") as archive:
        header, *events = [json.loads(line) for line in archive.read("trace.trace").splitlines()]
        requests = [json.loads(line)["snapshot"] for line in archive.read("trace.network").splitlines()]
        body = archive.read(f"resources/{requests[0]['response']['content']['_sha1']}")
    assert header["title"] == "A visit"
    begun = [event for event in events if event["type"] == "before"]
    assert [event["method"] for event in begun] == ["tracingGroup", "goto", "click"]
    assert begun[1]["parentId"] == begun[0]["callId"]
    ended = {event["callId"]: event.get("error") for event in events if event["type"] == "after"}
    assert ended[begun[1]["callId"]] is None
    assert ended[begun[2]["callId"]]["name"] == "TimeoutError"
    assert requests[0]["request"]["url"] == site.page("form")
    assert b"<form" in body


async def test_each_call_is_reported_with_what_it_was_given_and_how_it_ended(
    context: BrowserContext, page: Page, tmp_path: Path
) -> None:
    await page.set_content("<button id=one>One</button><button id=two>Two</button><input>")
    for part in ("first", "second"):
        await context.tracing.start()
        for _ in range(3):
            await page.locator("#one").click()
        await page.click("#one"); await page.locator("#two").click()  # fmt: skip # noqa: E702
        await asyncio.gather(page.locator("input").fill("A"), page.locator("#two").text_content())
        with pytest.raises(Error):
            await page.locator("#none").click(timeout=50)
        await context.tracing.stop(path=tmp_path / f"{part}.zip")
        with zipfile.ZipFile(tmp_path / f"{part}.zip") as archive:
            events = [json.loads(line) for line in archive.read("trace.trace").splitlines()][1:]
        begun = [event for event in events if event["type"] == "before"]
        reported = [(event["method"], event["params"].get("selector")) for event in begun]
        clicks = [("click", "#one")] * 4 + [("click", "#two")]
        assert reported[:5] == clicks
        assert sorted(reported[5:7]) == [("fill", "input"), ("textContent", "#two")]
        assert reported[7:] == [("click", "#none")]
        ended = {event["callId"]: event.get("error") for event in events if event["type"] == "after"}
        assert set(ended) == {event["callId"] for event in begun}
        assert [call for call, error in ended.items() if error] == [begun[-1]["callId"]]
        assert next(event["params"]["value"] for event in begun if event["method"] == "fill") == "A"


async def test_a_trace_shows_pages_documents_and_the_script(
    context: BrowserContext, page: Page, tmp_path: Path
) -> None:
    await context.tracing.start(screenshots=True, snapshots=True, sources=True)
    await page.set_content("<h1>Before</h1><input value=a><iframe srcdoc='<p>inner</p>'></iframe>")
    await page.fill("input", "typed")
    await page.screenshot()
    await context.tracing.stop(path=tmp_path / "trace.zip")
    with zipfile.ZipFile(tmp_path / "trace.zip") as archive:
        events = [json.loads(line) for line in archive.read("trace.trace").splitlines()]
        names = set(archive.namelist())
        sources = [archive.read(name) for name in names if name.startswith("resources/src@")]
    fill = next(event for event in events if event.get("method") == "fill")
    assert fill["stack"][0]["file"] == __file__
    assert any(b"shows_pages_documents" in source for source in sources)
    taken = {
        event["snapshot"]["snapshotName"]: event["snapshot"]
        for event in events
        if event["type"] == "frame-snapshot" and event["snapshot"]["isMainFrame"]
    }
    before, after = taken[fill["beforeSnapshot"]], taken[f"after@{fill['callId']}"]
    assert '"Before"' in json.dumps(before["html"])
    assert '"__playwright_value_": "typed"' in json.dumps(after["html"])
    inner = next(
        event["snapshot"]
        for event in events
        if event["type"] == "frame-snapshot" and not event["snapshot"]["isMainFrame"]
    )
    assert f"/snapshot/{inner['frameId']}" in json.dumps(after["html"])
    pictures = [event for event in events if event["type"] == "screencast-frame"]
    assert pictures
    assert all(f"resources/{picture['sha1']}" in names for picture in pictures)
    assert all(fill["pageId"] == picture["pageId"] for picture in pictures)


async def test_a_trace_has_what_pages_log(context: BrowserContext, page: Page, tmp_path: Path) -> None:
    await context.tracing.start()
    async with page.expect_console_message():
        await page.evaluate("console.error('it broke', 7)")
    await context.tracing.stop(path=tmp_path / "trace.zip")
    with zipfile.ZipFile(tmp_path / "trace.zip") as archive:
        events = [json.loads(line) for line in archive.read("trace.trace").splitlines()]
    (logged,) = (event for event in events if event["type"] == "console")
    assert (logged["messageType"], logged["text"]) == ("error", "it broke 7")
    call = next(event for event in events if event.get("method") == "evaluate")
    assert abs(logged["time"] - call["startTime"]) < 2000


async def test_a_trace_has_the_uncaught_errors_that_are_listened_to(
    context: BrowserContext, page: Page, site: Site, tmp_path: Path
) -> None:
    throw = "setTimeout(() => { throw new TypeError('it broke') })"
    await context.tracing.start()
    async with page.expect_event("pageerror"):
        await page.goto(site.publish("/throws", f"<title>Throws</title><script>{throw}</script>"))
    await context.tracing.stop(path=tmp_path / "trace.zip")
    with zipfile.ZipFile(tmp_path / "trace.zip") as archive:
        events = [json.loads(line) for line in archive.read("trace.trace").splitlines()]
    (thrown,) = (event for event in events if event.get("method") == "pageError")
    error = thrown["params"]["error"]["error"]
    assert (error["name"], error["message"]) == ("TypeError", "it broke")
    assert thrown["params"]["location"]["url"] == page.url
