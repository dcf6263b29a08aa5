"""The browser's own accessibility tree is the judge of what snapshots say of pages that libraries build."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests_py.support.oracle import Oracle, oracle
from tests_py.support.site import Site

NAMES = sorted(page.stem for page in Path(__file__).with_name("pages").glob("*.html"))


@pytest.fixture(scope="module")
async def judge() -> AsyncIterator[Oracle]:
    async with oracle() as judge:
        yield judge


@pytest.mark.parametrize("name", NAMES)
async def test_a_snapshot_has_all_that_can_be_acted_on_and_calls_nothing_else_so(
    judge: Oracle, zoo: Site, name: str
) -> None:
    verdict = await judge.judge(zoo.url(f"/zoo/{name}.html"))
    assert not verdict.missing, verdict
    assert not verdict.unfounded, verdict


@pytest.mark.parametrize("name", ["ag-grid", "mui", "quasar"])
async def test_the_pages_have_much_to_judge(judge: Oracle, zoo: Site, name: str) -> None:
    verdict = await judge.judge(zoo.url(f"/zoo/{name}.html"))
    assert verdict.found > 15, verdict
