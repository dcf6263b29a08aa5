"""Tabs, sessions, refs and routes in any order: a model predicts each answer, and each page afterwards."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from tests_py.support.client import REF
from tests_py.support.site import Site
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long

EXAMPLES = 100
STEPS = 10
ADDRESSES = 3
MOST_TABS = 4
MOST_SESSIONS = 2
PAGE = """<!doctype html><title>{title}</title>
<button onclick="this.textContent = 'Pressed {title}'">Press {title}</button>"""

NUMBERS = st.integers(0, 99)
"""Which of several, counted on from the last one at the first again."""
PAGES = st.integers(0, ADDRESSES - 1)


@dataclass
class Tab:
    """What a tab shows."""

    url: str = "about:blank"
    title: str = ""
    document: int = 0
    pressed: bool = False

    def text(self) -> str:
        """What its button says."""
        return f"{'Pressed' if self.pressed else 'Press'} {self.title}" if self.title else ""


@dataclass
class Place:
    """A session, or the client's own context: its tabs and the pages that rules answer."""

    session: str | None = None
    tabs: list[Tab] = field(default_factory=list)
    current: int = 0
    routed: set[int] = field(default_factory=set)
    refs: list[tuple[str, Tab, int]] = field(default_factory=list)
    """Each with its tab and the document in which it was shown."""


