"""Programs in Python against the page: what they print, how they end, and what they may not do."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests_py.support.client import serve
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long


async def run(workshop: Workshop, program: str, **arguments: object) -> str:
    """What a program printed, which must have come to its end."""
    return (await workshop.do("browser_run_python", program=program, **arguments)).section("Result")


async def test_a_hundred_rows_over_ten_pages_are_read_in_one_call(workshop: Workshop, site: Site) -> None:
    for page in range(10):
        more = (
            "<td>Solid oak, oiled by hand, delivered in two weeks<td>In stock<td><a href=/details>Details</a>"
        )
        rows = "".join(f"<tr><td>Row {page}-{row}<td>{page * row}{more}" for row in range(10))
        site.publish(f"/list/{page}", f"<h1>Page {page}</h1><table>{rows}</table><a href=/>Home</a>")
    singly = 0
    for page in range(10):
        singly += len((await workshop.open(site.url(f"/list/{page}"))).text)
    program = f"""
for number in range(10):
    await page.goto(f"{site.origin}/list/{{number}}")
    for row in await page.locator("tr").all():
        print(";".join((await row.locator("td").all_inner_texts())[:2]))
"""
    answer = await workshop.do("browser_run_python", program=program)
    lines = answer.section("Result").splitlines()[1:-1]
    assert (len(lines), lines[0], lines[-1]) == (100, "Row 0-0;0", "Row 9-9;81")
    assert f"{site.origin}/list/9" in answer.section("Page")
    assert len(answer.text) <= singly / 5, (len(answer.text), singly)


async def test_names_last_and_only_what_is_printed_comes_back(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    assert await run(workshop, "count = 3\ncount") == "The program printed nothing"
    assert await run(
        workshop, "count += 1\nprint(count, await page.title(), page.url == context.pages[0].url)"
    ) == (f"4 {await workshop.server.evaluate('() => document.title')} True")
    failed = await workshop.refused(
        "browser_run_python", program="print('before')\n\nraise ValueError('wrong')"
    )
    assert "ValueError: wrong" in failed
    assert "line 3" in failed
    assert "_programs" not in failed
    assert "SyntaxError" in await workshop.refused("browser_run_python", program="for")
    assert await run(workshop, "print(count)") == "4"
    # A file takes all of it; an answer takes what is read.
    program = "for number in range(5_000): print('line', number)"
    assert "[cut: 48890 characters were printed" in await run(workshop, program)
    answer = await run(workshop, program, filename="lines.txt")
    assert "Written to" in answer
    written = next(workshop.folder.rglob("lines.txt"))
    assert written.read_text().splitlines()[-1] == "line 4999"


async def test_every_program_ends(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    assert await run(workshop, "kept = 7\nprint(kept)") == "7"
    for endless in (
        "await asyncio.sleep(600)",
        "while True: pass",
        "await page.locator('#none').click(timeout=0)",
    ):
        reply = await workshop.server.call(
            "browser_run_python", program=f"print('begun')\n{endless}", timeout=300
        )
        assert reply.is_error
        assert reply.section("Result") == "begun"
        assert "timed out after 300 ms waiting for the end of the program" in reply.section("Error").lower()
    assert await run(workshop, "print(kept, await page.title() != '')") == "7 True"
    for ending in ("import sys\nsys.exit(3)", "exit(3)", "raise KeyboardInterrupt"):
        reply = await workshop.server.call(
            "browser_run_python", program=f"print('begun')\n{ending}", timeout=30_000
        )
        assert reply.section("Result") == "begun"
        assert re.search("SystemExit: 3|KeyboardInterrupt", reply.section("Error")), reply.text
    assert await run(workshop, "print(kept)\nexit()") == "7"
    stubborn = """
import time
end = time.monotonic() + 6
while time.monotonic() < end:
    try:
        while time.monotonic() < end: pass
    except BaseException: pass
