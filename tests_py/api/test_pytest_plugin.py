"""The fixtures for other people's tests."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

TESTS = """
import pytest

@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "locale": "de-DE"}

def test_a_page_is_there(page, browser_name, is_chromium, base_url):
    page.goto("")
    assert page.evaluate("navigator.language") == "de-DE"
    assert browser_name == "chromium" and is_chromium and base_url

def test_contexts_are_apart(context, new_context):
    assert context is not new_context()

@pytest.mark.browser_context_args(timezone_id="Asia/Tokyo")
def test_a_mark_adds_options(page):
    assert page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone") == "Asia/Tokyo"

@pytest.mark.skip_browser("chromium")
def test_is_not_for_chromium(page):
    raise AssertionError

def test_that_fails(page):
    page.set_content("<h1>Wrong</h1>")
    assert page.title() == "Right"
"""


def test_tests_get_pages_and_what_fails_leaves_pictures_traces_and_videos(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(TESTS)
    options = ["--tracing", "retain-on-failure", "--screenshot", "only-on-failure"]
    options += ["--video", "retain-on-failure", "--base-url", "about:blank"]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "patchright_mcp.pytest_plugin"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ended = subprocess.run(
        [*command, *options], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
    )
    assert "1 failed, 3 passed, 1 skipped" in ended.stdout, ended.stdout + ended.stderr
    kept = {path.relative_to(tmp_path / "test-results") for path in tmp_path.rglob("test-results/*/*")}
    assert {path.parent.name for path in kept} == {"test-it-py-test-that-fails-chromium"}
    assert {path.name for path in kept} == {"test-failed-1.png", "trace.zip", "video.webm"}


def test_a_device_that_is_not_known_is_named_with_those_that_are_near(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text("def test_it(page):\n    pass\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "patchright_mcp.pytest_plugin"]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    ended = subprocess.run(
        [*command, "--device", "iPhon 14"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert "no device is called 'iPhon 14'; there are iPhone 14" in ended.stdout, ended.stdout + ended.stderr


OTHER = """
import pytest

def pytest_addoption(parser):
    group = parser.getgroup("playwright", "Playwright")
    group.addoption("--browser", action="append", default=[])
    group.addoption("--video", default="off")
    group.addoption("--tracing", default="off")
    group.addoption("--output", default="test-results")

@pytest.fixture
def page():
    raise AssertionError("this is the other plugin's")
"""
ENTRY = "[pytest11]\nplaywright = other_plugin\n"


def install_other(folder: Path) -> dict[str, str]:
    """Installs a stand-in for pytest-playwright; returns the environment that has it."""
    (folder / "other_plugin.py").write_text(OTHER)
    (folder / "other-1.dist-info").mkdir()
    (folder / "other-1.dist-info" / "entry_points.txt").write_text(ENTRY)
    (folder / "other-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 1\n")
    path = os.pathsep.join([str(folder), *filter(None, [os.environ.get("PYTHONPATH")])])
    return {**os.environ, "PYTHONPATH": path}


def run_pytest(folder: Path, *options: str, environment: dict[str, str] | None = None) -> str:
    ended = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "test_it.py", *options],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    return ended.stdout + ended.stderr


def test_tests_that_ask_for_it_get_it_where_pytest_playwright_is_installed(tmp_path: Path) -> None:
    environment = install_other(tmp_path)
    (tmp_path / "test_it.py").write_text("def test_it(page):\n    page.goto('about:blank')\n")
    said = run_pytest(tmp_path, "-p", "patchright_mcp.pytest_plugin", environment=environment)
    assert "1 passed" in said, said
    (tmp_path / "conftest.py").write_text('pytest_plugins = ["patchright_mcp.pytest_plugin"]\n')
    said = run_pytest(tmp_path, environment=environment)
    assert "1 passed" in said, said


IS_ACTIVE = """
def test_it(pytestconfig):
    assert pytestconfig.pluginmanager.has_plugin("patchright_mcp.pytest_plugin")
"""


def test_pytest_loads_it_by_itself(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(IS_ACTIVE)
    said = run_pytest(tmp_path, "--headed", "--base-url", "about:blank")
    assert "1 passed" in said, said


def test_it_stays_inactive_beside_pytest_playwright_unless_that_is_disabled(tmp_path: Path) -> None:
    environment = install_other(tmp_path)
    (tmp_path / "test_it.py").write_text("def test_it(page):\n    pass\n")
    said = run_pytest(tmp_path, environment=environment)
    assert "this is the other plugin's" in said, said
    (tmp_path / "test_it.py").write_text(IS_ACTIVE)
    said = run_pytest(tmp_path, "-p", "no:playwright", environment=environment)
    assert "1 passed" in said, said


def test_it_stays_inactive_where_a_conftest_has_one_of_its_options(tmp_path: Path) -> None:
    (tmp_path / "test_it.py").write_text(IS_ACTIVE.replace("assert ", "assert not "))
    (tmp_path / "conftest.py").write_text(
        "def pytest_addoption(parser):\n    parser.addoption('--output', default='models')\n"
    )
    said = run_pytest(tmp_path)
    assert "1 passed" in said, said
