"""Videos of pages, and what pages look like from moment to moment."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from uuid import uuid4

from .. import _core
from .. import _deeds as deeds
from .._failures import caller
from .._options import check_choice
from ..errors import Error
from ._base import ApiObject, taken
from ._disposable import Disposable

if TYPE_CHECKING:
    from .._typed import ScreencastActionStyle, ScreencastFrame, ScreencastSize, ViewportSize
    from .page import Page


_POSITIONS = ("bottom", "bottom-left", "bottom-right", "top", "top-left", "top-right")


class Video(ApiObject):
    """A video of a page, as WebM. It is whole once its page is closed."""

    def __init__(self, page: Page, native: _core.Video) -> None:
        super().__init__(page._connection)
        self._native = native

    @classmethod
    def _of(cls, page: Page, options: dict[str, Any]) -> Video | None:
        """The video that the context of a page asks for."""
        folder = options.get("record_video_dir")
        if folder is None:
            return None
        path = Path(folder).absolute() / f"{uuid4().hex}.webm"
        size, fps = options.get("record_video_size"), options.get("record_video_fps")
        return cls(page, _core.Video(page._native, str(path), _how(size, fps=fps)))

    async def path(self) -> Path:
        """Where it is."""
        return Path(self._native.path)

    async def save_as(self, path: str | Path) -> None:
        """Waits until its page is closed, and copies it; folders are made.

        Raises:
            Error: When it could not be made.
        """
        await self._run(self._native.until_ended())
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self._native.path, path)

    async def delete(self) -> None:
        """Waits until its page is closed, and removes it."""
        with suppress(Error):
            await self._run(self._native.until_ended())
        Path(self._native.path).unlink(missing_ok=True)

    async def _end(self) -> None:
        with suppress(Error):
            await self._run(self._native.stop())


def _how(size: ViewportSize | ScreencastSize | None, **options: Any) -> dict[str, Any]:
    """How a page is watched, in the words of the engine."""
    told = deeds.chosen(**options)
    if size is not None:
        told["size"] = [size["width"], size["height"]]
    return told


class Screencast(ApiObject):
    """What a page looks like from moment to moment: as pictures, and as a video."""

    def __init__(self, page: Page) -> None:
        super().__init__(page._connection)
        self._page = page
        self._f: Callable[[ScreencastFrame], Any] | None = None
        self._native: _core.Screencast | None = None
        self._video: _core.Video | None = None
        self._captions = _core.Captions(page._native)

    async def start(
        self,
        *,
        fps: int | None = None,
        on_frame: Callable[[ScreencastFrame], Any] | None = None,
        path: str | Path | None = None,
        quality: int | None = None,
        size: ScreencastSize | None = None,
    ) -> Disposable:
        """Begins to call `on_frame` with pictures, as JPEG, or to write a video to `path`, as WebM.

        The next picture comes when `on_frame` is done with this one. `fps` (25 unless told) is the most pictures a second of the
        video, `quality` is from 0 to 100, and `size` is what pictures are scaled down to fit into (800 by 800 unless told). Who
        watches already has said for all.

        A video is whole after `stop`, and when the page, its context or its browser has been closed.

        Raises:
            Error: When it has begun already; when `path` has the ending of another kind of video.
        """
        if self._native is not None or self._video is not None:
            raise Error(f"{caller()}: Screencast is already started")
        if path is not None and Path(path).suffix.lower() not in ("", ".webm"):
            raise Error(f"{caller()}: path: expected a name that ends in .webm, got {Path(path).name!r}")
        if path is not None:
            self._video = _core.Video(
                self._page._native, str(Path(path).absolute()), _how(size, fps=fps, quality=quality)
            )
        if on_frame is not None:
            self._f = on_frame
            page = self._page._native
            self._native = _core.Screencast(
                page, self._runtime.dispatcher, page.key, _how(size, quality=quality)
            )
        return Disposable(self.stop, self._runtime)

    async def stop(self) -> None:
        """Ends it; the video is written then.

        Raises:
            Error: When the video could not be made.
        """
        self._f = None
        if self._native is not None:
            native, self._native = self._native, None
            native.stop()
        if self._video is not None:
            video, self._video = self._video, None
            await self._run(video.stop())

    async def _end(self) -> None:
        with suppress(Error):
            await self.stop()

    async def _shown(self, frame: _core.CastFrame) -> None:
        if self._f is not None:
            width, height = frame.viewport
            told = {
                "data": frame.data,
                "timestamp": frame.timestamp,
                "viewportWidth": int(width),
                "viewportHeight": int(height),
            }
            await self._runtime.settle(self._f(*taken(self._f, [cast("ScreencastFrame", told)])))

    async def show_actions(
        self,
        *,
        cursor: Literal["none", "pointer"] | None = None,
        duration: float | None = None,
        font_size: int | None = None,
        position: Literal["bottom", "bottom-left", "bottom-right", "top", "top-left", "top-right"]
        | None = None,
        style: ScreencastActionStyle | None = None,
    ) -> Disposable:
        """Shows each action on an element in the pictures, for `duration` milliseconds (500 unless told) before it is done.

        That is its name at `position`, a frame around the element, and where the pointer presses; not what is typed. `style`
        has declarations of CSS for each. The page itself is not changed. Nothing waits while nobody watches.
        """
        check_choice("cursor", cursor, ("none", "pointer"))
        check_choice("position", position, _POSITIONS)
        how = deeds.chosen(cursor=cursor, duration=duration, font_size=font_size, position=position)
        self._captions.show_actions(how | {"style": deeds.chosen(**(style or {}))})
        return Disposable(self.hide_actions, self._runtime)

    async def hide_actions(self) -> None:
        """Shows actions no longer."""
        self._captions.show_actions(None)

    async def show_chapter(
        self, title: str, *, description: str | None = None, duration: float | None = None
    ) -> None:
        """Shows a title in the middle of the pictures, the page blurred behind it, for `duration` milliseconds (2000 unless told).

        It is waited for. The page itself is not changed.
        """
        shown = 2000 if duration is None else duration
        await self._run(self._captions.show_chapter(title, description, shown))

    async def show_overlay(self, html: str, *, duration: float | None = None) -> Disposable:
        """Lays HTML over the pictures, as large as the viewport, until what this gives is disposed of.

        With `duration` that is so many milliseconds, which are waited for. The page itself is not changed, so that only pictures,
        videos and traces show it. Scripts in it do not run, what moves in it stands as it ends, and pictures in it have to be
        `data:` addresses.
        """
        number = cast("int", await self._run(self._captions.show(html, duration)))

        async def remove() -> None:
            self._captions.remove(number)

        return Disposable(remove, self._runtime)

    async def show_overlays(self) -> None:
        """Shows again what `hide_overlays` hid."""
        self._captions.set_hidden(False)

    async def hide_overlays(self) -> None:
        """Hides what `show_overlay` and `show_chapter` show, without taking it off."""
        self._captions.set_hidden(True)
