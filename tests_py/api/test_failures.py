"""The words of the library's errors, which scripts match on, are made of codes and facts, not of messages."""

import re
import warnings
from collections.abc import Awaitable, Callable

import pytest

from patchright_mcp import _failures, errors
from patchright_mcp.async_api import Error, Page, expect

FIELDS = """<title>t</title><input id=name><input type=checkbox id=box><input type=radio id=radio checked>
<input type=date id=day><input type=submit id=send><input type=number id=count><input type=file id=file>
<select id=one><option>a</select>
<p id=text>p</p><p>q</p><button id=off disabled>off</button><input id=fixed readonly>
<i id=hidden hidden>hidden</i>
<div style='position:relative'><b id=under>under</b>
<div id=veil class=dark style='position:absolute;inset:0'></div></div>"""

Failing = Callable[[Page], Awaitable[object]]
CASES: dict[str, tuple[Failing, str]] = {
    "several": (
        lambda page: page.locator("p").click(timeout=5000),
        r"strict mode violation: .* resolved to 2 elements",
    ),
    "covered": (
        lambda page: page.click("#under", timeout=1500),
        r'<div id="veil" class="dark"></div> intercepts pointer events',
    ),
    "disabled": (lambda page: page.click("#off", timeout=1500), "element is not enabled"),
    "hidden": (lambda page: page.click("#hidden", timeout=1500), "element is not visible"),
    "read-only": (lambda page: page.fill("#fixed", "x", timeout=1500), "element is not editable"),
    "no checkbox": (lambda page: page.check("#text", timeout=5000), "Error: Not a checkbox or radio button"),
    "a radio button": (lambda page: page.uncheck("#radio", timeout=5000), "Cannot uncheck radio button"),
    "no select": (
        lambda page: page.select_option("#name", "a", timeout=5000),
        "Element is not a <select> element",
    ),
    "no such option": (
        lambda page: page.select_option("#one", "z", timeout=1500),
        "did not find some options",
    ),
    "no field": (
        lambda page: page.fill("#text", "x", timeout=5000),
        r"Element is not an <input>, <textarea> or",
    ),
    "a button": (
        lambda page: page.fill("#send", "x", timeout=5000),
        'Input of type "submit" cannot be filled',
    ),
    "no date": (lambda page: page.fill("#day", "tomorrow", timeout=5000), "Malformed value"),
    "no number": (
        lambda page: page.fill("#count", "abc", timeout=5000),
        r"Cannot type text into input\[type=number\]",
    ),
    "no value": (
        lambda page: page.input_value("#text", timeout=5000),
        "Node is not an <input>, <textarea> or <select>",
    ),
    "one file": (
        lambda page: page.set_input_files("#file", [__file__, errors.__file__], timeout=5000),
        "Non-multiple file input can only accept single file",
    ),
    "an unknown key": (lambda page: page.keyboard.press("Nope"), 'Unknown key: "Nope"'),
    "an unknown engine": (
        lambda page: page.query_selector("foo=bar"),
        'Unknown engine "foo" while parsing selector foo=bar',
    ),
    "a misspelt selector": (
        lambda page: page.query_selector("div]"),
        'Unexpected token ".*" while parsing css selector',
    ),
    "a script": (lambda page: page.evaluate("() => { throw new TypeError('no') }"), "TypeError: no"),
    "nobody there": (lambda page: page.goto("http://127.0.0.1:1/"), r"net::ERR_\w+ at http://127.0.0.1:1/"),
    "no frame": (lambda page: page.frame_locator("#text").locator("b").click(timeout=5000), "<iframe>"),
    "an expectation of a checkbox": (
        lambda page: expect(page.locator("#text")).to_be_checked(timeout=1500),
        "Not a checkbox or radio button",
    ),
    "an expectation of one": (
        lambda page: expect(page.locator("p")).to_have_text("p", timeout=1500),
        "strict mode violation",
    ),
}


@pytest.fixture(params=["the engine's messages", "other messages"])
def messages(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every message of the engine as it is, and then as another sentence."""
    if request.param == "other messages":
        made = errors.BrowserError.__init__

        def reworded(self: errors.BrowserError, code: str, message: str, *rest: object) -> None:
            made(self, code, re.sub(r"\w", "x", message), *rest)  # type: ignore[arg-type]

        monkeypatch.setattr(errors.BrowserError, "__init__", reworded)


@pytest.mark.parametrize("name", CASES)
@pytest.mark.usefixtures("messages")
async def test_the_words_of_an_error_do_not_hang_on_the_engines_sentences(page: Page, name: str) -> None:
    failing, words = CASES[name]
    await page.set_content(FIELDS)
    with pytest.raises((Error, AssertionError), match=words) as reported:
        await failing(page)
    assert "xxxx" not in str(reported.value)


async def test_a_script_that_names_what_only_the_page_has_learns_the_ways_out(page: Page) -> None:
    await page.set_content("<script>var mine = 5;</script>")
    with pytest.raises(Error, match=r"mine is not defined[\s\S]*isolated_context=False"):
        await page.evaluate("mine + 1")
    with pytest.raises(Error, match="nobodys is not defined") as raised:
        await page.evaluate("nobodys + 1", isolated_context=False)
    assert "isolated" not in str(raised.value)


async def test_a_variable_that_only_the_page_has_is_warned_about_once(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_failures, "_warned", [])
    await page.set_content("<script>var mine = 5;</script>")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for script in ("window.opener", "() => { window.other = 1 }", "() => { window.focus() }"):
            assert await page.evaluate(script) is None
        assert await page.evaluate("window.mine", isolated_context=False) == 5
        for _ in range(2):
            assert await page.evaluate("() => window.mine") is None
    (warning,) = caught
    said = "Page.evaluate: window.mine is undefined. The script runs in an isolated world"
    assert said in str(warning.message)
    assert warning.filename == __file__


async def test_an_expectation_in_a_frame_that_is_gone_fails_as_one(page: Page) -> None:
    await page.set_content("<iframe srcdoc='<p>text'></iframe>")
    frame = page.frames[1]
    await page.evaluate("document.querySelector('iframe').remove()")
    with pytest.raises(AssertionError, match="Frame was detached"):
        await expect(frame.locator("p")).to_have_text("text", timeout=300)
