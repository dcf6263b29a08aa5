"""Dragging as a hand does it, places within elements, and selectors in place of refs."""

from __future__ import annotations

import re

import pytest

from tests_py.support.client import Server
from tests_py.support.extent import extent
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

LISTS = ["halves", "held", "swapping", "edges", "shifting"]
MOVES = [
    ("Four", "Two", None, "One Four Two Three Five", 'now 2nd of 5, between "One" and "Two"'),
    ("Two", "Four", None, "One Three Four Two Five", 'now 4th of 5, between "Four" and "Five"'),
    ("Two", "Four", "before", "One Three Two Four Five", 'now 3rd of 5, between "Three" and "Four"'),
    ("Four", "Two", "after", "One Two Four Three Five", 'now 3rd of 5, between "Two" and "Three"'),
    ("Five", "One", "before", "Five One Two Three Four", 'now 1st of 5, before "One"'),
    ("One", "Five", "after", "Two Three Four Five One", 'now 5th of 5, after "Five"'),
]


@pytest.fixture(params=extent(["natural"], ["natural", "instant"]))
def hand(request: pytest.FixtureRequest, server: Server, workshop: Workshop) -> Server:
    """A server whose hand moves as a person's does, and one whose hand takes no time."""
    return server if request.param == "natural" else workshop.server


async def items(hand: Server, name: str) -> str:
    """The items of a list, in their order."""
    words = f"() => [...document.querySelectorAll('#{name} > li')].map((item) => item.textContent).join(' ')"
    return await hand.evaluate(words)


async def output(hand: Server) -> str:
    """What the page says happened."""
    return await hand.evaluate("() => document.querySelector('output').textContent")


@pytest.mark.long
@pytest.mark.parametrize("name", LISTS)
@pytest.mark.parametrize("move", MOVES)
async def test_an_item_goes_where_it_was_dragged_and_the_answer_says_where(
    hand: Server, site: Site, name: str, move: tuple[str, str, str | None, str, str]
) -> None:
    start, end, place, order, entry = move
    await hand.open(site.page("drags"))
    reply = await hand.call(
        "browser_drag", startRef=f"#{name} >> text={start}", endRef=f"#{name} >> text={end}", place=place
    )
    assert not reply.is_error, reply.text
    assert await items(hand, name) == order
    assert entry in reply.text


@pytest.mark.long
@pytest.mark.parametrize("name", ["long", "swift"])
async def test_a_list_scrolls_while_something_is_held_at_its_edge(
    hand: Server, site: Site, name: str
) -> None:
    await hand.open(site.page("drags"))
    start, end = f'#{name} >> text="Row 2"', f'#{name} >> text="Row 25"'
    reply = await hand.call("browser_drag", startRef=start, endRef=end, place="after")
    assert 'now 25th of 30, between "Row 25" and "Row 26"' in reply.text, reply.text


@pytest.mark.long
async def test_what_moves_freely_says_how_far_it_went(hand: Server, site: Site) -> None:
    await hand.open(site.page("drags"))
    thumb = await hand.call(
        "browser_drag", startRef="#thumb", startPosition="10,10", endRef="#track", endPosition="120,10"
    )
    assert '"Volume" is now "50"' in thumb.text, thumb.text
    card = await hand.call(
        "browser_drag", startRef="#card", startPosition="5,5", endRef="#free", endPosition="205,85"
    )
    # What holds it begins at a fraction of a pixel.
    assert re.search(r"it moved by \+200, \+8[01] px, and is now at \d+,\d+", card.text), card.text
    disc = await hand.call(
        "browser_drag", startRef="#disc", startPosition="12,12", endRef="#shapes", endPosition="120,40"
    )
    assert re.search(r"it moved by \+100, \+2[01] px", disc.text), disc.text


