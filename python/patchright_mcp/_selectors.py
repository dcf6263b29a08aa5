"""Selectors as text: what the `get_by_*` methods and `filter` write, for the engine to read."""

from __future__ import annotations

import json
import re
from typing import Any

from ._core import test_id_attribute


def quoted(text: str) -> str:
    """A string of a selector."""
    return json.dumps(text, ensure_ascii=False)


def pattern(expression: re.Pattern[str]) -> str:
    """A regular expression of Python as one of JavaScript."""
    source = re.sub(r"(?<!\\)((?:\\\\)*)([/\"'`])", r"\1\\\2", expression.pattern)
    source = source.replace(">>", r"\>\>")
    return f"/{source}/{flags_of(expression)}"


def flags_of(expression: re.Pattern[str]) -> str:
    """The flags that JavaScript has too."""
    known = ((re.IGNORECASE, "i"), (re.DOTALL, "s"), (re.MULTILINE, "m"))
    return "".join(letter for flag, letter in known if expression.flags & flag)


def text_of(text: str | re.Pattern[str], *, exact: bool | None) -> str:
    """A text to look for: part of it in any case, or all of it."""
    if isinstance(text, re.Pattern):
        return pattern(text)
    return quoted(text) + ("s" if exact else "i")


def by_text(text: str | re.Pattern[str], exact: bool | None = None) -> str:
    """By the text in an element."""
    return f"internal:text={text_of(text, exact=exact)}"


def by_label(text: str | re.Pattern[str], exact: bool | None = None) -> str:
    """By the label of a control."""
    return f"internal:label={text_of(text, exact=exact)}"


def by_attribute(name: str, text: str | re.Pattern[str], exact: bool | None = None) -> str:
    """By the value of an attribute."""
    return f"internal:attr=[{name}={_attribute_value(text, exact=exact)}]"


def by_test_id(text: str | re.Pattern[str]) -> str:
    """By the test id, all of it."""
    return f"internal:testid=[{test_id_attribute()}={_attribute_value(text, exact=True)}]"


def _attribute_value(text: str | re.Pattern[str], *, exact: bool | None) -> str:
    if isinstance(text, re.Pattern):
        return pattern(text)
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"' + ("s" if exact else "i")


def by_role(
    role: str,
    *,
    checked: bool | None = None,
    disabled: bool | None = None,
    selected: bool | None = None,
    expanded: bool | None = None,
    include_hidden: bool | None = None,
    level: int | None = None,
    name: str | re.Pattern[str] | None = None,
    description: str | re.Pattern[str] | None = None,
    pressed: bool | None = None,
    exact: bool | None = None,
) -> str:
    """By the role of an element, its name and its states."""
    states = {
        "checked": checked,
        "disabled": disabled,
        "selected": selected,
        "expanded": expanded,
        "include-hidden": include_hidden,
        "level": level,
        "pressed": pressed,
    }
    told = [f"[{key}={json.dumps(value)}]" for key, value in states.items() if value is not None]
    if name is not None:
        told.append(f"[name={_attribute_value(name, exact=exact)}]")
    if description is not None:
        told.append(f"[description={_attribute_value(description, exact=exact)}]")
    return f"internal:role={role}{''.join(told)}"


def by_way(way: dict[str, Any]) -> tuple[str, str]:
    """A way of the engine's to find an element: as a selector, and as a script would write it."""
    by, text, exact, nth = way["by"], way["text"], way.get("exact"), way.get("nth")
    if by == "testId":
        found = by_test_id(text), written("get_by_test_id", text)
    elif by == "role":
        name = way.get("name")
        found = by_role(text, name=name, exact=exact), written("get_by_role", text, name=name, exact=exact)
    elif by == "label":
        found = by_label(text, exact), written("get_by_label", text, exact=exact)
    elif by == "text":
        found = by_text(text, exact), written("get_by_text", text, exact=exact)
    elif by == "css":
        found = text, written("locator", text)
    else:
        method = "get_by_alt_text" if by == "alt" else f"get_by_{by}"
        found = by_attribute(by, text, exact), written(method, text, exact=exact)
    if nth is None:
        return found
    return f"{found[0]} >> nth={nth}", found[1] + (f".nth({nth})" if nth else ".first")


def filters(
    has_text: str | re.Pattern[str] | None = None,
    has_not_text: str | re.Pattern[str] | None = None,
    has: str | None = None,
    has_not: str | None = None,
    visible: bool | None = None,
) -> str:
    """What narrows a locator, to be written after its selector. `has` and `has_not` are selectors."""
    told = ""
    if has_text:
        told += f" >> internal:has-text={text_of(has_text, exact=False)}"
    if has_not_text:
        told += f" >> internal:has-not-text={text_of(has_not_text, exact=False)}"
    if has is not None:
        told += f" >> internal:has={quoted(has)}"
    if has_not is not None:
        told += f" >> internal:has-not={quoted(has_not)}"
    if visible is not None:
        told += f" >> visible={json.dumps(visible)}"
    return told


def python_text(text: str | re.Pattern[str]) -> str:
    """A text or pattern as a Python script would write it."""
    if isinstance(text, re.Pattern):
        flags = [name for flag, name in _FLAG_NAMES if text.flags & flag]
        return f're.compile(r"{text.pattern}"{", " + " | ".join(flags) if flags else ""})'
    return json.dumps(text, ensure_ascii=False)


_FLAG_NAMES = ((re.IGNORECASE, "re.IGNORECASE"), (re.DOTALL, "re.DOTALL"), (re.MULTILINE, "re.MULTILINE"))


def written(method: str, *arguments: object, **options: object) -> str:
    """A call as a Python script would write it, for messages."""
    told = [_value(argument) for argument in arguments]
    told += [f"{name}={_value(value)}" for name, value in options.items() if value is not None]
    return f"{method}({', '.join(told)})"


def _value(value: object) -> str:
    return python_text(value) if isinstance(value, (str, re.Pattern)) else repr(value)
