"""Opening addresses, and going back."""

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site


async def test_navigate_shows_where_it_went_and_what_is_there(server: Server, site: Site) -> None:
    reply = await server.open(site.page("form"))
    assert site.page("form") in reply.section("Page")
    assert "A form" in reply.section("Page")
    assert 'heading "Register" [level=1]' in reply.section("Snapshot")


async def test_a_good_status_goes_without_saying(server: Server, site: Site) -> None:
    assert "200" not in (await server.open(site.page("form"))).section("Page").replace(site.origin, "")


@pytest.mark.parametrize("status", [403, 404, 500])
async def test_a_status_that_is_not_good_is_reported(server: Server, site: Site, status: int) -> None:
    reply = await server.call("browser_navigate", url=site.url(f"/status/{status}"))
    assert str(status) in reply.section("Page").replace(site.url(f"/status/{status}"), "")
    assert f"This is {status}" in reply.section("Snapshot")


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_redirects_are_followed_to_their_end(server: Server, site: Site, status: int) -> None:
    reply = await server.open(site.url(f"/redirect?to=/pages/form.html&status={status}"))
    assert site.page("form") in reply.section("Page")


async def test_a_redirect_to_another_site_ends_on_that_site(server: Server, site: Site) -> None:
    there = f"{site.other_origin}/pages/form.html"
    reply = await server.open(site.url(f"/redirect?to={there}"))
    assert there in reply.section("Page")
    assert 'textbox "Name"' in reply.section("Snapshot")


async def test_a_download_does_not_hang_and_the_page_stays(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    await server.call("browser_navigate", url=site.url("/download"))
    assert 'heading "Register"' in (await server.snapshot()).text


async def test_an_answer_without_content_does_not_hang_and_the_page_stays(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    await server.call("browser_navigate", url=site.url("/no-content"))
    assert 'heading "Register"' in (await server.snapshot()).text


async def test_a_closed_port_is_an_error_that_says_why(server: Server) -> None:
    reply = await server.call("browser_navigate", url="http://127.0.0.1:9/")
    assert reply.is_error
    assert "ERR_" in reply.section("Error")


async def test_an_unknown_scheme_is_refused(server: Server) -> None:
    assert (await server.call("browser_navigate", url="nonsense://x")).is_error


async def test_a_page_that_only_has_an_anchor_more_is_not_waited_for(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    reply = await server.open(site.page("form") + "#below")
    assert "#below" in reply.section("Page")


async def test_back_returns_to_the_page_before(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    await server.open(site.page("dialogs"))
    reply = await server.call("browser_navigate_back")
    assert not reply.is_error
    assert site.page("form") in reply.section("Page")
    assert 'textbox "Name"' in reply.section("Snapshot")


async def test_back_with_nowhere_to_go_says_so(server: Server, site: Site) -> None:
    await server.call("browser_close")
    await server.open(site.page("form"))
    while not (reply := await server.call("browser_navigate_back")).is_error:
        assert "about:blank" in reply.section("Page")  # The tab began there.
    assert "go back" in reply.section("Error")


async def test_errors_in_the_console_are_counted(server: Server, site: Site) -> None:
    reply = await server.open(site.page("noisy"))
    assert "the last of 2" in reply.section("Page")


async def test_cookies_stay_from_call_to_call(server: Server, site: Site) -> None:
    await server.open(site.url("/cookie?name=taste&value=sweet"))
    await server.open(site.page("form"))
    assert "taste=sweet" in await server.evaluate("() => document.cookie")
