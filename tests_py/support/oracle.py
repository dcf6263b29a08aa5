"""Holds snapshots against Chromium's own accessibility tree, on pages that no one here need have written.

`python -m tests_py.support.oracle FOLDER_OR_URL …` says for each page what is missing in its snapshot, and
what is only there; `--wait SECONDS` for pages that build themselves.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import re
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from patchright_mcp.async_api import CDPSession, Error, async_playwright
from tests_py.support.client import Server, serve
from tests_py.support.family import Family
from tests_py.support.site import Site
from tests_py.support.visitor import Line
from tests_py.support.wire import until

ACTS = set(
    "button link textbox searchbox checkbox radio combobox listbox slider spinbutton switch tab "  # noqa: SIM905
    "menuitem menuitemcheckbox menuitemradio option treeitem".split()
)
"""Roles that are there to be acted on."""

OTHER_WORDS = {
    "DisclosureTriangle": "button",
    "ColorWell": "textbox",
    "Date": "textbox",
    "DateTime": "textbox",
    "InputTime": "textbox",
    "MenuListOption": "option",
    "ListBoxOption": "option",
    "PopUpButton": "combobox",
}
"""What the browser calls otherwise than ARIA does."""

DRAWN_BY_THE_BROWSER = {"Date", "DateTime", "InputTime", "ColorWell", "Video", "Audio"}
"""Roles of what has parts that are no elements of the page: it is filled and played as a whole."""

STRETCH = re.compile(r"\[ref=(\w+-e\d+)\]")
"""What stands for several lines that were left out."""

LEFT_OUT = re.compile(r"^Left out: .* Most is in ([\w, ]+)\.$", re.MULTILINE)
"""The parts of which most was left out."""

SMALLEST = 2
"""Pixels: what is smaller nobody points at."""

IS_POINTED_AT = """function () {
  this.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const labels = [this, ...(this.labels ?? [])];
  const isOurs = (hit) => hit && labels.some((part) => part.contains(hit));
  return [...this.getClientRects()].some((box) => {
    const hit = this.getRootNode().elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
    return isOurs(hit);
  });
}"""


def plain(text: str) -> str:
    """A name without what may be told in several ways: blanks, quotes, marks that nobody sees."""
    return (
        re.sub(r"[\s\u200b-\u200f\u202a-\u202e\u2060-\u2069\u00ad\u00a0\"'“”\u2018\u2019\\]+", " ", text)
        .strip()
        .lower()
    )


@dataclass(frozen=True)
class Node:
    """A node of the accessibility tree that can be acted on."""

    role: str
    name: str
    backend: int


@dataclass
class Verdict:
    """What a snapshot and the accessibility tree say of one page."""

    page: str
    found: int = 0
    hidden: int = 0
    """Named nodes that the snapshot leaves out and nobody can point at."""
    missing: list[str] = field(default_factory=list)
    unfounded: list[str] = field(default_factory=list)
    """What the snapshot calls a control and the browser does not."""

    @property
    def wanted(self) -> int:
        """How many nodes should be in the snapshot."""
        return self.found + len(self.missing)

    def __str__(self) -> str:
        parts = [f"{self.page}: {self.found} of {self.wanted}"]
        parts += [f"missing {self.missing[:5]}"] if self.missing else []
        parts += [f"only ours {self.unfounded[:5]}"] if self.unfounded else []
        return ", ".join(parts)


class Oracle:
    """A browser, our server that acts in it, and a session that asks the browser itself."""

    def __init__(self, server: Server, browser: Any) -> None:  # noqa: ANN401
        self.server = server
        self._browser = browser

    async def judge(self, url: str, wait: float = 0) -> Verdict:
        """Opens a page, and compares what the server and the browser say of it."""
        await self.server.open(url)
        # Whether the page asks something by now or in a moment, it is not to stand still for that.
        await self.server.call("browser_handle_dialog", accept=False)
        await asyncio.sleep(wait)
        shown = await self.server.call("browser_snapshot", allRefs=True)
        assert not shown.is_error, shown.text
        outline = shown.section("Snapshot") if shown.has_section("Snapshot") else ""
        # Lists of links on one line, and parts that are told in short: each can be asked for.
        named = ", ".join(LEFT_OUT.findall(shown.text)).split(", ")
        for part_ref in [*STRETCH.findall(outline), *filter(None, named)]:
            part = await self.server.call("browser_snapshot", ref=part_ref, allRefs=True)
            assert not part.is_error, part.text
            outline += part.section("Snapshot")
        cdp = await self._session(url)
        try:
            return await _compare(url, outline, cdp)
        finally:
            await cdp.detach()

    async def _session(self, url: str) -> CDPSession:
        pages = [page for context in self._browser.contexts for page in context.pages]
        page = next(page for page in reversed(pages) if _same(page.url, url))
        session: CDPSession = await page.context.new_cdp_session(page)
        return session


def _same(one: str, other: str) -> bool:
    return one.partition("#")[0] == other.partition("#")[0]


async def _compare(url: str, outline: str, cdp: CDPSession) -> Verdict:
    verdict = Verdict(url)
    reported = plain(re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), outline))
    nodes = await _nodes(cdp)
    for node in nodes:
        name = plain(node.name)[:60]
        if node.role not in ACTS or not name or not await _has_size(cdp, node):
            continue
        if name in reported:
            verdict.found += 1
        elif await _is_pointed_at(cdp, node):
            verdict.missing.append(f"{node.role} {node.name[:60]!r}")
        else:
            verdict.hidden += 1
    known = {(node.role, plain(node.name)) for node in nodes}
    known |= {("link", plain(name)) for name in await _areas(cdp)}
    unhandled = {plain(text) for text in await _unhandled(cdp)}
    for line in _outside_frames(outline):
        is_known = (line.role, plain(line.name)) in known or plain(line.name) in unhandled
        if line.role in ACTS and not is_known and not _has_reason(line, known):
            verdict.unfounded.append(f"{line.role} {line.name[:60]!r}")
    return verdict


def _outside_frames(outline: str) -> Iterable[Line]:
    """The lines of the page itself: a frame of another process has a tree of its own."""
    frame = None
    for line in filter(None, map(Line.read, outline.splitlines())):
        if frame is not None and line.depth > frame:
            continue
        frame = line.depth if line.role == "iframe" else None
        yield line


def _has_reason(line: Line, known: set[tuple[str, str]]) -> bool:
    """What we call otherwise on purpose."""
    name = plain(line.name)
    roles = {role for role, said in known if said == name}
    if line.role in {"checkbox", "radio", "switch"} and "LabelText" in {role for role, _ in known}:
        return True  # Its control is not drawn: the label is what a person clicks.
    if line.role == "option":
        return True  # The browser leaves out the options of a closed list.
    if line.role == "textbox" and "generic" in {role for role, _ in known}:
        return not name or bool(roles)  # An editor is there to be typed into, whatever the page calls it.
    return False


async def _nodes(cdp: CDPSession) -> list[Node]:
    tree = await cdp.send("Page.getFrameTree")
    found = []
    for frame in _frames(tree["frameTree"]):
        with suppress(Error):  # A frame of another process.
            answer = await cdp.send("Accessibility.getFullAXTree", {"frameId": frame})
            found += list(_reported(answer["nodes"]))
    return found


async def _areas(cdp: CDPSession) -> list[str]:
    """The names of image maps' areas, of which the browser's tree says nothing."""
    names = "[...document.querySelectorAll('area[href]')].map((area) => area.alt)"
    answer = await cdp.send("Runtime.evaluate", {"expression": names, "returnByValue": True})
    return list(answer["result"]["value"])


async def _unhandled(cdp: CDPSession) -> list[str]:
    """The texts of controls that are painted, and of which the browser's tree says nothing."""
    texts = (
        "[...document.querySelectorAll('[aria-hidden=true] button, button[aria-hidden=true], [inert] button,"
        " button[inert]')].map((button) => button.textContent)"
    )
    answer = await cdp.send("Runtime.evaluate", {"expression": texts, "returnByValue": True})
    return list(answer["result"]["value"])


