"""One-time codes (RFC 6238), as an authenticator shows them, from the seed that a site shows with a QR code.

from patchright_mcp.one_time import one_time_code

await page.get_by_label("Code").fill(one_time_code(os.environ["SEED"]))
"""

from __future__ import annotations

from . import _core

__all__ = ["OneTimeCode", "one_time_code"]


class OneTimeCode(str):
    """A code, and for how long it is good: `seconds_left`."""

    __slots__ = ("seconds_left",)
    seconds_left: int

    def __new__(cls, text: str, seconds_left: int) -> OneTimeCode:  # noqa: D102, PYI034  (`Self` is younger.)
        code = super().__new__(cls, text)
        code.seconds_left = seconds_left
        return code


def one_time_code(seed: str, *, at: float | None = None) -> OneTimeCode:
    """Returns the code of a seed now, or `at` a Unix time.

    The seed is in base 32, as sites show it beside a QR code, or the `otpauth://totp/…` address in that,
    which may say how many digits and seconds a code has, and by which algorithm it is made.

    Raises:
        ValueError: When this is no seed.
    """
    return OneTimeCode(*_core.one_time_code(seed, None if at is None else int(at)))
