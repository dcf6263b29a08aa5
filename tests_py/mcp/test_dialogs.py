"""What pages ask: alerts, confirms, prompts, and the question before leaving."""

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


@pytest.mark.parametrize(
    ("name", "answer", "result"),
    [
        ("Confirm", {"accept": True}, "Answered true"),
        ("Confirm", {"accept": False}, "Answered false"),
        ("Prompt", {"accept": True, "promptText": "Ada"}, "Answered Ada"),
        ("Prompt", {"accept": False, "promptText": "Ada"}, "Answered null"),
    ],
)
async def test_a_dialog_is_told_and_answered(
    either_workshop: Workshop, site: Site, name: str, answer: dict[str, object], result: str
) -> None:
    page = await either_workshop.open(site.page("dialogs"))
    asked = await either_workshop.do("browser_click", ref=page.ref(f'button "{name}"'))
    assert f"{name.lower()} dialog" in asked.section("Modal state")
    after = await either_workshop.do("browser_handle_dialog", **answer)
    assert result in after.section("Snapshot")


@pytest.mark.parametrize(
    ("answer", "told", "result"),
    [
        ({"accept": True, "promptText": "Ada"}, "will accept next dialog with text 'Ada'", "Answered Ada"),
        ({"accept": False}, "will dismiss next dialog", "Answered null"),
    ],
)
async def test_the_next_dialog_is_answered_as_was_said_before(
    workshop: Workshop, site: Site, answer: dict[str, object], told: str, result: str
) -> None:
    page = await workshop.open(site.page("dialogs"))
    assert told in (await workshop.do("browser_handle_dialog", **answer)).section("Result")
    after = await workshop.do("browser_click", ref=page.ref('button "Prompt"'))
    assert not after.has_section("Modal state")
    assert result in after.section("Snapshot")
    # It was meant for one dialog.
    again = await workshop.do("browser_click", ref=page.ref('button "Prompt"'))
    assert "prompt dialog" in again.section("Modal state")
    await workshop.do("browser_handle_dialog", accept=False)


async def test_while_a_dialog_is_open_its_page_waits_and_others_do_not(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("dialogs"))
    await workshop.do("browser_click", ref=page.ref('button "Alert"'))
    waiting = await workshop.refused("browser_snapshot")
    assert 'A dialog is open: alert "Mind the gap"' in waiting
    assert "browser_handle_dialog" in waiting
    elsewhere = await workshop.do("browser_tabs", action="new", url=site.page("form"))
    assert 'textbox "Name"' in elsewhere.section("Snapshot")
    await workshop.do("browser_tabs", action="select", index=0)
    await workshop.do("browser_handle_dialog", accept=True)


async def test_a_dialog_that_opens_by_and_by_is_told(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("asking"))
    asked = await workshop.do("browser_click", ref=page.ref('button "Ask soon"'))
    assert 'prompt dialog "Your name?"' in asked.section("Modal state").replace("\\", "")
    after = await workshop.do("browser_handle_dialog", accept=True, promptText="Ada")
    assert "Answered Ada" in after.section("Snapshot")


async def test_a_page_that_asks_before_it_is_left_can_be_kept_and_left(
    either_workshop: Workshop, site: Site
) -> None:
    page = await either_workshop.open(site.page("asking"))
    await either_workshop.do("browser_click", ref=page.ref('button "Ask before leaving"'))
    asked = await either_workshop.open(site.page("form"))
    assert "beforeunload dialog" in asked.section("Modal state")
    stays = await either_workshop.do("browser_handle_dialog", accept=False)
    assert site.page("asking") in stays.section("Page")
    await either_workshop.open(site.page("form"))
    leaves = await either_workshop.do("browser_handle_dialog", accept=True)
    assert 'textbox "Name"' in leaves.section("Snapshot")


async def test_a_page_that_asks_without_end_is_cut_off_and_can_be_left(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("asking"))
    reply = await workshop.do("browser_click", ref=page.ref('button "Ask without end"'))
    while "dialogs without end" not in reply.text:  # The test's own limit ends this.
        reply = await workshop.server.call("browser_handle_dialog", accept=True)
    assert 'textbox "Name"' in (await workshop.open(site.page("form"))).section("Snapshot")
