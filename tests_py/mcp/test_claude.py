"""The members of Claude's browser toolset, under their own names and with their own arguments."""

from __future__ import annotations

import importlib
import struct
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests_py.support.client import Reply, Server, serve
from tests_py.support.site import Site, document

MEMBERS = [
    "navigate",
    "screenshot",
    "zoom",
    "left_click",
    "right_click",
    "middle_click",
    "double_click",
    "triple_click",
    "hover",
    "left_click_drag",
    "left_mouse_down",
    "left_mouse_up",
    "mouse_move",
    "scroll",
    "scroll_to",
    "type",
    "key",
    "hold_key",
    "form_input",
    "read_page",
    "find",
    "get_page_text",
    "wait",
    "file_upload",
    "read_console",
    "read_network",
    "javascript_exec",
    "new_tab",
    "list_tabs",
    "switch_tab",
    "close_tab",
]

SHOP = """<header><a href="#offers">Offers</a></header>
<input type=search aria-label="Search products"><button id=go>Search</button>
<button id=cart>Add to cart</button><label><input type=checkbox> I agree</label>
<select aria-label=Size><option>Small<option>Large</select>
<input type=range aria-label=Volume min=0 max=10>
<input type=file aria-label=Photo>
<article><h1>A lamp</h1><p>It gives light to every corner of the room, day and night.</p></article>
<canvas width=300 height=200></canvas><div style="height:3000px"></div>
<button>Far below</button><output></output>
<script>
const told = [];
for (const kind of ["click", "dblclick", "contextmenu", "auxclick"]) {
  cart.addEventListener(kind, (e) => { e.preventDefault(); told.push(`${kind} ${e.detail} ${e.shiftKey}`); });
}
const canvas = document.querySelector("canvas");
for (const kind of ["mousedown", "mousemove", "mouseup"]) {
  canvas.addEventListener(kind, (e) => told.push(`${kind} ${e.offsetX},${e.offsetY} ${e.buttons}`));
}
for (const kind of ["keydown", "keyup"]) addEventListener(kind, (e) => told.push(`${kind} ${e.key}`));
cart.addEventListener("click", () => {
  document.querySelector("output").textContent = "One lamp in the cart";
});
</script>"""


