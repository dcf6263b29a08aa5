"""What selectors mean."""

from __future__ import annotations

from pathlib import Path

from .. import _selectors as selectors
from ..errors import Error
from ._base import ApiObject


class Selectors(ApiObject):
    """What selectors mean."""

    def set_test_id_attribute(self, attribute_name: str) -> None:
        """The attribute that `get_by_test_id` looks at; `data-testid` at first."""
        selectors.test_id_attribute = attribute_name

    async def register(
        self,
        name: str,
        script: str | None = None,
        *,
        path: str | Path | None = None,
        content_script: bool | None = None,
    ) -> None:
        """Selector engines of one's own are not known."""
        raise Error("Selectors.register: selector engines of one's own are not supported by patchright_mcp")
