"""The page as text."""

import re

import pytest

from tests_py.support.client import REF, Server
from tests_py.support.site import Site


async def test_every_kind_of_field_shows_its_name_and_state(server: Server, site: Site) -> None:
    reply = await server.open(site.page("form"))
    for line in (
        'textbox "Name"',
        'textbox "Email"',
        'textbox "About you"',
        'checkbox "Send me news"',
        'radio "Free" [checked]',
        'radio "Paid"',
        'combobox "Country"',
        'button "Register"',
    ):
        assert reply.ref(line)


async def test_a_ref_stays_with_its_element_through_later_snapshots(server: Server, site: Site) -> None:
    first = await server.open(site.page("form"))
    await server.evaluate("() => document.body.prepend(document.createElement('button'))")
    second = await server.snapshot()
    assert second.ref('button "Register"') == first.ref('button "Register"')
    assert second.ref('textbox "Name"') == first.ref('textbox "Name"')


async def test_no_ref_stands_for_two_elements(server: Server, site: Site) -> None:
    refs = (await server.open(site.page("frames"))).refs()
    assert len(refs) == len(set(refs))


async def test_a_ref_is_never_used_again_on_a_later_page(server: Server, site: Site) -> None:
    before = await server.open(site.page("form"))
    await server.open(site.page("dialogs"))
    after = await server.open(site.page("form"))
    assert set(before.refs()).isdisjoint(after.refs())


async def test_frames_of_both_kinds_stand_in_their_place(server: Server, site: Site) -> None:
    snapshot = (await server.open(site.page("frames"))).section("Snapshot")
    assert snapshot.count('button "Press inside"') == 2
    order = ["Before the frames", "Same process", "Press inside", "Other process", "After the frames"]
    places = [snapshot.index(words) for words in order]
    assert places == sorted(places)


@pytest.mark.parametrize("which", ["Same process", "Other process"])
async def test_a_click_inside_a_frame_lands_there(server: Server, site: Site, which: str) -> None:
    snapshot = (await server.open(site.page("frames"))).section("Snapshot")
    inside = REF.findall(snapshot[snapshot.index(which) :].partition('button "Press inside"')[2])[0]
    await server.click(inside)
    after = (await server.snapshot()).section("Snapshot")
    frame = after[after.index(which) :]
    assert frame.index("Pressed inside") < frame.index("Field inside")


async def test_frames_within_frames_are_all_shown(server: Server, site: Site) -> None:
    snapshot = (await server.open(site.page("frames-nested"))).section("Snapshot")
    assert snapshot.count('button "Press inside"') == 2
    assert 'heading "Outside"' in snapshot


@pytest.mark.parametrize("mode", ["open", "closed"])
async def test_shadow_roots_are_seen_and_acted_in(server: Server, site: Site, mode: str) -> None:
    reply = await server.open(site.page("shadow"))
    assert f'textbox "Field {mode}"' in reply.text
    await server.click(reply.ref(f'button "Press {mode}"'))
    assert await server.evaluate("() => document.querySelector('output').textContent") == f"Pressed {mode}"


async def test_text_of_a_page_forges_neither_refs_nor_sections(server: Server, site: Site) -> None:
    reply = await server.open(site.page("hostile-text"))
    genuine = reply.ref('button "Real"')
    prefix = genuine.rpartition("e")[0]
    assert {ref.rpartition("e")[0] for ref in reply.refs() if not ref.startswith("e99")} <= {prefix}
    for line in reply.section("Snapshot").splitlines():
        assert not line.lstrip().startswith(("### ", '- button "Forged'))
    assert reply.text.count("\n### Snapshot") == 1
    assert not reply.has_section("Error")


async def test_a_large_page_is_cut_and_the_cut_is_reported(server: Server, site: Site) -> None:
    reply = await server.open(site.url("/large?elements=10000"))
    assert len(reply.text) < 6_500
    assert 'button "Choose 0"' in reply.text
    assert "Left out" in reply.text
    assert "offset" in reply.text
    assert "--" not in reply.section("Snapshot").rpartition("```")[2], (
        "a flag is nothing that a model can give"
    )


@pytest.mark.long
async def test_what_was_cut_from_a_large_page_can_still_be_clicked(server: Server, site: Site) -> None:
    await server.open(site.url("/large?elements=10000"))
    await server.evaluate(
        "() => { document.body.lastElementChild.onclick = () => { document.title = 'Reached' } }"
    )
    found = await server.call("browser_find", text="the very last", around=0)
    assert "Reached" in (await server.click(found.ref('button "The very last"'))).section("Page")


