"""What a trace holds."""

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
