"""What an action is expected to bring about comes of it, or the call fails."""

from __future__ import annotations

import json

import pytest

from tests_py.support.client import Reply
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

BODY = """<p>Ready</p><button id=save onclick="say('Saved')">Save</button>
<button id=slow onclick="count(); setTimeout(() => say('Saved'), 900)">Slow</button>
<button id=dead onclick="count()">Dead</button>
<button id=paint onclick="count(); wrong.style.background = 'red'">Paint</button>
<button id=draw onclick="count(); drawing.innerHTML = '<circle r=9 />'">Draw</button><svg id=drawing></svg>
<button id=wrong onclick="count(); say('Refused')">Wrong</button>
<button id=toast onclick="count(); toast.hidden = false">Toast</button><div id=shown hidden>Done</div>
<button id=ask onclick="count(); alert('Really delete it?')">Ask</button>
<button id=open onclick="count(); window.open('/expected/next')">Open</button>
<button id=move onclick="count(); history.pushState(0, '', '/expected/moved')">Move</button>
<a id=next href=/expected/next>Next</a> <a id=same href="#here">Same</a>
<input id=name aria-label=Name oninput="count(); say('Saved ' + this.value)">
<select id=kind aria-label=Kind onchange="count(); say('Saved ' + this.value)"><option>Ant<option>Bee</select>
<input id=box type=checkbox aria-label=Box onchange="count(); say('Saved')">
<input id=file type=file aria-label=File onchange="count(); say('Saved')">
<div id=over onmouseover="count(); say('Saved')">Over</div>
<output></output><div style="height: 3000px"></div><p id=below>Below</p>
<script>
const toast = document.querySelector("#shown");
let done = 0;
function count() { done++; }
function say(text) { document.querySelector("output").textContent = text; }
onkeydown = ({ key }) => { if (key === "F2") { count(); say("Saved by key"); } };
onscroll = () => { count(); say("Saved by scrolling"); };
</script>"""


@pytest.fixture
async def page(workshop: Workshop, site: Site) -> Reply:
    site.publish("/expected/next", document("Next", "<h1>Welcome</h1>"))
    return await workshop.open(site.publish("/expected/page", document("Page", BODY)))


async def done(workshop: Workshop) -> int:
    """How often the page has had an action."""
    return int(await workshop.server.evaluate("() => done"))


MET: dict[str, tuple[str, dict[str, object], str]] = {
    "a text": ("browser_click", {"ref": "#save"}, "Saved"),
    "a text that comes later": ("browser_click", {"ref": "#slow"}, "saved"),
    "a selector": ("browser_click", {"ref": "#toast"}, "#shown"),
    "an element of a kind": ("browser_click", {"ref": "#next"}, "role=heading[name=Welcome]"),
    "a part of a URL": ("browser_click", {"ref": "#next"}, "/expected/next"),
    "a URL within the document": ("browser_click", {"ref": "#move"}, "*/moved"),
    "a URL in a new tab": ("browser_click", {"ref": "#open"}, "/expected/next"),
    "a text in a new tab": ("browser_click", {"ref": "#open"}, "Welcome"),
    "a text of a dialog": ("browser_click", {"ref": "#ask"}, "delete it"),
    "nothing": ("browser_click", {"ref": "#dead"}, "nothing"),
    "typing": ("browser_type", {"ref": "#name", "text": "Ada"}, "Saved Ada"),
    "filling": (
        "browser_fill_form",
        {"fields": [{"name": "Name", "ref": "#name", "value": "Ada"}]},
        "Saved Ada",
    ),
    "choosing": ("browser_select_option", {"ref": "#kind", "values": ["Bee"]}, "Saved Bee"),
    "a key": ("browser_press_key", {"key": "F2"}, "Saved by key"),
    "hovering": ("browser_hover", {"ref": "#over"}, "Saved"),
    "scrolling": ("browser_scroll", {"direction": "down"}, "Saved by scrolling"),
    "a script": ("browser_evaluate", {"function": "() => say('Saved')"}, "Saved"),
    "a program": ("browser_run", {"code": "await page.click('#save')"}, "Saved"),
}


@pytest.mark.parametrize("what", MET)
async def test_an_action_that_brings_about_what_is_expected_succeeds(
    workshop: Workshop, page: Reply, what: str
) -> None:
    assert not page.is_error
    tool, arguments, expect = MET[what]
    await workshop.do(tool, **arguments, expect=expect)
    if what == "a text of a dialog":
        await workshop.do("browser_handle_dialog", accept=True)


