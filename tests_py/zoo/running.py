"""Applications that no one here wrote, each started on a port of its own on loopback."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INSTALLED = Path(__file__).parents[2] / "target" / "zoo" / "applications"
PYTHON = INSTALLED / "venv" / "bin"
NODE = INSTALLED / "node_modules" / ".bin"
PASSWORD = "harbour-7"  # noqa: S105 - of an application that lives as long as its test.
START_LIMIT = 120.0


def free_port() -> int:
    """A port of loopback that nobody listens on now."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


@contextmanager
def running(folder: Path, url: str, *command: str | Path, env: dict[str, str] | None = None) -> Iterator[str]:
    """Runs a command until the test is done with what it serves at `url`; all its processes end with it."""
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            [str(word) for word in command],
            cwd=folder,
            env={**os.environ, **(env or {})},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
        try:
            _until_answered(process, url, folder / "log")
            yield url
        finally:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _until_answered(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + START_LIMIT
    while time.monotonic() < end:
        assert process.poll() is None, f"it ended before it served {url}:\n{log.read_text()[-2000:]}"
        try:
            urllib.request.urlopen(url, timeout=5).close()  # noqa: S310 - loopback
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise AssertionError(f"{url} did not answer:\n{log.read_text()[-2000:]}")


@contextmanager
def jupyterlab(folder: Path) -> Iterator[str]:
    """JupyterLab, whose notebooks are in `folder`."""
    port = free_port()
    command = (
        *(PYTHON / "jupyter", "lab", "--allow-root", "--no-browser", "--ip=127.0.0.1", f"--port={port}"),
        *(f"--ServerApp.root_dir={folder}", "--IdentityProvider.token=", "--ServerApp.password="),
    )
    with running(folder, f"http://127.0.0.1:{port}/lab", *command, env={"HOME": str(folder)}) as url:
        yield url


@contextmanager
def node_red(folder: Path) -> Iterator[str]:
    """Node-RED, with an empty flow."""
    port = free_port()
    settings = folder / "settings.js"
    values = {
        "uiHost": "127.0.0.1",
        "flowFile": "flows.json",
        "editorTheme": {"tours": False},
        "telemetry": {"enabled": False},
    }
    settings.write_text(f"module.exports = {json.dumps(values)};\n")
    command = (NODE / "node-red", "--userDir", folder, "--settings", settings, "--port", str(port))
    with running(folder, f"http://127.0.0.1:{port}/", *command) as url:
        yield url


@contextmanager
def tiddlywiki(folder: Path) -> Iterator[str]:
    """TiddlyWiki, whose tiddlers are files in `folder/wiki/tiddlers`."""
    port = free_port()
    subprocess.run(
        [NODE / "tiddlywiki", folder / "wiki", "--init", "server"], check=True, stdout=subprocess.DEVNULL
    )
    command = (NODE / "tiddlywiki", folder / "wiki", "--listen", f"port={port}", "host=127.0.0.1")
    with running(folder, f"http://127.0.0.1:{port}/", *command) as url:
        yield url


@contextmanager
def wagtail(folder: Path) -> Iterator[str]:
    """Wagtail's admin pages, with the user `admin` and `PASSWORD`; its database is `cms/db.sqlite3`."""
    port = free_port()
    env = {**os.environ, "DJANGO_SUPERUSER_PASSWORD": PASSWORD, "PATH": f"{PYTHON}:{os.environ['PATH']}"}
    manage = (PYTHON / "python", "manage.py")
    for command, place in (
        ((PYTHON / "wagtail", "start", "cms"), folder),
        ((*manage, "migrate", "-v0"), folder / "cms"),
        (
            (*manage, "createsuperuser", "--noinput", "--username", "admin", "--email", "admin@example.com"),
            folder / "cms",
        ),
    ):
        subprocess.run(command, cwd=place, env=env, check=True, stdout=subprocess.DEVNULL)
    url = f"http://127.0.0.1:{port}/admin/"
    with running(folder / "cms", url, *manage, "runserver", "--noreload", f"127.0.0.1:{port}"):
        yield url


GRADIO = """
import json, sys
import gradio

def order(size, toppings, hot, quantity, day, photo):
    record = dict(size=size, toppings=toppings, hot=hot, quantity=quantity, day=day, photo=bool(photo))
    with open("orders.jsonl", "a") as orders:
        orders.write(json.dumps(record) + "\\n")
    return f"Order {quantity} taken: {size}"

with gradio.Blocks(title="Orders") as page:
    gradio.Markdown("# Pizza orders")
    fields = [
        gradio.Dropdown(["small", "medium", "large", "family"], label="Size", value=None),
        gradio.CheckboxGroup(["olives", "ham", "corn", "basil"], label="Toppings"),
        gradio.Slider(0, 10, step=1, label="Spiciness"),
        gradio.Number(label="Quantity", value=1, precision=0),
        gradio.Radio(["today", "tomorrow"], label="Day"),
        gradio.File(label="A photo of your door"),
    ]
    gradio.Button("Send order").click(order, fields, gradio.Textbox(label="Answer"))
page.launch(server_name="127.0.0.1", server_port=int(sys.argv[1]))
"""


@contextmanager
def gradio(folder: Path) -> Iterator[str]:
    """A form of Gradio's, which writes orders to `folder/orders.jsonl`."""
    port = free_port()
    (folder / "app.py").write_text(GRADIO)
    env = {"GRADIO_ANALYTICS_ENABLED": "False"}
    command = (PYTHON / "python", "app.py", str(port))
    with running(folder, f"http://127.0.0.1:{port}/", *command, env=env) as url:
        yield url
