"""A cap on pages in memory: those that were not used for longest go, lose nothing, and come back on use."""

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests_py.support.client import Server, serve
from tests_py.support.site import Site, document

pytestmark = pytest.mark.long

OUT = "[out of memory until used]"
COUNTS = "<script>sessionStorage.loads = Number(sessionStorage.loads || 0) + 1</script>"
LONG = f"<h1>Long</h1><div style='height: 5000px'></div><p>End</p>{COUNTS}"


async def tabs(server: Server) -> list[str]:
    """The tabs as they are listed."""
    listed = await server.call("browser_tabs", action="list")
    return [line for line in listed.text.splitlines() if "[tab=" in line]


async def until_out(server: Server, *places: int) -> None:
    """Waits until just the tabs at these places are out of memory."""
    end = time.monotonic() + 30
    while [place for place, line in enumerate(await tabs(server)) if OUT in line] != list(places):
        assert time.monotonic() < end, await tabs(server)
        await asyncio.sleep(0.05)


async def open_tab(server: Server, url: str) -> None:
    """Opens an address in a tab of its own."""
    reply = await server.call("browser_tabs", action="new", url=url)
    assert not reply.is_error, reply.text


async def test_the_page_unused_for_longest_goes_and_comes_back_as_it_was(tmp_path: Path, site: Site) -> None:
    before = site.publish("/before", document("Before", "<p>Before</p>"))
    long = site.publish("/long", document("Long", LONG))
    async with serve("--headless", "--max-live-pages", "2", cwd=tmp_path) as server:
        await server.open(before)
        await server.open(long)
        await server.evaluate("() => { scrollTo(0, 2345) }")
        for path in ("/second", "/third"):
            await open_tab(server, site.publish(path, document(path, f"<p>{path}</p>")))
        await until_out(server, 0)
        assert f"[Long]({long})" in (await tabs(server))[0]
        assert len(site.requested("/long")) == 1
        selected = await server.call("browser_tabs", action="select", index=0)
        assert "was out of memory (--max-live-pages) and was loaded anew" in selected.section("Events")
        assert 'heading "Long"' in (await server.snapshot()).text
        shown = "() => JSON.stringify([scrollY, sessionStorage.loads, history.length])"
        length = "() => history.length"
        assert json.loads(await server.evaluate(shown)) == [2345, "2", int(await server.evaluate(length))]
        assert len(site.requested("/long")) == 2
        back = await server.call("browser_navigate_back")
        assert not back.is_error
        assert "/before" in back.text
        # Now another one is the longest unused.
        await until_out(server, 1)


async def test_a_page_stays_from_which_something_would_be_lost(tmp_path: Path, site: Site) -> None:
    asks = "<script>addEventListener('beforeunload', () => {})</script>"
    # As React does, it makes what was put in the field's default.
    keeps = "<input aria-label='Name' oninput='this.defaultValue = this.value'><p>Beside</p>"
    frame = site.publish("/inner", document("Inner", "<textarea aria-label='Inside'></textarea>"))
    frame = frame.replace(site.origin, site.other_origin)
    site.publish("/opened", document("Opened", "<p>Opened</p>"))
    opens = "<a href='/opened' target=_blank rel=opener>Open</a>"
    send = "<form method=post action='/sent'><button>Send</button></form>"
    site.publish("/sent", document("Sent", "<p>Sent</p>"))
    async with serve("--headless", "--max-live-pages", "1", "--input", "instant", cwd=tmp_path) as server:
        await server.open(site.publish("/asks", document("Asks", asks)))
        await open_tab(server, site.publish("/keeps", document("Keeps", keeps)))
        await server.call("browser_type", target="[aria-label=Name]", text="Ada")
        await server.call("browser_click", target="text=Beside")
        await open_tab(
            server, site.publish("/framed", document("Framed", f"<iframe src='{frame}'></iframe>"))
        )
        inside = (await server.snapshot()).ref('textbox "Inside"')
        assert not (await server.call("browser_type", target=inside, text="Ada")).is_error
        await open_tab(server, site.publish("/opens", document("Opens", opens)))
        assert not (await server.call("browser_click", target="a")).is_error
        await open_tab(server, site.publish("/sends", document("Sends", send)))
        assert not (await server.call("browser_click", target="button")).is_error
        # Behind all of them are two from which nothing would be lost: they are asked last.
        for path in ("/plain", "/last"):
            await open_tab(server, site.publish(path, document(path, f"<p>{path}</p>")))
        await until_out(server, 6)
        assert [request.method for request in site.requested("/sent")] == ["POST"]
        await server.call("browser_tabs", action="select", index=1)
        assert (
            json.loads(await server.evaluate("() => JSON.stringify(document.querySelector('input').value)"))
            == "Ada"
        )


async def test_a_page_stays_as_long_as_it_is_filmed(tmp_path: Path, site: Site) -> None:
    arguments = ("--headless", "--max-live-pages", "1", "--caps", "evidence")
    async with serve(*arguments, cwd=tmp_path) as server:
        await server.open(site.publish("/filmed", document("Filmed", "<p>Filmed</p>")))
        filming = await server.call("browser_record", action="start")
        assert not filming.is_error, filming.text
        for path in ("/plain", "/last"):
            await open_tab(server, site.publish(path, document(path, f"<p>{path}</p>")))
        await until_out(server, 1)
        await server.call("browser_tabs", action="select", index=0)
        filmed = await server.call("browser_record", action="stop")
        assert not filmed.is_error, filmed.text
        await server.call("browser_tabs", action="select", index=2)
        await until_out(server, 0, 1)


async def test_many_sessions_share_few_pages_in_memory(tmp_path: Path, site: Site) -> None:
    url = site.publish("/form", document("Form", f"<h1>Here</h1>{COUNTS}"))
    async with serve("--headless", "--max-live-pages", "2", "--max-sessions", "12", cwd=tmp_path) as server:
        sessions = [json.loads((await server.call("create_session")).text)["sessionId"] for _ in range(12)]
        for session in sessions:
            answer = json.loads((await server.call("navigate", sessionId=session, url=url)).text)
            assert (answer["success"], answer["title"]) == (True, "Form")
        # What was left for another address was not loaded for that.
        first, *_, last = sessions
        elsewhere = site.publish("/elsewhere", document("Elsewhere", "<p>Elsewhere</p>"))
        before = len(site.requested("/form"))
        answer = json.loads((await server.call("navigate", sessionId=first, url=elsewhere)).text)
        assert answer["title"] == "Elsewhere"
        assert len(site.requested("/form")) == before
        loads = "() => sessionStorage.loads"
        again = [
            (await server.call("browser_evaluate", sessionId=session, function=loads)).text
            for session in sessions[1:]
        ]
        assert all("Result" in answer for answer in again), again
        assert sum("2" in answer.partition("Result")[2].splitlines()[1] for answer in again) >= 9, again
        assert not (await server.call("browser_take_screenshot", sessionId=last)).is_error


@pytest.mark.parametrize("other", [["--browser", "firefox"], ["--cdp-endpoint", "http://127.0.0.1:1"]])
def test_only_in_a_chromium_of_the_servers_own(other: list[str]) -> None:
    command = [sys.executable, "-m", "patchright_mcp", "--max-live-pages", "3", *other]
    answer = subprocess.run(
        command, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60, check=False
    )
    assert answer.returncode == 2
    assert "--max-live-pages: only in a Chromium that the server starts" in answer.stderr
