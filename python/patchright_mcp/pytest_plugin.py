"""Fixtures for tests, with pytest-playwright's names and options.

    pytest --headed --tracing retain-on-failure

pytest loads this plugin by itself (see `pytest_entry`), unless pytest-playwright is installed. Then
`-p patchright_mcp.pytest_plugin`, or `pytest_plugins = ["patchright_mcp.pytest_plugin"]` in the top conftest,
enables this plugin and disables pytest-playwright.
"""

from __future__ import annotations

import contextlib
import difflib
import importlib.util
import re
import shutil
import tempfile
from collections.abc import (  # noqa: TC003  (pytest reads the types of fixtures.)
    Callable,
    Generator,
    Iterator,
)
from pathlib import Path
from typing import Any

import pytest

from .pytest_entry import OPTIONS
from .sync_api import Browser, BrowserContext, BrowserType, Error, Page, Playwright, sync_playwright

_RESULT = pytest.StashKey[bool]()
_REPLACED = ("playwright", "playwright-asyncio")
"""The plugins that this one replaces: pytest-playwright and pytest-playwright-asyncio."""
_BROWSERS = ("chromium", "firefox", "webkit")
_HAS_BASE_URL = importlib.util.find_spec("pytest_base_url") is not None


class _Options:
    """Adds command-line options, except those that pytest-playwright has added already."""

    def __init__(self, parser: pytest.Parser) -> None:
        self._group = parser.getgroup("patchright_mcp", "Browser tests")

    def addoption(self, name: str, **attributes: Any) -> None:  # noqa: ANN401  (Those of `OptionGroup.addoption`.)
        with contextlib.suppress(ValueError):
            self._group.addoption(name, **attributes)


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    """Adds the command-line options."""
    was_there = False
    for name in _REPLACED:
        known = pluginmanager.get_plugin(name)
        was_there = was_there or known is not None
        if known is not None:
            pluginmanager.unregister(known)
        pluginmanager.set_blocked(name)
    group = _Options(parser)
    for option, attributes in OPTIONS.items():
        group.addoption(option, **attributes)
    # A pytest-playwright that was loaded before this plugin still adds `--base-url` itself.
    if not _HAS_BASE_URL and not was_there:
        group.addoption("--base-url", default=None, help="what addresses are looked up from")


