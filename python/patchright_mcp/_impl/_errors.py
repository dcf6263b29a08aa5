"""Exceptions, where scripts for Playwright import them from."""

from ..errors import Error, TargetClosedError, TimeoutError  # noqa: A004, TID252

__all__ = ["Error", "TargetClosedError", "TimeoutError", "is_target_closed_error"]


def is_target_closed_error(error: Exception) -> bool:
    """Returns whether the error means that a page, context or browser was closed."""
    return isinstance(error, TargetClosedError)
