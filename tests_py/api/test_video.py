"""Videos of pages, and pages from moment to moment."""

import asyncio
from pathlib import Path

import pytest

from patchright_mcp.async_api import Browser, Error, Page, ScreencastFrame

pytestmark = pytest.mark.long

MOVING = """<body><script>
let n = 0;
setInterval(() => { document.body.style.background = `hsl(${n += 9} 90% 50%)` }, 30);
</script></body>"""

LENGTH = """url => new Promise((done, fail) => {
  const video = document.createElement("video");
  video.onerror = () => fail(new Error("cannot be played"));
  video.onloadeddata = () => done([video.duration, video.videoWidth, video.videoHeight]);
  video.src = url;
})"""


LAST = """url => new Promise((done, fail) => {
  const video = document.createElement("video");
  video.onerror = () => fail(new Error("cannot be played"));
  video.muted = true;
  video.playbackRate = 4;
  video.onended = () => {
    const canvas = new OffscreenCanvas(video.videoWidth, video.videoHeight);
    const brush = canvas.getContext("2d");
    brush.drawImage(video, 0, 0);
    done([...brush.getImageData(100, 100, 1, 1).data.slice(0, 3)]);
  };
  video.src = url;
  video.play();
})"""


async def last_colour(page: Page, path: Path) -> tuple[int, int, int]:
    """The colour in which a video ends."""
    await played(page, path)
    red, green, blue = await page.evaluate(LAST, "http://videos.example/a.webm")
    return red, green, blue


async def played(page: Page, path: Path) -> tuple[float, int, int]:
    """How long a video is, and how large: it must be one that a browser plays."""
    await page.route(
        "http://videos.example/*",
        lambda route: route.fulfill(
            path=path if route.request.url.endswith("webm") else None,
            body=None if route.request.url.endswith("webm") else "<p>player</p>",
            content_type="video/webm" if route.request.url.endswith("webm") else "text/html",
        ),
    )
    await page.goto("http://videos.example/player")
    duration, width, height = await page.evaluate(LENGTH, "http://videos.example/a.webm")
    return duration, width, height


async def test_a_context_records_a_video_of_each_page(browser: Browser, page: Page, tmp_path: Path) -> None:
    context = await browser.new_context(
        record_video_dir=tmp_path / "videos", viewport={"width": 640, "height": 480}
    )
    filmed = await context.new_page()
    await filmed.set_content(MOVING)
    await filmed.wait_for_function("n > 200")
    assert filmed.video is not None
    path = await filmed.video.path()
    saving = asyncio.ensure_future(filmed.video.save_as(tmp_path / "copies" / "a.webm"))
    await context.close()
    await saving
    assert [path] == list((tmp_path / "videos").iterdir())
    duration, width, height = await played(page, tmp_path / "copies" / "a.webm")
    assert (width, height) == (640, 480)
    assert 0.4 < duration < 60
    await filmed.video.delete()
    assert not path.exists()


async def test_a_page_that_closes_leaves_its_video_and_a_still_one_too(
    browser: Browser, page: Page, tmp_path: Path
) -> None:
    filmed = await browser.new_page(
        record_video_dir=tmp_path, record_video_size={"width": 321, "height": 201}
    )
    await filmed.close()
    assert filmed.video is not None
    assert (await played(page, await filmed.video.path()))[1:] == (320, 200)


async def test_pictures_come_one_after_the_other(page: Page, tmp_path: Path) -> None:
    frames: list[ScreencastFrame] = []
    several, free = asyncio.Event(), asyncio.Event()

    async def keep(frame: ScreencastFrame) -> None:
        frames.append(frame)
        if len(frames) >= 3:
            several.set()
        await free.wait()

    await page.set_viewport_size({"width": 500, "height": 400})
    await page.set_content(MOVING)
    await page.screencast.start(
        on_frame=keep, path=tmp_path / "cast.webm", size={"width": 250, "height": 200}
    )
    with pytest.raises(Error, match="already started"):
        await page.screencast.start(on_frame=keep)
    free.set()
    await asyncio.wait_for(several.wait(), 20)
    await page.screencast.stop()
    assert all(frame["data"].startswith(b"\xff\xd8") for frame in frames)
    assert {(frame["viewportWidth"], frame["viewportHeight"]) for frame in frames} == {(500, 400)}
    assert frames[0]["timestamp"] < frames[-1]["timestamp"]
    assert (await played(page, tmp_path / "cast.webm"))[1:] == (250, 200)


def paint(red: int, green: int, blue: int) -> str:
    """A script that makes the page of this colour."""
    return f"document.documentElement.style.background = 'rgb({red} {green} {blue})'"


@pytest.mark.parametrize("expected", [(200, 30, 30), (221, 238, 255), (40, 40, 40)])
async def test_what_came_right_after_another_picture_stays_in_its_colour(
    browser: Browser, page: Page, tmp_path: Path, expected: tuple[int, int, int]
) -> None:
    filmed = await browser.new_page(viewport={"width": 320, "height": 240})
    await filmed.set_content("<p>still</p>")
    await filmed.screencast.start(path=tmp_path / "a.webm", fps=2)
    # Of half a second only one picture is kept: it has to be the last one.
    for red, green, blue in ((0, 200, 0), expected):
        await filmed.evaluate(paint(red, green, blue))
        await filmed.screenshot()
    await filmed.wait_for_timeout(1200)
    await filmed.screencast.stop()
    seen = await last_colour(page, tmp_path / "a.webm")
    assert all(abs(one - other) <= 6 for one, other in zip(seen, expected, strict=True)), seen
    await filmed.context.close()


@pytest.mark.parametrize("closes", ["page", "context", "browser"])
async def test_a_video_that_nobody_stopped_is_whole_when_its_page_is_closed(
    browser: Browser, page: Page, tmp_path: Path, closes: str
) -> None:
    own = await browser.browser_type.launch(chromium_sandbox=False) if closes == "browser" else browser
    filmed = await own.new_page(viewport={"width": 320, "height": 240})
    await filmed.screencast.start(path=tmp_path / "a.webm")
    await filmed.evaluate(paint(0, 0, 200))
    await filmed.wait_for_timeout(700)
    close = {"page": filmed.close, "context": filmed.context.close, "browser": own.close}
    await close[closes]()
    red, green, blue = await last_colour(page, tmp_path / "a.webm")
    assert (red < 10, green < 10, blue > 190) == (True, True, True)
