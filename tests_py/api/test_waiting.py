"""What a click leads to is there when it is done, unless nobody wants to wait for it."""

import asyncio

import pytest

from patchright_mcp.async_api import Page
from patchright_mcp.async_api import TimeoutError as PatchrightTimeoutError
from tests_py.support.site import Site, document

pytestmark = pytest.mark.long


@pytest.mark.parametrize("way", ["button", "link", "key"])
async def test_a_click_is_done_when_the_document_is_there_that_it_leads_to(
    page: Page, site: Site, way: str
) -> None:
    site.lead("/in", to=site.publish("/private", document("Private", "<h1>Private</h1>")))
    site.publish(
        "/login",
        document(
            "Login",
            "<a href='/in'>Enter</a><form method='post' action='/in'><input><button>Log in</button></form>",
        ),
    )
    for _ in range(3):
        await page.goto(site.url("/login"))
        if way == "button":
            await page.get_by_role("button").click()
        elif way == "link":
            await page.get_by_role("link").click()
        else:
            await page.get_by_role("textbox").press("Enter")
        assert page.url == site.url("/private")
        assert await page.evaluate("location.pathname") == "/private"
        assert await page.locator("input").count() == 0
        assert await page.inner_text("h1") == "Private"


async def test_who_does_not_want_to_wait_does_not(page: Page, site: Site) -> None:
    site.publish("/slow", document("Slow", "<a href='/hold/away'>Away</a>"))
    link = page.get_by_role("link")
    await page.goto(site.url("/slow"))
    await link.click(no_wait_after=True)
    assert page.url == site.url("/slow")
    await page.goto(site.url("/slow"))
    await link.press("Enter", no_wait_after=True)
    assert page.url == site.url("/slow")


async def test_a_click_that_leads_nowhere_is_done_all_the_same(page: Page, site: Site) -> None:
    site.publish("/file", b"text", headers={"Content-Disposition": "attachment; filename=a.txt"})
    site.publish(
        "/links", document("Links", "<a href='/file'>File</a> <a href='http://127.0.0.1:9/'>Gone</a>")
    )
    await page.goto(site.url("/links"))
    async with page.expect_download() as download:
        await page.get_by_text("File").click()
    assert (await download.value).suggested_filename == "a.txt"
    # A request that is held and let go fails before the browser shows that it has.
    await page.route("**/links", lambda route: route.continue_())
    for _ in range(5):
        await page.get_by_text("Gone").click()
        assert page.url.startswith("chrome-error:")
        await page.goto(site.url("/links"))


@pytest.mark.parametrize("way", ["cancelled", "out of time"])
async def test_a_navigation_that_nobody_waits_for_does_not_hold_the_page(
    page: Page, site: Site, way: str
) -> None:
    await page.goto(site.publish("/here", document("Here", "<p>text</p>")))
    site.hold()
    if way == "cancelled":
        async with page.expect_request(site.url("/hold/slow")):
            going = asyncio.ensure_future(page.goto(site.url("/hold/slow")))
        going.cancel()
        with pytest.raises(asyncio.CancelledError):
            await going
    else:
        with pytest.raises(PatchrightTimeoutError):
            await page.goto(site.url("/hold/slow"), timeout=500)
    # The answer never comes: who had to wait for it would run out of time.
    page.set_default_timeout(5_000)
    assert await page.title() == "Here"
    assert await page.locator("p").inner_text() == "text"
    assert await page.evaluate("document.title") == "Here"
    site.release()


async def test_a_network_with_an_open_event_stream_becomes_idle(page: Page, site: Site) -> None:
    script = (
        "<script>new EventSource('/hold'); fetch('/hold').then(() => { document.title = 'Fetched' })</script>"
    )
    address = site.publish("/streaming", document("Streaming", script))
    idle = asyncio.ensure_future(page.goto(address, wait_until="networkidle", timeout=20_000))
    await page.wait_for_event("domcontentloaded")
    with pytest.raises(PatchrightTimeoutError):
        await page.wait_for_load_state("networkidle", timeout=1_500)
    site.publish("/streaming-alone", document("Alone", "<script>new EventSource('/hold')</script>"))
    idle.cancel()
    await page.goto(site.url("/streaming-alone"), wait_until="networkidle", timeout=20_000)
    assert await page.title() == "Alone"
