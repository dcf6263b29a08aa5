"""The same wish through every door: what is done or refused, with which code, and what the page has of it.

Doors may differ in wording only. The library looks as Playwright does: in one frame, and at what is hidden.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial

import pytest

from tests_py.doors.conftest import DONE, Door, Doors
from tests_py.support import client
from tests_py.support.site import Site, document
from tests_py.support.wire import until

PRESSES = 5
AT_ONCE = 4
LIBRARY = {"program", "run", "async", "sync"}
GO_AND = '<button onclick="did(\'go\')" onmousedown="{}">Go</button>'
GO = "<button onclick=\"did('go')\">Go</button>"
DID = """<script>
// At once, and before anything else happens.
const did = (what) => {
  const told = new XMLHttpRequest();
  told.open("GET", `/did/${what}/${location.pathname.split("/")[2]}`, false);
  told.send();
};
</script>"""
LEAVE = "location.href = 'AWAY'; for (const end = Date.now() + 2000; Date.now() < end;);"
"""The script keeps the page from handling input until the document from another site has replaced it."""
VEIL = 'style="position:fixed;inset:0;z-index:9;background:#0003"'


@dataclass(frozen=True)
class Case:
    """A page, and what comes of a wish there."""

    body: str
    outcome: str = DONE
    selector: str = "button"
    value: str = ""
    library: str | None = None
    """What the library answers, where that is something else."""
    did: str | None = "go"
    """What the page has of it."""
    library_did: str | None = "same"
    is_busy: bool = False
    """Whether the page keeps its process busy. In Firefox, all pages of a site share one."""


BLOCKED, ABSENT, SEVERAL, UNREAD, NO_OPTION, MANY_OPTIONS = (
    "not_actionable", "absent", "several", "unread", "no_such_option", "several_options",
)  # fmt: skip

IN_WORDS = {
    # What is not there is one thing for who may write a ref, and another for who writes selectors.
    ABSENT: {"*": "unknown_ref", "patchright": "element_not_found", "session": "ELEMENT_NOT_FOUND"}
    | dict.fromkeys(LIBRARY, "element_not_found"),
    UNREAD: {"*": "unknown_ref", "patchright": "invalid_selector", "session": "INVALID_PARAMETERS"}
    | dict.fromkeys(LIBRARY, "invalid_selector"),
    SEVERAL: {"*": "several_match"} | dict.fromkeys(LIBRARY, "not_unique"),
}
# A form says of each field what is wrong with it, and has one code for all.
FORMS = {"form", "claude"}
SESSIONS = {"click": "ELEMENT_NOT_CLICKABLE", "fill": "ELEMENT_NOT_EDITABLE"}

CLICKS = {
    "a button": Case(GO),
    "covered": Case(f"{GO}<div {VEIL}></div>", BLOCKED, did=None),
    "overlaid as it is pressed": Case(
        f"""{GO}<script>document.querySelector("button").onmousedown = () => {{
          document.body.insertAdjacentHTML("beforeend", `<div {VEIL}></div>`);
        }};</script>""",
        BLOCKED,
        did=None,
    ),
    "replaced as it is pressed": Case(
        f"""{GO}<script>addEventListener("mousedown", () => {{
          const button = document.querySelector("button");
          button.replaceWith(button.cloneNode(true));
        }});</script>""",
        BLOCKED,
        did=None,
    ),
    "taken out as it is pressed": Case(GO_AND.format("this.remove()"), BLOCKED, did=None),
    "moved away as it is pressed": Case(GO_AND.format("this.style.marginLeft = '300px'"), BLOCKED, did=None),
    "moved away by a busy page": Case(
        GO_AND.format("this.style.marginLeft = '300px'")
        + "<script>const calm = Date.now() + 20000; setInterval(() => {"
        + " for (const end = Date.now() + 400; Date.now() < Math.min(end, calm);); }, 450)</script>",
        BLOCKED,
        did=None,
        is_busy=True,
    ),
    "disabled as it is pressed": Case(GO_AND.format("this.disabled = true"), BLOCKED, did=None),
    "never still": Case(
        """<style>@keyframes go { to { transform: translateX(40px) } }
          button { animation: go 1s infinite alternate linear }</style>"""
        + GO
    ),
    "two that match": Case(GO + GO, SEVERAL, did=None),
    "two that match, one of them hidden": Case(
        f"<div hidden>{GO}</div>{GO}", library=SEVERAL, library_did=None
    ),
    "disabled": Case(GO.replace("<button", "<button disabled"), BLOCKED, did=None),
    "hidden": Case(f"<div hidden>{GO}</div>", BLOCKED, did=None),
    "beyond every edge": Case(f'<div style="position:absolute;left:-9999px">{GO}</div>', BLOCKED, did=None),
    "far below": Case(f'<div style="height:5000px"></div>{GO}'),
    "in a frame": Case("<iframe src=/inner/DOOR></iframe>", library=ABSENT, library_did=None),
    "in a frame that the selector enters": Case(
        "<iframe src=/inner/DOOR></iframe>", selector="iframe >> internal:control=enter-frame >> button"
    ),
    "in a closed shadow root": Case(
        f"""<div id=host></div><script>
          document.querySelector("#host").attachShadow({{ mode: "closed" }}).innerHTML = `{GO}`;
        </script>"""
    ),
    "taken out": Case(f"{GO}<script>document.querySelector('button').remove();</script>", ABSENT, did=None),
    "drawn anew as the pointer comes": Case(
        f"""{GO}<script>let isOld = true; addEventListener("mousemove", () => {{
          const button = document.querySelector("button");
          if (isOld) button.replaceWith(button.cloneNode(true));
          isOld = false;
        }});</script>"""
    ),
    "behind a modal": Case(
        f"{GO}<dialog>Wait</dialog><script>document.querySelector('dialog').showModal();</script>",
        BLOCKED,
        did=None,
    ),
    "leads elsewhere": Case('<a href="/next/DOOR">Go</a>', selector="a", did="next"),
    "opens a window": Case("<button onclick=\"window.open('/next/DOOR')\">Go</button>", did="next"),
    "asks": Case("<button onclick=\"did('go'); alert('Hm')\">Go</button>"),
    "no selector": Case(GO, UNREAD, selector="css=[[", did=None),
}

OPTIONS = "".join(f"<option value={number}>{number + 1}" for number in range(4))
NUMBERS = f'<select onchange="did(this.value)"><option value="">Guests{OPTIONS}</select>'
SHUT = NUMBERS.replace("<select", '<select onmousedown="event.preventDefault(); this.focus()" onkeydown="1"')
LATE = """<select onfocus="setTimeout(() => this.length < 2 && this.add(new Option('Plum')), 100)"
 onchange="did(this.value)"><option value="">Fruit</select>"""
TOWNS = '<select onchange="did(this.value)"><option>Town<option value=fr>Paris<option value=us>Paris</select>'
CHOICES = {
    "by the label that another has as its value": Case(NUMBERS, value="2", did="1"),
    "by a value": Case(NUMBERS, value="0", did="0"),
    "by a value of two that are called alike": Case(TOWNS, value="us", did="us"),
    "by what two are called": Case(
        TOWNS, MANY_OPTIONS, value="Paris", did=None, library=DONE, library_did="fr"
    ),
    "what comes with the focus": Case(LATE, value="Plum", did="Plum"),
    "of a list that a press does not open": Case(SHUT, value="2", did="1"),
    "an option that does not exist": Case(NUMBERS, NO_OPTION, value="Nobody", did=None),
}

# In Firefox, the field also loses the focus when another window comes to the front.
INPUT = '<input onchange="document.hasFocus() && did(\'never\')" oninput="did(this.value)">'
FIELDS = {
    "a field": Case(INPUT, selector="input", value="Ada", did="Ada"),
    "a date": Case(
        '<input type=date oninput="did(this.value)">', DONE, "input", "2027-03-05", did="2027-03-05"
    ),
    "a slider": Case(
        '<input type=range step=10 value=20 oninput="did(this.value)">', DONE, "input", "70", did="70"
    ),
    "read-only": Case(INPUT.replace("<input", "<input readonly"), BLOCKED, "input", "Ada", did=None),
    "that puts its old value back": Case(
        "<input value=old oninput=\"this.value = 'old'\">", "not_taken", "input", "Ada", did=None
    ),
    "two fields that match": Case(INPUT + INPUT, SEVERAL, "input", "Ada", did=None),
}


def expected(case: Case, door: str, action: str) -> str:
    """The outcome of a case at a door, in that door's words."""
    # A program looks where the library does, but a press that the page lost fails there as in tools.
    as_library = door in LIBRARY and not (door == "program" and action == "click" and case.library == DONE)
    outcome = case.outcome if case.library is None or not as_library else case.library
    if outcome == DONE:
        return DONE
    words = IN_WORDS.get(outcome, {})
    if door == "session" and outcome not in {ABSENT, UNREAD}:
        return SESSIONS[action]
    if door in FORMS and action != "click":
        return "invalid_arguments" if outcome == SEVERAL else "form_incomplete"
    if door in words:
        return words[door]
    return words.get("*", outcome)


