"""What words do not say is stated as a fact: changes of style, drawings, and the selected text."""

from __future__ import annotations

import pytest

from tests_py.support.client import Reply
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

STYLES = """<!doctype html><title>Styles</title><style>
div, button, span { display: inline-block; margin: 6px; padding: 6px; cursor: pointer }
button:hover, div:hover { background: #ffc }
.x { background-image: linear-gradient(red, blue) } .sel { border: 3px solid green }
.done { text-decoration: line-through } .on > button { opacity: .4 }
</style><body><h1>Styles</h1>"""

CHANGES = {
    "an image by a class": ("<div onclick=\"this.className = 'x'\">Cell</div>", "background"),
    "an image by style": (
        "<div onclick=\"this.style.backgroundImage = 'linear-gradient(red, blue)'\">Cell</div>",
        "background",
    ),
    "a colour of a box": ("<div onclick=\"this.style.background = 'teal'\">Cell</div>", "background"),
    "a colour of a button": ("<button onclick=\"this.style.color = 'red'\">Cell</button>", "text color"),
    "a class of a button": ("<button onclick=\"this.className = 'sel'\">Cell</button>", "border"),
    "a class of a span": ("<span onclick=\"this.className = 'done'\">Cell</span>", "text decoration"),
    "a class around it": (
        "<p><button onclick=\"this.parentNode.className = 'on'\">Cell</button></p>",
        "opacity",
    ),
}

BOARD = (
    STYLES
    + """<div id=own onclick="this.className = 'x'; setTimeout(() => other.className = 'sel', 80)">Mine</div>
<div id=other onclick=1>Theirs</div><div onclick=1>Empty</div>"""
)

THEME = (
    STYLES
    + "<p><button onclick=\"document.body.className = 'dark'\">Dark</button></p>"
    + "<style>.dark a { color: white; background: black }</style>"
    + "".join(f"<a href='#{number}'>Chapter {number}</a> " for number in range(30))
)

DRAWN = (
    STYLES
    + """<style>i { display: inline-block; width: 30px; height: 30px }</style>
<svg id=chart width=200 height=100><circle cx=20 cy=20 r=10 fill=red /><rect width=10 height=10 /></svg>
<svg width=20 height=20><path d="M0 0h10v10z" /></svg>
<i style="background: red"></i><i style="border: 1px solid"></i><i></i>
<button onclick="chart.append(chart.firstChild.cloneNode())">Add</button>"""
)

TEXT = (
    STYLES
    + """<p>Three <b>scarlet</b> words</p><label>Name <input value="Ada Lovelace"></label>
<label>Word <input type=password value=secret></label>"""
)


def changed(reply: Reply) -> list[str]:
    """The lines of elements that look different."""
    lines = reply.section("Snapshot").splitlines() if "### Snapshot" in reply.text else []
    return [line for line in lines if "its look changed" in line]


@pytest.mark.parametrize("name", CHANGES)
async def test_a_change_that_only_style_shows_is_reported(workshop: Workshop, site: Site, name: str) -> None:
    body, part = CHANGES[name]
    await workshop.open(site.publish("/styles", STYLES + body))
    reply = await workshop.do("browser_click", ref="text=Cell")
    (line,) = changed(reply)
    assert line.lstrip(" -").startswith("~ ")
    assert "Cell" in line
    assert part in line[line.index("[its look changed: ") :]


async def test_a_later_change_beside_the_pressed_element_is_reported(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/board", BOARD))
    lines = changed(await workshop.do("browser_click", ref="text=Mine"))
    assert [name for name in ("Mine", "Theirs", "Empty") if any(name in line for line in lines)] == [
        "Mine",
        "Theirs",
    ]


async def test_hover_and_focus_are_no_changes(workshop: Workshop, site: Site) -> None:
    buttons = '<button onclick="1">One</button><button onclick="1">Two</button>'
    await workshop.open(site.publish("/hover", STYLES + buttons))
    for name in ("One", "Two", "One"):
        reply = await workshop.do("browser_click", ref=f"text={name}")
        assert changed(reply) == []
    assert changed(await workshop.do("browser_hover", ref="text=Two")) == []


async def test_a_change_of_many_is_one_note(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/theme", THEME))
    reply = await workshop.do("browser_click", ref="text=Dark")
    assert changed(reply) == []
    assert "The look of 30 elements changed: background, " in reply.section("Snapshot")


async def test_what_is_drawn_without_text_is_counted_and_listed(workshop: Workshop, site: Site) -> None:
    opened = await workshop.open(site.publish("/drawn", DRAWN))
    assert "2 shapes and 2 boxes" in opened.text
    listed = await workshop.do("browser_snapshot", allRefs=True)
    assert listed.section("Snapshot").count("red") == 2
    assert "shapes" not in listed.text
    reply = await workshop.do("browser_click", ref="text=Add")
    assert "3 shapes and 2 boxes; before: 2 shapes and 2 boxes" in reply.text


async def test_the_selected_text_is_reported(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/text", TEXT))
    reply = await workshop.do("browser_click", ref="b", doubleClick=True)
    assert 'Selected: "scarlet".' in reply.section("Events")
    await workshop.do("browser_click", ref="input >> nth=0")
    reply = await workshop.do("browser_press_key", key="ControlOrMeta+a")
    assert "Ada Lovelace" in reply.text
    await workshop.do("browser_click", ref="input >> nth=1")
    reply = await workshop.do("browser_press_key", key="ControlOrMeta+a")
    assert "secret" not in reply.text
    long = "word " * 100
    await workshop.open(site.publish("/long", f"{STYLES}<p>{long}</p>"))
    await workshop.do("browser_click", ref="p")
    reply = await workshop.do("browser_press_key", key="ControlOrMeta+a")
    assert "characters)" in reply.text