def _frames(tree: dict[str, Any]) -> Iterable[str]:
    yield tree["frame"]["id"]
    for child in tree.get("childFrames", []):
        yield from _frames(child)


def _reported(nodes: list[dict[str, Any]]) -> Iterable[Node]:
    by_id = {node["nodeId"]: node for node in nodes}

    def role_of(node: dict[str, Any]) -> str:
        return str(node.get("role", {}).get("value", ""))

    def is_part(node: dict[str, Any]) -> bool:
        holder = by_id.get(node.get("parentId"))
        return holder is not None and (role_of(holder) in DRAWN_BY_THE_BROWSER or is_part(holder))

    for node in nodes:
        if not node.get("ignored") and "backendDOMNodeId" in node and not is_part(node):
            role = role_of(node)
            name = node.get("name", {}).get("value", "")
            yield Node(OTHER_WORDS.get(role, role), name, node["backendDOMNodeId"])


async def _has_size(cdp: CDPSession, node: Node) -> bool:
    try:
        box = (await cdp.send("DOM.getBoxModel", {"backendNodeId": node.backend}))["model"]
    except Error:
        return False
    return bool(box["width"] >= SMALLEST and box["height"] >= SMALLEST)


async def _is_pointed_at(cdp: CDPSession, node: Node) -> bool:
    """Whether a person could point at it, once it is scrolled to: the tree also has what is clipped away."""
    try:
        found = await cdp.send("DOM.resolveNode", {"backendNodeId": node.backend})
        asked = {"objectId": found["object"]["objectId"], "functionDeclaration": IS_POINTED_AT}
        answer = await cdp.send("Runtime.callFunctionOn", {**asked, "returnByValue": True})
    except Error:
        return False
    return bool(answer["result"].get("value"))


