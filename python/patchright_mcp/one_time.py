"""One-time codes (TOTP, RFC 6238), as an authenticator app computes them from the seed that a site shows.

from patchright_mcp.one_time import one_time_code

await page.get_by_label("Code").fill(one_time_code(os.environ["SEED"]))
"""

from __future__ import annotations

from . import _core

__all__ = ["OneTimeCode", "one_time_code"]


class OneTimeCode(str):
    """A one-time code. `seconds_left` is how long it is still valid."""

    __slots__ = ("seconds_left",)
    seconds_left: int

    def __new__(cls, text: str, seconds_left: int) -> OneTimeCode:  # noqa: D102, PYI034  (`Self` is younger.)
        code = super().__new__(cls, text)
        code.seconds_left = seconds_left
        return code


def one_time_code(seed: str, *, at: float | None = None) -> OneTimeCode:
    """Returns the one-time code of a seed now, or at the Unix time `at`.

    The seed is in base 32, as sites show it beside a QR code, or the QR code's `otpauth://totp/…` URL, which
    may set the number of digits, the period and the algorithm.

    Raises:
        ValueError: If `seed` is not a valid seed.
    """
    return OneTimeCode(*_core.one_time_code(seed, None if at is None else int(at)))
