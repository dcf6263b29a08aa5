"""Pages of other sites in frames: only what is done in the frame of one reaches it."""

from __future__ import annotations

import pytest

from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

INSIDE = """<style>body { margin: 0; height: 3000px }</style><button>Press</button>
<label>Name <input id=name></label><label>Town <input id=town></label><output></output><script>
const say = (text) => { document.querySelector('output').textContent += ` ${text}`; };
document.querySelector('button').onclick = (event) =>
  say(`${event.isTrusted ? 'pressed' : 'forged'} ${event.shiftKey ? 'with Shift' : 'alone'} ${event.detail}`);
document.querySelector('button').onmouseenter = () => say('over');
onwheel = (event) => say(event.deltaY > 0 ? 'rolled down' : 'rolled up');
document.querySelector('#town').onkeydown = (event) => say(event.key);
</script>"""


@pytest.fixture(params=["border: 7px solid; padding: 5px", "transform: scale(0.7); transform-origin: 0 0"])
def outside(site: Site, request: pytest.FixtureRequest) -> str:
    """A page with another site's in a frame, which lies in that frame as the style says."""
    inside = site.publish("/others/inside", document("Inside", INSIDE))
    inside = inside.replace(site.origin, site.other_origin)
    frame = f"<iframe src='{inside}' width=600 height=300 style='{request.param}'></iframe>"
    body = f"<h1>Outside</h1><p>Above</p>{frame}<p><input aria-label=Below></p>"
    return site.publish("/others/outside", document("Outside", body))


async def test_presses_are_seen_in_the_frame(workshop: Workshop, outside: str) -> None:
    page = await workshop.open(outside)
    button = page.ref('button "Press"')
    await workshop.do("browser_click", ref=button)
    assert "over pressed alone 1" in (await workshop.do("browser_snapshot")).text
    await workshop.do("browser_click", ref=button, modifiers=["Shift"])
    assert "pressed with Shift 1" in (await workshop.do("browser_snapshot")).text
    await workshop.do("browser_click", ref=button, doubleClick=True)
    assert "pressed alone 1 pressed alone 2" in (await workshop.do("browser_snapshot")).text


async def test_keys_go_where_the_focus_is(workshop: Workshop, outside: str) -> None:
    page = await workshop.open(outside)
    await workshop.do("browser_type", ref=page.ref('textbox "Name"'), text="Ada", slowly=True)
    await workshop.do("browser_press_key", key="Tab")
    await workshop.do("browser_press_key", key="x")
    seen = await workshop.do("browser_snapshot")
    assert 'textbox "Name"' in seen.text
    assert seen.line('textbox "Name"').endswith(": Ada")
    assert seen.line('textbox "Town"').endswith(": x")
    await workshop.do("browser_type", ref=page.ref('textbox "Below"'), text="and back", slowly=True)
    assert (await workshop.do("browser_snapshot")).line('textbox "Below"').endswith(": and back")


async def test_the_wheel_turns_what_is_under_the_pointer(workshop: Workshop, outside: str) -> None:
    page = await workshop.open(outside)
    await workshop.do("browser_hover", ref=page.ref('button "Press"'))
    await workshop.do("browser_scroll", ref=page.ref('button "Press"'), direction="down")
    assert "rolled down" in (await workshop.do("browser_snapshot")).text
