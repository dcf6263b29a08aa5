"""Getting a browser, from a mirror on loopback."""

from __future__ import annotations

import io
import os
import platform
import shutil
import sys
import zipfile
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest

from tests_py.support.client import Server, serve
from tests_py.support.site import Site
from tests_py.support.wire import Wire, until

pytestmark = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() != "x86_64",
    reason="the mirror has only this system's archive",
)

REVISION = "1585606"
ARCHIVE = f"chromium-browser-snapshots/Linux_x64/{REVISION}/chrome-linux.zip"
INSIDE = "chrome-linux/chrome"
REAL = os.pathsep.join(["/usr/lib/chromium", "/usr/lib64/chromium", "/opt/google/chrome"])


def archive(program: str) -> bytes:
    """What a mirror serves: a browser that is a script."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        entry = zipfile.ZipInfo(INSIDE)
        entry.external_attr = 0o100755 << 16
        file.writestr(entry, program)
    return packed.getvalue()


def without_browser(folder: Path, mirror: str) -> AbstractAsyncContextManager[Server]:
    """A server that finds no browser, and is to download one into `folder`."""
    return serve("--headless", "--browsers-dir", str(folder), "--download-host", mirror)


async def test_a_browser_that_is_there_is_said_to_be_ready(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    said = (await server.call("browser_install")).section("Result")
    assert "Browser is already installed and running (" in said
    assert "No installation needed" in said


async def test_where_none_is_chromium_is_downloaded_and_used(site: Site, tmp_path: Path) -> None:
    started = tmp_path / "started"
    real = shutil.which("chromium", path=REAL) or shutil.which("chrome", path=REAL)
    if not real:
        pytest.skip("the archive holds a script that starts the system's browser, and there is none")
    script = f'#!/bin/sh\ntouch {started}\nexec {real} "$@"\n'
    site.publish(f"/{ARCHIVE}", archive(script), kind="application/zip")
    folder = tmp_path / "browsers"
    async with without_browser(folder, site.origin) as server:
        missing = await server.call("browser_navigate", url=site.page("form"))
        assert missing.is_error
        assert "browser_install" in missing.text
        got = await server.call("browser_install")
        place = folder / f"linux-{REVISION}" / INSIDE
        assert f"Chromium was downloaded and installed ({place})" in got.text
        assert [entry.name for entry in folder.iterdir()] == [f"linux-{REVISION}"]
        again = await server.call("browser_install")
        assert f"Browser is already installed ({place})" in again.text
        await server.open(site.page("form"))
    assert started.exists()


@pytest.mark.parametrize(
    ("body", "reason"),
    [(archive("#!/bin/sh\n")[:-40], "Installation of browser failed"), (None, "Invalid archive url")],
    ids=["a damaged archive", "an archive that is not there"],
)
async def test_what_cannot_be_installed_leaves_nothing(
    site: Site, tmp_path: Path, body: bytes | None, reason: str
) -> None:
    mirror = "/damaged" if body else "/empty"
    if body:
        site.publish(f"{mirror}/{ARCHIVE}", body, kind="application/zip")
    async with without_browser(tmp_path / "browsers", site.url(mirror)) as server:
        reply = await server.call("browser_install")
    assert reply.is_error
    assert reason in reply.text
    assert list((tmp_path / "browsers").iterdir()) == []


async def test_without_a_network_the_error_names_what_else_can_be_done(tmp_path: Path) -> None:
    async with without_browser(tmp_path / "browsers", "http://127.0.0.1:1") as server:
        reply = await server.call("browser_install")
    assert reply.is_error
    for words in (
        "Chromium could not be downloaded",
        "package manager",
        "--executable-path",
        "--download-host",
    ):
        assert words in reply.text


def test_a_download_tells_how_far_it_is_and_leaves_nothing_when_it_is_cut_short(
    new_wire: Callable[..., Wire], site: Site, folder: Path
) -> None:
    site.hold()
    browsers = folder / "browsers"
    wire = new_wire("--browsers-dir", str(browsers), "--download-host", site.url("/hold"))
    wire.shake_hands()
    asked = {"name": "browser_install", "arguments": {}, "_meta": {"progressToken": "download"}}
    call = wire.start("tools/call", asked)
    until(lambda: bool(site.requested(f"/hold/{ARCHIVE}")), "the download")
    assert list(browsers.glob(".*/*.zip"))
    answer = wire.read()
    assert answer["method"] == "notifications/progress"
    assert "downloading Chromium" in answer["params"]["message"]
    wire.notify("notifications/cancelled", {"requestId": call})
    until(lambda: not list(browsers.iterdir()), "the end of what was downloaded")
    site.release()


def test_what_a_killed_download_left_is_cleared_by_the_next(
    new_wire: Callable[..., Wire], site: Site, folder: Path
) -> None:
    site.hold()
    browsers = folder / "browsers"
    asked = {"name": "browser_install", "arguments": {}}
    wire = new_wire("--browsers-dir", str(browsers), "--download-host", site.url("/hold"))
    wire.shake_hands()
    wire.start("tools/call", asked)
    until(lambda: bool(list(browsers.glob(".*/*.zip"))), "the download")
    wire.process.kill()
    wire.process.wait()
    assert list(browsers.iterdir())
    site.release()
    wire = new_wire("--browsers-dir", str(browsers), "--download-host", "http://127.0.0.1:1")
    wire.shake_hands()
    assert wire.call("browser_install")["result"]["isError"]
    assert list(browsers.iterdir()) == []


async def test_chromium_never_takes_the_place_of_another_browser(site: Site, tmp_path: Path) -> None:
    folder = str(tmp_path / "browsers")
    asked = len(site.all_requested())
    arguments = ("--browser", "chrome", "--browsers-dir", folder, "--download-host", site.origin)
    async with serve("--headless", *arguments) as server:
        reply = await server.call("browser_install")
    assert reply.is_error
    assert "--browser asks for Chrome, which is not here" in reply.text
    assert len(site.all_requested()) == asked
