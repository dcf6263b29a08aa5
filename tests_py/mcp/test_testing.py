"""Assertions, locators, and what was done as a test that passes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests_py.support.client import serve
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

LATE = """<h1>Shop</h1><button id=go disabled>Buy</button><input id=name value=Ann>
<script>
  fetch("/delay/150").finally(() => {
    document.querySelector("#go").disabled = false;
    document.querySelector("h1").textContent = "Shop is open";
  });
</script>"""


async def test_what_is_expected_is_waited_for_and_what_is_not_so_is_told(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/late", LATE))
    told = await workshop.do("browser_expect", ref="#go", **{"is": "enabled"})
    assert told.section("Result") == "As expected: enabled"
    await workshop.do("browser_expect", ref="h1", expected="is open", **{"is": "text"})
    await workshop.do("browser_expect", ref="#name", expected="Ann", **{"is": "value"})
    await workshop.do("browser_expect", ref="#name", expected="Bob", **{"is": "value", "not": True})
    await workshop.do("browser_expect", expected="shop IS open", **{"is": "text"})
    await workshop.do("browser_expect", expected=site.url("/late"), **{"is": "url"})
    failed = await workshop.refused(
        "browser_expect", ref="h1", expected="closed", timeout=100, **{"is": "text"}
    )
    assert 'text "closed"; it is "Shop is open"' in failed
    failed = await workshop.refused("browser_expect", ref="h1", timeout=100, **{"is": "hidden"})
    assert 'it is "visible"' in failed
    for wrong, why in (
        ({"is": "visible"}, "`ref` is needed"),
        ({"is": "text"}, "`expected` is needed"),
        ({"is": "visible", "ref": "h1", "expected": "x"}, "`expected` does not go with"),
        ({"is": "title", "ref": "h1", "expected": "x"}, "`ref` does not go with"),
        ({"is": "visible", "ref": "h1", "timeout": 0}, "`timeout` must be at least 100"),
        ({"is": "green", "ref": "h1"}, "`is` must be"),
    ):
        assert why in await workshop.refused("browser_expect", **wrong)


async def test_an_element_has_a_locator_by_what_a_person_knows_it_by(workshop: Workshop, site: Site) -> None:
    shown = await workshop.open(site.page("frames"))
    refs = [shown.ref('"After the frames"'), *(ref for ref in shown.refs() if "f0" not in ref)]
    told = await workshop.do("browser_export_script", ref=refs[0])
    assert 'page.get_by_role("button", name="After the frames")' in told.section("Result")
    told = await workshop.do("browser_export_script", ref=refs[1], language="typescript")
    assert ".contentFrame().getBy" in told.section("Result")


async def test_what_was_done_is_a_test_that_passes_at_once(tmp_path: Path, site: Site) -> None:
    async with serve("--headless", "--caps", "testing", "--input", "instant", cwd=tmp_path) as server:
        workshop = Workshop(server, tmp_path)
        assert "Nothing was done" in (await workshop.do("browser_export_script")).section("Result")
        shown = await workshop.open(site.page("form"))
        await workshop.do("browser_type", ref=shown.ref("Name"), text='Ann "A" O\'Hara')
        fields = [
            {"name": "Email", "ref": shown.ref("Email"), "value": "ann@a.example"},
            {"name": "News", "ref": shown.ref("Send me news"), "value": "true"},
            {"name": "Plan", "ref": shown.ref("Paid"), "value": "true"},
            {"name": "Country", "ref": shown.ref("Country"), "value": "Chile"},
        ]
        await workshop.do("browser_fill_form", fields=fields)
        steps = [{"tool": "browser_click", "arguments": {"ref": "text=Register >> visible=true >> nth=-1"}}]
        await workshop.do("browser_steps", steps=steps)
        await workshop.do("browser_wait_for", text="Registered")
        await workshop.do("browser_expect", ref="output", expected="Chile", **{"is": "text"})
        await workshop.open(site.page("dialogs"))
        await workshop.do("browser_click", ref="text=Prompt")
        await workshop.do("browser_handle_dialog", accept=True, promptText="Bob")
        await workshop.do("browser_expect", ref="output", expected="Answered Bob", **{"is": "text"})
        await workshop.refused("browser_expect", ref="output", expected="No", timeout=100, **{"is": "text"})
        await workshop.do("browser_export_script", filename="test_session.py")
        await workshop.do("browser_export_script", filename="session.spec.ts", language="typescript")
        last = await workshop.do("browser_export_script", last=1)
        assert '.to_contain_text("Answered Bob")' in last.section("Result")
    script = next(workshop.folder.rglob("test_session.py"))
    text = script.read_text()
    assert 'page.once("dialog", lambda dialog: dialog.accept("Bob"))' in text
    assert 'page.get_by_role("checkbox", name="Send me news").set_checked(True)' in text
    typescript = next(workshop.folder.rglob("session.spec.ts")).read_text()
    assert 'await page.getByRole("combobox", { name: "Country" }).selectOption("Chile");' in typescript
    assert 'page.once("dialog", (dialog) => dialog.accept("Bob"));' in typescript
    assert run(script) == 0


def run(script: Path, *options: str) -> int:
    """The status with which a script ends, run as a test."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "patchright_mcp.pytest_plugin",
        *options,
        script.name,
    ]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    return subprocess.run(command, cwd=script.parent, env=environment, timeout=120, check=False).returncode
