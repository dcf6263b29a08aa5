"""Assertions, locators, and what was done as a test that passes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests_py.support.client import serve
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

LATE = """<h1>Shop</h1><button id=go disabled>Buy</button><input id=name value=Ann>
<script>
  fetch("/delay/150").finally(() => {
    document.querySelector("#go").disabled = false;
    document.querySelector("h1").textContent = "Shop is open";
  });
</script>"""


@pytest.mark.long
async def test_what_is_expected_is_waited_for_and_what_is_not_so_is_reported(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.publish("/late", LATE))
    answer = await workshop.do("browser_expect", ref="#go", **{"is": "enabled"})
    assert answer.section("Result") == "As expected: enabled"
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
    await workshop.do("browser_expect", ref="#nothing", **{"is": "hidden"})
    failed = await workshop.refused("browser_expect", ref="#nothing", timeout=100, **{"is": "visible"})
    assert "within 100 ms: visible; it is not there" in failed
    later = "() => setTimeout(() => document.body.insertAdjacentHTML('beforeend', '<b>Late</b>'), 2500)"
    await workshop.server.evaluate(later)
    await workshop.do("browser_expect", ref="b", **{"is": "hidden", "not": True})
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
    refs = [shown.ref('"After the frames"'), *(ref for ref in shown.refs() if ref.startswith("f"))]
    answer = await workshop.do("browser_export_script", ref=refs[0])
    assert 'page.get_by_role("button", name="After the frames")' in answer.section("Result")
    answer = await workshop.do("browser_export_script", ref=refs[1], language="typescript")
    assert ".contentFrame().getBy" in answer.section("Result")


@pytest.mark.long
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
        await workshop.do("browser_expect", ref="#refused", **{"is": "hidden"})
        await workshop.open(site.page("dialogs"))
        await workshop.do("browser_click", ref="text=Prompt")
        await workshop.do("browser_handle_dialog", accept=True, promptText="Bob")
        await workshop.do("browser_expect", ref="output", expected="Answered Bob", **{"is": "text"})
        await workshop.do("browser_handle_dialog", accept=True, promptText="Eve")  # The next one.
        await workshop.do("browser_click", ref="text=Prompt")
        await workshop.do("browser_expect", ref="output", expected="Answered Eve", **{"is": "text"})
        await workshop.refused("browser_expect", ref="output", expected="No", timeout=100, **{"is": "text"})
        await workshop.do("browser_export_script", filename="test_session.py")
        await workshop.do("browser_export_script", filename="session.spec.ts", language="typescript")
        last = await workshop.do("browser_export_script", last=1)
        assert '.to_contain_text("Answered Eve")' in last.section("Result")
    script = next(workshop.folder.rglob("test_session.py"))
    text = script.read_text()
    assert 'page.once("dialog", lambda dialog: dialog.accept("Bob"))' in text
    assert 'page.get_by_role("checkbox", name="Send me news").set_checked(True)' in text
    typescript = next(workshop.folder.rglob("session.spec.ts")).read_text()
    assert 'await page.getByRole("combobox", { name: "Country" }).selectOption("Chile");' in typescript
    assert 'page.once("dialog", (dialog) => dialog.accept("Bob"));' in typescript
    assert 'expect(page.locator("#refused")).to_be_hidden()' in text
    assert run(script) == 0


COMBOBOX = """<label>Size <input role=combobox aria-expanded=false></label>
<ul role=listbox hidden><li role=option>small<li role=option>family</ul><output></output><script>
  const [field, list] = document.querySelectorAll("input, ul");
  field.oninput = field.onclick = () => { list.hidden = false; field.ariaExpanded = true; };
  for (const item of list.children) item.onclick = () => {
    field.value = document.querySelector("output").textContent = item.textContent.trim();
    list.hidden = true;
    field.ariaExpanded = false;
  };
