"""Pages that take back, replace or lead away what is done to them: the answer says what is there."""

from __future__ import annotations

import json
import re

import pytest

from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

LISTENED = "<script>addEventListener('keydown', () => {});</script>"
REMOVED = f"""<input id=field aria-label=Field value=old><output></output><script>
let count = 0;
field.oninput = (event) => {{ if (event.data && ++count === 3) field.remove(); }};
</script>{LISTENED}"""
STOLEN = f"""<label>Field <input id=field></label><label>Other <input id=other></label><script>
field.oninput = (event) => {{ if (event.data) other.focus(); }};
</script>{LISTENED}"""
RESET = """<select id=choice aria-label=Choice><option>Ant<option>Bee<option>Cat</select>
<input type=checkbox id=agree aria-label=Agree><script>
document.onchange = ({ target }) => setTimeout(() => {
  const next = target.cloneNode(true);
  next.checked = next.selectedIndex = 0;
  target.replaceWith(next);
}, 60);
</script>"""
REPLACED = """<div id=place></div><script>
let value = "hello world";
function draw() {
  place.innerHTML = "<label>Query <input></label>";
  const input = place.querySelector("input");
  input.value = value;
  input.oninput = () => { value = input.value; focusOn(draw()); };
  return input;
}
function focusOn(input) {
  input.focus();
  input.setSelectionRange(value.length, value.length);
}
draw();
</script>"""


async def session_in(workshop: Workshop) -> str:
    """A new session."""
    return str(json.loads((await workshop.do("create_session")).text)["sessionId"])


async def test_a_field_that_is_removed_while_it_is_typed_into_has_not_taken_the_text(
    workshop: Workshop, site: Site
) -> None:
    url = site.publish("/lying/removed", document("Removed", REMOVED))
    await workshop.open(url)
    refused = await workshop.refused("browser_type", ref="#field", text="order", slowly=True)
    assert "the page removed the field before it had all of the text" in refused.lower()
    session = await session_in(workshop)
    for clear in (True, False):
        await workshop.do("navigate", sessionId=session, url=url)
        arguments = {"sessionId": session, "selector": "#field", "text": "order", "clear": clear}
        reply = await workshop.server.call("type", **arguments)
        assert reply.is_error, reply.text


