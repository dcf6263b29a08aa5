"""The pause from end to end: a real server, a page that never loads, and a second server beside it."""

import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests_py.support.site import Site
from tests_py.support.wire import Wire, until

FIVE = ("fetch", "screenshot", "click", "fill_form", "execute_js")


@pytest.fixture
def held(site: Site) -> str:
    """An address that is never answered."""
    site.hold()
    return site.url("/hold")


def paused_for(wire: Wire, tool: str, **arguments: object) -> int | None:
    """The seconds that a tool says it pauses for; None where it does not."""
    result = wire.call(tool, **arguments)["result"]
    structured = result.get("structuredContent") or {}
    if structured.get("status") != "cooldown":
        return None
    found = re.search(r"冷却剩余: (\d+) 分 (\d+) 秒", result["content"][0]["text"])
    assert found
    seconds = int(found[1]) * 60 + int(found[2])
    assert structured["retryAfterSeconds"] == seconds
    return seconds


@pytest.mark.long
def test_a_page_that_never_loads_pauses_everything_until_the_period_is_over(
    new_wire: Callable[..., Wire], site: Site, held: str
) -> None:
    wire = new_wire("--headless", "--login-cooldown", "6")
    wire.shake_hands()
    listed = [tool["name"] for tool in wire.ask("tools/list")["result"]["tools"]]
    result = wire.call("patchright_fetch", url=held, timeout=2000)["result"]
    began = time.monotonic()
    assert "暂停 6 秒" in result["content"][0]["text"]
    for tool in listed:
        before = time.monotonic() - began
        seconds = paused_for(wire, tool)
        assert seconds is not None, tool
        after = time.monotonic() - began
        assert 6 - after - 1.1 <= seconds <= 6 - before + 1.1
    until(lambda: paused_for(wire, "patchright_fetch") is None, "the end of the pause")
    assert time.monotonic() - began > 5
    result = wire.call("patchright_fetch", url=site.page("form"))["result"]
    assert result["content"][0]["text"].startswith("## ")


@pytest.mark.parametrize("timeout", [-1, 0, 0.5, 1])
def test_an_invalid_timeout_is_refused_and_starts_no_cooldown(wire: Wire, site: Site, timeout: float) -> None:
    wire.shake_hands()
    needed = {"selector": "h1", "fields": {"h1": "Ada"}, "script": "1"}
    takes = {"click": ["selector"], "fill_form": ["fields"], "execute_js": ["script"]}
    for tool in FIVE:
        arguments = {name: needed[name] for name in takes.get(tool, [])}
        answer = wire.call(f"patchright_{tool}", url=site.page("form"), timeout=timeout, **arguments)[
            "result"
        ]
        assert "`timeout` must be at least 100 ms" in answer["content"][0]["text"], tool
    assert paused_for(wire, "patchright_fetch") is None


def test_a_short_timeout_pauses_nothing(wire: Wire, held: str) -> None:
    wire.shake_hands()
    answer = wire.call("patchright_fetch", url=held, timeout=500)["result"]
    assert "500" in answer["content"][0]["text"]
    assert paused_for(wire, "patchright_fetch") is None


@pytest.mark.long
def test_what_goes_wrong_otherwise_never_pauses(wire: Wire, site: Site) -> None:
    wire.shake_hands()
    page = site.page("form")
    for arguments in (
        {"url": page, "wait_for": "#captcha", "timeout": 4000},
        {"url": "http://127.0.0.1:1/authentication"},
        {"url": "timeout"},
        {"url": page, "format": "captcha"},
        {"url": site.url("/status/500")},
    ):
        wire.call("patchright_fetch", **arguments)
        assert paused_for(wire, "patchright_fetch") is None, arguments
    wire.call("patchright_click", url=page, selector="#timeout", timeout=4000)
    wire.call("patchright_execute_js", url=page, script="throw new Error('登录超时 timeout')")
    for tool in FIVE:
        assert paused_for(wire, f"patchright_{tool}") is None


@pytest.mark.long
def test_servers_that_share_a_folder_pause_together_and_across_a_restart(
    new_wire: Callable[..., Wire], folder: Path, held: str
) -> None:
    state = str(folder / "state")
    one, other = (new_wire("--headless", "--state-dir", state) for _ in range(2))
    for wire in (one, other):
        wire.shake_hands()
    one.call("patchright_fetch", url=held, timeout=2000)
    third = new_wire("--headless", "--state-dir", state)
    third.shake_hands()
    for wire in (one, other, third):
        seconds = paused_for(wire, "browser_snapshot")
        assert seconds is not None
        assert 280 < seconds <= 300


def test_a_broken_state_is_a_warning(new_wire: Callable[..., Wire], folder: Path) -> None:
    (folder / "cooldown.json").write_text("{")
    wire = new_wire("--headless", "--state-dir", str(folder))
    wire.shake_hands()
    assert paused_for(wire, "patchright_fetch") is None
    until(lambda: any("cooldown is not shared" in line for line in wire.log), "the warning")
