"""URL matching: by glob, regular expression or function."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeAlias
from urllib.parse import urljoin, urlparse

from ._core import glob_matches

UrlMatch: TypeAlias = "str | re.Pattern[str] | Callable[[str], bool]"


def matches(base_url: str | None, url: str, wanted: UrlMatch | None) -> bool:
    """Returns whether a URL matches."""
    if wanted is None or wanted == "":
        return True
    if isinstance(wanted, str):
        return glob_matches(resolve_glob(base_url, wanted), url)
    if isinstance(wanted, re.Pattern):
        return bool(wanted.search(url))
    return bool(wanted(url))


def resolve_glob(base_url: str | None, wanted: str) -> str:
    """Resolves a glob against the base URL."""
    if wanted.startswith("*") or ("://" in wanted and not base_url):
        return _with_root(wanted)
    return _with_root(urljoin(base_url, wanted) if base_url else wanted)


def _with_root(url: str) -> str:
    """Adds the missing slash after the host of a URL such as `http://host`, as browsers do."""
    parts = urlparse(url)
    bare = parts.scheme in ("http", "https", "ws", "wss") and parts.netloc and not parts.path
    plain = not any(letter in url for letter in "*{[?")
    return parts._replace(path="/").geturl() if bare and plain else url