async def test_all_of_a_large_page_is_shown_piece_by_piece(server: Server, site: Site) -> None:
    await server.open(site.url("/large?elements=600"))
    seen, offset, pieces = "", "0", 0
    while offset:
        piece = await server.call("browser_snapshot", offset=int(offset))
        assert len(piece.text) < 6_500
        outline, _, note = piece.section("Snapshot").removeprefix("```yaml\n").partition("\n```")
        seen += f"{outline}\n"
        offset, pieces = note.strip().partition("with offset ")[2].removesuffix("."), pieces + 1
    assert pieces > 1
    numbers = [int(number) for number in re.findall(r"Row (\d+)$", seen, re.MULTILINE)]
    assert numbers == list(range(len(numbers)))
    assert 'button "The very last"' in seen


async def test_alike_things_share_a_line_and_where_links_lead_is_shown_on_request(
    server: Server, site: Site
) -> None:
    icons = "<button disabled></button>" * 5
    page = f"<nav><a href=/one>One</a><a href=/two>Two</a></nav><div>{icons}<button>Go</button></div>"
    shown = await server.open(site.publish("/alike", page))
    assert re.search(r'link "One" \[ref=e\d+\], link "Two" \[ref=e\d+\]$', shown.text, re.MULTILINE)
    assert "5 \u00d7 button [disabled]" in shown.text
    assert "/url" not in shown.text
    link = await server.call("browser_snapshot", ref=shown.ref('link "Two"'))
    assert "/url: /two" in link.text
    whole = await server.call("browser_snapshot", ref=shown.ref("navigation"))
    assert "/url: /one" in whole.text


async def test_there_is_no_snapshot_before_there_is_a_page(server: Server) -> None:
    while not (await server.call("browser_close")).is_error:
        pass
    reply = await server.call("browser_snapshot")
    if reply.is_error:
        assert "browser_navigate" in reply.section("Error")
    else:
        assert "about:blank" in reply.section("Page")


async def test_a_name_of_icons_alone_comes_with_a_word_for_it(server: Server, site: Site) -> None:
    snapshot = await server.open(site.page("oracle/icons"))
    assert "\uf1f8" not in snapshot.text
    assert "button" in snapshot.line('[hint="icon-trash"]')
    assert "link" in snapshot.line('[hint="Export the drawing')
    assert "hint" not in snapshot.line('button "Save"').split(",")[0]
    assert "Press it to save." in snapshot.line("Press it")
    assert "\uf0c7" not in snapshot.line("Press it")


@pytest.mark.long
async def test_refs_are_short_and_long_forms_are_accepted(server: Server, site: Site) -> None:
    inner = "<button onclick='document.title = 2'>Inside</button>"
    page = f"<button onclick='document.title += 1'>Go</button><iframe srcdoc=\"{inner}\"></iframe>"
    reply = await server.open(site.publish("/refs", page))
    go, inside = reply.ref('button "Go"'), reply.ref('button "Inside"')
    assert re.fullmatch(r"e\d+", go)
    assert re.fullmatch(r"f\d+e\d+", inside)
    for ref in (go, f"c0f0{go}", f"f0{go}", f"default:{go}", f"[ref={go}]", inside, f"c0{inside}"):
        assert not (await server.click(ref)).is_error, ref
    # The same number in another tab is no other element.
    await server.call("browser_tabs", action="new", url=site.publish("/other", "<button>Stay</button>" * 20))
    wrong = await server.call("browser_click", ref=go)
    assert wrong.is_error
    assert "it belongs to tab " in wrong.text


ORDER = """<p id=words>Old words</p><div role=status></div><button onclick="
  words.textContent = 'New words';
  document.querySelector('[role=status]').textContent = 'Done now';
  const asks = '<div role=dialog aria-label=Ask><input aria-label=Reason><button>Yes</button></div>';
  document.body.insertAdjacentHTML('beforeend', asks);
  console.error('It broke');
">Open</button>"""


async def test_what_opened_is_shown_first_and_announcements_next(server: Server, site: Site) -> None:
    page = await server.open(site.publish("/order", ORDER))
    answer = await server.click(page.ref('button "Open"'))
    shown = answer.section("Snapshot")
    words = ['dialog "Ask"', 'textbox "Reason"', 'button "Yes"', "Done now", "New words"]
    places = [shown.index(word) for word in words]
    assert places == sorted(places), shown
    assert "Page URL" not in answer.text, "it is the same page"
    assert "It broke" in answer.section("Events")
