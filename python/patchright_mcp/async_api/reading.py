"""Features for scraping beyond Playwright's: blocking requests, and keeping responses."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from .. import _actions as actions
from .. import _core
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
    """A response to a page, with its body."""

    def __init__(self, request: Request, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        self.request: Request = request
        """The request that was answered."""
        self.url: str = request.url
        """The URL of the request."""
        self.status: int = status
        """The HTTP status, for example 200."""
        self.headers: dict[str, str] = {name.lower(): value for name, value in headers}
        """The headers, by lower-case name."""
        self.body: bytes = body
        """The body, decompressed, as the page received it."""

    def __repr__(self) -> str:
        return f"<KeptAnswer {self.status} {self.url!r} {len(self.body)} bytes>"

    def text(self) -> str:
        """Returns the body as text."""
        return self.body.decode("utf-8", errors="replace")

    def json(self) -> Any:
        """Returns the body parsed as JSON.

        Raises:
            ValueError: If it is not JSON.
        """
        return json.loads(self.body)


class KeptAnswers(ApiObject):
    """The responses that were stored since the call of `BrowserContext.keep_answers`."""

    def __init__(self, context: BrowserContext, native: _core.KeptAnswers) -> None:
        super().__init__(context._connection)
        self._context = context
        self._native = native

    async def find(self, text: str | None = None, *, url: str | None = None) -> list[KeptAnswer]:
        """Returns the responses whose body contains `text` (ignoring case) and whose URL matches, oldest first.

        Default: all responses. Waits until those that have arrived are stored.
        """
        address = urls.resolve_glob(self._context._base_url, url) if url else None
        found = await self._run(self._native.find(address, text))
        request_of = self._context._traffic.request_of
        return [
            KeptAnswer(request_of(request), status, headers, body) for request, status, headers, body in found
        ]

    def clear(self) -> None:
        """Discards the stored responses."""
        self._native.clear()


@dataclass(frozen=True)
class CrawlReport:
    """What the folder of a crawl contains, earlier runs included."""

    pages: int
    """The number of pages that were written."""
    duplicates: int
    """The number of URLs whose page is that of another URL."""
    failed: int
    """The number of URLs that failed in this run. The next run tries them again."""
    resumed: int
    """The number of pages and duplicates of earlier runs."""
    waiting: int
    """The number of URLs that were found and not visited yet."""
    skipped: dict[str, int]
    """The number of URLs that were skipped, by reason, such as `robots` or `calendar`."""
    stopped: Literal["max_pages", "time_limit"] | None
    """The limit at which the crawl stopped; `None` if nothing is left."""
    index: Path
    """The index: a line of JSON for each page, duplicate and failure."""


class ContextReading(ApiObject):
    """The scraping features of a context."""

    async def block(
        self,
        *,
        kinds: Sequence[RequestKind] = (),
        ads: bool = False,
        domains: Sequence[str] = (),
        lists: str | Path | Sequence[str | Path] = (),
        urls: str | Sequence[str] = (),
    ) -> Disposable:
        """Blocks requests of all pages by kind, domain or URL, without calling the script.

        `kinds` are as in `Request.resource_type`; `ads` are common advertising and tracking servers; `domains` include
        their subdomains; `lists` are files of domains, in hosts or Adblock format; `urls` are patterns as for `route`.
        The main document of a tab is never blocked. Routes are not called for blocked requests. Pages see the same as
        with an ad blocker. Disposing of the result ends the blocking.

        Raises:
            Error: If a kind or domain is invalid, a file is unreadable, or nothing is given.
        """
        context = cast("BrowserContext", self)
        context._settings_changed = True
        addresses = [resolve_url_pattern(context, url) for url in actions.as_list(urls)]
        paths = [Path(file).absolute() for file in actions.as_list(lists)]
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
        """Stores the responses to the context's pages, with their bodies, for as long as the result is referenced.

        `kinds` are as in `Request.resource_type`. Default: `xhr` and `fetch`. `url` is a pattern as for `route`. Above
        `most_mb` megabytes, the oldest responses are dropped.

        Raises:
            Error: If the braces of `url` do not match.
        """
        context = cast("BrowserContext", self)
        address = resolve_url_pattern(context, url) if url else None
        native = _core.keep_answers(context._native, address, list(kinds), int(most_mb * 1_000_000))
        return KeptAnswers(context, native)

    async def crawl(
        self,
        url: str,
        folder: str | Path,
        *,
        max_depth: int | None = None,
        max_pages: int = 100,
        include: str | Sequence[str] = (),
        exclude: str | Sequence[str] = (),
        time_limit_s: float = 3600,
        concurrency: int = 4,
        respect_robots: bool = True,
    ) -> CrawlReport:
        """Crawls a site: writes each page as Markdown to a folder, and an index of them (`index.jsonl`).

        The crawl starts from a page or a sitemap and stays on its host. The same call continues a crawl that was
        interrupted or reached a limit, and tries failed pages again.

        Args:
            url: A page, or a sitemap (`.xml`, `.xml.gz`).
            folder: A new or empty folder, or that of an earlier run.
            max_depth: How many links a page may be away from the start. Default: unlimited.
            max_pages: The most pages in the folder, with duplicates and failures.
            include: Patterns as for `route` of the URLs to open besides the start. Default: all of the host.
            exclude: Patterns of the URLs not to open.
            time_limit_s: The time limit in seconds.
            concurrency: The number of tabs, from 1 to 16.
            respect_robots: Whether robots.txt (with `Crawl-delay`), `noindex` and `nofollow` are obeyed, for the user
                agent `patchright-mcp`.

        Raises:
            Error: If the folder contains something else or another crawl, or the start cannot be opened.
        """
        context = cast("BrowserContext", self)
        arguments = {
            "url": context._resolved(url),
            "folder": str(folder),
            "max_depth": max_depth,
            "max_pages": max_pages,
            "include": [resolve_url_pattern(context, pattern) for pattern in actions.as_list(include)],
            "exclude": [resolve_url_pattern(context, pattern) for pattern in actions.as_list(exclude)],
            "time_limit_s": time_limit_s,
            "concurrency": concurrency,
            "respect_robots": respect_robots,
            "page_limit_ms": context._timeout(context._default_navigation_timeout),
        }
        report = await self._run(_core.crawl(context._native, arguments, context._pacing))
        return CrawlReport(**{**report, "index": Path(report["index"])})


def resolve_url_pattern(context: BrowserContext, url: str) -> str:
    """Resolves a URL pattern against the base URL of a context."""
    return urls.resolve_glob(context._base_url, url)
