"""The script that tells what came in Playwright's newest release."""

import pytest

from patchright_mcp import async_api
from patchright_mcp._failures import MissingFeature
from scripts.newest_playwright import classes_of, exported, missing, only_raises

SOURCE = """
__all__ = ["Page", "Portal"]

class Page(AsyncBase):
    _impl_obj: PageImpl

    def on(self, event: str, f: object) -> None: ...
    @property
    def url(self) -> str: ...
    async def goto(self, url: str, *, timeout: float = 0, speed: float = 0) -> None: ...
    async def teleport(self, where: str) -> None: ...

class Browser(AsyncBase):
    async def unbind(self) -> None: ...
    async def close(self) -> None: ...

class Portal(TypedDict):
    color: str
"""


async def raises(_: async_api.Browser) -> None:
    """Is not there."""
    raise MissingFeature("Browser.unbind", "nothing")


def test_what_is_new_is_reported_and_what_is_there_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert exported(SOURCE) == {"Page", "Portal"}
    classes = dict(classes_of(SOURCE))
    assert list(missing("Page", classes["Page"])) == ["Page.goto(speed=…)", "Page.teleport"]
    assert list(missing("Portal", classes["Portal"])) == ["Portal"]
    assert list(missing("Browser", classes["Browser"])) == []
    assert list(only_raises("Browser", classes["Browser"])) == []
    monkeypatch.setattr(async_api.Browser, "unbind", raises)
    assert list(only_raises("Browser", classes["Browser"])) == ["Browser.unbind"]
