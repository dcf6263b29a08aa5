"""Assertions that wait."""

import pytest

from patchright_mcp.async_api import Page, expect


async def test_an_assertion_waits_until_it_is_so(page: Page) -> None:
    await page.set_content("<p>first</p>")
    await page.evaluate("() => { setTimeout(() => document.querySelector('p').textContent = 'second', 50) }")
    await expect(page.locator("p")).to_have_text("second")
    await expect(page.locator("p")).not_to_have_text("first", timeout=1)
    await expect(page.locator("i")).to_be_hidden()
    await expect(page.locator("p")).to_have_count(1)


async def test_what_is_not_so_is_reported_with_what_is(page: Page) -> None:
    await page.set_content("<title>here</title><p>first</p>")
    with pytest.raises(AssertionError) as wrong:
        await expect(page.locator("p")).to_have_text("second", timeout=1)
    assert "Locator expected to have text 'second'\nActual value: first" in str(wrong.value)
    with pytest.raises(AssertionError, match="Page title expected to be 'there'\nActual value: here"):
        await expect(page).to_have_title("there", timeout=1)


async def test_what_comes_up_in_the_way_is_cleared(page: Page) -> None:
    await page.set_content(
        "<button onclick='this.textContent = 1'>go</button>"
        "<div style='position:fixed;inset:0'><b onclick='this.parentNode.remove()'>close</b></div>"
    )
    await page.add_locator_handler(page.get_by_text("close"), lambda found: found.click())
    await page.get_by_text("go").click()
    await expect(page.get_by_role("button")).to_have_text("1")


async def test_what_assistive_technology_is_reported_can_be_read_and_expected(page: Page) -> None:
    await page.set_content("<h1>News</h1><ul><li>one</li><li><a href='/x'>two</a></li></ul>")
    assert await page.aria_snapshot() == (
        '- heading "News" [level=1]\n'
        '- list:\n  - listitem: one\n  - listitem:\n    - link "two":\n      - /url: /x'
    )
    await expect(page).to_match_aria_snapshot("- list:\n  - listitem:\n    - link /t.o/")
    with pytest.raises(AssertionError, match="Aria snapshot"):
        await expect(page).to_match_aria_snapshot(
            "- list:\n  - /children: equal\n  - listitem: one", timeout=1
        )
