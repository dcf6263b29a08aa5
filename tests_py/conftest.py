"""What every test can ask for: a web site on loopback, and our server with a browser behind it."""

import tempfile
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from pathlib import Path

import pytest

from tests_py.support import client, extent, firefox, protocol
from tests_py.support.client import Server, serve
from tests_py.support.screen import screen
from tests_py.support.site import Site
from tests_py.support.wire import Wire

LONGEST = (
    "tests_py/mcp/test_any_page.py",
    "tests_py/sessions/",
    "tests_py/honesty/",
    "tests_py/mcp/test_page_text.py",
    "tests_py/mcp/test_stuck.py",
    "tests_py/mcp/test_drag.py",
)
"""A worker that begins with one of these near the end would keep the others waiting."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """The browser behind the servers of the tests, and how much to do."""
    parser.addoption("--browser", default="chromium", choices=["chromium", "firefox", "webkit"])
    parser.addoption("--long", action="store_true", help="also run the tests that are marked as long")
    parser.addoption("--whole", action="store_true", help="run all tests, and each to its full extent")


def pytest_configure(config: pytest.Config) -> None:
    """Every server starts the browser that was asked for."""
    client.BROWSER = config.getoption("browser")
    extent.WHOLE = config.getoption("whole")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leaves out what is long, sorts by time, and marks what another browser cannot do."""
    if not (extent.WHOLE or config.getoption("long")):
        long = {item for item in items if item.get_closest_marker("long")}
        config.hook.pytest_deselected(items=list(long))
        items[:] = [item for item in items if item not in long]
    items.sort(key=lambda item: not item.nodeid.startswith(LONGEST))
    if config.getoption("browser") != "firefox":
        return
    for item in items:
        lack = firefox.lack(item.nodeid)
        if lack is not None:
            mark = pytest.mark.xfail(reason=lack.reason, strict=lack.is_sure, run=not lack.is_harmful)
            item.add_marker(mark)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """With `--durations`, also tells which files take longest."""
    most = config.getoption("durations")
    if most is None:
        return
    seconds: defaultdict[str, float] = defaultdict(float)
    for report in (report for some in terminalreporter.stats.values() for report in some):
        if isinstance(report, pytest.TestReport):
            seconds[report.nodeid.partition("::")[0]] += report.duration
    terminalreporter.section(f"slowest files of {sum(seconds.values()):.0f} s")
    by_time = sorted(seconds.items(), key=lambda entry: -entry[1])
    for file, took in by_time[: most or None]:
        terminalreporter.write_line(f"{took:7.1f} s  {file}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that fails tells what was said with the browser meanwhile."""
    report = yield
    if report.failed:
        report.sections.append(("Said with the browser", protocol.keep(item.nodeid)))
    if call.when == "teardown":
        protocol.forget()
    return report


@pytest.fixture(scope="session", autouse=True)
def protocol_logs() -> Iterator[None]:
    """Has all that is said with browsers written down."""
    with tempfile.TemporaryDirectory(prefix="said-") as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv(protocol.FOLDER, folder)
        yield


@pytest.fixture(scope="session")
def shared_site() -> Iterator[Site]:
    """A web site that only this run knows, for what lives longer than a test."""
    with Site() as site:
        yield site


@pytest.fixture
def site(shared_site: Site) -> Site:
    """That web site, of which nothing was asked yet."""
    shared_site.begin_anew()
    return shared_site


@pytest.fixture(scope="session")
async def shared_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """One server, and so one Chromium, for the whole run: starting it is the slow part."""
    async with serve("--headless", cwd=tmp_path_factory.mktemp("server")) as server:
        yield server


@pytest.fixture
async def server(shared_server: Server) -> AsyncIterator[Server]:
    """The shared server, with its pages closed afterwards."""
    yield shared_server
    for _ in range(10):
        if (await shared_server.call("browser_close")).is_error:
            return


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder for temporary files whose path is short: a browser's socket must fit below it."""
    with tempfile.TemporaryDirectory(prefix="t-") as name:
        yield Path(name)


@pytest.fixture
def wire(folder: Path) -> Iterator[Wire]:
    """A server of the test's own, spoken to in lines of JSON."""
    with Wire(folder, "--headless") as wire:
        yield wire


@pytest.fixture
def new_wire(folder: Path) -> Iterator[Callable[..., Wire]]:
    """Starts servers with arguments of the test's own, all with their temporary files in one folder."""
    wires: list[Wire] = []

    def start(*arguments: str) -> Wire:
        wires.append(Wire(folder, *arguments))
        return wires[-1]

    yield start
    for wire in wires:
        with wire:
            pass


@pytest.fixture(scope="session")
def display() -> Iterator[str]:
    """A screen for windows: the one there is, or one that exists only in memory."""
    with screen("1280x800") as name:
        if name is None:
            pytest.skip("there is no screen, and no Xvfb to make one")
        yield name
