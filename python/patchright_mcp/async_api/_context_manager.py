"""Where Playwright keeps what `async_playwright` gives, so that scripts import it from here."""

from __future__ import annotations

from . import PlaywrightContextManager

__all__ = ["PlaywrightContextManager"]
