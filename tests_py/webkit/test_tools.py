"""The tools in WebKit: what works there, and what is refused with its reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests_py.support.client import Reply, Server, serve
from tests_py.support.pictures import colours
from tests_py.support.proxies import Proxy
from tests_py.support.site import Site, document

PNG = b"\x89PNG\r\n\x1a\n"

BUTTONS = """<button onclick="said.textContent += ` ${event.isTrusted} ${event.detail}`">Press</button>
<button disabled>Not yet</button><button style="display: none">Hidden</button>
<div style="position: relative; width: 100px"><button>Below</button>
<div id=veil style="position: absolute; inset: 0; background: white"></div></div>
<p id=said role=status></p>"""

FIELDS = """<form onsubmit="said.textContent = 'sent ' + name.value; return false">
<label>Name <input name=name value=before oninput="heard.textContent = event.isTrusted"></label>
<label>Secret <input type=password></label><label>Fixed <input readonly value=no></label>
<label>Date <input type=date></label><label>Long <textarea></textarea></label><button>Send</button></form>
<p id=heard></p><p id=said role=status></p>"""


async def test_the_page_is_shown_by_webkit_which_says_that_it_is_driven(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    answer = await server.evaluate("() => `${navigator.userAgent} ${navigator.webdriver}`")
    assert "Chrome" not in answer
    assert "Safari/" in answer
    assert answer.endswith("true")


async def test_a_press_is_the_persons_own(server: Server, site: Site) -> None:
    page = await server.open(site.publish("/buttons", document("Buttons", BUTTONS)))
    reply = await server.click(page.ref("Press"))
    assert "true 1" in reply.section("Snapshot")
    reply = await server.click(page.ref("Press"), doubleClick=True)
    # The second call's first press is no third of the one before.
    assert await server.evaluate("() => said.textContent.trim()") == "true 1 true 1 true 2"


@pytest.mark.parametrize(
    ("name", "obstacle"), [("Not yet", "was disabled"), ("Below", "was covered by <div#veil>")]
)
async def test_what_no_press_would_reach_is_not_pressed(
    site: Site, tmp_path: Path, name: str, obstacle: str
) -> None:
    async with serve("--headless", "--timeout-action", "500", cwd=tmp_path) as server:
        page = await server.open(site.publish("/buttons", document("Buttons", BUTTONS)))
        reply = await server.call("browser_click", target=page.ref(name))
    assert reply.is_error
    assert obstacle in reply.text


async def test_a_ref_stays_with_its_element_and_is_never_anothers(server: Server, site: Site) -> None:
    body = "<button id=one>One</button><button id=two>Two</button>"
    page = await server.open(site.publish("/refs", document("Refs", body)))
    two = page.ref("Two")
    await server.evaluate("() => { one.before(two); one.outerHTML = '<button>Zero</button>'; }")
    assert (await server.snapshot()).ref("Two") == two
    await server.evaluate("() => two.remove()")
    gone = await server.call("browser_click", target=two)
    assert gone.is_error
    assert "no longer on the page" in gone.text
    other = await server.open(site.page("form"))
    assert two not in other.refs()


async def test_text_is_typed_and_read_back(server: Server, site: Site) -> None:
    page = await server.open(site.publish("/fields", document("Fields", FIELDS)))
    reply = await server.call("browser_type", target=page.ref("Name"), text="Zoë \U0001f600")
    assert not reply.is_error, reply.text
    assert "Zoë \U0001f600" in reply.section("Result")
    assert await server.evaluate("() => heard.textContent") == "true"
    slowly = await server.call(
        "browser_type", target=page.ref("Name"), text="\xeb\U0001f600b", slowly=True, submit=True
    )
    assert not slowly.is_error, slowly.text
    assert await server.evaluate("() => said.textContent") == "sent \xeb\U0001f600b"
    await server.call("browser_type", target=page.ref("Long"), text="one\ntwo")
    assert await server.evaluate("() => document.querySelector('textarea').value.split('\\n').length") == "2"
    await server.call("browser_type", target=page.ref("Date"), text="2026-11-26")
    assert await server.evaluate("() => document.querySelector('[type=date]').value") == "2026-11-26"


async def test_a_secret_is_not_reported_and_what_is_fixed_is_refused(site: Site, tmp_path: Path) -> None:
    async with serve("--headless", "--timeout-action", "500", cwd=tmp_path) as server:
        page = await server.open(site.publish("/fields", document("Fields", FIELDS)))
        reply = await server.call("browser_type", target=page.ref("Secret"), text="hunter2")
        assert not reply.is_error, reply.text
        assert "hunter2" not in reply.text
        fixed = await server.call("browser_type", target=page.ref("Fixed"), text="yes")
        assert fixed.is_error
        assert "read-only" in fixed.text
        button = await server.open(site.publish("/buttons", document("Buttons", BUTTONS)))
        wrong = await server.call("browser_type", target=button.ref("Press"), text="yes")
        assert wrong.is_error
        assert "is a button" in wrong.text


async def test_scripts_give_what_they_return(server: Server, site: Site) -> None:
    page = await server.open(site.page("form"))
    assert await server.evaluate("async () => (await Promise.resolve([1, 'a', null])).length") == "3"
    assert await server.evaluate("document.title") == "A form"
    reply = await server.call(
        "browser_evaluate", function="(element) => element.localName", ref=page.refs()[0]
    )
    assert not reply.is_error, reply.text
    thrown = await server.call("browser_evaluate", function="() => { throw new Error('no such luck'); }")
    assert thrown.is_error
    assert "no such luck" in thrown.text


async def test_nothing_of_ours_stays_in_the_page(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    names = (
        "() => [...Object.getOwnPropertyNames(window)].filter((name) => /engine|firstRef/.test(name)).length"
    )
    await server.snapshot()
    assert await server.evaluate(names) == "0"
    marks = "() => document.documentElement.outerHTML.includes('ref=')"
    assert await server.evaluate(marks) == "false"


async def test_pictures_are_png_of_the_viewport_or_of_an_element(site: Site, tmp_path: Path) -> None:
    async with serve("--headless", "--image-responses", "inline", cwd=tmp_path) as server:
        page = await server.open(site.publish("/buttons", document("Buttons", BUTTONS)))
        whole = await server.call("browser_take_screenshot", filename="whole")
        part = await server.call("browser_take_screenshot", ref=page.ref("Press"))
        refused = await server.call("browser_take_screenshot", type="jpeg")
    assert whole.images[0].startswith(PNG)
    assert int.from_bytes(whole.images[0][16:20], "big") == 1280
    assert int.from_bytes(part.images[0][16:20], "big") < 200
    assert (tmp_path / ".viewpoint-mcp-screenshots" / "whole.png").read_bytes() == whole.images[0]
    assert refused.is_error
    assert "in WebKit" in refused.text


TALL = """<body style="margin: 0"><div style="height: 3000px; background: #00f"></div>
<div style="height: 40px; background: #f00"></div>"""


async def test_a_picture_of_the_whole_page_shows_its_end(site: Site, tmp_path: Path) -> None:
    async with serve("--headless", "--image-responses", "inline", cwd=tmp_path) as server:
        await server.open(site.publish("/tall", document("Tall", TALL)))
        await server.evaluate("() => scrollTo(0, 700)")
        before = await server.evaluate("() => [innerWidth, innerHeight, scrollY].join()")
        reply = await server.call("browser_take_screenshot", fullPage=True)
        assert not reply.is_error, reply.text
        assert await server.evaluate("() => [innerWidth, innerHeight, scrollY].join()") == before
        await server.open(site.publish("/taller", document("Taller", "<p style='height: 20000px'>Long</p>")))
        refused = await server.call("browser_take_screenshot", fullPage=True)
    rows = colours(reply.images[0])
    assert len(rows) == 3040
    assert (rows[10], rows[2900], rows[3030]) == ((0, 0, 255), (0, 0, 255), (255, 0, 0))
    assert refused.is_error
    assert "beyond 16384 pixels" in refused.text


async def test_cookies_are_listed_set_and_deleted(site: Site, tmp_path: Path) -> None:
    async with serve("--headless", "--caps", "storage", cwd=tmp_path) as server:
        await server.open(site.page("form"))
        given = "Set-Cookie: a=1; HttpOnly\nSet-Cookie: b=2"
        reply = await server.call("browser_cookies", action="set", cookies=given, domain="127.0.0.1")
        assert not reply.is_error, reply.text
        listed = json.loads((await server.call("browser_cookies", action="list")).section("Result"))
        assert {(cookie["name"], cookie["value"], cookie["httpOnly"]) for cookie in listed} == {
            ("a", "1", True),
            ("b", "2", False),
        }
        await server.open(site.page("clicks"))
        assert "a=1" in site.requested("/pages/clicks.html")[-1].headers["Cookie"]
        reply = await server.call("browser_cookies", action="delete", name="a")
        assert "Deleted 1 cookies; 0" in reply.text
        assert await server.evaluate("() => document.cookie") == "b=2"


async def test_an_address_that_cannot_be_reached_is_an_error(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    for url in ["http://127.0.0.1:9/", "http://nobody.invalid/"]:
        reply = await server.call("browser_navigate", url=url)
        assert reply.is_error, reply.text
        assert "navigation failed" in reply.text


async def reported(server: Server, reply: Reply, event: str) -> str:
    """The line with this event, of this answer or of one of the next: nothing tells of downloads."""
    for _ in range(40):
        if event in reply.text:
            return reply.line(event)
        reply = await server.snapshot()
    raise AssertionError(reply.text)


@pytest.mark.parametrize("before", ["", "form"], ids=["at once", "after a page"])
async def test_an_address_that_is_a_file_is_downloaded_and_the_page_stays(
    site: Site, tmp_path: Path, before: str
) -> None:
    async with serve("--headless", cwd=tmp_path) as server:
        if before:
            await server.open(site.page(before))
        reply = await server.call("browser_navigate", url=site.url("/download/a.bin"))
        assert not reply.is_error, reply.text
        assert "The address is a file" in reply.section("Result")
        line = await reported(server, reply, "Downloaded")
        assert line == "- Downloaded report.bin to .patchright-mcp/report.bin (18 bytes)"
        title = await server.evaluate("() => document.title")
        assert title == ("A form" if before else "")
    assert (tmp_path / ".patchright-mcp" / "report.bin").read_bytes() == b"a file, not a page"


async def test_what_a_click_downloads_is_kept_and_reported(site: Site, tmp_path: Path) -> None:
    body = f"""<a href="{site.url("/download/a")}">Report</a>
