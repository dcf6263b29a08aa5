"""The cooldown as a user of `patchright_mcp.server` sees it, in the design's "Test File Structure"."""

import re
import time
from collections.abc import Iterator
from unittest import mock

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import patchright_mcp.server as server_module

KEYWORDS = ["验证超时", "登录超时", "timeout", "captcha", "验证码", "login required", "authentication"]
PERIOD = 300


@pytest.fixture(autouse=True)
def reset() -> Iterator[None]:
    server_module._login_timeout_timestamp = None
    yield
    server_module._login_timeout_timestamp = None


@given(st.text(), st.sampled_from(KEYWORDS), st.text(), st.randoms())
def test_is_login_timeout_error(before: str, keyword: str, after: str, random: object) -> None:
    """**Feature: patchright-login-cooldown, Property 1: Login Timeout Keyword Detection**."""
    flipped = "".join(c.upper() if random.random() < 0.5 else c for c in keyword)  # type: ignore[attr-defined]
    assert server_module._is_login_timeout_error(before + flipped + after) is True


@given(st.text())
def test_is_not_login_timeout_error(error: str) -> None:
    """**Feature: patchright-login-cooldown, Property 2: Non-Login Error Rejection**."""
    assume(not any(keyword in error.lower() for keyword in KEYWORDS))
    assert server_module._is_login_timeout_error(error) is False


@given(st.one_of(st.none(), st.floats(0, 4e9)))
def test_record_login_timeout(before: float | None) -> None:
    """**Feature: patchright-login-cooldown, Property 3: Timestamp Recording**."""
    server_module._login_timeout_timestamp = before
    began = time.time()
    result = server_module._record_login_timeout()
    stamp = server_module._login_timeout_timestamp
    assert stamp is not None
    assert began <= stamp <= time.time()
    assert result.type == "text"


@given(st.floats(0, PERIOD - 1))
def test_check_cooldown_active(elapsed: float) -> None:
    """**Feature: patchright-login-cooldown, Property 4: Cooldown Message During Active Cooldown**."""
    server_module._login_timeout_timestamp = time.time() - elapsed
    result = server_module._check_cooldown()
    assert result is not None
    assert result.type == "text"
    assert result.text.startswith("⏸️ Patchright 浏览器工具暂时不可用\n\n")


@given(st.floats(0.01, 1e9))
def test_check_cooldown_expired(late: float) -> None:
    """**Feature: patchright-login-cooldown, Property 5: Cooldown Reset After Expiry**."""
    server_module._login_timeout_timestamp = time.time() - server_module._LOGIN_COOLDOWN_SECONDS - late
    assert server_module._check_cooldown() is None
    assert server_module._login_timeout_timestamp is None


@given(st.floats(-1000, PERIOD - 0.001), st.floats(1e6, 2e9))
def test_remaining_time_accuracy(elapsed: float, now: float) -> None:
    """**Feature: patchright-login-cooldown, Property 6: Remaining Time Accuracy**."""
    with mock.patch("time.time", return_value=now):
        server_module._login_timeout_timestamp = now - elapsed
        text = server_module._check_cooldown().text
    found = re.search(r"冷却剩余: (\d+) 分 (\d+) 秒", text)
    assert found
    remaining = int(found[1]) * 60 + int(found[2])
    assert int(found[2]) < 60
    assert abs((PERIOD - elapsed) - remaining) <= 1.000001


@given(st.floats(0, 4e9))
def test_check_cooldown_none(now: float) -> None:
    """**Feature: patchright-login-cooldown, Property 7: Normal Operation After Reset**."""
    server_module._login_timeout_timestamp = None
    with mock.patch("patchright_mcp.server.time.time", return_value=now):
        assert server_module._check_cooldown() is None
    assert server_module._login_timeout_timestamp is None


def test_the_period_is_a_constant_that_can_be_patched(monkeypatch: pytest.MonkeyPatch) -> None:
    assert server_module._LOGIN_COOLDOWN_SECONDS == 300
    assert isinstance(server_module._LOGIN_COOLDOWN_SECONDS, int)
    with monkeypatch.context() as patched:
        patched.setattr(server_module, "_LOGIN_COOLDOWN_SECONDS", 60)
        assert "暂停 1 分钟" in server_module._record_login_timeout().text
    assert server_module._LOGIN_COOLDOWN_SECONDS == 300


def test_the_stamp_can_be_patched_and_comes_back() -> None:
    server_module._login_timeout_timestamp = 5.0
    with mock.patch.object(server_module, "_login_timeout_timestamp", time.time()):
        assert server_module._check_cooldown() is not None
    assert server_module._login_timeout_timestamp == 5.0


def test_the_whole_clock_can_be_replaced() -> None:
    with mock.patch("patchright_mcp.server.time") as clock:
        clock.time.return_value = 1000.0
        server_module._record_login_timeout()
        assert server_module._login_timeout_timestamp == 1000.0
        clock.time.return_value = 1299.9
        assert "0 分 0 秒" in server_module._check_cooldown().text
        clock.time.return_value = 1300.0
        assert server_module._check_cooldown() is None


def test_the_messages_say_what_was_required() -> None:
    notice = server_module._record_login_timeout().text
    for part in ("⏸️ 操作需要用户验证但超时", "暂停 5 分钟", "MCP 协议限制", "等待冷却期结束或使用其他工具"):
        assert part in notice
    message = server_module._check_cooldown().text
    for part in ("⏸️", "冷却剩余", "分", "秒", "建议", "可能已经回来了", "fetch MCP"):
        assert part in message


async def test_tools_called_here_and_the_stamp_set_here_are_the_wires_own() -> None:
    server_module._login_timeout_timestamp = time.time() - 28
    for name in ("patchright_fetch", "patchright_click", "browser_navigate", "no_such_tool"):
        (content,) = await server_module.call_tool(name, {})
        assert content.type == "text"
        assert "冷却剩余: 4 分 3" in content.text
    server_module._login_timeout_timestamp = None
    with pytest.raises(ValueError, match="未知工具: no_such_tool"):
        await server_module.call_tool("no_such_tool", {})
    (content,) = await server_module.call_tool("patchright_fetch", {})
    assert content.text == "错误: 请提供 URL"
