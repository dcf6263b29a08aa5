"""Checks for plain words: no more banned phrases than `scripts/words.txt` allows, and short commit titles.

Usage: python scripts/check_words.py             compare with the baseline, which may only shrink
       python scripts/check_words.py --update    lower the baseline, or write it if there is none
       python scripts/check_words.py --title FILE    check the title of a commit message
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).parents[1]
BASELINE = ROOT / "scripts" / "words.txt"
LONGEST_TITLE = 72
BANNED = {
    r"unless told": "write `Default: …`",
    r"when left out": "write `Default: …`",
    r"to be had": "write `available`",
    r"(?:cannot|can not) be had": "write `is not available`",
    r"(?:be|been|is|are|was|were) told": "write `reports`, `shows`, `receives` or `is notified`",
    r"gets? told": "write `receives` or `is notified`",
    r"mend(?:ed|s)?": "write `fix`",
    r"lets nobody": "name what is refused",
    r"in so many": "write `with this number of`",
    r"for whoever": "name who",
    r"as people do": "name the format",
}
IDENTIFIERS = ("told", "errand", "seat", "guest", "lodge", "guise", "deed", "heard", "wall")
"""Parts of names that say nothing to a stranger. CONTRIBUTING.md has the word to use instead."""
CODE = ("src/*.rs", "tests/*.rs", "python/*.py", "python/*.pyi", "tests_py/*.py", "scripts/*.py")
READ = ("*.md", "src/*.rs", "python/*.py", "python/*.pyi", "scripts/*.py", "skills/*")
INSTEAD = "CONTRIBUTING.md names the word to use in identifiers"
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
NO_NAMES = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|#(?!\[)[^\n]*')
LEFT = ("python/patchright_mcp/sync_api/", "scripts/check_words.py", "CONTRIBUTING.md", "docs/reference/")
"""Derived, or about these words."""


def main(arguments: list[str]) -> int:
    """Checks what is asked for, and returns the exit status."""
    if arguments[:1] == ["--title"]:
        return report(title_problems(Path(arguments[1]).read_text()))
    counts = counted(texts(READ)) | named(texts(CODE))
    allowed = baseline()
    if arguments == ["--update"]:
        lowered = {phrase: min(count, allowed.get(phrase, count)) for phrase, count in counts.items()}
        BASELINE.write_text("".join(f"{count} {phrase}\n" for phrase, count in lowered.items()))
    return report(
        f"{count} times {phrase!r}, where {allowed.get(phrase, 0)} are allowed: {BANNED.get(phrase, INSTEAD)}"
        for phrase, count in counts.items()
        if count > allowed.get(phrase, 0 if allowed else count)
    )


def report(problems: object) -> int:
    """Prints problems, and returns 1 if there are any."""
    lines = list(problems)  # type: ignore[call-overload]
    for line in lines:
        print(line, file=sys.stderr)
    return 1 if lines else 0


def title_problems(message: str) -> list[str]:
    """What is wrong with the first line of a commit message."""
    title = message.partition("\n")[0]
    if title.startswith(("Merge ", "Revert ", "fixup! ", "squash! ")):
        return []
    problems = []
    if len(title) > LONGEST_TITLE:
        problems.append(f"the title has {len(title)} characters; at most {LONGEST_TITLE} are allowed")
    if title.endswith("."):
        problems.append("the title ends with a period")
    return problems


def texts(patterns: tuple[str, ...]) -> list[str]:
    """The texts of the files that fit the patterns, but for derived ones."""
    listing = ["git", "ls-files", *patterns]
    listed = subprocess.check_output(listing, cwd=ROOT, text=True).splitlines()
    return [
        (ROOT / path).read_text() for path in listed if not path.startswith(LEFT) and (ROOT / path).exists()
    ]


def counted(read: list[str]) -> dict[str, int]:
    """How often each banned phrase occurs. Line breaks and comment signs count as spaces."""
    plain = [re.sub(r"\s+(?:(?://[/!]?|#)\s+)?", " ", text) for text in read]
    return {
        phrase: sum(len(re.findall(rf"\b{phrase}\b", text, re.IGNORECASE)) for text in plain)
        for phrase in BANNED
    }


def named(read: list[str]) -> dict[str, int]:
    """How often each banned word is a part of an identifier, comments and quoted texts left aside."""
    plain = [NO_NAMES.sub(" ", text) for text in read]
    words = [
        word for text in plain for name in re.findall(r"[A-Za-z_]\w*", text) for word in WORD.findall(name)
    ]
    lowered = Counter(word.lower() for word in words)
    return {f"identifier {word}": lowered[word] + lowered[f"{word}s"] for word in IDENTIFIERS}


def baseline() -> dict[str, int]:
    """How often each phrase may occur; empty without a baseline."""
    lines = BASELINE.read_text().splitlines() if BASELINE.exists() else []
    return {phrase: int(count) for count, _, phrase in (line.partition(" ") for line in lines)}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
