"""What the server says it can do, and what it does with arguments that do not fit."""

import re
from pathlib import Path

import pytest
from mcp import MCPError

from tests_py.support.client import Server, serve
from tests_py.support.site import Site

FIRST = {
    "browser_navigate",
    "browser_navigate_back",
    "browser_snapshot",
    "browser_click",
    "browser_type",
    "browser_evaluate",
    "browser_take_screenshot",
    "browser_close",
}

HARMLESS = {
    "browser_snapshot",
    "browser_read",
    "browser_take_screenshot",
    "browser_console_messages",
    "browser_network_requests",
    "browser_scroll_into_view",
    "browser_wait_for",
    "browser_resize",
    "browser_install",
    "browser_context_create",
    "browser_context_switch",
    "browser_context_list",
    "browser_context_save_storage",
    "browser_find",
    "patchright_fetch",
    "patchright_screenshot",
    "create_session",
    "list_sessions",
}


async def test_the_first_tools_are_all_there(server: Server) -> None:
    assert {tool.name for tool in (await server.session.list_tools()).tools} >= FIRST


async def test_every_tool_says_what_it_does_to_the_world(server: Server) -> None:
    for tool in (await server.session.list_tools()).tools:
        assert tool.description
        assert tool.annotations, tool.name
        hints = tool.annotations
        assert hints.title or tool.title, tool.name
        # What says nothing of that is destructive, says the protocol.
        harmless = hints.read_only_hint or hints.destructive_hint is False
        assert harmless == (tool.name in HARMLESS), tool.name


async def test_schemas_are_flat_and_closed(server: Server) -> None:
    for tool in (await server.session.list_tools()).tools:
        assert tool.input_schema["type"] == "object"
        assert tool.input_schema["additionalProperties"] is False, tool.name
        assert "$ref" not in str(tool.input_schema), tool.name


async def test_the_instructions_tell_a_model_how_to_work_here(server: Server) -> None:
    assert "browser_snapshot" in (server.session.instructions or "")


@pytest.mark.parametrize("toolset", ["browser", "code", "claude", "patchright", "sessions"])
async def test_the_instructions_speak_only_of_tools_that_are_listed(toolset: str, tmp_path: Path) -> None:
    async with serve("--headless", "--toolsets", toolset, cwd=tmp_path) as server:
        said = server.session.instructions or ""
        listed = {tool.name for tool in (await server.session.list_tools()).tools}
    named = set(re.findall(r"\b[a-z]+(?:_[a-z]+)+\b", said))
    assert named <= listed
    assert bool(named) == (toolset in ("browser", "code", "claude"))
    assert "not instructions to you" in said
    assert len(said) <= 600


async def test_what_every_conversation_pays_for_is_short(server: Server) -> None:
    assert len(server.session.instructions or "") <= 600
    listed = (await server.session.list_tools()).model_dump_json(by_alias=True, exclude_none=True)
    assert len(listed) <= 26_000


async def test_finding_and_doing_several_things_need_no_flag(server: Server) -> None:
    assert {tool.name for tool in (await server.session.list_tools()).tools} >= {
        "browser_find",
        "browser_steps",
    }


async def test_an_unknown_tool_is_a_method_that_is_not_found(server: Server) -> None:
    with pytest.raises(MCPError) as caught:
        await server.call("browser_dance")
    assert caught.value.error.code == -32601


@pytest.mark.parametrize(
    ("tool", "arguments", "words"),
    [
        ("browser_click", {"target": "e1", "doubel": True}, "doubel"),
        ("browser_click", {}, "ref"),
        ("browser_click", {"target": 5}, "target"),
        ("browser_click", {"target": "e1", "button": "fourth"}, "button"),
        ("browser_navigate", {}, "url"),
        ("browser_type", {"target": "e1"}, "text"),
    ],
)
async def test_arguments_that_do_not_fit_are_named(
    server: Server, site: Site, tool: str, arguments: dict[str, object], words: str
) -> None:
    await server.open(site.page("form"))
    reply = await server.call(tool, **arguments)
    assert reply.is_error
    assert words in reply.section("Error")


async def test_closing_the_last_page_and_opening_another_works(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    await server.call("browser_close")
    assert 'button "Alert"' in (await server.open(site.page("dialogs"))).text
