"""Converts error codes of the engine to exceptions with Playwright's texts."""

from __future__ import annotations

import json
import re
import sys
import traceback
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import _selectors as selectors
from .errors import BrowserError, Error, TargetClosedError, TimeoutError  # noqa: A004

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from types import FrameType

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
    "checkable": "Error: Not a checkbox or radio button",
    "editable": (
        "Error: Element is not an <input>, <textarea>, <select> or [contenteditable] "
        "and does not have a role allowing [aria-readonly]"
    ),
    "file_input": "Error: Node is not an HTMLInputElement",
    "files": "Error: File input does not support directories, pass individual files instead",
    "frame": "Error: Element is not an <iframe>",
    "html_element": "Error: Node is not an HTMLElement",
    "input": "Error: Not an input element",
    "native_select": "Error: Element is not a <select> element",
    "number": "Error: Cannot type text into input[type=number]",
    "several_files": "Error: Non-multiple file input can only accept single file",
    "several_options": "Error: Not a select element with a multiple attribute",
    "text": "Error: Element is not an <input>, <textarea> or [contenteditable] element",
    "uncheckable": (
        "Cannot uncheck radio button. "
        "Radio buttons can only be unchecked by selecting another radio button in the same group."
    ),
    "value": "Error: Node is not an <input>, <textarea> or <select> element",
    **dict.fromkeys(
        ["color", "date", "datetime_local", "month", "plain_date", "range", "time", "week"],
        "Error: Malformed value",
    ),
}
_INPUT = re.compile(r"input\[type=(.+)\]")
_SLOW = {
    "element_not_found",
    "not_actionable",
    "navigation_slow",
    "wait_ran_out",
    "no_answer",
    "no_such_option",
}
_CLOSED = {"browser_gone", "page_closed"}
_REF = re.compile(r"e\d+$")


_WAYS_OUT = (
    "The script runs in an isolated world, which does not have the page's variables. "
    "Pass isolated_context=False to this call, or playwright_compatible=True to the library."
)


@contextmanager
def explaining_isolation(*, isolated: bool) -> Iterator[None]:
    """Adds a hint to each `ReferenceError` in an isolated world: how the script can access page variables."""
    try:
        yield
    except Error as error:
        if isolated and "ReferenceError: " in error.message:
            error._message = f"{error.message}\n{_WAYS_OUT}"
            error.args = (error._message,)
        raise


_READS_OF_WINDOW = re.compile(
    r"\s*(?:(?:async\s)?\s*\(?[\w\s,]*\)?\s*=>)?\s*(?:\{\s*return\s)?\s*"
    r"(?:window|globalThis|self)\s*\.\s*([A-Za-z_$][\w$]*)(?:\??\.[\w$]+)*[\s;}]*"
)
_warned: list[str] = []


def window_variable(script: str) -> str | None:
    """Returns the `window` variable that a script merely reads; `None` for others, or after a warning."""
    found = None if _warned else _READS_OF_WINDOW.fullmatch(script)
    return found[1] if found else None


def warn_of_isolation(name: str) -> None:
    """Warns that a script's variable does not exist in the isolated world; later scripts are not checked."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    _warned.append(name)
    text = f"{caller()}: window.{name} is undefined. {_WAYS_OUT}"
    where = (frame.f_code.co_filename, frame.f_lineno) if frame is not None else ("", 0)
    warnings.warn_explicit(text, UserWarning, *where)


class MissingFeature(Error, AttributeError):  # noqa: N818  (The name says what is missing.)
    """A feature of Playwright that this library lacks. `hasattr` returns false for it."""

    @property
    def name(self) -> str | None:  # `Error` and `AttributeError` both define it.
        """Always `None`."""
        return None

    @name.setter
    def name(self, value: object) -> None:
        """Does nothing: Python sets the name when a property raises an `AttributeError`."""

    def __init__(self, what: str, instead: str) -> None:
        super().__init__(f"{what} is not there in patchright_mcp; {instead}")


def failure(error: BrowserError, timeout: float | None = None, log: Sequence[str] = ()) -> Error:
    """Converts an engine's error to an exception. `log`: the call log, for the message of a timeout."""
    reported = _exception(error, timeout, log)
    reported._code = error.code
    reported._name = reported._name or type(reported).__name__
    reported._stack = reported._stack or f"{reported._name}: {reported.message}\n{_place_in_script()}"
    return reported


def _exception(error: BrowserError, timeout: float | None, log: Sequence[str]) -> Error:
    title = caller()
    prefix = f"{title}: " if title else ""
    if error.code == "not_actionable" and not error.details.get("waited_ms"):
        # A press that did not reach its element is not retried, so the message contains the hint.
        return Error(f"{prefix}{_refused(error) if 'waited_ms' in error.details else error}")
    if error.code in _SLOW:
        called = _call_log([*log, *_obstacle(error, title)])
        return TimeoutError(f"{prefix}Timeout {timeout or 0:g}ms exceeded.{called}")
    if error.code == "browser_gone" and title in {"BrowserType.connect", "BrowserType.connect_over_cdp"}:
        return Error(f"{prefix}{_unreached(error, title)}")
    if error.code in _CLOSED:
        return TargetClosedError(f"{prefix}{CLOSED}")
    if error.code == "script":
        return _thrown(prefix, error.details["thrown"])
    return Error(f"{prefix}{_reported(error, title, log)}")


