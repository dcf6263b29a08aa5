"""The protocol over HTTP, as spec 4 tells it."""

from __future__ import annotations

import json
import socket
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests_py.support.http import INITIALIZE, KEY, HttpServer, until
from tests_py.support.site import Site

BOTH = "application/json, text/event-stream"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HttpServer]:
    with HttpServer(tmp_path_factory.mktemp("http")) as server:
        yield server


@pytest.mark.long
async def test_the_official_client_works(server: HttpServer, site: Site) -> None:
    async with server.connect() as client:
        tools = {tool.name for tool in (await client.session.list_tools()).tools}
        assert {"browser_navigate", "browser_context_create"} <= tools
        reply = await client.open(site.page("form"))
        assert "[ref=" in reply.text
        assert (await client.evaluate("() => location.pathname")).strip('"') == "/pages/form.html"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_every_revision_with_a_handshake_is_spoken(server: HttpServer, version: str) -> None:
    params = {**INITIALIZE["params"], "protocolVersion": version}  # type: ignore[dict-item]
    answer = server.post({**INITIALIZE, "params": params})
    assert answer.json()["result"]["protocolVersion"] == version
    assert answer.headers["mcp-session-id"]


def test_the_revision_without_sessions_is_spoken(server: HttpServer) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": 5, "method": "tools/list", "params": {"_meta": meta}}
    answer = server.post(message, "MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/list")
    assert answer.status == 200, answer
    assert "mcp-session-id" not in answer.headers
    assert len(answer.json()["result"]["tools"]) > 5
    params = {"name": "browser_navigate", "arguments": {}, "_meta": meta}
    wrong = server.post(
        {"jsonrpc": "2.0", "id": 6, "method": "tools/call", "params": params},
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: tools/call",
        "Mcp-Name: browser_close",
    )
    assert wrong.status == 400
    assert wrong.json()["error"]["code"] == -32020
    # There are no prompts, and no files yet.
    for method, asked in (("resources/read", "uri"), ("prompts/get", "name")):
        unknown = server.post(
            {"jsonrpc": "2.0", "id": 7, "method": method, "params": {asked: "x:none", "_meta": meta}},
            "MCP-Protocol-Version: 2026-07-28",
            f"Mcp-Method: {method}",
            "Mcp-Name: x:none",
        )
        assert unknown.json()["error"]["code"] == -32602, unknown


def test_lists_of_what_there_is_not_are_empty(server: HttpServer) -> None:
    """Some clients ask for all of them, and take a refusal for a server that has failed."""
    client = server.begin()
    for method, name in (
        ("prompts/list", "prompts"),
        ("resources/list", "resources"),
        ("resources/templates/list", "resourceTemplates"),
    ):
        answer = client.post({"jsonrpc": "2.0", "id": 8, "method": method}).json()
        assert answer["result"][name] == [], method
    level = {"jsonrpc": "2.0", "id": 9, "method": "logging/setLevel", "params": {"level": "debug"}}
    assert client.post(level).json()["result"] == {}


def test_an_address_with_a_stroke_at_its_end_is_the_same(server: HttpServer) -> None:
    body = json.dumps(INITIALIZE).encode()
    headers = [f"Host: {server.host}:{server.port}", f"Authorization: Bearer {KEY}"]
    headers += ["Content-Type: application/json", f"Accept: {BOTH}"]
    assert server.ask(headers, body, path="/mcp/").status == 200


def test_several_messages_come_at_once_in_the_revision_that_has_that(server: HttpServer) -> None:
    client = server.begin()
    ping = {"jsonrpc": "2.0", "method": "ping"}
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    wrong = {"jsonrpc": "2.0", "id": 3, "method": "no/such"}
    answer = client.post([{**ping, "id": 1}, note, {**ping, "id": "two"}, wrong])
    assert answer.status == 200, answer
    assert [one["id"] for one in answer.json()] == [1, "two", 3]
    assert answer.json()[2]["error"]["code"] == -32601
    assert client.post([note, note]).status == 202
    assert client.post([{**ping, "id": 1}, INITIALIZE]).status == 400
    assert client.post([]).status == 400
    batch = [{**ping, "id": 1}]
    session = f"Mcp-Session-Id: {client.session}"
    assert server.post(batch, session, "MCP-Protocol-Version: 2025-06-18").status == 400
    assert server.post(batch, session, "MCP-Protocol-Version: 2025-03-26").status == 200


