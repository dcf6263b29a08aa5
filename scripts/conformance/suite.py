"""A plugin of pytest: playwright-python's tests get our library, and what they need of its inside."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import inspect
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import patchright_mcp.as_playwright  # noqa: F401  (It puts our library in Playwright's place.)

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from types import ModuleType

INSIDE = "playwright._impl"


def get_file_dirname() -> Path:
    """The folder of the file that asks."""
    return Path(inspect.stack()[1].filename).parent.absolute()


def compute_driver_executable() -> tuple[str, str]:
    """There is no driver."""
    return ("", "")


class _Missing:
    """What we have not: a test that uses it is skipped."""

    def __init__(self, *_: object, **__: object) -> None:
        pytest.skip("needs what is inside of Playwright")


class _Inside(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Modules of Playwright's inside: helpers of this file, public classes of ours, or nothing."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None = None,  # noqa: ARG002  (The import system gives it.)
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> importlib.machinery.ModuleSpec | None:
        """Whatever is asked for."""
        is_inside = fullname == INSIDE or fullname.startswith(f"{INSIDE}.")
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True) if is_inside else None

    def exec_module(self, module: ModuleType) -> None:
        """A module that has what we have under its names."""
        public = importlib.import_module("patchright_mcp.async_api")
        helpers = {f.__name__: f for f in (get_file_dirname, compute_driver_executable)}

        def find(name: str) -> object:
            if name.startswith("__"):
                raise AttributeError(name)
            return helpers.get(name) or getattr(public, name, _Missing)

        vars(module)["__getattr__"] = find


sys.meta_path.insert(0, _Inside())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that asks an object for its inside is skipped."""
    report = yield
    error = call.excinfo.value if call.excinfo else None
    if isinstance(error, AttributeError) and error.name in ("_impl_obj", "_dispatcher_fiber"):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, "needs what is inside of Playwright")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    """The browser is the one that is installed, and not a headless shell; there is no server of a driver."""
    if fixturedef.argname == "launch_server":
        pytest.skip("needs the server of Playwright's driver")
    value = yield
    if fixturedef.argname == "is_headless_shell":
        value = False
        key = fixturedef.cache_key(request)  # type: ignore[arg-type]
        fixturedef.cached_result = (value, key, None)
    return value
