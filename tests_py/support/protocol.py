"""What is said with browsers while a test runs, kept when it fails."""

import os
import re
from pathlib import Path

FOLDER = "PATCHRIGHT_MCP_PROTOCOL_LOG"
"""The variable that has the engine write down what it says, one file a connection."""

KEPT = Path("target/failed")
LAST_LINES = 40
LONGEST_NAME = 200


def _logs() -> list[Path]:
    folder = os.environ.get(FOLDER)
    return sorted(Path(folder).glob("*.log")) if folder else []


def forget() -> None:
    """What was said so far belongs to no test that fails from here on."""
    for log in _logs():
        if log.stat().st_size:
            # Who writes there appends.
            log.write_bytes(b"")


def keep(test: str) -> str:
    """Copies what was said since to a file, and tells its path and the last lines."""
    said = {log.name: text for log in _logs() if (text := log.read_text(errors="replace"))}
    if not said:
        return "nothing was said with a browser"
    KEPT.mkdir(parents=True, exist_ok=True)
    file = KEPT / f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', test)[:LONGEST_NAME]}.log"
    whole = "".join(f"== {name}\n{text}" for name, text in said.items())
    file.write_text(whole)
    last = [line[:300] for line in whole.splitlines()[-LAST_LINES:]]
    return "\n".join([f"all of it is in {file}", *last])
