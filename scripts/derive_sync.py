"""Writes the synchronous library from the asynchronous one; with `--check`, compares.

Only what waits differs between the two, and all of that is in `_runtime.py`, which each has of its own. All
other files are the same but for a few words: `async` and `await` go, also in examples, and names that say how
it waits say so.
"""

from __future__ import annotations

import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "python" / "patchright_mcp"
SOURCE = PACKAGE / "async_api"
TARGET = PACKAGE / "sync_api"
_TYPED = PACKAGE.parent.parent / "tests_py" / "typed"
TOUR = (_TYPED / "async_tour.py", _TYPED / "sync_tour.py")

NAMES = {
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "__aiter__": "__iter__",
    "__anext__": "__next__",
    "StopAsyncIteration": "StopIteration",
    "async_playwright": "sync_playwright",
    "async_api": "sync_api",
}
STRINGS = {
    "async with async_playwright": "with sync_playwright",
    "asynchronous library": "synchronous library",
    "The asynchronous": "The synchronous",
}
EXAMPLE = re.compile(r"^( *)Example:\n(?:\1 +.*\n|\n)+", re.MULTILINE)
"""What a docstring shows as code."""
AWAITED = re.compile(r"\b(?:await|async(?= (?:with|for|def)\b)) ")


def derived(text: str) -> str:
    """The synchronous form of a file."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    pieces: list[str] = []
    end = 0
    for number, token in enumerate(tokens):
        start = starts[token.start[0] - 1] + token.start[1]
        stop = starts[token.end[0] - 1] + token.end[1]
        if start < end or token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER):
            continue
        pieces.append(text[end:start])
        end = stop
        if token.type == tokenize.NAME and token.string in ("async", "await"):
            following = tokens[number + 1]
            end = starts[following.start[0] - 1] + following.start[1]
        elif token.type == tokenize.NAME:
            pieces.append(NAMES.get(token.string, token.string))
        elif token.type == tokenize.STRING or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
            pieces.append(renamed(text[start:stop]))
        else:
            pieces.append(text[start:stop])
    pieces.append(text[end:])
    return without_awaitable("".join(pieces))


def renamed(string: str) -> str:
    """A string, which may say how the library waits."""
    for old, new in STRINGS.items():
        string = string.replace(old, new)
    string = EXAMPLE.sub(lambda found: AWAITED.sub("", found[0]), string)
    return re.sub(r'^"async_playwright"$', '"sync_playwright"', string)


def without_awaitable(text: str) -> str:
    """`Awaitable[X]` is X."""
    return re.sub(r"\bAwaitable\[([^\[\]]*)\]", r"\1", text)


def formatted(text: str, target: Path) -> str:
    """The file as ruff writes it: lines have become shorter, and names stand elsewhere in the alphabet."""
    for command in (["check", "--fix-only", "--quiet", "--select=RUF022,I001"], ["format", "--quiet"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(target), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main() -> int:
    """Writes or compares; the number of files that differ."""
    differing = []
    sources = {path.name: path for path in SOURCE.glob("*.py*") if path.name != "_runtime.py"}
    pairs = [(path, TARGET / name) for name, path in sorted(sources.items())]
    for path, target in [*pairs, TOUR]:
        text = formatted(derived(path.read_text(encoding="utf-8")), target)
        if target.exists() and target.read_text(encoding="utf-8") == text:
            continue
        differing.append(target.name)
        if "--check" not in sys.argv:
            target.write_text(text, encoding="utf-8")
    stale = [path.name for path in TARGET.glob("*.py*") if path.name not in {*sources, "_runtime.py"}]
    if "--check" in sys.argv and (differing or stale):
        sys.stderr.write(f"not as scripts/derive_sync.py writes them: {', '.join(differing + stale)}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
