"""What the widgets of libraries do that plain pages do not: in small, as their own pages do it at large."""

import pytest

from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

DELAYED = """<button id=menu>More</button><script>
menu.addEventListener("mouseenter", () => setTimeout(() => {
  menu.insertAdjacentHTML("afterend", "<div role=menu><button>Rename</button></div>");
}, 400));
</script>"""


async def test_a_menu_that_comes_a_moment_after_the_pointer_is_in_the_answer(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/widgets/delayed", document("Delayed", DELAYED)))
    after = await workshop.do("browser_hover", ref=page.ref('button "More"'))
    assert 'button "Rename"' in after.section("Snapshot")


HIDING = """<button id=layers>Layers</button><div id=panel hidden><label><input type=radio> Map</label></div>
<script>layers.onmouseover = () => { layers.style.display = "none"; panel.hidden = false; };</script>"""


async def test_a_button_that_goes_when_the_pointer_comes_was_pointed_at(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/widgets/hiding", document("Hiding", HIDING)))
    after = await workshop.do("browser_hover", ref=page.ref('button "Layers"'))
    assert 'radio "Map"' in after.section("Snapshot")


SHADOWED = """<div role=combobox tabindex=0 aria-controls=kept aria-expanded=true>Size</div>
<div id=kept role=listbox style="width:0;height:0;overflow:hidden"><div role=option>Hidden twin</div></div>
<div id=drawn><div onclick="this.className = 'chosen'">Small</div></div>"""


async def test_a_list_kept_in_a_box_of_no_size_is_not_shown(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/widgets/shadowed", document("Shadowed", SHADOWED)))
    shown = page.section("Snapshot")
    assert "Small" in shown
    assert "Hidden twin" not in shown


SEVERAL = """<div role=combobox id=box tabindex=0 aria-label=Tags aria-expanded=false style="height:20px">
<span id=chosen></span></div>
<div id=list hidden><div>Red</div><div>Green</div><div>Blue</div></div>
<script>
const picked = [];
box.onclick = () => { list.hidden = !list.hidden; };
for (const item of list.children) {
  item.onclick = () => { picked.push(item.textContent); chosen.textContent = picked.join(" "); };
}
</script>"""


@pytest.mark.long
async def test_several_are_chosen_from_a_list_that_stays_open(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/widgets/several", document("Several", SEVERAL)))
    tags = page.ref('combobox "Tags"')
    await workshop.do("browser_select_option", ref=tags, values=["Red", "Blue"])
    assert await workshop.server.evaluate("() => picked.join()") == "Red,Blue"


KEYED = """<select id=month aria-label=Month><option>May<option>June<option>July<option>August</select>
<script>const heard = []; for (const kind of ["keydown", "keyup", "change"]) {
  month.addEventListener(kind, (event) => heard.push(event.key ?? kind)); }</script>"""


async def test_an_option_is_taken_without_an_enter_that_the_page_hears(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/widgets/keyed", document("Keyed", KEYED)))
    await workshop.do("browser_select_option", ref=page.ref('combobox "Month"'), values=["August"])
    assert await workshop.server.evaluate("() => month.value") == "August"
    received = await workshop.server.evaluate("() => heard")
    assert "change" in received
    assert "Enter" not in received


FRAMED = """<iframe id=frame style="width:400px;height:200px"></iframe><script>
const inside = frame.contentDocument;
inside.open();
inside.write("<body contenteditable aria-label='Letter'><p>Old text</p></body>");
inside.close();
inside.body.addEventListener("click", () => {});
</script>"""


async def test_a_body_that_is_edited_in_a_frame_is_a_field_and_takes_text(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/widgets/framed", document("Framed", FRAMED)))
    page = await workshop.do("browser_snapshot")
    await workshop.do("browser_type", ref=page.ref('textbox "Letter"'), text="New text")
    assert await workshop.server.evaluate("() => inside.body.innerText.trim()") == "New text"


CODED = """<style>
#editor { position: relative; width: 400px; height: 120px; font: 16px/20px monospace; border: 1px solid }
.line, .number { position: absolute; height: 20px; white-space: pre }</style>
<div id=editor>
<div id=field role=textbox aria-label=Code tabindex=0 class=line style="width:0;height:0"></div></div>
<script>
const context = new EditContext();
field.editContext = context;
let text = "if (a) {\\n  b();\\n}";
function draw() {
  for (const old of editor.querySelectorAll("[style*=left]")) old.remove();
  text.split("\\n").forEach((line, at) => {
    const place = (name, left, words) => {
      const part = Object.assign(document.createElement("div"), { className: name, textContent: words });
      part.style.cssText = `top:${at * 20}px;left:${left}px`;
      editor.append(part);
    };
    place("line", 40, line.replaceAll(" ", "\\u00a0"));
    place("number", 5, String(at + 1));
  });
}
const replaced = (words) => { text = words; context.updateText(0, context.text.length, ""); draw(); };
context.addEventListener("textupdate", (event) => replaced(text + event.text));
field.addEventListener("keydown", (event) => {
  if (event.ctrlKey && event.key === "a") { event.preventDefault(); text = ""; }
});
editor.addEventListener("mousedown", (event) => { event.preventDefault(); field.focus(); });
draw();
</script>"""


async def test_an_editor_whose_field_shows_nothing_is_read_and_written_by_its_lines(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/widgets/coded", document("Coded", CODED)))
    assert 'textbox "Code"' in page.section("Snapshot")
    assert r'"if (a) {\n  b();\n}"' in page.section("Snapshot")
    after = await workshop.do("browser_type", ref=page.ref('textbox "Code"'), text="x = 1")
    assert "x = 1" in after.section("Result")
    assert await workshop.server.evaluate("() => text") == "x = 1"


DRAWN_ANEW = """<ul id=list><li><button onclick="draw()">Draw anew</button></li><li id=kept></li></ul><script>
function draw() { kept.innerHTML = "<button onclick=\\"document.title = 'Pressed'\\">Apple</button>"; }
draw();
</script>"""


async def test_what_was_drawn_anew_is_pressed_by_its_ref(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/widgets/anew", document("Anew", DRAWN_ANEW)))
    old = page.ref('button "Apple"')
    await workshop.server.evaluate("() => draw()")
    assert "Page Title: Pressed" in (await workshop.do("browser_click", ref=old)).text


TITLED = """<ul><li><span title="Move first" style="cursor:grab">☰</span> First</li></ul>
<p>Price <span title="With tax">12</span></p>
<a href="#">Top</a>
<a href="javascript:void(0)">Open</a><div role=status></div>
<div style="cursor:ew-resize;width:4px;height:200px"></div>"""


async def test_what_says_nothing_is_left_out_and_all_refs_bring_what_only_titles_say(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/widgets/titled", document("Titled", TITLED)))
    plain = page.section("Snapshot")
    assert "/url" not in plain
    assert "status" not in plain
    assert plain.count('generic "Move first" [ref=') == 1, plain
    whole = (await workshop.do("browser_snapshot", allRefs=True)).section("Snapshot")
    assert 'generic "With tax" [ref=' in whole


SEARCHED = """<input type=search aria-label=Filter><ul id=list><li>Ada<li>Bea<li>Carl</ul><script>
let timer;
document.querySelector("input").addEventListener("keyup", (event) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    for (const item of list.children) item.hidden = !item.textContent.includes(event.target.value);
  }, 300);
});
</script>"""


async def test_a_list_that_is_searched_after_a_pause_is_reported_as_it_is_then(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/widgets/searched", document("Searched", SEARCHED)))
    after = await workshop.do("browser_type", ref=page.ref('searchbox "Filter"'), text="Be", slowly=True)
    assert "Ada" in after.section("Snapshot")  # as a line that went
    assert "Bea" in (await workshop.do("browser_snapshot")).section("Snapshot")


DRAWN_LISTS = """<style>div, #found { cursor: pointer; } div { position: relative; }</style>
<div id=size><span>Pick a size</span><ul style="position:absolute"><li>Small<li>Large</ul></div>
<div id=card style="margin-top:80px"><b>Flat</b><ul><li>4 beds<li>2 baths</ul></div>
<ul id=found><li>Italy</ul>
<script>
for (const id of ["size", "card", "found"]) {
  document.getElementById(id).onclick = (event) => { document.title = event.target.textContent; };
}
</script>"""


async def test_the_items_of_a_list_that_opens_are_there_to_be_clicked(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/widgets/lists", document("Lists", DRAWN_LISTS)))
    for item in ("Small", "Large", "Italy"):
        clicked = await workshop.do("browser_click", ref=page.ref(f": {item}"))
        assert f'listitem "{item}"' in clicked.section("Result")
        assert f"Page Title: {item}" in clicked.text
    assert "ref" not in page.line("4 beds"), "a card is clicked as a whole"


async def test_what_has_no_name_is_called_by_what_it_says(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/widgets/lists", document("Lists", DRAWN_LISTS)))
    clicked = await workshop.do("browser_click", ref=page.refs()[0])
    assert 'Clicked "Pick a size"' in clicked.section("Result")


SHEET = """<table><tr><td>Bolt<td>10<tr><td>Nut<td>20</table><script>
const table = document.querySelector("table");
table.ondblclick = (event) => { document.title = "Edits " + event.target.textContent; };
</script>"""


async def test_all_refs_give_one_to_each_cell(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/widgets/sheet", document("Sheet", SHEET)))
    assert "row: Nut | 20" in page.section("Snapshot")
    cells = await workshop.do("browser_snapshot", allRefs=True)
    clicked = await workshop.do("browser_click", ref=cells.ref(": 20"), doubleClick=True)
    assert "Page Title: Edits 20" in clicked.text


ASKING = """<button>Delete</button><script>
document.querySelector("button").onclick = () => {
  const box = document.createElement("div");
  box.style = "position:fixed;inset:0;background:silver";
  box.innerHTML = "<h2>Really delete?</h2><p>It stays away.</p><button>Yes</button><button>No</button>";
  document.body.append(box);
};
</script>"""


async def test_a_box_that_stays_is_shown_and_not_reported_again(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/widgets/asking", document("Asking", ASKING)))
    asked = await workshop.do("browser_click", ref=page.ref('button "Delete"'))
    assert 'heading "Really delete?"' in asked.section("Snapshot")
    assert "said meanwhile" not in asked.text, asked.text


PASSING = """<button>Save</button><script>
document.querySelector("button").onclick = () => {
  const box = document.createElement("div");
  box.style = "position:fixed;top:0;right:0";
  box.innerHTML = "<b>Saved</b><p>All is well.</p><button>Close</button>";
  document.body.append(box);
  setTimeout(() => box.remove(), 30);
};
</script>"""


async def test_what_came_and_went_is_reported_in_words_of_its_own(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/widgets/passing", document("Passing", PASSING)))
    saved = await workshop.do("browser_click", ref=page.ref('button "Save"'))
    assert "The page said meanwhile: Saved All is well." in saved.section("Events").replace('"', "")


NAMELESS = """<style>i { display: inline-block; width: 20px; height: 20px; } b { cursor: pointer; }</style>
<i data-tool=oval onclick=""></i><i data-tool=pencil onclick=""></i>
<p id=stars><b>*</b><b>*</b><b>*</b></p><script>
stars.onclick = (event) => { document.title = "Stars: " + (1 + [...stars.children].indexOf(event.target)); };
</script>"""


async def test_what_a_page_calls_the_nameless_tells_them_apart(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/widgets/nameless", document("Nameless", NAMELESS)))
    assert '[hint="pencil"]' in page.section("Snapshot")
    assert page.ref('hint="oval"') != page.ref('hint="pencil"')


async def test_what_shows_a_hand_is_reported_inside_of_what_listens(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/widgets/nameless", document("Nameless", NAMELESS)))
    third = page.refs()[-1]
    assert "Stars: 3" in (await workshop.do("browser_click", ref=third)).text
