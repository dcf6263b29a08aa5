"""Which addresses are meant: a text with wildcards, a regular expression, or a function."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urljoin, urlparse

from ._core import glob_matches

UrlMatch: TypeAlias = "str | re.Pattern[str] | Callable[[str], bool]"


def matches(base_url: str | None, url: str, wanted: UrlMatch | None) -> bool:
    """Whether an address is one of those that are meant."""
    if wanted is None or wanted == "":
        return True
    if isinstance(wanted, str):
        return glob_matches(resolved(base_url, wanted), url)
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
