"""From the engine's codes to the exceptions of the library, with the texts that scripts match on."""

from __future__ import annotations

import json
import re
import sys
from typing import TYPE_CHECKING

from . import _selectors as selectors
from .errors import BrowserError, Error, TargetClosedError, TimeoutError  # noqa: A004

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

CLOSED = "Target page, context or browser has been closed"

_TEXTS = {
    "browser_gone": CLOSED,
    "page_closed": CLOSED,
    "page_crashed": "Page crashed",
    "frame_detached": "Frame was detached",
    "document_gone": "Execution context was destroyed, most likely because of a navigation.",
    "no_history": "There is no page to go to.",
    "stale_ref": "Element is not attached to the DOM",
}
_WRONG = {
    "a radio button, where a checkbox or a switch": (
        "Cannot uncheck radio button. "
        "Radio buttons can only be unchecked by selecting another radio button in the same group."
    ),
    "where a checkbox": "Error: Not a checkbox or radio button",
    "a native select": "Error: Element is not a <select> element",
    "where a file input": "Error: Node is not an HTMLInputElement",
    "an input for several files": "Error: Non-multiple file input can only accept single file",
    "an input, a text area or a select": "Error: Node is not an <input>, <textarea> or <select> element",
    "where a number is needed": "Error: Cannot type text into input[type=number]",
    "something to write": "Error: Element is not an <input>, <textarea> or [contenteditable] element",
    " field, where a ": "Error: Malformed value",
}
_NO_TEXT = re.compile(r"the element is (?:an? )?(.+), where something to write")
_INPUTS = {
    "button": "button",
    "checkbox": "checkbox",
    "file input": "file",
    "image button": "image",
    "radio button": "radio",
    "reset button": "reset",
    "submit button": "submit",
}
_SLOW = {
    "element_not_found",
    "not_actionable",
    "navigation_slow",
    "wait_ran_out",
    "no_answer",
    "no_such_option",
}
_CLOSED = {"browser_gone", "page_closed"}


class Missing(Error, AttributeError):  # noqa: N818  (It is an attribute, or an option, that is not there.)
    """What Playwright has and this library does not. To `hasattr` it is not there."""

    @property
    def name(self) -> str | None:  # Both bases have one: this is that of `Error`.
        """Always `None`."""
        return None

    @name.setter
    def name(self, value: object) -> None:
        """Python itself sets it when a property raises this."""

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(f"{what} is not there in patchright_mcp; {instead}")


def failure(error: BrowserError, timeout: float | None = None, log: Sequence[str] = ()) -> Error:
    """The exception for an engine's error. `log` says what was being done, for those that ran out of time."""
    title = caller()
    prefix = f"{title}: " if title else ""
    if error.code == "not_actionable" and error.message.endswith("after 0 ms"):
        return Error(f"{prefix}{_refused(error.message)}")
    if error.code in _SLOW:
        called = _call_log([*log, *_obstacle(error, title)])
        return TimeoutError(f"{prefix}Timeout {timeout or 0:g}ms exceeded.{called}")
    if error.code in _CLOSED:
        return TargetClosedError(f"{prefix}{CLOSED}")
    if error.code == "script":
        return _thrown(prefix, error.message)
    return Error(f"{prefix}{_told(error, title, log)}")


def _call_log(lines: Sequence[str]) -> str:
    """What was being done, at the end of a message."""
    return "\nCall log:\n" + "\n".join(f"  - {line}" for line in lines) + "\n" if lines else ""


def _told(error: BrowserError, title: str, log: Sequence[str]) -> str:
    """What went wrong, in the words that scripts look for."""
    if error.code in _TOLD:
        return _TOLD[error.code](error, log)
    if error.code == "document_gone" and re.match(r"ElementHandle\.(?!eval)", title):
        return _TEXTS["stale_ref"]
    if error.code == "invalid_arguments" and (key := _UNKNOWN_KEY.match(error.message)):
        return f'Unknown key: "{key[1]}"'
    return _TEXTS.get(error.code, error.message)