async def test_a_line_is_drawn_from_one_place_on_a_canvas_to_another(hand: Server, site: Site) -> None:
    await hand.open(site.page("drags"))
    reply = await hand.call(
        "browser_drag", startRef="#paper", startPosition="20,20", endRef="#paper", endPosition="90%,80%"
    )
    assert ": the drawing changed" in reply.text, reply.text
    assert (await output(hand)).startswith("A line to 1")


async def test_two_faint_black_pixels_change_a_drawing(hand: Server, site: Site) -> None:
    await hand.open(site.page("drags"))
    # Black pixels differ only in their highest byte. 31 + 225 is 256.
    await hand.evaluate(
        """() => document.querySelector("#map").insertAdjacentHTML("afterend", `
            <canvas id="faint" width="100" height="50" role="img" aria-label="Faint"></canvas>`)"""
    )
    await hand.evaluate(
        """() => document.querySelector("#faint").addEventListener("mouseup", ({ target }) => {
            const pen = target.getContext("2d");
            pen.putImageData(new ImageData(new Uint8ClampedArray([0, 0, 0, 1, 0, 0, 0, 225]), 2), 5, 5);
        })"""
    )
    reply = await hand.call(
        "browser_drag", startRef="#faint", startPosition="20,20", endRef="#faint", endPosition="90%,80%"
    )
    assert ": the drawing changed" in reply.text, reply.text


@pytest.mark.long
async def test_what_did_not_move_is_said_to_have_stayed_with_a_way_that_works(
    hand: Server, site: Site
) -> None:
    await hand.open(site.page("drags"))
    stone = await hand.call("browser_drag", startRef="#stone", endRef="#free")
    assert stone.is_error
    assert "did not move: the page did not treat it as draggable" in stone.text
    homing = await hand.call("browser_drag", startRef="#homing", endRef="#stone")
    assert homing.is_error
    assert "it was picked up and moved back" in homing.text


@pytest.mark.long
async def test_what_has_a_handle_is_dragged_by_it_as_the_error_says(hand: Server, site: Site) -> None:
    await hand.open(site.page("drags"))
    first, third = "#handles > li:nth-child(1)", "#handles > li:nth-child(3)"
    refused = await hand.call("browser_drag", startRef=first, startPosition="3,3", endRef=third)
    assert refused.is_error
    handle = refused.section("Error").partition("drag it by ")[2].partition(",")[0]
    reply = await hand.call("browser_drag", startRef=handle, endRef=third)
    assert "now 3rd of 5" in reply.text, reply.text


@pytest.mark.long
async def test_a_click_and_a_hover_go_where_they_are_reported_to(hand: Server, site: Site) -> None:
    await hand.open(site.page("drags"))
    await hand.click("#tall", position="30,1500")
    assert await output(hand) == "Tall at 30,1500"
    await hand.click("#tall", position="50%,10%")
    assert await output(hand) == "Tall at 50,200"
    await hand.call("browser_hover", ref="#tall", position="10,1900")
    assert await output(hand) == "Over 10,1900"
    await hand.click("#map", position="75%,50%")
    assert await output(hand) == "East"
    refused = await hand.call("browser_click", ref="#tall", position="left")
    assert "`position` must be two numbers" in refused.text


BORDERED = """<style>
  div { box-sizing: border-box; width: 200px; height: 100px; margin: 30px; border: 20px solid teal }
</style>
<div id=box></div><div id=goal></div><output></output><script>
const say = (what) => ({ offsetX, offsetY }) => {
  document.querySelector("output").textContent = `${what} ${Math.round(offsetX)},${Math.round(offsetY)}`;
};
box.onclick = say("click");
box.onmousemove = say("over");
goal.onmouseup = say("let go");
</script>"""


