"""The setting that switches off the library's intended differences from Playwright."""

from __future__ import annotations

import os

VARIABLE = "PATCHRIGHT_MCP_PLAYWRIGHT_COMPATIBLE"


def is_compatible(wanted: bool | None) -> bool:
    """Returns `wanted`, the script's choice, or if that is `None`, the environment's. Default: false."""
    if wanted is not None:
        return wanted
    return os.environ.get(VARIABLE, "").strip().lower() in ("1", "true", "yes", "on")
