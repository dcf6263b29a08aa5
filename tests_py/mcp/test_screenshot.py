"""Pictures of pages."""

import re
import struct
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests_py.support.client import Server, serve
from tests_py.support.pictures import colours
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

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


@pytest.mark.long
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


def jpeg_size(jpeg: bytes) -> tuple[int, int]:
    """Width and height of a JPEG."""
    place = 2
    while place < len(jpeg):
        marker, length = struct.unpack(">HH", jpeg[place : place + 4])
        if 0xFFC0 <= marker <= 0xFFC2:
            height, width = struct.unpack(">HH", jpeg[place + 5 : place + 9])
            return width, height
        place += 2 + length
    raise AssertionError("this is no JPEG")


class TestAllSizes:
    async def test_a_page_taller_than_any_texture_is_there_to_its_last_row(
        self, either_workshop: Workshop, site: Site
    ) -> None:
        await either_workshop.open(site.url("/bands?count=20"))
        await either_workshop.do("browser_take_screenshot", fullPage=True, filename="tall.png")
        rows = colours(either_workshop.pictures()[-1].read_bytes())
        assert len(rows) == 20_000
        for band in range(20):
            for row in (band * 1000, band * 1000 + 999):
                assert rows[row] == (band * 10, 255 - band * 10, 128), row

    @pytest.mark.long
    async def test_what_a_format_cannot_hold_is_refused_with_one_that_can(
        self, workshop: Workshop, site: Site
    ) -> None:
        await workshop.open(site.url("/bands?count=20"))
        said = await workshop.refused("browser_take_screenshot", fullPage=True, type="webp")
        assert "more than a webp can hold; take a png" in said

    async def test_an_element_larger_than_the_window_and_one_in_a_frame_are_shown_whole(
        self, workshop: Workshop, site: Site
    ) -> None:
        page = await workshop.open(site.url("/bands?count=3"))
        await workshop.do("browser_take_screenshot", ref=page.ref('button "Large"'))
        assert size(workshop.pictures()[-1].read_bytes()) == (1500, 1200)
        page = await workshop.open(site.page("frames"))
        inside = [line for line in page.text.splitlines() if 'button "Press inside"' in line]
        for line in inside:
            button = line.split("[ref=")[1].split("]")[0]
            await workshop.do("browser_take_screenshot", ref=button)
            width, height = size(workshop.pictures()[-1].read_bytes())
            assert 50 < width < 150
            assert 15 < height < 40

    @pytest.mark.parametrize(("kind", "beginning"), [("png", PNG), ("jpeg", JPEG), ("webp", b"RIFF")])
    async def test_the_bytes_are_what_the_type_says(
        self, either_workshop: Workshop, site: Site, kind: str, beginning: bytes
    ) -> None:
        await either_workshop.open(site.page("form"))
        await either_workshop.do("browser_take_screenshot", type=kind)
        picture = either_workshop.pictures()[-1]
        assert re.fullmatch(rf"page-\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d-\d{{3}}Z\.{kind}", picture.name)
        assert picture.read_bytes().startswith(beginning)


@pytest.mark.long
async def test_a_picture_sent_along_is_as_large_as_models_look_at(site: Site, tmp_path: Path) -> None:
    arguments = ("--headless", "--image-responses", "inline", "--screenshot-dir", "pictures/of/pages")
    async with serve(*arguments, cwd=tmp_path) as server:
        await server.open(site.page("form"))
        await server.call("browser_resize", width=2400, height=1800)
        reply = await server.call("browser_take_screenshot", filename="large.png")
        assert "Screenshot saved to pictures/of/pages/large.png (viewport)" in reply.section("Result")
        assert size((tmp_path / "pictures/of/pages/large.png").read_bytes()) == (2400, 1800)
        (picture,) = reply.images
        width, height = jpeg_size(picture)
        assert max(width, height) <= 1568
        assert width * height <= 1_150_000
        factor = re.search(r"multiply its coordinates by ([\d.]+)", reply.text)
        assert factor
        assert abs(width * float(factor[1]) - 2400) < 5


@pytest.mark.long
async def test_a_picture_that_models_can_look_at_is_sent_along_as_it_is_kept(
    site: Site, tmp_path: Path
) -> None:
    async with serve("--headless", "--image-responses", "inline", cwd=tmp_path) as server:
        await server.open(site.page("form"))
        reply = await server.call("browser_take_screenshot", filename="small.png")
        assert reply.images == [(tmp_path / ".viewpoint-mcp-screenshots/small.png").read_bytes()]
        assert "multiply" not in reply.text
        noise = """() => {
            const canvas = document.body.appendChild(document.createElement('canvas'));
            canvas.width = 800, canvas.height = 600, canvas.style.cssText = 'position: fixed; inset: 0';
            const drawing = canvas.getContext('2d'), picture = drawing.createImageData(800, 600);
            let noise = 1;
            for (let i = 0; i < picture.data.length; i++)
                picture.data[i] = (noise = noise * 48271 % 2147483647) & 255;
            drawing.putImageData(picture, 0, 0);
        }"""
        await server.call("browser_evaluate", function=noise)
        for _ in range(2):
            reply = await server.call("browser_take_screenshot", filename="large.png")
            kept = (tmp_path / ".viewpoint-mcp-screenshots/large.png").read_bytes()
            assert len(kept) > 200_000
            (picture,) = reply.images
            assert jpeg_size(picture) == size(kept)
        await server.open(site.page("form"))
        for is_kept in (False, True):
            reply = await server.call("browser_take_screenshot", filename="small.png")
            kept = (tmp_path / ".viewpoint-mcp-screenshots/small.png").read_bytes()
            assert (reply.images == [kept]) is is_kept


async def test_where_pictures_are_omitted_the_answer_only_says_that_one_was_taken(
    site: Site, tmp_path: Path
) -> None:
    async with serve("--headless", "--image-responses", "omit", cwd=tmp_path) as server:
        await server.open(site.page("form"))
        reply = await server.call("browser_take_screenshot")
        assert reply.section("Result") == "Screenshot captured (viewport)"
        assert not reply.images
        assert len(list((tmp_path / ".viewpoint-mcp-screenshots").glob("*.png"))) == 1
