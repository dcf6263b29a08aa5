"""What a script expects, in the words of the engine."""

from __future__ import annotations

import re
from typing import Any

from ._selectors import flags_of
from .errors import Error


def text(
    wanted: str | re.Pattern[str],
    *,
    part: bool = False,
    squeeze: bool = False,
    ignore_case: bool | None = None,
    drawn: bool | None = None,
) -> dict[str, Any]:
    """One text: all of it, or a part; `squeeze` counts white space once."""
    values: dict[str, Any] = {"part": part, "squeeze": squeeze}
    if isinstance(wanted, re.Pattern):
        values.update(source=wanted.pattern, flags=flags_of(wanted))
    elif isinstance(wanted, str):
        values["text"] = wanted
    else:
        raise Error("value must be a string or regular expression")
    if ignore_case is not None:
        values["ignoreCase"] = ignore_case
    if drawn:
        values["drawn"] = True
    return values