</script>"""


@pytest.mark.long
@pytest.mark.parametrize("kind", [{"type": "combobox"}, {}])
async def test_an_option_that_the_page_draws_is_chosen_again(
    tmp_path: Path, site: Site, kind: dict[str, str]
) -> None:
    async with serve("--headless", "--caps", "testing", "--input", "instant", cwd=tmp_path) as server:
        workshop = Workshop(server, tmp_path)
        shown = await workshop.open(site.publish("/sizes", COMBOBOX))
        size = {"name": "Size", "ref": shown.ref("Size"), "value": "family", **kind}
        await workshop.do("browser_fill_form", fields=[size])
        await workshop.do("browser_expect", ref="output", expected="family", **{"is": "text"})
        await workshop.do("browser_export_script", filename="test_sizes.py")
    assert run(next(workshop.folder.rglob("test_sizes.py"))) == 0


@pytest.mark.long
async def test_what_was_done_in_several_tabs_is_done_in_them_again(tmp_path: Path, site: Site) -> None:
    site.publish("/opened", "<h1>Opened</h1>")
    text = await exported_after(
        tmp_path,
        site.publish("/opener", "<a href=/opened target=_blank>Open</a><button>Here</button>"),
        ("browser_tabs", {"action": "new", "url": site.publish("/second", "<h1>Second</h1><input>")}),
        ("browser_type", {"ref": "input", "text": "Ann"}),
        ("browser_click", {"ref": "text=Here", "tab": "t0"}),
        ("browser_expect", {"ref": "input", "is": "value", "expected": "Ann"}),
        ("browser_tabs", {"action": "close"}),
        ("browser_tabs", {"action": "select", "index": 0}),
        ("browser_click", {"ref": "text=Open"}),
        ("browser_tabs", {"action": "select", "index": 1}),
        ("browser_expect", {"ref": "h1", "is": "text", "expected": "Opened"}),
    )
    assert "has no words" not in text
    assert "with page.expect_popup():" in text


DRAWN = """<div id=slider-1 style="position:relative;width:200px;height:20px;background:#ddd">
  <span role=slider aria-label=Size aria-valuemin=0 aria-valuemax=100 aria-valuenow=40 tabindex=0
    style="position:absolute;left:40%;width:20px;height:20px;background:#66c"></span></div><output></output>
<script>
  const [track, grip, shown] = document.querySelectorAll("div, span, output");
  const put = (value) => {
    grip.ariaValueNow = shown.textContent = Math.min(100, Math.max(0, value));
    grip.style.left = grip.ariaValueNow + "%";
  };
  if (location.search === "?keys") grip.onkeydown = ({ key }) =>
    put(+grip.ariaValueNow + ({ ArrowRight: 5, ArrowLeft: -5 }[key] ?? 0));
  if (location.search === "?track") track.onclick = ({ clientX }) =>
    put(Math.round((clientX - track.getBoundingClientRect().left) / 2));
  if (location.search === "?grip") grip.onpointerdown = (event) => {
    grip.setPointerCapture(event.pointerId);
    grip.onpointermove = ({ clientX }) => put(Math.round((clientX - track.getBoundingClientRect().left) / 2));
    grip.onpointerup = () => (grip.onpointermove = null);
  };
