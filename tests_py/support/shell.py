"""A shell in a folder of the test's own, in which our program is a command."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import uuid
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any

from typing_extensions import Self

from tests_py.support.client import things
from tests_py.support.family import MARK, Family
from tests_py.support.wire import hear_signals, until

PATIENCE_S = 60


class Shell:
    """Runs commands, and knows every process that they leave behind."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "project"
        self.temporary = folder / "tmp"
        for made in (self.folder, self.temporary):
            made.mkdir()
        mark = uuid.uuid4().hex
        self._family = Family(mark)
        known = {key: value for key, value in os.environ.items() if not key.startswith("PATCHRIGHT_MCP_")}
        self.environment = {**known, MARK: mark, "TMPDIR": str(self.temporary), "HOME": str(folder)}
        self.environment.pop("XDG_RUNTIME_DIR", None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for process in self.processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.until_nothing_runs()

    def start(self, *words: str, within: str = ".") -> subprocess.Popen[str]:
        """Starts a command, and does not wait for it."""
        return subprocess.Popen(
            [sys.executable, "-m", "patchright_mcp", *words],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment,
            cwd=self.folder / within,
            preexec_fn=hear_signals,  # noqa: PLW1509
        )

    def run(self, *words: str, status: int = 0, stdin: str = "", within: str = ".") -> str:
        """What a command writes; it must end with this status."""
        with self.start(*words, within=within) as process:
            written, complaints = process.communicate(stdin, PATIENCE_S)
        assert process.returncode == status, f"{words}: {process.returncode}\n{written}\n{complaints}"
        return written if status in {0, 1} else complaints

    def json(self, *words: str, status: int = 0) -> dict[str, Any]:
        """What a command answers with `--json`."""
        answer: dict[str, Any] = json.loads(self.run(*words, "--json", status=status))
        return answer

    def ref(self, part: str, text: str) -> str:
        """The ref in the one line with these words."""
        whole = [line for line in text.splitlines() if part in line]
        alone = [thing for line in whole for thing in things(line) if part in thing]
        lines = alone or whole
        assert len(lines) == 1, f"{len(lines)} lines with {part!r} in:\n{text}"
        found = re.search(r"\[((?:f\d+)?e\d+)\]", lines[0])
        assert found, lines[0]
        return found[1]

    def page(self, session: str = "") -> str:
        """The file that holds the page."""
        return (self.folder / ".patchright-mcp" / session / "page.yml").read_text()

    def processes(self) -> set[int]:
        """What runs of all that was started."""
        return self._family.processes()

    def servers(self) -> list[int]:
        """The servers behind the commands."""
        return [process for process in self.processes() if b"\0background\0" in _command_line(process)]

    def until_nothing_runs(self) -> None:
        """Waits until every process is gone."""
        until(lambda: not self.processes(), "the end of all that was started")

    def left(self) -> set[str]:
        """What lies among the temporary files."""
        return {str(path.relative_to(self.temporary)) for path in self.temporary.rglob("*")}


def _command_line(process: int) -> bytes:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""
