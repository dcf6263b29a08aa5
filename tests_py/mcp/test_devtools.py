"""What a developer asks of a page, answered in a few lines."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests_py.support.client import serve
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

POOR = """<!doctype html><html><body><main><h1>Shop</h1>
<img src="/lamp.png" width=40 height=40><button style="width:30px;height:30px"></button>
<h3>Lamps</h3><p style="color:#aaa">Too pale to read</p><input><div tabindex=3>First</div>
<p style="color:#333">Dark enough</p><img alt="" src="/line.png" width=9 height=9><button>Buy</button>
</main></body></html>"""

GOOD = """<!doctype html><html lang=en><title>Shop</title><body><main><h1>Shop</h1><h2>Lamps</h2>
<img alt="A lamp" src="/lamp.png" width=40 height=40><label>Name <input></label><button>Buy</button></main>"""


async def inspect(workshop: Workshop, what: str, **arguments: object) -> str:
    """What the tool says."""
    return (await workshop.do("browser_inspect", what=what, **arguments)).section("Result")


async def test_who_is_shut_out_is_found_with_the_rule_and_the_element(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/poor", POOR))
    answer = await inspect(workshop, "accessibility")
    counts = dict(re.findall(r"^([a-z-]+) \((\d+)\)", answer, re.MULTILINE))
    assert counts == {
        "contrast": "1",
        "control-name": "2",
        "heading-order": "1",
        "image-name": "1",
        "language": "1",
        "tab-order": "1",
        "title": "1",
    }, answer
    assert "2.32: Too pale to read" in answer
    nameless = re.search(r"<button> button \[ref=(\S+)\]", answer)
    assert nameless
    box = await workshop.do("browser_evaluate", ref=nameless[1], function="(element) => element.offsetWidth")
    assert box.section("Result") == "30"
    await workshop.open(site.publish("/good", GOOD))
    assert (await inspect(workshop, "accessibility")).startswith("Nothing found in")


async def test_how_fast_a_page_came_is_rated(workshop: Workshop, site: Site) -> None:
    moving = """<title>Slow</title><h1 id=big>A large heading</h1><button>Press</button><script>
      new PerformanceObserver(() => requestAnimationFrame(() => {
        document.body.insertAdjacentHTML("afterbegin", "<div style='height:300px'>Late</div>");
        requestAnimationFrame(() => requestAnimationFrame(() => { document.title = "Moved"; }));
      })).observe({ type: "paint", buffered: true });
      document.querySelector("button").onclick = () => {
        const end = performance.now() + 120;
        while (performance.now() < end);
      };
    </script>"""
    await workshop.open(site.publish("/moving", moving))
    await workshop.do("browser_wait_for", function="document.title === 'Moved'")
    await workshop.do("browser_click", ref="text=Press")
    answer = await inspect(workshop, "vitals")
    assert re.search(r"^LCP .*: \d+ ms \((good|needs improvement|poor)\) h1#big", answer, re.MULTILINE), (
        answer
    )
    assert re.search(r"^INP .*: \d{3,} ms .* of 1 interactions", answer, re.MULTILINE), answer
    assert re.search(r"^CLS .*: 0\.(?!000)\d+", answer, re.MULTILINE), answer
    assert re.search(r"^Long tasks: [1-9]", answer, re.MULTILINE), answer


async def test_the_rules_of_an_element_are_reported_strongest_first(workshop: Workshop, site: Site) -> None:
    site.publish("/look.css", "p { color: red }\n@media screen { .lead { margin-left: 7px } }\n", "text/css")
    page = "<link rel=stylesheet href=/look.css><style>#one { color: blue }</style>"
    page += "<p id=one class=lead style='top:1px'>A"
    await workshop.open(site.publish("/look", page))
    lines = (await inspect(workshop, "styles", ref="#one")).splitlines()[1:-1]
    assert lines[0] == "style attribute { top: 1px }"
    assert re.fullmatch(r"#one \(.*\) \{ color: blue \}", lines[1])
    assert lines[2] == "@media screen .lead (look.css:2) { margin-left: 7px }"
    assert lines[3] == "p (look.css:1) { color: red }"
    assert "color: rgb(0, 0, 255)" in lines[4]
    assert "margin-left: 7px" in lines[4]
    assert "`ref` goes with styles" in await workshop.refused("browser_inspect", what="styles")
    assert "`ref` goes with styles" in await workshop.refused("browser_inspect", what="vitals", ref="p")
    assert "`what` must be" in await workshop.refused("browser_inspect", what="heap")


@pytest.mark.long
async def test_code_that_nobody_uses_and_work_that_takes_long_is_found(
    workshop: Workshop, site: Site
) -> None:
    unused = "function never() { return '" + "x" * 900 + "'; }"
    site.publish("/code.js", f"{unused}\nfunction used() {{ return 1 }} used();", "text/javascript")
    site.publish("/some.css", "h1 { color: red }\n.never { color: blue; background: white }\n", "text/css")
    busy = "const end = performance.now() + 120; while (performance.now() < end);"
    page = (
        f"<link rel=stylesheet href=/some.css><h1>A</h1><script src=/code.js></script><script>{busy}</script>"
    )
    await workshop.open(site.publish("/code", page))
    assert "call again" in await inspect(workshop, "coverage")
    await workshop.do("browser_history", action="reload")
    answer = await inspect(workshop, "coverage")
    script = re.search(r"^(\d+) % of \d+ script .*code\.js", answer, re.MULTILINE)
    assert script, answer
    assert int(script[1]) < 15, answer
    style = re.search(r"^(\d+) % of \d+ style .*some\.css", answer, re.MULTILINE)
    assert style, answer
    assert 10 < int(style[1]) < 60, answer
    assert "call again" in await inspect(workshop, "performance")
    await workshop.do("browser_history", action="reload")
    answer = await inspect(workshop, "performance")
    assert len(answer.splitlines()) <= 10
    assert re.search(r"^Long tasks \(over 50 ms\): [1-9]", answer, re.MULTILINE), answer
    scripts = re.search(r"^Scripts: (\d+) ms", answer, re.MULTILINE)
    assert scripts, answer
    assert int(scripts[1]) >= 100, answer
    # A file has the events as the browser's own tools read them.
    await inspect(workshop, "performance")
    await inspect(workshop, "performance", filename="trace.json")
    events = json.loads(next(workshop.folder.rglob("trace.json")).read_text())
    assert {"name", "ph", "ts"} <= events[0].keys()


AXE = """globalThis.axe = { version: "4.99", run: async (root, { resultTypes }) => ({
  passes: [{}, {}],
  violations: resultTypes[0] === "violations" && root === document ? [
    { id: "region", impact: "moderate", help: "All in landmarks", nodes: [{ target: ["p"] }] },
    { id: "button-name", impact: "critical", help: "Buttons have names", nodes: [
      { target: ["button:nth-child(3)"] }, { target: [["#frame", "#inner"]] }] },
  ] : [],
}) };"""


async def test_the_rules_of_axe_are_reported_beside_ours(tmp_path: Path, site: Site) -> None:
    (tmp_path / "axe.min.js").write_text(AXE)
    options = ("--headless", "--caps", "devtools", "--axe", str(tmp_path / "axe.min.js"))
    async with serve(*options, cwd=tmp_path) as server:
        workshop = Workshop(server, tmp_path)
        await workshop.open(site.publish("/poor", POOR))
        answer = await inspect(workshop, "accessibility")
        assert "image-name (1)" in answer
        ours, _, axe = answer.partition("axe 4.99: 2 rules broken, 2 kept")
        assert ours
        lines = axe.strip().splitlines()
        assert (
            lines[0] == 'critical button-name: Buttons have names (2): button:nth-child(3); "#frame #inner"'
        )
        assert lines[1].startswith("moderate region: All in landmarks (1): p")
        assert await server.evaluate("() => typeof window.axe") == "undefined"
