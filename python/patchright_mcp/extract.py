"""Extracts typed values from pages: dataclasses and pydantic models with selectors.

Example:
    @dataclass
    class Product:
        name: Annotated[str, Select("h2")]
        price: Annotated[Decimal, Select(".price")]
        link: Annotated[str, Select("a", attribute="href")]
        since: Annotated[date, Select("time", attribute="datetime")]
        sold_out: Annotated[bool, Select("input[type=checkbox]")]
        tags: Annotated[list[str], Select(".tag")]
        note: Annotated[str | None, Select(".note")]
        reviews: Annotated[list[Review], Select(".review")]

    products = await page.extract(Product, each=".product")

A field's type is `str`, `int`, `float`, `Decimal`, `bool`, `date`, `datetime`, an `Enum`, a `Literal`,
another dataclass or model with selectors, a list of one of these, or one of these or `None`. Any other type
raises a `TypeError` before the page is read; in a pydantic model, pydantic converts it, as well as dates.

- Numbers are parsed as people write them: `1,299.00`, `1.299,00`, `1 299`, `1'299.50`, `-€5`, `1e3`, `1.5k`,
  `2 Mio`. If a text contains several, the first one beside a currency sign counts, or else the first. A
  single point or comma before exactly three digits (`1.299`) is read as in the page's language (`lang`); if
  that is unknown, a point is decimal and a comma separates thousands. In attributes, a point is always
  decimal, except in attributes that people read (`aria-…`, `alt`, `title`, `placeholder`). An `int` must
  be a whole number.
- `bool`: true or false, yes or no, on or off, 1 or 0, in any case; for a checkbox, a radio button or a switch
  whether it is on, and for an attribute without a value, such as `hidden`, whether it exists.
- `date` and `datetime`: as in ISO 8601, such as 2026-01-31 or 2026-01-31T10:00:00Z.
- An `Enum` is found by a member's value, then by a member's name; a `Literal` by one of its values.
- The fields of another dataclass or model are searched within the element that the selector finds.
"""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from .errors import Error

__all__ = ["Select"]


@dataclass(frozen=True)
class Select:
    """Where to read a value: a selector inside the item (empty: the item), and an attribute or the text."""

    selector: str
    attribute: str | None = None


@dataclass(frozen=True)
class _Field:
    name: str
    """The field's name with that of its model, such as `Product.price`."""
    kind: Any
    select: Select
    several: bool
    optional: bool
    within: list[_Field] | None
    """The fields of the nested model, if the field's type is one."""

    @property
    def short_name(self) -> str:
        return self.name.rpartition(".")[2]


_KINDS = (
    "str, int, float, Decimal, bool, date, datetime, an Enum, a Literal, a dataclass or model whose fields "
    "have a Select, a list of one of them, and one of them or None"
)


def model_fields(model: type, around: tuple[type, ...] = ()) -> list[_Field]:
    """Returns the fields of a model that have a selector."""
    found = []
    for name, hint in get_type_hints(model, include_extras=True).items():
        select = _select_of(hint)
        if select is not None:
            found.append(_field(model, name, hint, select, (*around, model)))
    if not found:
        raise Error(f"{model.__name__}: no field has a selector; write Annotated[str, Select('h1')]")
    return found


def _select_of(hint: Any) -> Select | None:
    return next((part for part in getattr(hint, "__metadata__", ()) if isinstance(part, Select)), None)


def _field(model: type, name: str, hint: Any, select: Select, around: tuple[type, ...]) -> _Field:
    title = f"{model.__name__}.{name}"
    kind, optional = _unless_none(_bare(hint))
    several = get_origin(kind) is list
    if several:
        kind = _bare(get_args(kind)[0])
    within = None
    if _is_model(kind):
        if kind in around:
            raise TypeError(f"{title}: {kind.__name__} contains itself")
        if select.attribute is not None:
            raise TypeError(f"{title}: {kind.__name__} needs an element; remove `attribute`")
        within = model_fields(kind, around)
    elif _is_pydantic(model) and (kind in (date, datetime) or not _is_known(kind)):
        # Pydantic converts the text to its types.
        kind = str
    elif not _is_known(kind):
        raise TypeError(f"{title}: type {_named(_bare(hint))} is not supported; use {_KINDS}")
    return _Field(title, kind, select, several, optional, within)


