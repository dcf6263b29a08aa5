"""Runs programs and packages that `import playwright` with this library instead.

    python -m patchright_mcp.as_playwright script.py arguments
    python -m patchright_mcp.as_playwright -m module arguments
    pytest -p patchright_mcp.as_playwright

or `import patchright_mcp.as_playwright` as the first import of a program. This library's intended differences
from Playwright are then switched off, as with `playwright_compatible`; `--own-ways` before the script keeps
them.
"""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import runpy
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ._compatible import VARIABLE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType

__all__ = ["VERSION", "install"]

VERSION = "1.65.2"
"""The version of Playwright whose API names this library provides."""

NAMES = ("playwright", "patchright")
_OURS = "patchright_mcp"


class _Stand(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """An import hook that returns this library's module for each module of Playwright."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  (The import system gives it.)
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        """Returns a spec for the names of Playwright's modules that this library has."""
        top, _, inner = fullname.partition(".")
        if top not in NAMES:
            return None
        if inner and not _has(inner):
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=not inner)

    def exec_module(self, module: ModuleType) -> None:
        """Replaces the module by this library's; the top-level package stays empty."""
        _, _, inner = module.__name__.partition(".")
        if inner:
            sys.modules[module.__name__] = importlib.import_module(f"{_OURS}.{inner}")
            return
        module.__doc__ = "Playwright's names, by patchright_mcp."
        vars(module)["__version__"] = VERSION


def _has(inner: str) -> bool:
    try:
        return importlib.util.find_spec(f"{_OURS}.{inner}") is not None
    except ModuleNotFoundError:
        return False


def install(*, compatible: bool | None = None) -> None:
    """Makes `import playwright` and `import patchright` return this library.

    `compatible`: whether the library's intended differences from Playwright are switched off, as with
    `playwright_compatible=True`. Default: the environment variable, or true if it is not set.

    Raises:
        ImportError: If `playwright` or `patchright` was imported before.
    """
    if compatible is None:
        os.environ.setdefault(VARIABLE, "1")
    else:
        os.environ[VARIABLE] = str(int(compatible))
    if any(isinstance(finder, _Stand) for finder in sys.meta_path):
        return
    early = [name for name in NAMES if name in sys.modules]
    if early:
        raise ImportError(f"{early[0]} was imported before; import patchright_mcp.as_playwright first")
    sys.meta_path.insert(0, _Stand())


def main(arguments: list[str]) -> None:
    """Runs a script, or a module after `-m`."""
    ours = arguments[:1] == ["--own-ways"]
    rest = arguments[ours:]
    if rest[:1] in (["-h"], ["--help"]):
        sys.stdout.write(__doc__ or "")
        return
    if not rest or rest == ["-m"]:
        sys.exit(__doc__)
    if rest[0] != "-m" and not Path(rest[0]).exists():
        sys.stderr.write(f"{rest[0]}: there is no such script\n")
        sys.exit(2)
    if rest[0] == "-m" and rest[1] in NAMES:
        sys.stderr.write(
            f"{rest[1]}'s own commands are not here. `python -m patchright_mcp doctor` says which browsers "
            "there are, `python -m patchright_mcp install` fetches Chromium; others come with the system\n"
        )
        sys.exit(2)
    install(compatible=not ours)
    if rest[0] == "-m":
        sys.argv = rest[1:]
        sys.path.insert(0, "")
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
        return
    sys.argv = rest
    sys.path.insert(0, str(Path(rest[0]).resolve().parent))
    runpy.run_path(rest[0], run_name="__main__")


if __name__ == "__main__":
    main(sys.argv[1:])
else:
    install()