def _answered(error: BrowserError, log: Sequence[str]) -> str:
    """What the browser said to a command, of ours or of the raw protocol."""
    refused = _REFUSED.match(error.message)
    if refused is not None:
        if "No frame with given id" in error.message:
            return _TEXTS["frame_detached"]
        return f"Protocol error ({refused[1]}): {refused[2]}{_call_log(log)}"
    if not log:
        return error.message
    return f"Protocol error ({log[0]}): {error.message.removeprefix('the browser refused the command: ')}"


_REFUSED = re.compile(r"the browser refused (\w+\.\w+): (.*)", re.DOTALL)


def _refused(message: str) -> str:
    """Why an element cannot be acted on that was not waited for."""
    if "not visible" in message:
        return "Element is not visible"
    return "Element is outside of the viewport" if "outside" in message else message


_UNKNOWN_KEY = re.compile(r'there is no key named "(.*?)"; ')


_LAYOUT = re.compile(r":(left-of|right-of|above|below|near)\(")
_UNEXPECTED = re.compile(r"character (\d+) is not expected there")


def _unreadable(error: BrowserError, log: Sequence[str]) -> str:
    """What is wrong with a selector, which the engine itself does not repeat."""
    given = re.search(r'locator\("(.*)"\)', log[0]) if log else None
    selector = json.loads(f'"{given[1]}"') if given else ""
    tell = next((tell for word, tell in _FAULTS.items() if word in error.message), None)
    return tell(selector, error.message) if tell and (selector or "nth" in error.message) else error.message


def _misspelt(selector: str, message: str) -> str:
    at = _UNEXPECTED.search(message)
    token = selector[int(at[1]) - 1 : int(at[1])] if at else ""
    return (
        f'Unexpected token "{token}" while parsing css selector "{selector}". Did you mean to CSS.escape it?'
    )


def _badly_laid(selector: str, message: str) -> str:
    layout = _LAYOUT.search(selector)
    if layout is None:
        return message
    return f'"{layout[1]}" engine expects a selector list and optional maximum distance in pixels'


_FAULTS: dict[str, Callable[[str, str], str]] = {
    "nth cannot stand": lambda *_: "Can't query n-th element in a request with a captured part",
    "engine that is not known": lambda selector, _: (
        f'Unknown engine "{selector.partition("=")[0]}" while parsing selector {selector}'
    ),
    "is written as a pseudo-class": lambda selector, _: (
        f'"{selector.partition("=")[0]}" selector cannot be first'
    ),
    "its CSS is not valid": _badly_laid,
    "is not expected there": _misspelt,
    "a part of it is empty": _misspelt,
}


_ACTIONS = {
    "check": "click",
    "uncheck": "click",
    "set_checked": "click",
    "scroll_into_view_if_needed": "scroll into view",
}


def _obstacle(error: BrowserError, title: str) -> list[str]:
    """What was in the way, in the words of the engine and in those that scripts look for."""
    if error.code == "no_such_option":
        return ["did not find some options", error.message]
    if error.code != "not_actionable":
        return []
    lines = ["waiting for element to be visible, enabled and stable", error.message.partition(" after ")[0]]
    for word, told in (
        ("not visible", "element is not visible"),
        ("disabled", "element is not enabled"),
        ("read-only", "element is not editable"),
        ("moving", "element is not stable"),
        ("outside", "element is outside of the viewport"),
    ):
        if word in error.message:
            lines.append(told)
    if "covered by" in error.message:
        cover = error.message.partition("covered by ")[2].partition(" after ")[0]
        lines.append(f"{_written(cover)} intercepts pointer events")
    name = title.rpartition(".")[2]
    return [*lines, f"retrying {_ACTIONS.get(name, name.replace('_', ' '))} action"]