@pytest.fixture(scope="module")
async def claude(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """A server with Claude's members and nothing else."""
    folder = tmp_path_factory.mktemp("claude")
    (folder / "photo.txt").write_text("a photo")
    async with serve("--headless", "--toolsets", "claude", "--input", "instant", cwd=folder) as server:
        yield server


async def do(server: Server, member: str, **arguments: object) -> Reply:
    reply = await server.call(member, **arguments)
    assert not reply.is_error, reply.text
    return reply


async def received(server: Server) -> list[str]:
    answer = await do(server, "javascript_exec", text="told.splice(0).join(';')")
    return answer.section("Result").strip('"').split(";")


async def shop(server: Server, site: Site) -> Reply:
    return await do(server, "navigate", url=site.publish("/shop", document("Shop", SHOP)))


async def named(server: Server, query: str) -> dict[str, object]:
    found = await do(server, "find", query=query)
    return {"type": "ref", "ref": found.refs()[0]}


async def middle(server: Server, selector: str) -> tuple[float, float]:
    place = f"(() => {{ const at = document.querySelector('{selector}').getBoundingClientRect();"
    answer = await do(server, "javascript_exec", text=f"{place} return `${{at.x}},${{at.y}}` }})()")
    x, y = answer.section("Result").strip('"').split(",")
    return float(x), float(y)


def size(jpeg: bytes) -> tuple[int, int]:
    """Width and height, from the frame header."""
    at = 2
    while jpeg[at + 1] not in {0xC0, 0xC1, 0xC2}:
        at += 2 + struct.unpack(">H", jpeg[at + 2 : at + 4])[0]
    height, width = struct.unpack(">HH", jpeg[at + 5 : at + 9])
    return width, height


async def test_the_members_are_all_there_and_nothing_else(claude: Server) -> None:
    listed = await claude.session.list_tools()
    assert [tool.name for tool in listed.tools] == MEMBERS
    assert sum(len(tool.model_dump_json(exclude_none=True, by_alias=True)) for tool in listed.tools) < 16_000


async def test_an_address_is_opened_and_history_is_gone_through(claude: Server, site: Site) -> None:
    result = await shop(claude, site)
    url = site.url("/shop")
    assert f"Navigated to {url} — Shop (HTTP 200)" in result.section("Result")
    assert result.structured == {"url": url, "title": "Shop", "status": 200}
    assert not result.has_section("Snapshot")
    await do(claude, "navigate", url=site.page("form"))
    assert url in (await do(claude, "navigate", url="back")).section("Result")
    assert site.page("form") in (await do(claude, "navigate", url="forward")).section("Result")
    assert site.page("form") in (await do(claude, "navigate", url="reload")).section("Result")


async def test_elements_are_found_by_what_they_are_for_and_clicked(claude: Server, site: Site) -> None:
    await shop(claude, site)
    for query, expected in [
        ("add to cart button", 'button "Add to cart"'),
        ("search bar", 'searchbox "Search products"'),
        ("the offers link", 'link "Offers"'),
        ("agree checkbox", 'checkbox "I agree"'),
    ]:
        first = (await do(claude, "find", query=query)).section("Result").splitlines()[0]
        assert first.startswith(expected), query
    assert "Nothing on the page" in (await do(claude, "find", query="zebra crossing")).section("Result")
    cart = await named(claude, "add to cart button")
    assert "Clicked" in (await do(claude, "left_click", target=cart)).section("Result")
    assert await received(claude) == ["click 1 false"]
    await do(claude, "left_click", target=cart, modifiers="shift")
    await do(claude, "double_click", target=cart)
    await do(claude, "triple_click", target=cart)
    await do(claude, "right_click", target=cart)
    await do(claude, "middle_click", target=cart)
    result = [line for line in await received(claude) if not line.startswith("key")]
    assert result[:4] == ["click 1 true", "click 1 false", "click 2 false", "dblclick 2 false"]
    assert "click 3 false" in result
    assert result[-3].startswith("contextmenu") or result[-2].startswith("contextmenu")
    assert result[-1].startswith("auxclick")


async def test_after_the_page_was_read_actions_tell_what_changed(claude: Server, site: Site) -> None:
    await shop(claude, site)
    seen = (await do(claude, "read_page")).section("Snapshot")
    assert "Add to cart" in seen
    assert "Far below" not in seen
    assert "Far below" in (await do(claude, "read_page", filter="all")).section("Snapshot")
    acts = (await do(claude, "read_page", filter="interactive")).section("Snapshot")
    assert 'button "Far below"' in acts
    assert "A lamp" not in acts
    clicked = await do(claude, "left_click", target=await named(claude, "add to cart button"))
    assert "One lamp in the cart" in clicked.section("Snapshot")
    heading = await named(claude, "lamp heading")
    part = await do(claude, "read_page", ref=heading["ref"])
    assert "A lamp" in part.section("Snapshot")
    assert "Offers" not in part.section("Snapshot")
    assert "day and night" in (await do(claude, "get_page_text")).section("Result")


@pytest.mark.long
async def test_places_are_clicked_dragged_and_scrolled(claude: Server, site: Site) -> None:
    await shop(claude, site)
    x, y = await middle(claude, "canvas")

    def at(dx: int, dy: int) -> dict[str, object]:
        return {"type": "coordinate", "x": round(x) + dx, "y": round(y) + dy}

    await do(claude, "mouse_move", target=at(10, 10))
    await do(claude, "hover", target=at(12, 10))
    await received(claude)
    await do(claude, "left_mouse_down", target=at(20, 20))
    await do(claude, "left_mouse_up", target=at(40, 30))
    held = await received(claude)
    assert held[1].startswith("mousedown")
    assert held[-1].startswith("mouseup")
    await do(claude, "left_click_drag", **{"from": at(5, 5), "target": at(50, 50)})
    assert any(line.startswith("mousemove") and line.endswith(" 1") for line in await received(claude))
    cart_x, cart_y = await middle(claude, "#cart")
    await do(claude, "left_click", target={"x": cart_x + 5, "y": cart_y + 5})
    assert await received(claude) == ["click 1 false"]
    await do(claude, "scroll", target=at(5, 5), scroll_direction="down", scroll_amount=5)
    scrolled = (await do(claude, "javascript_exec", text="scrollY")).section("Result")
    assert float(scrolled) == 500
    await do(claude, "scroll_to", target=await named(claude, "far below button"))
    assert float((await do(claude, "javascript_exec", text="scrollY")).section("Result")) > 1000


async def test_keys_are_typed_pressed_and_held(claude: Server, site: Site) -> None:
    await shop(claude, site)
    await do(claude, "left_click", target=await named(claude, "search bar"))
    await do(claude, "type", text="lamps")
    value = "document.querySelector('[type=search]').value"
    assert "lamps" in (await do(claude, "javascript_exec", text=value)).section("Result")
    await received(claude)
    await do(claude, "key", text="BackSpace ctrl+a", repeat=2)
    assert (await received(claude))[:2] == ["keydown Backspace", "keyup Backspace"]
    await do(claude, "hold_key", text="Page_Down", duration=0.05)
    result = await received(claude)
    assert result[0] == "keydown PageDown"
    assert result[-1] == "keyup PageDown"


async def test_fields_are_set_by_what_they_are(claude: Server, site: Site) -> None:
    await shop(claude, site)
    await do(claude, "form_input", target=await named(claude, "search bar"), value="desk")
    await do(claude, "form_input", target=await named(claude, "agree checkbox"), value=True)
    await do(claude, "form_input", target=await named(claude, "size dropdown"), value="Large")
    await do(claude, "form_input", target=await named(claude, "volume slider"), value=7)
    await do(claude, "file_upload", target=await named(claude, "photo"), paths=["photo.txt"])
    shown = (
        "[...document.querySelectorAll('input, select')].map((e) => e.files?.[0]?.name ??"
        " (e.type === 'checkbox' ? e.checked : e.value)).join()"
    )
    result = (await do(claude, "javascript_exec", text=shown)).section("Result")
    assert result.strip('"') == "desk,true,Large,7,photo.txt"
    refused = await claude.call("file_upload", target=await named(claude, "photo"), document_ids=["doc_1"])
    assert refused.is_error
    assert "document_ids" in refused.text


async def test_pictures_are_sent_and_enlarged(claude: Server, site: Site) -> None:
    await shop(claude, site)
    (picture,) = (await do(claude, "screenshot")).images
    (width, height) = size(picture)
    viewport = (await do(claude, "javascript_exec", text="`${innerWidth}x${innerHeight}`")).section("Result")
    assert viewport.strip('"') == f"{width}x{height}"
    (part,) = (await do(claude, "zoom", region=[10, 10, 110, 60])).images
    assert size(part) == (400, 200)
    for region in ([50, 50, 40, 60], [0, 0, 99_999, 50], [-1, 0, 5, 5]):
        refused = await claude.call("zoom", region=region)
        assert refused.is_error
        assert "`region`" in refused.text


async def test_the_console_and_requests_are_reported_once(claude: Server, site: Site) -> None:
    await shop(claude, site)
    await do(claude, "javascript_exec", text="console.warn('the lamp is hot'); fetch('/pages/form.html')")
    await do(claude, "wait", duration=0.2)
    logged = (await do(claude, "read_console")).section("Result")
    assert "[warning] the lamp is hot" in logged
    assert "No new console messages" in (await do(claude, "read_console")).section("Result")
    asked = (await do(claude, "read_network")).section("Result")
    assert f"GET {site.page('form')} 200 text/html" in asked
    assert "Nothing was asked for" in (await do(claude, "read_network")).section("Result")


async def test_tabs_have_names_that_members_take(claude: Server, site: Site) -> None:
    await shop(claude, site)
    first = (await do(claude, "list_tabs")).structured
    assert first is not None
    (kept,) = [tab["tab_id"] for tab in first["tabs"] if tab["active"]]
    opened = (await do(claude, "new_tab")).structured
    assert opened is not None
    (fresh,) = [tab["tab_id"] for tab in opened["tabs"] if tab["active"]]
    assert fresh != kept
    text = await do(claude, "get_page_text", tab_id=kept)
    assert "day and night" in text.section("Result")
    await do(claude, "navigate", url=site.page("form"), tab_id=fresh)
    await do(claude, "switch_tab", tab_id=kept)
    assert "day and night" in (await do(claude, "get_page_text")).section("Result")
    await do(claude, "close_tab", tab_id=fresh)
    left = (await do(claude, "list_tabs")).structured
    assert left is not None
    assert fresh not in [tab["tab_id"] for tab in left["tabs"]]
    refused = await claude.call("switch_tab")
    assert "`tab_id` is missing" in refused.text
    assert (await claude.call("close_tab", tab_id="t999")).is_error


async def test_dialogs_are_dismissed_and_reported(claude: Server, site: Site) -> None:
    await do(claude, "navigate", url=site.page("dialogs"))
    clicked = await do(claude, "left_click", target=await named(claude, "confirm button"))
    assert "confirm dialog" in clicked.section("Events")
    assert "was dismissed" in clicked.section("Events")
    await do(claude, "read_page")


@pytest.mark.parametrize(
    ("member", "arguments", "problem"),
    [
        ("wait", {"duration": -1}, "`duration` must be at least 0"),
        ("wait", {"duration": 31}, "`duration` must be at most 30"),
        ("hold_key", {"text": "a", "duration": 0}, "`duration` must be at least"),
        ("key", {"text": "a", "repeat": 0}, "`repeat` must be at least 1"),
        ("key", {"text": "NoSuchKey"}, "NoSuchKey"),
        ("left_click", {"target": {"type": "ref", "x": 1, "y": 1}}, "`target` must have either"),
        ("left_click", {"target": {"x": -1, "y": 1}}, "`target.x` must be at least 0"),
        ("left_click", {"target": {"x": 1, "y": 1}, "modifiers": "hyper"}, "`modifiers` must be"),
        (
            "scroll",
            {"target": {"x": 1, "y": 1}, "scroll_direction": "out"},
            "`scroll_direction` must be one of",
        ),
        ("read_page", {"depth": 0}, "`depth` must be at least 1"),
        ("left_click", {"target": {"type": "ref", "ref": "c0p0f0e99999"}}, "e99999"),
    ],
)
async def test_nonsense_is_refused_by_name(
    claude: Server, site: Site, member: str, arguments: dict[str, object], problem: str
) -> None:
    await do(claude, "navigate", url=site.page("form"))
    refused = await claude.call(member, **arguments)
    assert refused.is_error
    assert problem in refused.text
    assert "browser_" not in refused.text


def test_two_families_with_the_same_names_are_refused_at_the_start() -> None:
    command = [sys.executable, "-m", "patchright_mcp", "--toolsets", "claude,sessions"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=30, input="")
    assert ended.returncode != 0
    assert "same names" in ended.stderr


@pytest.mark.timeout(300)  # The SDK is large, and its first import takes long.
async def test_the_class_for_the_sdk_hands_members_on(site: Site) -> None:
    pytest.importorskip("anthropic.tools.browser")
    sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))
    try:
        browser = importlib.import_module("claude_browser").browser
    finally:
        sys.path.pop(0)
    address = site.publish("/shop", document("Shop", SHOP))
    async with browser("--headless", "--input", "instant") as tools:

        async def run(member: str, **given: object) -> list[dict[str, object]]:
            content: list[dict[str, object]] = await tools._toolset_run(
                SimpleNamespace(tool_use=None), member, given
            )
            return content

        opened = await run("navigate", url=address)
        assert opened[0]["text"] == f"Navigated to {address} — Shop (HTTP 200)"
        found = await run("find", query="add to cart button")
        text = str(found[0]["text"])
        target = {"type": "ref", "ref": text.partition("[ref=")[2].partition("]")[0]}
        assert (await run("left_click", target=target))[0]["text"] == "Clicked."
        assert (await run("screenshot"))[0]["type"] == "image"
        assert (await run("list_tabs"))[-1]["type"] == "browser_state"
