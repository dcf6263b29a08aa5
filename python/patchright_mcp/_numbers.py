"""Parses numbers in common notations."""

from __future__ import annotations

import re
from decimal import Decimal

__all__ = ["NotANumber", "number_in"]

_MINUS = "[-\N{MINUS SIGN}]"
_BLANK = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}\N{FIGURE SPACE}"
_PARTING = f"[{_BLANK}'\N{RIGHT SINGLE QUOTATION MARK}]"
_CURRENCY = (
    "(?:[$¢£¤¥\N{THAI CURRENCY SYMBOL BAHT}\N{RIAL SIGN}\N{FULLWIDTH YEN SIGN}"
    "\N{EURO-CURRENCY SIGN}-\N{BITCOIN SIGN}]"
    "|(?<![A-Za-z])(?:EUR|USD|GBP|CHF|JPY|CNY|INR|CAD|AUD|NZD|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|KRW|TRY|ZAR)"
    "(?![A-Za-z]))"
)
_NUMBER = re.compile(
    rf"(?:\d{{1,3}}(?P<parting>{_PARTING})\d{{3}}(?:(?P=parting)\d{{3}})*(?!\d)(?:[.,]\d+)?"
    r"|\d+(?:[.,]\d+)*"
    r"|(?<![\w.])\.\d+)"
    r"(?P<exponent>[eE][-+]?\d{1,3}(?![\w]))?"
)
_SIGN = re.compile(rf"(?<!\w){_MINUS}(?:{_CURRENCY}[{_BLANK}]?)?$")
_BEFORE = re.compile(rf"{_CURRENCY}({_MINUS}?|[{_BLANK}]{_MINUS}?)$")
_AFTER = re.compile(rf"([{_BLANK}]?){_CURRENCY}")

_SHORT = {
    **dict.fromkeys(["k", "K"], 3),
    **dict.fromkeys(["M", "Mio", "Mill", "mln", "million", "millions", "Million", "Millionen"], 6),
    **dict.fromkeys(["bn", "Mrd", "mrd", "Milliarde", "Milliarden", "milliard", "milliards"], 9),
}
"""What stands for zeros, wherever it is written."""
_UNSURE = {
    *("B", "b", "T", "mil", "Tsd"),
    *("billion", "billions", "Billion", "Billionen", "trillion", "trillions"),
}
"""What means one number here and another one there, or no number."""
_UNSURE_APART = {"K", "M"}
"""What does so with a blank before it: `5 M` may be a size."""
_WORD = re.compile(rf"([{_BLANK}]?)([^\W\d_]+)(?!-)\b")


class NotANumber(ValueError):  # noqa: N818  (It says what the text is.)
    """Why a text cannot be parsed as a number."""


def number_in(text: str, marks: str = "") -> Decimal:
    """Returns the first number next to a currency sign, or else the first number in a text.

    `marks` are those of the page's language: the decimal one, and the one between thousands. They decide only
    where nothing else does: a single point or comma before exactly three digits.
    """
    found = _meant(text)
    if found is None:
        raise NotANumber("there is no number")
    written = found[0][: found.start("exponent") - found.start()] if found["exponent"] else found[0]
    if found["parting"]:
        written = written.replace(found["parting"], "").replace(",", ".")
    number = Decimal(_plain(written, marks) + (found["exponent"] or ""))
    if zeros := _zeros(text[found.end() :]):
        number = number.scaleb(zeros)
    return number.copy_negate() if _SIGN.search(text[: found.start()]) else number


def _meant(text: str) -> re.Match[str] | None:
    """Returns the intended number among several: one next to a currency sign."""
    numbers = list(_NUMBER.finditer(text))
    ranks = [_distance(text, number) for number in numbers]
    return numbers[ranks.index(min(ranks))] if numbers else None


def _distance(text: str, number: re.Match[str]) -> int:
    """Returns 0 if a currency sign touches the number, 1 if a space separates them, 2 without one."""
    before, after = _BEFORE.search(text[: number.start()]), _AFTER.match(text, number.end())
    gaps = [match[1].strip("-\N{MINUS SIGN}") for match in (before, after) if match]
    return min((len(gap) for gap in gaps), default=2)


def _zeros(rest: str) -> int:
    """Returns the number of zeros that a word after a number stands for, such as `k`."""
    word = _WORD.match(rest)
    if word is None:
        return 0
    if word[2] in _UNSURE or (word[1] and word[2] in _UNSURE_APART):
        raise NotANumber(f"the suffix {word[2]!r} is ambiguous")
    return _SHORT.get(word[2], 0)


def _plain(written: str, marks: str) -> str:
    """Returns a number without thousands separators and with a decimal point."""
    used = [mark for mark in written if mark in ".,"]
    if len(used) > 1:
        # Of two kinds the last is the decimal one. One kind that comes again parts thousands.
        decimal = used[-1] if used.count(used[-1]) == 1 else ""
        whole, _, rest = written.rpartition(decimal) if decimal else (written, "", "")
        first, *groups = re.split("[.,]", whole)
        if len(set(used)) > 2 - (not decimal) or not _parts_thousands(first, groups):
            raise NotANumber("the number has an unknown format")
        return f"{first}{''.join(groups)}" + (f".{rest}" if rest else "")
    if used and re.fullmatch(r"[1-9]\d{0,2}[.,]\d{3}", written) and not _is_decimal(used[0], marks):
        return written.replace(used[0], "")
    return written.replace(",", ".")


def _is_decimal(mark: str, marks: str) -> bool:
    """Returns whether a single separator before three digits is a decimal one in this language."""
    return marks[1:] != "." if mark == "." else marks[:1] == ","


def _parts_thousands(first: str, groups: list[str]) -> bool:
    """Returns whether groups of digits are valid thousands; in India, also groups of two."""
    return bool(re.fullmatch(r"\d{1,3}(?:,\d{3})+|\d{1,2}(?:,\d{2})+,\d{3}", ",".join([first, *groups])))
