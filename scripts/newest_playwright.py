"""Tells what the newest playwright for Python has and ours has not: `scripts/newest_playwright.py [VERSION]`.

It reads playwright's wheel, which is fetched and not installed, and the library as it is here. Members that
only raise an error come last. It ends with 1 where a name or a parameter is missing.
"""

from __future__ import annotations

import ast
import inspect
import subprocess
import sys
import tempfile
import textwrap
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from patchright_mcp import async_api

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

# Playwright's own plumbing, which no script names.
_PLUMBING = {"__all__", "on", "once", "remove_listener"}
Members = dict[str, set[str] | None]
"""Of a class: the parameters of each method; `None` for what is no method."""


def wheel(version: str | None, folder: Path) -> Path:
    """Playwright's wheel, as the index has it."""
    wanted = f"playwright=={version}" if version else "playwright"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder), wanted]
    subprocess.run(command, check=True)
    return next(folder.glob("*.whl"))


def classes_of(source: str) -> Iterator[tuple[str, Members]]:
    """The classes of a file, with what is public in them."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.ClassDef):
            yield node.name, members_of(node)


def members_of(node: ast.ClassDef) -> Members:
    """What is public in a class."""
    found: Members = {}
    for item in node.body:
        if isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef)):
            if item.name in _PLUMBING:
                continue
            is_property = any(
                isinstance(mark, ast.Name) and mark.id == "property" for mark in item.decorator_list
            )
            arguments = [*item.args.args[1:], *item.args.kwonlyargs]
            found[item.name] = None if is_property else {argument.arg for argument in arguments}
        elif isinstance(item, ast.AnnAssign) and isinstance(item.target, ast.Name):
            found[item.target.id] = None
    return {name: parameters for name, parameters in found.items() if not name.startswith("_")}


def exported(source: str) -> set[str]:
    """The names that a package gives."""
    for node in ast.parse(source).body:
        if isinstance(node, ast.Assign) and any(
            isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
        ):
            return set(ast.literal_eval(node.value))
    raise SystemExit("playwright.async_api has no list of names any more")


def missing(name: str, theirs: Members) -> Iterator[str]:
    """What of a class is not in ours."""
    own = getattr(async_api, name, None)
    if own is None:
        yield name
        return
    known = own.__annotations__ if issubclass(own, dict) else {}
    for member, parameters in theirs.items():
        value = inspect.getattr_static(own, member, None)
        if value is None and member not in known and not is_attribute(own, member):
            yield f"{name}.{member}"
        elif parameters and inspect.isfunction(value):
            lacking = parameters - set(inspect.signature(value).parameters)
            yield from (f"{name}.{member}({parameter}=…)" for parameter in sorted(lacking))


def is_attribute(own: type, name: str) -> bool:
    """Whether objects of a class have something that is set where they are made."""
    sources = (
        inspect.getsource(base) for base in own.__mro__ if base.__module__.startswith("patchright_mcp")
    )
    return any(f"self.{name}:" in source or f"self.{name} =" in source for source in sources)


def only_raises(name: str, theirs: Members) -> Iterator[str]:
    """Those members of ours that only say why they are not there."""
    own = getattr(async_api, name, None)
    for member in theirs if own is not None else ():
        value = inspect.getattr_static(own, member, None)
        function = value.fget if isinstance(value, property) else value
        if inspect.isfunction(function) and body_raises(function):
            yield f"{name}.{member}"


def body_raises(function: Callable[..., object]) -> bool:
    """Whether a function does nothing but raise."""
    definition = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(definition, (ast.FunctionDef, ast.AsyncFunctionDef))
    rest = [item for item in definition.body if not isinstance(item, ast.Expr)]
    return bool(rest) and all(isinstance(item, ast.Raise) for item in rest)


def main() -> int:
    """Prints the lists."""
    version = sys.argv[1] if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder:
        path = wheel(version, Path(folder))
        with zipfile.ZipFile(path) as archive:
            read = {
                name: archive.read(f"playwright/{name}").decode()
                for name in ("async_api/__init__.py", "async_api/_generated.py", "_impl/_api_structures.py")
            }
    names = exported(read["async_api/__init__.py"])
    classes = {
        name: members
        for source in (read["async_api/_generated.py"], read["_impl/_api_structures.py"])
        for name, members in classes_of(source)
        if name in names
    }
    lacking = sorted(name for name in names if not hasattr(async_api, name))
    lacking += [
        line
        for name, members in sorted(classes.items())
        if hasattr(async_api, name)
        for line in missing(name, members)
    ]
    raising = [line for name, members in sorted(classes.items()) for line in only_raises(name, members)]
    count = sum(len(members) for members in classes.values())
    print(f"{path.name.rsplit('-py3')[0]}: {len(names)} names, {count} members of {len(classes)} classes")
    print(f"missing: {len(lacking)}", *lacking, sep="\n  ")
    print(f"only raising: {len(raising)}", *raising, sep="\n  ")
    return 1 if lacking else 0


if __name__ == "__main__":
    sys.exit(main())
