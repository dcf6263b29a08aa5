"""Converts element actions to the engine's format."""

from __future__ import annotations

import errno
import mimetypes
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from ._failures import caller
from ._folders import temporary_folder
from ._options import js_type_name
from .errors import Error

if TYPE_CHECKING:
    from ._typed import FloatRect


def milliseconds(timeout: float | timedelta) -> float:
    """Converts a timeout, in milliseconds or as a `timedelta`, to milliseconds."""
    given: Any = timeout
    if isinstance(given, timedelta):
        given = given.total_seconds() * 1000
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        raise Error(f"{caller()}: timeout: expected number, got {js_type_name(given)}")
    if not given >= 0:
        raise Error(f"{caller()}: timeout: expected 0 or a positive number, got {given:g}")
    return float(given)


def action(do: str, **options: Any) -> dict[str, Any]:
    """Builds an action with its options. Omits options that are `None`: the engine has defaults."""
    return {"do": do, **{name: value for name, value in options.items() if value is not None}}


def without_none(**options: Any) -> dict[str, Any]:
    """Returns the options that are not `None`. For the others, the engine uses its defaults."""
    return {name: value for name, value in options.items() if value is not None}


def pointer_action(
    do: str,
    button: str | None,
    click_count: int | None,
    delay: float | timedelta | None,
    modifiers: Sequence[str] | None,
    position: Any,
    force: bool | None,
    trial: bool | None,
    scroll: str | None,
    steps: int | None = None,
) -> dict[str, Any]:
    """Builds a pointer action on an element, such as a click. `trial`: only performs actionability checks."""
    return action(
        do,
        button=button,
        count=click_count,
        delay=None if delay is None else milliseconds(delay),
        modifiers=modifiers,
        position=position,
        force=force,
        trial=trial,
        keeps_scroll=scroll == "none" or None,
        steps=steps,
    )


def without_waiting(done: dict[str, Any], no_wait_after: bool | None) -> dict[str, Any]:
    """Returns the action. With `no_wait_after`, the engine does not wait until the page settles."""
    return {**done, "no_wait_after": True} if no_wait_after else done


def check_action(
    wanted: bool,
    position: Any,
    force: bool | None,
    trial: bool | None,
    scroll: str | None,
) -> dict[str, Any]:
    """Builds the action that checks or unchecks a checkbox or radio button."""
    keeps_scroll = scroll == "none" or None
    return action(
        "set_checked", checked=wanted, position=position, force=force, trial=trial, keeps_scroll=keeps_scroll
    )


def to_float_rect(expected: dict[str, float] | None) -> FloatRect | None:
    """Converts a rectangle: numbers without a fraction become integers, as JavaScript prints them."""
    if expected is None:
        return None
    whole = {name: int(side) if float(side).is_integer() else side for name, side in expected.items()}
    return cast("FloatRect", whole)


def as_list(value: Any) -> list[Any]:
    """Returns a sequence as a list, and a single value as a list of one."""
    if value is None:
        return []
    single = isinstance(value, (str, bytes, os.PathLike, dict, int)) or not isinstance(value, Sequence)
    return [value] if single else list(value)


def _existing(file: Any) -> str:
    path = Path(file).absolute()
    if not path.exists():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(file))
    return str(path)


@contextmanager
def file_paths(files: Any) -> Iterator[list[str]]:
    """Yields the paths of files. Files given by content are written to temporary files first."""
    given = as_list(files)
    if not any(isinstance(file, dict) for file in given):
        yield [_existing(file) for file in given]
        return
    # Keeps the files until the process ends, since the page may read them later.
    folder = temporary_folder("files")
    paths = []
    for number, file in enumerate(given):
        if not isinstance(file, dict):
            paths.append(_existing(file))
            continue
        place = folder / str(number)
        place.mkdir()
        path = place / Path(file["name"]).name
        path.write_bytes(file["buffer"])
        paths.append(str(path))
    yield paths


def mime_types(files: Any) -> list[str | None]:
    """Returns the MIME types of files: as given, or according to their names."""
    return [
        file.get("mimeType") if isinstance(file, dict) else mimetypes.guess_type(str(file))[0]
        for file in as_list(files)
    ]


def set_files_action(paths: Sequence[str], files: Any) -> dict[str, Any]:
    """Builds the action that sets `paths` on a file input; `files` determine their MIME types."""
    types = [file.get("mimeType") if isinstance(file, dict) else None for file in as_list(files)]
    return action("set_input_files", paths=paths, types=types if any(types) else None)
