"""What is laid over the pictures of a page: the page itself has no part in it."""

import asyncio
from base64 import b64encode
from collections.abc import Callable
from typing import Any

import pytest

from patchright_mcp.async_api import Browser, Error, Page, ScreencastFrame

pytestmark = pytest.mark.long

WHITE = """<body style="margin: 0; background: white">
<button style="position: absolute; left: 40px; top: 40px">Go</button>"""
CORNER = """<div style="position: absolute; left: 0; top: 0; width: 200px; height: 150px;
    background: rgb(255, 0, 0)">
</div>"""
COLOURS = """async ([data, places]) => {
  const picture = new Image();
  picture.src = `data:image/jpeg;base64,${data}`;
  await picture.decode();
  const brush = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
  brush.drawImage(picture, 0, 0);
  return places.map(([x, y]) => [...brush.getImageData(x * picture.width, y * picture.height, 1, 1).data]);
}"""


class Film:
    """The pictures of a page, and another page that looks at their colours."""

    def __init__(self, page: Page, looking: Page) -> None:
        self._page, self._looking = page, looking
        self._frames: asyncio.Queue[ScreencastFrame] = asyncio.Queue()

    async def begin(self) -> None:
        """Films a white page of 400 by 300."""
        await self._page.set_viewport_size({"width": 400, "height": 300})
        await self._page.set_content(WHITE)
        await self._page.screencast.start(on_frame=self._frames.put_nowait)

    async def colours(self, frame: ScreencastFrame, *places: tuple[float, float]) -> list[str]:
        """A word for each colour."""
        data = b64encode(frame["data"]).decode()
        found = await self._looking.evaluate(COLOURS, [data, [list(place) for place in places]])
        return [word(*colour[:3]) for colour in found]

    async def until(self, expected: list[str], *places: tuple[float, float]) -> ScreencastFrame:
        """Waits for a picture that has these colours."""

        async def look() -> ScreencastFrame:
            while True:
                frame = await self._frames.get()
                if await self.colours(frame, *places) == expected:
                    return frame

        return await asyncio.wait_for(look(), 30)


def word(red: int, green: int, blue: int) -> str:
    """What somebody calls a colour."""
    names: list[tuple[str, Callable[[], bool]]] = [
        ("white", lambda: min(red, green, blue) > 230),
        ("red", lambda: red > 200 and green < 80 and blue < 80),
        ("dark", lambda: max(red, green, blue) < 120),
    ]
    return next((name for name, fits in names if fits()), f"{red} {green} {blue}")


@pytest.fixture
async def film(browser: Browser, page: Page) -> Film:
    """A film of the page, which has begun."""
    film = Film(page, await browser.new_page())
    await film.begin()
    return film


async def test_an_overlay_is_in_the_pictures_and_not_in_the_page(page: Page, film: Film) -> None:
    places = ((0.1, 0.8), (0.3, 0.3))
    before = await page.content()
    await film.until(["white", "white"], *places)
    overlay = await page.screencast.show_overlay(CORNER)
    await film.until(["white", "red"], *places)
    assert await page.content() == before
    await page.screencast.hide_overlays()
    await film.until(["white", "white"], *places)
    await page.screencast.show_overlays()
    await film.until(["white", "red"], *places)
    await page.goto("data:text/html,<p>elsewhere</p>")
    await film.until(["white", "red"], *places)
    await overlay.dispose()
    await film.until(["white", "white"], *places)


async def test_an_overlay_with_a_duration_is_gone_after_it(page: Page, film: Film) -> None:
    moves = "<style>@keyframes in { from { opacity: 0 } } div { animation: in 1s }</style>"
    fades = f"{moves}{CORNER}\x01<script>"
    showing = asyncio.ensure_future(page.screencast.show_overlay(fades, duration=1500))
    await film.until(["red"], (0.3, 0.3))
    await showing
    await film.until(["white"], (0.3, 0.3))


async def test_a_chapter_stands_in_the_middle(page: Page, film: Film) -> None:
    showing = asyncio.ensure_future(
        page.screencast.show_chapter("<b>One</b>", description="of two", duration=1500)
    )
    await film.until(["white", "dark"], (0.02, 0.98), (0.5, 0.35))
    await showing
    await film.until(["white", "white"], (0.02, 0.98), (0.5, 0.35))


async def test_actions_are_shown_before_they_are_done(page: Page, film: Film) -> None:
    style: Any = {"title": "background: rgb(255, 0, 0); color: rgb(255, 0, 0)"}
    received: list[str] = []
    await page.expose_function("heard", lambda: received.append("clicked"))
    await page.evaluate(
        "() => { document.querySelector('button').onclick = () => heard() }", isolated_context=False
    )
    at_the_foot = (0.5, 0.92)
    async with await page.screencast.show_actions(duration=3000, position="bottom", style=style):
        clicking = asyncio.ensure_future(page.get_by_role("button").click())
        await film.until(["red"], at_the_foot)
        assert received == []
        await clicking
    await film.until(["white"], at_the_foot)
    assert await page.evaluate("document.body.children.length") == 1
    await page.get_by_role("button").click(timeout=1400)


async def test_what_cannot_be_shown_is_said(page: Page) -> None:
    with pytest.raises(Error, match=r"show_actions: position: expected one of \(bottom\|bottom-left"):
        await page.screencast.show_actions(position="middle")  # type: ignore[arg-type]
