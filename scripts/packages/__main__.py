"""Runs the tests of packages that are made for Playwright, with it and with this library in its place.

    python -m scripts.packages CHECKOUTS   # a folder with their repositories

What is counted is printed as rows of docs/reference/packages.md. Each package has an environment of its own
in target/packages. Playwright uses the browser that this library finds.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import venv
from dataclasses import dataclass
from pathlib import Path

from patchright_mcp._core import find_browser
from tests_py.support.screen import screen

ROOT = Path(__file__).parents[2]
STAGE = ROOT / "target" / "packages"
LIMIT = 1800
COUNTED = re.compile(r"(\d+) (passed|failed|errors?)\b")
SUMMARY = re.compile(r"^=+ (.*) in [\d.]+s.*=+$", re.MULTILINE)


@dataclass
class Package:
    """A package, what it is installed from, and which of its tests are run."""

    name: str
    requirements: list[str]
    tests: list[str]
    folder: Path | None = None


LOOPS = "asyncio_mode=auto asyncio_default_fixture_loop_scope=session asyncio_default_test_loop_scope=session"
SESSION = [word for setting in LOOPS.split() for word in ("-o", setting)]
# They use Firefox, WebKit or Chrome.
OTHERS = "firefox webkit multiple_browsers only_browser skip_browsers parameterization xdist channel"
PACKAGES = [
    Package(
        "pytest-playwright",
        ["./pytest-playwright", "./pytest-playwright-asyncio", "Django<5", "pytest-xdist", "pytest-asyncio"],
        ["tests", "-k", " and ".join(f"not {name}" for name in OTHERS.split())],
    ),
    Package(
        "scrapy-playwright",
        [".", "pytest-twisted", "psutil"],
        ["--reactor=asyncio", "-k", "not Firefox and not Webkit and not WebKit", "tests/tests_asyncio"],
    ),
    Package(
        "crawl4ai",
        ["crawl4ai", "pytest-asyncio", "aiohttp", "websockets"],
        [
            *["-o", "asyncio_mode=auto", "-m", "not network"],
            *["tests/regression/test_reg_browser.py", "tests/regression/test_reg_core_crawl.py"],
            *["tests/regression/test_reg_edge_cases.py", "tests/browser/test_browser_context_id.py"],
            *["tests/browser/test_init_script_dedup.py", "tests/browser/test_context_leak_fix.py"],
            *["tests/test_raw_html_browser.py", "tests/test_virtual_scroll.py"],
        ],
    ),
    Package(
        "browser-use",
        ["browser-use==0.2.7", "playwright==1.52.0", "pytest-asyncio", "pytest-httpserver"],
        [
            *SESSION,
            "tests/ci",
            "-k",
            "browser_session or (controller and not parameter_injection) or registry",
        ],
    ),
    Package(
        "langchain-community, llama-index",
        ["langchain-community", "llama-index-tools-playwright", "lxml", "beautifulsoup4"],
        ["-c", os.devnull, "test_tools.py"],
        Path(__file__).parent,
    ),
]

FIND = """
import re
from playwright.sync_api import sync_playwright
with sync_playwright() as playwright:
    print(playwright.chromium.executable_path)
    try:
        playwright.chromium.launch().close()
    except Exception as error:
        print(*re.findall(r"exist at (\\S+)", str(error)))
"""


def prepare(package: Package, folder: Path) -> tuple[Path, Path]:
    """The environment of a package, with Playwright and a browser where it looks for one."""
    home = STAGE / package.name.partition(",")[0]
    python = home / "venv" / "bin" / "python"
    if not python.exists():
        venv.create(home / "venv", with_pip=True)
        needed = ["pytest", "pytest-timeout", "playwright", *package.requirements]
        subprocess.run([python, "-m", "pip", "install", "-q", *needed], cwd=folder, check=True)
    browser = home / "chromium"
    browser.write_text(f'#!/bin/sh\nexec "{find_browser("chromium")}" --no-sandbox "$@"\n')
    browser.chmod(0o755)
    environment = dict(os.environ, HOME=str(home))
    found = subprocess.run([python, "-c", FIND], env=environment, capture_output=True, text=True, check=True)
    for place in map(Path, found.stdout.split()):
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            place.symlink_to(browser)
    return python, home


def run(package: Package, folder: Path, *, ours: bool) -> str:
    """Runs the tests of a package; gives what is counted."""
    python, home = prepare(package, folder)
    paths = [str(folder)]
    environment = dict(
        os.environ, HOME=str(home), ANONYMIZED_TELEMETRY="false", SKIP_LLM_API_KEY_VERIFICATION="true"
    )
    if ours:
        # Their tests start other Pythons, which find it by this.
        (home / "ours").mkdir(exist_ok=True)
        (home / "ours" / "sitecustomize.py").write_text("import patchright_mcp.as_playwright\n")
        paths = [str(home / "ours"), str(ROOT / "python"), *paths]
        environment["PATCHRIGHT_MCP_EXECUTABLE_PATH"] = str(home / "chromium")
    environment["PYTHONPATH"] = os.pathsep.join(paths)
    environment["PATH"] = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    command = [str(python), "-m", "pytest", "-v", "--tb=native", "-p", "no:cacheprovider", "--timeout", "60"]
    log = home / ("ours.log" if ours else "playwright.log")
    with log.open("w") as output:
        subprocess.run(
            [*command, *package.tests],
            cwd=folder,
            env=environment,
            stdout=output,
            stderr=output,
            timeout=LIMIT,
            check=False,
        )
    summaries = SUMMARY.findall(log.read_text(errors="replace"))
    last = summaries[-1] if summaries else ""
    counts = {kind.rstrip("s"): int(number) for number, kind in COUNTED.findall(last)}
    return f"{counts.get('passed', 0)} of {sum(counts.values())}"


def main() -> None:
    """Counts, and prints a row for each package."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("names", nargs="*", help="only these packages")
    chosen = parser.parse_args()
    with screen("1280x800") as name:
        os.environ["DISPLAY"] = name or ""
        count(chosen)


def count(chosen: argparse.Namespace) -> None:
    """Prints a row for each package that was chosen."""
    for package in PACKAGES:
        if chosen.names and not any(name in package.name for name in chosen.names):
            continue
        folder = package.folder or (chosen.checkouts / package.name).resolve()
        if not folder.exists():
            sys.exit(f"{folder} is not there")
        theirs, mine = (run(package, folder, ours=ours) for ours in (False, True))
        print(f"| {package.name} | {theirs} | {mine} |", flush=True)


if __name__ == "__main__":
    main()
