"""What of the tests of the tools Firefox does not pass, and why: its protocol has no word for it."""

from __future__ import annotations

NO_PARTS = "the parts of a date field are not told, nor their order: a date is set and not typed"

KINDS_OF_FIELDS = "tests_py/mcp/test_form.py::test_each_kind_of_field_is_typed_into_as_by_a_person"
LACKING: dict[str, str] = {
    f"{KINDS_OF_FIELDS}[Date-date-2024-03-07]": NO_PARTS,
    f"{KINDS_OF_FIELDS}[Time-time-14:30]": NO_PARTS,
}
"""Tests, with their parameters or for all of them without, and what Firefox lacks for them."""


def reason(test: str) -> str | None:
    """Why a test cannot pass on Firefox, if it cannot."""
    return LACKING.get(test) or LACKING.get(test.split("[", maxsplit=1)[0])
