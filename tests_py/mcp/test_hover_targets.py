"""Elements that show more when the pointer is over them are marked, and hovering over them shows it."""

from __future__ import annotations

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site, document

MENU = """<style>.menu { display: none } %s { display: block }</style>
<div class=item><span>More</span><div class=menu><a href="#one">One</a></div></div>
<div class=other>Plain</div>"""
SELECTORS = [".item:hover .menu", "div.item:hover > .menu", "p:hover + p, .item:hover .menu"]


@pytest.mark.parametrize("selector", SELECTORS)
async def test_what_opens_by_css_on_hover_has_a_ref_and_a_mark(
    server: Server, site: Site, selector: str
) -> None:
    shown = await server.open(site.publish("/hover-menu", document("Menu", MENU % selector)))
    line = shown.line("More")
    assert "[hover]" in line, shown.text
    assert "[hover]" not in shown.line("Plain")
    opened = await server.call("browser_hover", ref=shown.ref("More"))
    assert 'link "One"' in opened.text, opened.text


async def test_a_menu_with_a_control_to_point_at_needs_no_mark(server: Server, site: Site) -> None:
    menu = (MENU % ".item:hover .menu").replace("<span>More</span>", "<button>More</button>")
    shown = await server.open(site.publish("/hover-button", document("Menu", menu)))
    assert "[hover]" not in shown.text
    opened = await server.call("browser_hover", ref=shown.ref('button "More"'))
    assert 'link "One"' in opened.text, opened.text
