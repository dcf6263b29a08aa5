"""What models stumbled over in large applications: webmail, an editor, a database's console, a smart home."""

from __future__ import annotations

import json
import re

import pytest

from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

TOKENS = """<style>#box { height: 60px; overflow: auto } #outer { height: 90px; overflow: hidden }
.unread::before { content: url("data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'/%3E") }
.save::before { content: "\\f0c7 " }</style>
<div id=outer><div id=box><div style="height: 200px">Top</div>
<span><span aria-hidden=true>season-ada</span><button>Remove tag</button></span></div></div>
<p class=unread>Letter</p>
<button class=save onclick="document.querySelector('output').textContent = 'saved'">Save</button>
<output></output>"""


async def test_what_a_scroller_hides_from_view_is_listed_and_pictures_of_style_sheets_are_not(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/app/tokens", document("Tokens", TOKENS)))
    assert "season-ada" in page.text
    assert "data:image" not in page.text
    assert 'button "Save" [ref=' in page.text, "without the character of the icon font"
    await workshop.do("browser_click", ref='role=button[name="Save"]')
    assert await workshop.output() == "saved"


SHADOW = """<p>Before</p><div id=host></div><div id=other></div><button>After</button><script>
host.attachShadow({ mode: "open" }).innerHTML =
  "<svg aria-hidden=true width=20 height=20><path d='M0 0h9v9z'/></svg>";
other.attachShadow({ mode: "closed" }).innerHTML =
  "<div aria-hidden=true>11</div><div contenteditable>code</div>";
</script>"""


async def test_what_is_aria_hidden_in_a_shadow_root_does_not_keep_the_page_from_being_read(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/app/shadow", document("Shadow", SHADOW)))
    assert "Before" in page.text
    assert 'button "After"' in page.text
    assert "could not be read" not in page.text
    assert "text: 11" not in page.text, "a line number"


HOURS = """<main><h1>Hours</h1>
<table><tbody id=body><tr><td>Weekdays<td>8-17<tr><td>Saturday<td>10-16</tbody></table>
</main>"""


@pytest.mark.parametrize("part", [{}, {"ref": "table"}, {"ref": "#body"}])
async def test_a_table_without_a_header_row_is_read_as_a_table(
    workshop: Workshop, site: Site, part: dict[str, str]
) -> None:
    await workshop.open(site.publish("/app/hours", document("Hours", HOURS)))
    read = await workshop.do("browser_read", **part)
    assert re.search(r"\| Weekdays *\| 8-17 *\|\n\| Saturday *\| 10-16 *\|", read.text), read.text


SUGGESTING = """<div style="position: relative; width: 300px; height: 120px" id=editor>
<textarea id=field aria-label=Code style="position: absolute; width: 1px; height: 1px; opacity: 0"></textarea>
<pre id=drawn style="margin: 0; height: 100px"></pre></div><script>
let offers = false;
const draw = () => { drawn.textContent = field.value; };
field.onbeforeinput = (event) => {
  offers = /on/.test(event.data ?? "");
  if (event.data !== "\\n" && event.inputType !== "insertLineBreak") return;
  event.preventDefault();
  field.setRangeText("\\n  ", field.selectionStart, field.selectionEnd, "end");
  draw();
};
field.oninput = draw;
field.onkeydown = (event) => {
  if (event.key === "Enter" && offers) event.preventDefault();
};
</script>"""


async def test_no_line_is_lost_to_the_suggestions_of_an_editor(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/app/suggesting", document("Suggesting", SUGGESTING)))
    text = '{\n"wrap": "on"\n}'
    await workshop.do("browser_type", ref=page.ref('textbox "Code"'), text=text)
    assert json.loads(
        await workshop.server.evaluate("() => JSON.stringify(field.value.split(/\\s*\\n\\s*/))")
    ) == [
        "{",
        '"wrap": "on"',
        "}",
    ]


async def test_a_notice_that_is_a_button_with_a_label_shows_its_text(workshop: Workshop, site: Site) -> None:
    body = """<div role=button tabindex=0 aria-label="Dismiss this notice">
    Page updated. <a href="#p">View it</a></div>
    <button aria-label=Search><i>search</i></button>"""
    page = await workshop.open(site.publish("/app/notice", document("Notice", body)))
    assert "Page updated." in page.text
    assert page.text.count("search") == 0


MAIL = """<table><tbody id=list>
<tr draggable=false><td>Ann<td>Thu 12:03<td><a href="#1">Invoice</a>
<tr><td>Bob<td>Fri 09:00<td><a href="#2">Lunch</a></tbody></table>
<div id=folder style="width: 200px; height: 60px; border: 1px solid">Archive</div><output></output><script>
let held = null;
list.onmousedown = (event) => { held = event.target.closest("tr"); event.preventDefault(); };
document.onmouseup = (event) => {
  if (held && event.target === folder) {
    held.style.display = "none";
    document.querySelector("output").textContent = "moved";
  }
  held = null;
};
</script>"""


async def test_a_row_is_one_line_and_its_drag_into_a_folder_that_hides_it_succeeds(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/app/mail", document("Mail", MAIL)))
    assert re.search(r'row: Ann \| Thu 12:03 \| .*"?Invoice', page.text), page.text
    await workshop.do("browser_drag", startRef="text=Invoice", endRef="#folder")
    assert await workshop.output() == "moved"


EDITOR = """<iframe id=frame aria-label=Letter style="width: 400px; height: 100px"></iframe>
<div id=shortcuts tabindex=0 aria-label=Board style="width: 50px; height: 50px">x</div><output></output>
<script>
frame.contentDocument.write("<body {kind}><p>Old</p></body>");
frame.contentDocument.close();
{more}
shortcuts.onkeydown = ({ key }) => { document.querySelector("output").textContent += key; };
</script>"""


@pytest.mark.parametrize(
    ("kind", "more"), [("contenteditable", ""), ("", "frame.contentDocument.designMode = 'on';")]
)
async def test_text_for_an_editor_in_a_frame_arrives_where_the_focus_is(
    workshop: Workshop, site: Site, kind: str, more: str
) -> None:
    body = EDITOR.replace("{kind}", kind).replace("{more}", more)
    await workshop.open(site.publish("/app/editor", document("Editor", body)))
    await workshop.do("browser_click", ref="text=Old")
    answer = await workshop.do("browser_type", text="new words ")
    assert "No element has the focus" not in answer.text
    assert "new words" in answer.section("Result"), "it is read back"
    text = await workshop.server.evaluate(
        "() => document.querySelector('iframe').contentDocument.body.innerText"
    )
    assert "new words" in text


async def test_keys_for_an_element_that_is_no_field_are_not_reported_as_typed(
    workshop: Workshop, site: Site
) -> None:
    body = EDITOR.replace("{kind}", "").replace("{more}", "")
    await workshop.open(site.publish("/app/shortcuts", document("Shortcuts", body)))
    await workshop.do("browser_click", ref="#shortcuts")
    answer = await workshop.do("browser_type", text="jk")
    assert await workshop.output() == "jk"
    assert "is no text field" in answer.section("Result")
    assert "Board" in answer.section("Result")


CLOSING = """<div id=code contenteditable role=textbox aria-label=Code
style="height: 40px; border: 1px solid"></div><script>
const pairs = { "{": "}", "(": ")" };
code.addEventListener("beforeinput", (event) => {
  const closing = pairs[event.data?.[0]];
  if (!closing) return;
  event.preventDefault();
  const at = getSelection().getRangeAt(0);
  at.deleteContents();
  const text = document.createTextNode(event.data + closing);
  at.insertNode(text);
  getSelection().collapse(text, event.data.length);
});
</script>"""


async def test_a_bracket_that_an_editor_closes_by_itself_is_removed(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/app/closing", document("Closing", CLOSING)))
    await workshop.do("browser_type", ref=page.ref('textbox "Code"'), text="{ a: (1) }")
    assert await workshop.server.evaluate("() => code.innerText.trim()") == "{ a: (1) }"


FILES = """<div role=tree aria-label=Files id=tree></div><output></output><script>
let names = ["docs", "src", "tests"];
const rows = names.map(() => {
  const row = Object.assign(document.createElement("div"), { role: "treeitem", tabIndex: 0 });
  row.setAttribute("role", "treeitem");
  row.onclick = () => { document.querySelector("output").textContent = row.textContent; };
  tree.append(row);
  return row;
});
const draw = () => rows.forEach((row, at) => { row.textContent = names[at]; });
const add = (name) => { names = [name, ...names].slice(0, 3); draw(); };
draw();
</script><button onclick="add('CHANGES.md')">Add</button>"""


async def test_the_ref_of_an_entry_follows_it_when_rows_are_recycled(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/app/files", document("Files", FILES)))
    docs, tests = page.ref('treeitem "docs"'), page.ref('treeitem "tests"')
    answer = await workshop.do("browser_click", ref="text=Add")
    assert 'treeitem "CHANGES.md"' in answer.section("Snapshot")
    assert "is no longer on the page" in await workshop.refused("browser_click", ref=tests)
    await workshop.do("browser_click", ref=docs)
    assert await workshop.output() == "docs"


FRAMED = """<iframe srcdoc="<div role=grid aria-label=Rows><div role=row>
<button onclick=&quot;parent.done()&quot;>Edit</button></div></div>"></iframe>
<button>Other</button><output></output>
<script>function done() { document.querySelector("output").textContent = "edited"; }</script>"""


async def test_the_refs_of_a_part_in_a_frame_name_the_frame(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/app/framed", document("Framed", FRAMED)))
    part = await workshop.do("browser_snapshot", ref=page.ref('grid "Rows"'))
    edit = part.ref('button "Edit"')
    assert edit == page.ref('button "Edit"')
    await workshop.do("browser_click", ref=edit)
    assert await workshop.output() == "edited"


DIALOGS = """<main><h1>Devices</h1><p id=count>0 devices</p>
{buttons}<button onclick="show('first')">Settings</button></main>
<style>.veil { position: fixed; inset: 0; background: #0008 }
.veil > div { margin: 100px; background: white }</style>
<script>
const dialogs = {
  first: "<h2>Lamp</h2><button onclick=&quot;show('second')&quot;>Area</button>" +
    "<button onclick=close_()>Update</button>",
  second: "<h2>New area</h2><button onclick=close_()>Cancel</button>",
};
function show(name) {
  const veil = document.createElement("div");
  veil.className = "veil";
  veil.innerHTML = `<div role=dialog aria-label=${name}>${dialogs[name].replaceAll("&quot;", '"')}</div>`;
  document.body.append(veil);
  count.textContent = "9 devices";
}
function close_() { document.querySelectorAll(".veil").forEach((veil) => veil.remove()); }
</script>"""


async def test_only_what_lies_over_the_page_is_reported_until_it_closes(
    workshop: Workshop, site: Site
) -> None:
    buttons = "".join(f"<button>Device {number}</button>" for number in range(12))
    await workshop.open(
        site.publish("/app/dialogs", document("Dialogs", DIALOGS.replace("{buttons}", buttons)))
    )
    opened = await workshop.do("browser_click", ref="text=Settings")
    assert 'dialog "first"' in opened.section("Snapshot")
    assert "[covered" not in opened.section("Snapshot")
    assert "9 devices" not in opened.section("Snapshot")
    await workshop.do("browser_click", ref="text=Area")
    closed = await workshop.do("browser_click", ref="text=Cancel")
    assert "9 devices" in closed.section("Snapshot"), "what changed behind is told now"
    gone = [line for line in closed.section("Snapshot").splitlines() if line.startswith("- ")]
    assert any("first" in line for line in gone), closed.text
    assert any("second" in line for line in gone), closed.text


STRIP = """<div id=strip style="position: relative; height: 40px"><button role=tab id=tab aria-selected=false
style="position: absolute; left: 300px">SQL</button></div><script>
tab.onmousedown = () => { tab.setAttribute("aria-selected", "true"); tab.style.left = "0px"; };
</script>"""


async def test_a_tab_that_is_selected_at_the_press_and_moves_away_has_taken_it(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/app/strip", document("Strip", STRIP)))
    answer = await workshop.do("browser_click", ref=page.ref('tab "SQL"'))
    assert "[selected]" in answer.section("Snapshot")


LONG = """<textarea aria-label=Code rows=4>{text}</textarea><button onclick="
const code = document.querySelector('textarea');
code.value = code.value.replace('rate 7', 'rate 99');
">Raise</button>"""


async def test_of_a_long_value_the_changed_line_is_reported(workshop: Workshop, site: Site) -> None:
    text = "\n".join(f"rate {number}" for number in range(60))
    await workshop.open(site.publish("/app/long", document("Long", LONG.replace("{text}", text))))
    answer = await workshop.do("browser_click", ref="text=Raise")
    assert "rate 99" in answer.text
    assert "rate 20" not in answer.text


COUNTING = """<div role=status id=status></div><input aria-label=Search><button onclick="
let left = 5;
const step = () => {
  status.textContent = left ? `Searching, ${left} folders left` : '';
  if (left--) setTimeout(step, 30);
};
step();">Search</button>"""


async def test_of_a_message_that_counts_only_the_last_is_reported(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/app/counting", document("Counting", COUNTING)))
    answer = await workshop.do("browser_click", ref='role=button[name="Search"]')
    assert len(re.findall("folders left", answer.text)) <= 1, answer.text


async def test_an_expected_text_that_was_there_must_come_once_more(workshop: Workshop, site: Site) -> None:
    body = """<input aria-label=Name><ul id=list><li>Inbox</ul><button onclick="
    const item = document.createElement('li');
    item.textContent = document.querySelector('input').value;
    list.append(item); document.querySelector('input').value = '';">Create</button>
    <button id=dead>Dead</button>"""
    page = await workshop.open(site.publish("/app/folders", document("Folders", body)))
    await workshop.do("browser_type", ref=page.ref('textbox "Name"'), text="Projects")
    await workshop.do("browser_click", ref='button "Create"', expect="Projects")
    assert json.loads(await workshop.server.evaluate("() => list.children.length")) == 2
    refused = await workshop.refused("browser_click", ref="#dead", expect="Projects")
    assert "contained before" in refused


REPLACED = """<main>{buttons}</main><div id=veil hidden style="position: fixed; inset: 0; background: #ddd">
<div role=dialog aria-label=Sure style="margin: 9em; background: #fff"><button id=yes>Yes</button></div></div>
<button id=open style="position: absolute; top: 0">Ask</button><script>
document.getElementById("open").onclick = () => veil.hidden = false;
yes.onclick = () => {
  veil.hidden = true;
  for (const button of [...document.querySelectorAll("main button")].slice(12)) button.remove();
  document.querySelector("main").append("Replaced");
};</script>"""


async def test_a_closed_dialog_leaves_the_page_known_even_if_most_of_it_was_replaced(
    workshop: Workshop, site: Site
) -> None:
    buttons = "".join(f"<button>Device {number}</button>" for number in range(30))
    page = document("Replaced", REPLACED.replace("{buttons}", buttons))
    await workshop.open(site.publish("/app/replaced", page))
    await workshop.do("browser_click", ref="#open")
    closed = (await workshop.do("browser_click", ref="#yes")).section("Snapshot")
    assert "Replaced" in closed
    assert "Device 3" not in closed, "it is as before"
    gone = [line for line in closed.splitlines() if line.startswith("- ")]
    assert any("Device 12" in line for line in gone), closed


LONG_VALUE = "<textarea aria-label=Code>{value}</textarea><p>After</p>"


async def test_a_match_in_a_long_value_is_found_and_shown_with_what_stands_around_it(
    workshop: Workshop, site: Site
) -> None:
    value = "x" * 30_000 + " the needle " + "y" * 30_000
    page = document("Long", LONG_VALUE.replace("{value}", value))
    await workshop.open(site.publish("/app/long", page))
    for query in ({"text": "needle"}, {"regex": "need[a-z]+"}):
        found = await workshop.do("browser_find", **query)
        assert "the needle y" in found.text
        assert 'textbox "Code"' in found.text
        assert len(found.text) < 2_000
    missing = await workshop.do("browser_find", text="haystack")
    assert "needle" not in missing.text


async def test_a_value_with_an_address_is_shown_as_it_is(workshop: Workshop, site: Site) -> None:
    page = document("Link", """<textarea aria-label=Code>&lt;a href="/x"&gt; [ref=e1] href=e7</textarea>""")
    shown = await workshop.open(site.publish("/app/link", page))
    line = next(line for line in shown.text.splitlines() if 'textbox "Code"' in line)
    assert 'href=\\"/x\\"' in line
    assert line.count("[ref=") == 1, "text of a page cannot imitate a ref"
    assert "ref=e7" not in line


CARDS = """<div role=button tabindex=0 onclick="document.title = 'picked'" style="cursor: pointer">
Keypad<div style="pointer-events: none"><button>1</button><button>2</button>
<label>Code <input></label></div></div><button style="pointer-events: none">Off</button>"""


async def test_what_leaves_the_press_to_the_card_around_it_is_the_text_of_that_card(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/app/cards", document("Cards", CARDS)))
    assert "Keypad" in page.text
    assert 'button "1"' not in page.text
    assert "[no pointer]" in page.line('button "Off"')


async def test_a_step_that_opens_a_page_says_which_and_whether_it_was_an_error(
    workshop: Workshop, site: Site
) -> None:
    first = site.publish("/app/first", document("First", "<p>One</p>"))
    await workshop.open(first)
    steps = [
        {"tool": "browser_navigate", "arguments": {"url": first.replace("first", "none")}},
        {"tool": "browser_navigate", "arguments": {"url": first}},
    ]
    result = (await workshop.do("browser_steps", steps=steps)).section("Result").splitlines()
    assert "/app/none" in result[0]
    assert "404" in result[0]
    assert result[1].endswith("/app/first")


ASKED = """<button>Save</button><div class=dim style="position: fixed; inset: 0; background: #0008"></div>
<div role=dialog aria-label="Connect to server" style="position: fixed; left: 40%; top: 40%; background: red">
<button>Connect</button></div>"""


async def test_a_press_under_a_backdrop_names_the_dialog(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/app/asked", document("Asked", ASKED)))
    refused = await workshop.server.call("browser_click", ref="text=Save")
    assert refused.is_error
    assert 'the dialog "Connect to server"' in refused.section("Error")


async def test_changes_after_a_snapshot_with_all_refs_are_those_since_the_usual_snapshot(
    workshop: Workshop, site: Site
) -> None:
    body = """<style>.i::before { content: "\\f0c7 "; }</style><button class=i>Save</button>
    <button class=i>Print</button><output></output>
    <button onclick="document.querySelector('output').textContent = 'done'">Go</button>"""
    await workshop.open(site.publish("/app/icons", document("Icons", body)))
    await workshop.do("browser_snapshot", allRefs=True)
    changes = (await workshop.do("browser_click", ref="text=Go")).section("Snapshot")
    assert "done" in changes
    assert "Save" not in changes


async def test_a_program_that_returns_a_snapshot_in_a_list_answers_with_json_encoded_once(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/app/list", document("List", "<button>Go</button>")))
    code = "return [await page.title(), await page.snapshot()]"
    result = (await workshop.do("browser_run", code=code)).section("Result").splitlines()
    title, outline = json.loads(result[1])
    assert title == "List"
    assert 'button "Go" [ref=' in outline


async def test_a_frame_that_did_not_load_says_so_in_a_few_words(workshop: Workshop, site: Site) -> None:
    body = '<h1>Films</h1><iframe src="http://127.0.0.1:1/trailer"></iframe><button>Buy</button>'
    shown = await workshop.open(site.publish("/app/films", document("Films", body)))
    assert "did not load (" in shown.text
    assert "trailer" not in shown.section("Snapshot"), "that is the text of the browser's error page"
    assert 'button "Buy"' in shown.text


async def test_all_headings_of_a_long_article_come_before_its_texts_and_asides(
    workshop: Workshop, site: Site
) -> None:
    text = "It was a bright cold day in April, and the clocks were striking thirteen, as they often did. " * 4
    edit = '<a href="/edit">edit</a>'
    chapters = "".join(f"<h2>Chapter {number} {edit}</h2><p>{text}</p>" for number in range(80))
    aside = "".join(f"<h3><a href=/{number}>Related {number}</a></h3><p>{text}</p>" for number in range(40))
    body = f"<main><article>{chapters}<aside>{aside}</aside><h2>Comments</h2><p>{text}</p></article></main>"
    shown = (await workshop.open(site.publish("/app/novel", document("Novel", body)))).section("Snapshot")
    assert [number for number in range(80) if f'"Chapter {number} ' not in shown] == []
    assert 'heading "Comments"' in shown
