"""What a page paints is there, whatever accessibility attributes say of it."""

import pytest

from patchright_mcp.async_api import async_playwright
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

CLOSED_MODAL = """<!doctype html><title>App</title><body>
<div aria-hidden=true><h1>Orders</h1><p>Three orders are open.</p>
<button onclick="document.querySelector('output').textContent = 'paid'">Pay all</button></div>
<button>Chat</button><output></output>"""

ICONS = """<!doctype html><title>Icons</title><style>
i { display: inline-block; width: 20px; height: 20px; cursor: pointer; background: #c66 }
.card { overflow: hidden; width: 200px; height: 40px; position: relative }
</style><body>
<ul id=list><li>Lamp <i class="fa fa-trash" aria-hidden=true data-do=trash></i></li></ul>
<div>Close me <span aria-hidden=true style="cursor: pointer">✖</span></div>
<div aria-hidden=true><input type=checkbox onclick="document.querySelector('output').textContent = 'ticked'">
<span>Remember me</span></div>
<button aria-label=Save><i class="fa fa-save" aria-hidden=true></i></button>
<svg aria-hidden=true width=20 height=20><title>Ornament</title><rect width=20 height=20 /></svg>
<div class=card><p aria-hidden=true style="position: absolute; left: 300px">Next slide</p></div>
<p aria-hidden=true style="opacity: 0">Transparent</p>
<div aria-hidden=true style="height: 0; overflow: hidden"><a href="#x">Folded</a></div><output></output>
<script>list.addEventListener('click', (event) => {
  if (event.target.dataset.do) document.querySelector('output').textContent = event.target.dataset.do;
});</script>"""

BESIDE = """<!doctype html><title>Shop</title><body><h1>Shop</h1><script>
const banner = document.createElement('div');
banner.innerHTML = '<p>We use cookies</p><button>Accept all</button>';
banner.style = 'position: fixed; inset: 0; background: white';
banner.querySelector('button').onclick = () => banner.remove();
document.documentElement.append(banner);
</script>"""

WRITTEN = """<!doctype html><title>Prices</title><style>
.price::after { content: " EUR" } .stock::before { content: attr(data-stock) " left" }
.sold::after { content: "sold out" } .icon::before { content: "\\f1f8" }
.tip::after { content: "a tip that nobody sees"; opacity: 0 }
.gone::after { content: "not drawn"; display: none }
</style><body><p class=price>12</p><p>Only <span class=stock data-stock=3></span></p><p class=tip>Tipped</p>
<p class=gone>Plain</p><p class=icon>Bin</p>
<table><tr><th>Lamp<th>Sofa<tr><td>In stock<td class=sold></table><a class=price href="#a">34</a>"""

TOAST = """<!doctype html><title>Mail</title><body><h1>Mail</h1><dialog id=d><p>Really delete?</p>
<button>Yes</button></dialog><div id=p popover=manual style="inset: auto 10px 10px auto">Mail moved
<button>Undo</button></div>
<p inert>Offer ends today</p><script>d.showModal(); p.showPopover()</script>"""


