"""The browser's own accessibility tree is the judge of what snapshots say."""

from collections.abc import AsyncIterator

import pytest

from tests_py.support.oracle import Oracle, Verdict, oracle
from tests_py.support.site import PAGES, Site

LEAST = 0.995


@pytest.fixture(scope="module")
async def judge() -> AsyncIterator[Oracle]:
    async with oracle() as judge:
        yield judge


async def test_what_can_be_acted_on_is_in_the_snapshot_by_name(judge: Oracle, site: Site) -> None:
    names = [str(page.relative_to(PAGES).with_suffix("")) for page in sorted(PAGES.rglob("*.html"))]
    verdicts: list[Verdict] = [await judge.judge(site.page(name)) for name in names]
    told = "\n".join(map(str, verdicts))
    found, wanted = sum(one.found for one in verdicts), sum(one.wanted for one in verdicts)
    assert wanted > 200, told
    assert found / wanted >= LEAST, told
    assert not any(one.unfounded for one in verdicts), told
