"""What a press can reach, and what is said of what it cannot."""

import time

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site

STYLE = "<style>body{margin:20px}button{width:120px;height:30px}</style>"
VEIL = (
    "<div class=veil style='position:fixed;inset:0;background:#0008'></div>"
    "<div role=dialog aria-label=Cookies style='position:fixed;left:300px;top:200px;background:#fff'>"
    "<button>Accept</button></div>"
)


def page(site: Site, body: str) -> str:
    return site.publish("/reach", f"<!doctype html><title>Reach</title>{STYLE}{body}")


@pytest.mark.parametrize(
    ("body", "mark"),
    [
        (f"<button>Save</button>{VEIL}", '[covered by dialog "Cookies"]'),
        (f"<div style=height:3000px></div><button>Save</button>{VEIL}", '[covered by dialog "Cookies"]'),
        (
            "<button>Save</button><div style='position:absolute;inset:0;background:#eee'></div>",
            "[covered]",
        ),
        ("<div style='height:20px;overflow:hidden'><p>First<br><br><button>Save</button></div>", "[clipped]"),
        ("<button style='clip-path:inset(0 0 30px)'>Save</button>", "[clipped]"),
        ("<nav style='position:fixed;left:-300px'><button>Save</button></nav>", "[off-screen]"),
        ("<button style='pointer-events:none'>Save</button>", "[no pointer]"),
        ("<iframe srcdoc='<button>Save</button>'></iframe>" + VEIL, "[covered]"),
        ("<button>Save</button>", ""),
        ("<div style=height:3000px></div><button>Save</button>", ""),
        (
            "<div style='height:90px;overflow:auto'><p style=height:900px></p><button>Save</button></div>",
            "",
        ),
        ("<label><input type=checkbox style='position:absolute;opacity:0;width:0;height:0'>Save</label>", ""),
    ],
)
async def test_a_control_is_marked_where_no_press_reaches_it(
    server: Server, site: Site, body: str, mark: str
) -> None:
    line = (await server.open(page(site, body))).line('"Save"')
    expected = {mark} - {""}
    marks = ("[covered", "[clipped", "[off-screen", "[no pointer", "[inert", "[hidden")
    assert all(entry in line for entry in expected)
    assert any(start in line for start in marks) == bool(mark)


async def test_controls_that_share_a_mark_have_it_once_at_their_container(server: Server, site: Site) -> None:
    rows = "".join(f"<li><a href=/{row}>Entry {row}</a> <button>Add {row}</button></li>" for row in range(4))
    shown = await server.open(page(site, f"<ul>{rows}</ul><button>Save</button>{VEIL}"))
    assert '[covered by dialog "Cookies"]' in shown.line("- list [")
    assert "[covered" not in shown.line('"Add 2"')
    assert shown.ref('"Add 2"')
    assert "[covered]" in shown.line('"Save"')
    assert "[covered" not in shown.line('"Accept"')
    mixed = await server.open(
        page(
            site,
            f"<ul>{rows}<li><button style='position:relative;z-index:9'>On top</button></li></ul>{VEIL}",
        )
    )
    assert mixed.line("- list:")
    assert "[covered]" in mixed.line('"Add 2"')
    assert "[covered" not in mixed.line('"On top"')


async def test_a_drawer_that_opens_says_what_can_be_reached_now(server: Server, site: Site) -> None:
    reply = await server.open(
        page(
            site,
            '<button onclick="n.style.left=0">Menu</button>'
            "<nav id=n style='position:fixed;top:80px;left:-300px'><button>Inbox</button></nav>",
        )
    )
    assert "[off-screen]" in reply.line('"Inbox"')
    await server.click(reply.ref('"Menu"'))
    assert "[off-screen]" not in (await server.snapshot()).line('"Inbox"')


@pytest.mark.parametrize(
    ("body", "reason", "wrong"),
    [
        (
            "<button>Save</button><div id=over style='position:absolute;inset:0;background:#eee'></div>",
            "covered by <div#over>",
            "inert",
        ),
        ("<button style='pointer-events:none'>Save</button>", "pointer-events: none", "covered"),
        ("<button style='clip-path:inset(0 0 30px)'>Save</button>", "clipped", "covered"),
        ("<button style='interactivity:inert'>Save</button>", "inert", "covered"),
        ("<button disabled>Save</button>", "disabled", "covered"),
        (
            (
                "<div style='position:relative'><button>Save</button>"
                "<a href=/x id=all style='position:absolute;inset:0'></a></div>"
            ),
            "press that if you mean it",
            "inert",
        ),
    ],
)
async def test_a_press_that_nothing_can_free_is_refused_at_once_with_its_reason(
    server: Server, site: Site, body: str, reason: str, wrong: str
) -> None:
    reply = await server.open(page(site, body))
    begun = time.monotonic()
    refused = await server.call("browser_click", target=reply.ref('"Save"'))
    took = time.monotonic() - begun
    assert refused.is_error
    assert reason in refused.text
    assert wrong not in refused.section("Error")
    assert took < 2.5


@pytest.mark.parametrize(
    "frees",
    [
        "over.animate([{left:0},{left:'2000px'}],{duration:1200,fill:'forwards'})",
        (
            "setTimeout(()=>over.remove(),1500);"
            "i=setInterval(()=>over.isConnected?over.textContent+='.':clearInterval(i),50)"
        ),
    ],
)
async def test_a_press_waits_where_something_is_under_way(server: Server, site: Site, frees: str) -> None:
    over = "<div id=over style='position:fixed;left:0;top:0;width:100%;height:100%;background:#eee'></div>"
    body = f"<button onclick=\"document.title='Saved'\">Save</button>{over}"
    reply = await server.open(page(site, body))
    await server.evaluate(f"() => {{ {frees} }}")
    await server.click(reply.ref('"Save"'))
    assert await server.evaluate("() => document.title") == "Saved"
