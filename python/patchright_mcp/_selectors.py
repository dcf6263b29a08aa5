"""Builds selectors for the `get_by_*` methods and `filter`."""

from __future__ import annotations

import json
import re
from typing import Any

from ._core import selector_by, selector_by_role, selector_filter, selector_of_way
from .errors import Error


def quote(text: str) -> str:
    """Quotes a string for a selector."""
    return json.dumps(text, ensure_ascii=False)


def to_js_regex(expression: re.Pattern[str]) -> str:
    """Converts a Python regular expression to JavaScript."""
    source = re.sub(r"(?<!\\)((?:\\\\)*)([/\"'`])", r"\1\\\2", expression.pattern)
    source = source.replace(">>", r"\>\>")
    return f"/{source}/{js_regex_flags(expression)}"


def js_regex_flags(expression: re.Pattern[str]) -> str:
    """Returns the pattern's flags that JavaScript also has, in JavaScript's notation."""
    known = ((re.IGNORECASE, "i"), (re.DOTALL, "s"), (re.MULTILINE, "m"))
    if expression.flags & ~(re.IGNORECASE | re.DOTALL | re.MULTILINE | re.UNICODE):
        raise Error("Unexpected re.Pattern flag, only MULTILINE, IGNORECASE and DOTALL are supported")
    return "".join(letter for flag, letter in known if expression.flags & flag)


def _words(text: str | re.Pattern[str], *, exact: bool | None = None) -> dict[str, Any]:
    """Describes a text to find: by default a substring, ignoring case; with `exact`, the full text."""
    if isinstance(text, re.Pattern):
        return {"source": text.pattern, "flags": js_regex_flags(text)}
    return {"text": text, "exact": bool(exact)}


def by_text(text: str | re.Pattern[str], exact: bool | None = None) -> str:
    """Builds a selector by the text of an element."""
    return selector_by("text", _words(text, exact=exact))


def by_label(text: str | re.Pattern[str], exact: bool | None = None) -> str:
    """Builds a selector by the label of a control."""
    return selector_by("label", _words(text, exact=exact))


def by_attribute(name: str, text: str | re.Pattern[str], exact: bool | None = None) -> str:
    """Builds a selector by the value of an attribute."""
    return selector_by(name, _words(text, exact=exact))


def by_test_id(text: str | re.Pattern[str]) -> str:
    """Builds a selector by the full test id."""
    return selector_by("testId", _words(text))


def by_role(
    role: str,
    *,
    name: str | re.Pattern[str] | None = None,
    description: str | re.Pattern[str] | None = None,
    exact: bool | None = None,
    **states: bool | int | None,
) -> str:
    """Builds a selector by role, name and states."""
    said = {"name": name, "description": description}
    words = {what: _words(text, exact=exact) for what, text in said.items() if text is not None}
    return selector_by_role(role, {"states": states, **words})


def from_engine_description(way: dict[str, Any]) -> tuple[str, str]:
    """Converts the engine's description of how to find an element to a selector and a Python expression."""
    by, text, exact, nth = way["by"], way["text"], way.get("exact"), way.get("nth")
    if by == "role":
        shown = python_call("get_by_role", text, name=way.get("name"), exact=exact)
    elif by == "css":
        shown = python_call("locator", text)
    else:
        method = {"testId": "get_by_test_id", "alt": "get_by_alt_text"}.get(by, f"get_by_{by}")
        shown = python_call(method, text, exact=exact)
    if nth is not None:
        shown += f".nth({nth})" if nth else ".first"
    return selector_of_way(way), shown


def filter_suffix(
    has_text: str | re.Pattern[str] | None = None,
    has_not_text: str | re.Pattern[str] | None = None,
    has: str | None = None,
    has_not: str | None = None,
    visible: bool | None = None,
) -> str:
    """Builds the filter to append to a locator's selector. `has` and `has_not` are selectors."""
    said = {"has_text": has_text or None, "has_not_text": has_not_text or None}
    texts = {what: _words(text) for what, text in said.items() if text is not None}
    return selector_filter({"has": has, "has_not": has_not, "visible": visible, **texts})


def python_literal(text: str | re.Pattern[str]) -> str:
    """Writes a text or pattern as Python source."""
    if isinstance(text, re.Pattern):
        flags = [name for flag, name in _FLAG_NAMES if text.flags & flag]
        return f're.compile(r"{text.pattern}"{", " + " | ".join(flags) if flags else ""})'
    return json.dumps(text, ensure_ascii=False)


_FLAG_NAMES = ((re.IGNORECASE, "re.IGNORECASE"), (re.DOTALL, "re.DOTALL"), (re.MULTILINE, "re.MULTILINE"))


def python_call(method: str, *arguments: object, **options: object) -> str:
    """Writes a call as Python source, for messages."""
    reported = [_value(argument) for argument in arguments]
    reported += [f"{name}={_value(value)}" for name, value in options.items() if value is not None]
    return f"{method}({', '.join(reported)})"


def _value(value: object) -> str:
    return python_literal(value) if isinstance(value, (str, re.Pattern)) else repr(value)
