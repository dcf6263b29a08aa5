"""Films of what Firefox shows, which are made of single pictures."""

from __future__ import annotations

import asyncio
import base64
import time
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from patchright_mcp.async_api import Browser, Page, ScreencastFrame
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

PAINT = "(colour) => { document.documentElement.style.background = colour; }"
HEARS = """<body><script>
  var heard = [];
  for (const name of ["scroll", "visibilitychange", "focus", "blur", "select"])
    for (const place of [window, document]) place.addEventListener(name, () => heard.push(name));
  const watcher = new MutationObserver(() => heard.push("a change"));
  const all = { subtree: true, childList: true, attributes: true };
  addEventListener("load", () => watcher.observe(document, all));
</script>"""
COLOURS = """async (film) => {
  const video = document.createElement("video");
  video.muted = true;
  video.src = `data:video/webm;base64,${film}`;
  await new Promise((done, failed) => {
    video.onloadeddata = done;
    video.onerror = () => failed(new Error("cannot be played"));
  });
  const brush = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const found = [];
  for (let at = 0; ; at = Math.min(at + 0.05, video.duration)) {
    const sought = new Promise((done) => { video.onseeked = done; });
    video.currentTime = at;
    await sought;
    brush.drawImage(video, 0, 0, 1, 1);
    const parts = [...brush.getImageData(0, 0, 1, 1).data].slice(0, 3);
    const name = ["red", "lime", "blue"].find((_, part) =>
      parts.every((one, other) => other === part ? one > 200 : one < 60));
    if (name && name !== found.at(-1)) found.push(name);
    if (at >= video.duration) return found.join(" ");
  }
}"""


@pytest.fixture
async def page(browser: Browser) -> AsyncIterator[Page]:
    context = await browser.new_context(viewport={"width": 400, "height": 300})
    yield await context.new_page()
    await context.close()


async def colours(page: Page, film: bytes) -> str:
    """The colours that follow each other in a film, up to its very end."""
    return str(await page.evaluate(COLOURS, base64.b64encode(film).decode()))


async def test_a_film_has_one_colour_after_the_other_up_to_the_last_moment(
    page: Page, tmp_path: Path
) -> None:
    frames: asyncio.Queue[ScreencastFrame] = asyncio.Queue()
    await page.screencast.start(on_frame=frames.put_nowait, path=tmp_path / "film.webm")
    white = (await asyncio.wait_for(frames.get(), 20))["data"]
    await page.evaluate(PAINT, "red")
    while (await asyncio.wait_for(frames.get(), 20))["data"] == white:
        pass
    # A film shows nothing that lasts for less than one of its pictures.
    await page.wait_for_timeout(100)
    await page.evaluate(PAINT, "blue")
    await page.screencast.stop()
    assert await colours(page, (tmp_path / "film.webm").read_bytes()) == "red blue"


async def test_a_recording_ends_with_what_the_page_looks_like_then(
    workshop: Workshop, site: Site, page: Page
) -> None:
    await workshop.open(site.publish("/painted", document("Painted", "<p>Painted</p>")))
    await workshop.do("browser_record", action="start", filename="painted")
    await workshop.server.evaluate(f"() => ({PAINT})('lime')")
    await workshop.do("browser_record", action="stop")
    film = next(workshop.folder.rglob("painted.webm")).read_bytes()
    assert (await colours(page, film)).endswith("lime")


async def test_pictures_come_while_a_page_changes_and_the_next_only_when_one_was_seen(page: Page) -> None:
    frames: asyncio.Queue[ScreencastFrame] = asyncio.Queue()
    may_go_on = asyncio.Event()

    async def keep(frame: ScreencastFrame) -> None:
        frames.put_nowait(frame)
        await may_go_on.wait()

    await page.screencast.start(on_frame=keep)
    first = await asyncio.wait_for(frames.get(), 20)
    assert first["data"].startswith(b"\xff\xd8")
    assert (first["viewportWidth"], first["viewportHeight"]) == (400, 300)
    assert abs(first["timestamp"] / 1000 - time.time()) < 60
    for colour in ("red", "lime", "blue"):
        await page.evaluate(PAINT, colour)
        # A picture of the page, taken meanwhile, takes longer than one of a film.
        await page.screenshot()
    assert frames.empty()
    may_go_on.set()
    second = await asyncio.wait_for(frames.get(), 20)
    assert second["data"] != first["data"]
    await page.screencast.stop()


async def test_a_page_cannot_notice_a_screencast(page: Page) -> None:
    await page.set_content(HEARS)
    frames: asyncio.Queue[ScreencastFrame] = asyncio.Queue()
    await page.screencast.start(on_frame=frames.put_nowait)
    await asyncio.wait_for(frames.get(), 20)
    await page.screencast.stop()
    assert await page.evaluate("() => heard.join()", isolated_context=False) == ""


async def test_lists_are_iterable_in_the_isolated_world(page: Page, site: Site) -> None:
    """There Firefox leaves that out; the page's own world stays as it is."""
    await page.goto(site.page("form"))
    read = """async () => {
      const folder = await navigator.storage.getDirectory();
      await folder.getFileHandle("a.txt", { create: true });
      const found = [...new FormData(document.forms[0]).keys()].length ? ["fields"] : [];
      for await (const [name] of folder.entries()) found.push(name);
      for await (const name of folder.keys()) found.push(name);
      for await (const [name] of folder) found.push(name);
      const { body } = await fetch(location.href);
      for await (const part of body) found.push(part.length > 0);
      return found.join(" ") + [...new URLSearchParams("b=1").keys()];
    }"""
    result = await page.evaluate(read)
    assert result.startswith("fields a.txt a.txt a.txt true"), result
    assert result.endswith("b"), result
    own = (
        "() => String(ReadableStream.prototype.values) + String(FileSystemDirectoryHandle.prototype.entries)"
    )
    assert (await page.evaluate(own, isolated_context=False)).count("[native code]") == 2
