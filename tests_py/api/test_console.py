"""What pages log, and errors that nobody caught, as a script hears of them."""

from __future__ import annotations

import pytest

from patchright_mcp.async_api import ConsoleMessage, Error, Page, WebError
from tests_py.support.site import Site

WATCHED = """
    var read = 0;
    Error.prepareStackTrace = () => { read++; return ''; };
    const watched = new Error('watched');
"""


@pytest.fixture
def received(page: Page) -> list[ConsoleMessage]:
    """What the page has logged."""
    messages: list[ConsoleMessage] = []
    page.on("console", messages.append)
    return messages


async def run(page: Page, script: str) -> object:
    """Runs a script beside those of the page."""
    return await page.evaluate(script, isolated_context=False)


async def test_what_is_logged_is_reported_before_the_script_ends(
    page: Page, received: list[ConsoleMessage]
) -> None:
    await run(
        page,
        """() => {
            console.log("hello", 5, { foo: "bar" }, [1, , "b"], document.body);
            console.trace("here");
            console.warn(new Map([[1, 2]]));
            console.timeEnd("never begun");
        }""",
    )
    assert [message.type for message in received] == ["log", "trace", "warning", "warning"]
    first = received[0]
    assert first.text == str(first) == "hello 5 {foo: bar} [1, empty, b] JSHandle@node"
    assert (first.page, first.worker, first.location["lineNumber"]) == (page, None, 1)
    assert received[2].text == "Map(1)"
    assert [await argument.json_value() for argument in first.args[:3]] == ["hello", 5, {"foo": "bar"}]
    assert await first.args[4].evaluate("node => node.tagName") == "BODY"


async def test_an_error_that_is_logged_is_not_read(page: Page, received: list[ConsoleMessage]) -> None:
    read = await run(
        page, f"() => {{ {WATCHED} console.log(watched, {{}}); globalThis.count = () => read; }}"
    )
    await run(page, "console.log('after', { a: 1 })")
    assert await run(page, "count()") == 0
    assert read is None
    assert [message.text for message in received] == ["Error: watched [object Object]", "after {a: 1}"]


async def test_nothing_is_reported_of_before_and_nothing_after(page: Page) -> None:
    received: list[ConsoleMessage] = []
    await run(page, "console.log('before')")
    page.on("console", received.append)
    async with page.expect_console_message(lambda message: message.text == "late") as late:
        await run(page, "console.log('now'); setTimeout(() => console.log('late'))")
    assert (await late.value).args[0].as_element() is None
    page.remove_listener("console", received.append)
    await run(page, "console.log('not heard')")
    assert [message.text for message in received] == ["now", "late"]


async def test_what_was_logged_unheard_can_be_asked_for(page: Page) -> None:
    await page.set_content("<script>console.log('one', { a: 1 }); console.log('two')</script>")
    assert [message.text for message in await page.console_messages()] == ["one {a: 1}", "two"]
    await page.set_content("<script>throw new TypeError('boom')</script>")
    [error] = await page.page_errors()
    assert (error.name, error.message) == ("TypeError", "boom")
    await page.clear_page_errors()
    assert await page.page_errors() == []
    assert await page.console_messages() == []


async def test_errors_that_nobody_caught_are_reported_with_their_stack(page: Page) -> None:
    errors: list[Error] = []
    events: list[WebError] = []
    page.on("pageerror", errors.append)
    page.context.on("weberror", events.append)
    async with page.context.expect_event("weberror", lambda error: error.error.message == "5"):
        await page.set_content(
            "<script>\nfunction fall() { throw new TypeError('over: here'); }\nfall();</script>"
            "<script>throw 5</script>"
        )
    assert [(error.name, error.message) for error in errors] == [("TypeError", "over: here"), ("", "5")]
    assert (errors[0].stack or "").startswith("TypeError: over: here\n    at fall (")
    assert (events[0].page, events[0].location["line"], events[0].error) == (page, 1, errors[0])


async def test_workers_and_windows_are_received_from_their_first_word(page: Page) -> None:
    async with page.context.expect_console_message() as word:
        await run(
            page,
            "() => void (worker = new Worker('data:text/javascript,console.log(\"working\", { a: 1 })'))",
        )
    message = await word.value
    assert (message.text, message.page) == ("working {a: 1}", page)
    assert message.worker is not None
    async with page.context.expect_console_message() as word, page.expect_popup() as opened:
        await run(page, "() => { const opened = window.open(''); opened.console.log('opened'); }")
    assert (await word.value).page is await opened.value


async def test_a_dialog_is_not_kept_waiting_by_what_was_logged_before_it(page: Page) -> None:
    order: list[str] = []
    page.on("console", lambda message: order.append(message.text))
    page.once("dialog", lambda dialog: order.append(dialog.message))
    page.once("dialog", lambda dialog: dialog.accept())
    await run(page, "() => { console.log('before'); alert('asked'); console.log('after', [1]); }")
    assert order == ["before", "asked", "after [1]"]


@pytest.mark.long
async def test_only_what_the_page_itself_has_asked_for_is_missed(
    page: Page, received: list[ConsoleMessage], site: Site
) -> None:
    await page.goto(site.page("form"))
    for _ in range(100):  # Not every browser without a window asks for the icon of a tab.
        if site.requested("/favicon.ico"):
            break
        await page.wait_for_timeout(20)
    async with page.expect_console_message(lambda message: message.location["url"].endswith("/nowhere")):
        await page.evaluate("fetch('/nowhere').then(() => {})")
    missed = [message.location["url"] for message in received if "404" in message.text]
    assert missed == [site.url("/nowhere")]
