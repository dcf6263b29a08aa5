"""Options for contexts that pretend to be a device."""

from __future__ import annotations

from typing import Any


def devices() -> dict[str, dict[str, Any]]:
    """All devices, by name."""
    return {}
