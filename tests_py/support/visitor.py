"""Someone who knows of a page only what the tools say: elements by role and name, values by what is shown."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any

from tests_py.support.client import REF, Reply, Server, things

HINT = re.compile(r'\[hint="((?:[^"\\]|\\.)*)"\]')
QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
MARKS = re.compile(r'^(?:\s*\[(?:[^\]"]|"(?:[^"\\]|\\.)*")*\])*:? ?')
LINE = re.compile(r'^(?P<indent> *)- (?P<role>[\w/-]+)(?: "(?P<name>(?:[^"\\]|\\.)*)")?(?P<rest>.*)$')
ICONS = re.compile("[\ue000-\uf8ff]")
"""What icon fonts draw, which nobody can read."""
Element = tuple[str, str] | tuple[str, str, int]
"""A role and a name, and which of several that have both."""


@dataclass(frozen=True)
class Line:
    """A line of a snapshot."""

    depth: int
    role: str
    name: str
    ref: str | None
    hint: str
    value: str

    @classmethod
    def read(cls, line: str) -> Line | None:
        """The parts of a line, if it is about an element."""
        parts = LINE.match(line)
        if parts is None:
            return None
        ref, hint = REF.search(parts["rest"]), HINT.search(parts["rest"])
        value = MARKS.sub("", parts["rest"])
        return cls(
            len(parts["indent"]),
            parts["role"],
            json.loads(f'"{parts["name"] or ""}"'),
            ref[1] if ref else None,
            json.loads(f'"{hint[1]}"') if hint else "",
            json.loads(value) if QUOTED.fullmatch(value) else value,
        )

    def has_role(self, role: str) -> bool:
        """Whether this is of the kind that is looked for; a text may have been given more of one."""
        return self.role == role or (role == "text" and self.role == "generic")


def _readable(name: str) -> str:
    """A name as somebody reads it aloud."""
    return ICONS.sub("", name).strip()


class NotShown(AssertionError):  # noqa: N818
    """What should be on the page is not in its snapshot."""


class Refused(AssertionError):  # noqa: N818
    """A tool did not do what it was asked for."""


@dataclass
class Visitor:
    """Acts on what the newest snapshot shows, and never waits by itself: that is the tools' work."""

    server: Server
    answer: Reply = field(default_factory=lambda: Reply(""))
    calls: int = 0
    characters: int = 0

    async def do(self, tool: str, **arguments: object) -> Reply:
        """Calls a tool, which must work."""
        self.answer = await self.server.call(tool, **arguments)
        self.calls += 1
        self.characters += len(self.answer.text)
        if self.answer.is_error:
            said = " ".join(self.answer.section("Error").split())
            raise Refused(f"{tool}: {said} {arguments}")
        return self.answer

    async def open(self, url: str) -> Reply:
        """Opens an address."""
        return await self.do("browser_navigate", url=url)

    async def lines(self, **arguments: object) -> list[Line]:
        """What the page shows now."""
        shown = await self.do("browser_snapshot", **arguments)
        alone = [thing for line in shown.section("Snapshot").splitlines() for thing in things(line)]
        return [line for line in map(Line.read, alone) if line]

    async def find(self, role: str, name: str, which: int | None = None) -> str:
        """The ref of an element; asks for refs of everything where the usual snapshot gives it none."""
        for arguments in ({}, {"allRefs": True}):
            lines = [line for line in await self.lines(**arguments) if line.ref and line.has_role(role)]
            found = [line for line in lines if _readable(line.name) == name] or [
                line for line in lines if not _readable(line.name) and name in (line.value, line.hint)
            ]
            if found and which is None and len(found) > 1:
                raise NotShown(f"{len(found)} elements are {role} {name!r}")
            if len(found) > (which or 0):
                return str(found[which or 0].ref)
        raise NotShown(f"no {role} {name!r} is shown")

    async def shows(self, text: str) -> None:
        """Makes sure that the page shows this text."""
        shown = (await self.do("browser_snapshot")).section("Snapshot")
        if text not in shown:
            raise NotShown(f"{text!r} is not shown in:\n{shown}")

    async def click(self, *element: str | int, **arguments: object) -> Reply:
        """Clicks an element."""
        return await self.do("browser_click", ref=await self._of(element), **arguments)

    async def hover(self, *element: str | int) -> Reply:
        """Moves the pointer over an element."""
        return await self.do("browser_hover", ref=await self._of(element))

    async def type(self, *element: str | int, text: str, **arguments: object) -> Reply:
        """Types a text into a field."""
        return await self.do("browser_type", ref=await self._of(element), text=text, **arguments)

    async def choose(self, *element: str | int, values: list[str]) -> Reply:
        """Chooses options of a list."""
        return await self.do("browser_select_option", ref=await self._of(element), values=values)

    async def press(self, *keys: str) -> Reply:
        """Presses keys, one after the other."""
        for key in keys:
            await self.do("browser_press_key", key=key)
        return self.answer

    async def drag(self, start: Element, end: Element, **arguments: object) -> Reply:
        """Drags one element to another."""
        refs = {"startRef": await self._of(start), "endRef": await self._of(end)}
        return await self.do("browser_drag", **refs, **arguments)

    async def fill(self, *fields: tuple[str, str, str]) -> Reply:
        """Fills a form: a role, a name and a value for each field."""
        kinds = {
            "checkbox": "checkbox",
            "switch": "checkbox",
            "radio": "radio",
            "combobox": "combobox",
            "slider": "slider",
        }
        return await self.do(
            "browser_fill_form",
            fields=[
                {
                    "name": name,
                    "type": kinds.get(role, "textbox"),
                    "ref": await self.find(role, name),
                    "value": value,
                }
                for role, name, value in fields
            ],
        )

    async def value(self, expression: str) -> Any:  # noqa: ANN401 - whatever the page has.
        """What an expression is in the page."""
        answer = await self.do("browser_evaluate", function=f"() => [JSON.stringify({expression})]")
        return json.loads(json.loads(answer.section("Result"))[0])

    async def _of(self, element: tuple[str | int, ...]) -> str:
        role, name, *which = element
        return await self.find(str(role), str(name), int(which[0]) if which else None)
