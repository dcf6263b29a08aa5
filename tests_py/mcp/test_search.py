"""Parts of a snapshot: by ref, by depth, with places, and by searching."""

import re

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop


async def test_a_part_of_the_page_is_shown_by_its_ref(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("fields"))
    part = await workshop.do("browser_snapshot", ref=page.ref('"Tags"'))
    assert 'option "Green"' in part.section("Snapshot")
    assert "Fruit" not in part.section("Snapshot")
    assert part.ref('"Tags"') == page.ref('"Tags"')


async def test_a_page_is_shown_to_a_depth_and_what_is_left_out_is_reported(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.page("fields"))
    outline = await workshop.do("browser_snapshot", depth=0)
    assert "- form" in outline.section("Snapshot")
    assert "Name" not in outline.section("Snapshot")
    assert "Left out: " in outline.section("Snapshot")


async def test_elements_are_shown_with_where_they_are(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("handles"))
    shown = await workshop.do("browser_snapshot", boxes=True)
    found = re.search(r"\[box=(\d+),(\d+),160,60\]", shown.line('"Cargo"'))
    assert found
    under = await workshop.server.evaluate(
        f"() => document.elementFromPoint({found[1]} + 80, {found[2]} + 30).id"
    )
    assert under == "cargo"


async def test_lines_are_found_by_a_text_with_what_stands_around_them(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.url("/large?elements=4000"))
    found = await workshop.do("browser_find", text="choose 570", around=1)
    lines = found.section("Snapshot").strip("`").removeprefix("yaml").strip().splitlines()
    assert any('button "Choose 570"' in line for line in lines)
    assert 3 <= len(lines) <= 5
    assert found.ref('"Choose 570"')


async def test_lines_are_found_by_a_regular_expression(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("fields"))
    found = (await workshop.do("browser_find", regex=r'^(textbox|slider) "(Name|Vol\w+)"', around=0)).text
    assert 'textbox "Name"' in found
    assert 'slider "Volume"' in found
    assert "Nickname" not in found


async def test_an_expression_that_cannot_be_read_is_refused_with_the_reason(workshop: Workshop) -> None:
    assert "unclosed group" in await workshop.refused("browser_find", regex="(a")
    assert "`text` or `regex`" in await workshop.refused("browser_find", text="a", regex="b")


async def test_no_expression_takes_for_ever(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.server.evaluate("() => { document.body.append('a'.repeat(5000) + '!'); }")
    await workshop.do("browser_find", regex="(a+)+$")


async def test_nothing_found_is_said(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    assert "Nothing on the page" in (await workshop.do("browser_find", text="xyzzy")).section("Result")