</script>"""


@pytest.mark.long
@pytest.mark.parametrize("by", ["keys", "track", "grip"])
async def test_a_slider_that_the_page_draws_is_set_again(tmp_path: Path, site: Site, by: str) -> None:
    text = await exported_after(
        tmp_path,
        site.publish("/sizes", DRAWN) + "?" + by,
        ("browser_fill_form", {"fields": [{"name": "Size", "ref": "[role=slider]", "value": "75"}]}),
        ("browser_expect", {"ref": "output", "is": "text", "expected": "75"}),
    )
    assert {"keys": '.press("ArrowRight")', "track": "page.mouse.click(", "grip": "page.mouse.down()"}[
        by
    ] in text


SORTED = """<style>li { height: 30px; width: 200px; margin: 4px; background: #ddd; user-select: none }</style>
<ul><li>one<li>two<li>three<li>four</ul><output></output><script>
  const list = document.querySelector("ul");
  let held = null;
  list.onmousedown = ({ target }) => (held = target.closest("li"));
  document.onmousemove = ({ clientY }) => {
    if (!held) return;
    const others = [...list.children].filter((item) => item !== held);
    const below = others.find((item) => item.getBoundingClientRect().top + 15 > clientY);
    list.insertBefore(held, below ?? null);
  };
  document.onmouseup = () => {
    held = null;
    document.querySelector("output").textContent = list.textContent.replaceAll("\\n", "");
  };
</script>"""


@pytest.mark.long
@pytest.mark.parametrize(("place", "order"), [("before", "onefourtwothree"), ("after", "onetwofourthree")])
async def test_a_thing_is_dragged_again_to_its_place_in_a_list(
    tmp_path: Path, site: Site, place: str, order: str
) -> None:
    drag: dict[str, object] = {"startRef": "text=four", "endRef": "text=two", "place": place}
    text = await exported_after(
        tmp_path,
        site.publish("/list", SORTED),
        ("browser_drag", drag),
        ("browser_expect", {"ref": "output", "is": "text", "expected": order}),
    )
    assert "target_position={" in text


HELD = """<div style="position:absolute;left:40px;top:40px;width:60px;height:40px;background:#66c">Box</div>
<p style="position:absolute;left:300px;top:200px;width:120px;height:80px;background:#ddd">Here</p>
<output></output><script>
  const box = document.querySelector("div");
  let timer, held = false;
  box.onmousedown = () => (timer = setTimeout(() => { held = true; box.style.opacity = 0.5; }, 400));
  document.onmousemove = ({ clientX, clientY }) => {
    if (!held) return clearTimeout(timer);
    box.style.left = `${clientX - 30}px`;
    box.style.top = `${clientY - 20}px`;
  };
  document.onmouseup = () => {
    clearTimeout(timer);
    if (held) document.querySelector("output").textContent = box.offsetLeft > 250 ? "moved" : "too short";
    held = false;
  };
</script>"""


@pytest.mark.long
async def test_a_thing_that_moves_only_when_it_was_held_for_a_while_is_held_again(
    tmp_path: Path, site: Site
) -> None:
    text = await exported_after(
        tmp_path,
        site.publish("/held", HELD),
        ("browser_drag", {"startRef": "text=Box", "endRef": "text=Here"}),
        ("browser_expect", {"ref": "output", "is": "text", "expected": "moved"}),
    )
    assert "page.mouse.down()" in text


BY_LOT = """<div></div><output></output><script>
  const id = () => crypto.getRandomValues(new Uint8Array(4)).join("a");
  const drawn = () =>
    `<svg id="f${id()}" width=50 height=50><rect width=50 height=50 fill="#66c"></rect></svg>`;
  document.querySelector("div").innerHTML = drawn() + drawn();
  document.querySelectorAll("rect")[1].onclick = () =>
    (document.querySelector("output").textContent = "second");
</script>"""


@pytest.mark.long
async def test_what_has_an_id_by_lot_is_found_again_without_it(tmp_path: Path, site: Site) -> None:
    await exported_after(
        tmp_path,
        site.publish("/lot", BY_LOT),
        ("browser_click", {"ref": "rect >> nth=1"}),
        ("browser_expect", {"ref": "output", "is": "text", "expected": "second"}),
    )


SAVES = {
    "a request": (
        "fetch('/delay/300').then(() => fetch('/saved', { method: 'POST' }))",
        'response.request.method == "POST" and "/saved" in response.url',
    ),
    "another page": ("fetch('/delay/300').then(() => { location = '/saved' })", '("domcontentloaded")'),
}


@pytest.mark.long
@pytest.mark.parametrize("kind", SAVES)
async def test_a_script_ends_when_what_it_did_last_has_arrived(tmp_path: Path, site: Site, kind: str) -> None:
    saves, awaited = SAVES[kind]
    page = document("Saves", f'<button onclick="{saves}">Save</button>')
    site.publish("/saved", document("Saved", "<h1>Saved</h1>"))
    saved = len(site.requested("/saved"))
    script = await exported_after(
        tmp_path,
        site.publish("/saves", page),
        ("browser_click", {"ref": "text=Save"}),
        ("browser_snapshot", {}),
    )
    assert awaited in script
    assert len(site.requested("/saved")) == saved + 2


async def exported_after(folder: Path, url: str, *calls: tuple[str, dict[str, object]]) -> str:
    """Makes these calls on a page, and gives the test that was exported, which passes."""
    async with serve("--headless", "--caps", "testing", "--input", "instant", cwd=folder) as server:
        workshop = Workshop(server, folder)
        await workshop.open(url)
        for tool, arguments in calls:
            await workshop.do(tool, **arguments)
        await workshop.do("browser_export_script", filename="test_again.py")
    script = next(workshop.folder.rglob("test_again.py"))
    assert run(script) == 0, script.read_text()
    return script.read_text()


def run(script: Path, *options: str, env: dict[str, str] | None = None) -> int:
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
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **(env or {})}
    return subprocess.run(command, cwd=script.parent, env=environment, timeout=120, check=False).returncode
