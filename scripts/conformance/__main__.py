"""Judges us by the suites of others: what fails must be in a list, each with its reason.

    python -m scripts.conformance playwright CHECKOUT   # playwright-python's tests, on our library
    python -m scripts.conformance mcp FOLDER   # @modelcontextprotocol/conformance of npm, on our server

The status is 1 when something fails that is not listed beside this file. With `--strict` also when something
that is listed passes. `--browser firefox` has Playwright's tests run on Firefox, with a list of their own.
`playwright` needs the packages that `scripts/prepare conformance` installs, `mcp` a Node that is new enough
for it: `--node`.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests_py.support.fleet import free_port
from tests_py.support.http import until
from tests_py.support.screen import screen

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
STAGE = ROOT / "target" / "conformance"

# What somebody needs who drives web sites. Each is a file in their folder for `async` and in that for `sync`.
SUBJECTS = """
add_init_script assertions asyncio browser browsercontext browsercontext_add_cookies
browsercontext_clearcookies browsercontext_cookies browsercontext_events browsercontext_proxy
browsercontext_route browsercontext_storage_state check click console context_manager
defaultbrowsercontext device_descriptors dialog dispatch_event download element_handle
element_handle_wait_for_element_state emulation_focus expect_misc fill focus frames geolocation headful
ignore_https_errors input issues jshandle keyboard launcher listeners locator_get_by locators navigation
network page page_add_locator_handler page_aria_snapshot page_base_url page_evaluate page_event_console
page_event_pageerror page_event_request page_network_request page_network_response page_request_timeout
page_route page_select_option pdf popup proxy queryselector request_continue request_fulfill screenshot
selectors_get_by selectors_misc selectors_text sync tap wait_for_function wait_for_url
""".split()  # noqa: SIM905
SETTINGS = """[pytest]
markers =
    skip_browser
    only_browser
    skip_platform
    only_platform
asyncio_mode = auto
asyncio_default_fixture_loop_scope = session
asyncio_default_test_loop_scope = session
timeout = 40
"""
FILE_LIMIT = 900


def accepted(name: str) -> dict[str, str]:
    """What may fail, with the reason: a test a line, and before some of them a line that says why."""
    found, reason = {}, ""
    for line in (HERE / name).read_text().splitlines():
        if line.startswith("# "):
            reason = line.removeprefix("# ")
        elif line.strip():
            found[line.strip()] = reason
    return found


def results_of(report: Path) -> dict[str, bool]:
    """Whether each test of a report passed; those that were skipped are left out."""
    found: dict[str, bool] = {}
    for case in ET.parse(report).iter("testcase"):  # noqa: S314  (Our own pytest has written it.)
        outcomes = {child.tag for child in case}
        if "skipped" not in outcomes:
            file = case.get("classname", "").replace(".", "/").removeprefix("tests/")
            test = f"{file}.py::{case.get('name')}"
            found[test] = found.get(test, True) and not outcomes & {"failure", "error"}
    return found


def run_file(python: str, browser: str, file: str, only: list[str]) -> dict[str, bool]:
    """Runs a file, or some tests of it, in a process of its own; one that ends before its time has failed."""
    with tempfile.TemporaryDirectory(prefix="pw-") as folder:
        report = Path(folder) / "report.xml"
        command = [python, "-m", "pytest", "-p", "scripts.conformance.suite", "--browser", browser, "-q"]
        command += [
            "-p",
            "no:cacheprovider",
            # Other kinds parse the code of what failed, which breaks Python where time ran out deep down.
            "--tb=native",
            f"--junitxml={report}",
            "-o",
            "junit_family=xunit1",
        ]
        command += [f"tests/{test}" for test in only] or [f"tests/{file}"]
        paths = [str(ROOT), str(ROOT / "python")]
        environment = dict(os.environ, PYTHONPATH=os.pathsep.join(paths), TMPDIR=folder)
        log = STAGE / "logs" / f"{file.replace('/', '-')}.log"
        with log.open("a") as output:
            try:
                subprocess.run(
                    command,
                    cwd=STAGE,
                    env=environment,
                    stdout=output,
                    stderr=output,
                    timeout=FILE_LIMIT,
                    check=False,
                )
                return results_of(report)
            except (subprocess.TimeoutExpired, OSError, ET.ParseError):
                return dict.fromkeys(only or [f"{file}::all of it"], False)


def judge_library(checkout: Path, browser: str, files: list[str], jobs: int) -> dict[str, bool]:
    """Playwright's own tests, with our library in its place. What fails may try once more."""
    python = str(STAGE / "venv" / "bin" / "python")
    shutil.rmtree(STAGE / "tests", ignore_errors=True)
    shutil.rmtree(STAGE / "logs", ignore_errors=True)
    (STAGE / "logs").mkdir(parents=True)
    shutil.copytree(checkout / "tests", STAGE / "tests")
    (STAGE / "pytest.ini").write_text(SETTINGS)
    there = [
        f"{face}/test_{subject}.py"
        for subject in SUBJECTS
        for face in ("async", "sync")
        if (STAGE / "tests" / face / f"test_{subject}.py").exists()
    ]
    wanted = [file for file in there if not files or any(part in file for part in files)]
    wanted.sort(key=lambda file: -(STAGE / "tests" / file).stat().st_size)

    def judge(file: str) -> dict[str, bool]:
        found = run_file(python, browser, file, [])
        failed = [test for test, passed in found.items() if not passed and "all of it" not in test]
        if failed:
            found.update(run_file(python, browser, file, failed))
        print(f"{file}: {sum(found.values())} of {len(found)}", flush=True)
        return found

    with ThreadPoolExecutor(jobs) as pool:
        return {test: passed for found in pool.map(judge, wanted) for test, passed in found.items()}