def _call_log(lines: Sequence[str]) -> str:
    """Formats the call log that ends a message."""
    return "\nCall log:\n" + "\n".join(f"  - {line}" for line in lines) + "\n" if lines else ""


def _reported(error: BrowserError, title: str, log: Sequence[str]) -> str:
    """Returns the error's message with the words of Playwright's, which scripts search for."""
    if error.code in _MESSAGES:
        return _MESSAGES[error.code](error, log)
    if error.code == "stale_ref" and _REF.search(error.details["target"]):
        return f"{error.message}; take a new snapshot and use a ref from it"
    if error.code == "document_gone" and re.match(r"ElementHandle\.(?!eval)", title):
        return _TEXTS["stale_ref"]
    if error.code == "document_gone" and title in ("Page.content", "Frame.content"):
        return "Unable to retrieve content because the page is navigating and changing the content."
    if error.code == "invalid_arguments" and "name" in error.details:
        return f'Unknown key: "{error.details["name"]}"'
    return _TEXTS.get(error.code, error.message)


def _answered(error: BrowserError, log: Sequence[str]) -> str:
    """Returns the message for a command that the browser answered with an error."""
    method, reason = error.details["method"], error.details["reason"]
    if method:
        return f"Protocol error ({method}): {reason}{_call_log(log)}"
    return f"Protocol error ({log[0]}): {reason}" if log else error.message


_OBSTACLES = {
    "hidden": "element is not visible",
    "disabled": "element is not enabled",
    "read_only": "element is not editable",
    "moving": "element is not stable",
    "outside_viewport": "element is outside of the viewport",
    "missing": "element was not found",
    "silent": "the page gives no answer",
}


def _refused(error: BrowserError) -> str:
    """Returns why an element cannot be acted on, for actions that do not wait."""
    obstacle = error.details["obstacle"]
    return _OBSTACLES[obstacle].capitalize() if obstacle in _OBSTACLES else error.message


_ANOTHER = (
    "A browser's own protocol is spoken here. Playwright's server speaks another one, which only a playwright"
    " of the same version understands: start a browser there with --remote-debugging-port,"
    " or with `launch` and `bind` of this library"
)


def _unreached(error: BrowserError, title: str) -> str:
    """Returns why a remote browser is unreachable, with `ECONNREFUSED` if so, which scripts search for."""
    reason = str(error.details["reason"])
    if error.details.get("refused"):
        return f"connect ECONNREFUSED: {reason}"
    return f"{reason}\n{_ANOTHER}" if title == "BrowserType.connect" else reason


_LAYOUT = re.compile(r":(left-of|right-of|above|below|near)\(")


def _unreadable(error: BrowserError, log: Sequence[str]) -> str:
    """Returns what is wrong with a selector. The selector's text is taken from the call log."""
    fault = error.details["fault"]
    if fault == "captured_nth":
        return "Can't query n-th element in a request with a captured part"
    given = re.search(r'locator\("(.*)"\)', log[0]) if log else None
    selector = json.loads(f'"{given[1]}"') if given else ""
    tell = _FAULTS.get(fault) if selector else None
    return (tell and tell(selector, error.details)) or error.message


def _misspelt(selector: str, facts: dict[str, Any]) -> str:
    token = selector[facts["at"] - 1 : facts["at"]] if "at" in facts else ""
    return (
        f'Unexpected token "{token}" while parsing css selector "{selector}". Did you mean to CSS.escape it?'
    )


def _badly_laid(selector: str, _: dict[str, Any]) -> str | None:
    layout = _LAYOUT.search(selector)
    if layout is None:
        return None
    return f'"{layout[1]}" engine expects a selector list and optional maximum distance in pixels'


_FAULTS: dict[str, Callable[[str, dict[str, Any]], str | None]] = {
    "unknown_engine": lambda selector, _: (
        f'Unknown engine "{selector.partition("=")[0]}" while parsing selector {selector}'
    ),
    "layout_alone": lambda selector, _: f'"{selector.partition("=")[0]}" selector cannot be first',
    "invalid_css": _badly_laid,
    "unexpected": _misspelt,
    "empty_part": _misspelt,
}


_ACTIONS = {
    "check": "click",
    "uncheck": "click",
    "set_checked": "click",
    "scroll_into_view_if_needed": "scroll into view",
}


