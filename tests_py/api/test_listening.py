"""Python hears of what a script listens to, and of nothing else."""

from collections import Counter

import pytest

from patchright_mcp.async_api import BrowserContext, Dialog, Page, Route
from tests_py.support.site import Site

pytestmark = pytest.mark.long

REQUESTS = 1_000
ASK = f"""() => Promise.all(Array.from({{ length: {REQUESTS} }}, (_, number) =>
    fetch("data.json?" + number).then((answer) => answer.text(), () => ""))).then((all) => all.length)"""


@pytest.fixture
def reported(context: BrowserContext, monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often the engine told of what."""
    counted: Counter[str] = Counter()
    tell = context._traffic.reported

    def count(name: str, payload: object) -> bool:
        counted[name] += 1
        return tell(name, payload)

    monkeypatch.setattr(context._traffic, "reported", count)
    return counted


async def test_a_thousand_requests_that_nobody_listens_to_cost_python_nothing(
    page: Page, site: Site, reported: Counter[str]
) -> None:
    await page.goto(site.page("form"))
    assert await page.evaluate(ASK) == REQUESTS
    assert not reported


async def test_who_begins_to_listen_hears_from_then_on_and_who_ceases_hears_no_more(
    page: Page, site: Site, reported: Counter[str]
) -> None:
    seen: list[str] = []
    hear = lambda request: seen.append(request.url)  # noqa: E731
    page.on("request", hear)
    response = await page.goto(site.page("form"))
    assert response is not None
    assert seen[0] == site.page("form")
    page.remove_listener("request", hear)
    before = reported.copy()
    await page.reload()
    assert reported == before


async def test_the_newest_requests_are_known_though_nobody_listened(page: Page, site: Site) -> None:
    await page.goto(site.page("form"))
    await page.evaluate(ASK)
    asked = await page.requests()
    assert len(asked) == 100
    assert all("data.json?" in request.url for request in asked)
    assert (await page.requests())[-1] is asked[-1]


async def test_a_route_holds_what_fits_it_and_python_hears_of_nothing_else(
    page: Page, site: Site, reported: Counter[str]
) -> None:
    async def answer(route: Route) -> None:
        await route.fulfill(body="made up")

    await page.route("**/made/*", answer)
    await page.goto(site.page("form"))
    assert await page.evaluate(ASK) == REQUESTS
    assert await page.evaluate("fetch('/made/up').then((answer) => answer.text())") == "made up"
    assert reported == {"route": 1}


async def test_a_dialog_that_nobody_listens_to_is_answered_and_one_that_somebody_does_is_theirs(
    page: Page, site: Site, reported: Counter[str]
) -> None:
    await page.goto(site.page("form"))
    assert await page.evaluate("confirm('sure?')") is False
    assert not reported

    async def accept(dialog: Dialog) -> None:
        await dialog.accept()

    page.on("dialog", accept)
    assert await page.evaluate("confirm('sure?')") is True
    page.remove_listener("dialog", accept)
    assert await page.evaluate("confirm('sure?')") is False
