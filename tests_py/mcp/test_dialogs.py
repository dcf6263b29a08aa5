"""What pages ask: alerts, confirms, prompts, and the question before leaving."""

import re

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


@pytest.mark.parametrize(
    ("name", "answer", "result"),
    [
        ("Confirm", {"accept": True}, "Answered true"),
        ("Confirm", {"accept": False}, "Answered false"),
        ("Prompt", {"accept": True, "promptText": "Ada"}, "Answered Ada"),
        ("Prompt", {"accept": True}, "Answered nobody"),
        ("Prompt", {"accept": True, "promptText": ""}, "Answered\n"),
        ("Prompt", {"accept": False, "promptText": "Ada"}, "Answered null"),
    ],
)
async def test_a_dialog_is_reported_and_answered(
    either_workshop: Workshop, site: Site, name: str, answer: dict[str, object], result: str
) -> None:
    page = await either_workshop.open(site.page("dialogs"))
    asked = await either_workshop.do("browser_click", ref=page.ref(f'button "{name}"'))
    assert f"{name.lower()} dialog" in asked.section("Modal state")
    assert ('that holds "nobody"' in asked.section("Modal state")) == (name == "Prompt")
    after = await either_workshop.do("browser_handle_dialog", **answer)
    assert result in after.section("Snapshot")


@pytest.mark.parametrize(
    ("answer", "expected", "result"),
    [
        (
            {"accept": True, "promptText": "Ada"},
            ("will accept next dialog with text 'Ada'", 'accepted with "Ada"'),
            "Answered Ada",
        ),
        ({"accept": True}, ("will accept next dialog", 'accepted with "nobody"'), "Answered nobody"),
        ({"accept": False}, ("will dismiss next dialog", "dismissed"), "Answered null"),
    ],
)
async def test_the_next_dialog_is_answered_as_was_said_before(
    workshop: Workshop, site: Site, answer: dict[str, object], expected: tuple[str, str], result: str
) -> None:
    page = await workshop.open(site.page("dialogs"))
    before, done = expected
    assert before in (await workshop.do("browser_handle_dialog", **answer)).section("Result")
    after = await workshop.do("browser_click", ref=page.ref('button "Prompt"'))
    assert not after.has_section("Modal state")
    assert result in after.section("Snapshot")
    assert f'The prompt dialog "Your name?" was {done}, as set before.' in after.section("Events")
    # It was meant for one dialog.
    again = await workshop.do("browser_click", ref=page.ref('button "Prompt"'))
    assert "prompt dialog" in again.section("Modal state")
    assert "as set before" not in again.text
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


async def test_a_dialog_that_opens_by_and_by_is_reported(workshop: Workshop, site: Site) -> None:
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
    assert "beforeunload dialog (accept leaves the page, dismiss stays)" in asked.section("Modal state")
    stays = await either_workshop.do("browser_handle_dialog", accept=False)
    assert site.page("asking") in stays.section("Page")
    await either_workshop.open(site.page("form"))
    leaves = await either_workshop.do("browser_handle_dialog", accept=True)
    assert 'textbox "Name"' in leaves.section("Snapshot")


@pytest.mark.long
async def test_a_page_that_asks_without_end_is_cut_off_and_can_be_left(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("asking"))
    reply = await workshop.do("browser_click", ref=page.ref('button "Ask without end"'))
    while "dialogs without end" not in reply.text:  # The test's own limit ends this.
        reply = await workshop.server.call("browser_handle_dialog", accept=True)
    assert 'textbox "Name"' in (await workshop.open(site.page("form"))).section("Snapshot")


async def test_an_answer_given_before_to_the_question_before_leaving_is_reported(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("asking"))
    await workshop.do("browser_click", ref=page.ref('button "Ask before leaving"'))
    await workshop.do("browser_handle_dialog", accept=True)
    left = await workshop.open(site.page("form"))
    assert "The beforeunload dialog" in left.section("Events")
    assert "was accepted, as set before." in left.section("Events")
    assert 'textbox "Name"' in left.section("Snapshot")


