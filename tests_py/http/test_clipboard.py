"""A browser has one clipboard. What somebody with one key copies, nobody with another key can paste."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests_py.support.http import HttpServer, RawClient
from tests_py.support.site import Site

pytestmark = pytest.mark.long

WAYS_OUT = ("Control+c", "Control+x", "Control+Insert", "command", "writeText")
WAYS_IN = ("Control+v", "Shift+Insert", "readText", "command")
AREA = "document.querySelector('textarea')"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    folder = tmp_path_factory.mktemp("clipboard")
    rights = ("--grant-permissions", "clipboard-read,clipboard-write")
    with HttpServer(
        folder, "--api-key", "first-0123456789,second-0123456789", "--input", "instant", *rights
    ) as server:
        yield server


def copy(client: RawClient, way: str, text: str) -> None:
    fill(client, text)
    if way == "writeText":
        client.text("browser_evaluate", function=f"() => navigator.clipboard.writeText({text!r})")
        return
    client.text("browser_evaluate", function=f"() => {AREA}.select()")
    if way == "command":
        # A page copies only what somebody has just asked it to.
        script = "() => { document.querySelector('button').onclick = () => document.execCommand('copy'); }"
        client.text("browser_evaluate", function=script)
        client.text("browser_evaluate", function=f"() => {AREA}.select()")
        client.text("browser_click", target="button")
    else:
        client.text("browser_press_key", key=way)


def paste(client: RawClient, way: str) -> str:
    fill(client, "")
    if way == "readText":
        return client.text("browser_evaluate", function="() => navigator.clipboard.readText()")
    if way == "command":
        client.text("browser_evaluate", function="() => document.execCommand('paste')")
    else:
        client.text("browser_press_key", key=way)
    return client.text("browser_evaluate", function=f"() => 'now: ' + {AREA}.value")


def fill(client: RawClient, text: str) -> None:
    script = f"() => {{ {AREA}.value = {text!r}; {AREA}.focus(); }}"
    client.text("browser_evaluate", function=script)


@pytest.mark.parametrize("way_out", WAYS_OUT)
@pytest.mark.parametrize(
    ("owner", "other"),
    [("first-0123456789", "second-0123456789"), ("second-0123456789", "first-0123456789")],
)
def test_what_one_key_copies_another_cannot_paste(
    server: HttpServer, site: Site, owner: str, other: str, way_out: str
) -> None:
    one, two = server.begin(owner), server.begin(other)
    own, foreign = f"{owner} by {way_out}", f"{other} beside {way_out}"
    for client in (one, two):
        client.text("browser_navigate", url=site.page("form"))
    copy(two, "writeText", foreign)
    copy(one, way_out, own)
    for way_in in WAYS_IN:
        pasted = paste(two, way_in)
        assert own not in pasted, way_in
        assert foreign in pasted or way_in == "command", way_in
        assert own in paste(one, way_in) or way_in == "command", way_in


def test_each_key_has_a_browser_and_all_end_with_the_server(tmp_path: Path, site: Site) -> None:
    with HttpServer(tmp_path, "--api-key", "first-0123456789,second-0123456789") as server:
        for key in ("first-0123456789", "second-0123456789"):
            server.begin(key).text("browser_navigate", url=site.page("form"))
        browsers = server.browsers()
        assert len(browsers) == 2
    assert not [browser for browser in browsers if Path(f"/proc/{browser}").exists()]
