"""What a person must allow first."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests_py.support import client
from tests_py.support.site import Site
from tests_py.support.wire import Wire, until

pytestmark = pytest.mark.long

PAGE = """<!doctype html><title>Shop</title><style>button,a,input{display:block}</style>
<form action="/consent-sent" method=get><input name=q aria-label=Query><button>Send</button></form>
<button id=buy onclick="document.title='bought'">Buy now</button>
<button id=look onclick="document.title='looked'">Look around</button>
<input type=file aria-label=File onchange="document.title='given'">
<a href="/consent-file" download="list.txt">List</a>"""


class Asked:
    """A client whose person answers every question in the same way."""

    def __init__(self, wire: Wire, action: str | None) -> None:
        self.wire, self.action = wire, action
        self.questions: list[str] = []
        wire.shake_hands(**({} if action is None else {"elicitation": {"form": {}}}))

    def call(self, tool: str, **arguments: Any) -> str:  # noqa: ANN401
        call = self.wire.start_call(tool, **arguments)
        while True:
            message = self.wire.read()
            if message.get("method") == "elicitation/create":
                self.questions.append(message["params"]["message"])
                answer = {
                    "jsonrpc": "2.0",
                    "id": message["id"],
                    "result": {"action": self.action, "content": {}},
                }
                self.wire.write(json.dumps(answer))
            elif message.get("id") == call and "method" not in message:
                return str(message["result"]["content"][0]["text"])

    def title(self) -> str:
        """The page's title, as the list of tabs tells it."""
        return self.call("browser_tabs", action="list")


@pytest.fixture
def shop(new_wire: Callable[..., Wire], site: Site) -> Callable[..., Asked]:
    """Opens the shop for a client whose person answers so."""
    site.publish("/consent-file", "eggs", kind="application/octet-stream")
    site.publish("/consent-sent", "<!doctype html><title>sent</title>")
    address = site.publish("/consent", PAGE)

    def open_shop(action: str | None, confirm: str, *more: str) -> Asked:
        wire = new_wire("--headless", "--input", "instant", "--lang", "en", "--confirm", confirm, *more)
        asked = Asked(wire, action)
        asked.call("browser_navigate", url=address)
        return asked

    return open_shop


def test_what_is_allowed_is_done_and_what_is_refused_is_not(shop: Callable[..., Asked], folder: Path) -> None:
    (folder / "eggs.txt").write_text("eggs")
    refused = shop("decline", "submit,purchase,upload,download")
    reported = [
        refused.call("browser_click", ref="button >> text=Send"),
        refused.call("browser_type", ref="[name=q]", text="eggs", submit=True),
        refused.call("browser_click", ref="#buy"),
        refused.call("browser_evaluate", function="() => document.querySelector('#buy').click()"),
        refused.call("browser_file_upload", paths=["eggs.txt"]),
        refused.call("browser_steps", steps=[{"tool": "browser_click", "arguments": {"ref": "#buy"}}]),
        refused.call("browser_run", code="await page.locator('#buy').click()"),
    ]
    for text in reported:
        assert "the user refused" in text, text
    assert len(refused.questions) == len(reported)
    assert "buy or pay" in refused.questions[2]
    assert "Buy now" in refused.questions[2]
    assert "eggs.txt" in refused.questions[4]
    assert "Shop" in refused.title()
    # What is none of these is not asked for.
    refused.call("browser_click", ref="#look")
    assert "looked" in refused.title()
    assert len(refused.questions) == len(reported)


def test_an_accepted_question_lets_the_call_go_on(shop: Callable[..., Asked], folder: Path) -> None:
    (folder / "eggs.txt").write_text("eggs")
    allowed = shop("accept", "submit,purchase,upload")
    allowed.call("browser_click", ref="#buy")
    assert "bought" in allowed.title()
    allowed.call("browser_file_upload", paths=["eggs.txt"])
    assert "given" in allowed.title()
    allowed.call("browser_type", ref="[name=q]", text="eggs", submit=True)
    assert "sent" in allowed.title()
    assert len(allowed.questions) == 3


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_a_program_is_asked_for_at_each_origin_where_it_acts(
    shop: Callable[..., Asked], site: Site, action: str
) -> None:
    elsewhere = site.url("/consent").replace(site.origin, site.other_origin)
    asked = shop(action, f"submit@{site.other_origin}")
    code = f"""await page.locator('#look').click();
await page.goto({json.dumps(elsewhere)});
for (const id of ['#look', '#buy']) await page.locator(id).click();
return 'bought it'"""
    answer = asked.call("browser_run", code=code)
    assert ("bought it" if action == "accept" else "the user refused") in answer
    assert len(asked.questions) == 1
    assert site.other_origin in asked.questions[0]


@pytest.mark.parametrize("action", ["accept", "decline"])
def test_a_download_is_kept_only_where_it_is_allowed(
    shop: Callable[..., Asked], folder: Path, action: str
) -> None:
    asked = shop(action, "download", "--output-dir", str(folder / "out"))
    asked.call("browser_click", ref="text=List")
    answer = asked.call("browser_wait_for", download=True) if action == "accept" else ""
    assert len(asked.questions) == 1
    assert "list.txt" in asked.questions[0]
    kept = [file.name for file in (folder / "out").iterdir() if file.is_file()]
    assert kept == (["list.txt"] if action == "accept" else []), answer


def test_a_download_that_is_refused_while_it_runs_leaves_nothing(
    shop: Callable[..., Asked], site: Site, folder: Path
) -> None:
    asked = shop("decline", "download", "--output-dir", str(folder / "out"))
    site.publish("/consent-slow", "<a href='/stalls/half'>List</a>")
    asked.call("browser_navigate", url=site.url("/consent-slow"))
    answer = asked.call("browser_click", ref="text=List")
    assert len(asked.questions) == 1
    stops = client.BROWSER != "firefox"
    assert ("it was removed" if stops else "its file is removed when it has arrived") in answer, answer
    assert "Downloading" not in answer
    site.release()
    out = folder / "out"
    until(lambda: not [file for file in out.rglob("*") if file.is_file()], "the end of the file")
    assert "slow.bin" not in asked.call("browser_snapshot")


def test_an_origin_is_asked_for_whatever_is_done_there(shop: Callable[..., Asked], site: Site) -> None:
    here = shop("decline", site.origin)
    assert "the user refused" in here.call("browser_click", ref="#look")
    elsewhere = shop("decline", site.other_origin)
    assert "the user refused" not in elsewhere.call("browser_click", ref="#look")
    assert not elsewhere.questions


def test_who_cannot_be_asked_has_allowed_nothing(shop: Callable[..., Asked]) -> None:
    silent = shop(None, "purchase", "--live", "off")
    assert "there is no way to ask the user" in silent.call("browser_click", ref="#buy")
    assert "Shop" in silent.title()
