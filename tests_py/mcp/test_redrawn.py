"""What models stumbled over in applications: things drawn anew, drawings, lists of what was meant."""

import re

from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

TAGS = """<section aria-label=Editor><div id=tags></div>
<div><input aria-label=field><button>add</button></div></section><output></output><script>
const held = [];
const draw = () => {
  const spans = held.map((tag) => `<span>${tag}</span>`);
  tags.innerHTML = spans.join(" ") + "<input aria-label=tag><button>add</button>";
  tags.querySelector("button").onclick = () => {
    held.push("tag" + (held.length + 1));
    document.querySelector("output").textContent = held.join();
    draw();
  };
};
draw();
</script>"""


async def test_what_was_drawn_anew_keeps_its_ref_beside_others_of_its_name(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/anew/tags", document("Tags", TAGS)))
    add, _ = re.findall(r'button "add" \[ref=(\w+)', page.text)
    answer = await workshop.do("browser_click", ref=add)
    assert "tag1" in answer.text
    assert 'button "add"' not in answer.section("Snapshot"), "it is as before"
    await workshop.do("browser_click", ref=add)
    assert await workshop.output() == "tag1,tag2"


QUEUE = """<ul id=list></ul><output></output><script>
let names = ["Ann", "Bob", "Cid"];
const draw = () => {
  list.innerHTML = names.map((name) => `<li>${name} <button>Delete</button></li>`).join("");
  list.querySelectorAll("button").forEach((button, at) => {
    button.onclick = () => {
      document.querySelector("output").textContent += names[at];
      names = names.filter((_, other) => other !== at);
      draw();
    };
  });
};
draw();
</script>"""


async def test_a_ref_is_never_taken_for_its_neighbour(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/anew/queue", document("Queue", QUEUE)))
    ann, _, cid = re.findall(r'button "Delete" \[ref=(\w+)', page.text)
    await workshop.do("browser_click", ref=ann)
    said = await workshop.refused("browser_click", ref=ann)
    assert "is no longer on the page" in said
    assert "[ref=" not in said
    await workshop.do("browser_click", ref=cid)
    assert await workshop.output() == "AnnCid"


FILES = """<div id=side></div><script>
const open = new Set();
const draw = () => {
  const item = (name, level) =>
    `<div style="padding-left:${level * 20}px"><span tabindex=0 class=item>${name}</span></div>`;
  const rows = Array.from({ length: 20 }, (_, at) => {
    const inner = open.has(at) ? item("Inside " + at, 1) : "";
    return item("Folder " + at, 0) + inner;
  });
  side.innerHTML = `<div class=tree>${rows.join("")}</div>`;
  [...side.querySelectorAll(".item")].forEach((node) => {
    node.onclick = () => { open.add(Number(node.textContent.split(" ")[1])); draw(); };
  });
};
draw();
</script>"""


async def test_a_tree_that_is_drawn_again_is_as_before_but_for_what_opened(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/anew/files", document("Files", FILES)))
    last = page.ref("Folder 19")
    answer = (await workshop.do("browser_click", ref=page.ref("Folder 7"))).section("Snapshot")
    assert "Inside 7" in answer
    assert answer.count("Folder") <= 1, answer
    assert "Inside 19" in (await workshop.do("browser_click", ref=last)).section("Snapshot")


WIRES = """<style>svg { background: #eee } .port { cursor: crosshair }</style>
<svg width=400 height=200><g><rect class=port id=out x=20 y=90 width=20 height=20 fill=red></rect></g>
<g><rect class=port id=inlet x=300 y=90 width=20 height=20 fill=blue></rect></g></svg>
<output></output><script>
let from = null;
document.querySelector("svg").onmousedown = ({ target }) => { from = target.closest(".port"); };
document.querySelector("svg").onmouseup = ({ target }) => {
  if (!from || !target.closest(".port") || target === from) return;
  const wire = '<path class="wire" d="M40 100 L300 120" stroke="black"></path>';
  document.querySelector("svg").insertAdjacentHTML("beforeend", wire);
  document.querySelector("output").textContent = "wired";
};
</script>"""


async def test_a_drag_that_makes_something_says_what_and_names_both_ends(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/anew/wires", document("Wires", WIRES)))
    page = await workshop.do("browser_snapshot", allRefs=True)
    ports = [page.ref(".port, #out"), page.ref(".port, #inlet")]
    answer = await workshop.do("browser_drag", startRef=ports[0], endRef=ports[1])
    said = answer.section("Result")
    assert await workshop.output() == "wired"
    made = re.search(r': this made "path, \.wire[^"]*" \[ref=(\w+)\]', said)
    assert made, said
    assert all(port in said for port in ports), said
    kept = await workshop.do("browser_evaluate", function="(path) => path.id = 'kept'", ref=made[1])
    assert "kept" in kept.text


SHAPES = """<style>.drag { cursor: move }</style><svg width=400 height=200>
<rect class=box id=left x=2 y=2 width=100 height=190 fill=none stroke=black></rect>
<rect class=drag x=150 y=20 width=20 height=20 fill=red></rect>
<rect class=drag x=150 y=60 width=20 height=20 fill=blue></rect></svg><script>
let held = null;
onmousedown = ({ target }) => { held = target.closest(".drag"); };
onmousemove = ({ clientX, clientY }) => {
  held?.setAttribute("x", clientX - 18);
  held?.setAttribute("y", clientY - 18);
};
onmouseup = () => { held = null; };
</script>"""


async def test_several_shapes_are_dragged_and_each_is_reported_once_where_it_is(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/anew/shapes", document("Shapes", SHAPES)))
    shapes = [page.ref('hint="rect, red'), page.ref('hint="rect, blue')]
    steps = [
        {"tool": "browser_drag", "arguments": {"startRef": shape, "endRef": "#left", "endPosition": place}}
        for shape, place in zip(shapes, ("20,30", "20,90"), strict=True)
    ]
    steps.append({"tool": "browser_evaluate", "arguments": {"function": "() => {}"}})
    answer = await workshop.do("browser_steps", steps=steps)
    boxes = (await workshop.do("browser_snapshot", boxes=True)).text
    for number, shape in enumerate(shapes, 1):
        said = answer.line(f"{number}. Dragged ")
        left, top = re.search(rf"ref={shape}\].*\[box=(-?\d+),(-?\d+)", boxes).groups()  # type: ignore[union-attr]
        assert said.endswith(f"and is now at {left},{top}"), said
    assert "Moved:" not in answer.text
    assert answer.line("3. ") == "3. browser_evaluate: no result"


async def test_what_a_selector_finds_several_times_is_listed_by_the_refs_of_the_outline(
    workshop: Workshop, site: Site
) -> None:
    body = "<button><span>Save</span></button><p><button><b>Save</b></button></p>"
    page = await workshop.open(site.publish("/anew/several", document("Several", body)))
    listed = re.findall(r"\be\d+\b", await workshop.refused("browser_click", ref="text=Save"))
    assert listed == page.refs()


async def test_boxes_that_were_ticked_are_reported_on_one_line_by_their_own_names(
    workshop: Workshop, site: Site
) -> None:
    names = ("olives", "ham", "corn")
    body = "".join(f"<label><input type=checkbox>{name}</label>" for name in names)
    page = await workshop.open(site.publish("/anew/boxes", document("Boxes", body)))
    fields = [{"name": "box", "ref": page.ref(f'checkbox "{name}"'), "value": "true"} for name in names]
    answer = (await workshop.do("browser_fill_form", fields=fields)).section("Result")
    assert answer.splitlines()[1:] == ['- checked: checkbox "olives", checkbox "ham", checkbox "corn"']


RAISED = """<svg width=300 height=100><rect id=under width=300 height=100 fill=none></rect>
<g><rect id=slice x=10 y=10 width=80 height=60 fill=red></rect></g></svg><output></output><script>
slice.onclick = slice.onmouseup = () => { document.querySelector("output").textContent = "taken"; };
slice.onmouseover = () => { slice.parentNode.append(slice); };
</script>"""


async def test_a_press_on_what_is_raised_when_pointed_at_is_not_reported_as_a_click(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/anew/raised", document("Raised", RAISED)))
    answer = await workshop.do("browser_click", ref="#slice")
    assert await workshop.output() == ""
    assert "so the press reached <g> around it" in answer.section("Result")


async def test_of_several_that_hold_a_text_the_one_that_says_just_that_is_meant(
    workshop: Workshop, site: Site
) -> None:
    body = """<p>Select 10/11/2016.</p><a href='#one'>1</a> <a href='#eleven'>11</a> <a href='#other'>111</a>
<button>Send to 11</button><button>Send to 12</button>"""
    await workshop.open(site.publish("/anew/exact", document("Exact", body)))
    assert 'link "11"' in (await workshop.do("browser_click", ref="text=11")).section("Result")
    assert await workshop.server.evaluate("() => location.hash") == "#eleven"
    assert "matches 2 elements" in await workshop.refused("browser_click", ref="text=Send to")


async def test_a_button_of_an_icon_font_is_reported_by_its_hint(workshop: Workshop, site: Site) -> None:
    body = "<button class=fa-bug>\uf188</button>"
    page = await workshop.open(site.publish("/anew/icon", document("Icon", body)))
    answer = (await workshop.do("browser_click", ref=page.refs()[0])).section("Result")
    assert answer == f'Clicked the button [hint="fa-bug"] [ref={page.refs()[0]}]'


async def test_the_items_of_a_list_that_hears_presses_have_refs(workshop: Workshop, site: Site) -> None:
    items = (
        "<ul style='width: 200px'><li>one<li>two<li>three</ul><ul style='width: 200px'><li>four<li>five</ul>"
    )
    hears = "<script>document.querySelector('ul').addEventListener('mousedown', () => {});</script>"
    page = await workshop.open(site.publish("/anew/sortable", document("Sortable", items + hears)))
    assert [page.ref(f"]: {item}") for item in ("one", "two", "three")] == page.refs()
    assert "listitem: four" in page.text