def is_listening(server: subprocess.Popen[bytes], port: int) -> bool:
    """Whether the server takes connections."""
    if server.poll() is not None:
        sys.exit("the server ended before it listened")
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def judge_server(folder: Path, node: str) -> dict[str, bool]:
    """The scenarios of the MCP project: whether each went without a failure."""
    port = free_port()
    serve = [sys.executable, "-m", "patchright_mcp", "--headless", "--no-sandbox"]
    serve += ["--allow-unauthenticated", f"--port={port}"]
    with tempfile.TemporaryDirectory() as out:
        server = subprocess.Popen(serve, stdin=subprocess.DEVNULL, cwd=out)
        try:
            until(lambda: is_listening(server, port), "a server that listens")
            command = [node, str(folder / "dist" / "index.js"), "server", "--suite", "all", "-o", out]
            subprocess.run(
                [*command, "--url", f"http://localhost:{port}/mcp"],
                cwd=folder,
                stdout=subprocess.DEVNULL,
                timeout=600,
                check=False,
            )
        finally:
            server.terminate()
            server.wait(20)
        found = {}
        for checks in sorted(Path(out).glob("server-*/checks.json")):
            scenario = re.sub(r"^server-|-20\d\d-\d\d-\d\dT.*$", "", checks.parent.name)
            states = [check["status"] for check in json.loads(checks.read_text())]
            found[scenario] = "FAILURE" not in states
        return found


def main() -> int:
    """Judges, and compares with the list."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("suite", choices=["playwright", "mcp"])
    parser.add_argument("checkout", type=Path)
    parser.add_argument("files", nargs="*", help="only files whose names hold one of these")
    parser.add_argument("--node", default="node")
    parser.add_argument("--browser", choices=["chromium", "firefox"], default="chromium")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--strict", action="store_true", help="what is listed must fail")
    given = parser.parse_args()
    checkout = given.checkout.resolve()
    if given.suite == "mcp":
        found = judge_server(checkout, given.node)
    else:
        with screen("1280x800") as display:
            if display is not None:
                os.environ["DISPLAY"] = display
            found = judge_library(checkout, given.browser, given.files, given.jobs)
    listed = accepted(
        f"{given.suite}.txt" if given.browser == "chromium" else f"{given.suite}-{given.browser}.txt"
    )
    failed = [test for test, passed in sorted(found.items()) if not passed]
    unlisted = [test for test in failed if test not in listed]
    mended = [test for test in listed if found.get(test)]
    for test in unlisted:
        print(f"FAILS, and is not listed: {test}")
    for test in mended:
        print(f"passes, though it is listed ({listed[test]}): {test}")
    print(f"{sum(found.values())} of {len(found)} pass; {len(failed) - len(unlisted)} that fail are listed")
    return int(not found or bool(unlisted) or (given.strict and bool(mended)))


if __name__ == "__main__":
    sys.exit(main())
