"""Answers show the page as it is when it has come to rest, and tell what changed in few words."""

import pytest

from tests_py.support.client import Reply
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop


async def click(workshop: Workshop, opened: Reply, button: str) -> Reply:
    """Clicks a button of the page that was opened."""
    return await workshop.do("browser_click", ref=opened.ref(f'button "{button}"'))


async def struck(workshop: Workshop) -> None:
    """Waits until the clock of the page has struck once more."""

    async def last() -> str:
        answer = (await workshop.do("browser_console_messages")).text.splitlines()
        return [line for line in answer if "It struck" in line][-1]

    before = await last()
    while await last() == before:
        pass


WRITTEN = """<button>Ask</button><button>Pour</button><p id=answer></p><script>
const [ask, pour] = document.querySelectorAll("button");
const write = (words, pause) => {
  const timer = setInterval(() => {
    answer.append(words.shift() + " ");
    if (!words.length) clearInterval(timer);
  }, pause);
};
ask.onclick = () => {
  answer.innerHTML = "<i aria-busy=true>Thinking…</i>";
  const words = "The answer is forty two and that is all".split(" ");
  setTimeout(() => { answer.innerHTML = ""; write(words, 70); }, 700);
};
pour.onclick = () => { answer.innerHTML = ""; write(Array(1000).fill("word"), 30); };
</script>"""


class TestWriting:
    async def test_an_answer_that_comes_word_by_word_is_waited_for(
        self, workshop: Workshop, site: Site
    ) -> None:
        page = await workshop.open(site.publish("/rest/written", document("Written", WRITTEN)))
        asked = await click(workshop, page, "Ask")
        assert "The answer is forty two and that is all" in asked.section("Snapshot")

    async def test_one_that_does_not_end_is_said_to_go_on(self, workshop: Workshop, site: Site) -> None:
        page = await workshop.open(site.publish("/rest/written", document("Written", WRITTEN)))
        poured = await click(workshop, page, "Pour")
        assert "a text that is still being written" in poured.section("Events")


class TestBuilding:
    @pytest.mark.parametrize("kind", ["empty", "loading", "busy", "feeds", "steps", "last", "spent"])
    async def test_a_page_that_scripts_build_is_shown_when_it_is_built(
        self, workshop: Workshop, site: Site, kind: str
    ) -> None:
        reply = await workshop.open(f"{site.page('building')}?{kind}")
        assert 'button "New report"' in reply.section("Snapshot")
        assert "still loading" not in reply.text

    async def test_what_does_not_end_is_reported(self, workshop: Workshop, site: Site) -> None:
        reply = await workshop.open(f"{site.page('building')}?never")
        assert "The page is still loading: “Loading…”." in reply.section("Events")

    async def test_a_page_that_only_shows_a_spinner_is_said_to_load(
        self, workshop: Workshop, site: Site
    ) -> None:
        reply = await workshop.open(f"{site.page('building')}?splash")
        assert "The page is still loading: nothing to see yet." in reply.section("Events")
        shown = await workshop.do("browser_snapshot")
        assert "There is nothing to see." in shown.section("Result")
        assert "The page is still loading: nothing to see yet." in shown.section("Events")

    async def test_a_page_that_shows_nothing_yet_is_waited_for(self, workshop: Workshop, site: Site) -> None:
        await workshop.do("browser_navigate", url=f"{site.page('building')}?splash", waitUntil="commit")
        script = "() => { setTimeout(() => { root.innerHTML = '<button>New report</button>'; }, 600); }"
        await workshop.do("browser_evaluate", function=script)
        shown = await workshop.do("browser_snapshot")
        assert 'button "New report"' in shown.section("Snapshot")

    async def test_a_page_whose_main_part_is_empty_is_waited_for(
        self, workshop: Workshop, site: Site
    ) -> None:
        hollow = (
            "<button>File</button><p>Ready.<main style='height: 500px'><div></div></main><script>{}</script>"
        )
        fill = "document.querySelector('main').innerHTML = '<button>Notebook</button>'"
        filled = f"setTimeout(() => {{ {fill}; }}, 600);"
        reply = await workshop.open(site.publish("/rest/filled", document("Filled", hollow.format(filled))))
        assert 'button "Notebook"' in reply.section("Snapshot")
        reply = await workshop.open(site.publish("/rest/hollow", document("Hollow", hollow.format(""))))
        assert 'button "File"' in reply.section("Snapshot")
        assert "still loading" not in reply.text

    async def test_a_page_that_polls_is_not_said_to_load(self, workshop: Workshop, site: Site) -> None:
        reply = await workshop.open(f"{site.page('building')}?polls")
        assert 'button "New report"' in reply.section("Snapshot")
        assert "nothing to see" not in reply.text

    async def test_a_click_that_leads_to_such_a_page_waits_as_well(
        self, workshop: Workshop, site: Site
    ) -> None:
        await workshop.open(site.page("form"))
        there = f"{site.page('building')}?loading"
        moved = await workshop.do("browser_evaluate", function=f"() => {{ location.href = '{there}'; }}")
        assert 'button "New report"' in moved.section("Snapshot")

    async def test_a_part_that_says_that_it_is_busy_is_waited_for(
        self, workshop: Workshop, site: Site
    ) -> None:
        opened = await workshop.open(site.page("resting"))
        assert "The work is done" in (await click(workshop, opened, "Work")).section("Snapshot")