@pytest.mark.long
async def test_positions_are_counted_inside_of_the_border_in_pixels_and_in_percent(
    hand: Server, site: Site
) -> None:
    await hand.open(site.publish("/bordered", BORDERED))
    for position, place in [
        ("90%,90%", "144,54"),
        ("155,50", "155,50"),
        ("0,0", "0,0"),
        ("100%,0%", "159,0"),
    ]:
        await hand.click("#box", position=position)
        assert await output(hand) == f"click {place}"
    await hand.call("browser_hover", ref="#box", position="10%,30")
    assert await output(hand) == "over 16,30"
    dragged = {"startRef": "#box", "endRef": "#goal", "endPosition": "25%,10"}
    await hand.call("browser_drag", **dragged)
    assert await output(hand) == "let go 40,10"


async def test_a_position_outside_of_the_element_is_refused_with_its_size(hand: Server, site: Site) -> None:
    await hand.open(site.publish("/bordered", BORDERED))
    for position in ("195,50", "-1,5", "120%,50%", "5,60"):
        for tool, arguments in [
            ("browser_click", {"ref": "#box", "position": position}),
            ("browser_hover", {"ref": "#box", "position": position}),
            ("browser_drag", {"startRef": "#goal", "endRef": "#box", "endPosition": position}),
        ]:
            refused = (await hand.call(tool, **arguments)).section("Error")
            assert f"{position} lies outside of the element, which is 160x60 px inside its border" in refused
    assert await output(hand) == ""


@pytest.mark.long
async def test_a_selector_stands_where_a_ref_may_and_several_matches_are_listed_with_their_refs(
    server: Server, site: Site
) -> None:
    await server.open(site.page("form"))
    several = await server.call("browser_click", ref="input")
    assert several.is_error
    assert "The selector matches " in several.text
    refs = [word for word in several.text.split() if re.fullmatch(r"f?\d*e\d+", word)]
    assert len(refs) > 1
    reply = await server.call("browser_hover", ref=refs[0])
    assert not reply.is_error, reply.text
    nothing = await server.call("browser_click", ref="#nowhere")
    assert "and as a selector it matches nothing" in nothing.text
    assert "selectors look like button:has-text(" in nothing.text
    unreadable = await server.call("browser_click", ref="div[")
    assert "as a selector it is invalid" in unreadable.text


async def test_a_selector_finds_in_the_frames_of_a_page_too(server: Server, site: Site) -> None:
    await server.open(site.page("frames"))
    several = await server.call("browser_click", ref="text=Press inside")
    assert "The selector matches 2 elements" in several.text, several.text
    ref = next(word for word in several.text.split() if re.fullmatch(r"f?\d*e\d+", word))
    assert "Pressed inside" in (await server.click(ref)).section("Snapshot")
    only = await server.click("text=Press inside")
    assert 'Clicked button "Press inside"' in only.text


HELD_AMONG_TEXT = """<style>
  p { margin: 0; position: absolute; left: 20px; font: 16px/20px sans-serif }
  #box { left: 40px; top: 40px; background: #66c; font: 30px/60px serif }
  div { position: absolute; width: 120px; height: 60px }
</style>
<p style="top:10px">Before the box stands a text.</p>
<div id=box>Box Box</div>
<p style="top:110px">After the box stands a text as well, which a hand that goes down selects.</p>
<div style="left:300px;top:200px;background:#ddd">Here</div>
<output></output><script>
  const heard = [];
  for (const kind of ["dragstart", "pointercancel"]) addEventListener(kind, () => heard.push(kind));
  let timer, held = false;
  box.onpointerdown = () => (timer = setTimeout(() => { held = true; }, 400));
  document.onpointermove = ({ clientX, clientY }) => {
    if (!held) return clearTimeout(timer);
    box.style.left = `${clientX - 60}px`;
    box.style.top = `${clientY - 30}px`;
  };
  document.onpointerup = document.onpointercancel = () => {
    clearTimeout(timer);
    if (held) document.querySelector("output").textContent = [box.offsetLeft > 250, ...heard].join();
    held = false;
  };
</script>"""


