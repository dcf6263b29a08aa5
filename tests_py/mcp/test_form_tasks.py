"""The main job, whole: read a page, fill its form, send it, read what came of it."""

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site

pytestmark = pytest.mark.long


async def test_a_form_is_read_filled_and_sent(server: Server, site: Site) -> None:
    page = await server.open(site.page("form"))
    for field, text in (("Name", "Ada Lovelace"), ("Email", "ada@example.org"), ("Password", "1843")):
        typed = await server.call("browser_type", target=page.ref(f'textbox "{field}"'), text=text)
        assert not typed.is_error, typed.text
    await server.click(page.ref('checkbox "Send me news"'))
    await server.click(page.ref('radio "Paid"'))
    after = await server.click(page.ref('button "Register"'))
    sent = after.section("Snapshot")
    for words in ("Registered", "Ada Lovelace", "ada@example.org", "paid"):
        assert words in sent


async def test_a_field_in_a_closed_shadow_root_is_filled(server: Server, site: Site) -> None:
    page = await server.open(site.page("shadow"))
    target = page.ref('textbox "Field closed"')
    typed = await server.call("browser_type", target=target, text="inside the closed root")
    assert not typed.is_error, typed.text
    assert "inside the closed root" in (await server.snapshot()).line('textbox "Field closed"')


@pytest.mark.parametrize("which", ["Same process", "Other process"])
async def test_a_field_in_a_frame_is_filled(server: Server, site: Site, which: str) -> None:
    page = await server.open(site.page("frames"))
    snapshot = page.section("Snapshot")
    inside = snapshot[snapshot.index(which) :]
    line = next(line for line in inside.splitlines() if 'textbox "Field inside"' in line)
    typed = await server.call("browser_type", target=line.rpartition("[ref=")[2].split("]")[0], text=which)
    assert not typed.is_error, typed.text
    after = (await server.snapshot()).section("Snapshot")
    fields = [line for line in after.splitlines() if 'textbox "Field inside"' in line]
    assert [which in line for line in fields].count(True) == 1


async def test_the_last_button_of_ten_thousand_elements_is_clicked(server: Server, site: Site) -> None:
    await server.open(site.url("/large?elements=10000"))
    page = await server.call("browser_find", text="The very last")
    await server.evaluate(
        "() => { const last = [...document.querySelectorAll('button')].pop();"
        " last.addEventListener('click', () => { last.textContent = 'Reached'; }); }"
    )
    assert "Reached" in (await server.click(page.ref('button "The very last"'))).section("Snapshot")
