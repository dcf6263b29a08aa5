"""Rows from pages: by a schema, from tables, over many pages, and from lists that are scrolled."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from tests_py.support.client import Reply
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

SHOP = """<title>Shop</title><h1>Lamps</h1>
<article lang=de><h2>Tall</h2><a href="/tall">more</a><b>1.299</b><i>4,5</i><s>12</s>
  <time datetime="2026-01-31T10:00Z">today</time><input type=checkbox checked>
  <em>red</em><em>blue</em><p><q>Good</q><u>1.500,50 €</u></p><p><q>Bad</q><u>2</u></p>
  <button aria-label="Buy Tall">Buy</button></article>
<article lang=en><h2>Short</h2><a href="short?a=1">more</a><b>1,299</b><i>4.5</i><s>1,200</s>
  <time datetime="2026-02-01">then</time><input type=checkbox><small>New</small>
  <button aria-label="Buy Short">Buy</button></article>"""

FIELDS = {
    "name": "h2",
    "link": "a@href",
    "price": {"selector": "b", "type": "number"},
    "exact": {"selector": "b", "type": "decimal"},
    "stars": {"selector": "i", "type": "number"},
    "count": {"selector": "s", "type": "integer"},
    "since": {"selector": "time", "attribute": "datetime", "type": "date"},
    "at": {"selector": "time", "attribute": "datetime", "type": "datetime"},
    "sold": {"selector": "role=checkbox", "type": "boolean"},
    "colours": {"selector": "em", "list": True},
    "note": {"selector": "text=New", "optional": True},
    "reviews": {
        "selector": "p",
        "list": True,
        "fields": {"says": "q", "paid": {"selector": "u", "type": "number"}},
    },
    "buys": "role=button@aria-label",
    "page": {"selector": "a", "type": "url"},
}


def rows(reply: Reply) -> list[dict[str, Any]]:
    """The rows of an answer that shows them all."""
    return [json.loads(line) for line in reply.section("Result").splitlines() if line.startswith("{")]


def lines(folder: Path, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / ".patchright-mcp" / name).read_text().splitlines()]


async def test_a_schema_gives_rows_with_types_by_the_language_of_each(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/shop/", SHOP))
    tall, short = rows(await workshop.do("browser_extract", each="article", fields=FIELDS))
    assert tall == {
        "name": "Tall",
        "link": site.url("/tall"),
        "price": 1299,
        "exact": "1299",
        "stars": 4.5,
        "count": 12,
        "since": "2026-01-31",
        "at": "2026-01-31T10:00Z",
        "sold": True,
        "colours": ["red", "blue"],
        "note": None,
        "reviews": [{"says": "Good", "paid": 1500.5}, {"says": "Bad", "paid": 2}],
        "buys": "Buy Tall",
        "page": site.url("/tall"),
    }
    assert (short["price"], short["count"], short["at"], short["note"]) == (1299, 1200, "2026-02-01", "New")
    assert (short["sold"], short["reviews"], short["page"]) == (False, [], site.url("/shop/short?a=1"))
    (only,) = rows(await workshop.do("browser_extract", fields={"title": "h1"}))
    assert only == {"title": "Lamps"}


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"price": {"selector": "h2", "type": "number"}}, 'price, item 1: there is no number in "Tall"'),
        ({"note": "small"}, 'note, item 1: no element matches "small"'),
        ({"it": {"selector": "i", "type": "integer"}}, 'it, item 1: 4.5 is not a whole number, in "4,5"'),
        ({"it": {"selector": "time", "type": "date"}}, 'it, item 1: "today" is not an ISO 8601 date'),
        ({"p": {"selector": "p", "list": True, "fields": {"n": "small"}}}, "p.n, item 1: no element matches"),
        ({"a": "h2", "b": {"selector": "h2", "type": "money"}}, "`fields.b`: unknown variant `money`"),
        ({"a": "h2[", "b": {"css": "h2"}}, "`fields.b`: unknown field `css`"),
        ({}, "`fields` is empty"),
    ],
)
async def test_an_error_names_the_field_the_item_and_the_text(
    workshop: Workshop, site: Site, fields: dict[str, object], problem: str
) -> None:
    await workshop.open(site.publish("/shop/", SHOP))
    assert problem in await workshop.refused("browser_extract", each="article", fields=fields)


TABLES = """<title>Tables</title><table role=presentation><tr><td>Layout</table>
<table><caption>Stock</caption><thead><tr><th rowspan=2>Name<th colspan=2>Price<tr><th>net<th>gross</thead>
<tr><th scope=row rowspan=2>Lamp<td>1<td>2<tr><td colspan=2>sold out<tr><th scope=row>Desk<td>5<td>6
<tfoot><tr><td>Sum<td>6<td>8</table>
<div role=grid aria-rowcount=501 id=grid><div role=row aria-rowindex=1>
  <span role=columnheader>A</span><span role=columnheader></span></div>
