"""The rooms of src/ stay what ARCHITECTURE says. Every exception has its reason beside it."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scripts.rooms import SOURCE, arrows, circles

MOST_LINES = 60
"""A longer function needs a reason below."""

MOST_FIELDS = 15
"""A larger struct needs a reason below."""

CIRCLES = {
    ("bidi", 17): "Firefox imitates the DevTools protocol; the driver trait of the three browsers replaces it.",
    ("browser", 7): "A browser has contexts, which have pages, which have frames, and each knows where it belongs.",
    ("browser", 2): "A value of a script and its handle.",
    ("cli", 3): "The command line starts its background server with its own command.",
    ("error", 2): "An error and its facts.",
    ("mcp", 2): "Tools and calls; live pages and guards; replicas and the server.",
    ("python", 9): "The classes of Playwright answer each other.",
    ("session", 3): "An engine opens workspaces, which count towards its quota.",
    ("snapshot", 3): "Writing a tree.",
    ("snapshot", 4): "Writing a tree within a budget.",
}

LONG_FUNCTIONS: dict[str, str] = {}

LARGE_STRUCTS: dict[str, str] = {}

BUDGETS: dict[str, int] = {}


def functions(code: str) -> Iterator[tuple[str, int]]:
    """The name and the length of each function of a formatted file."""
    lines = code.splitlines()
    for start, line in enumerate(lines):
        found = re.match(r"( *)(?:pub(?:\([a-z: ]+\))? )?(?:const |async |unsafe |extern \"C\" )*fn (\w+)", line)
        if found is None:
            continue
        for end in range(start, len(lines)):
            if lines[end] == found[1] + "}":
                yield found[2], end - start + 1
                break
            if lines[end].startswith(found[1]) and lines[end].rstrip().endswith((";", "}")) and end == start:
                break


def structs(code: str) -> Iterator[tuple[str, int]]:
    """The name and the number of fields of each struct of a formatted file."""
    for found in re.finditer(r"^( *)(?:pub(?:\([a-z: ]+\))? )?struct (\w+)[^;{(]*\{\n(.*?)^\1\}", code, re.M | re.S):
        field = re.compile(rf"^{found[1]}    (?:pub(?:\([a-z: ]+\))? )?(?:r#)?\w+: ", re.M)
        yield found[2], len(field.findall(found[3]))


def sources() -> Iterator[tuple[str, str]]:
    """Each file of src/ but the tables of the protocol, with its code before its tests."""
    tables = SOURCE / "cdp" / "types"
    for file in sorted(SOURCE.rglob("*.rs")):
        if tables not in file.parents:
            yield str(file.relative_to(SOURCE)), file.read_text().split("#[cfg(test)]\nmod tests", maxsplit=1)[0]


def test_circles_of_files_are_those_with_a_reason() -> None:
    inside: dict[str, list[tuple[str, str]]] = {}
    for one, other, _ in arrows():
        if one[0] == other[0]:
            inside.setdefault(one[0], []).append(("::".join(one), "::".join(other)))
    found = {(room, len(group)): group for room, edges in inside.items() for group in circles(edges)}
    assert {size: group for size, group in found.items() if size not in CIRCLES} == {}


def test_a_long_function_has_a_reason() -> None:
    found = {f"{file}:{name}" for file, code in sources() for name, lines in functions(code) if lines > MOST_LINES}
    assert len(LONG_FUNCTIONS) < 60
    assert found - LONG_FUNCTIONS.keys() == set()
    assert LONG_FUNCTIONS.keys() - found == set(), "a reason that nothing needs"


def test_a_large_struct_has_a_reason() -> None:
    found = {f"{file}:{name}" for file, code in sources() for name, fields in structs(code) if fields > MOST_FIELDS}
    assert found - LARGE_STRUCTS.keys() == set()
    assert LARGE_STRUCTS.keys() - found == set(), "a reason that nothing needs"


def test_each_room_keeps_to_its_budget_of_lines() -> None:
    lines: Counter[str] = Counter()
    for file in SOURCE.rglob("*.rs"):
        lines[Path(file.relative_to(SOURCE)).parts[0].removesuffix(".rs")] += len(file.read_text().splitlines())
    assert {room: count for room, count in lines.items() if count > BUDGETS.get(room, 600)} == {}
