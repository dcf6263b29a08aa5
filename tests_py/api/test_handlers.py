"""What handlers raise, loops that cannot watch anything, and arguments that are refused or taken as meant."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from patchright_mcp.async_api import Page, Playwright, Route
from tests_py.support.site import Site

SYNC = """
from patchright_mcp.sync_api import sync_playwright
with sync_playwright() as playwright:
    browser = playwright.chromium.launch()
    page = browser.new_page()
    page.{listen}
    page.goto({url!r})
    page.title()
    print("went on")
"""


def _divide(_: object) -> None:
    raise ZeroDivisionError


async def _divide_later(_: object) -> None:
    raise ZeroDivisionError


@pytest.mark.parametrize("handler", [_divide, _divide_later])
async def test_what_a_handler_raises_is_raised_by_the_next_call(
    page: Page, site: Site, capfd: pytest.CaptureFixture[str], handler: object
) -> None:
    await page.goto(site.page("form"))
    page.on("console", handler)  # type: ignore[call-overload]
    async with page.expect_console_message():
        await page.evaluate("console.log('a')", isolated_context=False)
    with pytest.raises(ZeroDivisionError):
        await page.title()
    assert await page.title() == "A form"
    assert "ZeroDivisionError" in capfd.readouterr().err


@pytest.mark.long
@pytest.mark.parametrize(
    "listen", ["on('response', lambda _: 1 / 0)", "route('**/*', lambda route: (route.continue_(), 1 / 0))"]
)
def test_a_script_whose_handler_raises_ends_with_an_error(tmp_path: Path, site: Site, listen: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(SYNC.format(listen=listen, url=site.page("form")))
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (1, ""), ended.stderr
    assert ended.stderr.rstrip().endswith("ZeroDivisionError: division by zero")


WITHOUT_READERS = """
import asyncio

class Loop(asyncio.SelectorEventLoop):
    def add_reader(self, *_):
        raise NotImplementedError

    # What the loop itself needs it does otherwise.
    def _add_reader(self, fd, callback, *args):
        return super()._add_reader(fd, callback, *args)
"""
# As those of Windows and of Qt: it waits for no files at all.
WITHOUT_FILES = """
import asyncio
import threading

class Loop(asyncio.BaseEventLoop):
    def __init__(self):
        super().__init__()
        self._selector, self._woken = self, threading.Event()

    def select(self, timeout):
        self._woken.wait(timeout)
        self._woken.clear()
        return []

    def _process_events(self, _events):
        pass

    def _write_to_self(self):
        self._woken.set()
"""
SCRIPT = """
from patchright_mcp.async_api import async_playwright

async def main():
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch()
        page = await browser.new_page()
        await page.goto({url!r})
        page.on("console", lambda message: "DOM" in message.text or print(message.text))
        await page.evaluate("for (let i = 0; i < 3; i++) console.log('told ' + i)", isolated_context=False)
        async with page.expect_console_message(lambda message: message.text == "last"):
            await page.evaluate("console.log('last')", isolated_context=False)
        try:
            await asyncio.wait_for(page.wait_for_function("false", timeout=0), 0.2)
        except asyncio.TimeoutError:
            print("given up")
        print(await page.title())
        {end}

