"""How long the server takes: to start, and for each tool on a real page.

Usage: python -m benches.server [--python PYTHON] [--rounds N] [--against NAME=COMMAND] …

Beside that: how many characters a model reads of five kinds of page, and of the answer to a click there.

Each round is a fresh server, and servers take turns within a round, so that the machine's noise falls on
all of them. `--against` measures any other MCP server whose tools have the names of Playwright's, or of
Chrome's own server; `playwright-mcp` is measured along when it is installed. "raw CDP" is the browser told by
hand (`benches/protocol.py`): nothing is waited for that the protocol does not make one wait for. Results are
kept in target/bench/results.json, and the next run says what changed.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benches.dialects import in_words_of
from benches.kinds import KINDS
from benches.protocol import measure_protocol
from tests_py.support.site import ROUTES, Answer, Request, Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import TracebackType

    from typing_extensions import Self

RESULTS = Path("target/bench/results.json")
REF = re.compile(r"\[ref=(\w+)\]|\buid=(\w+)")
SESSION_ID = re.compile(r'"sessionId":\s*"([^"]+)"')
CAPS = "vision,pdf,find,steps,extract,network,storage,emulation,code,testing,evidence,devtools,webmcp"
EVERYTHING = ["--caps", CAPS, "--login-timeout", "1"]
CLAUDE = ["--toolsets", "claude"]
RESAMPLES = 1000
Samples = dict[str, list[float]]


def main() -> int:
    """Measures, prints a table, and keeps the samples."""
    options = arguments()
    commands = {
        "ours": [options.python, "-m", "patchright_mcp", "--headless", *EVERYTHING],
        **peers(options.against),
    }
    samples: dict[str, Samples] = {name: defaultdict(list) for name in commands}
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    raw: Samples = defaultdict(list)
    with Site() as site:
        for number in range(options.rounds):
            print(f"Round {number + 1} of {options.rounds}: load {os.getloadavg()[0]:.1f}", file=sys.stderr)
            order = list(commands) if number % 2 == 0 else list(reversed(commands))
            for name in order:
                measure_start(commands[name], samples[name], options.starts)
                measure_exit(commands[name], samples[name], site, options.samples)
                if options.samples:
                    measure_tools(commands[name], samples[name], site, options.samples)
            if browser and options.samples:
                measure_protocol(browser, raw, site, options.samples)
            if options.samples:
                own = [options.python, "-m", "patchright_mcp", "--headless", *CLAUDE]
                measure_claude(own, samples["ours"], site)
        if options.samples:
            print_characters({name: measure_characters(command, site) for name, command in commands.items()})
    if raw:
        samples["raw CDP"] = raw
    before = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    print_table(samples, before)
    RESULTS.parent.mkdir(parents=True, exist_ok=True)
    RESULTS.write_text(json.dumps(samples, indent=1))
    return 0


def arguments() -> argparse.Namespace:
    """What was asked for on the command line."""
    parser = argparse.ArgumentParser(description="Measure how fast the server starts and works.")
    parser.add_argument("--python", default=sys.executable, help="the interpreter that has the server")
    parser.add_argument("--rounds", type=int, default=3, help="fresh servers per program")
    parser.add_argument("--starts", type=int, default=10, help="starts measured in each round")
    parser.add_argument("--samples", type=int, default=10, help="calls of each tool in each round, or 0")
    parser.add_argument("--against", action="append", default=[], metavar="NAME=COMMAND")
    return parser.parse_args()


def peers(named: list[str]) -> dict[str, list[str]]:
    """Other servers to measure: those named, and the one that is well known, if it is here."""
    found = {name: shlex.split(command) for name, _, command in (each.partition("=") for each in named)}
    program, browser = shutil.which("playwright-mcp"), shutil.which("chromium")
    if program and browser and "playwright-mcp" not in found:
        flags = ["--headless", "--isolated", "--no-sandbox", "--executable-path", browser]
        found["playwright-mcp"] = [program, *flags]
    return found


def measure_start(command: list[str], samples: Samples, times: int) -> None:
    """From the start of the process to its answers, without a browser."""
    for _ in range(times):
        begin = time.perf_counter()
        with Client(command) as client:
            client.shake_hands()
            samples["start → initialize"].append(since(begin))
            client.ask("tools/list")
            samples["start → tools/list"].append(since(begin))


def measure_exit(command: list[str], samples: Samples, site: Site, times: int) -> None:
    """From the end of its input to the end of the server, with a page open."""
    for _ in range(times):
        with Client(command) as client:
            client.shake_hands()
            client.call("browser_navigate", url=site.page("form"))
            begin = time.perf_counter()
            client.end()
            samples["exit, with a page"].append(since(begin))


def measure_tools(command: list[str], samples: Samples, site: Site, times: int) -> None:
    """The tools that are used most, many times; then each of the others."""
    small, large, consequences = (
        site.page("form"),
        site.url("/large?elements=10000"),
        site.page("consequences"),
    )
    with Client(command) as client:
        client.shake_hands()
        client.learn_tools()
        client.timed(samples, "first navigate, with launch", "browser_navigate", url=small)
        for _ in range(times):
            page = client.timed(samples, "navigate, small page", "browser_navigate", url=small)
            page = client.timed(samples, "snapshot, small page", "browser_snapshot")
            client.timed(samples, "evaluate", "browser_evaluate", function="() => 6 * 7")
            client.act(samples, "type", "browser_type", ref_in(page, 'textbox "Name"'), text="Ada Lovelace")
            client.timed(samples, "screenshot", "browser_take_screenshot")
            client.timed(samples, "navigate, large page", "browser_navigate", url=large)
            client.timed(samples, "snapshot, large page", "browser_snapshot")
            client.call("browser_navigate", url=consequences)
            page = client.call("browser_snapshot")
            client.act(samples, "click, nothing follows", "browser_click", ref_in(page, 'button "Nothing"'))
            after = client.act(samples, "click, a change", "browser_click", ref_in(page, "Change at once"))
            assert "Changed at once" in after or "Changed at once" in client.call("browser_snapshot")
            client.act(
                samples, "click, a navigation", "browser_click", ref_in(page, 'link "To the form, here"')
            )
            client.timed(samples, "browser_navigate_back", "browser_navigate_back")
        if client.has_everything():
            measure_every_tool(client, samples, site)
            measure_at_once(client, samples, site)


def measure_every_tool(client: Client, samples: Samples, site: Site) -> None:
    """The tools that are left, each once, on pages that need them."""

    def timed(tool: str, **values: object) -> str:
        return client.timed(samples, tool, tool, **values)

    def on(ref: str) -> dict[str, str]:
        return {"ref": ref}

    page = client.call("browser_navigate", url=site.page("fields"))
    fields = [("Name", "textbox", "Ada"), ("Volume", "slider", "30"), ("Fruit", "combobox", "Banana")]
    filled = [
        {"name": name, "type": kind, "ref": ref_in(page, f'"{name}"'), "value": value}
        for name, kind, value in fields
    ]
    timed("browser_fill_form", fields=filled)
    timed("browser_select_option", **on(ref_in(page, '"Tags"')), values=["Red"])
    timed("browser_press_key", key="Tab")
    timed("browser_wait_for", text="Name")
    timed("browser_console_messages")
    timed("browser_network_requests")
    timed("browser_find", text="name")
    timed("browser_pdf_save")
    page = client.call("browser_navigate", url=site.page("handles"))
    timed("browser_hover", **on(ref_in(page, 'button "Menu"')))
    timed("browser_drag", startRef=ref_in(page, '"Cargo"'), endRef=ref_in(page, '"Hold"'))
    timed("browser_scroll_into_view", **on(ref_in(page, '"Far below"')))
    client.call("browser_click", **on(ref_in(page, '"Choose one"')))
    timed("browser_file_upload")
    timed("browser_mouse_move_xy", x=20, y=20)
    timed("browser_mouse_click_xy", x=500, y=20)
    timed("browser_mouse_drag_xy", startX=500, startY=20, endX=520, endY=40)
    timed("browser_steps", steps=[{"tool": "browser_press_key", "arguments": {"key": "Tab"}}])
    page = client.call("browser_navigate", url=site.page("dialogs"))
    client.call("browser_click", **on(ref_in(page, '"Confirm"')))
    timed("browser_handle_dialog", accept=True)
    timed("browser_tabs", action="new")
    timed("browser_resize", width=800, height=600)
    timed("browser_close")
    timed("browser_context_create", name="bench")
    timed("browser_context_list")
    timed("browser_context_switch", name="default")
    timed("browser_context_save_storage", path="bench.json")
    timed("browser_context_close", name="bench")
    timed("browser_install")
    measure_capabilities(timed, client, site)
    measure_sessions(client, samples, site)
    missing = client.unmeasured()
    assert not missing, f"these tools are not measured: {missing}"


def measure_capabilities(timed: Callable[..., str], client: Client, site: Site) -> None:
    """The tools of the families behind `--caps`, and the rest of those that read and wait."""
    page = client.call("browser_navigate", url=site.page("fields"))
    timed("browser_history", action="reload")
    timed("browser_read")
    timed("browser_extract", each="body", fields={"label": "label"})
    timed("browser_crawl", url=site.page("fields"), folder="crawled", maxPages=1)
    found = timed("browser_network_search", url="fields")
    timed("browser_network_request", id=id_in(found))
    timed("browser_route", action="block", list="ads")
    timed("browser_request", url=site.page("form"))
    timed("browser_cookies", action="list")
    timed("browser_storage", action="list")
    timed("browser_access", headers={"X-Bench": "1"})
    timed("browser_emulate", colorScheme="dark", locale="de-DE")
    timed("browser_run", code="return page.title()")
    timed("browser_run_python", program="print(await page.title())")
    timed("browser_expect", **{"is": "title", "expected": title_in(page)})
    timed("browser_export_script")
    timed("browser_picture", labels=True)
    timed("browser_record", action="mhtml")
    timed("browser_inspect", what="accessibility")
    timed("browser_page_tool")
    client.call("browser_navigate", url=site.page("handles"))
    timed("browser_scroll", direction="down")
    # Nobody comes, and without a window nobody could: how long that takes is no figure of interest.
    client.refused("browser_ask_person", reason="A bench")


def id_in(found: str) -> int:
    """The number of the first request that an answer tells."""
    number = re.search(r'"id": (\d+)', found)
    assert number, found
    return int(number[1])


def title_in(page: str) -> str:
    """The title that an answer tells."""
    return page.partition("- Page Title: ")[2].partition("\n")[0]


def measure_claude(command: list[str], samples: Samples, site: Site) -> None:
    """Each member of Claude's toolset, once."""
    with Client(command) as client:
        client.shake_hands()
        client.learn_tools()

        def timed(member: str, **values: object) -> str:
            return client.timed(samples, f"claude: {member}", member, **values)

        timed("navigate", url=site.page("fields"))
        found = timed("find", query="name field")
        target = {"type": "ref", "ref": ref_in(found, '"Name"')}
        place = {"type": "coordinate", "x": 600, "y": 400}
        for member in ("left_click", "right_click", "middle_click", "double_click", "triple_click", "hover"):
            timed(member, target=place)
        timed("left_click_drag", **{"from": place, "target": {**place, "x": 620}})
        for member in ("left_mouse_down", "left_mouse_up", "mouse_move"):
            timed(member, target=place)
        timed("scroll", target=place, scroll_direction="down")
        timed("scroll_to", target=target)
        timed("form_input", target=target, value="Ada")
        client.call("left_click", target=target)
        timed("type", text="L")
        timed("key", text="Tab")
        timed("hold_key", text="Tab", duration=0.05)
        for member in (
            "screenshot",
            "read_page",
            "get_page_text",
            "read_console",
            "read_network",
            "list_tabs",
        ):
            timed(member)
        timed("zoom", region=[0, 0, 100, 100])
        timed("wait", duration=0)
        timed("javascript_exec", text="6 * 7")
        ROUTES["upload"] = partial(serve_body, "<input type=file aria-label=Photo>")
        client.call("navigate", url=site.url("/upload"))
        photo = {"type": "ref", "ref": ref_in(client.call("find", query="photo"), "Photo")}
        timed("file_upload", target=photo, paths=[client.file("photo.txt")])
        timed("new_tab")
        tab = re.findall(r"\(current\).*\[tab=(\w+)\]", client.call("list_tabs"))[0]
        timed("switch_tab", tab_id=tab)
        timed("close_tab", tab_id=tab)
        missing = client.unmeasured()
        assert not missing, f"these members are not measured: {missing}"


