"""What of the tests of the tools Firefox does not pass, and why: its protocol has no word for it."""

from __future__ import annotations

LACKING: dict[str, str] = {}
"""The names of tests, without their parameters, and what Firefox lacks for them."""


def reason(test: str) -> str | None:
    """Why a test cannot pass on Firefox, if it cannot."""
    return LACKING.get(test.split("[", maxsplit=1)[0])
