"""Roles by which the library finds elements, as Playwright and the browsers have them."""

from __future__ import annotations

import pytest

from patchright_mcp.async_api import Page, expect

ROW = "<table><tr><td>One</td><td>Two</td></tr></table>"
NESTED = "<table><tr><td><table><tr><td>In</td></tr></table></td></tr></table>"
STRAY = "<div><li>Stray</li></div>"


@pytest.mark.parametrize(
    ("content", "role", "count"),
    [
        (ROW, "table", 1),
        (ROW, "row", 1),
        (ROW, "cell", 2),
        (NESTED, "table", 2),
        (NESTED, "cell", 2),
        (STRAY, "listitem", 1),
        ("<table role=presentation><tr><td>Apart</td></tr></table>", "cell", 0),
        ("<ul role=none><li>Apart</li></ul>", "list", 0),
    ],
)
async def test_tables_and_items_are_found_by_their_markup(
    page: Page, content: str, role: str, count: int
) -> None:
    await page.set_content(content)
    assert await page.locator(f"role={role}").count() == count


@pytest.mark.parametrize(
    ("content", "outline"),
    [
        (ROW, '- table:\n  - rowgroup:\n    - row "One Two":\n      - cell "One"\n      - cell "Two"'),
        (STRAY, "- listitem: Stray"),
    ],
)
async def test_accessibility_snapshots_have_the_roles_of_the_markup(
    page: Page, content: str, outline: str
) -> None:
    await page.set_content(content)
    assert await page.locator("body").aria_snapshot() == outline
    await expect(page.locator("body")).to_match_aria_snapshot(outline)
    await expect(page.locator("td, li").first).to_have_role("cell" if content == ROW else "listitem")
