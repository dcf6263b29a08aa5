"""The module from which scripts import Playwright's classes."""

from __future__ import annotations

from . import *  # noqa: F403
