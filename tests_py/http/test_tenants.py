"""Several keys on one server: what one does, no other feels; and what one may use has an end."""

from pathlib import Path

import pytest

from tests_py.support.http import HttpServer, RawClient, until
from tests_py.support.site import Site, document


def keys(folder: Path) -> list[str]:
    (folder / "keys").write_text("first\nsecond\n")
    return ["--api-key-file", str(folder / "keys")]


def tabs(client: RawClient) -> int:
    return len(
        client.text("browser_tabs", action="list").split("### Open tabs\n")[1].split("\n### ")[0].splitlines()
    )


@pytest.mark.long
def test_the_pause_of_one_key_is_not_anothers(tmp_path: Path, site: Site) -> None:
    state = tmp_path / "state"
    with HttpServer(tmp_path, *keys(tmp_path), "--state-dir", str(state)) as server:
        first, second = server.begin("first"), server.begin("second")
        begun = first.call("patchright_fetch", url=site.url("/hold/never"), timeout=3000)
        assert begun["structuredContent"]["status"] == "login_timeout"
        # All clients of the key pause, and no other.
        for client in (first, server.begin("first")):
            paused = client.call("browser_tabs", action="list")
            assert paused["structuredContent"]["status"] == "cooldown"
        assert "structuredContent" not in second.call("browser_tabs", action="list")
    with HttpServer(tmp_path, *keys(tmp_path), "--state-dir", str(state)) as again:
        paused = again.begin("first").call("browser_tabs", action="list")
        assert paused["structuredContent"]["status"] == "cooldown"
        assert "structuredContent" not in again.begin("second").call("browser_tabs", action="list")


@pytest.mark.long
def test_tabs_have_an_end_for_each_key_however_they_are_opened(tmp_path: Path, site: Site) -> None:
    with HttpServer(tmp_path, *keys(tmp_path), "--max-tabs", "4") as server:
        first, second = server.begin("first"), server.begin("second")
        for _ in range(3):
            first.text("browser_tabs", action="new", url=site.page("form"))
        other = server.begin("first")
        other.text("browser_navigate", url=site.page("form"))
        for refused in (
            first.call("browser_tabs", action="new"),
            other.call("browser_tabs", action="new"),
            first.call("create_session"),
        ):
            assert refused["isError"]
            assert "4 tabs are open, which is the limit" in str(refused)
        assert first.call("browser_tabs", action="new")["_meta"]["errorCode"] == "too_many_tabs"
        assert "--max-tabs" in str(first.call("browser_tabs", action="new"))
        # Another key has its own, and what is closed makes room.
        for _ in range(4):
            second.text("browser_tabs", action="new")
        first.text("browser_close")
        first.text("browser_tabs", action="new")


@pytest.mark.long
@pytest.mark.parametrize("relation", ["opener", "noopener"])
def test_tabs_that_pages_open_have_the_same_end(tmp_path: Path, site: Site, relation: str) -> None:
    link = f'<a href="/pages/form.html" target="_blank" rel="{relation}">Open</a>'
    with HttpServer(tmp_path, *keys(tmp_path), "--max-tabs", "3") as server:
        first, second = server.begin("first"), server.begin("second")
        first.text("browser_navigate", url=site.publish("/opens", document("Opens", link)))
        said = ""
        for _ in range(5):
            said += first.text("browser_click", ref="a")
            said += first.text("browser_tabs", action="select", index=0)
        until(lambda: tabs(first) == 3, "the closing of what is too much")
        assert "closed: 3 tabs are open, which is the limit" in said
        second.text("browser_navigate", url=site.page("form"))
        first.text("browser_close")
        first.text("browser_tabs", action="new")


@pytest.mark.long
def test_contexts_have_an_end_for_each_key(tmp_path: Path) -> None:
    with HttpServer(tmp_path, *keys(tmp_path), "--max-contexts", "2") as server:
        first, second = server.begin("first"), server.begin("second")
        for name in ("a", "b"):
            first.text("browser_context_create", name=name)
        refused = server.begin("first").call("browser_context_create", name="c")
        assert refused["_meta"]["errorCode"] == "too_many_contexts"
        assert "there are 2 contexts, which is the limit" in str(refused).lower()
        second.text("browser_context_create", name="c")
        first.text("browser_context_close", name="a")
        first.text("browser_context_create", name="c")


@pytest.mark.long
@pytest.mark.timeout(180)
def test_pages_that_take_too_much_memory_leave_no_room_for_more(tmp_path: Path, site: Site) -> None:
    with HttpServer(tmp_path, "--max-memory", "400") as server:
        client = server.begin()
        client.text("browser_navigate", url=site.page("form"))
        client.text("browser_tabs", action="new")
        grow = "() => { window.kept = new Uint8Array(600 << 20).fill(1); }"
        client.text("browser_evaluate", function=grow)
        refused = client.call("browser_tabs", action="new")
        assert refused["_meta"]["errorCode"] == "memory_short"
        assert "the limit is 400 MB" in str(refused)
        assert client.call("browser_context_create")["_meta"]["errorCode"] == "memory_short"
        client.text("browser_close")
        until(lambda: not client.call("browser_tabs", action="new").get("isError"), "room")