class TestWhatComesAndGoes:
    async def test_suggestions_that_come_late_are_in_the_answer(self, workshop: Workshop, site: Site) -> None:
        opened = await workshop.open(site.page("resting"))
        typed = await workshop.do("browser_type", ref=opened.ref('combobox "City"'), text="Par")
        assert 'option "Paris"' in typed.section("Snapshot")

    async def test_a_toast_that_went_again_is_reported(self, workshop: Workshop, site: Site) -> None:
        opened = await workshop.open(site.page("resting"))
        answer = await click(workshop, opened, "Show a toast")
        assert "Copied to the clipboard" in answer.text

    async def test_what_is_announced_comes_first(self, workshop: Workshop, site: Site) -> None:
        opened = await workshop.open(site.page("resting"))
        answer = (await click(workshop, opened, "Publish")).section("Snapshot")
        assert "The page was published." in answer.splitlines()[1]

    async def test_what_is_closing_is_reported_as_closed(self, workshop: Workshop, site: Site) -> None:
        opened = await workshop.open(site.page("resting"))
        answer = (await click(workshop, opened, "Close the panel")).section("Snapshot")
        assert [line for line in answer.splitlines() if line.startswith("-") and "Panel" in line], answer

    @pytest.mark.parametrize("kind", ["Worker", "SharedWorker"])
    async def test_the_script_of_a_worker_is_not_waited_for_once_it_runs(
        self, workshop: Workshop, site: Site, kind: str
    ) -> None:
        site.publish("/worker.js", "self.postMessage?.(1)", kind="text/javascript")
        body = (
            f"""<button onclick="worker = new {kind}('/worker.js'); textContent = 'Begun'">Begin</button>"""
        )
        opened = await workshop.open(site.publish("/workers", document("Workers", body)))
        answer = await click(workshop, opened, "Begin")
        assert "still loading" not in answer.text
        listed = await workshop.do("browser_network_requests", includeStatic=True)
        assert "/worker.js" in listed.text
        assert "pending" not in listed.text


