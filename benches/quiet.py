"""What pages notice of a browser that we drive, beside the same browser started by hand.

python -m benches.quiet [--browser firefox] [--write]

Each column is one run on `tests/pages/traps.html`, with a window (under Xvfb where there is no screen) and
without. Ours does a whole task on the page, once with the server's tools and once as a script; the plain
browser only opens it, since nobody is there to do more. BotD, a public detector, is asked too, where
`scripts/prepare botd` could fetch it. `--write` renews the table in docs/concepts/quiet.md. On Firefox the
task is done by the server alone, as it is started by default and with `--hide-webdriver`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from patchright_mcp.async_api import async_playwright
from tests_py.support.client import serve
from tests_py.support.screen import screen
from tests_py.support.site import KINDS, Site
from tests_py.support.traps import TRAPS, Notes, notes_of, visit, visit_by_script

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "concepts" / "quiet.md"
BOTD = ROOT / "target" / "quiet" / "package" / "dist" / "botd.esm.js"
MARKS = {
    "chromium": ("<!-- table -->\n", "<!-- end of table -->\n"),
    "firefox": ("<!-- table of Firefox -->\n", "<!-- end of the table of Firefox -->\n"),
}
PROGRAMS = {
    "chromium": ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    "firefox": ("firefox", "firefox-esr"),
}
BOTD_PAGE = """<!doctype html><title>BotD</title><script type="module">
import { load } from "/botd.js";
const found = (await load()).detect();
const name = new URLSearchParams(location.search).get("name");
const body = JSON.stringify({ facts: { loaded: true, found }, catches: [] });
fetch("/notes?name=" + name, { method: "POST", body });
</script>"""


@dataclass(frozen=True)
class Column:
    """One browser, in one mode."""

    title: str
    notes: Notes
    acted: bool
    botd: Notes | None


def main() -> int:
    """Looks, prints the table, and says with its status whether we are as quiet as the plain browser."""
    parser = argparse.ArgumentParser(description="See what pages notice of us.")
    parser.add_argument("--write", action="store_true", help="renew the table in docs/concepts/quiet.md")
    parser.add_argument("--browser", choices=list(MARKS), default="chromium")
    given = parser.parse_args()
    with Site() as site, screen("1920x1080") as display:
        assert display, "there is no screen, and no Xvfb to make one"
        os.environ["DISPLAY"] = display
        if BOTD.exists():
            site.publish("/botd.js", BOTD.read_bytes(), KINDS[".js"])
        site.publish("/botd", BOTD_PAGE)
        columns = [
            column
            for headless in (True, False)
            for column in compared(site, given.browser, headless=headless)
        ]
    table, loud = judge(columns)
    print(table)
    if given.write:
        start, end = MARKS[given.browser]
        before, _, rest = PAGE.read_text().partition(start)
        PAGE.write_text(before + start + table + end + rest.partition(end)[2])
    for line in loud:
        print(line, file=sys.stderr)
    return 1 if loud else 0


def compared(site: Site, browser: str, *, headless: bool) -> Iterator[Column]:
    """The plain browser and ours, in one mode."""
    mode = "without a window" if headless else "with a window"
    key = "headless" if headless else "headed"
    with plain(browser, f"{site.url('/pages/traps.html')}?name=plain-{key}", headless=headless):
        notes = notes_of(site, f"plain-{key}")
    botd = None
    if BOTD.exists():
        with plain(browser, f"{site.url('/botd')}?name=plain-{key}-botd", headless=headless):
            botd = notes_of(site, f"plain-{key}-botd")
    yield Column(f"plain, {mode}", notes, acted=False, botd=botd)
    flags = ["--browser", browser, "--login-timeout", "1", "--headless", "true" if headless else "false"]
    yield asyncio.run(ours(site, key, f"the server, {mode}", flags))
    if browser == "firefox":
        title = f"the server, {mode}, `--hide-webdriver`"
        yield asyncio.run(ours(site, f"{key}-hidden", title, [*flags, "--hide-webdriver"]))
    else:
        yield asyncio.run(script(site, key, f"a script, {mode}"))


async def ours(site: Site, key: str, title: str, flags: list[str]) -> Column:
    """Our server, doing a whole task."""
    with tempfile.TemporaryDirectory() as folder:
        async with serve(*flags, env=dict(os.environ), cwd=Path(folder)) as server:
            notes = await visit(server, site, f"ours-{key}", is_noticed="firefox" in flags)
            botd = None
            if BOTD.exists():
                await server.open(f"{site.url('/botd')}?name=ours-{key}-botd")
                botd = notes_of(site, f"ours-{key}-botd")
    return Column(title, notes, acted=True, botd=botd)


async def script(site: Site, key: str, title: str) -> Column:
    """Our library, doing the same."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(headless=key == "headless")
        context = await browser.new_context()
        notes = await visit_by_script(context, site, f"script-{key}")
        botd = None
        if BOTD.exists():
            await (await context.new_page()).goto(f"{site.url('/botd')}?name=script-{key}-botd")
            botd = notes_of(site, f"script-{key}-botd")
        await browser.close()
    return Column(title, notes, acted=True, botd=botd)


@contextmanager
def plain(browser: str, url: str, *, headless: bool) -> Iterator[None]:
    """The browser as a person starts it, on a fresh profile."""
    program = next(path for name in PROGRAMS[browser] if (path := shutil.which(name)))
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        if browser == "firefox":
            flags = ["--no-remote", "--profile", profile, *(["--headless"] if headless else [])]
        else:
            flags = [f"--user-data-dir={profile}", "--no-first-run", "--no-default-browser-check"]
            flags += ["--headless=new"] if headless else []
            flags += ["--no-sandbox"] if os.geteuid() == 0 else []
        process = subprocess.Popen(
            [program, *flags, url],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            yield
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def judge(columns: list[Column]) -> tuple[str, list[str]]:
    """The table, and what a page notices of ours that is not so of the machine."""
    lines = ["| what a page looks for | " + " | ".join(column.title for column in columns) + " |"]
    lines.append("|---" * (len(columns) + 1) + "|")
    loud = []
    for trap in TRAPS:
        cells = []
        for column in columns:
            found = trap.found(column.notes) if column.acted or not trap.acts else None
            cells.append("–" if trap.acts and not column.acted else "**found**" if found else "nothing")
            if found and column.acted and trap.kind != "machine":
                loud.append(f"{column.title}: {trap.name}: {json.dumps(found)}")
        lines.append(f"| {trap.name} | " + " | ".join(cells) + " |")
    cells = []
    for column in columns:
        is_bot = column.botd and column.botd["facts"]["found"]["bot"]
        cells.append("not asked" if column.botd is None else "a bot" if is_bot else "not a bot")
        if is_bot and column.acted:
            loud.append(f"{column.title}: BotD: {json.dumps(column.botd)}")
    lines.append("| [BotD](https://github.com/fingerprintjs/BotD) says | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n", loud


if __name__ == "__main__":
    sys.exit(main())
