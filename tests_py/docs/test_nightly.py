"""The nightly run ends what takes too long, goes on after a failure, and says first what went wrong."""

import sys
from pathlib import Path

import pytest

from scripts import nightly
from scripts.nightly import Part

MAKE = """#!/bin/sh
case "$2" in
  good) echo "3 passed in 1 s" ;;
  bad) echo "first"; echo "1 failed, 2 passed in 1 s"; echo "make: Error"; exit 2 ;;
  endless) sleep 1000 & echo $! > CHILD; wait ;;
esac
"""


def test_failures_are_first_and_nothing_runs_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    make, child = tmp_path / "make", tmp_path / "child"
    make.write_text(MAKE.replace("CHILD", str(child)))
    make.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.delenv("NOWHERE", raising=False)
    monkeypatch.setattr(nightly, "LOGS", tmp_path / "logs")
    monkeypatch.setattr(nightly, "PAGE", tmp_path / "page.md")
    parts = (Part("good", 1), Part("without", 1, needs=("NOWHERE",)), Part("endless", 0.01), Part("bad", 1))
    monkeypatch.setattr(nightly, "PARTS", parts)
    monkeypatch.setattr(sys, "argv", ["nightly"])

    assert nightly.main() == 1

    page = (tmp_path / "page.md").read_text()
    assert page.startswith("# Nightly run: 1 failed, 1 out of time, 1 skipped, 1 passed\n")
    rows = [line.split(" | ") for line in page.splitlines() if line.startswith("| ")][1:]
    assert [row[0].strip("| ") for row in rows] == ["bad", "endless", "without", "good"]
    assert [row[3].strip(" |") for row in rows][::3] == ["1 failed, 2 passed in 1 s", "3 passed in 1 s"]
    assert "## bad: failed\n\n```text\nfirst\n" in page
    state = Path(f"/proc/{child.read_text().strip()}/stat")
    assert not state.exists() or state.read_text().rpartition(")")[2].split()[0] == "Z"
    assert capsys.readouterr().out.count("\n") == 4
