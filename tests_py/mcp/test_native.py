"""Windows of the browser itself that would lie over a page and take its input."""

from __future__ import annotations

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long

PAGE = """<a href="tel:+15550100">Call</a> <a href="foo:bar">Open foo</a>
<a href="mailto:x@example.com">Write</a>
<button onclick="setTimeout(() => (location.href = 'slack://open'))">Slack</button>
<button onclick="location.replace('itms-apps://x')">Store</button>
<button id=code>Code</button> <button id=share>Share</button> <b></b>
<button onclick="count.textContent = ++clicks">After</button> <output id=count></output>
<script>
  let clicks = 0;
  code.onclick = () => (document.body.append(document.createElement("iframe")), frames[0].location = "vscode://x");
  share.onclick = async () => {
    const shared = navigator.mediaDevices.getDisplayMedia({ video: true });
    document.querySelector("b").textContent = await shared.then(() => "shared", (error) => error.name);
  };
</script>"""
LAUNCHES = PAGE + """<script>location.href = "zoommtg://zoom.us/join";</script>"""
WAYS = [
    ("Call", "tel:+15550100"),
    ("Open foo", "foo:bar"),
    ("Write", "mailto:x@example.com"),
    ("Slack", "slack://open"),
    ("Store", "itms-apps://x"),
    ("Code", "vscode://x"),
]


@pytest.fixture
def server(either_workshop: Workshop) -> Server:
    """A server without a window, and one with."""
    return either_workshop.server


async def test_other_programs_are_refused_and_the_page_goes_on_hearing_input(
    server: Server, site: Site
) -> None:
    await server.open(site.publish("/native", PAGE))
    for number, (name, address) in enumerate(WAYS, start=1):
        reply = await server.click(f"text={name}")
        assert f"The page asked to open {address} in another program; it was refused." in reply.text, (
            reply.text
        )
        await server.click("text=After")
        assert await server.evaluate("() => count.textContent") == str(number)


async def test_a_page_that_launches_a_program_by_itself_can_be_used(server: Server, site: Site) -> None:
    reply = await server.open(site.publish("/launches", LAUNCHES))
    assert "asked to open zoommtg://zoom.us/join in another program" in reply.text, reply.text
    await server.click("text=After")
    assert await server.evaluate("() => count.textContent") == "1"


async def test_the_picker_of_what_to_share_is_cancelled(server: Server, site: Site) -> None:
    await server.open(site.publish("/share", PAGE))
    await server.click("text=Share")
    await server.call("browser_wait_for", text="NotAllowedError")
    await server.click("text=After")
    assert await server.evaluate("() => count.textContent") == "1"


SURFACES = {
    "position": "navigator.geolocation.getCurrentPosition(() => {}, () => {})",
    "notifications": "Notification.requestPermission()",
    "camera": "navigator.mediaDevices.getUserMedia({ video: true }).catch(() => {})",
    "file picker": "showOpenFilePicker().catch(() => {})",
    "folder picker": "showDirectoryPicker().catch(() => {})",
    "usb": "navigator.usb.requestDevice({ filters: [] }).catch(() => {})",
    "print": "print()",
    "select": "choice.showPicker()",
    "date": "date.showPicker()",
    "colour": "colour.showPicker()",
    "suggestions": "suggested.showPicker()",
    "password": "login.requestSubmit()",
}
ASKS = """<form id=login action="/surface-{name}?in"><input name=user value=ada autocomplete=username>
<input type=password name=word value=secret autocomplete=current-password></form>
<select id=choice><option>Ant<option>Bee</select> <input type=date id=date> <input type=color id=colour>
<input id=suggested list=known><datalist id=known><option>Ant<option>Bee</datalist>
<div style="height:300px"></div>
<button onclick="{script}">Ask</button> <button onclick="out.textContent += 'pressed;'">After</button>
<output id=out></output>
<script>
  addEventListener("keydown", ({ key }) => (out.textContent += key === "F2" ? "typed;" : ""));
</script>"""


@pytest.mark.parametrize("name", SURFACES)
async def test_what_the_browser_itself_shows_takes_no_input_from_the_page(
    server: Server, site: Site, name: str
) -> None:
    path = f"/surface-{name.replace(' ', '-')}"
    page = ASKS.replace("{name}", path.removeprefix("/surface-")).replace("{script}", SURFACES[name])
    await server.open(site.publish(path, page))
    await server.click("text=Ask")
    if "picker" in name:
        # It waits for files, and is given up first.
        await server.call("browser_file_upload", paths=[])
    await server.click("text=After")
    await server.call("browser_press_key", key="F2")
    assert await server.evaluate("() => out.textContent") == "pressed;typed;"
