"""Waiting for a person at a wall, in a browser with a window."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests_py.patchright.gate import Gate
from tests_py.support.wire import Wire


@pytest.fixture
def gate() -> Iterator[Gate]:
    with Gate() as gate:
        yield gate


@pytest.fixture
def headed(
    new_wire: Callable[..., Wire], display: str, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Wire]:
    def start(
        *arguments: str, capabilities: dict[str, Any] | None = None, version: str = "2025-06-18"
    ) -> Wire:
        monkeypatch.setenv("DISPLAY", display)
        wire = new_wire("--headless", "false", *arguments)
        client = {"name": "wire", "version": "1"}
        wire.ask(
            "initialize",
            {"protocolVersion": version, "capabilities": capabilities or {}, "clientInfo": client},
        )
        wire.notify("notifications/initialized")
        return wire

    return start


def start_call(wire: Wire, tool: str, **arguments: object) -> int:
    meta = {"progressToken": "p"}
    return wire.start("tools/call", {"name": tool, "arguments": arguments, "_meta": meta})


def until_waiting(wire: Wire) -> dict[str, Any]:
    """The first progress that says that a person is waited for."""
    while True:
        message = wire.read()
        assert message.get("method") == "notifications/progress", message
        reported: dict[str, Any] = message["params"]
        if "等待用户" in reported.get("message", ""):
            return reported


@pytest.mark.long
@pytest.mark.parametrize("path", ["/report", "/checked"])
def test_a_person_who_comes_lets_the_call_go_on(headed: Callable[..., Wire], gate: Gate, path: str) -> None:
    wire = headed()
    call = start_call(wire, "patchright_fetch", url=gate.origin + path)
    first = until_waiting(wire)
    assert first["total"] == 120
    second = until_waiting(wire)
    assert second["progress"] > first["progress"]
    gate.open()
    result = wire.answer_to(call)["result"]
    text = result["content"][0]["text"]
    assert text.startswith(f"## Report\n\n**URL**: {gate.origin}{path}\n\n--- ")
    assert " ---\n# The report\n\nAll is well.\n--- " in text
    assert "isError" not in result or not result["isError"]


@pytest.mark.long
@pytest.mark.parametrize("path", ["/report", "/checked"])
def test_nobody_comes_and_all_tools_pause(headed: Callable[..., Wire], gate: Gate, path: str) -> None:
    wire = headed("--login-timeout", "2", "--login-cooldown", "60")
    result = wire.call("patchright_fetch", url=gate.origin + path)["result"]
    assert result["content"][0]["text"].startswith("⏸️ 操作需要用户验证但超时\n\n该工具将暂停 1 分钟")
    assert result["structuredContent"] == {"status": "login_timeout", "retryAfterSeconds": 60}
    for tool in ("patchright_screenshot", "browser_snapshot", "create_session"):
        paused = wire.call(tool)["result"]
        assert paused["structuredContent"]["status"] == "cooldown"
        assert 50 < paused["structuredContent"]["retryAfterSeconds"] <= 60


@pytest.mark.long
def test_a_captcha_is_waited_at_by_browser_navigate_too(headed: Callable[..., Wire], gate: Gate) -> None:
    wire = headed()
    call = start_call(wire, "browser_navigate", url=gate.origin + "/checked")
    until_waiting(wire)
    gate.open()
    text = wire.answer_to(call)["result"]["content"][0]["text"]
    assert "The user passed what the page asked for (reCAPTCHA)." in text
    assert "The report" in text


def test_a_login_page_that_was_asked_for_is_no_challenge(headed: Callable[..., Wire], gate: Gate) -> None:
    wire = headed("--login-timeout", "60")
    text = wire.call("browser_navigate", url=gate.origin + "/login")["result"]["content"][0]["text"]
    assert "Sign in" in text
    text = wire.call("patchright_fetch", url=gate.origin + "/login")["result"]["content"][0]["text"]
    assert text.startswith("## Sign in")


@pytest.mark.parametrize("action", ["cancel", "decline"])
def test_who_can_be_asked_is_asked_and_may_give_up(
    headed: Callable[..., Wire], gate: Gate, action: str
) -> None:
    wire = headed(capabilities={"elicitation": {}})
    call = wire.start_call("patchright_fetch", url=gate.origin + "/report")
    question = wire.read()
    assert question["method"] == "elicitation/create"
    assert gate.origin in question["params"]["message"]
    wire.write(f'{{"jsonrpc": "2.0", "id": {question["id"]}, "result": {{"action": "{action}"}}}}')
    result = wire.answer_to(call)["result"]
    assert result["content"][0]["text"] == "抓取失败: 操作已取消"
    assert result["isError"] is True
    after = wire.call("patchright_fetch")["result"]["content"][0]["text"]
    assert not after.startswith("⏸️")


@pytest.mark.parametrize("modes", [{"form": {}}, {"form": {}, "url": {}}])
def test_at_a_window_a_newer_client_is_asked_in_words(
    headed: Callable[..., Wire], gate: Gate, modes: dict[str, Any]
) -> None:
    wire = headed(capabilities={"elicitation": modes}, version="2025-11-25")
    call = wire.start_call("patchright_fetch", url=gate.origin + "/report")
    question = wire.read()
    assert question["method"] == "elicitation/create"
    assert question["params"]["mode"] == "form"
    gate.open()
    assert "All is well." in wire.answer_to(call)["result"]["content"][0]["text"]


@pytest.mark.long
def test_who_says_that_it_is_done_is_believed_only_when_it_is(
    headed: Callable[..., Wire], gate: Gate
) -> None:
    wire = headed("--login-timeout", "30", capabilities={"elicitation": {}})
    call = wire.start_call("patchright_fetch", url=gate.origin + "/report")
    question = wire.read()
    wire.write(
        f'{{"jsonrpc": "2.0", "id": {question["id"]}, "result": {{"action": "accept", "content": {{}}}}}}'
    )
    assert wire.ask("ping")["result"] == {}
    gate.open()
    assert "All is well." in wire.answer_to(call)["result"]["content"][0]["text"]


@pytest.mark.long
def test_a_call_that_is_cancelled_while_it_waits_starts_no_pause(
    headed: Callable[..., Wire], gate: Gate
) -> None:
    wire = headed()
    call = start_call(wire, "patchright_fetch", url=gate.origin + "/report")
    until_waiting(wire)
    wire.notify("notifications/cancelled", {"requestId": call})
    assert not wire.call("create_session")["result"].get("isError", False)
