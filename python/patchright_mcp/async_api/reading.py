"""What scripts that read the web have beside Playwright's: requests that are refused, and answers that are kept."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from .. import _core
from .. import _deeds as deeds
from .. import _urls as urls
from ._base import ApiObject
from ._disposable import Disposable

if TYPE_CHECKING:
    from .context import BrowserContext
    from .network import Request

RequestKind: TypeAlias = Literal[
    "document",
    "stylesheet",
    "image",
    "media",
    "font",
    "script",
    "texttrack",
    "xhr",
    "fetch",
    "prefetch",
    "eventsource",
    "manifest",
    "ping",
    "preflight",
    "other",
]


class KeptAnswer:
    """An answer that a page got, with its body."""

    def __init__(self, request: Request, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.request: Request = request
        """What was asked."""
        self.url: str = request.url
        """What was asked for."""
        self.status: int = status
        """Such as 200."""
        self.headers: dict[str, str] = {name.lower(): value for name, value in headers}
        """By their names in lower case."""
        self.body: bytes = body
        """As the page got it, unpacked."""

    def __repr__(self) -> str:
        return f"<KeptAnswer {self.status} {self.url!r} {len(self.body)} bytes>"

    def text(self) -> str:
        """The body as text."""
        return self.body.decode("utf-8", errors="replace")

    def json(self) -> Any:
        """What the body says as JSON.

        Raises:
            ValueError: When it is none.
        """
        return json.loads(self.body)


class KeptAnswers(ApiObject):
    """Answers that pages of a context got since `BrowserContext.keep_answers`."""

    def __init__(self, context: BrowserContext, native: _core.KeptAnswers) -> None:
        super().__init__(context._connection)
        self._context = context
        self._native = native

    async def find(self, text: str | None = None, *, url: str | None = None) -> list[KeptAnswer]:
        """Those that contain a text, whatever its case, and those of an address; all, oldest first, unless told.

        Answers that have come are waited for until they are kept.
        """
        address = urls.resolved(self._context._base_url, url) if url else None
        found = await self._run(self._native.find(address, text))
        request_of = self._context._traffic.request_of
        return [
            KeptAnswer(request_of(request), status, headers, body) for request, status, headers, body in found
        ]

    def clear(self) -> None:
        """Forgets what was kept so far."""
        self._native.clear()


class ContextReading(ApiObject):
    """What a context has for scripts that read the web."""

    async def block(
        self,
        *,
        kinds: Sequence[RequestKind] = (),
        ads: bool = False,
        domains: Sequence[str] = (),
        lists: str | Path | Sequence[str | Path] = (),
        urls: str | Sequence[str] = (),
    ) -> Disposable:
        """Refuses requests of all its pages from now on, without asking the script: by kind, server or address.

        `kinds` are those of `Request.resource_type`; `ads` are the servers of advertising and tracking that most pages ask;
        `domains` mean all below them, too; `lists` are files of domains, as hosts or Adblock lists have them; `urls` are
        patterns as for `route`. What a tab itself shows is never refused. Routes are not asked about what is refused, and a page
        sees the same as with a blocker in the browser. Disposed of, it is let through again.

        Raises:
            Error: For a kind or a domain that is none, for a file that cannot be read, and when nothing is named.
        """
        context = cast("BrowserContext", self)
        addresses = [urls_of(context, url) for url in deeds.listed(urls)]
        paths = [Path(file).absolute() for file in deeds.listed(lists)]
        blocked = await self._run(
            _core.block(context._native, list(kinds), list(domains), ads, paths, addresses)
        )
        return Disposable(lambda: self._runtime.run(blocked.remove()), self._runtime)

    def keep_answers(
        self,
        url: str | None = None,
        *,
        kinds: Sequence[RequestKind] = ("xhr", "fetch"),
        most_mb: float = 64,
    ) -> KeptAnswers:
        """Keeps the answers that its pages get from now on, with their bodies, for as long as the result is held.

        Those to `xhr` and `fetch` unless told otherwise, and of addresses that fit `url`, a pattern as for `route`. Of more than
        `most_mb` megabytes the oldest go.

        Raises:
            Error: When the braces of `url` do not match.
        """
        context = cast("BrowserContext", self)
        address = urls_of(context, url) if url else None
        native = _core.keep_answers(context._native, address, list(kinds), int(most_mb * 1_000_000))
        return KeptAnswers(context, native)


def urls_of(context: BrowserContext, url: str) -> str:
    """A pattern for addresses, looked up from where those of a context are."""
    return urls.resolved(context._base_url, url)