class Machine(RuleBasedStateMachine):
    """Calls tools, and knows what must come of it."""

    def __init__(self, wire: Wire, urls: list[str]) -> None:
        super().__init__()
        self.wire = wire
        self.urls = urls
        self.places = [Place()]
        self.ended: list[str] = []
        self.documents = 0

    def call(self, place: Place, tool: str, **arguments: object) -> tuple[str, bool]:
        """What a tool says in a place, and whether it refuses."""
        session = {"sessionId": place.session} if place.session else {}
        result: dict[str, Any] = self.wire.call(tool, **arguments, **session)["result"]
        return "\n".join(part.get("text", "") for part in result["content"]), bool(result.get("isError"))

    def done(self, place: Place, tool: str, **arguments: object) -> str:
        """What a tool says that must not refuse."""
        text, refused = self.call(place, tool, **arguments)
        assert not refused, text
        return text

    def chosen(self, number: int) -> Place:
        """One of the places."""
        return self.places[number % len(self.places)]

    def arrive(self, place: Place, tab: Tab, page: int, said: str) -> None:
        """A tab shows a document that it did not show before, and the answer says so."""
        self.documents += 1
        tab.url, tab.document, tab.pressed = self.urls[page], self.documents, False
        tab.title = f"Rule {page}" if page in place.routed else f"Page {page}"
        assert f"Page Title: {tab.title}" in said
        self.learn(place, tab, said)

    def learn(self, place: Place, tab: Tab, said: str) -> None:
        """The ref of the tab's button, as an answer has it."""
        line = next(line for line in said.splitlines() if f'button "{tab.text()}"' in line)
        found = REF.search(line)
        assert found, said
        place.refs.append((found[1], tab, tab.document))

    def check(self, place: Place) -> None:
        """The tabs are those of the model, in their order, with the current one."""
        said = self.done(place, "browser_tabs", action="list")
        listed = re.findall(r"^- \d+: (\(current\) )?\[(.*?)\]\((.*?)\) \[tab=\w+\]", said, re.MULTILINE)
        expected = [(tab.title, tab.url, index == place.current) for index, tab in enumerate(place.tabs)]
        assert [(title, url, bool(current)) for current, title, url in listed] == expected

    @rule(number=NUMBERS, page=PAGES)
    def open(self, number: int, page: int) -> None:
        place = self.chosen(number)
        if len(place.tabs) < MOST_TABS:
            said = self.done(place, "browser_tabs", action="new", url=self.urls[page])
            place.tabs.append(Tab())
            place.current = len(place.tabs) - 1
            self.arrive(place, place.tabs[-1], page, said)
        self.check(place)

    @rule(number=NUMBERS, page=PAGES)
    def navigate(self, number: int, page: int) -> None:
        place = self.chosen(number)
        said = self.done(place, "browser_navigate", url=self.urls[page])
        if not place.tabs:
            place.tabs, place.current = [Tab()], 0
        self.arrive(place, place.tabs[place.current], page, said)
        self.check(place)

    @rule(number=NUMBERS, index=st.integers(0, MOST_TABS))
    def select(self, number: int, index: int) -> None:
        place = self.chosen(number)
        text, refused = self.call(place, "browser_tabs", action="select", index=index)
        assert refused == (index >= len(place.tabs)), text
        if not refused:
            place.current = index
        self.check(place)

    @rule(number=NUMBERS, index=st.one_of(st.none(), st.integers(0, MOST_TABS)))
    def close(self, number: int, index: int | None) -> None:
        place = self.chosen(number)
        named = {} if index is None else {"index": index}
        text, refused = self.call(place, "browser_tabs", action="close", **named)
        gone = place.current if index is None else index
        assert refused == (gone >= len(place.tabs)), text
        if not refused:
            closed = place.tabs.pop(gone)
            closed.document = -1
            if gone == place.current:
                # No page opened another: the newest takes its place.
                place.current = max(len(place.tabs) - 1, 0)
            elif gone < place.current:
                place.current -= 1
        self.check(place)

    @precondition(lambda self: any(place.refs for place in self.places))
    @rule(number=NUMBERS, which=NUMBERS)
    def press(self, number: int, which: int) -> None:
        """Presses what a ref stood for, in the current tab: only the document that showed it takes it."""
        places = [place for place in self.places if place.refs]
        place = places[number % len(places)]
        ref, tab, document = place.refs[which % len(place.refs)]
        is_there = bool(place.tabs) and place.tabs[place.current] is tab and tab.document == document
        text, refused = self.call(place, "browser_click", ref=ref)
        assert refused != is_there, text
        if is_there:
            tab.pressed = True
        for index, shown in enumerate(place.tabs):
            if shown.title:
                function = "() => document.querySelector('button').textContent"
                said = self.done(place, "browser_evaluate", function=function, tab=self.names(place)[index])
                assert shown.text() in said
        self.check(place)

    def names(self, place: Place) -> list[str]:
        """By what the tabs are called."""
        return re.findall(r"\[tab=(\w+)\]", self.done(place, "browser_tabs", action="list"))

    @rule(number=NUMBERS)
    def look(self, number: int) -> None:
        place = self.chosen(number)
        text, refused = self.call(place, "browser_snapshot")
        assert refused == (not place.tabs), text
        if place.tabs and place.tabs[place.current].title:
            self.learn(place, place.tabs[place.current], text)

    @rule(number=NUMBERS, page=PAGES)
    def route(self, number: int, page: int) -> None:
        place = self.chosen(number)
        if page not in place.routed:
            body = PAGE.format(title=f"Rule {page}")
            headers = {"Content-Type": "text/html"}
            self.done(place, "browser_route", action="answer", url=f"/p{page}", body=body, headers=headers)
            place.routed.add(page)
        self.check(place)

    @rule(number=NUMBERS)
    def clear(self, number: int) -> None:
        place = self.chosen(number)
        said = self.done(place, "browser_route", action="clear")
        assert f"Removed {len(place.routed)} rules" in said
        place.routed.clear()

    @precondition(lambda self: len(self.places) <= MOST_SESSIONS)
    @rule()
    def begin(self) -> None:
        said = self.done(self.places[0], "create_session")
        found = re.search(r'"sessionId": ?"([^"]+)"', said)
        assert found, said
        assert found[1] not in self.ended + [place.session for place in self.places]
        self.places.append(Place(found[1], [Tab()]))
        self.check(self.places[-1])

    @precondition(lambda self: len(self.places) > 1)
    @rule(number=NUMBERS)
    def end(self, number: int) -> None:
        place = self.places.pop(1 + number % (len(self.places) - 1))
        assert place.session
        self.done(place, "close_session")
        self.ended.append(place.session)

    @precondition(lambda self: self.ended)
    @rule(number=NUMBERS, tool=st.sampled_from(["close_session", "browser_snapshot", "browser_route"]))
    def call_into_an_ended_one(self, number: int, tool: str) -> None:
        arguments = {"action": "list"} if tool == "browser_route" else {}
        text, refused = self.call(Place(self.ended[number % len(self.ended)]), tool, **arguments)
        assert refused
        assert "SESSION_NOT_FOUND" in text

    def teardown(self) -> None:
        """Leaves the client as it was found."""
        for place in self.places[1:]:
            self.done(place, "close_session")
        own = self.places[0]
        while not self.call(own, "browser_tabs", action="close")[1]:
            pass
        self.done(own, "browser_route", action="clear")


@pytest.fixture
def machine_wire(folder: Path) -> Iterator[Wire]:
    """A server that nobody else uses."""
    arguments = ("--headless", "--caps", "network", "--input", "instant", "--timeout-settle", "0")
    with Wire(folder, *arguments) as wire:
        wire.shake_hands()
        yield wire


@pytest.mark.timeout(1200)
def test_tabs_sessions_refs_and_routes_are_what_a_model_says(machine_wire: Wire, site: Site) -> None:
    """**Feature: mcp-server, Property: Tabs, sessions, refs and routes in any order**."""
    urls = [site.publish(f"/p{page}", PAGE.format(title=f"Page {page}")) for page in range(ADDRESSES)]
    chosen = settings(
        max_examples=EXAMPLES,
        stateful_step_count=STEPS,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        print_blob=False,
    )

    class Here(Machine):
        """On this server."""

        def __init__(self) -> None:
            super().__init__(machine_wire, urls)

    run_state_machine_as_test(Here, settings=chosen)
