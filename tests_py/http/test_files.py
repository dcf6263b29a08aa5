"""Files over HTTP: a client on another machine reads them as resources, its own and no others."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests_py.support.http import HttpServer, RawClient, until
from tests_py.support.site import Site

pytestmark = pytest.mark.long

KEYS = ("first-key-of-the-tests", "second-key-of-the-tests")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    folder = tmp_path_factory.mktemp("files")
    with HttpServer(folder, "--api-key", ",".join(KEYS), "--caps", "pdf") as server:
        yield server


def ask(client: RawClient, method: str, **params: object) -> dict[str, Any]:
    answer: dict[str, Any] = client.post(
        {"jsonrpc": "2.0", "id": 7, "method": method, "params": params}
    ).json()
    return answer


def listed(client: RawClient) -> list[dict[str, Any]]:
    resources: list[dict[str, Any]] = ask(client, "resources/list")["result"]["resources"]
    return resources


def read(client: RawClient, uri: str) -> dict[str, Any]:
    return ask(client, "resources/read", uri=uri)


def folder_of(server: HttpServer) -> Path:
    return Path(f"/proc/{server.pid}/cwd").resolve()


def pdf(client: RawClient, site: Site) -> str:
    client.text("browser_navigate", url=site.page("form"))
    result = client.call("browser_pdf_save")
    assert {block["type"] for block in result["content"]} == {"text"}
    (file,) = result["_meta"]["files"]
    uri = file["uri"]
    assert isinstance(uri, str)
    assert uri in result["content"][0]["text"]
    return uri


def test_a_pdf_a_picture_and_a_download_come_back(server: HttpServer, site: Site) -> None:
    client = server.begin(KEYS[0])
    found = read(client, pdf(client, site))["result"]["contents"][0]
    assert found["mimeType"] == "application/pdf"
    assert base64.b64decode(found["blob"]).startswith(b"%PDF-")

    picture = client.call("browser_take_screenshot")
    assert [block["type"] for block in picture["content"]] == ["text"]
    found = read(client, picture["_meta"]["files"][0]["uri"])["result"]["contents"][0]
    assert base64.b64decode(found["blob"])[:3] in {b"\x89PN", b"\xff\xd8\xff"}

    site.publish("/report", "<a href='data:text/csv,a;b' download='report 1.csv'>Get</a>")
    client.text("browser_navigate", url=site.url("/report"))
    client.text("browser_click", ref="text=Get")
    client.text("browser_snapshot")
    until(lambda: listed(client)[0]["name"] == "report 1.csv", "the download")
    report = listed(client)[0]
    found = read(client, report["uri"])["result"]["contents"][0]
    assert (found["mimeType"], found["text"]) == ("text/csv", "a;b")


def test_files_belong_to_a_key_and_are_listed_to_their_client(server: HttpServer, site: Site) -> None:
    client, sibling, other = server.begin(KEYS[0]), server.begin(KEYS[0]), server.begin(KEYS[1])
    uri = pdf(client, site)
    assert [file["uri"] for file in listed(client)] == [uri]
    assert listed(sibling) == listed(other) == []
    # A session for each call is how many frameworks work: its successor reads what it was told of.
    assert "result" in read(sibling, uri)
    assert read(other, uri)["error"]["code"] == -32002


def test_no_other_file_can_be_read(server: HttpServer, site: Site) -> None:
    client = server.begin(KEYS[0])
    uri = pdf(client, site)
    name = re.escape(uri.rpartition("/")[2])
    for wrong in (
        "file:///etc/passwd",
        "patchright://files/../../etc/passwd",
        re.sub(name, "../../../../etc/passwd", uri),
        re.sub(name, "other.pdf", uri),
        uri + "/",
        uri.upper(),
        uri[:-4],
        "patchright://files/",
        "",
    ):
        assert read(client, wrong)["error"]["code"] == -32002, wrong


def test_a_file_that_is_gone_replaced_or_too_large_is_not_read(
    server: HttpServer, site: Site, tmp_path: Path
) -> None:
    client = server.begin(KEYS[0])
    uri = pdf(client, site)
    saved = re.search(r"PDF saved to '([^']+)'", client.text("browser_pdf_save", path="kept.pdf"))
    assert saved
    again = next(file["uri"] for file in listed(client) if file["name"] == "kept.pdf")
    file = folder_of(server) / saved[1]
    file.unlink()
    assert read(client, again)["error"]["code"] == -32002
    secret = tmp_path / "secret"
    secret.write_text("secret")
    file.symlink_to(secret)
    assert read(client, again)["error"]["code"] == -32002
    file.unlink()
    with file.open("wb") as large:
        large.truncate(8 << 20)
    refused = read(client, again)["error"]
    assert "at most 7340032" in refused["message"]
    assert "result" in read(client, uri)
