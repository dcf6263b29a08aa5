"""One-shot calls: each opens a page and returns one result. The API of early versions of patchright-mcp."""

from __future__ import annotations

import atexit
import json
import re
from dataclasses import dataclass, field
from typing import Any

from ._core import ToolBrowser

__all__ = ["MAX_CONTENT_LENGTH", "URL_PATTERN", "BrowserResult", "PatchrightBrowser"]

MAX_CONTENT_LENGTH = 500_000
"""The maximum length of a result's content, in characters."""

URL_PATTERN = re.compile(
    r"^https?://(?:[^\s/?#@]+@)?(?:localhost|\[[0-9a-f:.]+\]|[^\s/?#:@]+)(?::\d{1,5})?(?:[/?#]\S*)?$",
    re.IGNORECASE,
)
"""The pattern of a valid web address."""


@dataclass
class BrowserResult:
    """The result of a call of `PatchrightBrowser`."""

    success: bool
    url: str = ""
    title: str = ""
    content: str = ""
    html: str = ""
    screenshot: bytes = b""
    error: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)


class PatchrightBrowser:
    """Opens a page for each call, does one thing there, and closes it.

    The browser starts with the first call and stays until `close`, so cookies last as long as this object;
    with `user_data_dir` they last in that profile.
    """

    def __init__(self, headless: bool = True, timeout: int = 30, user_data_dir: str | None = None) -> None:  # noqa: FBT001, FBT002
        self.headless = headless
        self.timeout = timeout
        self.user_data_dir = user_data_dir
        self._tool_browser: ToolBrowser | None = None

    def fetch(self, url: str, wait_for: str | None = None) -> BrowserResult:
        """Returns text and HTML of a page, once `wait_for` is visible."""
        return self._result(self._browser().fetch(url, wait_for or None), url)

    def screenshot(self, url: str, full_page: bool = False) -> BrowserResult:  # noqa: FBT001, FBT002
        """Returns a PNG screenshot of a page."""
        return self._result(self._browser().screenshot(url, full_page), url)

    def click(self, url: str, selector: str) -> BrowserResult:
        """Clicks the element, and returns the resulting page."""
        return self._result(self._browser().click(url, selector))

    def fill_form(
        self, url: str, fields: dict[str, str], submit_selector: str | None = None
    ) -> BrowserResult:
        """Fills in a form, and returns the resulting page. `fields` maps selectors to values, in order."""
        return self._result(self._browser().fill_form(url, list(fields.items()), submit_selector or None))

    def execute_js(self, url: str, script: str) -> BrowserResult:
        """Returns the value of a script: as JSON in `content`, and as is in `metadata["js_result"]`."""
        result = self._result(self._browser().execute_js(url, script), url)
        if result.success:
            result.metadata["js_result"] = json.loads(result.content)
        return result

    def close(self) -> None:
        """Closes the browser, if it runs. The next call starts another one."""
        browser, self._tool_browser = self._tool_browser, None
        if browser is not None:
            atexit.unregister(browser.close)
            browser.close()

    def _browser(self) -> ToolBrowser:
        if self._tool_browser is None:
            self._tool_browser = ToolBrowser(self.headless, self.timeout, self.user_data_dir)
            atexit.register(self._tool_browser.close)
        return self._tool_browser

    @staticmethod
    def _result(
        outcome: tuple[str, str, str, str, bytes, str | None, str | None], asked: str | None = None
    ) -> BrowserResult:
        """Converts the engine's result. `asked`: the requested URL, to report instead of the final one."""
        url, title, text, html, picture, value, error = outcome
        if error is not None:
            return BrowserResult(success=False, url=asked or "", error=error)
        content = _truncate_content(text) if value is None else value
        metadata = {} if asked in (None, url) else {"final_url": url}
        return BrowserResult(
            success=True,
            url=asked or url,
            title=title,
            content=content,
            html=_truncate_content(html),
            screenshot=picture,
            metadata=metadata,
        )


def _validate_url(url: str) -> bool:
    return bool(URL_PATTERN.match(url))


def _truncate_content(content: str, max_length: int = MAX_CONTENT_LENGTH) -> str:
    return content if len(content) <= max_length else content[:max_length] + "\n\n... [内容已截断]"
