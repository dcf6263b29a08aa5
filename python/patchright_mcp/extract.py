"""Typed values from pages, by selectors: dataclasses and pydantic models say what stands where.

@dataclass
class Product:
name: Annotated[str, Select("h2")]
price: Annotated[float, Select(".price")]
link: Annotated[str, Select("a", attribute="href")]
tags: Annotated[list[str], Select(".tag")]

products = await page.extract(Product, each=".product")
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Union, get_args, get_origin, get_type_hints

from .errors import Error

__all__ = ["Select"]


@dataclass(frozen=True)
class Select:
    """Where a value stands: a CSS selector in its item (empty: the item), and its text or an attribute."""

    selector: str
    attribute: str | None = None


@dataclass(frozen=True)
class _Field:
    name: str
    kind: Any
    select: Select
    several: bool
    optional: bool


def fields_of(model: type) -> list[_Field]:
    """The fields of a model that say where they stand."""
    found = []
    for name, hint in get_type_hints(model, include_extras=True).items():
        select = next((part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Select)), None)
        if select is not None:
            found.append(_field(name, get_args(hint)[0], select))
    if not found:
        raise Error(f"{model.__name__}: no field says where it stands; write Annotated[str, Select('h1')]")
    return found


def _field(name: str, kind: Any, select: Select) -> _Field:
    optional = False
    if get_origin(kind) is Union or type(kind).__name__ == "UnionType":
        rest = [part for part in get_args(kind) if part is not type(None)]
        optional, kind = len(rest) < len(get_args(kind)), rest[0]
    several = get_origin(kind) is list
    return _Field(name, get_args(kind)[0] if several else kind, select, several, optional)


def question(fields: list[_Field]) -> list[tuple[str, str | None, bool]]:
    """What the page is asked for these fields."""
    return [(field.select.selector, field.select.attribute, field.several) for field in fields]


def made(model: type, fields: list[_Field], values: list[Any]) -> Any:
    """A model of what the page told."""
    told: dict[str, Any] = {}
    for field, value in zip(fields, values, strict=True):
        if field.several:
            told[field.name] = [_read(field, one) for one in value]
        elif value is None:
            if not field.optional:
                raise Error(f"{model.__name__}.{field.name}: nothing is at {field.select.selector!r}")
            told[field.name] = None
        else:
            told[field.name] = _read(field, value)
    return model(**told)


_NUMBER = re.compile(r"[-\u2212]?\d[\d.,\u00a0\u202f\u2009' ]*")


def _read(field: _Field, text: str) -> Any:
    if field.kind not in (int, float):
        return text
    number = _NUMBER.search(text)
    if number is None:
        raise Error(f"{field.name}: there is no number in {text[:60]!r}")
    plain = number_of(number[0])
    return int(plain) if field.kind is int else plain


def number_of(text: str) -> float:
    """A number as one writes it: `1,299.00`, `1.299,00`, `1 299`; a mark before three digits parts them."""
    text = re.sub(r"[\s']", "", text).replace("\u2212", "-").strip(".,")
    marks = [mark for mark in text if mark in ".,"]
    parts_thousands = re.search(r"[.,]\d{3}$", text) and not text.startswith(("0", "-0"))
    if len(set(marks)) > 1 or len(marks) > 1 or (marks and parts_thousands):
        # Of two kinds the last is the point. Of one kind that comes again, or parts thousands, none is.
        text = text.replace(marks[0], "")
    return float(text.replace(",", "."))
