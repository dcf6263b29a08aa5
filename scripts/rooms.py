#!/usr/bin/env python3
"""Draws the rooms of src/: who names whom, and which files name each other in a circle.

    python scripts/rooms.py             # the layers of src/, the rooms of src/browser/ and src/mcp/
    python scripts/rooms.py --up        # only what points up, each with its line

The order of rooms is that of the `mod` lines in src/lib.rs, src/browser/mod.rs and src/mcp/mod.rs.
tests/it/layers.rs holds it.
"""

import argparse
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

SOURCE = Path(__file__).parent.parent / "src"
BROWSER = SOURCE / "browser"
TOGETHER = {("call", "tool")}
"""A tool is run with a call, and a call runs tools."""

Arrow = tuple[str, str, str]
"""From one module to another, and the line that says so."""


def module_of(file: Path) -> tuple[str, ...]:
    """The path of a file as a module, from the crate's root."""
    path = file.relative_to(SOURCE).with_suffix("").parts
    return path[:-1] if path[-1] in ("mod", "lib", "main") else path


def order_of(map_file: Path) -> list[str]:
    """The modules that a file names with `mod`, in its order."""
    return re.findall(r"^(?:pub(?:\([a-z: ]+\))? )?mod (\w+);", map_file.read_text(), re.MULTILINE)


def modules() -> dict[tuple[str, ...], str]:
    """All modules, with their code."""
    return {module_of(file): file.read_text() for file in sorted(SOURCE.rglob("*.rs"))}


def uses(module: tuple[str, ...], code: str) -> Iterator[tuple[tuple[str, ...], str]]:
    """The paths that code names, from the crate's root, each with its line."""
    for line in code.split("#[cfg(test)]\nmod tests", maxsplit=1)[0].splitlines():
        if line.lstrip().startswith("//"):
            continue
        for path in re.findall(r"\b((?:crate|super)(?:::\w+)+)", line):
            first, *rest = path.split("::")
            here = () if first == "crate" else module[:-1]
            while rest and rest[0] == "super":
                here, rest = here[:-1], rest[1:]
            yield (*here, *rest), line.strip()


def reexports() -> dict[str, tuple[str, ...]]:
    """Which module of src/browser/ each name at its root comes from."""
    found = {}
    for path, names in re.findall(r"pub use ([\w:]+)::(\{[^}]*\}|\w+);", (BROWSER / "mod.rs").read_text()):
        for name in re.findall(r"\w+", names):
            found[name] = ("browser", *path.split("::"))
    return found


def arrows() -> list[tuple[tuple[str, ...], tuple[str, ...], str]]:
    """From file to file."""
    known, exported = modules(), reexports()
    found = []
    for module, code in known.items():
        for path, line in uses(module, code):
            at_root = len(path) > 1 and path[0] == "browser" and path[:2] not in known
            target = (*exported[path[1]], *path[1:]) if at_root and path[1] in exported else path
            while target and target not in known:
                target = target[:-1]
            if target and target != module:
                found.append((module, target, line))
    return found


def circles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Groups of modules that reach each other, largest first (Tarjan's strongly connected components)."""
    after: dict[str, set[str]] = defaultdict(set)
    for one, other in edges:
        after[one].add(other)
    number: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    found = []

    def visit(node: str) -> None:
        number[node] = low[node] = len(number)
        stack.append(node)
        for other in sorted(after[node]):
            if other not in number:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], number[other])
        if low[node] == number[node]:
            group = stack[stack.index(node) :]
            del stack[stack.index(node) :]
            if len(group) > 1:
                found.append(sorted(group))

    for node in sorted(after):
        if node not in number:
            visit(node)
    return sorted(found, key=len, reverse=True)


def draw(title: str, order: list[str], below: tuple[str, ...], *, only_up: bool) -> int:
    """Prints the rooms below a module; how many arrows point up."""
    depth = len(below)
    lines: dict[tuple[str, str], list[Arrow]] = defaultdict(list)
    inside = []
    for one, other, line in arrows():
        if one[:depth] == below == other[:depth] and len(one) > depth < len(other):
            inside.append(("::".join(one), "::".join(other)))
            if one[depth] != other[depth]:
                lines[one[depth], other[depth]].append(("::".join(one), "::".join(other), line))
    points_up = {pair for pair in lines if order.index(pair[1]) > order.index(pair[0])}
    up = {pair: lines[pair] for pair in points_up - TOGETHER}
    if not only_up:
        print(f"\n{title}: {len(lines)} arrows, {len(up)} of them up")
        for room in order:
            named = sorted((pair[1] for pair in lines if pair[0] == room), key=order.index)
            print(f"  {room:10} -> {', '.join(named) or 'nothing'}")
        groups = circles(inside)
        print(f"  circles of files: {' + '.join(str(len(group)) for group in groups) or 'none'}")
        for group in groups:
            print(f"    {', '.join(group)}")
    for (room, above), entry in sorted(up.items()):
        print(f"  UP: {room} -> {above}")
        for file, target, line in entry:
            print(f"      {file} -> {target}: {line}")
    return len(up)


def main() -> int:
    """Draws; how many arrows point up."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--up", action="store_true", help="show only what points up")
    only_up = parser.parse_args().up
    return sum(
        (
            draw("src", order_of(SOURCE / "lib.rs"), (), only_up=only_up),
            draw("src/browser", order_of(BROWSER / "mod.rs"), ("browser",), only_up=only_up),
            draw("src/mcp", order_of(SOURCE / "mcp" / "mod.rs"), ("mcp",), only_up=only_up),
        )
    )


if __name__ == "__main__":
    raise SystemExit(1 if main() else 0)
