"""Whether what is by design different from Playwright is Playwright's."""

from __future__ import annotations

import os

VARIABLE = "PATCHRIGHT_MCP_PLAYWRIGHT_COMPATIBLE"


def is_compatible(wanted: bool | None) -> bool:
    """As a script wants it; otherwise as the environment says, and not at all where that says nothing."""
    if wanted is not None:
        return wanted
    return os.environ.get(VARIABLE, "").strip().lower() in ("1", "true", "yes", "on")
