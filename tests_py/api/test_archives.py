"""HTTP archives that others wrote: whatever stands in them, they are refused, or decide every request."""

from __future__ import annotations

import base64
import copy
import json
import tempfile
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from patchright_mcp.async_api import Error
from patchright_mcp.async_api.har import Archive

HERE = "https://a.example/"
GOOD: dict[str, Any] = {
    "log": {
        "version": "1.2",
        "entries": [
            {
                "request": {
                    "url": HERE,
                    "method": "POST",
                    "headers": [{"name": "Accept", "value": "*/*"}],
                    "postData": {"text": "a=1"},
                },
                "response": {
                    "status": 302,
                    "headers": [{"name": "Location", "value": "/next"}],
                    "redirectURL": "",
                    "content": {"text": ""},
                },
            },
            {
                "request": {"url": f"{HERE}next", "method": "GET"},
                "response": {
                    "status": 200,
                    "headers": [{"name": "Content-Type", "value": "text/plain"}],
                    "content": {"text": base64.b64encode(b"there").decode(), "encoding": "base64"},
                },
            },
            {
                "request": {"url": f"{HERE}file", "method": "GET", "headers": []},
                "response": {"status": 200, "headers": [], "content": {"_file": "beside.txt"}},
            },
        ],
    }
}
WORDS = ["", "x", "\ud83d", "\0", "..", "http://[", "base64", HERE, "../../etc/passwd", "/etc/passwd"]
ODD: list[Any] = [*WORDS, ..., None, True, 0.5, [], [1], {}, {"x": 1}, -1, 0, 99, 600, 10**30]
"""What may stand anywhere in its place; `...` for nothing at all."""


def places(expected: object, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to everything in a piece of JSON."""
    inner = (
        expected.items()
        if isinstance(expected, dict)
        else enumerate(expected)
        if isinstance(expected, list)
        else ()
    )
    return [way] * bool(way) + [found for key, value in inner for found in places(value, (*way, key))]


PLACES = places(GOOD)


def changed(changes: list[tuple[tuple[Any, ...], Any]]) -> object:
    """The good archive with other things in some places."""
    reported: Any = copy.deepcopy(GOOD)
    for (*way, last), value in changes:
        place: Any = reported
        try:
            for key in way:
                place = place[key]
            if value is ...:
                del place[last]
            else:
                place[last] = copy.deepcopy(value)
        except (KeyError, IndexError, TypeError):
            continue  # An earlier change took it away.
    return reported


class Route:
    """One request, and how it was decided."""

    def __init__(self, url: str, method: str) -> None:
        self.request = SimpleNamespace(
            url=url, method=method, headers={"accept": "*/*"}, post_data_buffer=b"a=1"
        )
        self.request.is_navigation_request = lambda: False
        self.decided: list[Any] = []
        self._native = SimpleNamespace(fulfill=lambda *answer: answer)

    async def abort(self) -> None:
        self.decided.append("aborted")

    async def fallback(self) -> None:
        self.decided.append("left to others")

    def _begin(self) -> None:
        pass

    async def _run(self, answer: tuple[int, list[tuple[str, str]], bytes]) -> None:
        status, headers, body = answer
        assert 100 <= status <= 599
        assert all(name.encode() + value.encode() is not None for name, value in headers)
        assert isinstance(body, bytes)
        self.decided.append((status, body))


def answers(path: Path) -> list[Any]:
    """How three requests are decided by an archive."""
    archive = Archive(path)
    events = []
    for url, method in ((HERE, "POST"), (f"{HERE}file", "GET"), (f"{HERE}other", "GET")):
        route: Any = Route(url, method)
        try:
            # Nothing here waits for anything, so that it is at its end at once.
            archive.answer(route, "fallback").send(None)
        except StopIteration:
            pass
        except Error:
            assert route.decided == ["aborted"]
        assert len(route.decided) == 1
        events += route.decided
    return events


def test_redirects_are_followed_and_files_read_and_the_rest_is_left_to_others(tmp_path: Path) -> None:
    (tmp_path / "beside.txt").write_text("beside")
    (tmp_path / "a.har").write_text(json.dumps(GOOD))
    assert answers(tmp_path / "a.har") == [(200, b"there"), (200, b"beside"), "left to others"]


def refused_or_answered(changes: list[tuple[tuple[Any, ...], Any]], name: str) -> None:
    """Sees that such an archive is one of the two."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        text = json.dumps(changed(changes))
        if path.suffix == ".zip":
            with zipfile.ZipFile(path, "w") as archive:
                archive.writestr("har.har", text)
        else:
            path.write_text(text)
        try:
            reported = answers(path)
        except Error as error:
            assert str(path) in str(error)  # noqa: PT017 - either is as it should be
        else:
            assert b"root:" not in b"".join(part[1] for part in reported if isinstance(part, tuple))


@pytest.mark.parametrize("odd", ODD, ids=repr)
def test_an_archive_with_anything_odd_in_any_place_is_refused_or_answers(odd: object) -> None:
    for place in PLACES:
        refused_or_answered([(place, odd)], "a.har")


@settings(max_examples=200, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(PLACES), st.sampled_from(ODD)), min_size=2, max_size=4),
    st.sampled_from(["a.har", "a.zip"]),
)
def test_an_archive_with_several_odd_things_is_refused_or_answers(
    changes: list[tuple[tuple[Any, ...], Any]], name: str
) -> None:
    refused_or_answered(changes, name)


@settings(max_examples=200, deadline=None)
@given(
    st.one_of(
        st.binary(max_size=60),
        st.sampled_from([b"[" * 100_000, b'{"log": {"entries": {}}}', b"PK\x05\x06" + bytes(18)]),
        st.text(max_size=60).map(lambda text: json.dumps(text).encode()),
    )
)
def test_what_is_no_archive_is_refused_by_name(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.har"
        path.write_bytes(data)
        with pytest.raises(Error):
            Archive(path)
