"""Clients that are never called back: an answer asks, and the client calls again with what it was told."""

import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters
from mcp.client import ClientRequestContext
from mcp.types import ElicitRequestParams, ElicitResult

from tests_py.patchright.gate import Gate
from tests_py.support.wire import Wire

pytestmark = pytest.mark.long

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "raw", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {"elicitation": {"form": {}, "url": {}}},
}


@pytest.fixture
def gate() -> Iterator[Gate]:
    with Gate() as gate:
        yield gate


@pytest.fixture
def headed(
    new_wire: Callable[..., Wire], display: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Wire]:
    monkeypatch.setenv("DISPLAY", display)
    return lambda *arguments: new_wire("--headless", "false", *arguments)


def call(wire: Wire, tool: str, arguments: dict[str, object], **more: object) -> dict[str, Any]:
    return wire.ask("tools/call", {"name": tool, "arguments": arguments, "_meta": META, **more})


def ask(wire: Wire, gate: Gate) -> tuple[dict[str, object], str]:
    """Begins a call that meets the gate. Gives its arguments, and the name that it has from now on."""
    arguments: dict[str, object] = {"url": gate.origin + "/report"}
    asked = call(wire, "patchright_fetch", arguments)["result"]
    assert asked["resultType"] == "input_required"
    question = asked["inputRequests"]["person"]
    assert question["method"] == "elicitation/create"
    assert gate.origin in question["params"]["message"]
    return arguments, asked["requestState"]


def said(action: str) -> dict[str, object]:
    return {"person": {"action": action, "content": {}}}


def test_who_comes_back_gets_what_the_call_was_for(headed: Callable[..., Wire], gate: Gate) -> None:
    wire = headed()
    arguments, state = ask(wire, gate)
    gate.open()
    answer = call(wire, "patchright_fetch", arguments, requestState=state, inputResponses=said("accept"))
    assert "All is well." in answer["result"]["content"][0]["text"]
    again = call(wire, "patchright_fetch", arguments, requestState=state, inputResponses=said("accept"))
    assert again["error"]["code"] == -32602, "a call ends once"


@pytest.mark.parametrize("action", ["cancel", "decline"])
def test_who_declines_ends_the_call_and_starts_no_pause(
    headed: Callable[..., Wire], gate: Gate, action: str
) -> None:
    wire = headed()
    arguments, state = ask(wire, gate)
    foreign = call(wire, "browser_snapshot", {}, requestState=state, inputResponses=said("accept"))
    assert foreign["error"]["code"] == -32602, "the state belongs to its tool"
    ended = call(wire, "patchright_fetch", arguments, requestState=state, inputResponses=said(action))
    assert ended["result"]["content"][0]["text"] == "抓取失败: 操作已取消"
    assert not call(wire, "create_session", {})["result"].get("isError", False)


def test_who_never_comes_back_was_not_there(headed: Callable[..., Wire], gate: Gate) -> None:
    wire = headed("--login-timeout", "2", "--login-cooldown", "60")
    arguments, state = ask(wire, gate)
    ended = call(wire, "patchright_fetch", arguments, requestState=state, inputResponses=said("accept"))
    assert ended["result"]["structuredContent"]["status"] == "login_timeout"
    assert call(wire, "browser_snapshot", {})["result"]["structuredContent"]["status"] == "cooldown"


async def test_the_official_client_asks_its_person_and_goes_on(
    folder: Path, display: str, gate: Gate
) -> None:
    asked: list[str] = []

    async def person(context: ClientRequestContext, params: ElicitRequestParams) -> ElicitResult:  # noqa: ARG001
        asked.append(params.message)
        gate.open()
        return ElicitResult(action="accept", content={})

    server = StdioServerParameters(
        command=sys.executable,
        args=["-m", "patchright_mcp", "--headless", "false"],
        env={**os.environ, "DISPLAY": display, "TMPDIR": str(folder)},
        cwd=folder,
    )
    async with Client(server, elicitation_callback=person) as client:
        assert client.protocol_version == "2026-07-28"
        answer = await client.call_tool("patchright_fetch", {"url": gate.origin + "/report"})
        assert "All is well." in str(answer.content)
    assert len(asked) == 1
    assert gate.origin in asked[0]