async def through(
    doors: Doors, site: Site, case: Case, act: Callable[[Door, str], Awaitable[str]]
) -> dict[str, str]:
    """The outcome of an action at each door."""

    async def at(name: str, door: Door) -> str:
        site.publish(f"/inner/{name}", document("Inner", DID + GO))
        site.publish("/away", document("Away", "<h1>Away</h1>"))
        site.publish(f"/next/{name}", document("Next", "<h1>Next</h1>"))
        away = f"{site.other_origin}/away"
        body = DID + case.body.replace("DOOR", name).replace("AWAY", away)
        return await act(door, site.publish(f"/doors/{name}", document("Doors", body)))

    # Actions that fail wait for their time limit, all at once. The others need the processors.
    is_alone = case.is_busy and client.BROWSER == "firefox"
    room = asyncio.Semaphore(1 if is_alone else AT_ONCE if case.outcome == DONE else len(doors))

    async def in_turn(name: str, door: Door) -> str:
        async with room:
            return await at(name, door)

    outcomes = await asyncio.gather(*(in_turn(name, door) for name, door in doors.items()))
    return dict(zip(doors, outcomes, strict=True))


async def check(case: Case, outcomes: dict[str, str], site: Site, action: str) -> None:
    """Compares what came of it at each door with what the case says, and with what the pages have of it."""
    assert outcomes == {door: expected(case, door, action) for door in outcomes}
    for door in outcomes:
        wanted = case.did if door not in LIBRARY or case.library_did == "same" else case.library_did
        if wanted == "next":
            await asyncio.to_thread(until, partial(has_done, site, door), f"what follows at {door}")
        assert did(site, door)[-1:] == ([] if wanted is None else [wanted]), door
        assert len(did(site, door)) <= (len(case.value) or 1), door