<div role=row aria-rowindex=2><span role=gridcell aria-colindex=2>two</span></div>
<div role=row aria-rowindex=2><span role=gridcell aria-colindex=1>one</span></div></div>
<table id=bare><tr><td>x<td>"y", z</table>"""


async def test_tables_and_grids_need_no_schema(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/tables", TABLES))
    first = await workshop.do("browser_extract")
    assert [list(row.values()) for row in rows(first)] == [
        ["Lamp", "1", "2"],
        ["Lamp", "sold out", "sold out"],
        ["Desk", "5", "6"],
    ]
    assert list(rows(first)[0]) == ["Name", "Price net", "Price gross"]
    assert "the first of 3 tables" in first.text
    grid = await workshop.do("browser_extract", each="#grid")
    assert rows(grid) == [{"A": "one", "column 2": "two"}]
    assert "there are 500" in grid.text
    await workshop.do("browser_extract", each="table >> nth=2", filename="bare.csv")
    with (workshop.folder / ".patchright-mcp" / "bare.csv").open() as file:
        assert list(csv.reader(file)) == [["column 1", "column 2"], ["x", '"y", z']]
    assert "No rows" in (await workshop.do("browser_extract", each="h6")).text


PAGES, ROWS = 100, 100


@pytest.mark.long
async def test_a_hundred_pages_are_one_call(workshop: Workshop, site: Site) -> None:
    for page in range(PAGES):
        items = "".join(f"<li><b>Item {page * ROWS + n}</b> <i>{n},5</i>" for n in range(ROWS))
        following = f"<a rel=next href='/p/{page + 1}'>Next</a>" if page + 1 < PAGES else ""
        site.publish(f"/p/{page}", f"<html lang=de><title>{page}</title>{following}<ul>{items}</ul>")
    await workshop.open(site.url("/p/0"))
    fields = {"name": "b", "size": {"selector": "i", "type": "number"}}
    answer = await workshop.do(
        "browser_extract", each="li", fields=fields, next="a[rel=next]", filename="all.csv"
    )
    assert len(answer.text) < 500, answer.text
    assert "10,000 rows from 100 pages" in answer.text
    with (workshop.folder / ".patchright-mcp" / "all.csv").open() as file:
        found = list(csv.reader(file))
    assert found[1:] == [[f"Item {n}", f"{n % ROWS}.5"] for n in range(PAGES * ROWS)]


@pytest.mark.long
async def test_paging_ends_where_pages_repeat_fail_or_are_enough(workshop: Workshop, site: Site) -> None:
    def publish(name: str, text: str, following: str) -> str:
        return site.publish(
            f"/{name}", f"<title>{name}</title><p>{text}</p><a id=n href='/{following}'>Next</a>"
        )

    first = publish("one", "1", "two")
    publish("two", "2", "three")
    publish("three", "2", "three")
    extract = {"each": "p", "fields": {"n": {"selector": "", "type": "integer"}}, "next": "#n"}
    await workshop.open(first)
    assert [row["n"] for row in rows(await workshop.do("browser_extract", **extract))] == [1, 2]
    await workshop.open(first)
    limited = await workshop.do("browser_extract", **extract, maxPages=1)
    assert "Stopped at maxPages (1)" in limited.text
    publish("three", "none", "three")
    publish("two", "2", "three")
    await workshop.open(first)
    failed = await workshop.do("browser_extract", **extract)
    assert [row["n"] for row in rows(failed)] == [1, 2]
    assert 'Stopped after page 2: n, item 1: there is no number in "none"' in failed.text
    listed = await workshop.do(
        "browser_extract", urls=[site.url("/two"), site.url("/one")], each="p", fields={"n": ""}
    )
    assert [row["n"] for row in rows(listed)] == ["2", "1"]


MORE = """<title>More</title><ul></ul><button>More</button><script>
  const [list, button] = [document.querySelector("ul"), document.querySelector("button")];
  let count = 0;
  const add = () => {
    for (let n = 0; n < 5; n++) list.insertAdjacentHTML("beforeend", `<li>${count++}`);
    button.disabled = count >= 20;
  };
  button.onclick = () => setTimeout(add, 300);
  add();
</script>"""

ENDLESS = """<title>Endless</title><div id=list></div><script>
  const [list, page] = [document.querySelector("#list"), document.documentElement];
  let count = 0;
  const add = () => {
    for (let n = 0; n < 40; n++) list.insertAdjacentHTML("beforeend", `<p>${count++ % 50}</p>`);
  };
  addEventListener("scroll", () => {
    if (count < 200 && scrollY + innerHeight > page.scrollHeight - 10) setTimeout(add, 200);
  });
  add();
</script>"""


@pytest.mark.long
async def test_lists_that_load_more_are_read_to_their_end(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/more", MORE))
    more = await workshop.do("browser_extract", each="li", fields={"n": ""}, more="role=button")
    assert [row["n"] for row in rows(more)] == [str(n) for n in range(20)]
    await workshop.open(site.publish("/endless", ENDLESS))
    endless = await workshop.do("browser_extract", each="p", fields={"n": ""}, more="scroll")
    assert [row["n"] for row in rows(endless)] == [str(n % 50) for n in range(200)]


@pytest.mark.long
async def test_a_list_that_keeps_only_visible_rows_is_read_whole(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("recycled"))
    fields = {"name": "b", "size": {"selector": "i", "type": "integer"}}
    answer = await workshop.do(
        "browser_extract", each=".row", fields=fields, more="scroll", filename="rows.jsonl"
    )
    assert len(answer.text) < 500, answer.text
    found = lines(workshop.folder, "rows.jsonl")
    assert found == [{"name": f"Row {n}", "size": n % 7} for n in range(10_000)]
    part = await workshop.do("browser_extract", each=".row", fields=fields, more="scroll", maxRows=300)
    assert "Rows 1-" in part.text
    assert " of 300; give filename" in part.text


# As `unnumbered.html` makes them.
NAMES = [f"Kind {n // 100}" if n % 100 < 40 else f"Row {n}" for n in range(2000)]


async def test_rows_that_cannot_be_distinguished_are_not_claimed(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("unnumbered") + "?shuffled")
    answer = await workshop.do("browser_extract", each=".row", fields={"name": ""}, more="scroll")
    assert "the rows that follow could not be distinguished" in answer.text
    found = [row["name"] for row in rows(answer)]
    assert found[:100] == NAMES[:100]
    assert len(found) < len(NAMES)
