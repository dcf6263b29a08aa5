"""Presses that a page would not take: while something opens, when it is drawn anew, beside the words."""

import pytest

from tests_py.support.client import REF
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long

FADING = """<style>#box { opacity: 0; transition: opacity 900ms } #box.shown { opacity: 1 }</style>
<button id=begin>Open</button><div id=box hidden><button id=finish>Close</button></div><output></output>
<script>
const say = (text) => { document.querySelector("output").textContent = text; };
let opens = false;
begin.onclick = () => {
  opens = true;
  box.hidden = false;
  box.getBoundingClientRect();
  box.className = "shown";
};
box.ontransitionend = () => { opens = false; };
finish.onclick = () => say(opens ? "too early" : "closed");
</script>"""


async def test_what_is_in_a_box_that_opens_is_pressed_when_it_is_open(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/pressed/fading", document("Fading", FADING)))
    opened = await workshop.do("browser_click", ref=page.ref('button "Open"'))
    await workshop.do("browser_click", ref=opened.ref('button "Close"'))
    assert await workshop.output() == "closed"


DRAWN_ANEW = FADING.replace(
    "{ opens = false; }",
    "box.replaceWith(Object.assign(box.cloneNode(true), { onclick: () => say('taken') }))",
)


async def test_what_is_drawn_anew_when_its_box_is_open_is_pressed_then(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/pressed/anew", document("Drawn anew", DRAWN_ANEW)))
    opened = await workshop.do("browser_click", ref=page.ref('button "Open"'))
    answer = await workshop.do("browser_click", ref=opened.ref('button "Close"'))
    assert await workshop.output() == "taken"
    assert 'Clicked button "Close"' in answer.text


REPLACED = """<ul><li><button>Save</button></li></ul><output></output><script>
addEventListener("click", (event) => {
  if (event.target.matches("button")) document.querySelector("output").textContent = "saved";
});
addEventListener("pointerdown", () => {
  const button = document.querySelector("button");
  button.replaceWith(button.cloneNode(true));
}, { once: true });
</script>"""


async def test_a_press_that_no_click_follows_is_not_reported_as_done(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/pressed/replaced", document("Replaced", REPLACED)))
    answer = await workshop.refused("browser_click", ref=page.ref('button "Save"'))
    assert await workshop.output() == ""
    assert "No click reached the element" in answer
    await workshop.do("browser_click", ref=REF.findall(answer)[0])
    assert await workshop.output() == "saved"


CHOSEN_AT_ONCE = """<ul id=list><li role=option>Red</li><li role=option>Blue</li></ul><output></output>
<script>
list.onpointerdown = (event) => {
  document.querySelector("output").textContent = event.target.textContent;
  list.remove();
};
</script>"""


async def test_what_a_press_alone_does_is_reported_as_done(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/pressed/at-once", document("At once", CHOSEN_AT_ONCE)))
    answer = await workshop.do("browser_click", ref=page.ref('option "Blue"'))
    assert await workshop.output() == "Blue"
    assert 'Clicked option "Blue"' in answer.text


VEILED = """<button onclick="this.textContent = 'Paid'">Pay</button>
<div id=veil class=veil hidden style="position:fixed;inset:0"></div>
<script>addEventListener("pointermove", () => { veil.hidden = false; });</script>"""


async def test_what_comes_over_an_element_as_the_pointer_arrives_is_named(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.publish("/pressed/veiled", document("Veiled", VEILED)))
    answer = await workshop.refused("browser_click", ref=page.ref('button "Pay"'))
    assert "<div#veil" in answer


OVERLAID = """<button aria-label="ATTRIBUTE" onclick="this.textContent = 'Paid'">Go</button><script>
document.querySelector("button").onmousedown = () => {
  const veil = Object.assign(document.createElement("div"), { className: "veil" });
  veil.style = "position:fixed;inset:0";
  document.body.append(veil);
};
</script>"""


async def test_what_comes_over_an_element_as_it_is_pressed_is_named(workshop: Workshop, site: Site) -> None:
    body = OVERLAID.replace('aria-label="ATTRIBUTE" ', "")
    page = await workshop.open(site.publish("/pressed/overlaid", document("Overlaid", body)))
    answer = await workshop.refused("browser_click", ref=page.ref('button "Go"'))
    assert "<div.veil" in answer
    assert await workshop.server.evaluate("() => document.querySelector('button').textContent") == "Go"


async def test_what_a_press_opens_may_lie_over_it(workshop: Workshop, site: Site) -> None:
    body = OVERLAID.replace('aria-label="ATTRIBUTE"', "aria-haspopup=listbox")
    page = await workshop.open(site.publish("/pressed/opener", document("Opener", body)))
    answer = await workshop.do("browser_click", ref=page.ref('button "Go"'))
    assert 'Clicked button "Go"' in answer.text


TREE = """<div role=tree>
<div role=treeitem style="width:400px">
<i style="display:inline-block;width:320px;height:1em"></i><b>Apple</b></div>
<div role=treeitem aria-expanded=true><b>Bread</b><div role=group style="height:200px">
<div role=treeitem style="height:190px"><b>Rye</b></div></div></div>
</div><output></output><script>
addEventListener("click", (event) => {
  const { target } = event;
  document.querySelector("output").textContent = target.matches("b") ? target.textContent : "nothing";
});
</script>"""


async def test_an_item_of_a_tree_is_pressed_at_its_words(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.publish("/pressed/tree", document("Tree", TREE)))
    for name in ("Apple", "Bread", "Rye"):
        await workshop.do("browser_click", ref=page.ref(f'treeitem "{name}"'))
        assert await workshop.output() == name
