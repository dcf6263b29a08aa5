"""Once through the synchronous library, with the type of everything written down, for strict checkers.

`sync_tour.py` is derived from this file. Both are checked and run by `test_tours.py`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any, Literal

from patchright_mcp.extract import Select
from patchright_mcp.sync_api import (
    APIRequest,
    APIRequestContext,
    APIResponse,
    APIResponseAssertions,
    Browser,
    BrowserBindResult,
    BrowserContext,
    BrowserType,
    CDPSession,
    ChromiumBrowserContext,
    ClientCertificate,
    Clock,
    ConsoleMessage,
    Cookie,
    CrawlReport,
    Credentials,
    Debugger,
    DebuggerLocation,
    DebuggerPausedDetails,
    Dialog,
    Disposable,
    Download,
    ElementHandle,
    Error,
    Expect,
    FileChooser,
    FilePayload,
    FloatRect,
    FormData,
    Frame,
    FrameLocator,
    Geolocation,
    HttpCredentials,
    JSHandle,
    KeptAnswer,
    KeptAnswers,
    Keyboard,
    Locator,
    LocatorAssertions,
    Mouse,
    Page,
    PageAssertions,
    PdfMargins,
    Playwright,
    PlaywrightContextManager,
    Position,
    ProxySettings,
    Request,
    ResourceTiming,
    Response,
    Route,
    Screencast,
    ScreencastActionStyle,
    ScreencastFrame,
    ScreencastSize,
    Selectors,
    SetCookieParam,
    SourceLocation,
    StorageState,
    StorageStateCookie,
    TargetClosedError,
    TimeoutError,  # noqa: A004
    Touchscreen,
    Tracing,
    Video,
    ViewportSize,
    VirtualCredential,
    Wall,
    WebError,
    WebErrorLocation,
    WebMCP,
    WebMCPTool,
    WebMCPToolAnnotations,
    WebSocket,
    WebSocketRoute,
    WebStorage,
    Worker,
    expect,
    sync_playwright,
)

Kind = Literal["default", "ai"]
HOME = """<!doctype html><html lang=en><title>Home</title>
<h1 title=top>Home</h1><a href=/file>Report</a><img alt=dot src=/dot.png>
<label>Name <input name=name placeholder=name></label><label><input type=checkbox> News</label>
<select aria-label=Country multiple><option>Chile<option>Peru</select><input type=file aria-label=File>
<button data-testid=ask onclick="note.textContent = confirm('Sure?') ? 'yes' : 'no'">Ask</button>
<button onclick="window.open('/other')">Open</button><p id=note></p>
<ul><li class=item><b>Lamp</b> <i>12.50</i></li><li class=item><b>Chair</b> <i>49.00</i></li></ul>
<iframe name=inner src=/inner></iframe>"""
GREET = """url => new Promise(told => {
    const socket = new WebSocket(url);
    socket.onopen = () => socket.send("hi");
    socket.onmessage = (event) => told(event.data);
})"""
OTHER = "<!doctype html><title>Other</title><p>Elsewhere</p>"
INNER = "<!doctype html><title>Inner</title><button>Inside</button>"


@dataclass
class Item:
    """What a shop has."""

    name: Annotated[str, Select("b")]
    price: Annotated[float, Select("i")]


class Shown:
    """What was told, in the order of it."""

    def __init__(self) -> None:
        self.dialogs: list[str] = []
        self.messages: list[str] = []
        self.requests: list[str] = []
        self.frames: list[ScreencastFrame] = []

    def on_dialog_closed(self, dialog: Dialog) -> None:
        """A dialog was answered."""
        self.dialogs.append(dialog.message)

    def on_request(self, request: Request) -> None:
        """The page asks for something."""
        self.requests.append(request.resource_type)

    def on_frame(self, frame: ScreencastFrame) -> None:
        """The page was drawn."""
        self.frames.append(frame)


def answer(route: Route, request: Request) -> None:
    """Stands in for the site."""
    path = re.sub(r"^https?://[^/]*", "", request.url)
    pages: dict[str, str] = {"/": HOME, "/other": OTHER, "/inner": INNER}
    if path in pages:
        route.fulfill(body=pages[path], content_type="text/html")
    elif path == "/file":
        headers: dict[str, str] = {"content-disposition": "attachment; filename=report.txt"}
        route.fulfill(body=b"a report", headers=headers)
    elif path == "/worker.js":
        route.fulfill(body="onmessage = () => 0;", content_type="text/javascript")
    elif path == "/broken":
        route.abort("failed")
    else:
        route.fulfill(status=404, json={"path": path})


def elements(page: Page) -> None:
    """Locators, handles and what is expected of them."""
    check: Expect = expect
    of_page: PageAssertions = check(page)
    of_page.to_have_title(re.compile("^Home"))
    heading: Locator = page.get_by_role("heading", name="Home").describe("the heading")
    of_heading: LocatorAssertions = check(heading)
    of_heading.to_be_visible(timeout=timedelta(seconds=20))
    of_heading.not_to_have_text(["Away"])
    description: str | None = heading.description
    assert description == "the heading"
    box: FloatRect | None = heading.bounding_box()
    assert box is not None and box["width"] > 0  # noqa: PT018
    items: Locator = page.locator("li", has_text=re.compile("a")).filter(has=page.locator("b"))
    names: list[str] = [item.locator("b").inner_text() for item in items.all()]
    assert names == ["Lamp", "Chair"] == page.locator("b").all_inner_texts()
    assert items.first.or_(items.last).count() == 2
    goods: list[Item] = page.extract(Item, each=".item")
    assert goods == [Item("Lamp", 12.5), Item("Chair", 49.0)]
    handle: ElementHandle | None = page.query_selector("h1")
    assert handle is not None
    text: str | None = handle.text_content()
    numbers: JSHandle = page.evaluate_handle("[1, 2]")
    properties: dict[str, JSHandle] = numbers.get_properties()
    assert text == "Home"
    assert {name: value.json_value() for name, value in properties.items()} == {"0": 1, "1": 2}
    numbers.dispose()
    modes: list[Kind] = ["default", "ai"]
    outlines: list[str] = [page.aria_snapshot(mode=mode) for mode in modes]
    assert all("Home" in outline for outline in outlines)
    of_heading.to_match_aria_snapshot('- heading "Home"')


def hands(page: Page) -> None:
    """Pointer, keys, fields and files."""
    place: Position = {"x": 4, "y": 4}
    field: Locator = page.get_by_label("Name")
    field.click(position=place, button="left", modifiers=["Shift"])
    keyboard: Keyboard = page.keyboard
    keyboard.type("Ada")
    keyboard.press("Home")
    mouse: Mouse = page.mouse
    mouse.move(20, 20, steps=2)
    mouse.wheel(0, 10)
    touch: Touchscreen = page.touchscreen
    expect(field).to_have_value("Ada")
    page.get_by_label("News").set_checked(checked=True)
    assert page.get_by_label("News").is_checked()
    chosen: list[str] = page.get_by_label("Country").select_option(label=["Peru"])
    assert chosen == ["Peru"]
    payload: FilePayload = {"name": "a.txt", "mimeType": "text/plain", "buffer": b"text"}
    with page.expect_file_chooser() as choosing:
        page.get_by_label("File").click()
    chooser: FileChooser = choosing.value
    assert not chooser.is_multiple()
    chooser.set_files(payload)
    assert page.get_by_label("File").evaluate("field => field.files[0].name") == "a.txt"
    touch.tap(8, 8)


def surroundings(page: Page, folder: Path) -> None:
    """Dialogs, popups, frames, downloads, pictures and what is stored."""
    shown = Shown()
    page.once("dialogclosed", shown.on_dialog_closed)

    def agree(dialog: Dialog) -> None:
        kind: str = dialog.type
        assert kind == "confirm"
        dialog.accept()

    page.once("dialog", agree)
    page.get_by_test_id("ask").click()
    expect(page.locator("#note")).to_have_text("yes")
    assert shown.dialogs == ["Sure?"]
    with page.expect_popup() as opening:
        page.get_by_text("Open", exact=True).click()
    popup: Page = opening.value
    expect(popup).to_have_title("Other")
    opener: Page | None = popup.opener()
    assert opener is page
    popup.close()
    inner: FrameLocator = page.frame_locator("iframe")
    inner.get_by_role("button", name="Inside").click()
    frame: Frame | None = page.frame("inner")
    assert frame is not None
    assert frame.title() == "Inner"
    with page.expect_download() as loading:
        page.get_by_role("link", name="Report").click()
    download: Download = loading.value
    download.save_as(folder / download.suggested_filename)
    assert (folder / "report.txt").read_bytes() == b"a report"
    storage: WebStorage = page.local_storage
    storage.set_item("colour", "red")
    assert storage.get_item("colour") == "red"
    picture: bytes = page.screenshot(type="jpeg", quality=50, path=folder / "page.jpg")
    margins: PdfMargins = {"top": "1cm", "left": 10}
    paper: bytes = page.pdf(margin=margins, format="A5")
    assert picture[:2] == b"\xff\xd8"
    assert paper[:4] == b"%PDF"
    challenge: Wall | None = page.wall()
    assert challenge is None
    assert "Lamp" in page.markdown()


def traffic(page: Page, origin: str) -> None:
    """Requests and answers, web sockets and workers."""
    shown = Shown()
    page.on("request", shown.on_request)
    with page.expect_response(lambda response: response.url.endswith("/other")) as answering:
        page.evaluate("address => fetch(address).then(answer => answer.text())", f"{origin}/other")
    response: Response = answering.value
    request: Request = response.request
    timing: ResourceTiming = request.timing
    assert (response.status, request.method, shown.requests) == (200, "GET", ["fetch"])
    assert timing["startTime"] > 0
    page.remove_listener("request", shown.on_request)

    def serve(socket: WebSocketRoute) -> None:
        def echo(message: str | bytes) -> None:
            socket.send(f"echo {message!s}")

        socket.on_message(echo)

    page.route_web_socket(re.compile("/socket$"), serve)
    page.goto(f"{origin}/")
    address = f"{origin}/socket".replace("http", "ws")
    assert page.evaluate(GREET, address, isolated_context=False) == "echo hi"
    page.on("websocket", on_socket)
    with page.expect_worker() as starting:
        page.evaluate("void new Worker('/worker.js')", isolated_context=False)
    worker: Worker = starting.value
    value: Any = worker.evaluate("typeof postMessage")
    assert value == "function"


def on_socket(socket: WebSocket) -> None:
    """A page opens a web socket that no route decides about."""
    state: tuple[str, bool] = (socket.url, socket.is_closed())
    assert state[0].startswith("ws")


def voices(page: Page) -> None:
    """What a page logs, and what goes wrong in it."""
    with page.expect_console_message() as logging:
        page.evaluate("console.warn('careful', 1)", isolated_context=False)
    message: ConsoleMessage = logging.value
    location: SourceLocation = message.location
    arguments: list[JSHandle] = message.args
    assert (message.type, message.text, len(arguments)) == ("warning", "careful 1", 2)
    assert location["lineNumber"] >= 0
    with page.context.expect_event("weberror") as failing:
        page.evaluate("void setTimeout(() => { throw new Error('oh') })", isolated_context=False)
    failure: WebError = failing.value
    where: WebErrorLocation = failure.location
    error: Error = failure.error
    assert (error.message, where["line"] >= 0) == ("oh", True)
    try:
        page.locator("#nowhere").click(timeout=50)
    except TimeoutError as late:
        assert "Timeout 50ms" in late.message  # noqa: PT017
    else:
        raise AssertionError("it was clicked")


def requests(playwright: Playwright, origin: str) -> None:
    """Requests without a page."""
    maker: APIRequest = playwright.request
    secret: HttpCredentials = {"username": "ada", "password": "x", "send": "unauthorized"}
    sender: APIRequestContext = maker.new_context(base_url=origin, http_credentials=secret)
    form = FormData().set("name", "Ada").append("name", "Grace")
    answered: APIResponse = sender.get("/pages/form.html", params={"page": 1}, timeout=20_000)
    of_answer: APIResponseAssertions = expect(answered)
    of_answer.to_be_ok()
    assert "Register" in answered.text()
    posted: APIResponse = sender.post("/nowhere", multipart=form, fail_on_status_code=False)
    assert isinstance(posted.status, int)
    sender.dispose()


def keeping(context: BrowserContext, page: Page, origin: str, folder: Path) -> None:
    """Cookies, storage, passkeys, traces, clocks, permissions, the raw protocol."""
    given: SetCookieParam = {"name": "a", "value": "1", "url": origin, "sameSite": "Lax"}
    context.add_cookies([given])
    cookies: list[Cookie] = context.cookies(origin)
    state: StorageState = context.storage_state(path=folder / "state.json")
    kept: StorageStateCookie = state["cookies"][0]
    assert cookies[0]["value"] == kept["value"] == "1"
    steps: Debugger = context.debugger
    assert steps.paused_details is None
    passkeys: Credentials = context.credentials
    passkeys.install()
    passkey: VirtualCredential = passkeys.create("localhost")
    assert [found["id"] for found in passkeys.get()] == [passkey["id"]]
    place: Geolocation = {"latitude": 48.2, "longitude": 16.4}
    context.grant_permissions(["geolocation"], origin=origin)
    context.set_geolocation(place)
    tracing: Tracing = context.tracing
    tracing.start(snapshots=True)
    page.reload()
    tracing.stop(path=folder / "trace.zip")
    assert (folder / "trace.zip").stat().st_size > 0
    script: Disposable = context.add_init_script("globalThis.early = true")
    page.reload()
    assert page.evaluate("globalThis.early", isolated_context=False) is True
    script.dispose()
    session: CDPSession = context.new_cdp_session(page)
    reported: dict[str, Any] = session.send("Runtime.evaluate", {"expression": "1 + 1"})
    assert reported["result"]["value"] == 2
    session.detach()
    clock: Clock = page.clock
    clock.install(time=0)
    clock.run_for(timedelta(seconds=2))


def films(browser: Browser, folder: Path) -> None:
    """Videos of pages, and pictures of them as they change."""
    size: ViewportSize = {"width": 320, "height": 240}
    context: ChromiumBrowserContext = browser.new_context(
        viewport=size, record_video_dir=folder, has_touch=True, locale="de-AT", color_scheme="dark"
    )
    page: Page = context.new_page()
    shown = Shown()
    cast: Screencast = page.screencast
    small: ScreencastSize = {"width": 160, "height": 120}
    style: ScreencastActionStyle = {"title": "font-size: 12px"}
    assert style["title"]
    cast.start(on_frame=shown.on_frame, size=small)
    page.set_content("<h1>Film</h1>")
    page.wait_for_function("document.body.innerText === 'Film'")
    page.screenshot()
    cast.stop()
    video: Video | None = page.video
    context.close()
    assert video is not None
    assert (video.path()).stat().st_size > 0
    assert all(frame["data"] for frame in shown.frames)
    try:
        page.title()
    except TargetClosedError as gone:
        assert "closed" in gone.message  # noqa: PT017
    else:
        raise AssertionError("it is open")


def reading(context: BrowserContext, page: Page, origin: str) -> None:
    """What there is for scripts that read the web, and for agents."""
    kept: KeptAnswers = context.keep_answers("**/nowhere")
    refused: Disposable = context.block(kinds=["image", "font"], ads=True)
    page.goto(f"{origin}/")
    page.evaluate("address => fetch(address).then(answer => answer.text())", f"{origin}/nowhere")
    answers: list[KeptAnswer] = kept.find("path")
    assert [(answer.status, answer.json()) for answer in answers] == [(404, {"path": "/nowhere"})]
    with TemporaryDirectory() as folder:
        crawl: CrawlReport = context.crawl(f"{origin}/", folder, max_pages=1, include="**/*")
        assert (crawl.pages, crawl.failed, crawl.index) == (1, 0, Path(folder) / "index.jsonl")
    grown: int = page.scroll_to_end(most_times=1)
    assert grown == 0
    refused.dispose()
    offers: WebMCP = page.webmcp
    try:
        tools: list[WebMCPTool] = offers.tools()
    except Error as off:
        assert "WebMCP" in off.message  # noqa: PT017
    else:
        notes: list[WebMCPToolAnnotations | None] = [tool.get("annotations") for tool in tools]
        assert notes == []


def stops() -> tuple[BrowserBindResult, DebuggerPausedDetails]:
    """What this tour does not come to."""
    place: DebuggerLocation = {"file": __file__, "line": 1, "column": None}
    return {"endpoint": "ws://localhost:1"}, {"location": place, "title": "Page.click"}


def plans() -> tuple[ProxySettings, ClientCertificate]:
    """Options that this tour has no use for."""
    proxy: ProxySettings = {"server": "http://localhost:3128", "bypass": "localhost"}
    certificate: ClientCertificate = {"origin": "https://localhost", "certPath": "a.pem", "keyPath": "a.key"}
    return proxy, certificate


def main(origin: str, folder: Path) -> None:
    """Goes through all of it."""
    assert len(plans()) == len(stops()) == 2
    manager: PlaywrightContextManager = sync_playwright()
    with manager as playwright:
        chromium: BrowserType = playwright.chromium
        selectors: Selectors = playwright.selectors
        selectors.set_test_id_attribute("data-testid")
        browser: Browser = chromium.launch(headless=True)
        context: BrowserContext = browser.new_context(has_touch=True, input="instant")
        page: Page = context.new_page()
        requests(playwright, origin)
        routed: Disposable = context.route(re.compile(f"^{re.escape(origin)}/"), answer)
        opened: Response | None = page.goto(f"{origin}/", wait_until="load")
        assert opened is not None and opened.ok  # noqa: PT018
        elements(page)
        hands(page)
        surroundings(page, folder)
        traffic(page, origin)
        voices(page)
        keeping(context, page, origin, folder)
        reading(context, page, origin)
        routed.dispose()
        films(browser, folder)
        browser.close()