def measure_sessions(client: Client, samples: Samples, site: Site) -> None:
    """The tools of the other two families."""

    def timed(tool: str, **values: object) -> str:
        return client.timed(samples, f"{tool}, by selector" if "selector" in values else tool, tool, **values)

    form, changes = site.page("form"), site.page("consequences")
    timed("patchright_fetch", url=form)
    timed("patchright_screenshot", url=form)
    timed("patchright_click", url=changes, selector="#now")
    timed("patchright_fill_form", url=form, fields={"[name=name]": "Ada"})
    timed("patchright_execute_js", url=form, script="6 * 7")
    session = SESSION_ID.findall(timed("create_session"))[0]
    timed("navigate", sessionId=session, url=changes)
    timed("click", sessionId=session, selector="#now")
    timed("navigate", sessionId=session, url=form)
    timed("type", sessionId=session, selector="[name=name]", text="Ada")
    timed("list_sessions")
    timed("close_session", sessionId=session)


def measure_at_once(client: Client, samples: Samples, site: Site) -> None:
    """The same call on one page, and on ten pages at once: ten should take less than three times one."""
    sessions = [SESSION_ID.findall(client.call("create_session"))[0] for _ in range(10)]
    calls: list[dict[str, object]] = []
    for session in sessions:
        page = client.call("browser_navigate", url=site.page("consequences"), sessionId=session)
        calls.append({"ref": ref_in(page, "Change at once"), "sessionId": session})
    for step, some in (("a click, on one page", calls[:1]), ("ten clicks, on ten pages at once", calls)):
        begin = time.perf_counter()
        client.call_at_once("browser_click", some)
        samples[step].append(since(begin))
    for session in sessions:
        client.call("close_session", sessionId=session)


