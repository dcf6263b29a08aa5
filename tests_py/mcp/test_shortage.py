"""No space, no permission, no descriptors: what cannot be done is told by name, and all else works on."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests_py.support.http import HttpServer, memory_kb
from tests_py.support.http import until as until_true
from tests_py.support.site import Site, document
from tests_py.support.wire import Wire, until

pytestmark = [
    pytest.mark.skipif(sys.platform != "linux", reason="limits of other processes are Linux's"),
    pytest.mark.long,
]

CAPS = ("--headless", "--caps", "pdf,evidence")
WRITING: dict[str, dict[str, object]] = {
    "browser_take_screenshot": {"filename": "new.png"},
    "browser_pdf_save": {"path": "new.pdf"},
    "browser_context_save_storage": {"path": "new.json"},
    "browser_evaluate": {"function": "() => 'x'.repeat(100000)", "filename": "new.txt"},
    "browser_snapshot": {"filename": "new.md"},
}
"""What writes a file."""


FORM = document("Form", '<h1>Form</h1><input aria-label="Name">')


def result(wire: Wire, tool: str, **arguments: object) -> dict[str, Any]:
    """What a tool says."""
    answer = wire.call(tool, **arguments)["result"]
    assert isinstance(answer, dict)
    return answer


def text(expected: dict[str, Any]) -> str:
    return str(expected["content"][0]["text"])


def code(expected: dict[str, Any]) -> object:
    return expected["_meta"]["errorCode"] if expected.get("isError") else None


def written(folder: Path) -> set[str]:
    """The files that a server has written where it works."""
    return {file.name for file in folder.rglob("*") if file.is_file()}


@contextmanager
def limited(pid: int, kind: int, most: int) -> Iterator[None]:
    """One process, and none that it has started, with a limit."""
    before = resource.prlimit(pid, kind)
    resource.prlimit(pid, kind, (most, before[1]))
    try:
        yield
    finally:
        resource.prlimit(pid, kind, before)


def in_use(pid: int) -> int:
    """The number below which all descriptors are in use."""
    used = {int(entry.name) for entry in Path(f"/proc/{pid}/fd").iterdir()}
    return next(number for number in range(len(used) + 1) if number not in used)


class Disk:
    """A small disk of its own."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def fill(self) -> None:
        """Leaves no room on it."""
        with (self.path / "filled").open("ab", buffering=0) as file:
            try:
                while file.write(bytes(1 << 16)):
                    pass
            except OSError:
                return

    def empty(self) -> None:
        """Leaves room again."""
        (self.path / "filled").unlink()

    def lock(self, *, locked: bool) -> None:
        """Forbids writing, or allows it again."""
        how = "remount,ro" if locked else "remount,rw"
        subprocess.run(["/bin/mount", "-o", how, str(self.path)], check=True)


