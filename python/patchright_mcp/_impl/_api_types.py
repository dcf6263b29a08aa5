"""Exceptions, where scripts for older versions of Playwright import them from."""

from ..errors import Error, TimeoutError  # noqa: A004, TID252

__all__ = ["Error", "TimeoutError"]
