"""The folders that a client says it works in count for the files that it names."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests_py.support.wire import Wire

INSIDE = "line 1"
"""What is said of a broken file: it has been read."""
OUTSIDE = "outside the folders"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A folder with a file, and with a link to one beside it."""
    project = tmp_path / "project"
    project.mkdir()
    for file in (project / "broken.json", tmp_path / "other.json"):
        file.write_text("{")
    (project / "link.json").symlink_to(tmp_path / "other.json")
    return project


def test_roots_are_asked_for_when_needed_and_again_when_they_change(wire: Wire, project: Path) -> None:
    def create(path: Path, roots: list[str] | None = None) -> str:
        call = wire.start_call("browser_context_create", storageState=str(path))
        if roots is not None:
            asked = wire.read()
            while asked.get("method") != "roots/list":  # What was sent before may not have been heard yet.
                call = wire.start_call("browser_context_create", storageState=str(path))
                asked = wire.read()
            result = {"roots": [{"uri": uri} for uri in roots]}
            wire.write(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}))
        answer: dict[str, Any] = wire.answer_to(call)["result"]
        assert answer["isError"]
        return str(answer["content"])

    wire.shake_hands(roots={"listChanged": True})
    roots = ["file:///", "https://example.com/", "nonsense", "file:///no/such/folder", project.as_uri()]
    assert INSIDE in create(project / "broken.json", roots)
    # It does not ask again; links are followed first, and the whole disk is no folder.
    assert OUTSIDE in create(project / "link.json")
    assert OUTSIDE in create(project.parent / "other.json")
    assert OUTSIDE in create(Path("/etc/passwd"))
    assert sum("roots/list" in line for line in wire.lines) == 1
    wire.notify("notifications/roots/list_changed")
    assert OUTSIDE in create(project / "broken.json", [])


def test_a_client_without_roots_is_not_asked(wire: Wire, project: Path) -> None:
    wire.shake_hands()
    answer = wire.call("browser_context_create", storageState=str(project / "broken.json"))
    assert OUTSIDE in str(answer)
    assert all("roots/list" not in line for line in wire.lines)