def test_half_an_emoji_costs_no_call(server: HttpServer, site: Site) -> None:
    client = server.begin()
    client.text("browser_navigate", url=site.page("form"))
    call = (
        '{"jsonrpc": "2.0", "id": 11, "method": "tools/call", "params": {"name": "browser_evaluate", '
        '"arguments": {"function": "() => \'tonight \\ud83d\'.length"}}}'
    )
    answer = client.post(call.encode())
    assert answer.status == 200, answer
    assert answer.json()["id"] == 11
    assert "9" in answer.json()["result"]["content"][0]["text"]


def test_a_client_without_a_session_is_asked_nothing(server: HttpServer) -> None:
    """It could not answer, whatever it says of itself; what it is told belongs to its request."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {"roots": {}, "elicitation": {}, "sampling": {}},
        "progressToken": 1,
    }
    arguments = {"name": "apart", "storageState": "/etc/passwd"}
    params = {"name": "browser_context_create", "arguments": arguments, "_meta": meta}
    answer = server.post(
        {"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": params},
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: tools/call",
        "Mcp-Name: browser_context_create",
        accept=BOTH,
    )
    lines = answer.body.decode().splitlines()
    text = [json.loads(line[5:]) for line in lines if line.startswith("data:") and line[5:].strip()]
    assert {message.get("method", "answer") for message in text} <= {"answer", "notifications/progress"}
    assert "outside the folders" in str(text[-1]["result"])


def test_results_are_events_for_a_client_that_takes_events(server: HttpServer) -> None:
    client = server.begin()
    message = {"jsonrpc": "2.0", "id": 3, "method": "tools/list"}
    events = client.post(message, accept=BOTH)
    assert events.headers["content-type"] == "text/event-stream"
    data = [line[5:] for line in events.body.decode().splitlines() if line.startswith("data:")]
    assert json.loads(data[-1])["id"] == 3
    plain = client.post(message)
    assert plain.headers["content-type"] == "application/json"
    assert plain.json()["id"] == 3


def test_a_client_that_begins_again_keeps_its_session(server: HttpServer) -> None:
    client = server.begin()
    assert client.post(INITIALIZE).status == 200
    assert client.post({"jsonrpc": "2.0", "id": 2, "method": "ping"}).status == 200


def test_a_revision_that_nobody_knows_is_refused(server: HttpServer) -> None:
    for version in ("1999-01-01", "2026-07-29", "zzzz"):
        assert server.post(INITIALIZE, f"MCP-Protocol-Version: {version}").status == 400, version


def test_a_notification_is_accepted_without_an_answer(server: HttpServer) -> None:
    answer = server.begin().post({"jsonrpc": "2.0", "method": "notifications/progress", "params": {}})
    assert (answer.status, answer.body) == (202, b"")


def test_an_unknown_tool_is_no_method(server: HttpServer) -> None:
    message = {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "nope"}}
    assert server.begin().post(message).json()["error"]["code"] == -32601


def test_what_cannot_be_read_is_a_parse_error(server: HttpServer) -> None:
    answer = server.post(b"{not json")
    assert answer.status == 400
    assert (answer.json()["error"]["code"], answer.json()["id"]) == (-32700, None)


def test_health_needs_no_key_and_tells_nothing_else(server: HttpServer) -> None:
    host = f"Host: localhost:{server.port}"
    answer = server.ask([host], method="GET", path="/health")
    assert (answer.status, answer.json()) == (200, {"status": "ok"})
    assert "server" not in answer.headers


async def test_a_missing_key_is_401_and_a_wrong_one_403(server: HttpServer) -> None:
    missing = server.post(INITIALIZE, key=None)
    assert missing.status == 401
    assert missing.headers["www-authenticate"].startswith("Bearer")
    assert b"Authentication required" in missing.body
    assert server.post(INITIALIZE, key="wrong").status == 403


def test_a_key_is_made_up_and_reported_once(tmp_path: Path) -> None:
    with HttpServer(tmp_path, env={"PATCHRIGHT_MCP_API_KEY": ""}) as server:
        lines = [line for line in server.log if "API key" in line]
        assert len(lines) == 1
        key = lines[0].split()[-1]
        assert len(key) == 43
        assert server.post(INITIALIZE, key=key).status == 200
        assert server.post(INITIALIZE, key=KEY).status == 403


def test_the_port_that_was_named_is_served_and_no_key_needed_where_none_is_wanted(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with HttpServer(tmp_path, "--allow-unauthenticated", port=port) as server:
        assert (server.host, server.port) == ("127.0.0.1", port)
        assert not [line for line in server.log if "API key" in line]
        assert server.post(INITIALIZE, key=None).status == 200
        # A web page is refused as ever.
        assert server.post(INITIALIZE, "Origin: https://evil.example", key=None).status == 403


@pytest.mark.long
def test_each_key_has_its_own_world(tmp_path: Path, site: Site) -> None:
    (tmp_path / "keys").write_text("# two people\nfirst\n\nsecond\n")
    flags = ("--api-key-file", "keys", "--caps", "pdf", "--max-sessions", "1", "--max-clients", "2")
    with HttpServer(tmp_path, *flags, env={"PATCHRIGHT_MCP_API_KEY": ""}) as server:
        first, second = server.begin("first"), server.begin("second")
        first.text("browser_navigate", url=site.url("/cookie?name=a&value=1"))
        second.text("browser_navigate", url=site.page("form"))
        assert "a=1" not in second.text("browser_evaluate", function="() => document.cookie")
        assert "form.html" not in first.text("browser_context_list")
        # Another's session is as unknown as one that never was.
        message = {"jsonrpc": "2.0", "id": 3, "method": "tools/list"}
        stolen = server.post(message, f"Mcp-Session-Id: {first.session}", key="second")
        made_up = server.post(message, "Mcp-Session-Id: 0b9b0a4e-0000-4000-8000-000000000000", key="second")
        assert stolen.status == made_up.status == 404
        assert stolen.body == made_up.body
        # So is what `create_session` made, which all of one key can reach.
        session = json.loads(first.text("create_session"))["sessionId"]
        assert not server.begin("first").call("browser_snapshot", sessionId=session).get("isError")
        nobody = "0b9b0a4e-0000-4000-8000-000000000000"
        for tool, more in (
            ("browser_snapshot", {}),
            ("patchright_execute_js", {"url": "about:blank", "script": "1"}),
            ("navigate", {"url": "about:blank"}),
            ("close_session", {}),
        ):
            foreign = second.call(tool, sessionId=session, **more)
            unknown = second.call(tool, sessionId=nobody, **more)
            assert foreign["isError"], tool
            assert json.dumps(foreign).replace(session, nobody) == json.dumps(unknown), tool
        assert not first.call("browser_snapshot", sessionId=session).get("isError")
        # And what one key has used up, the other still has.
        assert server.post(INITIALIZE, key="first").status == 503
        assert "MAX_SESSIONS_REACHED" in str(first.call("create_session"))
        second.text("create_session")
        # So are another's files.
        first.text("browser_context_save_storage", path="state.json")
        (saved,) = tmp_path.rglob("state.json")
        assert saved.parent.parent == tmp_path / ".patchright-mcp"
        first.text("browser_context_create", name="again", storageState="state.json")
        for path in ("state.json", str(saved), "keys", str(tmp_path / "keys")):
            for tool, arguments in (
                ("browser_context_create", lambda file: {"storageState": file}),
                ("browser_file_upload", lambda file: {"paths": [file]}),
            ):
                refused, none = [second.call(tool, **arguments(file)) for file in (path, f"{path}.none")]
                assert refused.get("isError"), (tool, path)
                shown = str(none).replace(f"{path}.none", path)
                assert str(refused) == shown, "it tells whether there is such a file"
        first.call("browser_navigate", url=site.url("/download"))
        until(lambda: list(saved.parent.glob("report*.bin")), "the download")
        for tool in ("browser_take_screenshot", "browser_pdf_save"):
            for client in (first, second):
                client.text(tool)
        name = saved.parent.name
        for place, kind in ((".viewpoint-mcp-screenshots", "png"), (".patchright-mcp", "pdf")):
            made = {file.parent.name for file in (tmp_path / place).rglob(f"*.{kind}")}
            assert len(made) == 2
            assert name in made


def test_a_client_that_finds_no_room_is_reported_to_come_back(tmp_path: Path) -> None:
    with HttpServer(tmp_path, "--max-clients", "2") as server:
        first, _second = server.begin(), server.begin()
        full = server.post(INITIALIZE)
        assert full.status == 503
        assert int(full.headers["retry-after"]) > 0
        for _ in range(100):
            assert server.post(INITIALIZE).status == 503
            cookie = f"Cookie: patchright-mcp-client={uuid.uuid4()}"
            assert server.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}, cookie).status == 503
        end = ["Host: localhost", f"Authorization: Bearer {KEY}", f"Mcp-Session-Id: {first.session}"]
        assert server.ask(end, method="DELETE").status in (200, 202, 204)
        server.begin()


def test_a_client_that_never_said_goodbye_makes_room_after_a_while(tmp_path: Path) -> None:
    with HttpServer(tmp_path, "--max-clients", "1", "--client-grace", "1000") as server:
        silent = server.begin()
        until(lambda: server.post(INITIALIZE).status == 200, "room for another")
        assert silent.post({"jsonrpc": "2.0", "id": 1, "method": "ping"}).status == 404


@pytest.mark.long
async def test_clients_without_sessions_keep_their_pages(server: HttpServer, site: Site) -> None:
    async with server.connect_without_session() as one, server.connect_without_session() as two:
        assert one.protocol_version == "2026-07-28"
        for client, name in ((one, "form"), (two, "frames")):
            opened = await client.call_tool("browser_navigate", {"url": site.page(name)})
            assert not opened.is_error, opened
        for client, name in ((one, "form"), (two, "frames")):
            seen = await client.call_tool("browser_evaluate", {"function": "() => location.pathname"})
            assert name in str(seen.content)


def modern(server: HttpServer, client: str, tool: str, **arguments: object) -> str:
    """Calls a tool in the revision without sessions, as a client that keeps no cookies."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": client, "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": tool, "arguments": arguments, "_meta": meta}
    answer = server.post(
        {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": params},
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: tools/call",
        f"Mcp-Name: {tool}",
    )
    return str(answer.json()["result"]["content"][0]["text"])


@pytest.mark.long
def test_clients_without_cookies_are_reported_apart_or_reported_so(server: HttpServer, site: Site) -> None:
    answer = modern(server, "one", "browser_navigate", url=site.page("form"))
    assert "create_session" in answer
    modern(server, "other", "browser_navigate", url=site.page("frames"))
    assert "A form" in modern(server, "one", "browser_tabs", action="list")
    assert "A form" not in modern(server, "other", "browser_tabs", action="list")
    # Two of one name share, unless each has a session.
    sessions = [json.loads(modern(server, "one", "create_session"))["sessionId"] for _ in range(2)]
    for session, page in zip(sessions, ("form", "frames"), strict=True):
        answer = modern(server, "one", "browser_navigate", url=site.page(page), sessionId=session)
        assert "create_session" not in answer
    assert "A form" in modern(server, "one", "browser_tabs", action="list", sessionId=sessions[0])
