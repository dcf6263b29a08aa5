"""Small things that Firefox tells once, or in words of its own, and that are to be had as elsewhere."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from tests_py.support.client import serve
from tests_py.support.proxies import Proxy
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

OLD_FASHIONED = (
    "<title>Old</title><body style='margin:0'><p>A page without a doctype, and not as high as the window"
)


async def test_the_console_is_reported_as_often_as_it_is_asked_for(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.server.evaluate("() => { console.warn('the lamp is hot'); }")
    for _ in range(2):
        assert "the lamp is hot" in (await workshop.do("browser_console_messages")).text
    await workshop.open(site.page("dialogs"))
    assert "the lamp is hot" not in (await workshop.do("browser_console_messages")).text


async def test_a_fresh_reload_bypasses_the_cache(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/fresh", document("Fresh", "<h1>Fresh</h1>")))
    await workshop.do("browser_history", action="reload")
    await workshop.do("browser_history", action="fresh")
    asked = [request.headers.get("Cache-Control") for request in site.requested("/fresh")]
    assert asked == [None, None, "no-cache"]


async def test_a_part_of_a_page_that_is_lower_than_the_window_is_drawn_whole(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/old", OLD_FASHIONED))
    await workshop.do("browser_picture", region=[0, 0, 300, 200], filename="part.png")
    png = next(workshop.folder.rglob("part.png")).read_bytes()
    assert int.from_bytes(png[16:20]) * 2 == int.from_bytes(png[20:24]) * 3


async def test_what_slows_a_page_is_refused_and_the_rest_is_taken(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    slower = "CPU throttling is not available in Firefox; use chromium for that"
    assert slower in await workshop.refused("browser_emulate", cpu=4)
    assert "Network throttling is not available in Firefox" in await workshop.refused(
        "browser_emulate", network="slow-3g"
    )
    await workshop.do("browser_emulate", timezone="Asia/Tokyo")
    zone = await workshop.server.evaluate("() => Intl.DateTimeFormat().resolvedOptions().timeZone")
    assert zone == "Asia/Tokyo"


async def test_a_state_is_saved_and_another_context_begins_with_it(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    keep = "() => { localStorage.setItem('lamp', 'on'); document.cookie = 'name=Ada; max-age=999'; }"
    await workshop.server.evaluate(keep)
    await workshop.do("browser_context_save_storage", path="state.json")
    await workshop.do("browser_context_create", name="later", storageState="state.json")
    await workshop.open(site.page("form"))
    assert await workshop.server.evaluate("() => localStorage.lamp + document.cookie") == "onname=Ada"
    await workshop.do("browser_context_close", name="later")


async def test_each_context_goes_through_the_proxy_that_it_was_given(site: Site, tmp_path: Path) -> None:
    far = site.page("form").replace("127.0.0.1", "far.example")
    with Proxy("http") as one, Proxy("socks5") as two:
        async with serve("--headless", cwd=tmp_path) as server:
            for name, proxy in (("one", one), ("two", two)):
                way = {"server": proxy.server, "username": "me", "password": "sword:fish"}
                made = await server.call("browser_context_create", name=name, proxy=way)
                assert not made.is_error, made.text
                await server.open(far)
            assert one.asked
            assert two.asked
            received = len(one.asked)
            await server.call("browser_context_switch", name="two")
            await server.open(far)
            assert len(one.asked) == received


def test_the_doctor_knows_its_version() -> None:
    doctor = [sys.executable, "-m", "patchright_mcp", "doctor", "--browser", "firefox", "--json"]
    answer = subprocess.run(doctor, capture_output=True, text=True, timeout=100, check=False).stdout
    (start,) = [finding for finding in json.loads(answer)["findings"] if finding["subject"] == "start"]
    assert start["found"].startswith("version 1"), start
