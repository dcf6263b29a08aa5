"""The module from which scripts import Playwright's context manager."""

from __future__ import annotations

from . import PlaywrightContextManager

__all__ = ["PlaywrightContextManager"]
