"""The lint for plain words finds what it is for."""

from pathlib import Path

import pytest

from scripts import check_words


@pytest.mark.parametrize(
    "text", ["30 s unless told", "/// Waits, unless\n    /// told", '"""It is told that."""']
)
def test_a_banned_phrase_is_counted_across_lines(text: str) -> None:
    assert sum(check_words.counted([text]).values()) == 1


def test_plain_words_are_not_counted() -> None:
    assert sum(check_words.counted(["Default: 30 s. 0 disables the limit."]).values()) == 0


def test_banned_phrases_do_not_grow() -> None:
    assert check_words.main([]) == 0


@pytest.mark.parametrize(
    ("title", "status"),
    [("Wait for the navigation a click starts", 0), ("a" * 73, 1), ("Fix it.", 1), ("Merge " + "a" * 80, 0)],
)
def test_titles_are_short(title: str, status: int, tmp_path: Path) -> None:
    message = tmp_path / "message"
    message.write_text(f"{title}\n\nA body may be longer than that, in any number of lines.\n")
    assert check_words.main(["--title", str(message)]) == status
