"""Writes docs/reference, the skill's table of commands and llms.txt from what the code says.

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
SKILL = ROOT / "skills" / "browser" / "SKILL.md"
MATTER = (
    *("open", "click", "fill", "type", "press", "select", "drag", "upload", "dialog"),
    *("find", "steps", "tabs", "wait", "eval", "screenshot"),
)
"""The commands that a model is told of before it asks."""
SERVER = [sys.executable, "-m", "patchright_mcp"]
HINTS = {"readOnlyHint": "only reads", "idempotentHint": "can be repeated"}
ERROR = re.compile(
    r'(?:#\[strum\(serialize = "(?P<code>\w+)"\)\]\s+)?'
    r'#\[error\(\s*"(?P<text>(?:[^"\\]|\\.)*)"[^\n]*\)\]\s+(?P<name>\w+)|(?<!/)// (?P<group>[A-Z][^\n]*)\.\n'
)


def main() -> int:
    """Writes the pages, or says which are stale."""
    tools = listed_tools()
    pages = {
        REFERENCE / "tools.md": tools_page(tools),
        REFERENCE / "options.md": options_page(),
        REFERENCE / "commands.md": commands_page(),
        SKILL: skill(),
        ROOT / "llms.txt": llms(),
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


def renewed(page: Path, part: str, text: str) -> str:
    """A page with one part of it written anew."""
    before, start, rest = page.read_text().partition(f"<!-- {part} -->\n")
    _, end, after = rest.partition(f"<!-- end of {part} -->\n")
    assert start, f"{page} has no part {part}"
    assert end, f"{page}: {part} has no end"
    return f"{before}{start}{text}{end}{after}"


def skill() -> str:
    """The skill with its table of commands renewed."""
    listed = commands()
    short = [(usage, re.split("[;:]", what)[0]) for usage, what in (listed[name] for name in MATTER)]
    rows = ["| `{}` | {} |\n".format(usage.replace("|", "\\|"), what) for usage, what in short]
    return renewed(SKILL, "verbs", "".join(["| command | |\n|---|---|\n", *rows]))


def commands() -> dict[str, tuple[str, str]]:
    """Every command's usage and what it does, by its name."""
    listed = re.findall(r"^  (\S+)([^\n]*)\n      ([^\n]*)", said("help", "--all"), re.MULTILINE)
    return {name: (name + rest, what) for name, rest, what in listed}


def llms() -> str:
    """What there is to read, for models."""
    lines = ["# patchright_mcp", "", f"> {first_paragraph(README)}", ""]
    titles = {
        "guides": "Guides",
        "concepts": "Concepts",
        "reference": "Reference",
        "benchmarks": "Benchmarks",
        "decisions": "Decisions",
    }
    for folder, title in titles.items():
        lines += [f"## {title}", ""]
        for page in sorted((ROOT / "docs" / folder).glob("*.md")):
            heading = page.read_text().partition("\n")[0].removeprefix("# ")
            lines.append(f"- [{heading}]({page.relative_to(ROOT)}): {first_paragraph(page)}")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def first_paragraph(page: Path) -> str:
    """The first words of a page under its title, without what is only for the eye."""
    paragraphs = page.read_text().split("\n\n")[1:]
    text = next((part for part in paragraphs if part[0] not in "#|`<- "), "")
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(text.split()).replace("**", ""))
    return first_sentence(text) + "."


def capabilities() -> list[str]:
    """What `--caps` takes, as `--help` says."""
    reported = said("--help")
    entry = reported[reported.index("  --caps ") :]
    listed = entry[entry.index("Possible values:") :].partition("\n\n")[0]
    return re.findall(r"^ +- (\w+):", listed, re.MULTILINE)


def added_by(cap: str, tools: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The tools that are listed only with this capability."""
    known = {tool["name"] for tool in tools}
    return [tool for tool in listed_tools("--caps", cap) if tool["name"] not in known]


def first_sentence(text: str) -> str:
    """What a tool does, in short."""
    return text.partition("\n")[0].partition(". ")[0].rstrip(".")


def tools_page(tools: list[dict[str, Any]]) -> str:
    """Every tool, with its arguments."""
    lines = ["# Tools", "", "Written by `make docs` from what the server lists.", ""]
    caps = [(f"--caps {cap}", added_by(cap, tools)) for cap in capabilities()]
    groups = [("", tools), *caps, ("--toolsets claude", listed_tools("--toolsets", "claude"))]
    for option, tool in ((option, tool) for option, group in groups for tool in group):
        hints = [words for hint, words in HINTS.items() if tool["annotations"].get(hint)]
        suffix = f" *{', '.join(hints).capitalize()}.*" if hints else ""
        lines += [f"## `{tool['name']}`", "", *([f"With `{option}`.", ""] if option else [])]
        lines += [tool["description"] + suffix, ""]
        lines += arguments_table(tool["inputSchema"])
    return "\n".join(lines).rstrip() + "\n"


def listed_tools(*options: str) -> list[dict[str, Any]]:
    """What a server with these options answers to `tools/list`."""
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
    process = subprocess.Popen([*SERVER, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
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
        meaning = " ".join(filter(None, [properties[name].get("description", ""), members(properties[name])]))
        rows.append(f"| `{name}` | {kind(properties[name])} | {need} | {meaning} |")
    return ["| argument | kind | | meaning |", "|---|---|---|---|", *rows, ""]


def kind(schema: dict[str, Any]) -> str:
    """What an argument may be, in words."""
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {kind(schema['items'])}"
    return str(schema.get("type", "any"))


def members(schema: dict[str, Any]) -> str:
    """What the objects in a list are made of."""
    properties: dict[str, dict[str, Any]] = schema.get("items", {}).get("properties", {})
    required = set(schema.get("items", {}).get("required", []))
    events = []
    for name in sorted(properties, key=lambda name: name not in required):
        need = ", required" if name in required else ""
        meaning = properties[name].get("description", "")
        events.append(f"`{name}` ({kind(properties[name])}{need})" + (f": {meaning}" if meaning else ""))
    return "Each has:<br>" + "<br>".join(events) if events else ""


def options_page() -> str:
    """What `--help` says."""
    text = said("--help")
    text = "\n".join(line.rstrip() for line in text.splitlines())
    return f"# Options\n\nWritten by `make docs` from `patchright-mcp --help`.\n\n```text\n{text}\n```\n"


def commands_page() -> str:
    """What `help` says of every command."""
    lines = [
        "# Commands",
        "",
        "Written by `make docs` from `patchright-mcp help`. [How to use them](../guides/command-line.md).",
        "Those that work in the browser also take `-s NAME`, a session, and `--json`, for one JSON object.",
    ]
    for name in commands():
        if name in {"mcp", "help"}:
            continue
        about, usage, *rest = re.split(r"\n*Usage: |\n\n", said("help", name).rstrip(), maxsplit=2)
        takes = [part for text in rest for part in ("", text.rstrip())]
        lines += ["", f"## `{name}`", "", about, "", "```text", usage, *takes, "```"]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()) + "\n"


def said(*words: str) -> str:
    """What the program answers."""
    return subprocess.run([*SERVER, *words], check=True, capture_output=True, text=True).stdout


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
            code = found["code"] or re.sub(r"(?<!^)(?=[A-Z])", "_", found["name"]).lower()
            message = re.sub(
                r"\{(\w*)[^}]*\}", lambda place: f"*{place[1]}*" if place[1] else "…", found["text"]
            )
            lines.append(f"| `{code}` | {message} |")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)) + "\n"


if __name__ == "__main__":
    sys.exit(main())
