"""Writes docs/reference, and the README's table of tools, from what the code says.

Usage: python scripts/write_reference.py [--check]
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
REFERENCE = ROOT / "docs" / "reference"
SERVER = [sys.executable, "-m", "patchright_mcp"]
HINTS = {"readOnlyHint": "only reads", "idempotentHint": "can be repeated"}
ERROR = re.compile(
    r'#\[error\("(?P<text>(?:[^"\\]|\\.)*)"[^\n]*\)\]\s+(?P<name>\w+)|// (?P<group>[A-Z][^\n]*)\.\n'
)


def main() -> int:
    """Writes the pages, or says which are stale."""
    tools = listed_tools()
    pages = {
        README: readme(tools),
        REFERENCE / "tools.md": tools_page(tools),
        REFERENCE / "options.md": options_page(),
        REFERENCE / "errors.md": errors_page(),
    }
    stale = {page: text for page, text in pages.items() if not is_current(page, text)}
    if "--check" in sys.argv[1:]:
        for page in stale:
            print(f"{page.relative_to(ROOT)} is stale: run `make docs`", file=sys.stderr)
        return 1 if stale else 0
    REFERENCE.mkdir(exist_ok=True)
    for page, text in stale.items():
        page.write_text(text)
    return 0


def is_current(page: Path, text: str) -> bool:
    """Whether the page says this already."""
    return page.exists() and page.read_text() == text


def readme(tools: list[dict[str, Any]]) -> str:
    """The README with its table of tools renewed."""
    before, start, rest = README.read_text().partition("<!-- tools -->\n")
    _, end, after = rest.partition("<!-- end of tools -->\n")
    assert start
    assert end
    rows = [f"| `{tool['name']}` | {first_sentence(tool['description'])} |\n" for tool in tools]
    return "".join([before, start, "| tool | |\n|---|---|\n", *rows, end, after])


def first_sentence(text: str) -> str:
    """What a tool does, in short."""
    return text.partition("\n")[0].partition(". ")[0].rstrip(".")


def tools_page(tools: list[dict[str, Any]]) -> str:
    """Every tool, with its arguments."""
    lines = ["# Tools", "", "Written by `make docs` from what the server lists.", ""]
    for tool in tools:
        hints = [words for hint, words in HINTS.items() if tool["annotations"].get(hint)]
        suffix = f" *{', '.join(hints).capitalize()}.*" if hints else ""
        lines += [f"## `{tool['name']}`", "", tool["description"] + suffix, ""]
        lines += arguments_table(tool["inputSchema"])
    return "\n".join(lines).rstrip() + "\n"


def listed_tools() -> list[dict[str, Any]]:
    """What the server answers to `tools/list`."""
    client = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "docs", "version": "1"},
    }
    messages: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": client},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    process = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin
    assert process.stdout
    with process:
        for message in messages:
            process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        process.stdin.flush()
        answers = (json.loads(line) for line in process.stdout)
        tools: list[dict[str, Any]] = next(answer for answer in answers if answer["id"] == 2)["result"][
            "tools"
        ]
        process.stdin.close()
    return tools


def arguments_table(schema: dict[str, Any]) -> list[str]:
    """One row an argument; nothing for a tool that takes none."""
    properties: dict[str, dict[str, Any]] = schema.get("properties", {})
    if not properties:
        return []
    required = set(schema.get("required", []))
    names = sorted(properties, key=lambda name: name not in required)
    rows = []
    for name in names:
        need = "required" if name in required else ""
        rows.append(
            f"| `{name}` | {kind(properties[name])} | {need} | {properties[name].get('description', '')} |"
        )
    return ["| argument | kind | | meaning |", "|---|---|---|---|", *rows, ""]


def kind(schema: dict[str, Any]) -> str:
    """What an argument may be, in words."""
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}"
    return str(schema.get("type", "any"))


def options_page() -> str:
    """What `--help` says."""
    told = subprocess.run([*SERVER, "--help"], check=True, capture_output=True, text=True).stdout
    told = "\n".join(line.rstrip() for line in told.splitlines())
    return f"# Options\n\nWritten by `make docs` from `patchright-mcp --help`.\n\n```text\n{told}\n```\n"


def errors_page() -> str:
    """Every error, from the list in the source."""
    lines = [
        "# Errors",
        "",
        "Written by `make docs` from `src/error.rs`. Codes never change; messages may improve.",
        "",
    ]
    listing = (ROOT / "src" / "error.rs").read_text().partition("pub enum Error {")[2].partition("\n}\n")[0]
    for found in ERROR.finditer(listing):
        if found["group"]:
            lines += ["", f"## {found['group']}", "", "| code | message |", "|---|---|"]
        else:
            code = re.sub(r"(?<!^)(?=[A-Z])", "_", found["name"]).lower()
            message = re.sub(
                r"\{(\w*)[^}]*\}", lambda place: f"*{place[1]}*" if place[1] else "…", found["text"]
            )
            lines.append(f"| `{code}` | {message} |")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


if __name__ == "__main__":
    sys.exit(main())