def serve_body(body: str, _request: Request, _rest: str) -> Answer:
    """Answers with a page."""
    return Answer(body)


def measure_characters(command: list[str], site: Site) -> dict[str, tuple[int, int]]:
    """Characters of the snapshot of each kind of page, and of the answer to a click there."""
    characters = {}
    with Client(command) as client:
        client.shake_hands()
        client.learn_tools()
        for number, (kind, make) in enumerate(KINDS.items()):
            ROUTES[f"kind-{number}"] = partial(serve_body, make())
            client.call("browser_navigate", url=site.url(f"/kind-{number}"))
            snapshot = client.call("browser_snapshot")
            # A long snapshot can leave the button out.
            is_shown = '"Change something"' in snapshot
            shown = snapshot if is_shown else client.call("browser_find", text="Change something")
            button = ref_in(shown, '"Change something"')
            answer = client.act(defaultdict(list), kind, "browser_click", button)
            characters[kind] = (len(snapshot), len(answer))
    return characters


def print_characters(characters: dict[str, dict[str, tuple[int, int]]]) -> None:
    """One row a kind of page: the snapshot and the answer to a click, of each server."""
    print_row("characters: snapshot / click", *characters)
    print("|" + "---|" * (1 + len(characters)))
    for kind in KINDS:
        print_row(kind, *(f"{found[kind][0]:,} / {found[kind][1]:,}" for found in characters.values()))
    print()


