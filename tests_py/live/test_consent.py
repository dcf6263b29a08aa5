"""What a person allows or refuses in the live view, because their client cannot ask them."""

from collections.abc import Callable
from typing import Any

import pytest

from patchright_mcp.async_api import Page
from tests_py.live.conftest import Invitation, come_in
from tests_py.support.site import Site
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long

SHOP = """<!doctype html><title>Shop</title>
<button id=buy onclick="document.title = 'bought'">Buy now</button>"""
CONFIRM = ("--headless", "--input", "instant", "--lang", "en", "--confirm", "purchase")


def reported(wire: Wire, tool: str, **arguments: object) -> dict[str, Any]:
    result = wire.call(tool, **arguments)["result"]
    assert isinstance(result, dict)
    return result


def tabs(wire: Wire) -> str:
    return str(reported(wire, "browser_tabs", action="list"))


async def answer(viewer: Page, person: dict[str, Any], button: str) -> None:
    """What the person does who was given the link."""
    await come_in(viewer, Invitation(person["url"], person["code"], None))
    assert "buy or pay" in str(await viewer.locator("#why").text_content())
    await viewer.locator(button).click()
    await viewer.locator("#end h1").wait_for()


@pytest.mark.parametrize("button", ["#done", "#notme"])
async def test_what_is_answered_at_the_page_holds_for_the_next_call(
    new_wire: Callable[..., Wire], viewer: Page, site: Site, button: str
) -> None:
    wire = new_wire(*CONFIRM)
    wire.shake_hands()
    wire.call("browser_navigate", url=site.publish("/shop", SHOP))
    asked = reported(wire, "browser_click", ref="#buy")
    assert asked["_meta"]["errorCode"] == "person_needed"
    assert "bought" not in tabs(wire)
    await answer(viewer, asked["structuredContent"]["person"], button)
    answered = reported(wire, "browser_click", ref="#buy")
    if button == "#done":
        assert not answered.get("isError"), answered
        assert "bought" in tabs(wire)
    else:
        assert answered["_meta"]["errorCode"] == "not_allowed"
        assert "bought" not in tabs(wire)
    # It holds for one call alone.
    again = reported(wire, "browser_click", ref="#buy")
    assert again["_meta"]["errorCode"] == "person_needed"


async def test_who_is_done_with_something_else_has_allowed_nothing(
    new_wire: Callable[..., Wire], viewer: Page, site: Site
) -> None:
    wire = new_wire(*CONFIRM)
    wire.shake_hands()
    wire.call("browser_navigate", url=site.publish("/shop", SHOP))
    person = reported(wire, "browser_ask_person", reason="Please have a look")["structuredContent"]["person"]
    refused = reported(wire, "browser_click", ref="#buy")
    assert refused["_meta"]["errorCode"] == "not_allowed"
    assert "asked for something else" in refused["content"][0]["text"]
    await come_in(viewer, Invitation(person["url"], person["code"], None))
    await viewer.locator("#done").click()
    await viewer.locator("#end h1").wait_for()
    assert reported(wire, "browser_click", ref="#buy")["_meta"]["errorCode"] == "person_needed"
    assert "bought" not in tabs(wire)
