"""`show-trace`: the viewer of traces, ours and Playwright's, in a real browser."""

import asyncio
import hashlib
import json
import signal
import subprocess
import sys
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest

from patchright_mcp.async_api import BrowserContext, Error, Page, expect
from tests_py.support.site import Site

pytestmark = pytest.mark.long

SHOP = """<!doctype html><title>Shop</title><link rel=stylesheet href=/shop.css><h1>Shop &lt;b&gt;</h1><input>
<iframe srcdoc="<p>inner"></iframe><button onclick="console.error('sold <i>out</i>');
document.title = 'Sold'; fetch('/order', { method: 'POST', body: 'item=7' })">Buy</button>"""


@contextmanager
def shown(trace: Path) -> Iterator[str]:
    """Runs the viewer, and gives its address."""
    command = [sys.executable, "-m", "patchright_mcp", "show-trace", str(trace), "--no-open"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        yield program.stdout.readline().strip()
        program.send_signal(signal.SIGINT)
        assert program.wait(10) == 0


@pytest.fixture
async def trace(context: BrowserContext, page: Page, site: Site, tmp_path: Path) -> Path:
    """A trace of a visit that fails."""
    site.publish("/shop.css", "h1 { color: rgb(200, 0, 0) }", kind="text/css")
    site.publish("/order", '{"order": "<script>"}', kind="application/json")
    shop = site.publish("/shop", SHOP)
    await context.tracing.start(title="A visit", screenshots=True, snapshots=True, sources=True)
    await page.goto(shop)
    await page.fill("input", "typed")
    async with page.expect_response("**/order"), page.expect_console_message():
        await page.get_by_role("button").click()
    with pytest.raises(Error):
        await page.click("#none", timeout=300)
    await context.tracing.stop(path=tmp_path / "trace.zip")
    return tmp_path / "trace.zip"


@pytest.fixture
async def viewer(trace: Path, context: BrowserContext) -> AsyncIterator[Page]:
    with shown(trace) as address:
        page = await context.new_page()
        await page.goto(address)
        yield page
        await page.close()


async def test_the_viewer_shows_what_failed_and_why(viewer: Page) -> None:
    await expect(viewer.get_by_role("heading", name="A visit")).to_be_visible()
    listed = viewer.get_by_label("Actions").get_by_role("button")
    await expect(listed).to_contain_text(["Page.goto", "Page.fill", "click", "Page.click"])
    await expect(viewer.locator("#list [aria-current=true]")).to_contain_text("#none")
    details = viewer.get_by_role("tabpanel", name="Details")
    await expect(details).to_contain_text("Timeout 300ms exceeded")
    await viewer.get_by_role("tab", name="Errors").click()
    await expect(details).to_contain_text('waiting for locator("#none")')
    await viewer.get_by_role("tab", name="Source").click()
    await expect(details.locator(".here")).to_contain_text('page.click("#none", timeout=300)')
    await viewer.get_by_role("tab", name="Metadata").click()
    await expect(details).to_contain_text("patchright_mcp")
    assert await viewer.locator("#time img").count() > 0


async def test_an_action_has_arguments_and_the_page_before_and_after_it(viewer: Page) -> None:
    await viewer.locator("#list button", has_text="Page.fill").click()
    details = viewer.get_by_role("tabpanel", name="Details")
    await expect(details.get_by_role("row", name="value typed")).to_be_visible()
    snapshot = viewer.frame_locator("#stage iframe")
    await expect(snapshot.locator("input")).to_have_value("typed")
    await expect(snapshot.get_by_role("heading")).to_have_text("Shop <b>")
    await expect(snapshot.get_by_role("heading")).to_have_css("color", "rgb(200, 0, 0)")
    await expect(snapshot.frame_locator("iframe").locator("p")).to_have_text("inner")
    await viewer.get_by_role("tab", name="Before").click()
    await expect(snapshot.locator("input")).to_have_value("")
    await viewer.get_by_role("tab", name="Screenshot").click()
    picture = viewer.get_by_role("img", name="Screenshot")
    await expect(picture).to_have_js_property("complete", value=True)
    assert await picture.evaluate("image => image.naturalWidth") > 100


async def test_requests_have_headers_and_bodies_and_the_console_its_lines(viewer: Page) -> None:
    await viewer.get_by_role("tab", name="Console").click()
    details = viewer.get_by_role("tabpanel", name="Details")
    await expect(details.get_by_role("row", name="sold <i>out</i>")).to_be_visible()
    await viewer.get_by_role("tab", name="Network").click()
    await details.get_by_role("button", name="/order").click()
    await expect(details).to_contain_text("item=7")
    await expect(details).to_contain_text('{"order": "<script>"}')
    await expect(details).to_contain_text("User-Agent")
    await details.get_by_role("button", name="All requests").click()
    await expect(details.get_by_role("button", name="/shop.css")).to_be_visible()


def answered(url: str, host: str | None = None) -> tuple[int, dict[str, str], str]:
    request = Request(url, headers={"Host": host} if host else {})  # noqa: S310
    try:
        with urlopen(request, timeout=10) as answer:  # noqa: S310
            return answer.status, dict(answer.headers), answer.read().decode()
    except HTTPError as error:
        return error.code, dict(error.headers), error.read().decode()


async def test_only_who_knows_the_address_gets_in(trace: Path) -> None:
    with shown(trace) as address:
        status, headers, _ = await asyncio.to_thread(answered, address)
        assert status == 200
        assert "default-src 'none'" in headers["content-security-policy"]
        root = "/".join(address.split("/")[:3])
        for url, host in [
            (root, None),
            (f"{root}/{'A' * 22}/overview", None),
            (f"{address}overview", "evil.example"),
        ]:
            assert (await asyncio.to_thread(answered, url, host))[0] == 403


def playwright_trace(path: Path) -> None:
    """Writes a trace as Playwright 1.65 does, of a page that means harm."""
    source = "/tests/test_it.py"
    before = [
        "HTML",
        {},
        ["HEAD", {}, ["BASE", {"href": "http://shop.example/"}]],
        ["BODY", {}, ["P", {}, "old"]],
    ]
    harm = "parent.x = 1"
    after = ["HTML", {}, [[1, 1]], ["BODY", {"onload": harm}, [[1, 3]], ["SCRIPT", {}, harm],
             ["IMG", {"src": "http://shop.example/p.svg", "onerror": harm}],
             ["A", {"href": f"javascript:{harm}"}, "link"]]]  # fmt: skip

    def snapshot(phase: str, html: list[Any], time: float) -> dict[str, Any]:
        kept = {
            "callId": "call@1",
            "phase": phase,
            "pageId": "page@1",
            "frameId": "frame@1",
            "isMainFrame": True,
        }
        place = {
            "frameUrl": "http://shop.example/",
            "viewport": {"width": 300, "height": 200},
            "timestamp": time,
        }
        return {
            "type": "frame-snapshot",
            "snapshot": {**kept, **place, "html": html, "resourceOverrides": []},
        }

    call = {"callId": "call@1", "startTime": 10, "class": "Frame", "method": "click", "pageId": "page@1"}
    events: list[dict[str, Any]] = [
        {"type": "context-options", "version": 10, "browserName": "chromium", "wallTime": 1e12,
         "monotonicTime": 5, "title": "<b>theirs</b>"},
        {"type": "before", **call, "params": {"selector": "<img src=x onerror='x = 1'>"}},
        snapshot("before", before, 11),
        {"type": "log", "callId": "call@1", "time": 12, "message": "waiting for <button>"},
        {"type": "screencast-frame", "pageId": "page@1", "file": "screencast/1.png", "width": 1, "height": 1,
         "timestamp": 12},
        {"type": "event", "class": "BrowserContext", "method": "pageError", "time": 13,
         "params": {"error": {"error": {"name": "Error", "message": "it broke"}}}},
        snapshot("after", after, 19),
        {"type": "after", "callId": "call@1", "endTime": 20, "error": {"name": "Error", "message": "no way"}},
    ]  # fmt: skip
    image = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"/>'
    content = {"mimeType": "image/svg+xml", "size": 9, "_file": "resources/p.svg"}
    resource = {
        "request": {"method": "GET", "url": "http://shop.example/p.svg", "headers": []},
        "response": {"status": 200, "headers": [], "content": content},
        "_monotonicTime": 11,
    }
    stacks = {"files": [source], "stacks": [["call@1", [[0, 2, 0, "test_it"]]]]}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("trace.trace", "\n".join(map(json.dumps, events)))
        archive.writestr("trace.network", json.dumps({"type": "resource-snapshot", "snapshot": resource}))
        archive.writestr("trace.stacks", json.dumps(stacks))
        archive.writestr("resources/p.svg", image)
        archive.writestr("screencast/1.png", b"\x89PNG")
        digest = hashlib.sha1(source.encode(), usedforsecurity=False).hexdigest()
        archive.writestr(f"src/{digest}.py", "def test_it():\n    click()\n")


async def test_traces_of_playwright_open_and_what_is_in_them_does_not_run(page: Page, tmp_path: Path) -> None:
    playwright_trace(tmp_path / "theirs.zip")
    with shown(tmp_path / "theirs.zip") as address:
        await page.goto(address)
        await expect(page.get_by_role("heading", name="<b>theirs</b>")).to_be_visible()
        details = page.get_by_role("tabpanel", name="Details")
        await expect(details).to_contain_text("Error: no way")
        snapshot = page.frame_locator("#stage iframe")
        await expect(snapshot.locator("p")).to_have_text("old")
        await expect(snapshot.locator("img")).to_have_js_property("naturalWidth", 40)
        await snapshot.locator("a").click()
        await expect(snapshot.locator("p")).to_have_text("old")
        for tab, text in [
            ("Log", "waiting for <button>"),
            ("Console", "it broke"),
            ("Source", "2      click()"),
        ]:
            await page.get_by_role("tab", name=tab).click()
            await expect(details).to_contain_text(text)
        assert await page.evaluate("typeof x") == "undefined"


@pytest.mark.parametrize(
    ("name", "said"),
    [("missing.zip", "cannot be read"), ("text.zip", "cannot be read"), ("empty.zip", "is not a trace")],
)
def test_what_is_no_trace_is_refused(tmp_path: Path, name: str, said: str) -> None:
    (tmp_path / "text.zip").write_text("text")
    zipfile.ZipFile(tmp_path / "empty.zip", "w").close()
    command = [sys.executable, "-m", "patchright_mcp", "show-trace", str(tmp_path / name)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ended.returncode == 2
    assert said in ended.stderr
