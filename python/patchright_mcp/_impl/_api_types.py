"""Exceptions, where scripts for older versions of Playwright look for them."""

from ..errors import Error, TimeoutError  # noqa: A004, TID252

__all__ = ["Error", "TimeoutError"]