def _written(cover: str) -> str:
    """`<div#id.class>` as HTML."""
    parts = re.fullmatch(r"<([\w-]+)(?:#([\w-]+))?((?:\.[\w-]+)*)>", cover)
    if parts is None:
        return cover
    name = f' id="{parts[2]}"' if parts[2] else ""
    classes = f' class="{" ".join(parts[3][1:].split("."))}"' if parts[3] else ""
    return f"<{parts[1]}{name}{classes}></{parts[1]}>"


def _several(error: BrowserError, log: Sequence[str]) -> str:
    waited = (line.removeprefix("waiting for ") for line in log if line.startswith("waiting for "))
    what = re.sub(r" to be \w+$", "", next(waited, "locator"))
    previews, _, ways = zip(*(detail.rpartition("\n") for detail in error.details), strict=True)
    if all(preview.startswith(("<iframe", "<frame")) for preview in previews):
        # The way into the frame is not plain.
        what = what.rpartition(".content_frame")[0] or what
    count = error.message.partition(" matches ")[2].partition(" ")[0]
    known = [selectors.by_way(json.loads(way))[1] for way in ways]
    shown = enumerate(zip(previews, known, strict=True), 1)
    lines = [f"    {number}) {preview} aka {way}" for number, (preview, way) in shown]
    if int(count) > len(lines):
        lines.append("    ...")
    told = "\n".join(lines)
    return f"Error: strict mode violation: {what} resolved to {count} elements:\n{told}\n{_call_log(log)}"


def _thrown(prefix: str, text: str) -> Error:
    """An error that a script threw: its first line is its name and message, the rest its stack."""
    first, _, rest = text.partition("\n")
    head, stack = [first], [text]
    for line in rest.splitlines():
        if line.lstrip().startswith("at "):
            break
        head.append(line)
    message = "\n".join(head)
    name, separator, _said = message.partition(": ")
    known = bool(separator) and name.replace("_", "").isalnum()
    error = Error(f"{prefix}{message}")
    error._name = name if known else "Error"
    error._stack = "\n".join(stack)
    return error


def page_error(text: str) -> Error:
    """What nobody caught, from its text: name, message and stack. What is no error has only a message."""
    told = re.sub(r"^Uncaught (\(in promise\) )?", "", text)
    message, is_error, _ = told.partition("\n    at ")
    named = re.match(r"([\w$.]+)(?:: |$)", message) if is_error else None
    if named is None:
        return Error._of_page(message, "", told if is_error else "")
    return Error._of_page(message[len(named[0]) :], named[1], told)


def _misplaced(error: BrowserError, _: Sequence[str]) -> str:
    """Why nothing can be done with an element of this kind."""
    given = _NO_TEXT.match(error.message)
    if given and given[1] in _INPUTS:
        return f'Error: Input of type "{_INPUTS[given[1]]}" cannot be filled'
    return next((told for word, told in _WRONG.items() if word in error.message), error.message)


_TOLD: dict[str, Callable[[BrowserError, Sequence[str]], str]] = {
    "not_unique": _several,
    "navigation_failed": lambda error, _: error.message.removeprefix("the navigation failed: "),
    "invalid_selector": _unreadable,
    "protocol": _answered,
    "wrong_element": _misplaced,
}


def caller() -> str:
    """The method that a script called, such as `Page.goto`: the outermost one of ours."""
    frame = sys._getframe(1)
    title = ""
    foreign = 0
    while frame is not None:
        inside = frame.f_globals.get("__name__", "").startswith("patchright_mcp.")
        # One frame of somebody else may be a wrapper around one of our methods.
        foreign = 0 if inside else foreign + 1
        if foreign > 1 and title:
            break
        owner = frame.f_locals.get("self") if inside else None
        name = frame.f_code.co_name
        if owner is not None and not name.startswith("_") and getattr(owner, "_is_public", False):
            title = f"{type(owner).__name__}.{name}"
        frame = frame.f_back  # type: ignore[assignment]
    return title
