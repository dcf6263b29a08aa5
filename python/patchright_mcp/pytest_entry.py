"""The pytest entry point, which registers `pytest_plugin` unless one of its options is already taken.

So the plugin is inactive beside pytest-playwright, and if another plugin or a conftest defines an option of
the same name. `-p patchright_mcp.pytest_plugin` enables it there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator

_PLUGIN = "patchright_mcp.pytest_plugin"
_KEPT = ("on", "off", "retain-on-failure")

OPTIONS: dict[str, dict[str, Any]] = {
    "--browser": {"action": "append", "default": [], "help": "browser to test in (chromium)"},
    "--headed": {"action": "store_true", "help": "with a window"},
    "--browser-channel": {"default": None, "help": "such as chrome or msedge"},
    "--slowmo": {"default": 0, "type": int, "help": "milliseconds to rest after each action"},
    "--device": {"default": None, "help": "device to pretend to be"},
    "--output": {"default": "test-results", "help": "folder for what tests leave behind"},
    "--tracing": {"default": "off", "choices": _KEPT, "help": "write a trace of each test"},
    "--video": {"default": "off", "choices": _KEPT, "help": "record a video of each test"},
    "--screenshot": {
        "default": "off",
        "choices": ("on", "off", "only-on-failure"),
        "help": "take a picture at the end",
    },
    "--full-page-screenshot": {"action": "store_true", "help": "of all that can be scrolled to"},
    "--playwright-compatible": {"action": "store_true", "help": "Playwright's ways in all things"},
}
"""The plugin's command-line options, with their arguments for `addoption`."""

_UNKNOWN = object()


# `tryfirst` makes this the outermost wrapper: after its `yield`, all other plugins have added options.
@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, None, None]:
    """Registers the plugin after all others, unless one of its options is taken."""
    yield
    if not any(_is_known(early_config, option) for option in OPTIONS):
        early_config.pluginmanager.import_plugin(_PLUGIN)


def _is_known(config: pytest.Config, option: str) -> bool:
    name = option.removeprefix("--").replace("-", "_")
    return config.getoption(name, _UNKNOWN) is not _UNKNOWN
