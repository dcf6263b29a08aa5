"""Pictures with labels and differences, videos, and whole pages."""

from __future__ import annotations

import re
import struct

import pytest

from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long

PAGE = """<title>Marks</title><body style="margin:0">
<style>* { position: absolute } body, style { position: static }</style>
<button style="left:20px; top:40px; width:100px; height:30px">Save</button>
<a href=/ style="left:300px; top:200px">Leave</a>
<div id=box style="left:400px; top:300px; width:50px; height:20px; background:white"></div>"""


def size(png: bytes) -> tuple[int, int]:
    """Width and height of a picture."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


async def test_what_can_be_acted_on_is_numbered(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/marks", PAGE))
    answer = await workshop.do("browser_picture", labels=True)
    lines = answer.section("Result").splitlines()
    assert re.match(r'1\. button "?Save"? \[ref=', lines[0])
    assert re.match(r'2\. link "?Leave"? \[ref=', lines[1])
    labelled = workshop.pictures()[-1]
    assert labelled.read_bytes().startswith(b"\xff\xd8\xff")
    await workshop.do("browser_picture")
    assert workshop.pictures()[-1].read_bytes() != labelled.read_bytes()
    answer = await workshop.do("browser_picture", labels=True, region=[250, 150, 200, 100])
    lines = answer.section("Result").splitlines()
    assert len(lines) == 2
    assert "Leave" in lines[0]
    assert "4.00 pixels for each" in lines[1]
    await workshop.do("browser_picture", quality=90, filename="good.jpeg")
    await workshop.do("browser_picture", quality=5, filename="poor.jpeg")
    good, poor = (next(workshop.folder.rglob(name)).stat().st_size for name in ("good.jpeg", "poor.jpeg"))
    assert poor < good
    await workshop.do("browser_picture", maxPixels=100_000, filename="small.png")
    across, down = size(next(workshop.folder.rglob("small.png")).read_bytes())
    assert 98_000 < across * down <= 100_000


async def test_what_differs_is_reported_and_shown(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/marks", PAGE))
    await workshop.do("browser_picture")
    answer = await workshop.do("browser_picture", compare=True)
    assert "Nothing differs" in answer.section("Result")
    await workshop.server.evaluate("() => { document.querySelector('#box').style.background = 'black' }")
    answer = await workshop.do("browser_picture", compare=True)
    assert re.search(r"^1000 of \d+ pixels differ, within 400,300 50x20 ", answer.section("Result")), (
        answer.text
    )
    shown = workshop.pictures()[-1].read_bytes()
    assert shown.startswith(b"\x89PNG")
    await workshop.do("browser_picture", region=[250, 150, 200, 100])
    answer = await workshop.do("browser_picture", compare=True)
    assert "a part of another size" in answer.section("Result")
    for wrong, why in (
        ({"labels": True, "compare": True}, "cannot be used together"),
        ({"region": [0, 0, -5, 5]}, "`region` must be"),
        ({"region": [0, 0]}, "`region`"),
        ({"quality": 0}, "`quality` must be at least 1"),
        ({"region": [5000, 5000, 10, 10]}, "is outside the page"),
        ({"maxPixels": -1}, "`maxPixels` must be at least"),
        ({"compare": True, "filename": "a.jpeg"}, "must end in .png"),
    ):
        assert why in await workshop.refused("browser_picture", **wrong)


async def test_a_tab_is_filmed_and_a_page_is_saved_whole(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/marks", PAGE))
    assert "no video is being recorded" in await workshop.refused("browser_record", action="stop")
    await workshop.do("browser_record", action="start", filename="film")
    assert "recorded already" in await workshop.refused("browser_record", action="start")
    await workshop.do("browser_hover", ref="text=Save")
    await workshop.server.evaluate("() => { document.body.style.background = 'orange' }")
    answer = await workshop.do("browser_record", action="stop")
    assert "Video saved to" in answer.section("Result")
    film = next(workshop.folder.rglob("film.webm")).read_bytes()
    assert film.startswith(b"\x1a\x45\xdf\xa3")
    assert len(film) > 1_000
    await workshop.do("browser_record", action="start")
    assert "outside" in await workshop.refused("browser_record", action="stop", filename="/etc/film")
    answer = await workshop.do("browser_record", action="stop", filename="named")
    assert "named.webm" in answer.section("Result")
    assert next(workshop.folder.rglob("named.webm")).read_bytes().startswith(b"\x1a\x45\xdf\xa3")
    await workshop.do("browser_record", action="mhtml", filename="whole")
    text = next(workshop.folder.rglob("whole.mhtml")).read_text()
    assert "multipart/related" in text
    assert ">Save<" in text
