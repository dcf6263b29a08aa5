"""What we build on, checked: where it comes from, its licences, what is there twice; and our `unsafe` code.

Advisories are not looked up here, since lints need no network.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
REGISTRY = "registry+https://github.com/rust-lang/crates.io-index"
LICENCES = {
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "MPL-2.0",  # Of files, not of what is linked with them.
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
}
DUPLICATES = {
    "base64": "ours is what our own dependencies still have, except one",
    "getrandom": "each generation of the random crates has its own",
    "rand": "what tries orders of steps, in tests only, has the one before",
    "rand_core": "as `rand`",
    "rand_pcg": "as `rand`",
    "syn": "runs while building only",
    "synstructure": "the older one is of a part of rcgen that is not built",
    "untrusted": "as `synstructure`",
}
"""What may be there in several versions, and why."""
UNSAFE = {
    "src/browser/program/launch/process.rs": 2,
    "src/cli/remote.rs": 2,
    "src/mcp/memory.rs": 2,
    "src/python/guard.rs": 1,
}
"""How many blocks of `unsafe` stand where."""


def may_be_used(expression: str) -> bool:
    """Whether the licence, an SPDX expression, leaves us a choice that we can take."""
    words = re.findall(r"\(|\)|[^\s()]+", expression.replace("/", " OR "))
    terms: list[str] = []
    for word in words:
        if word == "WITH" or (terms and terms[-1].endswith(" WITH")):
            terms[-1] += f" {word}"
        else:
            terms.append(word)
    kept = {"AND": "and", "OR": "or", "(": "(", ")": ")"}
    judged = " ".join(kept.get(term, str(term in LICENCES)) for term in terms)
    return bool(eval(judged, {"__builtins__": {}}))  # noqa: S307 - only True, False, and, or and brackets


def check_packages(packages: list[dict[str, Any]]) -> list[str]:
    """What is wrong with the crates that we build on."""
    problems = []
    versions: dict[str, set[str]] = defaultdict(set)
    for package in packages:
        name = package["name"]
        versions[name].add(package["version"])
        if package["source"] not in (None, REGISTRY):
            problems.append(f"{name} comes from {package['source']}, not from crates.io")
        if not may_be_used(package["license"] or "none"):
            problems.append(f"{name}: its licence, {package['license']}, is not one that we take")
    twice = {name for name, known in versions.items() if len(known) > 1}
    problems += [
        f"{name} is there in {', '.join(sorted(versions[name]))}" for name in sorted(twice - set(DUPLICATES))
    ]
    problems += [
        f"{name} is there once now: take it off the list" for name in sorted(set(DUPLICATES) - twice)
    ]
    return problems


def check_unsafe() -> list[str]:
    """Where `unsafe` stands that is not on the list, or without its reason."""
    problems = []
    found: dict[str, int] = defaultdict(int)
    for file in sorted((ROOT / "src").rglob("*.rs")):
        lines = file.read_text().splitlines()
        for number, line in enumerate(lines):
            if not re.search(r"\bunsafe (\{|fn|impl)", line):
                continue
            place = str(file.relative_to(ROOT))
            found[place] += 1
            if not any("SAFETY:" in above for above in lines[max(0, number - 6) : number]):
                problems.append(f"{place}:{number + 1}: `unsafe` without `SAFETY:` above it")
    if found != UNSAFE:
        problems.append(f"blocks of `unsafe`: {dict(found)} are there, {UNSAFE} are on the list")
    return problems


def main() -> int:
    """Prints what is wrong."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1"]
    platform = ["--filter-platform", "x86_64-unknown-linux-gnu"]
    answer = subprocess.run([*command, *platform], cwd=ROOT, check=True, capture_output=True, text=True)
    packages = json.loads(answer.stdout)["packages"]
    problems = check_packages(packages) + check_unsafe()
    sys.stdout.writelines(f"{problem}\n" for problem in problems)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
