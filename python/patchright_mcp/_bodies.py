"""The bodies of API requests."""

from __future__ import annotations

import json as json_module
import mimetypes
from pathlib import Path
from typing import Any

from ._failures import caller
from .errors import Error


class FormData:
    """The fields and files of a form, in order. A name can occur several times."""

    def __init__(self) -> None:
        self._fields: list[tuple[str, Any]] = []

    def set(self, name: str, value: Any) -> FormData:
        """Sets a field, replacing those with the same name."""
        self._fields = [field for field in self._fields if field[0] != name]
        return self.append(name, value)

    def append(self, name: str, value: Any) -> FormData:
        """Adds a field."""
        self._fields.append((name, value))
        return self


def check_options(options: Any) -> None:
    """Raises an error if the options contain more than one body, or a negative number."""
    bodies = [name for name in ("data", "form", "multipart") if options.get(name) is not None]
    if len(bodies) > 1:
        raise Error(f"{caller()}: Only one of 'data', 'form' or 'multipart' can be specified")
    for name in ("max_redirects", "max_retries"):
        value = options.get(name)
        if value is not None and value < 0:
            raise AssertionError(f"'{name}' must be greater than or equal to '0'")


def request_body(options: Any, headers: dict[str, str]) -> tuple[str, Any] | None:
    """Returns the kind and value of the body, as the engine's `fetch` expects them; `None` for no body."""
    data, form, multipart = (options.get(name) for name in ("data", "form", "multipart"))
    if form is not None:
        return ("form", to_text_pairs(form))
    if multipart is not None:
        return ("multipart", [_part(name, value) for name, value in _fields(multipart)])
    if isinstance(data, str) and not _says_json(headers):
        data = data.encode()
    if isinstance(data, bytes):
        return ("bytes", data)
    if isinstance(data, str):
        return ("json", data if _is_json(data) else _json(data))
    if isinstance(data, (dict, list, int, float, bool)):
        return ("json", _json(data))
    if data is not None:
        raise Error(f"{caller()}: Unexpected 'data' type: {type(data)}")
    return None


def _json(value: Any) -> str:
    """Converts a value to JSON as JavaScript writes it."""
    return json_module.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _says_json(headers: dict[str, str]) -> bool:
    return any(
        name.lower() == "content-type" and "application/json" in value for name, value in headers.items()
    )


def _is_json(text: str) -> bool:
    try:
        json_module.loads(text)
    except ValueError:
        return False
    return True


def _fields(form: Any) -> list[tuple[str, Any]]:
    return form._fields if isinstance(form, FormData) else list(form.items())


def to_text_pairs(values: Any) -> list[tuple[str, str]]:
    """Converts a query or form fields to pairs of texts. Values that are `None` are left out."""
    return [(name, _text(value)) for name, value in _fields(values or {}) if value is not None]


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _part(name: str, value: Any) -> tuple[str, bytes, tuple[str, str] | None]:
    if value is None:
        raise Error(
            f"{caller()}: multipart.{name}: expected string, number, boolean, bytes or a file, got None"
        )
    if isinstance(value, dict):
        for key in ("name", "mimeType", "buffer"):
            if key not in value:
                raise Error(f"Unexpected file payload: it has no {key!r}")
        return (name, value["buffer"], (value["name"], value["mimeType"]))
    if isinstance(value, Path):
        kind = mimetypes.guess_type(value.name)[0] or "application/octet-stream"
        return (name, value.read_bytes(), (value.name, kind))
    return (name, value if isinstance(value, bytes) else _text(value).encode(), None)