def has_done(site: Site, door: str) -> bool:
    """Whether the page of a door has anything of a wish."""
    return bool(did(site, door))


def did(site: Site, door: str) -> list[str]:
    """What the page of a door has of a wish."""
    parts = (path.removeprefix("/").split("/") for path in site.all_requested())
    done = {("did", door): 1, ("next", door): 0}
    return [path[done[path[0], path[-1]]] for path in parts if (path[0], path[-1]) in done]


@pytest.mark.parametrize("name", CLICKS)
async def test_a_click_is_the_same_through_every_door(doors: Doors, site: Site, name: str) -> None:
    case = CLICKS[name]
    outcomes = await through(doors, site, case, lambda door, url: door.click(url, case.selector))
    await check(case, outcomes, site, "click")


async def test_a_click_that_arrives_before_the_page_leaves_is_done(doors: Doors, site: Site) -> None:
    # The press begins a navigation, and the click lets its response come.
    body = """<button onmousedown="location.href = '/hold'" onclick="did('go'); did('release')">Go</button>"""
    leaving = DID.replace("`/did/${what}/", "`/${what === 'release' ? what : 'did/' + what}/")
    for name, door in doors.items():
        for _ in range(PRESSES):
            site.begin_anew()
            site.hold()
            url = site.publish(f"/doors/{name}", document("Doors", leaving + body))
            assert (name, await door.click(url, "button")) == (name, DONE)
            assert did(site, name) == ["go"]


@pytest.mark.parametrize("name", CHOICES)
async def test_a_choice_is_the_same_through_every_door(doors: Doors, site: Site, name: str) -> None:
    case = CHOICES[name]
    # Theirs types, and chooses nothing.
    able = {door: way for door, way in doors.items() if door != "session"}
    outcomes = await through(able, site, case, lambda door, url: door.choose(url, "select", case.value))
    await check(case, outcomes, site, "choose")


@pytest.mark.parametrize("name", FIELDS)
async def test_a_field_is_filled_the_same_through_every_door(doors: Doors, site: Site, name: str) -> None:
    case = FIELDS[name]
    outcomes = await through(doors, site, case, lambda door, url: door.fill(url, case.selector, case.value))
    await check(case, outcomes, site, "fill")


