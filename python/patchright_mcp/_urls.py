"""Which addresses are meant: a text with wildcards, a regular expression, or a function."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import TypeAlias
from urllib.parse import urljoin, urlparse

UrlMatch: TypeAlias = "str | re.Pattern[str] | Callable[[str], bool]"


def matches(base_url: str | None, url: str, wanted: UrlMatch | None) -> bool:
    """Whether an address is one of those that are meant."""
    if wanted is None or wanted == "":
        return True
    if isinstance(wanted, str):
        return bool(_glob(resolved(base_url, wanted)).match(url))
    if isinstance(wanted, re.Pattern):
        return bool(wanted.search(url))
    return bool(wanted(url))


def resolved(base_url: str | None, wanted: str) -> str:
    """A text with wildcards, made whole by the address that others are counted from."""
    if wanted.startswith("*") or ("://" in wanted and not base_url):
        return _with_root(wanted)
    return _with_root(urljoin(base_url, wanted) if base_url else wanted)


def _with_root(url: str) -> str:
    """`http://host` is `http://host/`, as the browser writes it."""
    parts = urlparse(url)
    bare = parts.scheme in ("http", "https", "ws", "wss") and parts.netloc and not parts.path
    plain = not any(letter in url for letter in "*{[?")
    return parts._replace(path="/").geturl() if bare and plain else url


@lru_cache(maxsize=256)
def _glob(text: str) -> re.Pattern[str]:
    """`*` is anything but a slash, `**` anything, `{a,b}` one of several; all else is itself."""
    told, at, in_group = ["^"], 0, False
    while at < len(text):
        letter = text[at]
        at += 1
        if letter == "\\" and at < len(text):
            told.append(re.escape(text[at]))
            at += 1
        elif letter == "*":
            start = at - 1
            while at < len(text) and text[at] == "*":
                at += 1
            if at - start == 1:
                told.append("([^/]*)")
            elif (start == 0 or text[start - 1] == "/") and at < len(text) and text[at] == "/":
                told.append("((.+/)|)")
                at += 1
            else:
                told.append("(.*)")
        elif letter == "{":
            in_group = True
            told.append("(")
        elif letter == "}":
            in_group = False
            told.append(")")
        elif letter == "," and in_group:
            told.append("|")
        else:
            told.append(re.escape(letter))
    return re.compile("".join(told) + "$")