async def test_aria_hidden_left_on_the_root_hides_nothing(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/modal-closed", CLOSED_MODAL))
    shown = await workshop.server.snapshot()
    for part in ('heading "Orders"', "Three orders are open.", 'button "Chat"'):
        assert part in shown.section("Snapshot")
    assert "Three orders" in (await workshop.do("browser_find", text="Three orders")).section("Snapshot")
    await workshop.do("browser_wait_for", text="Three orders are open.")
    await workshop.server.click(shown.ref('button "Pay all"'))
    assert await workshop.output() == "paid"


async def test_icons_and_drawn_boxes_that_are_aria_hidden_can_be_pressed(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/icons", ICONS))
    shown = await workshop.server.snapshot()
    text = shown.section("Snapshot")
    assert "✖" in text
    assert "Remember me" in text
    for unseen in ("Next slide", "Transparent", "Folded", "Ornament"):
        assert unseen not in text
    assert "fa-save" not in text
    await workshop.server.click(shown.ref("trash"))
    assert await workshop.output() == "trash"
    await workshop.server.click(shown.ref("checkbox"))
    assert await workshop.output() == "ticked"


async def test_what_stands_beside_the_body_is_read_found_and_pressed(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/beside", BESIDE))
    shown = await workshop.server.snapshot()
    assert "We use cookies" in shown.section("Snapshot")
    assert "We use cookies" in (await workshop.do("browser_find", text="We use cookies")).section("Snapshot")
    for form in ("markdown", "text"):
        assert "We use cookies" in (await workshop.do("browser_read", format=form)).section("Result")
    await workshop.server.click(shown.ref('button "Accept all"'))
    assert "We use cookies" not in (await workshop.server.snapshot()).section("Snapshot")


async def test_what_style_sheets_write_is_read(workshop: Workshop, site: Site) -> None:
    url = site.publish("/written", WRITTEN)
    await workshop.open(url)
    shown = (await workshop.server.snapshot()).section("Snapshot")
    read = [
        (await workshop.do("browser_read", format=form)).section("Result") for form in ("markdown", "text")
    ]
    fetched = (await workshop.do("patchright_fetch", url=url)).text
    for text in (shown, *read, fetched):
        for part in ("12 EUR", "Only 3 left", "sold out", "34 EUR"):
            assert part in text
        for unseen in ("nobody sees", "not drawn", "\uf1f8"):
            assert unseen not in text
    assert "12 EUR" in (await workshop.do("browser_find", text="12 EUR")).section("Snapshot")


COUNTERS = """<!doctype html><title>Steps</title><style>
body { counter-reset: step } p.s::before { counter-increment: step; content: "Step " counter(step) ": " }
ol { counter-reset: part; list-style: none } li { counter-increment: part }
li::before { content: counters(part, ".") " "; } i.l::after { content: counter(step, upper-alpha) }
</style><body><p class=s>Cut</p><p class=s>Sew</p>
<ol><li>One<ol><li>Inner</ol><li>Two</ol><p>At <i class=l></i></p>"""


async def test_counters_are_read(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/counters", COUNTERS))
    shown = (await workshop.server.snapshot()).section("Snapshot")
    read = (await workshop.do("browser_read", format="text")).section("Result")
    for text in (shown, read):
        for part in ("Step 1: Cut", "Step 2: Sew", "1 One", "1.1 Inner", "2 Two", "At B"):
            assert part in text


@pytest.mark.long
async def test_what_style_sheets_write_is_read_in_python(site: Site) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch()
        page = await browser.new_page()
        await page.goto(site.publish("/written-python", WRITTEN))
        for text in (await page.markdown(), await page.read()):
            assert "12 EUR" in text
            assert "sold out" in text
        await browser.close()


async def test_values_of_fields_are_shown_as_they_are(workshop: Workshop, site: Site) -> None:
    body = """<input id=i aria-label=Name><textarea id=t aria-label=Code rows=9></textarea>
    <input aria-label=Blank value="  ">
    <input aria-label=Plain value="two words">
    <script>i.value = '  a   b '; t.value = 'def f():\\n\\n\\tpass\\n\\n  x = 1\\n'</script>"""
    await workshop.open(site.publish("/values", body))
    shown = await workshop.server.snapshot()
    assert shown.line('"Name"').endswith(': "  a   b "')
    assert shown.line('"Code"').endswith(r': "def f():\n\n\tpass\n\n  x = 1\n"')
    assert shown.line('"Blank"').endswith(': "  "')
    assert shown.line('"Plain"').endswith(": two words")


async def test_notices_that_are_seen_and_inert_are_marked(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/toast", TOAST))
    shown = await workshop.server.snapshot()
    assert "Mail moved" in shown.section("Snapshot")
    assert "[inert]" in shown.line('button "Undo"')
    assert "[inert]" not in shown.line('button "Yes"')
    assert "Offer ends" not in shown.section("Snapshot")
    refused = await workshop.server.call("browser_click", ref=shown.ref('button "Undo"'))
    assert refused.is_error, refused.text
    assert "was inert" in refused.text, refused.text
    await workshop.server.evaluate("() => d.close()")
    assert "[inert]" in (await workshop.server.snapshot()).line("Offer ends today")
    await workshop.do("browser_wait_for", text="Mail moved")
    assert "Mail moved" in (await workshop.do("browser_find", text="Mail moved")).section("Snapshot")


@pytest.mark.long
async def test_documents_in_objects_and_embeds_are_shown_and_used(workshop: Workshop, site: Site) -> None:
    for tag, attribute in (("object", "data"), ("embed", "src")):
        inner = site.publish(
            f"/in-{tag}",
            f"<p>Text of the {tag}</p><button onclick=\"this.textContent = 'Done'\">Press {tag}</button>",
        )
        await workshop.open(
            site.publish(f"/{tag}", f"<h1>Outside</h1><{tag} {attribute}={inner} width=400 height=200>")
        )
        shown = await workshop.server.snapshot()
        assert f"Text of the {tag}" in shown.section("Snapshot")
        await workshop.server.click(shown.ref(f'button "Press {tag}"'))
        assert 'button "Done"' in (await workshop.server.snapshot()).section("Snapshot")


async def test_what_opens_under_the_pointer_has_a_ref(workshop: Workshop, site: Site) -> None:
    body = """<nav><div id=p>Products<div hidden>Chairs</div></div><div>About</div></nav>
    <script>p.onmouseenter = () => { p.lastChild.hidden = false }</script>"""
    await workshop.open(site.publish("/hover-menu", body))
    shown = await workshop.server.snapshot()
    await workshop.do("browser_hover", target=shown.ref("Products"))
    assert "Chairs" in (await workshop.server.snapshot()).section("Snapshot")