def _obstacle(error: BrowserError, title: str) -> list[str]:
    """Describes an action's obstacle, in the engine's words and in Playwright's, for which scripts search."""
    if error.code == "no_such_option":
        return ["did not find some options", f"the options are: {', '.join(error.details['available'])}"]
    if error.code != "not_actionable":
        return []
    obstacle = error.details["obstacle"]
    if obstacle == "handled":
        what = error.details["handler"]
        lines = [f"found {what}, intercepting action to run the handler"]
        if error.details["finished"]:
            lines.append(f"locator handler has finished, waiting for {what} to be hidden")
        return lines
    lines = ["waiting for element to be visible, enabled and stable", _OBSTACLES.get(obstacle, "")]
    if obstacle == "covered_by":
        lines[-1] = f"{_written(error.details['cover'])} intercepts pointer events"
    name = title.rpartition(".")[2]
    return [*lines, f"retrying {_ACTIONS.get(name, name.replace('_', ' '))} action"]


def _written(cover: dict[str, Any]) -> str:
    """Returns the covering element as HTML."""
    if cover.get("shown"):
        around = f" from {cover['within']} subtree" if "within" in cover else ""
        return f"{cover['shown']}{around}"
    if not cover["tag"]:
        return "another element"
    name = f' id="{cover["id"]}"' if "id" in cover else ""
    classes = f' class="{" ".join(cover["classes"])}"' if cover["classes"] else ""
    return f"<{cover['tag']}{name}{classes}></{cover['tag']}>"


def _several(error: BrowserError, log: Sequence[str]) -> str:
    waited = (line.removeprefix("waiting for ") for line in log if line.startswith("waiting for "))
    what = re.sub(r" to be \w+$", "", next(waited, "locator"))
    matches, count = error.details["matches"], error.details["count"]
    previews = [match["preview"] for match in matches]
    if all(preview.startswith(("<iframe", "<frame")) for preview in previews):
        # The ambiguous element is the frame, so the message names the frame's locator, not the inner one.
        what = what.rpartition(".content_frame")[0] or what
    known = [selectors.from_engine_description(match["way"])[1] for match in matches]
    shown = enumerate(zip(previews, known, strict=True), 1)
    lines = [f"    {number}) {preview} aka {way}" for number, (preview, way) in shown]
    if count > len(lines):
        lines.append("    ...")
    text = "\n".join(lines)
    return f"Error: strict mode violation: {what} resolved to {count} elements:\n{text}\n{_call_log(log)}"


def _thrown(prefix: str, text: str) -> Error:
    """Converts a JavaScript exception: its first line has name and message, the rest its stack."""
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


def parse_page_error(text: str) -> Error:
    """Parses an uncaught error into name, message and stack. Other thrown values have only a message."""
    shown = re.sub(r"^Uncaught (\(in promise\) )?", "", text)
    message, is_error, _ = shown.partition("\n    at ")
    # Without a stack, it counts as an error if its text begins with `NAME: `, or is a name ending in `Error`.
    named = re.match(r"([^\s:]+)(?:: |$)" if is_error else r"([\w$.-]+)(?:: )|([\w$.]*Error)$", message)
    if named is None:
        thing = re.fullmatch(r"#<([\w$]+)>|\[object ([\w$]+)\]", message)
        return Error._of_page(thing[1] or thing[2] if thing else message, "", shown if is_error else "")
    return Error._of_page(message[len(named[0]) :], named[1] or named[0], shown)


def _misplaced(error: BrowserError, _: Sequence[str]) -> str:
    """Returns why this kind of element does not support the action."""
    needed = error.details["needed"]
    field = _INPUT.fullmatch(error.details["found"])
    if needed == "text" and field:
        return f'Error: Input of type "{field[1]}" cannot be filled'
    return _WRONG.get(needed, error.message)


_MESSAGES: dict[str, Callable[[BrowserError, Sequence[str]], str]] = {
    "not_unique": _several,
    "navigation_failed": lambda error, _: str(error.details["reason"]),
    "invalid_selector": _unreadable,
    "protocol": _answered,
    "wrong_element": _misplaced,
}


def _place_in_script() -> str:
    """Returns the script's part of the call stack, formatted like a traceback."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    return "".join(traceback.format_stack(frame, 10)) if frame is not None else ""


def _is_ours(frame: FrameType) -> bool:
    return str(frame.f_globals.get("__name__", "")).startswith("patchright_mcp.")


def caller() -> str:
    """Returns the public method that the script called, such as `Page.goto`: the outermost one."""
    frame = sys._getframe(1)
    title = ""
    foreign = 0
    while frame is not None:
        inside = frame.f_globals.get("__name__", "").startswith("patchright_mcp.")
        # A single foreign frame may be a wrapper around a method of this library, so the search goes on.
        foreign = 0 if inside else foreign + 1
        if foreign > 1 and title:
            break
        owner = frame.f_locals.get("self") if inside else None
        name = frame.f_code.co_name
        if owner is not None and not name.startswith("_") and getattr(owner, "_is_public", False):
            title = f"{type(owner).__name__}.{name}"
        frame = frame.f_back  # type: ignore[assignment]
    return title
