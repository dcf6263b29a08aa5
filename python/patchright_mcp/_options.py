"""Checks of options before they are passed to the engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from ._failures import caller
from .errors import Error


def js_type_name(value: Any) -> str:
    """Returns the JavaScript type of a value, for messages."""
    if value is None:
        return "undefined"
    if isinstance(value, bool):
        return "boolean"
    return "number" if isinstance(value, (int, float)) else "string" if isinstance(value, str) else "object"


def check_geolocation(place: Any) -> None:
    """Checks a geolocation: two angles and an accuracy."""
    if place is None:
        return
    for name, least, most in (("latitude", -90, 90), ("longitude", -180, 180), ("accuracy", 0, None)):
        value = place.get(name, 0 if name == "accuracy" else None)
        if not isinstance(value, (int, float)):
            raise Error(f"{caller()}: geolocation.{name}: expected float, got {js_type_name(value)}")
        if value < least or (most is not None and value > most):
            end = "" if most is None else f" <= {most}"
            raise Error(
                f"{caller()}: geolocation.{name}: precondition {least} <= {name.upper()}{end} failed."
            )


def check_proxy(proxy: Any) -> None:
    """Checks proxy settings: a server, and no unknown key."""
    if proxy is None:
        return
    if not isinstance(proxy, dict):
        raise Error(f'{caller()}: proxy: expected object, got {js_type_name(proxy)}; write {{"server": …}}')
    for name in proxy:
        if name not in ("server", "bypass", "username", "password"):
            raise Error(
                f"{caller()}: proxy: {name!r} is not known; there are server, bypass, username, password"
            )
    if not isinstance(proxy.get("server"), str):
        given = js_type_name(proxy.get("server"))
        raise Error(f'proxy.server: expected string, got {given}; name it like "http://proxy.example:3128"')


_MEDIA = {
    "media": ("screen", "print"),
    "color_scheme": ("dark", "light", "no-preference"),
    "reduced_motion": ("reduce", "no-preference"),
    "forced_colors": ("active", "none"),
    "contrast": ("no-preference", "more"),
}


def check_media_feature(name: str, value: str) -> None:
    """Checks a media feature."""
    if value not in (*_MEDIA[name], "null"):
        raise Error(f"{caller()}: {name}: expected one of ({'|'.join(_MEDIA[name])})")


def check_choice(name: str, value: str | None, choices: tuple[str, ...]) -> None:
    """Checks that a value is one of the allowed ones."""
    if value is not None and value not in choices:
        raise Error(f"{caller()}: {name}: expected one of ({'|'.join(choices)})")


_MOMENTS = ("load", "domcontentloaded", "networkidle", "commit")


def load_state(wait_until: str | None) -> str:
    """Returns the load state to wait for. Default: `load`."""
    if wait_until is not None and wait_until not in _MOMENTS:
        raise Error(f"{caller()}: wait_until: expected one of ({'|'.join(_MOMENTS)})")
    return wait_until or "load"


def load_storage_state(state: Any) -> Any:
    """Returns a storage state. If `state` is a path, reads it from that file."""
    if not isinstance(state, (str, Path)):
        return state
    try:
        return json.loads(Path(state).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Error(f"Error reading storage state from {state}:\n{error}") from None


def require_touch_support(options: dict[str, Any]) -> None:
    """Raises an error if the context has no touch screen (`has_touch`)."""
    if not options.get("has_touch"):
        raise Error(
            f"{caller()}: The page does not support tap. Use hasTouch context option to enable touch support."
        )