async def test_the_end_of_a_short_text_in_another_field_is_no_code(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/lying/stolen", document("Stolen", STOLEN)))
    refused = await workshop.refused("browser_type", ref="#field", text="ab", slowly=True)
    assert 'a part went into textbox "Other", which shows "b"' in refused


async def test_a_choice_that_is_replaced_by_another_is_no_success(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/lying/reset", document("Reset", RESET)))
    refused = await workshop.refused("browser_select_option", ref="#choice", values=["Cat"])
    assert 'the field shows "Ant"' in refused
    box = {"name": "Agree", "ref": "#agree", "value": "true"}
    assert "it shows not checked" in await workshop.refused("browser_fill_form", fields=[box])


async def test_a_field_that_is_replaced_when_it_is_emptied_is_typed_into(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/lying/replaced", document("Replaced", REPLACED)))
    answer = await workshop.do("browser_type", ref=page.ref('"Query"'), text="hello world", slowly=True)
    assert 'which shows "hello world"' in answer.text
    assert await workshop.server.evaluate("() => value") == "hello world"


async def test_a_double_click_on_what_the_first_click_disables_is_refused(
    workshop: Workshop, site: Site
) -> None:
    body = '<button onclick="this.disabled = true">Go</button>'
    await workshop.open(site.publish("/lying/disabled", document("Disabled", body)))
    refused = await workshop.refused("browser_click", ref="button", doubleClick=True)
    assert "no double click reached the element: the page disabled it" in refused.lower()


OVER = """<button onclick="veil.hidden = false">Go</button>
<div id=veil hidden style="position: fixed; inset: 0; background: #ddd"><h1>Sure?</h1></div>"""


async def test_a_double_click_whose_second_press_goes_to_what_the_first_click_opened_says_so(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/lying/over", document("Over", OVER)))
    refused = await workshop.refused("browser_click", ref="button", doubleClick=True)
    assert "no double click reached the element: what its first click opened covered it" in refused.lower()


EMPTIED = """<label>Folder <input type=file webkitdirectory id=folder></label><script>
addEventListener("input", () => { folder.value = ""; }, true);
</script>"""


async def test_a_folder_of_which_nothing_arrived_is_not_uploaded(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/lying/emptied", document("Emptied", EMPTIED)))
    folder = workshop.folder / "papers"
    folder.mkdir(exist_ok=True)
    (folder / "a.txt").write_text("a")
    assert "did not accept" in await workshop.refused("browser_file_upload", paths=["papers"])


def chain(site: Site) -> str:
    """A page that a refresh leads to another, from which a script leads on."""
    site.publish("/lying/end", document("End", "<h1>The end</h1>"))
    onward = "setTimeout(() => location.replace('/lying/end'), 150)"
    site.publish("/lying/onward", document("Onward", f"<p>Wait</p><script>{onward}</script>"))
    refresh = '<meta http-equiv=refresh content="0;url=/lying/onward"><p>Wait</p>'
    site.publish("/lying/refresh", document("Refresh", refresh))
    return site.publish("/lying/begin", document("Begin", "<a href=/lying/refresh>Begin</a>"))


@pytest.mark.long
async def test_the_end_of_a_chain_of_pages_is_reported(workshop: Workshop, site: Site) -> None:
    await workshop.open(chain(site))
    clicked = await workshop.do("browser_click", ref="a")
    assert 'heading "The end"' in clicked.section("Snapshot")
    opened = await workshop.open(site.url("/lying/refresh"))
    assert 'heading "The end"' in opened.section("Snapshot")
    session = await session_in(workshop)
    answer = await workshop.do("navigate", sessionId=session, url=site.url("/lying/refresh"))
    arrived = json.loads(answer.text)
    assert (arrived["title"], arrived["url"]) == ("End", site.url("/lying/end"))
    fetched = await workshop.do("patchright_fetch", url=site.url("/lying/refresh"))
    assert "# The end" in fetched.text


@pytest.mark.long
@pytest.mark.parametrize(
    "closing", ["opened.onload = () => opened.close()", "setTimeout(() => opened.close(), 100)"]
)
async def test_a_window_that_closes_itself_is_reported(workshop: Workshop, site: Site, closing: str) -> None:
    site.publish("/lying/window", document("Window", "<h1>Window</h1>"))
    act = f"const opened = window.open('/lying/window'); {closing}"
    body = f'<button onclick="{act}">Open</button>'
    url = site.publish("/lying/opener", document("Opener", body))
    await workshop.open(url)
    words = r"The page opened (a window that has closed again|tab 1): \S+/lying/window"
    assert re.search(words, (await workshop.do("browser_click", ref="button")).text)
    session = await session_in(workshop)
    await workshop.do("navigate", sessionId=session, url=url)
    clicked = await workshop.do("click", sessionId=session, selector="button")
    assert re.search(words, " ".join(json.loads(clicked.text)["events"]))


async def test_a_window_that_closes_at_once_is_reported_as_closed(workshop: Workshop, site: Site) -> None:
    body = "<button onclick=\"window.open('about:blank').close()\">Open</button><p onclick=0>Other</p>"
    await workshop.open(site.publish("/lying/opener", document("Opener", body)))
    clicked = await workshop.do("browser_click", ref="button")
    assert "The page opened a window that has closed again" in clicked.text
    assert "opened a window" not in (await workshop.do("browser_click", ref="p")).text


ASIDE = """<div aria-hidden=true><h1>Orders</h1><div role=button tabindex=0
 onclick="document.querySelector('output').textContent += 'opened;'">Open order 7</div>
<div role=dialog aria-label=Connect>Connect</div>
<button onclick="document.querySelector('output').textContent += 'paid;'">Pay all</button></div>
<output></output>"""


async def test_roles_under_a_root_that_is_aria_hidden_are_found(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/lying/aside", document("Aside", ASIDE)))
    assert page.ref('button "Open order 7"')
    found = await workshop.do("browser_find", text="Open order 7")
    assert 'button "Open order 7"' in found.section("Snapshot")
    await workshop.do("browser_click", ref="role=button[name='Open order 7']")
    await workshop.do("browser_wait_for", selector="role=dialog")
    code = """await page.getByRole("button", { name: "Pay all" }).click();
await page.getByRole("dialog", { name: "Connect" }).waitFor();
return page.getByRole("button").count();"""
    assert (await workshop.do("browser_run", code=code)).section("Result") == "2"
    assert await workshop.output() == "opened;paid;"


LOCKED = """<button id=play onclick="game.requestPointerLock()">Play</button>
<div id=game style="width:200px;height:90px;background:gold" onclick="say('played')">Game</div>
<button id=after onclick="say('after')">After</button><output></output><script>
const say = (text) => { document.querySelector("output").textContent = text; };
document.onpointerlockchange = () => say(document.pointerLockElement ? "locked" : "free");
</script>"""


@pytest.mark.long
async def test_where_the_page_has_locked_the_pointer_the_refusal_says_so(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/lying/locked", document("Locked", LOCKED)))
    await workshop.do("browser_click", ref="#play")
    assert await workshop.output() == "locked"
    for tool in ("browser_click", "browser_hover"):
        assert "the page has locked the pointer" in await workshop.refused(tool, ref="#after")
    await workshop.do("browser_click", ref="#game")
    assert await workshop.output() == "played"
    await workshop.do("browser_evaluate", function="() => document.exitPointerLock()")
    await workshop.do("browser_wait_for", text="free")
    await workshop.do("browser_click", ref="#after")
    assert await workshop.output() == "after"


SVG = "document.createElementNS('http://www.w3.org/2000/svg', 'svg')"


@pytest.mark.parametrize(
    "act",
    [
        "document.body.remove()",
        "document.documentElement.remove()",
        f"document.replaceChild({SVG}, document.documentElement)",
    ],
    ids=["body", "document", "drawing"],
)
async def test_a_document_without_a_body_has_nothing_to_see_and_is_not_loading(
    workshop: Workshop, site: Site, act: str
) -> None:
    body = f'<h1>Before</h1><script>const secret = 1;</script><button onclick="{act}">Remove</button>'
    page = await workshop.open(site.publish("/lying/bare", document("Bare", body)))
    await workshop.do("browser_click", ref=page.ref('button "Remove"'))
    seen = await workshop.do("browser_snapshot")
    assert seen.section("Result") == "There is nothing to see."
    assert "still loading" not in seen.text
    assert (await workshop.do("browser_read")).section("Result") == "There is nothing to read."
    assert "no such element" in (await workshop.refused("browser_click", ref="h1")).lower()


CLOSED = """<button aria-controls=terms>Terms</button>
<div id=terms hidden=until-found><p>The secret clause</p></div>
<div hidden=until-found><p>Another clause</p></div>
<details><summary>Question</summary><p>The answer</p></details><p hidden>A hidden word</p>"""


async def test_the_search_tells_what_stands_in_closed_parts(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/lying/closed", document("Closed", CLOSED)))
    found = await workshop.do("browser_find", text="secret clause")
    opener = page.ref('button "Terms"')
    assert f'- "The secret clause": opened by button "Terms" [ref={opener}]' in found.text
    assert not found.has_section("Snapshot")
    question = page.ref("Question")
    found = await workshop.do("browser_find", regex="^The answer$")
    assert f"[ref={question}]" in found.line("The answer")
    assert "hidden until it is found" in (await workshop.do("browser_find", text="Another clause")).text
    nothing = await workshop.do("browser_find", text="hidden word")
    assert nothing.text.endswith("Nothing on the page contains that.")


async def test_tabs_and_blanks_are_reported_as_they_are(workshop: Workshop, site: Site) -> None:
    body = "<textarea id=code aria-label=Code></textarea>"
    await workshop.open(site.publish("/lying/tabs", document("Tabs", body)))
    for slowly in (False, True):
        answer = await workshop.do("browser_type", ref="#code", text="a:\tb\n\tc  d", slowly=slowly)
        assert r'which shows "a:\tb\n\tc  d"' in answer.text
    field = {"name": "Code", "ref": "#code", "value": "k\tv"}
    assert r'- Code: "k\tv"' in (await workshop.do("browser_fill_form", fields=[field])).text