class TestMenus:
    @pytest.mark.parametrize("by", ["a click", "its address"])
    async def test_menus_that_stay_are_not_reported_again(
        self, workshop: Workshop, site: Site, by: str
    ) -> None:
        opened = await workshop.open(f"{site.page('chapters')}?1")
        assert 'link "Evening"' in opened.section("Snapshot")
        if by == "a click":
            there = await workshop.do("browser_click", ref=opened.ref('link "Breakfast"'))
        else:
            there = await workshop.open(f"{site.page('chapters')}?2")
        reported = there.section("Snapshot")
        assert 'heading "Chapter 2"' in reported
        assert 'button "Mark 2"' in reported
        assert 'link "Next"' in reported
        assert "[as before: 7 elements]" in reported
        assert 'link "Evening"' not in reported
        assert 'link "Evening"' in (await workshop.do("browser_snapshot")).section("Snapshot")
        menu = await workshop.do("browser_snapshot", ref=there.ref('navigation "Chapters"'))
        assert 'link "Evening"' in menu.section("Snapshot")

    async def test_who_uses_a_ref_of_the_page_before_is_shown_its_successor(
        self, workshop: Workshop, site: Site
    ) -> None:
        opened = await workshop.open(f"{site.page('chapters')}?1")
        evening = opened.ref('link "Evening"')
        for chapter in ("Breakfast", "Descent"):
            page = await workshop.do("browser_snapshot")
            await workshop.do("browser_click", ref=page.ref(f'link "{chapter}"'))
        said = await workshop.refused("browser_click", ref=evening)
        now = (await workshop.do("browser_snapshot")).ref('link "Evening"')
        assert f"[ref={now}]" in said


class TestTelling:
    async def test_a_clock_is_reported_once_and_a_count_each_time(
        self, workshop: Workshop, site: Site
    ) -> None:
        opened = await workshop.open(site.page("resting") + "?clock")
        first = await click(workshop, opened, "Pressed 0 times")
        assert "o'clock" in first.section("Snapshot")
        for count in (2, 3):
            await struck(workshop)
            answer = await workshop.do("browser_click", ref=opened.ref('button "Pressed 0 times"'))
            assert f"Pressed {count} times" in answer.section("Snapshot")
            assert "o'clock" not in answer.section("Snapshot")

    async def test_a_dialog_covers_the_page_and_uncovers_it(self, workshop: Workshop, site: Site) -> None:
        opened = await workshop.open(site.page("resting"))
        asked = await click(workshop, opened, "Ask")
        reported = asked.section("Snapshot")
        assert "(This covers the page, " in reported
        assert "It cannot be undone." in reported
        assert not [line for line in reported.splitlines() if line.startswith("-")]
        done = (await click(workshop, asked, "Yes")).section("Snapshot")
        assert "(What covered the page is closed.)" in done
        assert "Undone" in done
        assert len([line for line in done.splitlines() if line.startswith("+")]) == 1, done

    async def test_a_new_order_is_reported_with_its_place(self, workshop: Workshop, site: Site) -> None:
        await workshop.open(site.page("resting"))
        script = "() => { list.append(list.children[1]); }"
        answer = (await workshop.do("browser_evaluate", function=script)).section("Snapshot")
        assert '[moved: 4th, after "Four"]' in answer

    async def test_a_shape_that_moved_is_reported_with_its_place(
        self, workshop: Workshop, site: Site
    ) -> None:
        opened = await workshop.open(site.page("resting"))
        first = await click(workshop, opened, "Push the square")
        assert 'Moved: img "Blue square"' in first.section("Events")
        again = await click(workshop, opened, "Push the square")
        assert "Moved" not in again.text

    async def test_a_script_that_changes_nothing_is_reported_alone(
        self, workshop: Workshop, site: Site
    ) -> None:
        await workshop.open(site.page("resting"))
        answer = await workshop.do("browser_evaluate", function="() => document.title")
        assert answer.section("Result") == "What comes, goes and moves"
        assert "Snapshot" not in answer.text

    async def test_a_failure_tells_what_changed_meanwhile(self, workshop: Workshop, site: Site) -> None:
        opened = await workshop.open(site.page("resting"))
        script = "() => { nothing.disabled = true; setTimeout(() => { rows.textContent = 'News'; }, 500); }"
        await workshop.do("browser_evaluate", function=script)
        failed = await workshop.server.call("browser_click", ref=opened.ref('button "Nothing"'))
        assert failed.is_error
        assert "News" in failed.section("Snapshot")