def pytest_configure(config: pytest.Config) -> None:
    """Registers the markers."""
    for mark in (
        "skip_browser(name): not in this browser",
        "only_browser(name): in this browser only",
        "browser_context_args(**options): options for the context of one test",
    ):
        config.addinivalue_line("markers", mark)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Runs each test in each requested browser."""
    if "browser_name" in metafunc.fixturenames:
        browsers = metafunc.config.getoption("--browser") or ["chromium"]
        metafunc.parametrize("browser_name", browsers, scope="session")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skips a test whose markers exclude the browser that it would run in."""
    name = getattr(item, "callspec", None) and item.callspec.params.get("browser_name")  # type: ignore[attr-defined]
    only, skipped = item.get_closest_marker("only_browser"), item.get_closest_marker("skip_browser")
    if name and ((only and name not in only.args) or (skipped and name in skipped.args)):
        pytest.skip(f"skipped for this browser: {name}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, Any]:
    """Records whether a test has failed, which decides which artifacts are kept."""
    report = yield
    item.stash[_RESULT] = item.stash.get(_RESULT, False) or report.failed
    return report


@pytest.fixture(scope="session", autouse=True)
def _clear_output(pytestconfig: pytest.Config) -> None:
    """Removes artifacts of an earlier run."""
    if any(pytestconfig.getoption(name) != "off" for name in ("--tracing", "--video", "--screenshot")):
        shutil.rmtree(pytestconfig.getoption("--output"), ignore_errors=True)


@pytest.fixture(scope="session")
def playwright(pytestconfig: pytest.Config) -> Iterator[Playwright]:
    """The entry point of the library, shared by all tests."""
    compatible = True if pytestconfig.getoption("--playwright-compatible") else None
    with sync_playwright(playwright_compatible=compatible) as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser_type(playwright: Playwright, browser_name: str) -> BrowserType:
    """The browser type."""
    return playwright[browser_name]


@pytest.fixture(scope="session")
def browser_channel(pytestconfig: pytest.Config) -> str | None:
    """The channel from the command line."""
    channel: str | None = pytestconfig.getoption("--browser-channel")
    return channel


@pytest.fixture(scope="session")
def device(pytestconfig: pytest.Config) -> str | None:
    """The device from the command line."""
    name: str | None = pytestconfig.getoption("--device")
    return name


@pytest.fixture(scope="session")
def is_chromium(browser_name: str) -> bool:
    """Whether the browser is Chromium."""
    return browser_name == "chromium"


@pytest.fixture(scope="session")
def is_firefox(browser_name: str) -> bool:
    """Whether the browser is Firefox."""
    return browser_name == "firefox"


@pytest.fixture(scope="session")
def is_webkit(browser_name: str) -> bool:
    """Whether the browser is WebKit."""
    return browser_name == "webkit"


if not _HAS_BASE_URL:

    @pytest.fixture(scope="session")
    def base_url(pytestconfig: pytest.Config) -> str | None:
        """The base URL for relative URLs."""
        url: str | None = pytestconfig.getoption("--base-url", None)
        return url


@pytest.fixture(scope="session")
def browser_type_launch_args(pytestconfig: pytest.Config, browser_channel: str | None) -> dict[str, Any]:
    """The launch options; override it to change them."""
    options: dict[str, Any] = {}
    if pytestconfig.getoption("--headed"):
        options["headless"] = False
    if browser_channel:
        options["channel"] = browser_channel
    if pytestconfig.getoption("--slowmo"):
        options["slow_mo"] = pytestconfig.getoption("--slowmo")
    return options


@pytest.fixture(scope="session")
def browser_context_args(playwright: Playwright, device: str | None, base_url: str | None) -> dict[str, Any]:
    """The context options; override it to change them."""
    if device and device not in playwright.devices:
        near = ", ".join(difflib.get_close_matches(device, playwright.devices, 3))
        raise pytest.UsageError(
            f"--device: no device is called {device!r}" + (f"; there are {near}" if near else "")
        )
    options: dict[str, Any] = dict(playwright.devices[device]) if device else {}
    if base_url:
        options["base_url"] = base_url
    return options


@pytest.fixture(scope="session")
def launch_browser(
    browser_type_launch_args: dict[str, Any], browser_type: BrowserType
) -> Callable[..., Browser]:
    """Starts a browser."""
    return lambda **options: browser_type.launch(**{**browser_type_launch_args, **options})


@pytest.fixture(scope="session")
def browser(launch_browser: Callable[..., Browser]) -> Iterator[Browser]:
    """One browser for all tests."""
    with launch_browser() as browser:
        yield browser


@pytest.fixture
def output_path(pytestconfig: pytest.Config, request: pytest.FixtureRequest) -> str:
    """The folder for the artifacts of a test."""
    name = re.sub(r"[^a-z0-9]+", "-", request.node.nodeid.lower()).strip("-")
    return str(Path(pytestconfig.getoption("--output")).absolute() / name[:200])


class _Kept:
    """Records and keeps the artifacts of a test: screenshots, videos, traces."""

    def __init__(self, config: pytest.Config, item: pytest.Item, folder: str) -> None:
        self._config = config
        self._item = item
        self._folder = Path(folder)
        self._videos: list[Path] = []
        self._made = 0

    def _wants(self, option: str) -> bool:
        mode = self._config.getoption(option)
        return mode == "on" or (mode != "off" and self._item.stash.get(_RESULT, False))

    def begin(self, context: BrowserContext) -> None:
        if self._config.getoption("--tracing") != "off":
            title = self._item.nodeid
            context.tracing.start(title=title, screenshots=True, snapshots=True, sources=True)

    def end(self, context: BrowserContext) -> None:
        self._made += 1
        number = "" if self._made == 1 else f"-{self._made}"
        if self._wants("--screenshot"):
            self._take_pictures(context, number)
        if self._config.getoption("--tracing") != "off":
            path = self._folder / f"trace{number}.zip" if self._wants("--tracing") else None
            context.tracing.stop(path=path)
        videos = [page.video for page in context.pages if page.video]
        context.close()
        for index, video in enumerate(videos, self._made):
            if self._wants("--video"):
                video.save_as(self._folder / f"video{'' if index == 1 else f'-{index}'}.webm")
            video.delete()

    def _take_pictures(self, context: BrowserContext, number: str) -> None:
        whole = self._config.getoption("--full-page-screenshot")
        said = "failed" if self._item.stash.get(_RESULT, False) else "finished"
        self._folder.mkdir(parents=True, exist_ok=True)
        for index, page in enumerate(context.pages, 1):
            path = self._folder / f"test-{said}{number}-{index}.png"
            try:
                page.screenshot(path=path, full_page=whole, timeout=5000)
            except Error as error:
                self._item.add_report_section("teardown", "screenshot", str(error))


@pytest.fixture
def new_context(
    browser: Browser, browser_context_args: dict[str, Any], request: pytest.FixtureRequest, output_path: str
) -> Iterator[Callable[..., BrowserContext]]:
    """Creates contexts, which are closed after the test."""
    config, made = request.config, list[BrowserContext]()
    kept = _Kept(config, request.node, output_path)
    mark = request.node.get_closest_marker("browser_context_args")
    usual = {**browser_context_args, **(mark.kwargs if mark else {})}
    with tempfile.TemporaryDirectory() as videos:
        if config.getoption("--video") != "off":
            usual.setdefault("record_video_dir", videos)

        def make(**options: Any) -> BrowserContext:  # noqa: ANN401  (Those of `Browser.new_context`.)
            context = browser.new_context(**{**usual, **options})
            kept.begin(context)
            made.append(context)
            return context

        yield make
        for context in made:
            if not context.is_closed():
                kept.end(context)


@pytest.fixture
def context(new_context: Callable[..., BrowserContext]) -> BrowserContext:
    """The isolated context of the test."""
    return new_context()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    """A page in the test's context."""
    return context.new_page()
