"""The examples for Ray, Dask and Celery, as they are, with two workers; `make clusters` installs them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from tests_py.support.fleet import Redis
from tests_py.support.http import until
from tests_py.support.site import Site, document

ROOT = Path(__file__).parents[2]
COUNT = 200
PYTHON = os.environ.get("PATCHRIGHT_CLUSTERS", sys.executable)
"""What has Ray, Dask and Celery installed."""

pytestmark = pytest.mark.timeout(600)


@contextmanager
def running(name: str, folder: Path, site: Site, count: int) -> Iterator[subprocess.Popen[str]]:
    """An example at work, with all that it needs beside it."""
    environment = {
        **os.environ,
        "TMPDIR": str(folder),
        "DASK_TEMPORARY_DIRECTORY": str(folder),
        "RAY_TMPDIR": str(folder),
        "RAY_AUTH_MODE": "disabled",
        "HOME": str(folder),
        "PYTHONPATH": str(ROOT / "python"),
    }
    examples = ROOT / "examples"
    command = [PYTHON, f"{name}.py", site.url("/n{}"), str(count)]
    with Redis() as redis:
        environment["BROKER"] = f"redis://127.0.0.1:{redis.port}/0"
        worker: subprocess.Popen[str] | None = None
        if name == "celery_scrape":
            start = [PYTHON, "-m", "celery", "-A", name, "worker", "--concurrency", "2"]
            start += ["--prefetch-multiplier", "1", "--loglevel", "ERROR"]
            worker = subprocess.Popen(start, cwd=examples, env=environment, text=True)
        at_work = subprocess.Popen(
            command, cwd=examples, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        try:
            yield at_work
        finally:
            for process in (at_work, worker):
                if process:
                    process.terminate()
                    process.wait(60)


def until_at_work(at_work: subprocess.Popen[str], condition: Callable[[], object], what: str) -> None:
    """Waits for a condition, as long as the example runs."""

    def came() -> bool:
        assert at_work.poll() is None, at_work.communicate()
        return bool(condition())

    until(came, what, 300)


def browsers_in(folder: Path) -> dict[int, int]:
    """The browsers that were started with this folder for what is temporary, and the worker that has each."""
    found = {}
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, ValueError):
            command = (entry / "cmdline").read_bytes()
            if b"--remote-debugging-pipe" in command and str(folder).encode() in command:
                found[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    return found


def publish(site: Site, count: int) -> list[str]:
    for number in range(count):
        site.publish(f"/n{number}", document(f"n{number}", f"<h1>Page {number}</h1>"))
    return [f"Page {number}" for number in range(count)]


@pytest.mark.parametrize("name", ["ray_scrape", "dask_scrape", "celery_scrape"])
def test_pages_are_read_in_order_with_one_browser_a_worker(name: str, folder: Path, site: Site) -> None:
    expected = publish(site, COUNT)
    with running(name, folder, site, COUNT) as at_work:
        until_at_work(at_work, lambda: len(browsers_in(folder)) == 2, "two browsers")
        reported, complaints = at_work.communicate(timeout=500)
        assert at_work.returncode == 0, complaints
    assert reported.splitlines() == expected
    until(lambda: not browsers_in(folder), "that no browser is left")


@pytest.mark.parametrize("name", ["ray_scrape", "dask_scrape", "celery_scrape"])
def test_a_page_that_fails_and_a_worker_that_is_killed_cost_nothing(
    name: str, folder: Path, site: Site
) -> None:
    expected = publish(site, 30)
    # As many times as the pool of a worker tries, so that the task has to be done again.
    site.stumble("/n7", 2)
    site.hold()
    site.publish("/n12", document("n12", "<h1>Page 12</h1><script src='/hold/killed'></script>"))
    with running(name, folder, site, 30) as at_work:
        until_at_work(
            at_work, lambda: site.requested("/hold/killed"), "the page during which a worker is killed"
        )
        os.kill(next(iter(browsers_in(folder).values())), signal.SIGKILL)
        site.release()
        reported, complaints = at_work.communicate(timeout=500)
        assert at_work.returncode == 0, complaints
    # Ray tells on standard output, too, that it lost a worker.
    assert [line for line in reported.splitlines() if line.startswith("Page")] == expected
    assert len(site.requested("/n7")) >= 3
