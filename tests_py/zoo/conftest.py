"""The pages of the zoo, someone who visits them, and the table of what worked."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from tests_py.support.client import Server, serve
from tests_py.support.site import Site
from tests_py.support.visitor import Visitor

HERE = Path(__file__).parent
BUILT = HERE.parents[1] / "target" / "zoo"
HEAD = """# The zoo

Written by `make zoo`: what people do with libraries that no one here wrote, done with the tools alone,
by role and name as a model would, and checked in the page.

"""
Visit = Callable[[str], Coroutine[Any, Any, Visitor]]


@pytest.fixture
def zoo(site: Site) -> Site:
    """The pages and the libraries that they load; nothing comes from the network."""
    assert (BUILT / "node_modules").is_dir(), "the libraries are missing: run `make zoo`"
    site.mount("zoo", HERE / "pages")
    site.mount("modules", BUILT / "node_modules")
    site.mount("bundles", BUILT / "bundles")
    return site


@pytest.fixture(scope="session")
async def zoo_server(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Server]:
    """The server as a client would start it, but for the window."""
    async with serve("--headless", cwd=tmp_path_factory.mktemp("zoo")) as server:
        yield server


@pytest.fixture
async def visit(zoo_server: Server, zoo: Site) -> AsyncIterator[Visit]:
    """Opens a page of the zoo, by name."""

    async def open_page(name: str) -> Visitor:
        visitor = Visitor(zoo_server)
        await visitor.open(zoo.url(f"/zoo/{name}.html"))
        return visitor

    yield open_page
    await zoo_server.call("browser_close")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Lets `make zoo` say where the table goes."""
    parser.addoption("--table", type=Path, help="file to write the table of the zoo to")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Hands the library's name to whoever writes the table, which may be another process."""
    for item in items:
        mark = item.get_closest_marker("library")
        if mark:
            item.user_properties.append(("library", mark.args[0]))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Writes the table, and says how much of it works."""
    reports = [
        report
        for kind in ("passed", "failed", "error")
        for report in terminalreporter.stats.get(kind, [])
        if dict(report.user_properties).get("library") and (report.when == "call" or report.failed)
    ]
    worked = sum(report.passed for report in reports)
    terminalreporter.write_line(f"The zoo: {worked} of {len(reports)} tasks done")
    table = config.getoption("table")
    if table:
        rows = sorted({_row(report) for report in reports})
        table.write_text(HEAD + f"{worked} of {len(reports)} done.\n\n" + _table(rows))


def _row(report: pytest.TestReport) -> tuple[str, str, str]:
    task = report.nodeid.rpartition("::test_")[2].replace("_", " ")
    library = str(dict(report.user_properties)["library"])
    return (
        library,
        task.replace("[", ": ").rstrip("]"),
        "yes" if report.passed else f"no: {_reason(report)}",
    )


def _reason(report: pytest.TestReport) -> str:
    """What a failed test said first, in one line of the table."""
    crash = getattr(report.longrepr, "reprcrash", None)
    said = str(crash.message if crash else report.longrepr).splitlines()[0]
    said = re.sub(r"^(tests_py\.\S+|AssertionError): ", "", said)
    return re.sub(r"c\d+p\d+f\d+(e\d+)", r"\1", said).replace("|", "\\|")[:240]


def _table(rows: list[tuple[str, str, str]]) -> str:
    versions = json.loads((HERE / "package.json").read_text())["devDependencies"]
    applications = HERE / "applications"
    versions |= json.loads((applications / "package.json").read_text())["devDependencies"]
    versions |= dict(line.split("==") for line in (applications / "requirements.txt").read_text().split())
    lines = ["| library | what is done | works |", "|---|---|---|"]
    for library, task, works in rows:
        title, _, package = library.partition(" = ")
        lines.append(f"| {title} {versions[package or title.lower()]} | {task} | {works} |")
    return "\n".join(lines) + "\n"