UNMET: dict[str, tuple[str, dict[str, object], str, str]] = {
    "another text": ("browser_click", {"ref": "#wrong"}, "Saved", 'did not lead to the text "Saved"'),
    "no element": ("browser_click", {"ref": "#wrong"}, "#shown", "did not lead to the element"),
    "no URL": ("browser_click", {"ref": "#wrong"}, "/expected/next", "did not lead to the address"),
    "a change": ("browser_click", {"ref": "#wrong"}, "nothing", "something changed"),
    "a look": ("browser_click", {"ref": "#paint"}, "nothing", "something changed"),
    "a drawing": ("browser_click", {"ref": "#draw"}, "nothing", "something changed"),
    "another URL": ("browser_click", {"ref": "#move"}, "nothing", "something changed"),
    "a new tab": ("browser_click", {"ref": "#open"}, "nothing", "something changed"),
    "a value": ("browser_type", {"ref": "#name", "text": "Ada"}, "nothing", "something changed"),
    "a key": ("browser_press_key", {"key": "F2"}, "Refused", 'did not lead to the text "Refused"'),
    "a choice": (
        "browser_select_option",
        {"ref": "#kind", "values": ["Bee"]},
        "Saved Ant",
        "did not lead to",
    ),
}


@pytest.mark.parametrize("what", UNMET)
async def test_an_action_without_what_is_expected_of_it_fails_and_is_done(
    workshop: Workshop, page: Reply, what: str
) -> None:
    assert not page.is_error
    tool, arguments, expect, words = UNMET[what]
    reply = await workshop.server.call(tool, **arguments, expect=expect)
    assert reply.is_error, reply.text
    assert "the action was done" in reply.section("Error")
    assert words in reply.section("Error")
    assert await done(workshop) > 0


@pytest.mark.long
async def test_what_came_instead_is_in_the_answer(workshop: Workshop, page: Reply) -> None:
    reply = await workshop.server.call("browser_click", ref=page.ref('"Wrong"'), expect="Saved")
    assert reply.is_error
    assert "Refused" in reply.section("Snapshot")


@pytest.mark.parametrize("expect", ["#dead", "/expected/page", "role=button[name=Dead]"])
async def test_what_is_there_already_does_not_count_and_nothing_is_done(
    workshop: Workshop, page: Reply, expect: str
) -> None:
    assert not page.is_error
    result = await workshop.server.session.call_tool("browser_click", {"ref": "#dead", "expect": expect})
    assert result.is_error
    assert (result.meta or {}).get("errorCode") == "not_as_expected"
    assert "is there already" in str(result.content)
    assert await done(workshop) == 0


@pytest.mark.usefixtures("page")
async def test_what_the_page_before_shows_does_not_matter_to_a_navigation(
    workshop: Workshop, site: Site
) -> None:
    other = site.publish("/expected/ready", document("Other", "<p>Ready, too</p>"))
    await workshop.do("browser_navigate", url=other, expect="Ready")
    # The same document: what it shows is no result.
    refused = await workshop.refused("browser_navigate", url=f"{other}#there", expect="Ready, too")
    assert "did not lead to" in refused


@pytest.mark.long
async def test_a_step_without_what_is_expected_of_it_is_the_last(workshop: Workshop, page: Reply) -> None:
    assert not page.is_error
    steps = [
        {"tool": "browser_type", "arguments": {"ref": "#name", "text": "Ada", "expect": "Saved Ada"}},
        {"tool": "browser_click", "arguments": {"ref": "#dead", "expect": "Gone"}},
        {"tool": "browser_click", "arguments": {"ref": "#wrong"}},
    ]
    reply = await workshop.server.call("browser_steps", steps=steps)
    assert reply.is_error
    assert "Step 2 of 3 (browser_click) failed; the rest was not done." in reply.text
    assert 'did not lead to the text "Gone"' in reply.section("Error")
    assert await workshop.output() == "Saved Ada"
    whole = await workshop.server.call("browser_steps", steps=steps[:1], expect="Saved Eve")
    assert whole.is_error


async def test_a_change_that_goes_on_by_itself_is_none_of_the_actions(workshop: Workshop, site: Site) -> None:
    body = """<p>Seconds: <b>0</b></p><button>Dead</button><script>
    setInterval(() => { document.querySelector("b").textContent++; }, 200);
    </script>"""
    await workshop.open(site.publish("/expected/clock", document("Clock", body)))
    for _ in range(3):
        await workshop.do("browser_click", ref="text=Dead")
    await workshop.do("browser_click", ref="text=Dead", expect="nothing")


async def test_tools_that_only_read_take_no_expectation(workshop: Workshop, page: Reply) -> None:
    assert not page.is_error
    assert "expect" in await workshop.refused("browser_snapshot", expect="Saved")


@pytest.mark.long
async def test_a_session_expects_as_well(workshop: Workshop, site: Site, page: Reply) -> None:
    assert not page.is_error
    session = json.loads((await workshop.do("create_session")).text)["sessionId"]
    await workshop.do("browser_navigate", url=site.url("/expected/page"), sessionId=session, expect="Ready")
    refused = await workshop.refused("browser_click", ref="#wrong", expect="Saved", sessionId=session)
    assert 'did not lead to the text "Saved"' in refused
