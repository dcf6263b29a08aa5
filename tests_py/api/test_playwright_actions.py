"""What scripts for Playwright count on, found by its own tests."""

import asyncio
import re
from pathlib import Path

import pytest

from patchright_mcp.async_api import Error, Page, expect
from patchright_mcp.async_api import TimeoutError as PatchrightTimeoutError
from tests_py.support.site import Site


async def test_choosing_an_option_may_lead_elsewhere(page: Page, site: Site) -> None:
    there = site.publish("/there", "<p>there</p>")
    await page.set_content(f"<select oninput='location=\"{there}\"'><option>a<option>b</select>")
    async with page.expect_navigation():
        await page.select_option("select", "b", timeout=5000)
    assert page.url == there


async def test_words_in_a_label_are_its_control_and_another_control_is_its_own(page: Page) -> None:
    await page.set_content("<label><input disabled><b>Mute</b><span role=slider>Volume</span></label>")
    assert await page.locator("b").is_disabled()
    assert await page.get_by_role("slider").is_enabled()


async def test_a_part_of_a_button_is_enabled_as_the_button_is(page: Page) -> None:
    await page.set_content("<button disabled><b>Go</b></button>")
    part = await page.query_selector("b")
    assert part is not None
    await part.wait_for_element_state("disabled", timeout=2000)
    assert await part.is_disabled()
    await expect(page.locator("b")).to_be_disabled()
    waiting = asyncio.ensure_future(part.wait_for_element_state("enabled", timeout=5000))
    await page.evaluate("document.querySelector('button').disabled = false")
    await waiting


async def test_a_body_that_is_edited_can_be_filled(page: Page) -> None:
    await page.set_content("<body contenteditable></body>")
    await page.fill("body", "some words")
    assert await page.evaluate("document.body.textContent") == "some words"


async def test_a_pattern_may_hold_what_selectors_are_cut_at(page: Page) -> None:
    await page.set_content("""<p>foo >> bar</p><p>it's "so"</p>""")
    assert await page.get_by_text(re.compile("foo >> b")).text_content() == "foo >> bar"
    assert await page.get_by_text(re.compile("""it's "so""")).text_content() == """it's "so\""""


async def test_whether_an_event_is_meant_may_be_known_later(page: Page, site: Site) -> None:
    urls = [site.publish(f"/digit-{number}", str(number)) for number in range(3)]
    await page.goto(urls[0])

    async def is_meant(response: object) -> bool:
        await asyncio.sleep(0)
        return str(getattr(response, "url", "")).endswith("2")

    async with page.expect_response(is_meant) as reported:  # type: ignore[arg-type]
        await page.evaluate("async urls => { for (const url of urls) await fetch(url) }", urls)
    assert (await reported.value).url == urls[2]

    async def fails(_: object) -> bool:
        raise ValueError("not this one")

    with pytest.raises(ValueError, match="not this one"):
        async with page.expect_response(fails):  # type: ignore[arg-type]
            await page.evaluate("url => fetch(url)", urls[0])


async def test_a_window_that_closes_at_once_was_there(page: Page) -> None:
    async with page.expect_popup(timeout=5000) as reported:
        await page.evaluate("window.open('about:blank').close()")
    popup = await reported.value
    await popup.wait_for_event("close", timeout=5000) if not popup.is_closed() else None
    assert popup.is_closed()


async def test_an_address_needs_no_protocol_on_this_machine(page: Page, site: Site) -> None:
    url = site.publish("/plain", "<p>plain</p>")
    await page.goto(url.removeprefix("http://"))
    assert page.url == url


async def test_there_is_one_referer(page: Page, site: Site) -> None:
    await page.set_extra_http_headers({"Referer": "http://a.example/"})
    url = site.publish("/referred", "x")
    with pytest.raises(Error, match='"referer" is already specified as extra HTTP header at ' + url):
        await page.goto(url, referer="http://b.example/")
    await page.goto(url, referer="http://a.example/")


async def test_a_referer_is_sent_as_it_is_given(page: Page, site: Site) -> None:
    await page.goto(site.publish("/referred-by", "x"), referer="http://a.example/path?query=1")
    (request,) = site.requested("/referred-by")
    assert request.headers["Referer"] == "http://a.example/path?query=1"


