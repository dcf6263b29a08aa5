"""The rooms of src/ stay what ARCHITECTURE says. Every exception has its reason beside it."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from scripts.rooms import SOURCE, arrows, circles

MOST_LINES = 60
"""A longer function needs a reason below."""

MOST_FIELDS = 15
"""A larger struct needs a reason below."""

CIRCLES = {
    (
        "bidi",
        17,
    ): "Firefox imitates the DevTools protocol; the driver trait of the three browsers replaces it.",
    (
        "browser",
        7,
    ): "A browser has contexts, which have pages, which have frames, and each knows where it belongs.",
    ("browser", 2): "A value of a script and its handle.",
    ("cdp", 2): "A connection and its sessions.",
    ("cli", 3): "The command line starts its background server with its own command.",
    ("error", 2): "An error and its facts.",
    ("live", 2): "The desk hands pages over; a handover ends at the desk.",
    ("mcp", 2): "Tools and calls; live pages and guards; replicas and the server.",
    ("python", 9): "The classes of Playwright answer each other.",
    ("session", 3): "An engine opens workspaces, which count towards its quota.",
    ("snapshot", 3): "Writing a tree.",
    ("snapshot", 4): "Writing a tree within a budget.",
    ("webdriver", 2): "A tab and a look at it.",
}

LONG_FUNCTIONS = {
    "cli.rs:new": "Each option of the server, once.",
    "browser/egress/relay.rs:serve": "One connection from its first byte to its last.",
    "snapshot/outline.rs:node": "What one line says, in its order.",
    "mcp/script/written.rs:written": "A table of steps.",
    "browser/objects/page/observer.rs:on_frame_event": "A table of events.",
    "mcp/describe.rs:describe": "The sections of an answer, in their order.",
    "cli.rs:engine_options": "Each option of the engine, once.",
    "messages/patchright.rs:rare_reason": "A table.",
    "error.rs:suggestion": "A table.",
    "browser/view/audit.rs:styles": "One question to the browser and its answer.",
    "session/roots.rs:nothing_outside_is_read_or_written": "A property test.",
    "cli/run.rs:serve": "The life of the server.",
    "mcp/http/serve.rs:serve": "The life of a listener.",
    "mcp/tools/devtools.rs:performance": "A table of figures.",
    "browser/egress/relay/socks.rs:version_5": "One handshake.",
    "mcp/dispatch.rs:answer": "One call from line to line.",
    "cli/browser_options.rs:context_options": "The options of pages, one by one.",
    "mcp/http/serve.rs:answer_message": "One message from its headers to its answer.",
    "browser/elements/settle.rs:watch_effects": "What a watch begins with.",
    "browser/program/launch/process.rs:spawn": "Every pipe and handle of a process.",
    "bidi/emulation.rs:answer": "A table of commands.",
    "mcp/tools/devtools.rs:call": "A table of kinds.",
    "browser/elements/action.rs:act": "A table of actions.",
    "live/viewer.rs:serve": "The life of a viewer.",
    "session/handoff.rs:until_answered": "One wait for a person.",
    "browser/elements/actionability.rs:approach_naturally": "One look through all frames.",
    "mcp/tools/evidence.rs:call": "One recording from begin to end.",
    "webdriver/launch.rs:start": "One start.",
    "browser/elements/into_view.rs:wheel": "One turn of the wheel and what came of it.",
    "browser/objects/page.rs:adopt": "What a new page begins with.",
}

LARGE_STRUCTS = {
    "python/browser.rs:Context": "The arguments of new_context.",
    "browser/options/mod.rs:ContextOptions": "The arguments of new_context.",
    "snapshot/walked.rs:NodeDetails": "What the walk reports of an element.",
    "browser/objects/page.rs:PageState": "What a page knows; only its own file writes it.",
    "bidi/state.rs:State": "Goes with the driver trait.",
    "mcp/reply.rs:Reply": "The sections of an answer.",
    "browser/objects/network.rs:RequestEntry": "What an archive needs of a request.",
    "browser/program/launch/process.rs:BrowserProcess": "What ends with the process.",
    "browser/program/launch.rs:LaunchOptions": "The arguments of launch.",
    "browser/objects/frame.rs:FrameState": "What a frame knows.",
    "live/handover.rs:Handover": "What a handover shares with its viewers.",
    "snapshot/outline.rs:Line": "The parts of a line.",
}

BUDGETS = {
    "browser": 40232,
    "mcp": 25244,
    "session": 7191,
    "bidi": 5198,
    "snapshot": 6338,
    "cli": 5533,
    "python": 5069,
    "cdp": 3101,
    "webdriver": 2198,
    "live": 1744,
    "trace": 1001,
    "fleet": 1481,
    "secrets": 989,
    "error": 988,
    "messages": 828,
    "pdf": 760,
}
"""The most lines of a room. A room that must grow gets its number changed in the same commit."""


def functions(code: str) -> Iterator[tuple[str, int]]:
    """The name and the length of each function of a formatted file."""
    lines = code.splitlines()
    for start, line in enumerate(lines):
        found = re.match(
            r"( *)(?:pub(?:\([a-z: ]+\))? )?(?:const |async |unsafe |extern \"C\" )*fn (\w+)", line
        )
        if found is None:
            continue
        for end in range(start, len(lines)):
            if lines[end] == found[1] + "}":
                yield found[2], end - start + 1
                break
            if lines[end].startswith(found[1]) and lines[end].rstrip().endswith((";", "}")) and end == start:
                break


def structs(code: str) -> Iterator[tuple[str, int]]:
    """The name and the number of fields of each struct of a formatted file."""
    for found in re.finditer(
        r"^( *)(?:pub(?:\([a-z: ]+\))? )?struct (\w+)[^;{(]*\{\n(.*?)^\1\}", code, re.MULTILINE | re.DOTALL
    ):
        field = re.compile(rf"^{found[1]}    (?:pub(?:\([a-z: ]+\))? )?(?:r#)?\w+: ", re.MULTILINE)
        yield found[2], len(field.findall(found[3]))


def sources() -> Iterator[tuple[str, str]]:
    """Each file of src/ but the tables of the protocol, with its code before its tests."""
    tables = SOURCE / "cdp" / "types"
    for file in sorted(SOURCE.rglob("*.rs")):
        if tables not in file.parents:
            yield (
                str(file.relative_to(SOURCE)),
                file.read_text().split("#[cfg(test)]\nmod tests", maxsplit=1)[0],
            )


def test_circles_of_files_are_those_with_a_reason() -> None:
    inside: dict[str, list[tuple[str, str]]] = {}
    for one, other, _ in arrows():
        if one[0] == other[0]:
            inside.setdefault(one[0], []).append(("::".join(one), "::".join(other)))
    found = {(room, len(group)): group for room, edges in inside.items() for group in circles(edges)}
    assert {size: group for size, group in found.items() if size not in CIRCLES} == {}


def test_a_long_function_has_a_reason() -> None:
    found = {
        f"{file}:{name}" for file, code in sources() for name, lines in functions(code) if lines > MOST_LINES
    }
    assert found - LONG_FUNCTIONS.keys() == set()
    assert LONG_FUNCTIONS.keys() - found == set(), "a reason that nothing needs"


def test_a_large_struct_has_a_reason() -> None:
    found = {
        f"{file}:{name}" for file, code in sources() for name, fields in structs(code) if fields > MOST_FIELDS
    }
    assert found - LARGE_STRUCTS.keys() == set()
    assert LARGE_STRUCTS.keys() - found == set(), "a reason that nothing needs"


def test_each_room_keeps_to_its_budget_of_lines() -> None:
    lines: Counter[str] = Counter()
    for file in SOURCE.rglob("*.rs"):
        lines[Path(file.relative_to(SOURCE)).parts[0].removesuffix(".rs")] += len(
            file.read_text().splitlines()
        )
    assert {room: count for room, count in lines.items() if count > BUDGETS.get(room, 600)} == {}


def test_a_function_of_the_injected_engine_is_defined_once() -> None:
    scripts = (SOURCE / "browser" / "injected").glob("*.js")
    names = Counter(
        name
        for script in scripts
        for name in re.findall(r"^(?:const \w+ = \()?engine\.(\w+) = ", script.read_text(), re.MULTILINE)
    )
    assert names.total() > 100
    assert [name for name, count in names.items() if count > 1] == []
