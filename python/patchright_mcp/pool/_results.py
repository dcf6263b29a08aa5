"""Results of a pool, in memory and in files."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..errors import Error

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

I = TypeVar("I")  # noqa: E741  (An item.)
T = TypeVar("T")


@dataclass(frozen=True)
class Result(Generic[I, T]):
    """The result for one item."""

    index: int
    """The item's index, from 0."""
    item: I
    value: T | None
    """The value that the work returned; `None` if it failed."""
    error: Exception | None
    """The exception of the last attempt; `None` if it succeeded."""
    attempts: int

    @property
    def ok(self) -> bool:
        """Whether the work succeeded."""
        return self.error is None


class PoolError(Error):
    """Raised if some items failed. `results` has the result of every item, in the order of the items."""

    def __init__(self, results: Sequence[Result[Any, Any]]) -> None:
        failed = [result for result in results if result.error is not None]
        first = failed[0]
        super().__init__(
            f"{len(failed)} of {len(results)} items failed; the first is {first.item!r}: {first.error}"
        )
        self.results: list[Result[Any, Any]] = list(results)


class ResultFile:
    """A file of results that can be continued: JSON Lines, or CSV if its name ends in `.csv`.

    `NAME.progress`, beside it, lists each item that was written completely, and the position of its end in the file.
    When the file is opened again, any incomplete data after the last such position is removed.
    """

    def __init__(self, path: str | Path) -> None:
        self._path = Path(path)
        self._is_csv = self._path.suffix.lower() == ".csv"
        self._notes = self._path.with_name(f"{self._path.name}.progress")
        self.done: set[str] = set()
        """The keys of the items that are in the file."""
        self._columns: list[str] | None = None
        end = self._read_notes()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._file = self._path.open("ab" if end else "wb")
        self._file.truncate(end)
        if end and self._is_csv:
            with self._path.open(newline="", encoding="utf-8") as lines:
                self._columns = next(csv.reader(lines), None)

    def _read_notes(self) -> int:
        end = 0
        whole = 0
        if self._notes.exists() and self._path.exists():
            size = self._path.stat().st_size
            for line in self._notes.read_bytes().splitlines(keepends=True):
                if not line.endswith(b"\n"):
                    break
                note = json.loads(line)
                if note["end"] > size:
                    break
                end = note["end"]
                whole += len(line)
                self.done.add(note["key"])
        self._journal = self._notes.open("ab" if whole else "wb")
        self._journal.truncate(whole)
        return end

    def write(self, key: str, item: Any, value: Any) -> None:
        """Adds the result for an item: a row, or a list of rows."""
        rows = value if isinstance(value, (list, tuple)) else [value]
        text = self._as_csv(item, rows) if self._is_csv else _as_lines(item, rows)
        self._file.write(text.encode())
        self._file.flush()
        os.fsync(self._file.fileno())
        note = {"key": key, "end": self._file.tell()}
        self._journal.write(json.dumps(note).encode() + b"\n")
        self._journal.flush()
        self.done.add(key)

    def _as_csv(self, item: Any, rows: Sequence[Any]) -> str:
        text = io.StringIO()
        writer = csv.writer(text)
        for row in rows:
            cells = {"item": item, **_fields(row)}
            if self._columns is None:
                self._columns = list(cells)
                writer.writerow(self._columns)
            unknown = set(cells) - set(self._columns)
            if unknown:
                names = ", ".join(sorted(unknown))
                raise Error(f"a row of {item!r} has columns that the file {self._path.name} lacks: {names}")
            writer.writerow([cells.get(name) for name in self._columns])
        return text.getvalue()

    def close(self) -> None:
        """Closes the file and its progress file."""
        self._file.close()
        self._journal.close()


def _as_lines(item: Any, rows: Sequence[Any]) -> str:
    lines = ({"item": item, **_fields(row)} for row in rows)
    return "".join(json.dumps(line, ensure_ascii=False, default=str) + "\n" for line in lines)


def _fields(row: Any) -> Mapping[str, Any]:
    """Returns the columns of a row: those of a mapping, dataclass or pydantic model; otherwise `value`."""
    if isinstance(row, dict):
        return row
    if dataclasses.is_dataclass(row) and not isinstance(row, type):
        return dataclasses.asdict(row)
    if hasattr(row, "model_dump"):
        fields: Mapping[str, Any] = row.model_dump(mode="json")
        return fields
    return {"value": row}
