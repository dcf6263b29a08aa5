"""Numbers that make no sense, given to every numeric argument of every listed tool: each refused by name."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests_py.support.client import serve
from tests_py.support.site import Site
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long

EVERYTHING = ("--caps", "vision,pdf,extract,network,storage,emulation,code,testing,evidence,devtools,webmcp")
SETS = {"ours": EVERYTHING, "claude's": ("--toolsets", "claude")}
ANY_NUMBER = {"form_input.value"}
"""What goes into a field as it is."""
Schema = dict[str, Any]
Path_ = tuple[str, ...]


def kinds(schema: Schema) -> list[str]:
    kind = schema.get("type", [])
    return kind if isinstance(kind, list) else [kind]


def numeric(schema: Schema, path: Path_ = ()) -> Iterator[tuple[Path_, Schema]]:
    """The arguments that take a number, however deep."""
    if {"number", "integer"} & set(kinds(schema)):
        yield path, schema
    for name, inner in schema.get("properties", {}).items():
        yield from numeric(inner, (*path, name))
    for inside in ("items", "additionalProperties"):
        if isinstance(schema.get(inside), dict):
            yield from numeric(schema[inside], (*path, inside))


def nonsense(schema: Schema) -> list[object]:
    """What a number of this kind cannot be."""
    wrong: list[object] = ["NaN", -1, -1e308, 1e308]
    if schema.get("minimum", 0) > 0:
        wrong.append(0)
    if "maximum" in schema:
        wrong.append(schema["maximum"] + 1)
    if schema["type"] == "integer":
        wrong.append(1.5)
    is_wrong = {-1: schema.get("minimum", 0) > -1, 1e308: "maximum" in schema}
    return [value for value in wrong if isinstance(value, str) or is_wrong.get(value, True)]  # type: ignore[call-overload]


def holding(path: Path_, value: object, fewest: int) -> object:
    """Arguments that are nothing but this value in its place."""
    if not path:
        return value
    inner = holding(path[1:], value, fewest)
    if path[0] == "items":
        return [inner] * fewest
    return {"any" if path[0] == "additionalProperties" else path[0]: inner}


def needed(schema: Schema, url: str) -> dict[str, object]:
    """What a call cannot do without."""
    like: dict[str, object] = {"string": "h1", "object": {"h1": "x"}, "array": [], "number": 1, "integer": 1}
    properties = schema.get("properties", {})
    given = {name: like.get(kinds(properties[name])[0], True) for name in schema.get("required", [])}
    return {name: url if name == "url" else value for name, value in given.items()}


@pytest.mark.parametrize("which", SETS)
async def test_every_number_that_makes_no_sense_is_refused_by_name(
    which: str, tmp_path: Path, site: Site
) -> None:
    tried, let_through = 0, []
    async with serve("--headless", *SETS[which], cwd=tmp_path) as server:
        opens = "navigate" if which == "claude's" else "browser_navigate"
        opened = await server.call(opens, url=site.page("form"))
        assert not opened.is_error, opened.text
        for tool in (await server.session.list_tools()).tools:
            for path, schema in numeric(tool.input_schema):
                if f"{tool.name}.{'.'.join(path)}" in ANY_NUMBER:
                    continue
                for value in nonsense(schema):
                    arguments = holding(path, value, 4)
                    assert isinstance(arguments, dict)
                    arguments = {**needed(tool.input_schema, site.page("form")), **arguments}
                    answer = await server.call(tool.name, **arguments)
                    tried += 1
                    name = next(part for part in reversed(path) if part != "items")
                    named = any(f"{name}{rest}` must be" in answer.text for rest in ("", "[0]"))
                    if not answer.is_error or not named:
                        let_through.append((tool.name, arguments, answer.text[:200]))
        after = await server.call(opens, url=site.page("form"))
        assert not after.is_error, "it pauses"
    assert let_through == []
    assert tried > 50


def test_no_number_at_all_is_no_message(new_wire: Callable[..., Wire]) -> None:
    wire = new_wire("--headless")
    wire.shake_hands()
    for number in ("NaN", "Infinity", "-Infinity", "1e999"):
        message = {"name": "browser_wait_for", "arguments": {"time": 7}}
        text = json.dumps({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": message})
        wire.write(text.replace('"time": 7', f'"time": {number}'))
        answer = wire.read()
        assert "error" in answer or answer["result"]["isError"], answer
    assert "result" in wire.ask("tools/list")
