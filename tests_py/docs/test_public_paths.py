"""The public surface of the crate changes only on purpose: tests/public_paths.txt lists it."""

import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
ITEM = re.compile(
    r"^((?:#\[[^\n]*\]\n)*)pub (?:(mod) (\w+)|(use) ([^;]+)|(?:enum|struct|trait|type|const|fn) (\w+))",
    re.MULTILINE,
)


def file_of(module: str) -> Path:
    """The file of a module at the root of the crate."""
    folder = SOURCE / module / "mod.rs"
    return folder if folder.exists() else SOURCE / f"{module}.rs"


def public_names(code: str) -> Iterator[tuple[str, bool]]:
    """The documented names that a file makes public, and whether each is a module of its own."""
    for attributes, is_module, module, is_use, used, item in ITEM.findall(code):
        if "doc(hidden)" in attributes:
            continue
        if is_use:
            names = used[used.index("{") + 1 : used.index("}")].split(",") if "{" in used else [used]
            yield from ((re.split(r"::|\bas\b", name)[-1].strip(), False) for name in names if name.strip())
        else:
            yield module or item, bool(is_module)


def public_paths() -> list[str]:
    """All of them, from the root of the crate."""
    paths = []
    for name, is_module in public_names((SOURCE / "lib.rs").read_text()):
        paths.append(name)
        if is_module:
            paths += [f"{name}::{inner}" for inner, _ in public_names(file_of(name).read_text())]
    return sorted(paths)


def test_public_paths_are_those_listed() -> None:
    listed = (ROOT / "tests" / "public_paths.txt").read_text().split()
    assert public_paths() == listed, (
        "after a change on purpose, write the new paths into tests/public_paths.txt"
    )
