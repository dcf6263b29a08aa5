"""Clicks: what they reach, what keeps them away, and what they cause."""

import pytest

from tests_py.support.client import Reply, Server
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


async def output(server: Server) -> str:
    """What the page says happened."""
    return await server.evaluate("() => document.querySelector('output').textContent")


async def log(server: Server) -> list[str]:
    """The events that the page wrote down."""
    text = await server.evaluate(
        "() => [...document.querySelectorAll('li')].map((item) => item.textContent).join('\\n')"
    )
    return text.splitlines()


async def refused(server: Server, ref: str) -> Reply:
    """Clicks what cannot be clicked."""
    reply = await server.call("browser_click", target=ref)
    assert reply.is_error, reply.text
    return reply


class TestReaching:
    async def test_a_click_is_what_a_person_s_would_be(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("clicks"))
        await server.click(reply.ref('button "Target"'))
        assert await log(server) == [
            "mousedown button=0 count=1 held=none trusted=true",
            "mouseup button=0 count=1 held=none trusted=true",
            "click button=0 count=1 held=none trusted=true",
        ]

    async def test_a_double_click_is_two_and_then_a_double(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("clicks"))
        await server.click(reply.ref('button "Target"'), doubleClick=True)
        assert [line.split()[0] for line in await log(server)] == [
            *("mousedown", "mouseup", "click"),
            *("mousedown", "mouseup", "click"),
            "dblclick",
        ]

    @pytest.mark.parametrize(("button", "number"), [("right", 2), ("middle", 1)])
    async def test_other_buttons_arrive_as_themselves(
        self, server: Server, site: Site, button: str, number: int
    ) -> None:
        reply = await server.open(site.page("clicks"))
        await server.click(reply.ref('button "Target"'), button=button)
        events = await log(server)
        assert events[0].startswith(f"mousedown button={number}")
        assert any(event.startswith("contextmenu") for event in events) == (button == "right")

    async def test_keys_are_held_during_the_click_and_let_go_after_it(
        self, server: Server, site: Site
    ) -> None:
        reply = await server.open(site.page("clicks"))
        target = reply.ref('button "Target"')
        await server.click(target, modifiers=["Control", "Shift"])
        await server.click(target)
        clicks = [line for line in await log(server) if line.startswith("click")]
        assert ["held=ctrl+shift" in clicks[0], "held=none" in clicks[1]] == [True, True]

    async def test_what_is_far_below_is_scrolled_into_view_first(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("obstacles"))
        await server.click(reply.ref('button "Far below"'))
        assert await output(server) == "Clicked Far below"

    async def test_ref_is_another_name_of_target(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("clicks"))
        clicked = await server.call("browser_click", ref=reply.ref('button "Target"'), element="the button")
        assert not clicked.is_error
        assert await log(server)

    async def test_a_bare_number_will_do_where_it_is_unambiguous(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("clicks"))
        await server.click("e" + reply.ref('button "Target"').rpartition("e")[2])
        assert await log(server)


class TestObstacles:
    async def test_the_error_names_what_covers_the_button(self, workshop: Workshop, site: Site) -> None:
        server = workshop.server
        reply = await server.open(site.page("obstacles"))
        refusal = await refused(server, reply.ref('button "Covered"'))
        assert "covered by <div.cookie>" in refusal.section("Error")
        assert await output(server) == ""

    async def test_what_lies_over_the_page_is_reported_where_only_its_shade_is_in_the_way(
        self, workshop: Workshop, site: Site
    ) -> None:
        shaded = """<button>Below</button><button>Open</button><button>Close</button>
          <div style="position: fixed; inset: 0; background: #0008"></div>
          <div><div style="position: fixed; top: 40%; left: 40%"><h2>Reports?</h2>
          <button>Yes</button><button>No</button></div></div>"""
        reply = await workshop.server.open(site.publish("/shaded", shaded))
        refusal = await refused(workshop.server, reply.ref('button "Below"'))
        yes, no = reply.ref('button "Yes"'), reply.ref('button "No"')
        entry = f'Over the page lies "Reports?", with button "Yes" [ref={yes}], button "No" [ref={no}].'
        assert entry in refusal.section("Events")

    async def test_nothing_lies_over_a_page_without_a_shade(self, workshop: Workshop, site: Site) -> None:
        reply = await workshop.server.open(site.page("obstacles"))
        refusal = await refused(workshop.server, reply.ref('button "Covered"'))
        assert "Over the page" not in refusal.text

    async def test_the_click_works_once_the_cover_is_gone(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("obstacles"))
        await server.click(reply.ref('button "Accept cookies"'))
        await server.click(reply.ref('button "Covered"'))
        assert await output(server) == "Clicked Covered"

    @pytest.mark.long
    @pytest.mark.parametrize(
        ("name", "reason"),
        [("Disabled", "disabled"), ("Moving", "moving"), ("Outside", "outside the viewport")],
    )
    async def test_the_error_says_what_was_in_the_way(
        self, workshop: Workshop, site: Site, name: str, reason: str
    ) -> None:
        server = workshop.server
        reply = await server.open(site.page("obstacles"))
        refusal = await refused(server, reply.ref(f'button "{name}"'))
        assert reason in refusal.section("Error")
        assert await output(server) == ""

    async def test_a_button_that_comes_to_rest_is_clicked(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("obstacles"))
        await server.evaluate(
            "() => { const moving = document.querySelectorAll('.moving')[1];"
            " setTimeout(() => moving.classList.remove('moving'), 500); }"
        )
        await server.click(reply.ref('button "Will stop"'))
        assert await output(server) == "Clicked Will stop"

    async def test_a_button_that_is_enabled_in_time_is_clicked(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("obstacles"))
        await server.evaluate(
            "() => { setTimeout(() => { document.getElementById('late').disabled = false; }, 300); }"
        )
        await server.click(reply.ref('button "Late"'))
        assert await output(server) == "Clicked Late"

    async def test_a_ref_whose_element_is_gone_never_hits_its_neighbour(
        self, server: Server, site: Site
    ) -> None:
        reply = await server.open(site.page("obstacles"))
        await server.click(reply.ref('button "Remove"'))
        refusal = await refused(server, reply.ref('button "Removed"'))
        assert "no longer on the page" in refusal.section("Error")
        assert "snapshot" in refusal.section("Error")
        assert await output(server) == "Clicked Remove"

    async def test_a_ref_of_the_page_before_is_no_longer_good(self, server: Server, site: Site) -> None:
        before = await server.open(site.page("obstacles"))
        await server.open(site.page("clicks"))
        assert "snapshot" in (await refused(server, before.ref('button "Covered"'))).section("Error")
        assert await log(server) == []

    @pytest.mark.parametrize("ref", ["", "e", "the button", "c0p0f0", "c0p0f0e99999", "c9p9f9e9"])
    async def test_what_is_no_ref_of_the_page_is_refused(self, server: Server, site: Site, ref: str) -> None:
        await server.open(site.page("clicks"))
        await refused(server, ref)


