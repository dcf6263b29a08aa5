"""The synchronous library: where it waits, and on which threads."""

import asyncio
import os
import signal
import threading
from collections.abc import Iterator

import pytest

from patchright_mcp.sync_api import Browser, Dialog, Error, TargetClosedError, sync_playwright

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        yield playwright.chromium.launch()


@pytest.fixture
def interrupts() -> Iterator[None]:
    """Has interrupts heard: a job that a shell started behind itself begins with ignoring them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_handlers_run_while_something_waits_and_may_wait_themselves(browser: Browser) -> None:
    page = browser.new_page()
    titles: list[str] = []

    def answer(dialog: Dialog) -> None:
        dialog.accept()
        titles.append(page.title())

    page.on("dialog", answer)
    page.set_content("<title>asks</title><button onclick='alert(1)'>ask</button>")
    page.get_by_text("ask").click()
    assert titles == ["asks"]
    page.close()


def test_several_threads_drive_pages_of_one_browser(browser: Browser) -> None:
    found: dict[int, int] = {}

    def count(number: int) -> None:
        page = browser.new_page()
        page.set_content("<p></p>" * number)
        found[number] = page.locator("p").count()
        page.close()

    threads = [threading.Thread(target=count, args=[number]) for number in (1, 2, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {1: 1, 2: 2, 3: 3}


@pytest.mark.usefixtures("interrupts")
def test_an_interrupt_ends_a_wait(browser: Browser) -> None:
    page = browser.new_page()
    page.on("load", lambda: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        page.goto("data:text/html,<p>")
    timer = threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        page.wait_for_selector("nothing", timeout=0)
    page.wait_for_load_state()
    assert page.locator("p").count() == 1
    page.close()


def test_an_event_loop_is_reported_to_use_the_other_library() -> None:
    async def start() -> None:
        with pytest.raises(Error, match="inside the asyncio loop"):
            sync_playwright().start()

    asyncio.run(start())


def test_nothing_is_waited_for_when_all_is_stopped() -> None:
    playwright = sync_playwright().start()
    browser = playwright.chromium.launch()
    page = browser.new_page()
    browser.close()
    playwright.stop()
    page.close()
    with pytest.raises(TargetClosedError, match=r"Page.title: Target page, context or browser has"):
        page.title()
