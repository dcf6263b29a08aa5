"""Pictures that a script compares with others."""

import struct
from base64 import b64encode

import pytest

from patchright_mcp.async_api import Error, Page

CONTENT = """<style>
    body { margin: 0; background: rgb(0, 0, 255) }
    #box { width: 50px; height: 50px; background: rgb(0, 255, 0) }
    .moving { animation: move 1000s infinite }
    .ending { transition: margin-left 1000s }
    @keyframes move { from { margin-left: 0 } to { margin-left: 500px } }
</style><div id=box></div><div style="height: 2000px"></div><p id=low>far down</p>"""


async def pixel(page: Page, picture: bytes, x: int, y: int) -> list[int]:
    """The colour of a point of a picture."""
    script = """async ([picture, x, y]) => {
        const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes]));
        const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
        context.drawImage(image, 0, 0);
        return Array.from(context.getImageData(x, y, 1, 1).data).slice(0, 3);
    }"""
    return list(await page.evaluate(script, [b64encode(picture).decode(), x, y]))


async def test_parts_of_a_picture_can_be_covered(page: Page) -> None:
    await page.set_content(CONTENT)
    before = await page.content()
    shot = await page.screenshot(mask=[page.locator("div").first])
    assert await pixel(page, shot, 20, 20) == [255, 0, 255]
    assert await pixel(page, shot, 60, 20) == [0, 0, 255]
    await page.evaluate("scrollTo(0, 500)")
    shot = await page.screenshot(full_page=True, mask=[page.locator("#box")], mask_color="#ff0000")
    assert await pixel(page, shot, 20, 20) == [255, 0, 0]
    jpeg = await page.locator("#box").screenshot(type="jpeg", mask=[page.locator("#box")])
    assert jpeg.startswith(b"\xff\xd8")
    assert await page.content() == before


async def test_a_style_applies_for_the_moment_of_the_picture(page: Page) -> None:
    await page.set_content(CONTENT)
    shot = await page.screenshot(style="#box { background: rgb(9, 9, 9) !important }")
    assert await pixel(page, shot, 20, 20) == [9, 9, 9]
    assert await pixel(page, await page.screenshot(), 20, 20) == [0, 255, 0]
    assert await page.evaluate("document.styleSheets.length") == 1


async def test_what_moves_stands_still(page: Page) -> None:
    await page.set_content(CONTENT)
    await page.locator("#box").evaluate(
        "box => { box.className = 'moving'; box.getAnimations()[0].currentTime = 5e5 }"
    )
    shot = await page.screenshot(animations="disabled")
    assert await pixel(page, shot, 20, 20) == [0, 255, 0]
    assert await page.locator("#box").evaluate("box => box.getAnimations().length") == 1
    await page.locator("#box").evaluate(
        "box => { box.className = 'ending'; box.offsetTop; box.style.marginLeft = '100px'; box.offsetTop }"
    )
    shot = await page.screenshot(animations="disabled")
    assert await pixel(page, shot, 120, 20) == [0, 255, 0]


def size(picture: bytes) -> tuple[int, int]:
    """The width and height of a PNG."""
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


async def test_a_clip_is_a_part_of_the_viewport_or_of_the_full_page(page: Page) -> None:
    await page.set_viewport_size({"width": 400, "height": 300})
    await page.set_content(
        "<style>body { margin: 0; background: rgb(0, 0, 255) } div { height: 1000px }"
        "p { margin: 0; height: 50px; background: rgb(0, 255, 0) }</style><div></div><p></p>"
    )
    beyond = await page.screenshot(clip={"x": 350, "y": 280, "width": 200, "height": 200})
    assert size(beyond) == (50, 20)
    low = await page.screenshot(full_page=True, clip={"x": 10, "y": 990, "width": 30, "height": 500})
    assert size(low) == (30, 60)
    assert await pixel(page, low, 5, 5) == [0, 0, 255]
    assert await pixel(page, low, 5, 20) == [0, 255, 0]
    with pytest.raises(Error, match="Clipped area is either empty or outside the resulting image"):
        await page.screenshot(clip={"x": 500, "y": 0, "width": 10, "height": 10})


async def test_of_an_element_beyond_the_edge_of_the_page_what_is_on_it_is_drawn(page: Page) -> None:
    # Left of the page, the browser begins its picture at the edge, for Playwright, too.
    await page.set_viewport_size({"width": 400, "height": 300})
    await page.set_content(
        "<style>body { margin: 0; background: rgb(0, 0, 255); height: 1000px }"
        "div { position: absolute; width: 100px; height: 40px; background: rgb(0, 255, 0) }</style>"
        "<div id=half style='left: -50px; top: 20px'></div>"
        "<div id=above style='left: 20px; top: -20px'></div>"
    )
    half = await page.locator("#half").screenshot()
    assert size(half) == (100, 40)
    assert await pixel(page, half, 25, 20) == [0, 255, 0]
    above = await page.locator("#above").screenshot()
    assert size(above) == (100, 40)
    assert await pixel(page, above, 50, 30) == [0, 255, 0]
