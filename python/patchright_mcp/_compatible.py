"""Whether intended differences from Playwright are switched off."""

from __future__ import annotations

import os

VARIABLE = "PATCHRIGHT_MCP_PLAYWRIGHT_COMPATIBLE"


def is_compatible(wanted: bool | None) -> bool:
    """Returns the script's choice, or else that of the environment. Default: false."""
    if wanted is not None:
        return wanted
    return os.environ.get(VARIABLE, "").strip().lower() in ("1", "true", "yes", "on")
