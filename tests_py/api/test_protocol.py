"""Sessions of the raw protocol, and web sockets that a script decides about."""

from __future__ import annotations

import asyncio

import pytest

from patchright_mcp.async_api import Browser, BrowserContext, Error, Page, WebSocketRoute
from patchright_mcp.errors import TargetClosedError
from tests_py.support.site import Site

SOCKET = """async (path) => {
    globalThis.log = [];
    globalThis.socket = new WebSocket(path);
    socket.binaryType = "arraybuffer";
    const note = (text) => log.push(text);
    socket.onopen = () => note("open");
    socket.onmessage = ({ data }) => note(typeof data === "string" ? data : [...new Uint8Array(data)].join());
    await new Promise((done) => {
        const end = (event) => { note(`${event.type} ${event.code ?? ""}`); done(); };
        socket.onclose = end;
        socket.onerror = end;
    });
    return [socket.url, socket.readyState, ...log];
}"""


async def test_a_session_speaks_the_protocol_and_hears_its_events(page: Page) -> None:
    session = await page.context.new_cdp_session(page)
    called: list[str] = []
    session.on("Runtime.consoleAPICalled", lambda event: called.append(event["type"]))
    await session.send("Runtime.enable")
    result = await session.send("Runtime.evaluate", {"expression": "console.info(6 * 7), 42"})
    assert (result["result"]["value"], called) == (42, ["info"])
    with pytest.raises(Error, match=r"Protocol error \(No.such\): 'No.such' wasn't found"):
        await session.send("No.such")
    await session.detach()
    with pytest.raises(TargetClosedError):
        await session.send("Runtime.enable")


async def test_a_session_is_with_the_browser_or_with_a_frame_of_its_own_process(
    browser: Browser, page: Page, site: Site
) -> None:
    with_browser = await browser.new_browser_cdp_session()
    assert browser.version in (await with_browser.send("Browser.getVersion"))["product"]
    frames = "".join(f"<iframe src={at}/pages/form.html></iframe>" for at in (site.origin, site.other_origin))
    await page.goto(site.publish("/frames", frames))
    _, near, far = page.frames
    session = await page.context.new_cdp_session(far)
    result = await session.send("Runtime.evaluate", {"expression": "origin"})
    assert result["result"]["value"] == site.other_origin
    with pytest.raises(Error, match="shares the session"):
        await page.context.new_cdp_session(near)


async def test_a_web_socket_is_answered_from_outside(page: Page, site: Site) -> None:
    def answer(socket: WebSocketRoute) -> None:
        socket.send("early")

        async def answered(message: str | bytes) -> None:
            if message == "end":
                await socket.close(code=3001, reason="enough")
            else:
                socket.send(message if isinstance(message, bytes) else f"{message}?")

        socket.on_message(answered)

    await page.context.route_web_socket("**/nowhere", lambda _: None)
    await page.route_web_socket("**/nowhere", answer)
    await page.goto(site.page("form"))
    await page.evaluate(
        """() => addEventListener("begin", () => {
            const words = [`hi`, new Uint8Array([1, 2]), `end`];
            socket.addEventListener("open", () => words.forEach((word) => socket.send(word)));
        })""",
        isolated_context=False,
    )
    script = SOCKET.replace("await new", "dispatchEvent(new Event('begin')); await new")
    result = await page.evaluate(script, "/nowhere", isolated_context=False)
    assert result == [
        site.origin.replace("http", "ws") + "/nowhere",
        3,
        "open",
        "early",
        "hi?",
        "1,2",
        "close 3001",
    ]


async def test_a_web_socket_that_nobody_decides_about_goes_its_own_way(page: Page, site: Site) -> None:
    await page.route_web_socket("**/elsewhere", lambda _: None)
    await page.goto(site.page("form"))
    result = await page.evaluate(SOCKET, "/pages/form.html", isolated_context=False)
    assert result[2:] == ["open", "hello", "close 1005"]


async def test_what_cannot_be_had_is_said(browser: Browser) -> None:
    with pytest.raises(Error, match=r"proxy\.server: expected string, got number"):
        await browser.new_context(proxy={"server": 3128})  # type: ignore[arg-type]


async def test_blocked_service_workers_never_run(browser: Browser, site: Site) -> None:
    script = site.publish(
        "/service.js", "onfetch = (e) => e.respondWith(new Response('mine'))", "text/javascript"
    )
    context = await browser.new_context(service_workers="block")
    page = await context.new_page()
    await page.goto(site.page("form"))
    register = "script => navigator.serviceWorker.register(script).then(() => 'ok', (error) => error.name)"
    assert await page.evaluate(register, script) == "TypeError"
    assert context.service_workers == []
    await context.close()


WORKS = """
self.addEventListener("install", () => self.skipWaiting());
const begin = () => clients.claim().then(() => fetch("/from-a-worker"));
self.addEventListener("activate", (event) => event.waitUntil(begin()));
"""


async def test_a_service_workers_request_is_reported_once(context: BrowserContext, site: Site) -> None:
    site.publish("/once.js", WORKS, "text/javascript")
    site.publish("/from-a-worker", "yes")
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url) if request.service_worker else None)
    page = await context.new_page()
    await page.goto(site.page("form"))
    async with context.expect_event("requestfinished", lambda request: "/from-a-worker" in request.url):
        await page.evaluate("() => void navigator.serviceWorker.register('/once.js')")
    await page.evaluate("fetch('/from-a-worker')")
    assert [url.rpartition("/")[2] for url in asked] == ["once.js", "from-a-worker"]


@pytest.mark.long
async def test_pages_that_close_meanwhile_do_not_keep_a_context_from_its_others(
    context: BrowserContext,
) -> None:
    staying = await context.new_page()
    for number in range(4):
        going = [await context.new_page() for _ in range(3)]
        closing = [asyncio.ensure_future(page.close()) for page in going]
        await context.expose_function(f"told{number}", lambda: "heard")
        await context.add_init_script(f"window.begun = {number}")
        await context.set_geolocation({"latitude": 1, "longitude": number})
        await context.set_extra_http_headers({"X-Round": str(number)})
        await asyncio.gather(*closing)
        assert await staying.evaluate(f"told{number}()", isolated_context=False) == "heard"
