"""Where editors find Playwright's classes, so that scripts import them from here."""

from __future__ import annotations

from . import *  # noqa: F403