class Client:
    """A server of its own, spoken to in lines of JSON with nothing between that takes time."""

    def __init__(self, command: list[str]) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="bench-")
        self._process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self._folder.name,
        )
        self._last_id = 0
        self._tools: dict[str, Any] = {}
        self._measured: set[str] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.end()
        self._folder.cleanup()

    def end(self) -> None:
        """Ends the input, and waits for the end of the server."""
        if self._process.stdin and self._process.stdout and not self._process.stdin.closed:
            self._process.stdin.close()
            self._process.stdout.read()
            self._process.stdout.close()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        """Sends a request and returns its result."""
        self._last_id += 1
        self._send({"id": self._last_id, "method": method, "params": params or {}})
        for message in self._messages():
            if message.get("id") == self._last_id and "method" not in message:
                assert "result" in message, message
                result = message["result"]
                assert isinstance(result, dict)
                return result
        raise EOFError(f"the server ended before it answered {method}")

    def shake_hands(self) -> None:
        """Introduces a client, as every connection begins."""
        client = {"name": "bench", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})

    def learn_tools(self) -> None:
        """Looks up what tools there are, and what they take."""
        self._tools = {tool["name"]: tool for tool in self.ask("tools/list")["tools"]}

    def has_everything(self) -> bool:
        """Whether it is a server with all of our tools, and none of an earlier version."""
        return "browser_crawl" in self._tools

    def unmeasured(self) -> list[str]:
        """The tools that were not timed once."""
        return sorted(set(self._tools) - self._measured)

    def call(self, tool: str, **values: object) -> str:
        """Calls a tool, which must work, and returns its text."""
        name, told = in_words_of(self._tools, tool, values)
        result = self.ask("tools/call", {"name": name, "arguments": told})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        assert not result.get("isError"), f"{tool}: {text}"
        return text

    def call_at_once(self, tool: str, calls: list[dict[str, object]]) -> None:
        """Makes all of these calls before the first is answered; all must work."""
        first = self._last_id + 1
        for values in calls:
            self._last_id += 1
            params = {"name": tool, "arguments": values}
            self._send({"id": self._last_id, "method": "tools/call", "params": params})
        waiting = set(range(first, self._last_id + 1))
        for message in self._messages():
            if message.get("id") in waiting and "method" not in message:
                assert not message["result"].get("isError"), message
                waiting.discard(message["id"])
            if not waiting:
                return

    def refused(self, tool: str, **values: object) -> None:
        """Calls a tool that cannot do it here, and says so."""
        assert self.ask("tools/call", {"name": tool, "arguments": values}).get("isError"), tool
        self._measured.add(tool)

    def file(self, name: str) -> str:
        """A small file in the folder of the server."""
        (Path(self._folder.name) / name).write_text("small")
        return name

    def timed(self, samples: Samples, step: str, tool: str, **values: object) -> str:
        """Calls a tool and keeps how long it took, in milliseconds."""
        begin = time.perf_counter()
        text = self.call(tool, **values)
        samples[step].append(since(begin))
        self._measured.add(tool)
        return text

    def act(self, samples: Samples, step: str, tool: str, ref: str, **values: object) -> str:
        """Does something to an element, and keeps how long it took."""
        return self.timed(samples, step, tool, ref=ref, element=step, **values)

    def _send(self, message: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self._process.stdin.flush()

    def _messages(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout
        for line in self._process.stdout:
            yield json.loads(line)


def ref_in(snapshot: str, part: str) -> str:
    """Returns the ref of the element with these words, in the first line that has them."""
    line = next(line for line in snapshot.splitlines() if part in line)
    # Elements can share a line. Some servers write the ref first.
    found = REF.search(line, line.index(part)) or REF.search(line)
    assert found, line
    return found[1] or found[2]


def since(begin: float) -> float:
    """Milliseconds since then."""
    return (time.perf_counter() - begin) * 1000


def print_table(samples: dict[str, Samples], before: dict[str, Samples]) -> None:
    """One row a step: ours, its spread, its change since the last run; then the others."""
    others = [name for name in samples if name != "ours"]
    print_row("ms", "min", "p50", "95 % sure", "p95", "change", *(f"{name} (× ours)" for name in others))
    print("|" + "---|" * (6 + len(others)))
    for step, ours in samples["ours"].items():
        low, high = interval_of_median(ours)
        middle = statistics.median(ours)
        spread = (f"{min(ours):.1f}", f"{middle:.1f}", f"{low:.1f}–{high:.1f}", f"{percentile(ours, 95):.1f}")
        moved = change(before.get("ours", {}).get(step, []), low, high)
        theirs = [ratio(samples[name].get(step, []), middle) for name in others]
        print_row(step, *spread, moved, *theirs)


def print_row(*cells: str) -> None:
    """One line of a Markdown table."""
    print(f"| {' | '.join(cells)} |")


def ratio(theirs: list[float], ours: float) -> str:
    """The median, and how many times ours it is."""
    middle = statistics.median(theirs) if theirs else None
    return "–" if middle is None else f"{middle:.1f} ({middle / ours:.1f})"


def interval_of_median(values: list[float]) -> tuple[float, float]:
    """Where the median lies with 95 % certainty, by resampling."""
    chance = random.Random(0)  # noqa: S311
    medians = [statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES)]
    return percentile(medians, 2.5), percentile(medians, 97.5)


def percentile(values: list[float], part: float) -> float:
    """The value below which so many hundredths of the values lie."""
    return sorted(values)[min(len(values) - 1, int(len(values) * part / 100))]


def change(before: list[float], low: float, high: float) -> str:
    """How the median moved since the last run, where it moved beyond doubt."""
    if not before:
        return "–"
    old_low, old_high = interval_of_median(before)
    if low <= old_high and old_low <= high:
        return "same"
    return f"{(low + high) / (old_low + old_high) - 1:+.0%}"


if __name__ == "__main__":
    sys.exit(main())