ASKS_WHEN_REPLACED = """<!doctype html><title>First</title><h1>First</h1><script>
function ask(path) {
  const request = new XMLHttpRequest();
  request.open("GET", path, false);
  request.send();
  return request.responseText;
}
// Let go of the next document, and be busy while it arrives.
const turn = () => {
  if (ask("/asked/hold/next") !== "true") return setTimeout(turn, 20);
  ask("/release");
  ask("/delay?ms=200");
  confirm("Are you still there?");
};
turn();
</script>"""


@pytest.mark.parametrize("said", [{}, {"accept": False}, {"accept": True}], ids=["later", "no", "yes"])
async def test_a_dialog_that_opens_while_the_next_document_takes_over_does_not_keep_it_out(
    workshop: Workshop, site: Site, said: dict[str, bool]
) -> None:
    await workshop.open(site.publish("/first", ASKS_WHEN_REPLACED))
    if said:
        await workshop.do("browser_handle_dialog", **said)
    reply = await workshop.do("browser_navigate", url=site.url("/hold/next"))
    if not said:
        assert 'confirm dialog "Are you still there?"' in reply.section("Modal state").replace("\\", "")
        reply = await workshop.do("browser_handle_dialog", accept=True)
        assert "Dismissed the confirm" in reply.section("Result")
        assert "could not be accepted" in reply.section("Events")
    else:
        assert "was dismissed, as set before." in reply.section("Events")
    assert "Released at last" in (await workshop.do("browser_snapshot")).section("Snapshot")
    assert not (await workshop.open(site.page("form"))).is_error


@pytest.mark.long
async def test_a_dialog_in_a_window_the_page_opened_is_reported_where_the_page_waits_for_it(
    workshop: Workshop, site: Site
) -> None:
    site.publish(
        "/asks",
        "<title>Asks</title><output></output><script>"
        "document.querySelector('output').textContent = `Let in: ${confirm('Let it in?')}`</script>",
    )
    opener = "<button onclick=\"window.open('/asks')\">Open</button>"
    page = await workshop.open(site.publish("/opens", opener))
    clicked = await workshop.do("browser_click", ref=page.ref('button "Open"'))
    reported = re.search(
        r'confirm dialog "Let it in\?" in tab (t\d+): answer it with browser_handle_dialog and tab \1',
        clicked.section("Modal state"),
    )
    assert reported, clicked.text
    tab = reported[1]
    listed = await workshop.do("browser_tabs", action="list")
    assert [line for line in listed.text.splitlines() if "[dialog open]" in line and f"[tab={tab}]" in line]
    waiting = await workshop.server.call("browser_snapshot")
    assert waiting.is_error
    assert "A dialog in another tab blocks this page" in waiting.text
    assert f"in tab {tab}" in waiting.section("Modal state")
    assert "without end" not in clicked.text + waiting.text
    assert f"the dialog is open in tab {tab}" in await workshop.refused("browser_handle_dialog", accept=True)
    answered = await workshop.do("browser_handle_dialog", accept=True, tab=tab)
    assert "Let in: true" in answered.text
    assert 'button "Open"' in (await workshop.do("browser_snapshot")).text


async def test_a_dialog_in_a_tab_of_another_site_keeps_no_other_tab_waiting(
    workshop: Workshop, site: Site
) -> None:
    page = await workshop.open(site.page("dialogs"))
    await workshop.do("browser_click", ref=page.ref('button "Confirm"'))
    elsewhere = site.page("form").replace(site.origin, site.other_origin)
    other = await workshop.do("browser_tabs", action="new", url=elsewhere)
    assert 'textbox "Name"' in other.section("Snapshot")
    shown = await workshop.do("browser_snapshot")
    assert 'textbox "Name"' in shown.text
    assert 'confirm dialog "Are you sure?" in tab' in shown.section("Modal state")
    assert "blocks this page" not in shown.text
    await workshop.do("browser_tabs", action="select", index=0)
    await workshop.do("browser_handle_dialog", accept=False)
