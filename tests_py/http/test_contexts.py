"""The five context tools, in the words that clients know."""

from __future__ import annotations

import json
import re
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests_py.support.http import HttpServer, RawClient
from tests_py.support.site import Site


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with HttpServer(tmp_path_factory.mktemp("http")) as server:
        yield server


@pytest.fixture
def client(server: HttpServer) -> RawClient:
    return server.begin()


def failure(client: RawClient, tool: str, **arguments: object) -> str:
    result = client.call(tool, **arguments)
    assert result["isError"]
    return str(result["content"][0]["text"])


@pytest.mark.long
def test_contexts_are_made_switched_listed_and_closed(client: RawClient, site: Site) -> None:
    made = client.text("browser_context_create", name="clean")
    assert "Created browser context 'clean' and set as active" in made
    client.text("browser_navigate", url=site.page("form"))
    assert "Switched from context 'clean' to 'default'" in client.text(
        "browser_context_switch", name="default"
    )
    answer = client.call("browser_context_list")["structuredContent"]
    assert answer == {
        "contexts": [
            {"name": "default", "isActive": True, "pageCount": 0, "currentUrl": None, "proxy": None},
            {
                "name": "clean",
                "isActive": False,
                "pageCount": 1,
                "currentUrl": site.page("form"),
                "proxy": None,
            },
        ],
        "activeContext": "default",
        "totalCount": 2,
        "untrusted": ["contexts[].currentUrl"],
    }
    client.text("browser_context_switch", name="clean")
    assert "Closed browser context 'clean'. Switched to context 'default'" in client.text(
        "browser_context_close", name="clean"
    )
    assert "Cannot close the only remaining context" in failure(
        client, "browser_context_close", name="default"
    )
    assert "no context named" in failure(client, "browser_context_close", name="clean")
    assert "no context named" in failure(client, "browser_context_switch", name="zzz")


def test_a_ref_says_which_context_it_is_of(client: RawClient, site: Site) -> None:
    first = re.search(r"\[ref=(e\d+)\]", client.text("browser_navigate", url=site.page("form")))
    client.text("browser_context_create", name="clean")
    other = re.search(r"\[ref=(c1e(\d+))\]", client.text("browser_navigate", url=site.page("form")))
    assert first
    assert other
    for ref in (other[1], f"clean:{other[1]}", f"clean:e{other[2]}", f"e{other[2]}"):
        client.text("browser_hover", target=ref)
    for ref in (first[1], f"default:{first[1]}"):
        assert 'belongs to the context "default"' in failure(client, "browser_hover", target=ref)
    assert "does not exist" in failure(client, "browser_hover", target=f"other:{other[1]}")


def test_a_name_is_made_up_and_never_given_twice(client: RawClient) -> None:
    first = client.text("browser_context_create")
    second = client.text("browser_context_create")
    assert first != second
    client.text("browser_context_create", name="one")
    assert "already exists" in failure(client, "browser_context_create", name="one")
    for bad in ("a:b", " a", "a\nb", ""):
        failure(client, "browser_context_create", name=bad)


def test_a_context_shows_its_proxy_and_not_its_password(client: RawClient) -> None:
    proxy = {"server": "socks5://127.0.0.1:9", "username": "me", "password": "swordfish"}
    made = client.call("browser_context_create", name="uk", proxy=proxy)
    assert "with proxy 'socks5://127.0.0.1:9'" in made["content"][0]["text"]
    answer = client.call("browser_context_list")
    assert answer["structuredContent"]["contexts"][1]["proxy"] == {
        "server": "socks5://127.0.0.1:9",
        "hasAuth": True,
    }
    failed = client.call("browser_navigate", url="http://somewhere.example/")
    assert "the proxy could not be reached: nothing listens there" in failed["content"][0]["text"]
    assert "swordfish" not in json.dumps([made, answer, failed])


@pytest.mark.long
def test_storage_is_saved_and_loaded(server: HttpServer, client: RawClient, site: Site) -> None:
    client.text("browser_navigate", url=site.url("/cookie?name=who&value=me"))
    client.text("browser_evaluate", function="() => localStorage.setItem('key', 'value')")
    result = client.call("browser_context_save_storage", path="state.json")
    shown = result["structuredContent"]
    assert (shown["saved"], shown["context"]) == (True, "default")
    path = Path(shown["path"])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    state = json.loads(path.read_text())
    assert [cookie["value"] for cookie in state["cookies"] if cookie["name"] == "who"] == ["me"]
    assert state["origins"] == [{"origin": site.origin, "localStorage": [{"name": "key", "value": "value"}]}]

    other = server.begin()
    other.text("browser_context_create", storageState="state.json")
    other.text("browser_navigate", url=site.page("form"))
    seen = other.text("browser_evaluate", function="() => document.cookie + localStorage.getItem('key')")
    assert "who=me" in seen
    assert "value" in seen


@pytest.mark.parametrize(
    "path",
    [
        "../out.json",
        "/etc/cron.d/x",
        "~/x.json",
        "sub/../../x.json",
        "/tmp/other.json",
        "a\0b",
        "no/folder.json",
        "n" * 300,
    ],
)
def test_files_are_written_inside_only(client: RawClient, path: str, tmp_path: Path) -> None:
    before = set(tmp_path.parent.rglob("*.json"))
    assert client.call("browser_context_save_storage", path=path)["isError"]
    assert set(tmp_path.parent.rglob("*.json")) == before
    assert client.call("browser_context_create", storageState=path)["isError"]


def test_a_broken_file_names_the_line(server: HttpServer, client: RawClient) -> None:
    folder = Path(f"/proc/{server.pid}/cwd").resolve()
    (folder / "broken.json").write_text('{\n  "cookies": [\n    {"name": 5}\n')
    assert "line 3" in failure(client, "browser_context_create", storageState="broken.json")