@pytest.fixture
def disk(folder: Path) -> Iterator[Disk]:
    path = folder / "disk"
    path.mkdir()
    mount = ["/bin/mount", "-t", "tmpfs", "-o", "size=2m", "none", str(path)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("only root makes a disk")
    try:
        yield Disk(path)
    finally:
        subprocess.run(["/bin/umount", "--lazy", str(path)], check=True)


@pytest.fixture
def on_disk(disk: Disk, folder: Path, site: Site) -> Iterator[Wire]:
    """A server that works on that disk, with a page. What is temporary is elsewhere."""
    with Wire(folder, *CAPS, cwd=disk.path) as wire:
        wire.shake_hands()
        assert code(result(wire, "browser_navigate", url=site.publish("/one", FORM))) is None
        yield wire


def refuses_all_writing(wire: Wire, here: Path, reason: str) -> None:
    """Each tool that writes says why it cannot, leaves nothing half, and the page works on."""
    before = written(here)
    for tool, arguments in WRITING.items():
        answer = result(wire, tool, **arguments)
        assert code(answer) == "file", (tool, answer)
        assert reason in text(answer), (tool, answer)
    assert written(here) == before
    assert code(result(wire, "browser_type", ref="input", text="Ada")) is None


def writes_all(wire: Wire) -> None:
    for tool, arguments in WRITING.items():
        answer = result(wire, tool, **arguments)
        assert code(answer) is None, (tool, answer)


def test_a_full_disk_is_reported_and_nothing_half_is_left(on_disk: Wire, disk: Disk) -> None:
    # A folder takes no room of this disk's once it is there.
    writes_all(on_disk)
    disk.fill()
    refuses_all_writing(on_disk, disk.path, "No space left")
    disk.empty()
    writes_all(on_disk)


def test_a_folder_that_may_not_be_written_is_reported(on_disk: Wire, disk: Disk) -> None:
    disk.lock(locked=True)
    refuses_all_writing(on_disk, disk.path, "Read-only")
    disk.lock(locked=False)
    writes_all(on_disk)


def test_a_download_that_finds_no_room_is_reported(on_disk: Wire, disk: Disk, site: Site) -> None:
    disk.fill()
    link = '<a href="/large.bin" download>Get</a><input aria-label="Name">'
    site.publish("/large.bin", bytes(8 << 20), "application/octet-stream")
    result(on_disk, "browser_navigate", url=site.publish("/get", document("Get", link)))
    said = text(result(on_disk, "browser_click", ref="a"))
    while "large.bin failed" not in said:  # The test's own limit ends this.
        said = text(result(on_disk, "browser_snapshot"))
    assert "Downloaded" not in said
    until(lambda: written(disk.path) == {"filled"}, "the end of what was begun")
    assert code(result(on_disk, "browser_type", ref="input", text="Ada")) is None


def test_a_file_that_may_not_grow_is_reported(wire: Wire, folder: Path, site: Site) -> None:
    wire.shake_hands()
    result(wire, "browser_navigate", url=site.publish("/one", FORM))
    with limited(wire.process.pid, resource.RLIMIT_FSIZE, 100):
        for tool in ("browser_take_screenshot", "browser_evaluate"):
            answer = result(wire, tool, **WRITING[tool])
            assert code(answer) == "file", answer
            assert "too large" in text(answer)
        assert not [name for name in written(folder) if name.startswith("new")]
    for tool in ("browser_take_screenshot", "browser_evaluate"):
        assert code(result(wire, tool, **WRITING[tool])) is None


def test_without_descriptors_files_are_refused_and_pages_work_on(wire: Wire, site: Site) -> None:
    wire.shake_hands()
    result(wire, "browser_navigate", url=site.publish("/one", FORM))
    with limited(wire.process.pid, resource.RLIMIT_NOFILE, in_use(wire.process.pid)):
        answer = result(wire, "browser_take_screenshot", filename="new.png")
        assert code(answer) == "file", answer
        assert "Too many open files" in text(answer)
        assert code(result(wire, "browser_type", ref="input", text="Ada")) is None
        assert code(result(wire, "browser_tabs", action="new", url=site.page("form"))) is None
    assert code(result(wire, "browser_take_screenshot", filename="new.png")) is None


def test_without_descriptors_no_browser_starts_and_later_one_does(wire: Wire, site: Site) -> None:
    wire.shake_hands()
    with limited(wire.process.pid, resource.RLIMIT_NOFILE, in_use(wire.process.pid)):
        answer = result(wire, "browser_navigate", url=site.page("form"))
        assert code(answer) == "browser_launch", answer
        assert "Too many open files" in text(answer)
    assert code(result(wire, "browser_navigate", url=site.page("form"))) is None


def test_without_room_for_its_profile_no_browser_starts_and_later_one_does(disk: Disk, site: Site) -> None:
    with Wire(disk.path, "--headless") as wire:
        wire.shake_hands()
        disk.lock(locked=True)
        answer = result(wire, "browser_navigate", url=site.page("form"))
        assert code(answer) == "browser_launch", answer
        assert "Read-only" in text(answer)
        disk.lock(locked=False)
        assert code(result(wire, "browser_tabs", action="list")) is None


def seconds_of_work(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_without_descriptors_a_server_waits_at_rest_for_one(tmp_path: Path) -> None:
    with HttpServer(tmp_path) as server:
        with limited(server.pid, resource.RLIMIT_NOFILE, in_use(server.pid)):
            before = seconds_of_work(server.pid)
            assert server.send(b"GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n", patience_s=1) == b""
            assert seconds_of_work(server.pid) - before < 0.5
        until_true(
            lambda: server.ask(["Host: localhost"], method="GET", path="/health").status == 200, "room"
        )


def test_a_pause_that_cannot_be_written_down_is_kept_all_the_same(
    disk: Disk, folder: Path, site: Site
) -> None:
    state = disk.path / "state"
    state.mkdir()
    with Wire(folder, "--headless", "--lang", "en", "--state-dir", str(state)) as wire:
        wire.shake_hands()
        result(wire, "browser_navigate", url=site.page("form"))
        disk.fill()
        disk.lock(locked=True)
        begun = result(wire, "patchright_fetch", url=site.url("/hold/never"), timeout=3000)
        assert begun["structuredContent"]["status"] == "login_timeout"
        paused = result(wire, "browser_tabs", action="list")
        assert paused["structuredContent"]["status"] == "cooldown"
        disk.lock(locked=False)


@pytest.mark.parametrize("stream", ["stdout", "stderr"])
def test_output_that_cannot_be_written_breaks_nothing(folder: Path, stream: str) -> None:
    """A log that is full is no reason to stop; answers that nobody gets are."""
    command = [sys.executable, "-m", "patchright_mcp", "--headless", "--log-level", "trace"]
    lines = [
        (
            '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18",'
            '"capabilities":{},"clientInfo":{"name":"full","version":"1"}}}'
        ),
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/list"}',
    ]
    with Path("/dev/full").open("wb") as full:
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: full}
        server = subprocess.Popen(command, stdin=subprocess.PIPE, cwd=folder, **streams)
        reported, said = server.communicate("\n".join(lines).encode() + b"\n", timeout=20)
    if stream == "stderr":
        assert server.returncode == 0
        assert len(reported.splitlines()) == 2
    else:
        assert b"Traceback" not in said
        assert b"panicked" not in said


def test_what_large_pages_took_is_given_back_when_nothing_is_called(
    new_wire: Callable[..., Wire], site: Site
) -> None:
    wire = new_wire("--headless")
    wire.shake_hands()
    wire.call("browser_navigate", url=site.page("form"))
    before = memory_kb(wire.process.pid)
    for _ in range(3):
        wire.call("browser_navigate", url=site.url("/large?elements=20000"))
        wire.call("browser_snapshot")
    wire.call("browser_navigate", url=site.page("form"))
    taken = memory_kb(wire.process.pid) - before
    assert taken > 5 << 10
    until(lambda: memory_kb(wire.process.pid) - before < 0.6 * taken, "giving memory back")