class TestConsequences:
    async def test_the_answer_shows_what_changed_and_not_the_whole_page(
        self, server: Server, site: Site
    ) -> None:
        reply = await server.open(site.page("consequences"))
        after = await server.click(reply.ref('button "Change at once"'))
        assert "Changed at once" in after.section("Snapshot")
        assert "To the form" not in after.section("Snapshot")

    async def test_a_fetch_begun_later_is_still_waited_for(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("consequences"))
        after = await server.click(reply.ref('button "Fetch soon"'))
        assert "late answer" in after.section("Snapshot")

    async def test_a_link_is_answered_on_the_page_it_leads_to(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("consequences"))
        after = await server.click(reply.ref('link "To the form, here"'))
        assert site.page("form") in after.section("Page")
        assert 'textbox "Name"' in after.section("Snapshot")

    async def test_a_navigation_begun_later_is_still_waited_for(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("consequences"))
        after = await server.click(reply.ref('button "Leave soon"'))
        assert site.page("form") in after.section("Page")
        assert 'textbox "Name"' in after.section("Snapshot")

    @pytest.mark.parametrize("what", ['button "Open a window"', 'link "To the form, elsewhere"'])
    async def test_a_new_tab_is_reported(self, server: Server, site: Site, what: str) -> None:
        reply = await server.open(site.page("consequences"))
        after = await server.click(reply.ref(what))
        assert site.page("form") in after.text
        assert site.page("consequences") in after.section("Open tabs")

    @pytest.mark.parametrize("name", ["To nothing", "To a file", "To here"])
    async def test_a_link_that_leads_nowhere_does_not_hang(
        self, server: Server, site: Site, name: str
    ) -> None:
        reply = await server.open(site.page("consequences"))
        after = await server.click(reply.ref(f'link "{name}"'))
        assert not after.is_error
        assert site.page("consequences") in await server.evaluate("() => location.href")

    async def test_where_the_page_stands_is_reported_when_it_is_new(self, server: Server, site: Site) -> None:
        reply = await server.open(site.page("consequences"))
        stays = await server.click(reply.ref('button "Fetch soon"'))
        assert not stays.has_section("Page")
        assert site.page("consequences") in (await server.snapshot()).section("Page")
        leaves = await server.click(reply.ref('link "To the form, here"'))
        assert site.page("form") in leaves.section("Page")

    async def test_a_dialog_that_opens_ends_the_call_and_is_reported(
        self, server: Server, site: Site
    ) -> None:
        reply = await server.open(site.page("dialogs"))
        after = await server.call("browser_click", target=reply.ref('button "Alert"'))
        assert "Mind the gap" in after.text

    @pytest.mark.long
    async def test_a_click_that_spins_for_ever_ends_and_the_page_can_be_left(
        self, server: Server, site: Site
    ) -> None:
        reply = await server.open(site.page("consequences"))
        await server.call("browser_click", target=reply.ref('button "Spin for ever"'))
        assert not (await server.call("browser_close")).is_error
        assert 'textbox "Name"' in (await server.open(site.page("form"))).text


async def test_a_finger_touches_what_it_taps(workshop: Workshop, site: Site) -> None:
    page = """<button>Touch me</button><output></output><script>
    const told = [];
    for (const kind of ["touchstart", "touchend", "click"]) {
      document.querySelector("button").addEventListener(kind, (event) => {
        told.push(`${kind} ${event.isTrusted}`);
        document.querySelector("output").textContent = told.join();
      });
    }</script>"""
    shown = await workshop.open(site.publish("/touched", page))
    events = await workshop.do("browser_click", ref=shown.ref("Touch me"), tap=True)
    assert "Tapped button" in events.section("Result")
    assert await workshop.output() == "touchstart true,touchend true,click true"
    wrong = await workshop.refused("browser_click", ref="button", tap=True, doubleClick=True)
    assert "`tap` goes with neither" in wrong