async def test_half_a_text_is_no_success_even_if_a_field_for_digits_would_hold_the_same(
    doors: Doors, site: Site
) -> None:
    field = '<input onkeydown="1" oninput="did(this.value); this.disabled = this.value.length > 1">'
    case = Case(field, BLOCKED, "input", "12a")
    outcomes = await through(doors, site, case, lambda door, url: door.fill(url, case.selector, case.value))
    for name, outcome in outcomes.items():
        # Some doors insert the whole text at once.
        assert (name, did(site, name)[-1]) == (name, "12a" if outcome == DONE else "12")
    assert set(outcomes.values()) > {DONE}


async def test_a_text_whose_keys_are_swallowed_is_not_entered_although_the_page_shows_it(
    doors: Doors, site: Site
) -> None:
    field = '<p>Ada</p><input onkeydown="event.preventDefault()" oninput="did(this.value)">'
    case = Case(field, selector="input", value="Ada")
    outcomes = await through(doors, site, case, lambda door, url: door.fill(url, case.selector, case.value))
    # Some doors insert the text without keys.
    assert {name for name, outcome in outcomes.items() if outcome == DONE} == {
        name for name in outcomes if did(site, name)
    }
    assert set(outcomes.values()) > {DONE}


@pytest.mark.parametrize("lost", ["_", "a", "1"])
@pytest.mark.parametrize("is_filter", [False, True])
async def test_a_character_that_a_busy_page_loses_is_entered_again_and_a_filtered_one_is_not(
    doors: Doors,
    site: Site,
    lost: str,
    is_filter: bool,  # noqa: FBT001
) -> None:
    loses = "true" if is_filter else f"event.data === '{lost}'"
    field = f"""<input onkeydown="1" oninput="
      if ({loses}) this.value = this.value.replace('{lost}', ''); did(this.value)">"""
    text = "b_a1"
    case = Case(field, selector="input", value=text)
    outcomes = await through(doors, site, case, lambda door, url: door.fill(url, case.selector, case.value))
    assert outcomes == dict.fromkeys(doors, DONE)
    held = text.replace(lost, "") if is_filter else text
    assert {name: did(site, name)[-1] for name in doors} == dict.fromkeys(doors, held)


async def test_a_page_that_leaves_meanwhile_does_not_prevent_that_another_opens(
    doors: Doors, site: Site
) -> None:
    for name, door in doors.items():
        if name == "patchright":  # Each call has its own page.
            continue
        site.begin_anew()
        goal = f"/hold/{name}"
        leave = f"""<button onclick="setInterval(async () => {{
            if (this.disabled || !(await (await fetch('/asked{goal}')).json())) return;
            this.disabled = true;
            location.href = '/elsewhere';
        }}, 100)">Leave</button>"""
        leaving = site.publish(f"/leaving/{name}", document("Leaving", leave))
        assert (name, await door.click(leaving, "button")) == (name, DONE)
        opening = asyncio.create_task(door.click(site.url(goal), "h1"))
        await asyncio.to_thread(until, lambda: len(site.requested(goal)) == 2, f"a second try of {name}")  # noqa: B023
        site.release()
        assert (name, await opening) == (name, DONE)


async def test_a_click_is_done_only_if_it_arrives_before_the_page_leaves(doors: Doors, site: Site) -> None:
    case = Case(GO_AND.format(LEAVE), did=None)
    outcomes = await through(doors, site, case, lambda door, url: door.click(url, "button"))
    # On a busy machine the new document can come after the click.
    arrived = {name for name in outcomes if did(site, name) == ["go"]}
    assert {name for name, outcome in outcomes.items() if outcome == DONE} <= arrived


async def test_a_text_is_entered_only_if_it_arrives_before_the_page_leaves(doors: Doors, site: Site) -> None:
    field = f'<input onkeydown="1" oninput="did(this.value); if (this.value.length > 1) {{ {LEAVE} }}">'
    case = Case(field, selector="input", value="Ada")
    outcomes = await through(doors, site, case, lambda door, url: door.fill(url, case.selector, case.value))
    # Some doors insert the whole text at once.
    assert {name: "Ada" if outcome == DONE else "Ad" for name, outcome in outcomes.items()} == {
        name: did(site, name)[-1] for name in outcomes
    }
    assert set(outcomes.values()) > {DONE}
