"""Arguments as models and their clients write them: what can be meant in one way only is taken so."""

from __future__ import annotations

import json

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

FORM = """<!doctype html><title>Form</title>
<label>Name <input id=name></label><label>City <input id=city></label>
<select id=colours multiple><option>red<option>green<option>blue</select>
<button id=go onclick="document.title = 'clicked ' + event.detail">Go</button>"""


@pytest.fixture
async def form(workshop: Workshop, site: Site) -> Workshop:
    await workshop.server.open(site.publish("/spellings", FORM))
    return workshop


async def test_numbers_and_booleans_may_be_texts(form: Workshop) -> None:
    assert "waited" in (await form.do("browser_wait_for", time="0.01")).text.lower()
    await form.do("browser_click", ref="#go", doubleClick="True")
    assert await form.server.evaluate("() => document.title") == "clicked 2"
    await form.do("browser_resize", width="640", height="480.0")
    assert await form.server.evaluate("() => innerWidth") == "640"


async def test_a_text_that_holds_json_may_be_the_json_itself(form: Workshop) -> None:
    cookies = [{"name": "colour", "value": "red", "domain": "127.0.0.1", "path": "/"}]
    await form.do("browser_cookies", action="set", cookies=cookies)
    assert "red" in (await form.do("browser_cookies", action="list")).text


async def test_lists_and_objects_may_be_texts(form: Workshop) -> None:
    fields = [
        {"name": "Name", "type": "textbox", "ref": "#name", "value": "Ada"},
        {"name": "City", "type": "textbox", "ref": "#city", "value": "Rome"},
    ]
    await form.do("browser_fill_form", fields=json.dumps(fields))
    values = "() => [...document.querySelectorAll('input')].map((field) => field.value)"
    assert json.loads(await form.server.evaluate(values)) == ["Ada", "Rome"]
    await form.do("browser_select_option", ref="#colours", values='["red", "blue"]')
    chosen = "() => [...document.querySelector('#colours').selectedOptions].map((one) => one.text)"
    assert json.loads(await form.server.evaluate(chosen)) == ["red", "blue"]
    steps = [{"tool": "browser_click", "arguments": json.dumps({"ref": "#go"})}]
    await form.do("browser_steps", steps=json.dumps(steps))
    assert "clicked" in await form.server.evaluate("() => document.title")


async def test_an_empty_text_for_what_is_optional_is_none(form: Workshop) -> None:
    for tool, arguments in (
        ("browser_snapshot", {"ref": "", "filename": "", "tab": "", "sessionId": "", "depth": ""}),
        ("browser_take_screenshot", {"ref": "", "element": "", "filename": "", "type": "", "fullPage": ""}),
        ("browser_click", {"ref": "#go", "element": "", "button": "", "modifiers": "", "sessionId": ""}),
    ):
        await form.do(tool, **arguments)


async def test_what_could_mean_something_else_is_refused_or_kept(form: Workshop) -> None:
    assert "`width` must be" in await form.refused("browser_resize", width="wide", height=9)
    assert "`values` must be a list" in await form.refused(
        "browser_select_option", ref="#colours", values="red"
    )
    assert "`doubleClick` must be" in await form.refused("browser_click", ref="#go", doubleClick="yes")
    for value in ("1", ""):
        field = {"name": "Name", "type": "textbox", "ref": "#name", "value": value}
        await form.do("browser_fill_form", fields=[field])
    assert await form.server.evaluate("() => document.querySelector('#name').value") == ""
