"""Pictures of pages."""

import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests_py.support.client import Server, serve
from tests_py.support.site import Site

PNG = b"\x89PNG\r\n\x1a\n"
JPEG = b"\xff\xd8\xff"


@pytest.fixture(scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server of this module works."""
    return tmp_path_factory.mktemp("screenshots")


@pytest.fixture(scope="module")
async def server(folder: Path) -> AsyncIterator[Server]:
    """A server that writes where this module can look."""
    async with serve("--headless", cwd=folder) as server:
        yield server


def newest(folder: Path) -> bytes:
    """The file that was written last."""
    files = [file for file in folder.rglob("*") if file.suffix in {".png", ".jpeg"}]
    return max(files, key=lambda file: file.stat().st_mtime_ns).read_bytes()


def size(png: bytes) -> tuple[int, int]:
    """Width and height of a PNG."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


async def test_a_picture_is_saved_and_the_answer_says_where(server: Server, site: Site, folder: Path) -> None:
    await server.open(site.page("form"))
    reply = await server.call("browser_take_screenshot", filename="form.png")
    assert not reply.is_error
    assert "form.png" in reply.text
    assert newest(folder).startswith(PNG)


async def test_a_jpeg_is_a_jpeg(server: Server, site: Site, folder: Path) -> None:
    await server.open(site.page("form"))
    await server.call("browser_take_screenshot", type="jpeg")
    assert newest(folder).startswith(JPEG)


async def test_the_whole_page_is_taller_than_the_window(server: Server, site: Site, folder: Path) -> None:
    await server.open(site.page("obstacles"))
    await server.call("browser_take_screenshot", filename="window.png")
    window = size(newest(folder))
    await server.call("browser_take_screenshot", filename="whole.png", fullPage=True)
    whole = size(newest(folder))
    assert whole[1] > 3000 > window[1]


async def test_one_element_is_smaller_than_the_window(server: Server, site: Site, folder: Path) -> None:
    page = await server.open(site.page("form"))
    await server.call("browser_take_screenshot", filename="one.png", target=page.ref('button "Register"'))
    width, height = size(newest(folder))
    assert width < 300
    assert height < 100


async def test_a_picture_leaves_the_page_as_it_was(server: Server, site: Site) -> None:
    await server.open(site.page("obstacles"))
    state = (
        "() => [document.documentElement.outerHTML.length, scrollX, scrollY, innerWidth, innerHeight].join()"
    )
    before = await server.evaluate(state)
    await server.call("browser_take_screenshot", fullPage=True)
    assert await server.evaluate(state) == before


@pytest.mark.parametrize("name", ["../escaped.png", "/tmp/escaped.png", "a/../../../escaped.png"])
async def test_no_name_leads_out_of_the_folder(server: Server, site: Site, folder: Path, name: str) -> None:
    await server.open(site.page("form"))
    await server.call("browser_take_screenshot", filename=name)
    outside = [*folder.parent.glob("*.png"), *folder.parents[1].glob("*.png"), Path("/tmp/escaped.png")]
    assert not any(file.exists() for file in outside)


async def test_the_whole_page_and_one_element_at_once_are_refused(server: Server, site: Site) -> None:
    page = await server.open(site.page("form"))
    target = page.ref('button "Register"')
    assert (await server.call("browser_take_screenshot", target=target, fullPage=True)).is_error
