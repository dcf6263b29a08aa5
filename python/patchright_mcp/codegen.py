"""Records a person's actions in a window as a script.

    python -m patchright_mcp.codegen https://example.com
    python -m patchright_mcp.codegen --language typescript --output test_shop.spec.ts https://example.com

It opens a browser at that address. When its tab or its window is closed, or by Ctrl-C, the script is printed,
or written to the file. It is a test for `pytest -p patchright_mcp.pytest_plugin`, or for Playwright's own
runner. What is typed into a field for passwords is not written: the script reads it from the environment.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from contextlib import suppress
from pathlib import Path

from .async_api import async_playwright
from .errors import Error

__all__ = ["main"]

READY = "Do it in the window. Close its tab to have the script."


async def _show(chosen: argparse.Namespace) -> str:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(
            headless=False,
            channel=chosen.channel,
            executable_path=chosen.executable_path,
            handle_sigint=False,
        )
        context = await browser.new_context()
        page = await context.new_page()
        await page.goto(chosen.url)
        recording = await page.record_script(language=chosen.language)
        sys.stderr.write(f"{READY}\n")
        sys.stderr.flush()
        with suppress(asyncio.CancelledError):  # After Ctrl-C, the script recorded so far is written.
            if not page.is_closed():
                await page.wait_for_event("close", timeout=0)
        return recording.written


def main(arguments: list[str] | None = None) -> None:
    """Opens the window, and writes the script when it closes."""
    parser = argparse.ArgumentParser(
        prog="python -m patchright_mcp.codegen",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("url", help="where to begin")
    parser.add_argument("--language", choices=("python", "typescript"), default="python")
    parser.add_argument("-o", "--output", type=Path, help="the file to write. Default: standard output")
    parser.add_argument("--channel", help="such as chrome or msedge")
    parser.add_argument("--executable-path", help="the browser to start")
    chosen = parser.parse_args(arguments)
    try:
        written = asyncio.run(_show(chosen))
    except Error as error:
        if error._code != "no_display":  # noqa: SLF001  (A class of this library.)
            sys.exit(str(error))
        sys.exit(f"There is no display to show a window on: xvfb-run -a {parser.prog} {chosen.url}")
    if chosen.output:
        chosen.output.write_text(written)
    else:
        sys.stdout.write(written)


if __name__ == "__main__":
    main()