def _bare(kind: Any) -> Any:
    """Returns the underlying type of `Annotated`, `NewType` and type aliases."""
    while True:
        if get_origin(kind) is Annotated:
            kind = get_args(kind)[0]
        elif hasattr(kind, "__supertype__"):
            kind = kind.__supertype__
        elif type(kind).__name__ == "TypeAliasType":
            kind = kind.__value__
        else:
            return kind


def _unless_none(kind: Any) -> tuple[Any, bool]:
    """Returns a type without `None`, and whether it allows `None`."""
    if get_origin(kind) is not Union and type(kind).__name__ != "UnionType":
        return kind, False
    rest = [part for part in get_args(kind) if part is not type(None)]
    optional = len(rest) < len(get_args(kind))
    return (_bare(rest[0]), optional) if len(rest) == 1 else (kind, optional)


def _named(kind: Any) -> str:
    return kind.__name__ if isinstance(kind, type) and not get_args(kind) else str(kind)


def _is_pydantic(model: type) -> bool:
    return hasattr(model, "__pydantic_validator__")


def _is_known(kind: Any) -> bool:
    if kind in (str, int, float, Decimal, bool, date, datetime, Any) or get_origin(kind) is Literal:
        return True
    return isinstance(kind, type) and issubclass(kind, Enum)


def _is_model(kind: Any) -> bool:
    if not isinstance(kind, type) or not (dataclasses.is_dataclass(kind) or _is_pydantic(kind)):
        return False
    hints = get_type_hints(kind, include_extras=True)
    return any(_select_of(hint) is not None for hint in hints.values())


def engine_schema(fields: list[_Field]) -> dict[str, Any]:
    """Builds the engine's schema for these fields."""
    return {field.name: _asked(field) for field in fields}


def _asked(field: _Field) -> dict[str, Any]:
    what: dict[str, Any] = {
        "selector": field.select.selector,
        "list": field.several,
        "optional": field.optional,
    }
    if field.within is not None:
        return what | {"fields": engine_schema(field.within)}
    kinds = {int: "integer", float: "decimal", Decimal: "decimal", bool: "boolean"}
    return what | {"attribute": field.select.attribute, "type": kinds.get(field.kind, "string")}


def make_instance(model: type, fields: list[_Field], values: dict[str, Any]) -> Any:
    """Creates an instance of the model from an extracted row."""
    options: dict[str, Any] = {}
    for field in fields:
        value = values[field.name]
        if field.several:
            options[field.short_name] = [_made_one(field, one) for one in value]
        elif value is None:
            options[field.short_name] = None
        else:
            options[field.short_name] = _made_one(field, value)
    return model(**options)


def _made_one(field: _Field, value: Any) -> Any:
    kind = field.kind
    if field.within is not None:
        return make_instance(kind, field.within, value)
    if kind in (float, Decimal):
        return kind(value)
    if kind in (date, datetime):
        return _moment(field, value)
    if get_origin(kind) is Literal:
        return _one_of(field, value, [(str(choice), choice) for choice in get_args(kind)])
    if isinstance(kind, type) and issubclass(kind, Enum):
        members = list(kind.__members__.values())
        by_name = list(kind.__members__.items())
        return _one_of(field, value, [*((str(member.value), member) for member in members), *by_name])
    return value


def _moment(field: _Field, text: str) -> date | datetime:
    written = text
    if sys.version_info < (3, 11) and text.endswith(("Z", "z")):
        written = f"{text[:-1]}+00:00"
    try:
        moment = datetime.fromisoformat(written)
    except ValueError:
        what = "date" if field.kind is date else "date and time"
        raise Error(
            f"{field.name}: {text[:60]!r} is not an ISO 8601 {what}, such as 2026-01-31T10:00:00"
        ) from None
    return moment.date() if field.kind is date else moment


def _one_of(field: _Field, text: str, choices: list[tuple[str, Any]]) -> Any:
    for said, value in choices:
        if said == text:
            return value
    known = ", ".join(repr(said) for said in dict.fromkeys(said for said, _ in choices))
    raise Error(f"{field.name}: {text[:60]!r} is not one of {known}")
