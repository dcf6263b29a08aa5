"""Applications that no one here wrote, on loopback: started when first asked for, ended with the run."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

BUILT = Path(__file__).parents[2] / "target" / "zoo"
PROGRAMS = BUILT / "applications" / "bin"
MODULES = BUILT / "node_modules" / ".bin"
SOURCES = Path(__file__).parents[1] / "zoo"
LONGEST_START_S = 120
PASSWORD = "a-long-password-1"  # noqa: S105 - of an application that lives as long as a test.


@dataclass
class Applications:
    """Those that run, with a folder for what they keep."""

    folder: Path
    running: dict[str, tuple[subprocess.Popen[bytes], str]] = field(default_factory=dict)

    def start(self, name: str) -> str:
        """The address of an application, which answers from now on."""
        if name not in self.running:
            port = _free_port()
            home = self.folder / name
            home.mkdir()
            process = _spawn(COMMANDS[name](port, home), home)
            self.running[name] = (process, f"http://127.0.0.1:{port}")
            _await_answer(self.running[name][1], process, home)
        return self.running[name][1]

    def stop(self) -> None:
        """Ends those that were started, each with its children."""
        for process, _ in self.running.values():
            os.killpg(process.pid, signal.SIGTERM)
        for process, _ in self.running.values():
            _await_end(process)


def _await_end(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _spawn(command: list[str], home: Path) -> subprocess.Popen[bytes]:
    with (home / "log.txt").open("wb") as log:
        return subprocess.Popen(
            command,
            cwd=home,
            env=_environment(home),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )


def _environment(home: Path) -> dict[str, str]:
    return {**os.environ, "HOME": str(home), "GRADIO_ANALYTICS_ENABLED": "False", "DO_NOT_TRACK": "1"}


def _await_answer(address: str, process: subprocess.Popen[bytes], home: Path) -> None:
    deadline = time.monotonic() + LONGEST_START_S
    while process.poll() is None and time.monotonic() < deadline:
        if _answers(address):
            return
        time.sleep(0.2)
    log = (home / "log.txt").read_text(errors="replace")[-2000:]
    raise AssertionError(f"{address} does not answer: {log}")


def _answers(address: str) -> bool:
    try:
        urllib.request.urlopen(address, timeout=5).close()  # noqa: S310 - our own address.
    except urllib.error.HTTPError:
        return True
    except OSError:
        return False
    return True


def _jupyterlab(port: int, home: Path) -> list[str]:
    options = {"ip": "127.0.0.1", "port": port, "ServerApp.root_dir": home, "IdentityProvider.token": ""}
    return [
        str(PROGRAMS / "jupyter-lab"),
        "--allow-root",
        "--no-browser",
        *(f"--{name}={value}" for name, value in options.items()),
    ]


def _node_red(port: int, home: Path) -> list[str]:
    return [str(MODULES / "node-red"), "--userDir", str(home), "--port", str(port)]


def _tiddlywiki(port: int, home: Path) -> list[str]:
    program = str(MODULES / "tiddlywiki")
    subprocess.run([program, str(home / "wiki"), "--init", "server"], check=True, capture_output=True)
    return [program, str(home / "wiki"), "--listen", f"port={port}", "host=127.0.0.1"]


def _wagtail(port: int, home: Path) -> list[str]:
    python = str(PROGRAMS / "python")
    subprocess.run([PROGRAMS / "wagtail", "start", "cms", "."], cwd=home, check=True, capture_output=True)
    account = {"DJANGO_SUPERUSER_PASSWORD": PASSWORD, **os.environ}
    for command in (
        ["migrate", "-v0"],
        ["createsuperuser", "--noinput", "--username=ada", "--email=a@example.com"],
    ):
        subprocess.run(
            [python, "manage.py", *command], cwd=home, check=True, capture_output=True, env=account
        )
    return [python, "manage.py", "runserver", "--noreload", f"127.0.0.1:{port}"]


def _gradio(port: int, home: Path) -> list[str]:
    return [str(PROGRAMS / "python"), str(SOURCES / "orders.py"), str(port), str(home / "order.json")]


def _miniwob(port: int, _: Path) -> list[str]:
    python = str(PROGRAMS / "python")
    find = "import miniwob, pathlib; print(pathlib.Path(miniwob.__file__).parent / 'html')"
    pages = subprocess.run([python, "-c", find], check=True, capture_output=True, text=True).stdout.strip()
    return [python, "-m", "http.server", str(port), "--bind", "127.0.0.1", "--directory", pages]


COMMANDS: dict[str, Callable[[int, Path], list[str]]] = {
    "gradio": _gradio,
    "jupyterlab": _jupyterlab,
    "miniwob": _miniwob,
    "node-red": _node_red,
    "tiddlywiki": _tiddlywiki,
    "wagtail": _wagtail,
}
