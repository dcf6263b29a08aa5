"""Running JavaScript in the page."""

import pytest

from tests_py.support import client
from tests_py.support.client import Server
from tests_py.support.site import Site


@pytest.mark.parametrize(
    ("function", "result"),
    [
        ("() => 6 * 7", "42"),
        ("() => 'words'", "words"),
        ("() => null", "null"),
        ("() => false", "false"),
        ("() => 0", "0"),
        ("async () => { await null; return 'later'; }", "later"),
        ("() => document.title", "A form"),
        ("document.title", "A form"),
    ],
)
async def test_the_result_is_shown(server: Server, site: Site, function: str, result: str) -> None:
    await server.open(site.page("form"))
    assert await server.evaluate(function) == result


async def test_an_object_is_shown_as_json(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    shown = await server.evaluate("() => ({ name: 'Ada', years: [1815, 1852] })")
    assert "".join(shown.split()) == '{"name":"Ada","years":[1815,1852]}'


async def test_variables_of_the_page_are_within_reach(server: Server, site: Site) -> None:
    await server.open(site.page("dialogs"))
    assert await server.evaluate("() => typeof say") == "function"


async def test_a_function_can_be_given_an_element(server: Server, site: Site) -> None:
    page = await server.open(site.page("form"))
    reply = await server.call(
        "browser_evaluate", function="(element) => element.name", target=page.ref('textbox "Name"')
    )
    assert reply.section("Result") == "name"


@pytest.mark.parametrize(
    ("function", "place"),
    [
        ("() => {", "end of input (line 1, column 8)"),
        ("() => {\n  const pair = [1, 2;\n}", "(line 2, column 21)"),
        ("document.title +", "(line 1, column 17)"),
    ],
)
async def test_a_syntax_error_tells_where_it_is(
    server: Server, site: Site, function: str, place: str
) -> None:
    await server.open(site.page("form"))
    shown = (await server.call("browser_evaluate", function=function)).section("Error")
    assert "SyntaxError" in shown
    # Firefox names a place in its own code, which is of no use.
    assert (place in shown) == ("(line" in shown) == (client.BROWSER == "chromium")


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("() => { throw new TypeError('no such luck') }", "no such luck"),
        ("async () => { throw new Error('later') }", "later"),
        ("() => nothing.there", "nothing is not defined"),
        ("() => {", "SyntaxError"),
    ],
)
async def test_what_goes_wrong_is_reported(server: Server, site: Site, function: str, words: str) -> None:
    await server.open(site.page("form"))
    reply = await server.call("browser_evaluate", function=function)
    assert reply.is_error
    assert words in reply.section("Error")


async def test_a_promise_that_never_settles_ends_with_the_document(server: Server, site: Site) -> None:
    await server.open(site.page("form"))
    leave = "setTimeout(() => { location.href = 'dialogs.html' }, 50)"
    function = f"() => {{ {leave}; return new Promise(() => {{}}) }}"
    reply = await server.call("browser_evaluate", function=function)
    assert reply.is_error