loop = Loop()
loop.run_until_complete(main())
loop.close()
"""


@pytest.mark.long
@pytest.mark.parametrize("loop", [WITHOUT_READERS, WITHOUT_FILES])
@pytest.mark.parametrize("end", ["await browser.close()", "import os; os.environ['x'] = 'not closed'"])
def test_a_loop_that_can_watch_nothing_is_enough(tmp_path: Path, site: Site, loop: str, end: str) -> None:
    script = tmp_path / "script.py"
    script.write_text(loop + SCRIPT.format(url=site.page("form"), end=end))
    ended = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.split("\n") == ["told 0", "told 1", "told 2", "last", "given up", "A form", ""]


async def test_requests_without_a_page_say_that_nothing_comes_and_leave_none_out(
    playwright: Playwright, site: Site
) -> None:
    requests = await playwright.request.new_context()
    url = site.url("/headers")
    for method in ("POST", "PUT", "PATCH", "DELETE", "GET"):
        asked = await requests.fetch(url, method=method, headers={"X-A": None, "X-B": "b"})  # type: ignore[dict-item]
        if asked.status == 200:
            headers = await asked.json()
            length = {name.lower(): value for name, value in headers.items()}.get("content-length")
            assert length == ("0" if method == "POST" else None), method
            assert "X-A" not in headers
            assert {name.lower() for name in headers} >= {"x-b"}
    await requests.get(url, params={"a": None, "b": 1})  # type: ignore[dict-item]
    await requests.get(url + "?x=%20&b=2", params={"b": "1 2"})
    await requests.get(url + "?x=1", params="y=%20")
    reported = [asked.query for asked in site.requested("/headers")[-3:]]
    assert reported == [{"b": "1"}, {"x": " ", "b": "1 2"}, {"y": " "}]
    await requests.post(site.url("/echo"), form={"a": None, "b": "2"})  # type: ignore[dict-item]
    assert site.requested("/echo")[-1].body == "b=2"
    with pytest.raises(Exception, match=r"multipart.a: expected string"):
        await requests.post(site.url("/echo"), multipart={"a": None})  # type: ignore[dict-item]


async def test_a_query_is_sent_as_it_is_written(playwright: Playwright) -> None:
    lines: list[bytes] = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines.append((await reader.readuntil(b"\r\n\r\n")).split(b"\r\n")[0])
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    requests = await playwright.request.new_context()
    await requests.get(url, params="y=%20&z")
    await requests.get(url + "?y=%20&z", params={"a": "b c"})
    server.close()
    assert lines == [b"GET /?y=%20&z HTTP/1.1", b"GET /?y=%20&z&a=b+c HTTP/1.1"]


async def test_a_limit_that_cannot_be_kept_is_refused(page: Page) -> None:
    with pytest.raises(
        Exception, match=r"Page.wait_for_selector: timeout: expected 0 or a positive number, got -1"
    ):
        await page.wait_for_selector("p", timeout=-1)
    with pytest.raises(Exception, match=r"Page.click: timeout: expected number, got string"):
        await page.click("p", timeout="1")  # type: ignore[arg-type]


async def test_what_only_python_knows_of_patterns_is_refused(page: Page) -> None:
    for flag in (re.VERBOSE, re.ASCII):
        with pytest.raises(Exception, match="only MULTILINE, IGNORECASE and DOTALL are supported"):
            await page.get_by_text(re.compile("a b", flag)).count()


async def test_a_cookie_without_an_end_is_taken(page: Page, site: Site) -> None:
    cookie = {"name": "sid", "value": "a", "url": site.origin, "expires": 0}
    await page.context.add_cookies([cookie])  # type: ignore[list-item]
    assert [cookie["expires"] for cookie in await page.context.cookies()] == [-1]


async def test_empty_fields_of_a_form_are_reported(page: Page, site: Site) -> None:
    await page.goto(site.page("form"))
    async with page.expect_request("**/echo") as asked:
        await page.evaluate("fetch('/echo', { method: 'POST', body: new URLSearchParams('a=1&b=') })")
    assert (await asked.value).post_data_json == {"a": "1", "b": ""}


async def test_a_pdf_is_tagged_only_when_asked_and_a_wrong_scale_is_named(page: Page) -> None:
    await page.set_content("<h1>Title</h1>")
    assert b"StructTreeRoot" not in await page.pdf()
    assert b"StructTreeRoot" in await page.pdf(tagged=True)
    with pytest.raises(Exception, match="scale"):
        await page.pdf(scale=9)


async def test_a_route_handler_gets_all_headers_at_once(page: Page, site: Site) -> None:
    await page.goto(site.page("form"))

    async def answer(route: Route) -> None:
        headers = await asyncio.wait_for(route.request.all_headers(), 3)
        await route.fulfill(body=headers["x-mine"])

    await page.route("**/echo", answer)
    text = "fetch('/echo', { headers: { 'x-mine': '7' } }).then((answer) => answer.text())"
    assert await page.evaluate(text) == "7"
