"""A page too long to be shown in full: what is to be read and what can be acted on stay within reach."""

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site

pytestmark = pytest.mark.long


async def test_headings_and_first_sentences_are_shown_within_the_usual_size(
    server: Server, site: Site
) -> None:
    reply = await server.open(site.page("article"))
    assert len(reply.text) <= 20_500
    for number in range(40):
        assert f'heading "Chapter {number}"' in reply.text
        assert f"In chapter {number}, part 0, the bridge {number}.0s are told of." in reply.text
    assert 'searchbox "Search"' in reply.text


async def test_lists_of_links_are_one_line_and_open_by_their_ref(server: Server, site: Site) -> None:
    reply = await server.open(site.page("article"))
    line = reply.line("[60 links]: Topic 0, Topic 1")
    assert "[ref=" in line
    topics = await server.call("browser_snapshot", ref=reply.ref("[60 links]: Topic 0"))
    assert [f'link "Topic {number}"' in topics.text for number in range(60)] == [True] * 60
    clicked = await server.click(topics.ref('link "Topic 42"'))
    assert "Followed #Topic-42" in clicked.text


async def test_a_heading_stands_for_its_section(server: Server, site: Site) -> None:
    reply = await server.open(site.page("article"))
    section = await server.call("browser_snapshot", ref=reply.ref('"Chapter 7"'))
    assert "part 3, the [bridge 7.3](e" in section.text
    assert "iron." in section.text
    assert "Chapter 8" not in section.text
    assert "Left out" not in section.text
    ref = section.text.partition("[bridge 7.3](")[2].partition(")")[0]
    assert "Followed #7.3" in (await server.click(ref)).text


async def test_a_stretch_goes_from_one_ref_to_another(server: Server, site: Site) -> None:
    reply = await server.open(site.page("article"))
    refs = f"{reply.ref('Chapter 7')}-{reply.ref('Chapter 9')}"
    stretch = await server.call("browser_snapshot", ref=refs)
    assert "bridge 7.0" in stretch.text
    assert "bridge 8.3" in stretch.text
    assert "bridge 9.0" not in stretch.text
    backwards = f"{reply.ref('Chapter 9')}-{reply.ref('Chapter 7')}"
    assert "Chapter 8" not in (await server.call("browser_snapshot", ref=backwards)).text


async def test_what_is_left_out_is_reported_with_refs_that_show_it(server: Server, site: Site) -> None:
    reply = await server.open(site.page("article"))
    note = reply.section("Snapshot").rpartition("```")[2]
    assert "Left out" in note
    assert "--" not in note, "a model can set no flags"
    assert " ends of texts" in note
    cut = reply.line("In chapter 12, part 0")
    assert cut.endswith("…")
    whole = await server.call("browser_snapshot", ref=reply.ref("In chapter 12, part 0"))
    assert whole.text.count("iron.") == 12
    assert "Left out" not in whole.text


async def test_prose_is_found_across_its_links(server: Server, site: Site) -> None:
    await server.open(site.page("article"))
    found = await server.call("browser_find", text="the bridge 33.2s are told of", around=0)
    assert "[bridge 33.2](" in found.text


async def test_fetching_begins_with_the_article(server: Server, site: Site) -> None:
    fetched = (await server.call("patchright_fetch", url=site.page("article"))).text
    assert fetched.index("# The history of bridges") < fetched.index("In chapter 0, part 0")
    assert "Topic 0" not in fetched
    whole = (await server.call("patchright_fetch", url=site.page("article"), max_chars=1_000_000)).text
    assert whole.index("In chapter 39, part 3") < whole.index("*The rest of the page:*")
    assert whole.index("*The rest of the page:*") < whole.index("Topic 0")
