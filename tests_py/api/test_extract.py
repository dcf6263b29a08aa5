"""Typed values from pages."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timezone
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pydantic
import pytest

from patchright_mcp.async_api import Error, Page
from patchright_mcp.extract import Select

LAMP = """<article>
<time datetime="2026-01-31T10:00:00Z">2026-01-31</time> <b>$0,000.50</b> <i>yes</i> <u>big</u> <s>2</s>
<input type=checkbox checked> <input type=radio> <button aria-pressed=true disabled>Go</button>
<p lang=de><span>1.299</span> <em>red</em></p> <p><span>1.299</span> <em>blue</em></p>
</article>"""


class Size(Enum):
    SMALL = "small"
    big = 7


@dataclass
class Part:
    price: Annotated[float, Select("span")]
    colour: Annotated[str, Select("em")]


@dataclass
class Lamp:
    day: Annotated[date, Select("time")]
    moment: Annotated[datetime, Select("time", attribute="datetime")]
    price: Annotated[Decimal, Select("b")]
    said: Annotated[bool, Select("i")]
    checked: Annotated[bool, Select("[type=checkbox]")]
    chosen: Annotated[bool, Select("[type=radio]")]
    pressed: Annotated[bool, Select("button")]
    disabled: Annotated[bool, Select("button", attribute="disabled")]
    size: Annotated[Size, Select("u")]
    number: Annotated[Literal[1, 2], Select("s")]
    part: Annotated[Part, Select("p")]
    parts: Annotated[list[Part], Select("p")]
    none: Annotated[Part | None, Select("h1")]


class PydanticPart(pydantic.BaseModel):
    price: Annotated[Decimal, Select("span")]


class PydanticLamp(pydantic.BaseModel):
    day: Annotated[date, Select("time")]
    price: Annotated[Decimal, Select("b")]
    size: Annotated[Size, Select("u")]
    parts: Annotated[list[PydanticPart], Select("p")]
    number: Annotated[int | str, Select("s")]


@dataclass
class OneNumber:
    it: Annotated[float, Select("")]


@dataclass
class OneInteger:
    it: Annotated[int, Select("")]


@dataclass
class OneState:
    it: Annotated[bool, Select("i")]


@dataclass
class OneDay:
    it: Annotated[date, Select("b")]


@dataclass
class OneSize:
    it: Annotated[Size, Select("i")]


@dataclass
class Links:
    it: Annotated[list[str], Select("i", attribute="href")]


@dataclass
class Plain:
    it: str


@dataclass
class Several:
    it: Annotated[int | str, Select("i")]


@dataclass
class Odd:
    it: Annotated[complex, Select("i")]


@dataclass
class Unreported:
    it: Annotated[list[Plain], Select("i")]


@dataclass
class Endless:
    it: Annotated[list[Endless], Select("p")]


@dataclass
class InAttribute:
    it: Annotated[Part, Select("p", attribute="title")]


async def test_fields_have_the_types_that_they_say(page: Page) -> None:
    await page.set_content(LAMP)
    german, plain = Part(1299.0, "red"), Part(1.299, "blue")
    assert await page.extract(Lamp, each="article") == [
        Lamp(
            day=date(2026, 1, 31),
            moment=datetime(2026, 1, 31, 10, tzinfo=timezone.utc),
            price=Decimal("0.50"),
            said=True,
            checked=True,
            chosen=False,
            pressed=True,
            disabled=True,
            size=Size.big,
            number=2,
            part=german,
            parts=[german, plain],
            none=None,
        )
    ]


async def test_fields_of_pydantic_models_do_so_too(page: Page) -> None:
    await page.set_content(LAMP)
    (lamp,) = await page.extract(PydanticLamp)
    assert lamp.model_dump() == {
        "day": date(2026, 1, 31),
        "price": Decimal("0.50"),
        "size": Size.big,
        "parts": [{"price": Decimal(1299)}, {"price": Decimal("1.299")}],
        "number": "2",
    }


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (OneState, 'OneState.it, item 1: "maybe" is not a boolean'),
        (OneDay, "OneDay.it: '31.1.2026' is not an ISO 8601 date"),
        (OneSize, "OneSize.it: 'maybe' is not one of 'small', '7', 'SMALL', 'big'"),
        (Links, 'Links.it, item 1: no element that matches "i" has an attribute "href"'),
    ],
)
async def test_what_a_field_cannot_be_is_reported_with_its_name(page: Page, model: type, why: str) -> None:
    await page.set_content("<i>maybe</i> <b>31.1.2026</b>")
    with pytest.raises(Error) as refused:
        await page.extract(model)
    assert why in str(refused.value)


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (
            Several,
            r"Several\.it: type int \| str is not supported; use str, int, .*Decimal",
        ),
        (Odd, r"Odd\.it: type complex is not supported"),
        (Unreported, r"Unreported\.it: type list\[.*Plain\] is not supported"),
        (Endless, r"Endless\.it: Endless contains itself"),
        (InAttribute, r"InAttribute\.it: Part needs an element"),
    ],
)
async def test_a_type_that_cannot_be_read_is_refused(page: Page, model: type, why: str) -> None:
    with pytest.raises(TypeError, match=why):
        await page.extract(model)


NUMBERS: dict[str, float] = {
    "1,299.00": 1299.0,
    "1.299,00": 1299.0,
    "1 299": 1299.0,
    "1,299": 1299.0,
    "0.125": 0.125,
    "0,125": 0.125,
    "49,5": 49.5,
    "1.234.567": 1234567.0,
    "\N{MINUS SIGN}7.25": -7.25,
    "1\N{RIGHT SINGLE QUOTATION MARK}234.50": 1234.5,
    "CHF 1'234.50": 1234.5,
    "1\N{NARROW NO-BREAK SPACE}234,56": 1234.56,
    "1,23,456.78": 123456.78,
    "$1,234.567": 1234.567,
    "-\N{EURO SIGN}5": -5.0,
    "\N{EURO SIGN}-5": -5.0,
    "model X-5": 5.0,
    "1e3": 1000.0,
    "3.141": 3.141,
    "99.999": 99.999,
    "1234567,8": 1234567.8,
    "$.99": 0.99,
    "1.5k": 1500.0,
    "1.5 Mio.": 1_500_000.0,
    "20M\N{EURO SIGN}": 20_000_000.0,
    "5 kg": 5.0,
    "5 T-shirts": 5.0,
    "Lamp 2 for $30": 30.0,
    "Lamp 3 $30": 30.0,
    "2 for 30 EUR": 30.0,
    "5 000 \N{EN DASH} 6 000": 5000.0,
    "1234 567": 1234.0,
    "4.5/5": 4.5,
}


async def test_numbers_are_read_as_people_write_them(page: Page) -> None:
    await page.set_content("".join(f"<p>{text}</p>" for text in NUMBERS))
    result = await page.extract(OneNumber, each="p")
    assert dict(zip(NUMBERS, (number.it for number in result), strict=True)) == NUMBERS


@pytest.mark.parametrize(
    ("language", "text", "number"),
    [
        ("de", "99.999", 99999.0),
        ("de-AT", "99.999", 99999.0),
        ("de", "1,299", 1.299),
        ("de-CH", "1.299", 1.299),
        ("en", "1,299", 1299.0),
        ("fr", "3.141", 3.141),
        ("fr", "3,141", 3.141),
        ("no language", "3.141", 3.141),
    ],
)
async def test_what_is_unclear_is_read_as_the_language_writes_it(
    page: Page, language: str, text: str, number: float
) -> None:
    await page.set_content(
        f'<main lang="{language}"><p>{text}</p><p title="{text}" data-n="7.500"></p></main>'
    )

    @dataclass
    class Reported:
        text: Any
        title: Any
        data: Any

    Reported.__annotations__ = {
        "text": Annotated[float, Select("p")],
        "title": Annotated[float, Select("[title]", attribute="title")],
        "data": Annotated[float, Select("[data-n]", attribute="data-n")],
    }
    assert await page.extract(Reported) == [Reported(number, number, 7.5)]


@pytest.mark.parametrize("text", ["1.2.3", "1.5B", "2 billion", "5 M", "1,2.3,4", "31.1.2026", "none"])
async def test_what_is_no_plain_number_is_not_read_as_one(page: Page, text: str) -> None:
    await page.set_content(f"<p>{text}</p>")
    with pytest.raises(Error, match=r'OneNumber\.it, item 1: .* in "'):
        await page.extract(OneNumber, each="p")


async def test_a_whole_number_is_whole(page: Page) -> None:
    await page.set_content("<p>4.00/5</p>")
    assert await page.extract(OneInteger, each="p") == [OneInteger(4)]
    await page.set_content("<p>4.5/5</p>")
    with pytest.raises(Error, match=r'OneInteger\.it, item 1: 4\.5 is not a whole number, in "4\.5/5"'):
        await page.extract(OneInteger, each="p")


async def test_a_table_needs_no_model(page: Page) -> None:
    await page.set_content("<table><tr><th>Name<th>Price<tr><td>Lamp<td>1,299.00</table>")
    assert await page.extract_table() == [{"Name": "Lamp", "Price": "1,299.00"}]
    assert await page.extract_table("h1") == []
