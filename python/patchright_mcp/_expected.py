"""Converts expected texts to the engine's format."""

from __future__ import annotations

import re
from typing import Any

from ._selectors import js_regex_flags
from .errors import Error


def expected_text(
    wanted: str | re.Pattern[str],
    *,
    part: bool = False,
    squeeze: bool = False,
    ignore_case: bool | None = None,
    drawn: bool | None = None,
) -> dict[str, Any]:
    """Builds the description of an expected text, in full or as a part. `squeeze` collapses white space."""
    values: dict[str, Any] = {"part": part, "squeeze": squeeze}
    if isinstance(wanted, re.Pattern):
        values.update(source=wanted.pattern, flags=js_regex_flags(wanted))
    elif isinstance(wanted, str):
        values["text"] = wanted
    else:
        raise Error("expected: value must be a string or regular expression")
    if ignore_case is not None:
        values["ignoreCase"] = ignore_case
    if drawn:
        values["drawn"] = True
    return values
