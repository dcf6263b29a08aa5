"""Settings of selectors."""

from __future__ import annotations

import re
from pathlib import Path

from .._core import register_selector, set_test_id_attribute
from .._failures import caller
from ..errors import Error
from ._base import ApiObject
from .page import script_source


class Selectors(ApiObject):
    """Settings of selectors."""

    def set_test_id_attribute(self, attribute_name: str) -> None:
        """Sets the attribute for `get_by_test_id`. Default: `data-testid`."""
        set_test_id_attribute(attribute_name)

    async def register(
        self,
        name: str,
        script: str | None = None,
        *,
        path: str | Path | None = None,
        content_script: bool | None = None,
    ) -> None:
        """Registers a selector engine: an object with `query` and `queryAll`, which runs in an isolated world."""
        source = script_source(script, path)
        if not re.fullmatch(r"[a-zA-Z_0-9-]+", name):
            raise Error(f"{caller()}: Selector engine name may only contain [a-zA-Z0-9_] characters")
        if name in _PREDEFINED:
            raise Error(f'{caller()}: "{name}" is a predefined selector engine')
        if not register_selector(name, source):
            raise Error(f'{caller()}: "{name}" selector engine has been already registered')


_PREDEFINED = {
    "css", "css:light", "xpath", "text", "text:light", "id", "id:light", "role", "nth", "visible", "data-testid",
    "data-test-id", "data-test",
}  # fmt: skip
