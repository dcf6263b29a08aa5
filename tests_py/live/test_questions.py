"""Clients that promise to ask their person, and cannot: nobody waits for them, and nothing is paused."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests_py.support.site import Site
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long

FLAGS = ("--headless", "--input", "instant", "--lang", "en")
WRONG = [
    {"error": {"code": -32601, "message": "Method not found"}},
    {"result": {}},
    {"result": {"action": "perhaps"}},
]
SHOP = "<!doctype html><title>Shop</title><button id=buy>Buy now</button><a href='/list' download>List</a>"


def answered(wire: Wire, wrong: dict[str, Any], tool: str, **arguments: object) -> dict[str, Any]:
    """What a call is answered whose questions are answered wrongly."""
    call = wire.start_call(tool, **arguments)
    while True:
        message = wire.read()
        if message.get("method") == "elicitation/create":
            wire.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **wrong}))
        elif message.get("id") == call and "method" not in message:
            result: dict[str, Any] = message["result"]
            return result


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("mode", ["form", "url"])
def test_a_promise_that_is_not_kept_leads_to_the_link_at_once(
    new_wire: Callable[..., Wire], site: Site, wrong: dict[str, Any], mode: str
) -> None:
    wire = new_wire(*FLAGS)
    wire.shake_hands(elicitation={mode: {}})
    wire.call("browser_navigate", url=site.publish("/shop", SHOP))
    began = time.monotonic()
    asked = answered(wire, wrong, "browser_ask_person", reason="Please log in")
    assert time.monotonic() - began < 20
    assert asked["_meta"]["errorCode"] == "person_needed"
    person = asked["structuredContent"]["person"]
    assert person["url"] in asked["content"][0]["text"]
    assert "Shop" in wire.call("browser_snapshot")["result"]["content"][0]["text"]


@pytest.mark.parametrize("wrong", WRONG)
def test_who_could_not_be_asked_has_refused_nothing(
    new_wire: Callable[..., Wire], site: Site, wrong: dict[str, Any]
) -> None:
    site.publish("/list", "eggs", kind="application/octet-stream")
    wire = new_wire(*FLAGS, "--live", "off", "--confirm", "purchase,download")
    wire.shake_hands(elicitation={"form": {}})
    wire.call("browser_navigate", url=site.publish("/shop", SHOP))
    for ref in ("#buy", "text=List"):
        answer = answered(wire, wrong, "browser_click", ref=ref)["content"][0]["text"]
        assert "no way to ask the user" in answer, answer
        assert "the user refused" not in answer
        assert "did not allow" not in answer
