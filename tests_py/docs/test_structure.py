"""The rooms of src/ stay what ARCHITECTURE says."""

from pathlib import Path

import pytest

from scripts.rooms import SOURCE, arrows, circles


@pytest.mark.parametrize(("room", "sizes"), [("browser", [7, 2]), ("mcp", [2, 2, 2])])
def test_circles_of_files_do_not_grow(room: str, sizes: list[int]) -> None:
    inside = [("::".join(one), "::".join(other)) for one, other, _ in arrows() if one[0] == other[0] == room]
    found = circles(inside)
    assert [len(group) for group in found] == sizes, found


def test_no_file_is_too_long_to_be_read_at_once() -> None:
    tables = SOURCE / "cdp" / "types"
    files = [file for file in SOURCE.rglob("*.rs") if tables not in file.parents]
    assert len(files) > 300
    lengths = {str(file.relative_to(SOURCE)): len(file.read_text().splitlines()) for file in files}
    assert {name: length for name, length in lengths.items() if length > 600} == {}
    assert lengths[str(Path("browser/objects/page.rs"))] < 400
