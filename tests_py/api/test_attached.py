"""A browser that runs already, and in which somebody else works."""

from pathlib import Path

from patchright_mcp.async_api import Playwright
from tests_py.support.site import Site


async def test_contexts_of_others_are_contexts_of_their_own(
    playwright: Playwright, site: Site, tmp_path: Path
) -> None:
    profile = await playwright.chromium.launch_persistent_context(
        tmp_path, args=["--remote-debugging-port=0"]
    )
    assert profile.browser is not None
    port = (tmp_path / "DevToolsActivePort").read_text().split()[0]
    theirs = await profile.browser.new_context()
    page = await theirs.new_page()
    await page.goto(site.page("form"))
    await theirs.add_cookies([{"name": "who", "value": "they", "url": site.origin}])

    ours = await playwright.chromium.connect_over_cdp(f"http://127.0.0.1:{port}")
    own, seen = ours.contexts
    assert site.page("form") not in [page.url for page in own.pages]
    assert [page.url for page in seen.pages] == [site.page("form")]
    assert [cookie["name"] for cookie in await seen.cookies()] == ["who"]
    assert await own.cookies() == []
    async with seen.expect_page() as opened:
        await theirs.new_page()
    assert (await opened.value).context is seen

    await ours.close()
    assert not page.is_closed()
    assert await page.title() == "A form"
    await profile.close()
