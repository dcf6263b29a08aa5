"""Assertions that wait: `expect(locator).to_have_text(...)`."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING, Any, overload
from urllib.parse import urljoin

from .. import _actions as actions
from .. import _expected as expectations
from .. import _urls as urls
from .._actions import milliseconds
from .._arguments import ChecksArguments
from ..errors import Error
from .api_request import APIResponse
from .locator import Locator
from .page import Page

if TYPE_CHECKING:
    from .._typed import AriaRole

_soft_errors: list[AssertionError] | None = None

_UNSET: Any = object()

_LOOK_MS = 1000.0
"""The time limit for the page's snapshot in the error of a failed assertion."""
_MOST_LINES = 200
"""The maximum number of lines of that snapshot."""


class _Assertions(ChecksArguments):
    """The base of assertions: a subject, a timeout, and whether it is negated."""

    def __init__(self, timeout: float | None, *, is_not: bool, message: str | None, soft: bool) -> None:
        self._timeout = timeout
        self._is_not = is_not
        self._message = message
        self._soft = soft

    def _limit(self, timeout: float | timedelta | None) -> float:
        if timeout is not None:
            return milliseconds(timeout)
        return 5000.0 if self._timeout is None else self._timeout

    def _judge(
        self,
        passed: bool,
        message: str,
        wanted: Any,
        received: Any,
        log: list[str],
        problem: str = "",
        page: str = "",
    ) -> None:
        __tracebackhide__ = True
        if passed:
            return
        if self._is_not:
            message = message.replace("expected to", "expected not to")
        if self._message:
            reported = self._message + ("" if wanted is None else f"\nExpected value: '{wanted}'")
        else:
            reported = message if wanted is None else f"{message} '{wanted}'"
        lines = [f"    - {line.strip()}" if line.startswith(" ") else f"  - {line}" for line in log]
        called = "\nCall log:\n" + "\n".join(lines) if lines else ""
        why = f"\n{problem}" if problem else ""
        seen = f"\nAria snapshot:\n{page}\n" if page else ""
        error = AssertionError(f"{reported}\nActual value: {received}{why} {called}{seen}")
        self._fail(error)

    def _expect_aria(
        self, subject: str, locator: Locator, expected: str, timeout: float | timedelta | None
    ) -> None:
        """Waits until the accessibility tree of an element matches a template."""
        __tracebackhide__ = True
        limit = self._limit(timeout)
        name = "not_to_match_aria_snapshot" if self._is_not else "to_match_aria_snapshot"
        log = [f'Expect "{name}" with timeout {limit:g}ms', *locator._log()]
        frame = locator._frame
        looking = frame._native.expect_aria(locator._selector, expected, self._is_not, limit)
        matches, received = locator._run(looking, limit, log)
        passed = matches != self._is_not
        self._judge(passed, f"{subject} expected to match Aria snapshot", expected, received, log)

    def _fail(self, error: AssertionError) -> None:
        __tracebackhide__ = True
        if self._soft:
            if _soft_errors is None:
                raise RuntimeError(
                    "expect.soft(...) requires a plugin of the test runner that collects what it finds, "
                    "such as pytest-playwright>=0.7.3"
                )
            _soft_errors.append(error)
            return
        raise error