@pytest.mark.long
async def test_a_drag_that_is_tried_again_does_not_drag_what_the_first_try_selected(
    hand: Server, site: Site
) -> None:
    await hand.open(site.publish("/held-among-text", HELD_AMONG_TEXT))
    reply = await hand.call("browser_drag", startRef="text=Box Box", endRef="text=Here")
    assert not reply.is_error, reply.text
    assert await output(hand) == "true"


STOPS = """<div style="position:absolute;left:40px;top:40px;width:60px;height:40px;background:#66c">Box</div>
<div style="position:absolute;left:300px;top:200px;width:120px;height:80px;background:#ddd">Here</div>
<script>
  const box = document.querySelector("div");
  let from = null;
  box.onmousedown = (event) => { from = [event.clientX, event.clientY]; event.preventDefault(); };
  document.onmousemove = ({ clientX, clientY }) => {
    if (from && clientX > 90) from = null;
    if (!from) return;
    box.style.left = `${40 + clientX - from[0]}px`;
    box.style.top = `${40 + clientY - from[1]}px`;
  };
  document.onmouseup = () => (from = null);
</script>"""


@pytest.mark.long
async def test_what_stops_far_from_where_it_is_dragged_is_an_error(hand: Server, site: Site) -> None:
    await hand.open(site.publish("/stops", STOPS))
    reply = await hand.call("browser_drag", startRef="text=Box", endRef="text=Here")
    assert reply.is_error, reply.text
    assert re.search(r"was dragged to .*Here.* and is elsewhere: it moved by \+\d+, ", reply.text), reply.text
    steps = [{"tool": "browser_drag", "arguments": {"startRef": "text=Box", "endRef": "text=Here"}}]
    assert (await hand.call("browser_steps", steps=steps)).is_error


NUDGED = """<style>#box, #goal { position: absolute; width: 60px; height: 40px; background: #ccd }
#box { left: 40px; top: 40px } #goal { left: 300px; top: 200px }</style>
<div id=goal>Here</div><{tag} id=box>Box</{tag}><output></output>
<script>
  const box = document.querySelector("#box");
  let held = false;
  box.onmousedown = (event) => { held = true; event.preventDefault(); };
  document.onmousemove = () => { if (held) { box.style.left = "41px"; {more} } };
  document.onmouseup = () => (held = false);
</script>"""
ELSEWHERE = "document.querySelector('output').textContent = 'seen';"
DRAWN = "box.getContext('2d').fillRect(0, 0, 9, 9);"


@pytest.mark.parametrize(("tag", "more"), [("div", ""), ("div", ELSEWHERE), ("canvas", DRAWN)])
async def test_a_nudge_is_an_error_unless_something_else_changed(
    hand: Server, site: Site, tag: str, more: str
) -> None:
    await hand.open(site.publish("/nudged", NUDGED.replace("{tag}", tag).replace("{more}", more)))
    reply = await hand.call("browser_drag", startRef="#box", endRef="text=Here")
    assert reply.is_error == (not more), reply.text


BACKWARDS = """<ul style="position:relative"><li>Alpha</li><li>Beta</li><li>Gamma</li></ul><script>
  const list = document.querySelector("ul");
  let held = null;
  list.onmousedown = (event) => { held = event.target.closest("li"); event.preventDefault(); };
  document.onmouseup = (event) => {
    const over = event.target.closest?.("li");
    if (held && over && over !== held) over.after(held);
    held = null;
  };
</script>"""


@pytest.mark.long
async def test_what_the_page_puts_on_the_other_side_is_an_error_that_says_where(
    hand: Server, site: Site
) -> None:
    await hand.open(site.publish("/backwards", BACKWARDS))
    reply = await hand.call("browser_drag", startRef="text=Gamma", endRef="text=Alpha", place="before")
    assert reply.is_error, reply.text
    assert "and is elsewhere: it is now 2nd of 3" in reply.text, reply.text
