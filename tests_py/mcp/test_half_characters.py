"""Half a surrogate pair, which every page that cuts texts with `slice` leaves somewhere, spoils no answer."""

import pytest

from patchright_mcp.async_api import async_playwright
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long

PLACES = {
    "text": "add('p', { textContent: half })",
    "label": "add('button', { ariaLabel: half })",
    "value": "add('input', { value: half })",
    "option": "add('select').add(new Option(half))",
    "class": "add('div', { className: half, onclick() {}, style: 'height: 20px; cursor: pointer' })",
    "alt": "add('img', { alt: half, width: 40, height: 40, src: 'data:,' })",
    "href": "add('a', { href: '#' + half, textContent: half })",
    "title": "document.title = half",
    "shadow": "add('div').attachShadow({ mode: 'open' }).append(half)",
    "closed": "add('div').attachShadow({ mode: 'closed' }).append(half)",
    "frame": "add('iframe', { width: 400, height: 200 }).contentDocument.body.textContent = half",
    "storage": "localStorage.half = half",
    "console": "console.log(half)",
    "css": "add('style', { textContent: `p::after { content: '${half}' }` }); add('p')",
}
PAGE = """<!doctype html><meta charset=utf-8><body><h1>Posts</h1>
<button>Same</button><button>Same</button><script>
const half = 'Great holiday 🏖'.slice(0, 15);
const add = (tag, more) => document.body.appendChild(Object.assign(document.createElement(tag), more));
%s;
</script>"""
SEEN = ("text", "label", "value", "option", "href", "alt", "shadow", "closed", "frame")
READ = ("text", "value", "href", "shadow", "closed", "frame")


@pytest.mark.parametrize("place", PLACES)
async def test_half_a_character_spoils_no_tool(workshop: Workshop, site: Site, place: str) -> None:
    url = site.publish(f"/half-{place}", PAGE % PLACES[place])
    await workshop.open(url)
    snapshot = (await workshop.do("browser_snapshot")).section("Snapshot")
    assert 'heading "Posts"' in snapshot
    if place in SEEN:
        assert "Great holiday \ufffd" in snapshot
    await workshop.do("browser_find", text="Posts")
    if place in SEEN:
        assert "Great holiday" in (await workshop.do("browser_find", text="Great holiday")).text
    for form in ("markdown", "text", "html"):
        read = (await workshop.do("browser_read", format=form)).section("Result")
        assert "Posts" in read
        if place in READ and form != "html":
            assert "Great holiday \ufffd" in read
    fetched = await workshop.do("patchright_fetch", url=url)
    assert "Posts" in fetched.text
    reply = await workshop.server.call("browser_click", target="button")
    assert "2" in reply.text
    assert "unexpected end" not in reply.text
    await workshop.do("browser_press_key", key="Tab")
    await workshop.do("browser_console_messages")


async def test_half_a_character_spoils_no_reading_in_python(site: Site) -> None:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch()
        page = await browser.new_page()
        for place, script in PLACES.items():
            await page.goto(site.publish(f"/half-python-{place}", PAGE % script))
            assert "# Posts" in await page.markdown()
            await page.context.storage_state()
        await browser.close()