"""
    reply = await workshop.server.call("browser_run_python", program=stubborn, timeout=100)
    assert "cannot be ended" in reply.section("Result")
    reply = await workshop.server.call(
        "browser_run_python", program="print('kept' in globals())", timeout=30_000
    )
    assert reply.section("Result") == "False"
    for nonsense in (0, -1, 1e9):
        assert "`timeout` must be" in await workshop.refused(
            "browser_run_python", program="1", timeout=nonsense
        )
    assert "`program` must not be empty" in await workshop.refused("browser_run_python", program="")


async def test_the_protocol_is_out_of_a_programs_reach(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    program = """
import os, subprocess, sys
os.write(1, b"{}\\n")
subprocess.run([sys.executable, "-c", "print('{}'); import sys; print(sys.stdin.read())"], check=True)
sys.__stdout__.write("{}\\n"); sys.__stdout__.flush()
try: input()
except EOFError: print("nothing to read")
"""
    assert await run(workshop, program) == "nothing to read"
    assert await run(workshop, "print(await page.title() != '')") == "True"


async def test_programs_are_bound_by_the_rules_of_tools(tmp_path: Path, site: Site) -> None:
    arguments = ("--headless", "--caps", "code", "--blocked-origins", site.other_origin)
    async with serve(*arguments, cwd=tmp_path) as server:
        await server.open(site.page("form"))
        for refused, reason in (
            ("await page.goto('file:///etc/hosts')", "--allow-files"),
            ("await page.goto('chrome://version')", "only http"),
            (f"await page.goto('{site.other_origin}/pages/form.html')", "is not allowed"),
            ("await context.browser.new_context()", "browser_context_create"),
            ("await context.close()", "browser_context_create"),
            ("await context.browser.close()", "browser_context_create"),
        ):
            reply = await server.call("browser_run_python", program=refused)
            assert reply.is_error
            assert reason in reply.section("Error"), reply.text
        # Dialogs are a program's own only while it runs.
        reply = await server.call(
            "browser_run_python", program="await page.evaluate('() => alert(1)'); print('on')"
        )
        assert reply.section("Result") == "on"
        await server.open(site.page("dialogs"))
        reply = await server.call("browser_click", ref="text=Alert")
        assert "Mind the gap" in reply.section("Modal state")
        assert not (await server.call("browser_handle_dialog", accept=True)).is_error


async def test_extensions_are_there_for_programs(tmp_path: Path, site: Site) -> None:
    extension = tmp_path / "extension"
    extension.mkdir()
    script = {"matches": ["http://*/*"], "js": ["mark.js"]}
    manifest = {"manifest_version": 3, "name": "Mark", "version": "1", "content_scripts": [script]}
    (extension / "manifest.json").write_text(json.dumps(manifest))
    (extension / "mark.js").write_text("document.title = 'Marked'")
    # Extensions live in profiles: contexts that are isolated have none.
    arguments = ["--headless", "--caps", "code", "--user-data-dir", str(tmp_path / "profile")]
    arguments += ["--arg", f"--load-extension={extension}"]
    arguments += ["--arg", "--disable-features=DisableLoadExtensionCommandLineSwitch"]
    program = f'await page.goto("{site.page("form")}")\nprint(await page.title())'
    async with serve(*arguments, cwd=tmp_path) as server:
        reply = await server.call("browser_run_python", program=program)
        assert not reply.is_error, reply.text
        assert "Marked" in reply.section("Result")


async def test_a_program_has_what_has_no_tool_of_its_own(tmp_path: Path, site: Site) -> None:
    arguments = ["--headless", "--caps", "code", "--user-data-dir", str(tmp_path / "profile")]
    program = f"""
await context.tracing.start(snapshots=True)
await context.add_init_script("globalThis.added = 7")
await page.goto("{site.page("form")}")
print(await page.evaluate("added", isolated_context=False))
await context.tracing.stop(path="trace.zip")
archive = {{"status": 200, "headers": [], "content": {{"text": "kept", "mimeType": "text/plain"}}}}
entry = {{"request": {{"method": "GET", "url": "http://kept.example/", "headers": []}}, "response": archive}}
import json, pathlib
pathlib.Path("kept.har").write_text(json.dumps({{"log": {{"entries": [entry]}}}}))
await context.route_from_har("kept.har", url="**/kept.example/**", not_found="abort")
await page.goto("http://kept.example/")
print(await page.locator("body").inner_text())
"""
    async with serve(*arguments, cwd=tmp_path) as server:
        reply = await server.call("browser_run_python", program=program)
        assert not reply.is_error, reply.text
        assert reply.section("Result").splitlines()[1:-1] == ["7", "kept"]
    with zipfile.ZipFile(tmp_path / "trace.zip") as trace:
        assert "trace.trace" in trace.namelist()


async def test_a_trace_of_a_program_has_pictures(workshop: Workshop, site: Site) -> None:
    program = f"""
await context.tracing.start(screenshots=True)
await page.goto("{site.page("form")}")
await page.get_by_label("Name").fill("Ada")
await context.tracing.stop(path="pictures.zip")
"""
    await workshop.do("browser_run_python", program=program)
    with zipfile.ZipFile(workshop.folder / "pictures.zip") as trace:
        assert any(name.endswith((".jpeg", ".png")) for name in trace.namelist())


async def test_rules_of_tools_go_before_those_of_programs(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.do("browser_route", action="block", url="/blocked")
    program = """
await page.route("**/echo*", lambda route: route.fulfill(body="the program's"))
await page.route("**/blocked*", lambda route: route.fulfill(body="the program's"))
read = "(path) => fetch(path).then((answer) => answer.text(), () => 'nothing')"
for path in ("/echo", "/blocked", "/pages/select.html"):
    print((await page.evaluate(read, path))[:15])
await page.unroute_all()
print((await page.evaluate(read, "/blocked")), (await page.evaluate(read, "/pages/form.html"))[:15])
"""
    lines = (await run(workshop, program)).splitlines()[1:-1]
    assert lines == ["the program's", "nothing", "<!doctype html>", "nothing <!doctype html>"]
    await workshop.do("browser_route", action="clear")


def test_programs_are_off_and_not_for_whoever_comes_over_http(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "patchright_mcp", "--caps", "code", "--port", "0"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert ended.returncode == 2
    assert "--allow-remote-code" in ended.stderr


async def test_programs_are_off_unless_asked_for(tmp_path: Path) -> None:
    async with serve("--headless", cwd=tmp_path) as server:
        listed = await server.session.list_tools()
        assert "browser_run_python" not in [tool.name for tool in listed.tools]
