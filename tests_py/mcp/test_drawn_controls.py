"""Controls that are known by what is painted and by the accessibility tree."""

from __future__ import annotations

import json

import pytest

from tests_py.support.client import Server
from tests_py.support.internals import INTERNALS
from tests_py.support.site import Site, document

ICON = """<style>#icon { width: 0; height: 0; padding: 0; border: 0; position: %s }
#icon::before { content: "%s"; display: block; width: 30px; height: 30px; position: %s }</style>
<p>Before</p><button id=icon aria-label=Close onclick="document.title = 'pressed'"></button>"""

PICKER = """<style>select, ::picker(select) { appearance: base-select }</style>
<select aria-label=Fruit><option>Apple</option><option>Pear</option></select>"""


@pytest.mark.parametrize("content", ["x", ""])
@pytest.mark.parametrize(("outer", "inner"), [("static", "static"), ("relative", "absolute")])
async def test_a_box_without_size_is_pressed_where_css_draws_it(
    server: Server, site: Site, outer: str, inner: str, content: str
) -> None:
    page = site.publish("/drawn-icon", document("Icon", ICON % (outer, content, inner)))
    shown = await server.open(page)
    reply = await server.click(shown.ref('button "Close"'))
    assert not reply.is_error, reply.text
    assert await server.evaluate("() => document.title") == "pressed"


async def test_an_open_picker_that_the_page_draws_shows_its_options(server: Server, site: Site) -> None:
    shown = await server.open(site.publish("/drawn-picker", document("Picker", PICKER)))
    opened = await server.click(shown.ref('combobox "Fruit"'))
    chosen = await server.click(opened.ref('option "Pear"'))
    assert not chosen.is_error, chosen.text
    assert await server.evaluate("() => document.querySelector('select').value") == "Pear"
    assert "option" not in (await server.snapshot()).section("Snapshot").replace("/options", "")


async def test_roles_names_and_states_of_element_internals_are_shown(server: Server, site: Site) -> None:
    page = site.publish("/internals", document("Internals", INTERNALS))
    shown = await server.open(page)
    switch = shown.ref('switch "Night mode"')
    assert "[checked]" not in shown.line('- switch "Night mode"')
    assert "[checked]" in (await server.click(switch)).line('~ switch "Night mode"')
    filled = await server.call(
        "browser_fill_form", fields=[{"name": "Night", "ref": switch, "value": "false"}]
    )
    assert not filled.is_error, filled.text
    assert await server.evaluate("() => document.title") == "night false"
    bought = await server.click("role=button[name='Buy now']")
    assert not bought.is_error, bought.text
    assert await server.evaluate("() => document.title") == "bought"


async def test_a_session_finds_controls_by_their_internals(server: Server, site: Site) -> None:
    session = json.loads((await server.call("create_session")).text)["sessionId"]
    page = site.publish("/internals", document("Internals", INTERNALS))
    await server.call("navigate", sessionId=session, url=page)
    reply = await server.call("click", sessionId=session, selector="role=switch")
    assert json.loads(reply.text)["success"], reply.text
    await server.call("close_session", sessionId=session)
