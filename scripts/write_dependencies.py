"""Writes docs/reference/dependencies.md: each crate that we name, its purpose, and its newest version.

Usage: python scripts/write_dependencies.py [--check]

With `--check` it needs no network, and looks at all but the newest versions.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "dependencies.md"
HEAD = """# Dependencies

The crates that `Cargo.toml` names. `make lint` checks where all crates come from, their licences, and that
none is there in two versions (`deny.toml`). The compiler refuses a crate that nothing uses. `make nightly`
looks for advisories. The wheel needs no Python package. `make docs` writes this page.

"""
COLUMNS = "| crate | in use | newest | licence | feature | for |\n|---|---|---|---|---|---|\n"
TITLES = {"normal": "The library and the program", "dev": "Tests and benchmarks"}


def cargo(*arguments: str) -> subprocess.CompletedProcess[str]:
    """What cargo answers."""
    command = ["cargo", *arguments]
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)


def purposes() -> dict[str, str]:
    """The comment behind each dependency of Cargo.toml, by `kind/name`."""
    found, kind = {}, ""
    for line in (ROOT / "Cargo.toml").read_text().splitlines():
        if line.startswith("["):
            kind = {"[dependencies]": "normal", "[dev-dependencies]": "dev"}.get(line, "")
        elif kind and (entry := re.match(r"([\w-]+) = .*[\"}] +# (.+)$", line)):
            found[f"{kind}/{entry[1]}"] = entry[2]
    return found


def newest() -> dict[str, str]:
    """The newest version of each crate that Cargo.lock has an older one of."""
    listed = cargo("update", "--dry-run", "--verbose").stderr
    changes = re.findall(
        r"^ +(?:Updating|Unchanged) (\S+) v\S+ (?:-> v|\(available: v)([^\s,)]+)", listed, re.MULTILINE
    )
    return {name: version.partition("+")[0] for name, version in changes}


def rows(
    kind: str, package: dict[str, Any], packages: dict[str, dict[str, Any]], latest: dict[str, str]
) -> list[str]:
    """One row for each dependency of a kind."""
    described = purposes()
    brought = {
        word.removeprefix("dep:"): feature for feature, words in package["features"].items() for word in words
    }
    lines = []
    for dependency in sorted(package["dependencies"], key=lambda found: found["name"]):
        name = dependency["name"]
        if (dependency["kind"] or "normal") != kind:
            continue
        crate, purpose = packages[name], described.get(f"{kind}/{name}")
        assert purpose, f"Cargo.toml does not say in a comment what {name} is for"
        version = crate["version"].partition("+")[0]
        feature = f"`{brought[name]}`" if dependency["optional"] else ""
        cells = [name, version, latest.get(name, version), crate["license"], feature, purpose]
        lines.append(f"| {' | '.join(cells)} |")
    return lines


def page(latest: dict[str, str]) -> str:
    """The whole page."""
    metadata = json.loads(cargo("metadata", "--locked", "--all-features", "--format-version", "1").stdout)
    own = next(package for package in metadata["packages"] if package["name"] == "patchright-mcp")
    named = {
        node["id"]: [dependency["pkg"] for dependency in node["deps"]]
        for node in metadata["resolve"]["nodes"]
    }[own["id"]]
    packages = {package["name"]: package for package in metadata["packages"] if package["id"] in named}
    text = HEAD
    for kind, title in TITLES.items():
        text += f"## {title}\n\n{COLUMNS}"
        text += "\n".join(rows(kind, own, packages, latest)) + "\n\n"
    return text.rstrip() + "\n"


def without_newest(text: str) -> str:
    """A page without its third column."""
    return re.sub(r"^(\| [^|]+\| [^|]+\|)[^|]+\|", r"\1", text, flags=re.MULTILINE)


def main() -> int:
    """Writes the page, or says that it is stale."""
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(page(newest()))
        return 0
    if without_newest(PAGE.read_text()) == without_newest(page({})):
        return 0
    print(f"{PAGE.relative_to(ROOT)} is stale: run `make docs`", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
