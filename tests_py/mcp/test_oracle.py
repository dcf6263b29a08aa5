"""The browser's own accessibility tree is the judge of what snapshots say."""

from collections.abc import AsyncIterator

import pytest

from tests_py.support.oracle import Oracle, oracle
from tests_py.support.site import PAGES, Site

NAMES = sorted(str(page.relative_to(PAGES).with_suffix("")) for page in PAGES.rglob("*.html"))


@pytest.fixture(scope="module")
async def judge() -> AsyncIterator[Oracle]:
    async with oracle() as judge:
        yield judge


@pytest.mark.parametrize("name", NAMES)
async def test_a_snapshot_has_all_that_can_be_acted_on_and_calls_nothing_else_so(
    judge: Oracle, site: Site, name: str
) -> None:
    verdict = await judge.judge(site.page(name))
    assert not verdict.missing, verdict
    assert not verdict.unfounded, verdict


async def test_the_pages_have_much_to_judge(judge: Oracle, site: Site) -> None:
    verdict = await judge.judge(site.page("oracle/forms"))
    assert verdict.found > 30, verdict
