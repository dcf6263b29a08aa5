"""The main job: an MCP client has the server open a page, read it, fill its form and click.

Usage: python demo/demo.py [URL]

The client is the official Python SDK's. Without an address, a page beside this file is served on loopback.
On a page of yours it types into the first field and clicks the first button it finds.
"""

from __future__ import annotations

import asyncio
import functools
import os
import re
import sys
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING

from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp.types import CallToolResult, TextContent

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
OUTPUT = HERE.parent / "demo-output"
BOOKING = {"Your name": "Ada Lovelace", "Guests": "4", "Wishes": "A quiet corner."}
ELEMENT = re.compile(r'- (?P<role>\w+) "(?P<name>[^"]*)".*\[ref=(?P<ref>\w+)\]')


async def main(url: str | None) -> int:
    """Runs the demo and returns the exit status."""
    with served_page() as bundled:
        async with stdio_client(server()) as streams, ClientSession(*streams) as session:
            hello = await session.initialize()
            print(f"Connected to {hello.server_info.name} {hello.server_info.version}.")
            await tour(session, url or bundled, BOOKING if url is None else {})
    return 0


async def tour(session: ClientSession, url: str, entries: dict[str, str]) -> None:
    """Opens a page, fills and clicks, and takes its picture."""
    heading(f"Open {url}")
    await call(session, "browser_navigate", url=url)

    heading("What the page looks like to a model")
    snapshot = await call(session, "browser_snapshot")
    print(snapshot)

    fields = [element for element in elements(snapshot) if element["role"] in {"textbox", "searchbox"}]
    for field in fields if entries else fields[:1]:
        text = entries.get(field["name"], "Hello from an MCP client")
        heading(f"Type {text!r} into {field['name']!r}")
        print(await call(session, "browser_type", element=field["name"], target=field["ref"], text=text))

    buttons = [element for element in elements(snapshot) if element["role"] == "button"]
    for button in buttons[:1]:
        heading(f"Click {button['name']!r}, and see what changed")
        print(await call(session, "browser_click", element=button["name"], target=button["ref"]))

    heading("Take a picture")
    await call(session, "browser_take_screenshot", filename="page.png")
    print(f"The picture is {OUTPUT / 'page.png'}")
    await call(session, "browser_close")


async def call(session: ClientSession, tool: str, **arguments: object) -> str:
    """Calls a tool and returns its text. A failed tool ends the demo with what it said."""
    result = await session.call_tool(tool, arguments)
    assert isinstance(result, CallToolResult)
    text = "\n".join(part.text for part in result.content if isinstance(part, TextContent))
    if result.is_error:
        raise SystemExit(f"{tool} failed:\n{text}")
    return text


def elements(snapshot: str) -> list[dict[str, str]]:
    """The named elements of a snapshot."""
    return [found.groupdict() for found in ELEMENT.finditer(snapshot)]


def server() -> StdioServerParameters:
    """How to start the server: with a window where there is a display, without one elsewhere."""
    OUTPUT.mkdir(exist_ok=True)
    arguments = ["-m", "patchright_mcp", "--screenshot-dir", str(OUTPUT)]
    displays = {name: os.environ[name] for name in ("DISPLAY", "WAYLAND_DISPLAY") if name in os.environ}
    if not displays and sys.platform == "linux":
        arguments.append("--headless")
    kept = {name: os.environ[name] for name in ("XAUTHORITY", "XDG_RUNTIME_DIR") if name in os.environ}
    return StdioServerParameters(command=sys.executable, args=arguments, env={**displays, **kept})


@contextmanager
def served_page() -> Iterator[str]:
    """Serves the bundled page on loopback for as long as the demo runs."""
    handler = functools.partial(Quiet, directory=str(HERE / "page"))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as site:
        Thread(target=site.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{site.server_port}/"
        finally:
            site.shutdown()


class Quiet(SimpleHTTPRequestHandler):
    """Serves files and says nothing about it."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nothing."""


def heading(text: str) -> None:
    """Announces a step."""
    print(f"\n\033[1m▸ {text}\033[0m" if sys.stdout.isatty() else f"\n▸ {text}", flush=True)


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else None)))
