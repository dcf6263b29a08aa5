"""Typing."""

import json

import pytest

from tests_py.support.client import Reply, Server
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


async def fill(server: Server, page: Reply, field: str, text: str, **more: object) -> Reply:
    """Types into a field, which must work."""
    reply = await server.call("browser_type", target=page.ref(field), text=text, **more)
    assert not reply.is_error, reply.text
    return reply


async def value(server: Server, selector: str) -> str:
    """What a field holds."""
    shown = await server.evaluate(f"() => JSON.stringify(document.querySelector({selector!r}).value)")
    held: str = json.loads(shown)
    return held


async def log(server: Server) -> list[str]:
    """The events that the page wrote down."""
    text = await server.evaluate(
        "() => [...document.querySelectorAll('li')].map((item) => item.textContent).join('\\n')"
    )
    return text.splitlines()


@pytest.mark.parametrize("slowly", [False, True])
@pytest.mark.parametrize("text", ["Ada", "naïve café", "日本語", "👩‍🔬", 'a"b\\c', "two  spaces "])
async def test_the_field_holds_what_was_typed(server: Server, site: Site, text: str, slowly: bool) -> None:  # noqa: FBT001
    page = await server.open(site.page("form"))
    await fill(server, page, 'textbox "Name"', text, slowly=slowly)
    assert await value(server, "[name=name]") == text


async def test_typing_replaces_what_was_there(server: Server, site: Site) -> None:
    page = await server.open(site.page("form"))
    await fill(server, page, 'textbox "Name"', "the first")
    await fill(server, page, 'textbox "Name"', "second")
    assert await value(server, "[name=name]") == "second"


async def test_typing_nothing_empties_the_field(server: Server, site: Site) -> None:
    page = await server.open(site.page("form"))
    await fill(server, page, 'textbox "Name"', "something")
    await fill(server, page, 'textbox "Name"', "")
    assert await value(server, "[name=name]") == ""


async def test_slow_typing_presses_real_keys(server: Server, site: Site) -> None:
    page = await server.open(site.page("typing"))
    await fill(server, page, 'textbox "Text"', "a1", slowly=True)
    assert (await log(server))[:6] == [
        "keydown a KeyA trusted=true",
        "input a trusted=true",
        "keyup a KeyA trusted=true",
        "keydown 1 Digit1 trusted=true",
        "input a1 trusted=true",
        "keyup 1 Digit1 trusted=true",
    ]


async def test_the_page_hears_of_what_was_typed(server: Server, site: Site) -> None:
    page = await server.open(site.page("typing"))
    await fill(server, page, 'textbox "Text"', "quick")
    assert any(line.startswith("input quick") for line in await log(server))


async def test_submit_presses_enter(server: Server, site: Site) -> None:
    page = await server.open(site.page("form"))
    after = await fill(server, page, 'textbox "Name"', "Ada", submit=True)
    assert "Registered" in after.section("Snapshot")
    assert "Ada" in after.section("Snapshot")


async def test_lines_stay_lines_in_a_text_area(server: Server, site: Site) -> None:
    page = await server.open(site.page("form"))
    await fill(server, page, 'textbox "About you"', "one\ntwo")
    assert await value(server, "[name=about]") == "one\ntwo"


async def test_rich_text_is_replaced(server: Server, site: Site) -> None:
    page = await server.open(site.page("typing"))
    await fill(server, page, 'textbox "Rich text"', "new")
    assert await server.evaluate("() => document.querySelector('[contenteditable]').textContent") == "new"


async def test_a_read_only_field_is_refused(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("typing"))
    reply = await workshop.server.call("browser_type", target=page.ref('textbox "Read only"'), text="x")
    assert reply.is_error
    assert "read-only" in reply.section("Error")


async def test_what_is_no_field_is_refused(server: Server, site: Site) -> None:
    page = await server.open(site.page("typing"))
    reply = await server.call("browser_type", target=page.ref('button "Not a field"'), text="x")
    assert reply.is_error


async def test_a_password_is_typed_and_not_shown(server: Server, site: Site) -> None:
    page = await server.open(site.page("form"))
    await fill(server, page, 'textbox "Password"', "open sesame")
    assert await value(server, "[name=password]") == "open sesame"
    assert "open sesame" not in (await server.snapshot()).text