class LocatorAssertions(_Assertions):
    """Assertions about elements. Each retries until it holds. Default timeout: 5 s."""

    def __init__(
        self,
        locator: Locator,
        timeout: float | None = None,
        *,
        is_not: bool = False,
        message: str | None = None,
        soft: bool = False,
    ) -> None:
        super().__init__(timeout, is_not=is_not, message=message, soft=soft)
        self._locator = locator

    @property
    def _not(self) -> LocatorAssertions:
        return LocatorAssertions(
            self._locator, self._timeout, is_not=not self._is_not, message=self._message, soft=self._soft
        )

    def _expect(
        self,
        what: str,
        message: str,
        timeout: float | timedelta | None,
        wanted: Any = None,
        given: dict[str, Any] | None = None,
        title: str = "",
    ) -> None:
        __tracebackhide__ = True
        limit = self._limit(timeout)
        locator = self._locator
        name = f"not_{title}" if self._is_not else title
        log = [f'Expect "{name}" with timeout {limit:g}ms', *locator._log()]
        frame = locator._frame
        problem, is_plain = "", True
        try:
            looking = frame._native.expect(locator._selector, what, given or {}, self._is_not, limit)
            matches, received, missing = locator._run(looking, limit, log)
        except Error as error:
            if error._code not in ("not_unique", "wrong_element", "frame_detached"):
                raise
            matches, received, missing = self._is_not, None, False
            is_plain = error._code != "not_unique"
            problem = error.message.partition("\nCall log:")[0]
        if missing and matches == self._is_not:
            received = (
                None if what not in ("visible", "hidden", "attached", "detached", "inViewport") else received
            )
            problem = problem or "Error: element(s) not found"
        passed = matches != self._is_not
        page = self._look(log, received) if is_plain and not passed else ""
        self._judge(passed, message, wanted, received, log, problem, page)

    def _look(self, log: list[str], received: Any) -> str:
        """Adds the element that was found to the log, and returns the page's snapshot for the error."""
        frame = self._locator._frame
        with suppress(Error):
            found = frame.query_selector(self._locator._selector, strict=False)
            if found is not None:
                log.append(f"  locator resolved to {str(found).removeprefix('JSHandle@')}")
                if received is not None:
                    log.append(f'  unexpected value "{received}"')
            snapshot = actions.action("aria_snapshot")
            seen = found._perform(snapshot, _LOOK_MS) if found else ""
            lines = (seen or frame._perform("body", snapshot, False, _LOOK_MS)).splitlines()
            return "\n".join(lines[:_MOST_LINES] + ["..."] * (len(lines) > _MOST_LINES))
        return ""

    def to_be_attached(
        self, *, attached: bool | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """Expects that the element is attached to the document.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        wanted = attached is not False
        self._expect(
            "attached" if wanted else "detached",
            f"Locator expected to be {'attached' if wanted else 'detached'}",
            timeout,
            title="to_be_attached",
        )

    def not_to_be_attached(
        self, *, attached: bool | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """The opposite of `to_be_attached`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_be_attached(attached=attached, timeout=timeout)

    def to_be_editable(
        self, *, editable: bool | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """Expects that the element is editable.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        wanted = editable is not False
        self._expect(
            "editable" if wanted else "readonly",
            f"Locator expected to be {'editable' if wanted else 'readonly'}",
            timeout,
            title="to_be_editable",
        )

    def not_to_be_editable(
        self, *, editable: bool | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """The opposite of `to_be_editable`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_be_editable(editable=editable, timeout=timeout)

    def to_be_enabled(self, *, enabled: bool | None = None, timeout: float | timedelta | None = None) -> None:
        """Expects that the element is enabled.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        wanted = enabled is not False
        self._expect(
            "enabled" if wanted else "disabled",
            f"Locator expected to be {'enabled' if wanted else 'disabled'}",
            timeout,
            title="to_be_enabled",
        )

    def not_to_be_enabled(
        self, *, enabled: bool | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """The opposite of `to_be_enabled`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_be_enabled(enabled=enabled, timeout=timeout)

    def to_be_visible(self, *, visible: bool | None = None, timeout: float | timedelta | None = None) -> None:
        """Expects that the element is visible.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        wanted = visible is not False
        self._expect(
            "visible" if wanted else "hidden",
            f"Locator expected to be {'visible' if wanted else 'hidden'}",
            timeout,
            title="to_be_visible",
        )

    def not_to_be_visible(
        self, *, visible: bool | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """The opposite of `to_be_visible`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_be_visible(visible=visible, timeout=timeout)

    def to_be_disabled(self, *, timeout: float | timedelta | None = None) -> None:
        """Expects that the element is disabled.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._expect("disabled", "Locator expected to be disabled", timeout, title="to_be_disabled")

    def not_to_be_disabled(self, *, timeout: float | timedelta | None = None) -> None:
        """The opposite of `to_be_disabled`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_be_disabled(timeout=timeout)

    def to_be_empty(self, *, timeout: float | timedelta | None = None) -> None:
        """Expects that the element or field is empty.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._expect("empty", "Locator expected to be empty", timeout, title="to_be_empty")

    def not_to_be_empty(self, *, timeout: float | timedelta | None = None) -> None:
        """The opposite of `to_be_empty`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_be_empty(timeout=timeout)

    def to_be_focused(self, *, timeout: float | timedelta | None = None) -> None:
        """Expects that the element has the focus.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._expect("focused", "Locator expected to be focused", timeout, title="to_be_focused")

    def not_to_be_focused(self, *, timeout: float | timedelta | None = None) -> None:
        """The opposite of `to_be_focused`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_be_focused(timeout=timeout)

    def to_be_hidden(self, *, timeout: float | timedelta | None = None) -> None:
        """Expects that the element is missing or hidden.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._expect("hidden", "Locator expected to be hidden", timeout, title="to_be_hidden")

    def not_to_be_hidden(self, *, timeout: float | timedelta | None = None) -> None:
        """The opposite of `to_be_hidden`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_be_hidden(timeout=timeout)

    def to_be_checked(
        self,
        *,
        timeout: float | timedelta | None = None,
        checked: bool | None = None,
        indeterminate: bool | None = None,
    ) -> None:
        """Expects that a checkbox or a radio button is checked.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        if indeterminate and checked is not None:
            raise AssertionError("Can't assert indeterminate and checked at the same time")
        state = "indeterminate" if indeterminate else "unchecked" if checked is False else "checked"
        given = {"checked": checked is not False, "indeterminate": bool(indeterminate)}
        self._expect("checked", f"Locator expected to be {state}", timeout, None, given, "to_be_checked")

    def not_to_be_checked(
        self,
        *,
        timeout: float | timedelta | None = None,
        checked: bool | None = None,
        indeterminate: bool | None = None,
    ) -> None:
        """The opposite of `to_be_checked`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_be_checked(timeout=timeout, checked=checked, indeterminate=indeterminate)

    def to_be_in_viewport(
        self, *, ratio: float | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """Expects that the element is in the viewport: with any part of it, or at least with the area `ratio`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._expect(
            "inViewport",
            "Locator expected to be in viewport",
            timeout,
            None,
            {"ratio": ratio or 0.0},
            "to_be_in_viewport",
        )

    def not_to_be_in_viewport(
        self, *, ratio: float | None = None, timeout: float | timedelta | None = None
    ) -> None:
        """The opposite of `to_be_in_viewport`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_be_in_viewport(ratio=ratio, timeout=timeout)

    def to_contain_text(
        self,
        expected: Sequence[str]
        | Sequence[re.Pattern[str]]
        | Sequence[str | re.Pattern[str]]
        | re.Pattern[str]
        | str,
        *,
        use_inner_text: bool | None = None,
        timeout: float | timedelta | None = None,
        ignore_case: bool | None = None,
    ) -> None:
        """Expects that the element's text contains `expected`; a list checks one element each.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        how: dict[str, Any] = {
            "part": True,
            "squeeze": True,
            "ignore_case": ignore_case,
            "drawn": use_inner_text,
        }
        if isinstance(expected, Sequence) and not isinstance(expected, str):
            given: dict[str, Any] = {
                "texts": [expectations.expected_text(text, **how) for text in expected],
                "some": True,
            }
            self._expect(
                "texts", "Locator expected to contain text", timeout, expected, given, "to_contain_text"
            )
        else:
            given = expectations.expected_text(expected, **how)
            self._expect(
                "text", "Locator expected to contain text", timeout, expected, given, "to_contain_text"
            )

    def not_to_contain_text(
        self,
        expected: Sequence[str]
        | Sequence[re.Pattern[str]]
        | Sequence[str | re.Pattern[str]]
        | re.Pattern[str]
        | str,
        *,
        use_inner_text: bool | None = None,
        timeout: float | timedelta | None = None,
        ignore_case: bool | None = None,
    ) -> None:
        """The opposite of `to_contain_text`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_contain_text(
            expected, use_inner_text=use_inner_text, timeout=timeout, ignore_case=ignore_case
        )

    def to_have_text(
        self,
        expected: Sequence[str]
        | Sequence[re.Pattern[str]]
        | Sequence[str | re.Pattern[str]]
        | re.Pattern[str]
        | str,
        *,
        use_inner_text: bool | None = None,
        timeout: float | timedelta | None = None,
        ignore_case: bool | None = None,
    ) -> None:
        """Expects that the element's text equals `expected`; a list checks one element each.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        how: dict[str, Any] = {
            "part": False,
            "squeeze": True,
            "ignore_case": ignore_case,
            "drawn": use_inner_text,
        }
        if isinstance(expected, Sequence) and not isinstance(expected, str):
            given: dict[str, Any] = {
                "texts": [expectations.expected_text(text, **how) for text in expected],
                "some": False,
            }
            self._expect("texts", "Locator expected to have text", timeout, expected, given, "to_have_text")
        else:
            given = expectations.expected_text(expected, **how)
            self._expect("text", "Locator expected to have text", timeout, expected, given, "to_have_text")

    def not_to_have_text(
        self,
        expected: Sequence[str]
        | Sequence[re.Pattern[str]]
        | Sequence[str | re.Pattern[str]]
        | re.Pattern[str]
        | str,
        *,
        use_inner_text: bool | None = None,
        timeout: float | timedelta | None = None,
        ignore_case: bool | None = None,
    ) -> None:
        """The opposite of `to_have_text`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_text(
            expected, use_inner_text=use_inner_text, timeout=timeout, ignore_case=ignore_case
        )

    def to_contain_class(
        self, expected: Sequence[str] | str, *, timeout: float | timedelta | None = None
    ) -> None:
        """Expects that the element has all of these classes; a list checks one element each.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        if isinstance(expected, Sequence) and not isinstance(expected, str):
            listed = {"texts": [expectations.expected_text(text) for text in expected]}
            self._expect(
                "classNames",
                "Locator expected to contain class names",
                timeout,
                expected,
                listed,
                "to_contain_class",
            )
        else:
            given = expectations.expected_text(str(expected))
            self._expect(
                "className", "Locator expected to contain class", timeout, expected, given, "to_contain_class"
            )

    def not_to_contain_class(
        self, expected: Sequence[str] | str, *, timeout: float | timedelta | None = None
    ) -> None:
        """The opposite of `to_contain_class`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_contain_class(expected, timeout=timeout)

    def to_have_class(
        self,
        expected: Sequence[str]
        | Sequence[re.Pattern[str]]
        | Sequence[str | re.Pattern[str]]
        | re.Pattern[str]
        | str,
        *,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Expects that the element has exactly these classes; a list checks one element each.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        if isinstance(expected, Sequence) and not isinstance(expected, str):
            listed = {"texts": [expectations.expected_text(text) for text in expected]}
            self._expect(
                "classes", "Locator expected to have class", timeout, expected, listed, "to_have_class"
            )
        else:
            self._expect(
                "class",
                "Locator expected to have class",
                timeout,
                expected,
                expectations.expected_text(expected),
                "to_have_class",
            )

    def not_to_have_class(
        self,
        expected: Sequence[str]
        | Sequence[re.Pattern[str]]
        | Sequence[str | re.Pattern[str]]
        | re.Pattern[str]
        | str,
        *,
        timeout: float | timedelta | None = None,
    ) -> None:
        """The opposite of `to_have_class`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_class(expected, timeout=timeout)

    def to_have_count(self, count: int, *, timeout: float | timedelta | None = None) -> None:
        """Expects that the locator matches exactly `count` elements.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._expect(
            "count", "Locator expected to have count", timeout, count, {"count": count}, "to_have_count"
        )

    def not_to_have_count(self, count: int, *, timeout: float | timedelta | None = None) -> None:
        """The opposite of `to_have_count`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_count(count, timeout=timeout)

    def to_have_attribute(
        self,
        name: str,
        value: str | re.Pattern[str] | None = None,
        *,
        ignore_case: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Expects that an attribute has this value, or without a value, that it exists.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        if value is None:
            message = f"Locator expected to have attribute '{name}'"
            self._expect("hasAttribute", message, timeout, None, {"name": name}, "to_have_attribute")
            return
        given = {**expectations.expected_text(value, ignore_case=ignore_case), "name": name}
        self._expect(
            "attribute",
            "Locator expected to have attribute",
            timeout,
            value,
            given,
            "to_have_attribute",
        )

    def not_to_have_attribute(
        self,
        name: str,
        value: str | re.Pattern[str] | None = None,
        *,
        ignore_case: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """The opposite of `to_have_attribute`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_attribute(name, value, ignore_case=ignore_case, timeout=timeout)

    def to_have_css(
        self,
        name: str,
        value: str | re.Pattern[str],
        *,
        timeout: float | timedelta | None = None,
        pseudo: str | None = None,
    ) -> None:
        """Expects that a computed style has this value.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        given = {
            **expectations.expected_text(value),
            "name": name,
            "pseudo": f"::{pseudo}" if pseudo else None,
        }
        self._expect("css", "Locator expected to have CSS", timeout, value, given, "to_have_css")

    def not_to_have_css(
        self,
        name: str,
        value: str | re.Pattern[str],
        *,
        timeout: float | timedelta | None = None,
        pseudo: str | None = None,
    ) -> None:
        """The opposite of `to_have_css`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_css(name, value, timeout=timeout, pseudo=pseudo)

    def to_have_id(self, id: str | re.Pattern[str], *, timeout: float | timedelta | None = None) -> None:
        """Expects that the element has this id.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._expect(
            "id", "Locator expected to have ID", timeout, id, expectations.expected_text(id), "to_have_id"
        )

    def not_to_have_id(self, id: str | re.Pattern[str], *, timeout: float | timedelta | None = None) -> None:
        """The opposite of `to_have_id`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_id(id, timeout=timeout)

    def to_have_value(
        self, value: str | re.Pattern[str], *, timeout: float | timedelta | None = None
    ) -> None:
        """Expects that the field has this value.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._expect(
            "value",
            "Locator expected to have Value",
            timeout,
            value,
            expectations.expected_text(value),
            "to_have_value",
        )

    def not_to_have_value(
        self, value: str | re.Pattern[str], *, timeout: float | timedelta | None = None
    ) -> None:
        """The opposite of `to_have_value`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_value(value, timeout=timeout)

    def to_have_values(
        self,
        values: Sequence[str] | Sequence[re.Pattern[str]] | Sequence[str | re.Pattern[str]],
        *,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Expects that these options of a `<select>` are selected.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        given = {"texts": [expectations.expected_text(value) for value in values]}
        self._expect("values", "Locator expected to have Values", timeout, values, given, "to_have_values")

    def not_to_have_values(
        self,
        values: Sequence[str] | Sequence[re.Pattern[str]] | Sequence[str | re.Pattern[str]],
        *,
        timeout: float | timedelta | None = None,
    ) -> None:
        """The opposite of `to_have_values`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_values(values, timeout=timeout)

    def to_have_role(self, role: AriaRole, *, timeout: float | timedelta | None = None) -> None:
        """Expects that the element has this role.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        if not isinstance(role, str):
            raise Error('"role" argument in to_have_role must be a string')
        self._expect(
            "role",
            "Locator expected to have accessible role",
            timeout,
            role,
            expectations.expected_text(role),
            "to_have_role",
        )

    def not_to_have_role(self, role: AriaRole, *, timeout: float | timedelta | None = None) -> None:
        """The opposite of `to_have_role`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_role(role, timeout=timeout)

    def to_have_accessible_name(
        self,
        name: str | re.Pattern[str],
        *,
        ignore_case: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Expects that the element has this accessible name.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        given = expectations.expected_text(name, squeeze=True, ignore_case=ignore_case)
        self._expect(
            "name",
            "Locator expected to have accessible name",
            timeout,
            name,
            given,
            "to_have_accessible_name",
        )

    def not_to_have_accessible_name(
        self,
        name: str | re.Pattern[str],
        *,
        ignore_case: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """The opposite of `to_have_accessible_name`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_accessible_name(name, ignore_case=ignore_case, timeout=timeout)

    def to_have_accessible_description(
        self,
        description: str | re.Pattern[str],
        *,
        ignore_case: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Expects that the element has this accessible description.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        given = expectations.expected_text(description, squeeze=True, ignore_case=ignore_case)
        self._expect(
            "description",
            "Locator expected to have accessible description",
            timeout,
            description,
            given,
            "to_have_accessible_description",
        )

    def not_to_have_accessible_description(
        self,
        description: str | re.Pattern[str],
        *,
        ignore_case: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """The opposite of `to_have_accessible_description`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_accessible_description(description, ignore_case=ignore_case, timeout=timeout)

    def to_have_accessible_error_message(
        self,
        error_message: str | re.Pattern[str],
        *,
        ignore_case: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """Expects that the element has this accessible error message.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        given = expectations.expected_text(error_message, squeeze=True, ignore_case=ignore_case)
        self._expect(
            "errorMessage",
            "Locator expected to have accessible error message",
            timeout,
            error_message,
            given,
            "to_have_accessible_error_message",
        )

    def not_to_have_accessible_error_message(
        self,
        error_message: str | re.Pattern[str],
        *,
        ignore_case: bool | None = None,
        timeout: float | timedelta | None = None,
    ) -> None:
        """The opposite of `to_have_accessible_error_message`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_accessible_error_message(error_message, ignore_case=ignore_case, timeout=timeout)

    def to_have_js_property(self, name: str, value: Any, *, timeout: float | timedelta | None = None) -> None:
        """Expects that a property of the element, in the page's own world, has this value.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        limit = self._limit(timeout)
        locator = self._locator
        matches, received = locator._run(
            locator._frame._native.expect_property(locator._selector, name, value, self._is_not, limit),
            limit,
            locator._log(),
        )
        passed = matches != self._is_not
        log = [
            f'Expect "to_have_js_property" with timeout {limit:g}ms',
            *self._locator._log(),
        ]
        self._judge(passed, "Locator expected to have JS Property", value, received, log)

    def not_to_have_js_property(
        self, name: str, value: Any, *, timeout: float | timedelta | None = None
    ) -> None:
        """The opposite of `to_have_js_property`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_js_property(name, value, timeout=timeout)

    def to_match_aria_snapshot(self, expected: str, *, timeout: float | timedelta | None = None) -> None:
        """Expects that the accessibility tree matches an ARIA snapshot template.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._expect_aria("Locator", self._locator, expected, timeout)

    def not_to_match_aria_snapshot(self, expected: str, *, timeout: float | timedelta | None = None) -> None:
        """The opposite of `to_match_aria_snapshot`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_match_aria_snapshot(expected, timeout=timeout)


class PageAssertions(_Assertions):
    """Assertions about a page. Each retries until it holds. Default timeout: 5 s."""

    def __init__(
        self,
        page: Page,
        timeout: float | None = None,
        *,
        is_not: bool = False,
        message: str | None = None,
        soft: bool = False,
    ) -> None:
        super().__init__(timeout, is_not=is_not, message=message, soft=soft)
        self._page = page

    @property
    def _not(self) -> PageAssertions:
        return PageAssertions(
            self._page, self._timeout, is_not=not self._is_not, message=self._message, soft=self._soft
        )

    def to_have_title(
        self, title_or_reg_exp: str | re.Pattern[str], *, timeout: float | timedelta | None = None
    ) -> None:
        """Expects that the page has this title.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        limit = self._limit(timeout)
        frame = self._page._main_frame
        given = expectations.expected_text(title_or_reg_exp, squeeze=True)
        matches, received = frame._run(frame._native.expect_title(given, self._is_not, limit), limit)
        self._judge(
            matches != self._is_not,
            "Page title expected to be",
            title_or_reg_exp,
            received,
            self._log("to_have_title", limit),
        )

    def _log(self, title: str, limit: float) -> list[str]:
        return [f'Expect "{"not_" * self._is_not}{title}" with timeout {limit:g}ms']

    def not_to_have_title(
        self, title_or_reg_exp: str | re.Pattern[str], *, timeout: float | timedelta | None = None
    ) -> None:
        """The opposite of `to_have_title`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_title(title_or_reg_exp, timeout=timeout)

    def to_have_url(
        self,
        url_or_reg_exp: str | re.Pattern[str] | Callable[[str], bool],
        *,
        timeout: float | timedelta | None = None,
        ignore_case: bool | None = None,
    ) -> None:
        """Expects that the page's URL matches.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        base = self._page.context._base_url
        wanted: Any = url_or_reg_exp
        if isinstance(wanted, str) and base:
            wanted = urljoin(base, wanted)
        if ignore_case and isinstance(wanted, re.Pattern):
            wanted = re.compile(wanted.pattern, wanted.flags | re.IGNORECASE)

        def matches_url(url: str) -> bool:
            if ignore_case and isinstance(wanted, str):
                return urls.matches(None, url.lower(), wanted.lower())
            return urls.matches(None, url, wanted)

        limit = self._limit(timeout)
        end = time.monotonic() + limit / 1000
        frame = self._page._main_frame
        received = frame.url
        while not (passed := matches_url(received) != self._is_not) and time.monotonic() < end:
            left = max((end - time.monotonic()) * 1000, 1.0)
            received = frame._run(frame._native.wait_for_url_change(received, left))
        self._judge(
            passed, "Page URL expected to be", url_or_reg_exp, received, self._log("to_have_url", limit)
        )

    def not_to_have_url(
        self,
        url_or_reg_exp: str | re.Pattern[str] | Callable[[str], bool],
        *,
        timeout: float | timedelta | None = None,
        ignore_case: bool | None = None,
    ) -> None:
        """The opposite of `to_have_url`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_have_url(url_or_reg_exp, timeout=timeout, ignore_case=ignore_case)

    def to_match_aria_snapshot(self, expected: str, *, timeout: float | timedelta | None = None) -> None:
        """Expects that the accessibility tree matches an ARIA snapshot template.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._expect_aria("Page", self._page.locator("body"), expected, timeout)

    def not_to_match_aria_snapshot(self, expected: str, *, timeout: float | timedelta | None = None) -> None:
        """The opposite of `to_match_aria_snapshot`.

        Raises:
            AssertionError: If the expectation does not hold within `timeout` milliseconds. Default: 5 s.
        """
        __tracebackhide__ = True
        self._not.to_match_aria_snapshot(expected, timeout=timeout)


class APIResponseAssertions(_Assertions):
    """Assertions about an API response."""

    def __init__(
        self,
        response: APIResponse,
        timeout: float | None = None,
        *,
        is_not: bool = False,
        message: str | None = None,
        soft: bool = False,
    ) -> None:
        super().__init__(timeout, is_not=is_not, message=message, soft=soft)
        self._response = response

    def to_be_ok(self) -> None:
        """Expects a status from 200 to 299."""
        __tracebackhide__ = True
        response = self._response
        if response.ok is not self._is_not:
            return
        expected = "expected not to" if self._is_not else "expected to"
        reported = f"Response status {expected} be within [200..299] range, was '{response.status}'"
        reported = self._message or reported
        reported += f"\nCall log:\n  - → {response._method} {response.url}"
        reported += f"\n  - ← {response.status} {response.status_text}\n"
        kind = response.headers.get("content-type", "")
        if any(word in kind for word in ("text/", "json", "xml", "javascript")):
            text = response.text()
            reported += f"\n Response Text:\n{text[:1000]}"
        self._fail(AssertionError(reported))

    def not_to_be_ok(self) -> None:
        """Expects a status outside 200 to 299."""
        __tracebackhide__ = True
        opposite = APIResponseAssertions(
            self._response, self._timeout, is_not=not self._is_not, message=self._message, soft=self._soft
        )
        opposite.to_be_ok()


class Expect:
    """The type of `expect`, which holds the default timeout."""

    def __init__(self) -> None:
        self._timeout: float | None = None

    def set_options(self, timeout: float | timedelta | None = _UNSET) -> None:
        """Sets the default timeout of assertions, in milliseconds. Initially 5 s; `None` resets it."""
        if timeout is not _UNSET:
            self._timeout = None if timeout is None else milliseconds(timeout)

    @overload
    def __call__(self, actual: Page, message: str | None = None) -> PageAssertions: ...

    @overload
    def __call__(self, actual: Locator, message: str | None = None) -> LocatorAssertions: ...

    @overload
    def __call__(self, actual: APIResponse, message: str | None = None) -> APIResponseAssertions: ...

    def __call__(self, actual: Page | Locator | APIResponse, message: str | None = None) -> Any:
        """Returns the assertions for a page, a locator or an API response."""
        return self._assertions(actual, message, soft=False)

    def soft(self, actual: Any, message: str | None = None) -> Any:
        """Like `expect`, but failures are collected by the test runner instead of raised."""
        return self._assertions(actual, message, soft=True)

    def _assertions(self, actual: Any, message: str | None, *, soft: bool) -> Any:
        if isinstance(actual, Page):
            return PageAssertions(actual, self._timeout, message=message, soft=soft)
        if isinstance(actual, Locator):
            return LocatorAssertions(actual, self._timeout, message=message, soft=soft)
        if isinstance(actual, APIResponse):
            return APIResponseAssertions(actual, self._timeout, message=message, soft=soft)
        raise ValueError(f"Unsupported type: {type(actual)}")


expect: Expect = Expect()
