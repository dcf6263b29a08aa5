"""How much a run of the tests does: `make test` a part of what is long or large, `make whole` all of it."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")

WHOLE = False
"""Whether all of it was asked for, by `--whole`. Set before the tests are collected."""


def extent(part: T, whole: T) -> T:
    """`whole` with `--whole`, otherwise `part`."""
    return whole if WHOLE else part
