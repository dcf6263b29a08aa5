"""The setting `playwright_compatible`, which switches off intended differences from Playwright."""

from __future__ import annotations

import os

VARIABLE = "PATCHRIGHT_MCP_PLAYWRIGHT_COMPATIBLE"


def uses_playwright_compatibility(wanted: bool | None) -> bool:
    """Returns `wanted`; if it is `None`, the value of the environment variable. Default: false."""
    if wanted is not None:
        return wanted
    return os.environ.get(VARIABLE, "").strip().lower() in ("1", "true", "yes", "on")
