"""A person's own browser, and pages that are handed over to it."""

from __future__ import annotations

import json
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from patchright_mcp.async_api import Browser, Page, async_playwright
from tests_py.support.site import Site
from tests_py.support.wire import Wire

PATIENCE_S = 60
TRUSTED = True


@pytest.fixture(scope="session")
async def persons_browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        yield await playwright.chromium.launch()


@pytest.fixture
async def viewer(persons_browser: Browser) -> AsyncIterator[Page]:
    """The person's tab."""
    context = await persons_browser.new_context(viewport={"width": 1400, "height": 1000})
    yield await context.new_page()
    await context.close()


@dataclass
class Invitation:
    """What the person was told, and the call that waits."""

    link: str
    code: str
    call: int | None


@dataclass
class Person:
    """Who works on a page, which notes what they do."""

    viewer: Page
    site: Site
    name: str

    def notes(self) -> dict[str, Any]:
        """The newest notes of the page."""
        reported = [
            request for request in self.site.requested("/notes") if request.query["name"] == self.name
        ]
        # Requests can overtake each other.
        return max(
            (json.loads(request.body) for request in reported),
            key=lambda notes: len(notes["heard"]),
            default={},
        )

    def received(self, *begin: object) -> list[list[Any]]:
        """What the page heard that begins so."""
        return [entry for entry in self.notes()["heard"] if entry[: len(begin)] == list(begin)]

    async def until(self, condition: Callable[[], object], what: str) -> None:
        """Waits for the page to note something."""
        end = time.monotonic() + PATIENCE_S
        while not condition():
            assert time.monotonic() < end, f"{what}: {self.notes()}"
            await self.viewer.wait_for_timeout(30)

    async def at(self, name: str) -> tuple[float, float]:
        """Where in the person's window the middle of an element is."""
        notes = self.notes()
        x, y = notes["boxes"][name]
        box = await self.viewer.locator("#picture").bounding_box()
        assert box
        return (
            box["x"] + x / notes["size"][0] * box["width"],
            box["y"] + y / notes["size"][1] * box["height"],
        )

    def colour_at(self, name: str) -> tuple[float, float]:
        """Where in the picture the middle of an element is, as parts of its sides."""
        notes = self.notes()
        (x, y), (width, height) = notes["boxes"][name], notes["size"]
        return x / width, y / height

    async def click(self, name: str, **options: Any) -> None:  # noqa: ANN401
        """Clicks where the picture shows an element."""
        await self.viewer.mouse.click(*await self.at(name), **options)

    async def value(self, name: str, expected: str) -> None:
        """Waits until a field has this value, which came by trusted events alone."""
        await self.until(
            lambda: self.received("input", name, TRUSTED)[-1:] == [["input", name, True, expected]], expected
        )
        assert not self.received("input", name, not TRUSTED)


@dataclass
class Handed(Person):
    """A page in the hands of a person, for whom a client asked."""

    wire: Wire
    invitation: Invitation


def invited(question: dict[str, Any]) -> Invitation:
    """The link and the code in a client's question."""
    message = question["params"]["message"]
    link = re.search(r"http://127\.0\.0\.1:\d+/live/[\w-]+", message)
    code = re.search(r"(?<!\d)\d{6}(?!\d)", message)
    assert link, message
    assert code, message
    return Invitation(link[0], code[0], None)


def question_of(wire: Wire) -> dict[str, Any]:
    """The next question to the person, agreed to."""
    while True:
        message = wire.read()
        if message.get("method") == "elicitation/create":
            answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"action": "accept"}}
            wire.write(json.dumps(answer))
            return message


async def come_in(viewer: Page, invitation: Invitation) -> None:
    """What the person does with the link and the code."""
    await viewer.goto(invitation.link)
    await viewer.locator("#code").fill(invitation.code)
    await viewer.locator("#enter button").click()
    await viewer.locator("#stage.held").wait_for()


@pytest.fixture
async def handed(
    new_wire: Callable[..., Wire], viewer: Page, site: Site, request: pytest.FixtureRequest
) -> Handed:
    """A page for which a client asked its person, who has come."""
    wire = new_wire("--headless", "--input", "instant")
    wire.shake_hands(elicitation={"form": {}, "url": {}})
    name = request.node.name
    opened = wire.call("browser_navigate", url=f"{site.page('watched')}?name={name}")["result"]
    assert not opened.get("isError"), opened
    call = wire.start_call("browser_ask_person", reason="Please try this page")
    question = question_of(wire)
    assert question["params"]["mode"] == "url"
    invitation = invited(question)
    assert question["params"]["url"] == invitation.link
    invitation.call = call
    await come_in(viewer, invitation)
    handed = Handed(viewer, site, name, wire, invitation)
    await handed.until(handed.notes, "notes")
    await viewer.wait_for_function("() => document.querySelector('#picture').width > 300")
    return handed