@asynccontextmanager
async def oracle() -> AsyncIterator[Oracle]:
    """Starts a browser, attaches our server to it, and a session of the protocol beside it."""
    with tempfile.TemporaryDirectory(prefix="oracle-") as profile:
        options = ["--headless=new", "--no-sandbox", "--no-first-run", "--window-size=1280,800"]
        options += ["--remote-debugging-port=0", f"--user-data-dir={profile}"]
        options += ["--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1"]
        # Chromium leaves the socket of its profile among the temporary files.
        env = {**os.environ, "TMPDIR": profile}
        command = ["chromium", *options, "about:blank"]
        process = subprocess.Popen(command, env=env, stderr=subprocess.DEVNULL)  # noqa: ASYNC220
        try:
            endpoint = await _endpoint(Path(profile, "DevToolsActivePort"))
            arguments = ["--cdp-endpoint", endpoint, "--snapshot-max-chars", "2000000"]
            async with serve(*arguments) as server, async_playwright() as patchright:
                yield Oracle(server, await patchright.chromium.connect_over_cdp(endpoint))
        finally:
            # The browser's helper processes write to the profile until they end.
            family = Family(profile, process.pid)
            family.processes()
            process.terminate()
            process.wait(20)
            until(lambda: not family.processes(), "the end of the browser")


async def _endpoint(port: Path) -> str:
    """The address of the browser that writes its port to this file."""

    def wait() -> str:
        until = time.monotonic() + 30
        while not port.exists() or not port.read_text().strip():
            assert time.monotonic() < until, "the browser did not start"
            time.sleep(0.05)
        return port.read_text().split()[0]

    return "http://127.0.0.1:" + await asyncio.to_thread(wait)


def _addresses(site: Site, places: list[str]) -> Iterable[str]:
    for number, place in enumerate(places):
        folder = Path(place)
        if not folder.is_dir():
            yield place
            continue
        site.mount(f"folder{number}", folder)
        for page in sorted(folder.rglob("*.html")):
            yield site.url(f"/folder{number}/{page.relative_to(folder)}")


async def _main() -> None:
    parser = argparse.ArgumentParser(prog="tests_py.support.oracle", description=__doc__)
    parser.add_argument("places", nargs="+", help="folders of pages, and addresses")
    parser.add_argument("--wait", type=float, default=0, help="seconds that each page has to build itself")
    options = parser.parse_args()
    verdicts = []
    with Site() as site:
        async with oracle() as judge:
            for url in _addresses(site, options.places):
                verdicts.append(await judge.judge(url, options.wait))
                print(verdicts[-1], flush=True)  # noqa: T201
    found, wanted = sum(one.found for one in verdicts), sum(one.wanted for one in verdicts)
    print(f"{found} of {wanted} ({found / max(wanted, 1):.2%}) on {len(verdicts)} pages")  # noqa: T201


if __name__ == "__main__":
    asyncio.run(_main())
