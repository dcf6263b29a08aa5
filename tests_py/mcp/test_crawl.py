"""Whole sites as Markdown files: what the tool answers, and where it may write."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests_py.support.client import serve
from tests_py.support.endless import EndlessSite
from tests_py.support.workshop import Workshop


@pytest.fixture
def endless() -> Iterator[EndlessSite]:
    with EndlessSite(12) as site:
        yield site


def urls(folder: Path) -> list[str]:
    return [json.loads(line)["url"] for line in (folder / "index.jsonl").read_text().splitlines()]


async def test_an_agent_crawls_a_site_and_goes_on_where_a_limit_was(
    workshop: Workshop, endless: EndlessSite
) -> None:
    await workshop.open(endless.url("/secret"))
    crawl = {"url": endless.url("/"), "folder": "site", "exclude": [endless.url("/{calendar,shop}*")]}
    first = (await workshop.do("browser_crawl", **crawl, maxPages=5)).section("Result")
    assert re.search(r"Stopped at maxPages \(5\); \d+ URLs wait\. To continue, call again with more\.", first)
    last = (await workshop.do("browser_crawl", **crawl)).section("Result")
    assert "(resumed: 5 were there before)" in last
    assert re.search(
        r"^16 pages .*, 2 duplicates, 0 failed\. Index: \.patchright-mcp/site/index\.jsonl$",
        last,
        re.MULTILINE,
    )
    assert "1 robots (/private)" in last
    assert "1 repeated_path (/maze/a/b/a/b/a/b/)" in last
    assert max(len(first), len(last)) < 1000
    found = urls(workshop.folder / ".patchright-mcp" / "site")
    assert len(found) == len(set(found))
    assert endless.expected() <= set(found)
    # The client's own tab stays as it was, and alone.
    tabs = (await workshop.do("browser_tabs", action="list")).text
    assert "/secret" in tabs
    assert endless.url("/p/") not in tabs


async def test_a_crawl_writes_only_where_files_may_be(workshop: Workshop, endless: EndlessSite) -> None:
    (workshop.folder / "door").symlink_to("/tmp")
    for folder, reason in {
        "../out": "must not contain",
        "/etc/site": "outside the folders",
        ".hidden": "characters that a file name should not have",
        "./door/x": "a link",
        "~/site": "whole path",
        ".": "names no file",
    }.items():
        assert reason in await workshop.refused("browser_crawl", url=endless.url("/"), folder=folder), folder
    assert "only http" in await workshop.refused("browser_crawl", url="data:text/html,x", folder="data")
    below = await workshop.do("browser_crawl", url=endless.url("/p/11"), folder="./below", maxDepth=0)
    assert "Index: below/index.jsonl" in below.text
    assert (workshop.folder / "below" / "p-11.md").is_file()
    refused = await workshop.refused("browser_crawl", url=endless.url("/p/11"), folder="./below", maxDepth=1)
    assert "contains a crawl with maxDepth 0" in refused


async def test_the_rules_of_the_server_hold_for_a_crawl(endless: EndlessSite, tmp_path: Path) -> None:
    async with serve(
        "--headless", "--caps", "extract", "--blocked-origins", endless.origin, cwd=tmp_path
    ) as server:
        reply = await server.call("browser_crawl", url=endless.url("/"), folder="site")
        assert reply.is_error
        assert endless.requested.total() == 0
