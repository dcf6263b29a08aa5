"""Exceptions, where scripts for Playwright look for them."""

from ..errors import Error, TargetClosedError, TimeoutError  # noqa: A004, TID252

__all__ = ["Error", "TargetClosedError", "TimeoutError", "is_target_closed_error"]


def is_target_closed_error(error: Exception) -> bool:
    """Whether a page, context or browser was closed meanwhile."""
    return isinstance(error, TargetClosedError)
