"""Converts cookies between scripts and the engine."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, cast

from ._failures import caller
from .errors import Error

if TYPE_CHECKING:
    from ._typed import Cookie


def matching_cookies(
    cookies: list[dict[str, Any]],
    name: str | re.Pattern[str] | None,
    domain: str | re.Pattern[str] | None,
    path: str | re.Pattern[str] | None,
) -> list[dict[str, Any]]:
    """Returns the cookies that match all given filters."""
    wanted = {"name": name, "domain": domain, "path": path}
    return [cookie for cookie in cookies if all(_fits(cookie[key], value) for key, value in wanted.items())]


def _fits(text: str, wanted: str | re.Pattern[str] | None) -> bool:
    if wanted is None:
        return True
    return bool(wanted.search(text)) if isinstance(wanted, re.Pattern) else text == wanted


_COOKIE_KEYS = (
    "name",
    "value",
    "domain",
    "path",
    "expires",
    "httpOnly",
    "secure",
    "sameSite",
    "partitionKey",
)


def to_script_cookie(cookie: dict[str, Any]) -> Cookie:
    """Converts a cookie of the engine to the format that scripts receive."""
    reported = {key: cookie[key] for key in _COOKIE_KEYS if cookie.get(key) is not None}
    reported.setdefault("sameSite", "Lax")
    return cast("Cookie", reported)


def to_engine_cookie(cookie: Any) -> dict[str, Any]:
    """Checks a script's cookie and converts it for the engine."""
    reported = dict(cookie)
    if not reported.get("url") and not (reported.get("domain") and reported.get("path")):
        raise Error(f"{caller()}: Cookie should have a url or a domain/path pair")
    if (expires := reported.get("expires")) is not None and expires != -1 and expires < 0:
        raise Error(
            f"{caller()}: Cookie should have a valid expires, only -1 or a positive number "
            "for the unix timestamp in seconds is allowed"
        )
    if expires == 0:
        # Programs that export cookies write 0 for session cookies, which Playwright writes as -1.
        reported["expires"] = -1
    if reported.get("url") and reported.get("domain"):
        raise Error(f"{caller()}: Cookie should have either url or domain")
    if reported.get("url") and reported.get("path"):
        raise Error(f"{caller()}: Cookie should have either url or path")
    if reported.get("url") == "about:blank":
        raise Error(f'{caller()}: Blank page can not have cookie "{reported.get("name")}"')
    if str(reported.get("url", "")).startswith("data:"):
        raise Error(f'{caller()}: Data URL page can not have cookie "{reported.get("name")}"')
    return {key: value for key, value in reported.items() if value is not None}