async def test_a_folder_is_given_alone_and_where_one_is_taken(page: Page, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("a")
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.txt").write_text("b")
    await page.set_content("<input id=folder type=file webkitdirectory><input id=files type=file multiple>")
    await page.set_input_files("#folder", tmp_path)
    names = "Array.from(document.querySelector('#folder').files, file => file.name).sort()"
    assert await page.evaluate(names) == ["a.txt", "b.txt"]
    for selector, files, entry in (
        ("#folder", [tmp_path, tmp_path / "inner"], "Multiple directories are not supported"),
        ("#folder", [tmp_path, tmp_path / "a.txt"], "File paths must be all files or a single directory"),
        ("#folder", [tmp_path / "a.txt"], "an input for a folder"),
        ("#files", [tmp_path], "File input does not support directories, pass individual files instead"),
    ):
        with pytest.raises(Error, match=entry):
            await page.set_input_files(selector, files, timeout=2000)


async def test_a_frame_that_goes_while_it_navigates_is_reported(page: Page, site: Site) -> None:
    await page.goto(site.publish("/with-frame", "<iframe name=inner srcdoc=x></iframe>"))
    frame = page.frame("inner")
    assert frame is not None
    with pytest.raises(Error, match="frame was detached"):
        async with frame.expect_navigation(timeout=5000):
            await page.evaluate("document.querySelector('iframe').remove()")


async def test_a_navigation_that_fails_ends_the_wait_for_it(page: Page, site: Site) -> None:
    await page.goto(site.publish("/leads-away", "<a href='http://127.0.0.1:1/'>away</a>"))
    with pytest.raises(Error, match=r"net::ERR_\w+"):
        async with page.expect_navigation(timeout=10_000):
            await page.click("a")


async def test_errors_of_pages_have_a_name_and_a_message(page: Page) -> None:
    for script, name, message in (
        ("const error = Error('said'); error.name = 'my-name'; throw error", "my-name", "said"),
        ("throw TypeError('said')", "TypeError", "said"),
        ("throw {}", "", "Object"),
        ("throw window", "", "Window"),
        ("throw 'words'", "", "words"),
    ):
        async with page.expect_event("pageerror", timeout=5000) as reported:
            await page.evaluate(f"setTimeout(() => {{ {script} }})", isolated_context=False)
        error = await reported.value
        assert (error.name, error.message) == (name, message)


async def test_errors_that_the_browser_kept_have_them_too(page: Page) -> None:
    await page.evaluate(
        "new Promise(done => { setTimeout(() => { setTimeout(done); throw Error('first') }) })",
        isolated_context=False,
    )
    assert [error.message for error in await page.page_errors()] == ["first"]
    await page.clear_page_errors()
    assert await page.page_errors() == []


async def test_an_answer_over_plain_http_sets_no_secure_cookie(page: Page) -> None:
    cookies = "a=1; Path=/; Secure\nb=2; Path=/"
    await page.route(
        "http://plain.example/",
        lambda route: route.fulfill(headers={"Set-Cookie": cookies}, content_type="text/html", body="x"),
    )
    await page.goto("http://plain.example/")
    assert [cookie["name"] for cookie in await page.context.cookies()] == ["b"]


async def test_an_error_leads_to_the_line_of_the_script(page: Page) -> None:
    with pytest.raises(PatchrightTimeoutError) as caught:
        await page.click("#nothing", timeout=50)
    assert caught.value.name == "TimeoutError"
    assert f'{__file__}", line ' in (caught.value.stack or "")


async def test_a_dialog_that_closes_is_reported(page: Page) -> None:
    closed: list[str] = []
    page.on("dialogclosed", lambda dialog: closed.append(dialog.message))
    page.on("dialog", lambda dialog: dialog.accept())
    async with page.context.expect_event("dialogclosed", timeout=5000):
        await page.evaluate("alert('hello')")
    assert closed == ["hello"]


async def test_what_can_be_taken_back_can_be_closed(page: Page) -> None:
    added = await page.add_init_script("window.added = true")
    await added.close()
    await page.goto("about:blank")
    assert await page.evaluate("window.added", isolated_context=False) is None


async def test_instant_input_tells_of_a_choice_that_changes_nothing(page: Page) -> None:
    context = await page.context.browser.new_context(input="instant")  # type: ignore[union-attr]
    page = await context.new_page()
    await page.set_content("<select onchange='this.dataset.told = this.value'><option>a<option>b</select>")
    assert await page.select_option("select", index=0) == ["a"]
    assert await page.locator("select").get_attribute("data-told") == "a"
    await context.close()


@pytest.mark.long
async def test_a_page_is_not_at_rest_while_a_frame_in_it_waits(page: Page, site: Site) -> None:
    inner = site.publish("/inner", f"<script src='{site.url('/hold/script')}'></script>")
    outer = site.publish("/outer", f"<iframe src='{inner}'></iframe>")
    with pytest.raises(PatchrightTimeoutError, match='waiting until "networkidle"'):
        await page.goto(outer, wait_until="networkidle", timeout=2000)
    waiting = asyncio.ensure_future(page.wait_for_load_state("networkidle", timeout=20_000))
    site.release()
    await waiting
    await page.goto(outer, wait_until="networkidle")
    # What a frame that has gone asked for is waited for no longer.
    site.hold()
    page.once("request", lambda _: None)
    await page.goto(outer, wait_until="commit")
    await page.locator("iframe").wait_for(state="attached")
    await page.evaluate("document.querySelector('iframe').remove()")
    await page.wait_for_load_state("networkidle", timeout=10_000)
    site.release()


async def test_the_request_of_a_form_is_reported_before_the_click_that_sends_it_is_over(
    page: Page, site: Site
) -> None:
    await page.goto(site.page("form"))
    asked: list[str | None] = []
    page.on("request", lambda request: asked.append(request.post_data))
    site.stumble("/post", 5)
    for number in range(5):
        await page.set_content(
            f"<form method=post action='/post'><input name=n value={number}><input type=submit></form>"
        )
        await page.click("input[type=submit]")
        assert asked == [f"n={number}"]
        asked.clear()


async def test_a_wait_that_ran_out_looks_no_more(page: Page) -> None:
    received: list[str] = []
    page.on("console", lambda message: received.append(message.text))
    slow = """() => new Promise((done) => setTimeout(() => { console.log("looked"); done(false) }, 100))"""
    with pytest.raises(PatchrightTimeoutError, match="Timeout 450ms exceeded"):
        await page.wait_for_function(slow, polling=1, timeout=450)
    counted = len(received)
    assert counted > 0
    async with page.expect_console_message(lambda message: message.text == "the end"):
        await page.evaluate(
            "() => new Promise((done) => setTimeout(done, 300)).then(() => console.log('the end'))"
        )
    assert received.count("looked") == counted
