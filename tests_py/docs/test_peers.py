"""The page beside other servers says of each "yes" what shows it, and of each "no" why."""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PEERS = ROOT / "docs" / "reference" / "peers.md"
LINK = re.compile(r"\[[^\]]+\]\(([^)#]+)\)")
TOOL = re.compile(r"`((?:browser|patchright|create|list|close)_\w+[a-z])`")
MOST_NO = 10


def rows() -> list[list[str]]:
    """The rows of capabilities, cell by cell."""
    lines = [line for line in PEERS.read_text().splitlines() if line.startswith("| ")]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in cells if len(row) == 8 and row[0] != "capability"]


def test_every_yes_names_tests_that_are_there_and_call_the_tools_that_it_names() -> None:
    tools = {path.stem for path in (ROOT / "tests/it/snapshots/tools").glob("*.snap")}
    wrong = []
    for capability, *_, ours, where, tests in rows():
        if ours != "**yes**":
            continue
        files = [(PEERS.parent / link).resolve() for link in LINK.findall(tests)]
        texts = [file.read_text() for file in files if file.is_file()]
        if not texts or len(texts) != len(files):
            wrong.append(f"{capability}: {tests}")
            continue
        if not all(any(map(is_test, ast.walk(ast.parse(text)))) for text in texts):
            wrong.append(f"{capability}: no test in {tests}")
        for name in TOOL.findall(where):
            if name not in tools:
                wrong.append(f"{capability}: there is no {name}")
            elif not any(name in text or ALIASES.get(name, name) in text for text in texts):
                wrong.append(f"{capability}: {name} is not in {tests}")
    assert wrong == []


ALIASES = {"browser_click": "click(", "browser_navigate": "open(", "browser_snapshot": "snapshot("}
"""What the tests' own client calls tools by."""


def is_test(node: ast.AST) -> bool:
    """Whether this is a test."""
    return isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")


def test_few_are_no_and_each_says_why() -> None:
    no = [row for row in rows() if row[5] == "**no**"]
    assert len(no) <= MOST_NO
    assert all(len(where.split()) > 3 for *_, where, _ in no)


def test_the_page_counts_right() -> None:
    verdicts = [row[5] for row in rows()]
    said = re.search(r'Of these (\d+) rows (\d+) are "yes" and (\d+) "no"', PEERS.read_text())
    assert said
    counted = (len(verdicts), verdicts.count("**yes**"), verdicts.count("**no**"))
    assert tuple(map(int, said.groups())) == counted
