"""Several actions in one call."""

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


async def test_steps_are_done_in_order_and_the_page_is_shown_once(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("form"))
    steps = [
        {"tool": "browser_type", "arguments": {"ref": page.ref('textbox "Name"'), "text": "Ada"}},
        {"tool": "browser_click", "arguments": {"target": page.ref('checkbox "Send me news"')}},
        {"tool": "browser_click", "arguments": {"ref": page.ref('button "Register"')}},
    ]
    reply = await workshop.do("browser_steps", steps=steps)
    said = reply.section("Result").splitlines()
    assert said == [
        '1. Typed into textbox "Name", which shows "Ada"',
        '2. Clicked checkbox "Send me news"',
        '3. Clicked button "Register"',
    ]
    assert 'Registered {\\"name\\":\\"Ada\\"' in reply.section("Snapshot")
    assert reply.text.count("### Snapshot") == 1


async def test_the_first_step_that_fails_is_the_last(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("dialogs"))
    steps = [
        {"tool": "browser_click", "arguments": {"ref": page.ref('button "Confirm"')}},
        {"tool": "browser_handle_dialog", "arguments": {"accept": True}},
        {"tool": "browser_click", "arguments": {"ref": "e99999"}},
        {"tool": "browser_click", "arguments": {"ref": page.ref('button "Alert"')}},
    ]
    reply = await workshop.server.call("browser_steps", steps=steps)
    assert reply.is_error
    assert "no snapshot has shown it" in reply.section("Error")
    assert "Step 3 of 4 (browser_click) failed; the rest was not done." in reply.section("Result")
    assert await workshop.output() == "Answered true"
    assert not (await workshop.server.snapshot()).has_section("Modal state")


async def test_a_step_that_fails_on_a_new_page_shows_that_page(workshop: Workshop, site: Site) -> None:
    steps = [
        {"tool": "browser_navigate", "arguments": {"url": site.page("form")}},
        {"tool": "browser_click", "arguments": {"ref": "#nothing"}},
    ]
    reply = await workshop.server.call("browser_steps", steps=steps)
    assert reply.is_error
    assert 'textbox "Name"' in reply.section("Snapshot")


async def test_a_search_among_the_steps_does_not_stand_for_the_page(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("form"))
    name = page.ref('textbox "Name"')
    steps: list[dict[str, object]] = [
        {"tool": "browser_find", "arguments": {"text": "Country", "around": 0}},
        {"tool": "browser_snapshot", "arguments": {}},
        {"tool": "browser_type", "arguments": {"ref": name, "text": "Ada", "submit": True}},
        {"tool": "browser_find", "arguments": {"text": "Registered", "around": 0}},
    ]
    reply = await workshop.do("browser_steps", steps=steps)
    first, typed, found = (
        reply.section("Result").index(text) for text in ("Country", "3. Typed", "Registered")
    )
    assert first < typed < found
    reported = reply.section("Snapshot")
    assert "Registered {" in reported
    assert "Country" not in reported


async def test_what_is_wrong_with_any_step_is_reported_before_the_first(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.page("consequences"))
    steps: list[dict[str, object]] = [
        {"tool": "browser_evaluate", "arguments": {"function": "() => say('done')"}},
        {"tool": "browser_clikc", "arguments": {"ref": "e1"}},
        {"tool": "browser_type", "arguments": {"ref": "e1"}},
        {"tool": "browser_steps", "arguments": {"steps": []}},
        {"tool": "create_session"},
        {"tool": "browser_click", "arguments": {"ref": "e1", "sessionId": "x"}},
    ]
    said = await workshop.refused("browser_steps", steps=steps)
    assert "did you mean browser_click?" in said
    assert "steps[2]: `text` is missing" in said
    assert "`steps[3].tool` must be another browser_ tool" in said
    assert "`steps[4].tool` must be another browser_ tool" in said
    assert "`steps[5].arguments.sessionId` must be next to `steps`" in said
    assert await workshop.output() == ""
