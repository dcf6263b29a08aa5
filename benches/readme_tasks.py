"""What other servers' own first tasks cost, done with theirs and with ours.

Usage: python -m benches.readme_tasks [--python PYTHON] [--playwright COMMAND] [--devtools COMMAND]

The tasks are those by which their makers show them, on pages of ours: "Check the performance of …"
stands in the README of chrome-devtools-mcp, "Navigate to … and add a few todo items" in the
introduction to playwright-mcp. Each is done in the calls that the server's own descriptions lead to.
Characters are of what a model reads, and of the arguments that it writes.
"""

from __future__ import annotations

import argparse
import json
import shlex
import sys
from functools import partial

from benches.server import Client, ref_in
from tests_py.support.site import ROUTES, Answer, Request, Site

TODOS = """<!doctype html><title>Todos</title><h1>todos</h1>
<input placeholder="What needs to be done?"><ul></ul><p></p><script>
const field = document.querySelector("input"), list = document.querySelector("ul");
const left = () => list.querySelectorAll("input:not(:checked)").length;
const count = () => { document.querySelector("p").textContent = `${left()} left`; };
field.addEventListener("keydown", ({ key }) => {
  if (key !== "Enter") return;
  const item = list.appendChild(document.createElement("li"));
  item.innerHTML = "<label><input type=checkbox> </label><button>Delete</button>";
  item.querySelector("label").append(field.value);
  item.querySelector("input").addEventListener("change", count);
  item.querySelector("button").addEventListener("click", () => { item.remove(); count(); });
  field.value = "";
  count();
});
</script>"""
SLOW = """<!doctype html><title>Slow</title><h1>A slow page</h1>
<img src="/delay?ms=300" width=600 height=300><script>
const begun = performance.now();
while (performance.now() - begun < 200);
addEventListener("load", () => { document.querySelector("h1").style.marginTop = "80px"; });
</script><p>Text below.</p>"""
ITEMS = ("Buy milk", "Call Ann", "Write the report")


class Counting(Client):
    """A client that counts what is read and written."""

    calls = read = written = 0

    def tell(self, tool: str, **values: object) -> str:
        """Calls a tool and counts it."""
        result = self.ask("tools/call", {"name": tool, "arguments": values})
        text = "\n".join(part["text"] for part in result["content"] if part["type"] == "text")
        assert not result.get("isError"), f"{tool}: {text}"
        self.calls += 1
        self.read += len(text)
        self.written += len(tool) + len(json.dumps(values))
        return text


def check_with_ours(client: Counting, url: str) -> None:
    """Vitals say what is slow, the trace why."""
    client.tell("browser_navigate", url=url)
    client.tell("browser_inspect", what="performance")
    client.tell("browser_history", action="reload")
    client.tell("browser_inspect", what="performance")
    told = client.tell("browser_inspect", what="vitals")
    assert "LCP" in told, told


def check_with_devtools(client: Counting, url: str) -> None:
    """A trace, which names its insights, and the one that it says matters."""
    client.tell("navigate_page", pageId=1, url=url)
    told = client.tell("performance_start_trace", pageId=1, reload=True, autoStop=True)
    assert "LCP" in told, told


def add_with_ours(client: Counting, url: str) -> None:
    """The field is known from the first answer."""
    field = ref_in(client.tell("browser_navigate", url=url), "What needs to be done?")
    steps = [
        {"tool": "browser_type", "arguments": {"ref": field, "text": item, "submit": True}} for item in ITEMS
    ]
    told = client.tell("browser_steps", steps=steps)
    assert all(item in told for item in ITEMS), told


def add_with_playwright(client: Counting, url: str) -> None:
    """One call for each, as there is none for several."""
    told = client.tell("browser_navigate", url=url)
    if "[ref=" not in told:
        told = client.tell("browser_snapshot")
    field = ref_in(told, "What needs to be done?")
    for item in ITEMS:
        told = client.tell("browser_type", element="field", target=field, text=item, submit=True)
    if ITEMS[-1] not in told:
        told = client.tell("browser_snapshot")
    assert ITEMS[-1] in told, told


def main() -> int:
    """Does each task with both, and prints a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    browser = "--headless --isolated --executable-path /usr/bin/chromium"
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--playwright", default=f"playwright-mcp {browser} --no-sandbox")
    parser.add_argument("--devtools", default=f"chrome-devtools-mcp {browser} --chrome-arg=--no-sandbox")
    options = parser.parse_args()
    ours = [options.python, "-m", "patchright_mcp", "--headless", "--caps", "devtools"]
    tasks = (
        (
            "check the performance of a page",
            SLOW,
            (
                ("ours", ours, check_with_ours),
                ("chrome-devtools-mcp", shlex.split(options.devtools), check_with_devtools),
            ),
        ),
        (
            "add three todo items",
            TODOS,
            (
                ("ours", ours, add_with_ours),
                ("playwright-mcp", shlex.split(options.playwright), add_with_playwright),
            ),
        ),
    )
    print("| task | server | calls | characters read | characters written |\n|---|---|---|---|---|")
    with Site() as site:
        for number, (task, page, ways) in enumerate(tasks):
            ROUTES[f"task-{number}"] = partial(serve_page, page)
            for name, command, way in ways:
                with Counting(command) as client:
                    client.shake_hands()
                    way(client, site.url(f"/task-{number}"))
                print(
                    f"| {task} | {name} | {client.calls} | {client.read:,} | {client.written:,} |", flush=True
                )
    return 0


def serve_page(body: str, _request: Request, _rest: str) -> Answer:
    """Answers with a page."""
    return Answer(body)


if __name__ == "__main__":
    sys.exit(main())