<a href="data:text/plain,hello" download="hello.txt">Hello</a>
<a href="{site.url("/stalls")}">Slow</a>"""
    folder = tmp_path / "kept"
    async with serve("--headless", "--output-dir", str(folder), cwd=tmp_path) as server:
        page = await server.open(site.publish("/files", document("Files", body)))
        for name in ["report.bin", "report (1).bin"]:
            line = await reported(server, await server.click(page.ref("Report")), "Downloaded")
            assert f"kept/{name} " in line
        line = await reported(server, await server.click(page.ref("Hello")), "Downloaded")
        assert line == "- Downloaded hello.txt to kept/hello.txt (5 bytes)"
        reply = await server.click(page.ref("Slow"))
        assert await reported(server, reply, "slow.bin") == "- Downloading slow.bin …"
        again = await server.snapshot()
        assert "slow.bin" not in again.text
        # The browser shows them in a bar, which is not to be at the page's cost.
        assert await server.evaluate("() => innerHeight") == "720"
        assert await server.evaluate("() => document.title") == "Files"
    assert {file.name: file.stat().st_size for file in folder.iterdir()} == {
        "report.bin": 18,
        "report (1).bin": 18,
        "hello.txt": 5,
    }


async def test_the_session_tools_keep_what_is_downloaded(site: Site, tmp_path: Path) -> None:
    body = f'<a id=get href="{site.url("/download/a")}">Report</a>'
    async with serve("--headless", cwd=tmp_path) as server:
        session = json.loads((await server.call("create_session")).text)["sessionId"]
        await server.call("navigate", sessionId=session, url=site.publish("/one", document("One", body)))
        await server.call("click", sessionId=session, selector="#get")
        kept = tmp_path / ".patchright-mcp" / "report.bin"
        for _ in range(40):
            if kept.exists():
                break
            await server.call("browser_snapshot", sessionId=session)
        assert kept.read_bytes() == b"a file, not a page"
        gone = json.loads(
            (await server.call("navigate", sessionId=session, url=site.url("/download/b"))).text
        )
        assert gone["errorCode"] == "NAVIGATION_FAILED"
        assert "a file to download" in json.dumps(gone)


async def test_an_answer_without_content_is_no_file(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    reply = await server.call("browser_navigate", url=site.url("/no-content"))
    assert reply.is_error
    assert "answered without content" in reply.text


async def test_installing_tells_whether_webkit_is_ready(server: Server, site: Site, tmp_path: Path) -> None:
    async with serve("--headless", cwd=tmp_path) as fresh:
        said = (await fresh.call("browser_install")).section("Result")
    assert said.startswith("WebKit is already installed (")
    assert said.endswith("/WebKitWebDriver). No installation needed.")
    await server.open(site.page("form"))
    said = (await server.call("browser_install")).section("Result")
    assert said.startswith("WebKit is already installed and running (")
    async with serve("--headless", "--executable-path", "/nowhere", cwd=tmp_path) as without:
        missing = await without.call("browser_install")
    assert missing.is_error
    assert "webkit2gtk-driver" in missing.text


async def test_what_works_in_webkit_is_listed_and_nothing_else(site: Site, tmp_path: Path) -> None:
    async with serve("--headless", "--caps", "storage,pdf", cwd=tmp_path) as server:
        names = {tool.name for tool in (await server.session.list_tools()).tools}
        # All are there in a session with another browser.
        session = json.loads((await server.call("create_session", browserType="chromium")).text)["sessionId"]
        await server.call("browser_navigate", sessionId=session, url=site.page("form"))
        tabs = await server.call("browser_tabs", sessionId=session, action="list")
    assert names == {
        *("create_session", "close_session", "list_sessions", "navigate", "click", "type"),
        *("browser_navigate", "browser_navigate_back", "browser_snapshot", "browser_click", "browser_type"),
        *("browser_evaluate", "browser_take_screenshot", "browser_handle_dialog", "browser_cookies"),
        "browser_install",
    }
    assert not tabs.is_error, tabs.text
    assert "A form" in tabs.text


async def test_going_back_is_going_back(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    await server.open(site.page("clicks"))
    reply = await server.call("browser_navigate_back")
    assert not reply.is_error, reply.text
    assert "A form" in reply.section("Page")


async def test_a_page_in_a_frame_is_read_and_pressed(server: Server, site: Site) -> None:
    inner = document(
        "Inner", '<button onclick="this.textContent = `Done ${event.isTrusted}`">Inside</button>'
    )
    address = site.publish("/inner", inner)
    outer = document(
        "Outer", f'<p style="margin: 90px">Around</p><iframe src="{address}" style="margin: 50px"></iframe>'
    )
    page = await server.open(site.publish("/outer", outer))
    reply = await server.click(page.ref("Inside"))
    assert "Done true" in reply.section("Snapshot")


async def test_a_dialog_is_reported_and_answered(server: Server, site: Site) -> None:
    body = "<button onclick=\"said.textContent = prompt('Who?')\">Ask</button><p id=said></p>"
    page = await server.open(site.publish("/ask", document("Question", body)))
    reply = await server.click(page.ref("Ask"))
    assert "Who?" in reply.section("Modal state")
    stuck = await server.call("browser_snapshot")
    assert stuck.is_error
    assert "browser_handle_dialog" in stuck.text
    reply = await server.call("browser_handle_dialog", accept=True, promptText="Ada")
    assert not reply.is_error, reply.text
    assert await server.evaluate("() => said.textContent") == "Ada"


async def test_a_window_that_a_page_opens_is_reported(server: Server, site: Site) -> None:
    body = f"<a href='{site.page('form')}' target=_blank>Elsewhere</a>"
    page = await server.open(site.publish("/opens", document("Opens", body)))
    reply = await server.click(page.ref("Elsewhere"))
    assert "opened a window with" in reply.section("Events")
    assert await server.evaluate("() => document.title") == "Opens"


@pytest.mark.parametrize(
    ("tool", "arguments", "reason"),
    [
        ("browser_network_requests", {}, "tells of no requests"),
        ("browser_console_messages", {}, "no console"),
        ("browser_tabs", {"action": "list"}, "one page"),
        ("browser_pdf_save", {}, "does not print"),
        ("browser_hover", {"target": "e1"}, "has few words"),
        ("browser_file_upload", {"paths": []}, "has few words"),
        ("browser_context_create", {}, "another session"),
        ("patchright_fetch", {"url": "http://127.0.0.1/"}, "tabs of their own"),
        ("browser_snapshot", {"tab": "c0p0"}, "one page"),
        ("browser_navigate", {"url": "http://127.0.0.1/", "waitUntil": "networkidle"}, "no requests"),
    ],
)
async def test_what_webkit_cannot_do_is_refused_with_its_reason(
    tmp_path: Path, tool: str, arguments: dict[str, object], reason: str
) -> None:
    # Nothing is started for what would be refused.
    async with serve("--headless", "--caps", "pdf", "--executable-path", "/nowhere", cwd=tmp_path) as server:
        reply = await server.call(tool, **arguments)
    assert reply.is_error
    assert "WebKit" in reply.text
    assert reason in reply.text
    assert "browserType" in reply.text


LOADS = """<script>
window.said = new Promise((done) => {
  const line = new WebSocket(`ws://${location.host}/chat`);
  line.onmessage = (event) => done(event.data);
  line.onerror = () => done('nothing');
});
</script>"""


@pytest.mark.parametrize("kind", ["http", "socks5"])
async def test_all_that_a_page_asks_for_goes_through_the_proxy(site: Site, tmp_path: Path, kind: str) -> None:
    with Proxy(kind) as proxy:
        address = proxy.server.replace("://", "://me:sword%3Afish@")
        async with serve("--headless", "--proxy-server", address, cwd=tmp_path) as server:
            # A name that only the proxy knows; and this machine, which browsers would reach without it.
            far = site.publish("/loads", document("Far", LOADS)).replace("127.0.0.1", "far.example")
            await server.open(far)
            host = far.split("/")[2]
            said = await server.evaluate("() => said")
            assert said == "hello"
            assert set(proxy.asked) == {host}
            assert len(proxy.asked) > 1
            here = site.page("form").replace("127.0.0.1", "localhost")
            await server.open(here)
            assert here.split("/")[2] in proxy.asked


async def test_what_is_to_go_without_the_proxy_goes_without_it(site: Site, tmp_path: Path) -> None:
    with Proxy("http") as proxy:
        address = proxy.server.replace("://", "://me:sword%3Afish@")
        options = ("--proxy-server", address, "--proxy-bypass", "127.0.0.1")
        async with serve("--headless", *options, cwd=tmp_path) as server:
            await server.open(site.page("form"))
            assert proxy.asked == []
            await server.open(site.page("form").replace("127.0.0.1", "far.example"))
            assert proxy.asked != []


async def test_a_proxy_that_is_not_there_is_reported_as_the_reason(site: Site, tmp_path: Path) -> None:
    async with serve("--headless", "--proxy-server", "http://127.0.0.1:9", cwd=tmp_path) as server:
        reply = await server.call("browser_navigate", url=site.page("form"))
    assert reply.is_error
    assert "the proxy could not be reached" in reply.text
    assert site.requested("/pages/form.html") == []


async def test_pages_reach_no_origin_that_is_not_allowed(site: Site, tmp_path: Path) -> None:
    blocked = site.url("").replace("127.0.0.1", "localhost").rstrip("/")
    site.publish(
        "/dot.svg", "<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/>", "image/svg+xml"
    )
    body = f"<img src='{blocked}/dot.svg' onerror=\"said.textContent = 'no picture'\"><p id=said></p>"
    page = site.publish("/blocked", document("Blocked", body))
    async with serve("--headless", "--blocked-origins", blocked, cwd=tmp_path) as server:
        opened = await server.open(page)
        assert "no picture" in opened.section("Snapshot")
        reply = await server.call("browser_navigate", url=f"{blocked}/pages/form.html")
        assert reply.is_error
        assert "is not allowed" in reply.text
        redirect = site.lead("/leads", f"{blocked}/pages/form.html")
        reply = await server.call("browser_navigate", url=redirect)
        assert reply.is_error
        assert "is not allowed" in reply.text
    assert site.requested("/pages/form.html") == []
    assert site.requested("/dot.svg") == []


@pytest.mark.parametrize("arguments", [("--confirm", "submit"), ("--hide-webdriver",)])
async def test_a_setting_that_would_hold_for_nothing_is_refused(
    site: Site, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    async with serve("--headless", *arguments, cwd=tmp_path) as server:
        reply = await server.call("browser_navigate", url=site.page("form"))
    assert reply.is_error
    assert "in WebKit" in reply.text
    assert site.requested("/pages/form.html") == []
