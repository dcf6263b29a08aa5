"""Videos and screencasts of pages."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast
from uuid import uuid4

from .. import _actions as actions
from .. import _core
from .._failures import caller
from .._options import check_choice
from ..errors import Error
from ._base import ApiObject, accepted_arguments
from ._disposable import Disposable

if TYPE_CHECKING:
    from .._typed import ScreencastActionStyle, ScreencastFrame, ScreencastSize, ViewportSize
    from .page import Page


_POSITIONS = ("bottom", "bottom-left", "bottom-right", "top", "top-left", "top-right")


class Video(ApiObject):
    """A WebM video of a page. It is complete once its page is closed."""

    def __init__(self, page: Page, native: _core.Video) -> None:
        super().__init__(page._connection)
        self._native = native

    @classmethod
    def _of(cls, page: Page, options: dict[str, Any]) -> Video | None:
        """Starts a video of the page, if its context was created with `record_video_dir`."""
        folder = options.get("record_video_dir")
        if folder is None:
            return None
        path = Path(folder).absolute() / f"{uuid4().hex}.webm"
        size, fps = options.get("record_video_size"), options.get("record_video_fps")
        return cls(page, _core.Video(page._native, str(path), _how(size, fps=fps)))

    def path(self) -> Path:
        """Returns the path of the video file."""
        return Path(self._native.path)

    def save_as(self, path: str | Path) -> None:
        """Waits until the page is closed and copies the video. Missing folders are created.

        Raises:
            Error: If the video could not be recorded.
        """
        self._run(self._native.until_ended())
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(self._native.path, path)

    def delete(self) -> None:
        """Waits until the page is closed and deletes the video."""
        with suppress(Error):
            self._run(self._native.until_ended())
        Path(self._native.path).unlink(missing_ok=True)

    def _end(self) -> None:
        with suppress(Error):
            self._run(self._native.stop())


def _how(size: ViewportSize | ScreencastSize | None, **options: Any) -> dict[str, Any]:
    """Converts screencast options for the engine."""
    reported = actions.without_none(**options)
    if size is not None:
        reported["size"] = [size["width"], size["height"]]
    return reported


class Screencast(ApiObject):
    """A screencast of a page: frames and video."""

    def __init__(self, page: Page) -> None:
        super().__init__(page._connection)
        self._page = page
        self._f: Callable[[ScreencastFrame], Any] | None = None
        self._native: _core.Screencast | None = None
        self._video: _core.Video | None = None
        self._captions = _core.Captions(page._native)

    def start(
        self,
        *,
        fps: int | None = None,
        on_frame: Callable[[ScreencastFrame], Any] | None = None,
        path: str | Path | None = None,
        quality: int | None = None,
        size: ScreencastSize | None = None,
    ) -> Disposable:
        """Starts calling `on_frame` with JPEG frames, or recording a WebM video to `path`.

        The next frame is taken when `on_frame` has returned. `fps` is the maximum frame rate of the video. Default: 25.
        `quality` is from 0 to 100. Frames are scaled down to fit into `size`. Default: 800 by 800. If several
        screencasts of a page run, the options of the first one apply to all.

        A video is complete after `stop`, or when the page, its context or its browser is closed.

        Raises:
            Error: If the screencast is already running, or `path` has an extension other than `.webm`.
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

    def stop(self) -> None:
        """Stops the screencast and writes the video.

        Raises:
            Error: If the video could not be recorded.
        """
        self._f = None
        if self._native is not None:
            native, self._native = self._native, None
            native.stop()
        if self._video is not None:
            video, self._video = self._video, None
            self._run(video.stop())

    def _end(self) -> None:
        with suppress(Error):
            self.stop()

    def _shown(self, frame: _core.CastFrame) -> None:
        if self._f is not None:
            width, height = frame.viewport
            values = {
                "data": frame.data,
                "timestamp": frame.timestamp,
                "viewportWidth": int(width),
                "viewportHeight": int(height),
            }
            self._runtime.settle(self._f(*accepted_arguments(self._f, [cast("ScreencastFrame", values)])))

    def show_actions(
        self,
        *,
        cursor: Literal["none", "pointer"] | None = None,
        duration: float | None = None,
        font_size: int | None = None,
        position: Literal["bottom", "bottom-left", "bottom-right", "top", "top-left", "top-right"]
        | None = None,
        style: ScreencastActionStyle | None = None,
    ) -> Disposable:
        """Shows each action on an element in the frames, for `duration` milliseconds before it runs. Default: 500.

        The overlay has the action's name at `position`, an outline of the element, and the point of a click; never
        typed text. `style` has CSS declarations for each. The page is not changed. Actions wait only while frames are
        being recorded.
        """
        check_choice("cursor", cursor, ("none", "pointer"))
        check_choice("position", position, _POSITIONS)
        how = actions.without_none(cursor=cursor, duration=duration, font_size=font_size, position=position)
        self._captions.show_actions(how | {"style": actions.without_none(**(style or {}))})
        return Disposable(self.hide_actions, self._runtime)

    def hide_actions(self) -> None:
        """Stops showing actions."""
        self._captions.show_actions(None)

    def show_chapter(
        self, title: str, *, description: str | None = None, duration: float | None = None
    ) -> None:
        """Shows a title over the blurred page in the frames, and waits for `duration` milliseconds. Default: 2000."""
        shown = 2000 if duration is None else duration
        self._run(self._captions.show_chapter(title, description, shown))

    def show_overlay(self, html: str, *, duration: float | None = None) -> Disposable:
        """Shows HTML over the frames, as large as the viewport, until the result is disposed of.

        With `duration`, shows the overlay for this many milliseconds and waits. The page is not changed: only frames,
        videos and traces show it. Its scripts do not run, animations show their end, images must be `data:` URLs.
        """
        number = cast("int", self._run(self._captions.show(html, duration)))

        def remove() -> None:
            self._captions.remove(number)

        return Disposable(remove, self._runtime)

    def show_overlays(self) -> None:
        """Shows hidden overlays again."""
        self._captions.set_hidden(False)

    def hide_overlays(self) -> None:
        """Hides overlays and chapters without removing them."""
        self._captions.set_hidden(True)
