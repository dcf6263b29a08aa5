"""What a tool does to get somewhere changes nothing that the page holds."""

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site

pytestmark = pytest.mark.long

STYLE = "<style>body { margin: 0 } input { margin: 20px; font-size: 30px }</style>"
ORDER = (
    f"{STYLE}<label>Max <input id=field type=number value=100></label><div style='height: 3000px'>Far</div>"
    "<button onclick='document.title = `saved ${field.value}`'>Save</button>"
)
# A field that is as large as what scrolls around it leaves no place for a wheel.
FULL = (
    "<style>body { margin: 0 } div { height: 300px; overflow: auto } "
    "input { width: 100%; height: 300px }</style>"
)
LIST = (
    f"{FULL}<div><input id=field type=number value=100><p style='height: 900px'>Far</p>"
    "<button>Save</button></div>"
)


async def value(server: Server, within: str = "document") -> str:
    """What the field holds."""
    return await server.evaluate(f"() => {within}.getElementById('field').value")


async def test_what_is_saved_is_what_was_filled_in(server: Server, site: Site) -> None:
    page = await server.open(site.publish("/order", ORDER))
    field = page.ref('spinbutton "Max"')
    await server.click(field)
    await server.call("browser_type", target=field, text="90")
    answer = await server.click(page.ref('button "Save"'))
    assert "saved 90" in answer.text
    assert await value(server) == "90"


@pytest.mark.parametrize("content", [ORDER, LIST])
async def test_scrolling_turns_no_number(server: Server, site: Site, content: str) -> None:
    page = await server.open(site.publish("/scrolled", content))
    await server.click(page.ref("spinbutton"))
    where = {} if content is ORDER else {"ref": "div"}
    for direction in ["down", "up", "down"]:
        answer = await server.call("browser_scroll", direction=direction, pixels=300, **where)
        assert f"{direction} by 300 px" in answer.text
    assert await value(server) == "100"


async def test_scrolling_around_a_frame_turns_no_number_in_it(server: Server, site: Site) -> None:
    inner = site.publish("/inner", f"{STYLE}<input id=field type=number value=100>")
    outer = f"<body style='margin: 0'><iframe src='{inner}' width=900 height=300></iframe>"
    page = await server.open(
        site.publish("/outer", f"{outer}<p style='height: 3000px'>Far</p><button>Save</button>")
    )
    await server.click(page.ref("spinbutton"))
    await server.call("browser_scroll", pixels=200)
    await server.click(page.ref('button "Save"'))
    assert await value(server, "document.querySelector('iframe').contentDocument") == "100"
