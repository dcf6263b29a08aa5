"""What a person does becomes a script as what tools do. The person is another client of the same browser."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from patchright_mcp.async_api import Page, Playwright, async_playwright
from tests_py.mcp.test_testing import run
from tests_py.support.client import serve
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long

PATIENCE_S = 60
SHOP = """<label>Name <input id=name></label><label>Password <input id=secret type=password></label>
<label>About <textarea></textarea></label>
<label><input type=checkbox> News</label>
<label><input type=checkbox style="position:absolute;opacity:0;width:0;height:0"> Drawn</label>
<label>Country <select><option>Austria<option>Chile</select></label>
<label>Amount <input type=range min=0 max=10 value=5></label>
<div id=chat contenteditable role=textbox aria-label=Chat></div>
<div id=twice role=button tabindex=0>Twice</div><button>Buy <b>now</b></button><a href="/more">More</a>
<iframe title=Box srcdoc="<button onclick='parent.say(`inside`)'>Inside</button>"></iframe>
<output></output><script>
  const said = [];
  window.say = (what) => { said.push(what); document.querySelector("output").textContent = said.join(); };
  document.querySelector("#twice").addEventListener("dblclick", () => say("twice"));
  document.querySelector("#chat").addEventListener("keydown", (event) => {
    if (event.key === "Enter") event.preventDefault(), say(`sent ${event.target.textContent}`);
  });
  document.querySelector("button").onclick = () => {
    const fields = [...document.querySelectorAll("input:not([type]), textarea, select, [type=range]")];
    const checked = [...document.querySelectorAll("[type=checkbox]")].map((box) => +box.checked);
    say([...fields.map(({ value }) => value), checked.join("")].join("/"));
    say(prompt("Sure?"));
  };
</script>"""


@dataclass
class Shared:
    """A browser that a person and our server both work in."""

    workshop: Workshop
    person: Page
    folder: Path

    async def begin(self) -> None:
        """The person's tab is the one that is recorded."""
        answer = await self.workshop.do("browser_export_script", record=True)
        assert "From now on" in answer.section("Result")

    async def script(self) -> list[str]:
        """The statements so far."""
        answer = await self.workshop.do("browser_export_script", last=1000, filename="so-far.py")
        assert not answer.is_error
        return next(self.folder.rglob("so-far.py")).read_text().strip().splitlines()

    async def until(self, last: str) -> list[str]:
        """The statements, as soon as this is the last: the document that it led to is listened to by then."""
        end = time.monotonic() + PATIENCE_S
        while (written := await self.script())[-1] != last:
            assert time.monotonic() < end, "\n".join([f"{last} did not come:", *written])
        return written


@pytest.fixture
async def shared(tmp_path: Path, folder: Path, site: Site) -> AsyncIterator[Shared]:
    async with async_playwright() as playwright:
        async for shared in _shared(playwright, tmp_path, folder, site):
            yield shared


async def _shared(playwright: Playwright, tmp_path: Path, folder: Path, site: Site) -> AsyncIterator[Shared]:
    profile = await playwright.chromium.launch_persistent_context(folder, args=["--remote-debugging-port=0"])
    port = (folder / "DevToolsActivePort").read_text().split()[0]
    person = profile.pages[0]
    await person.goto(site.publish("/shop", document("Shop", SHOP)))
    arguments = ("--cdp-endpoint", f"http://127.0.0.1:{port}", "--caps", "testing", "--input", "instant")
    async with serve(*arguments, cwd=tmp_path) as server:
        yield Shared(Workshop(server, tmp_path), person, tmp_path)
    await profile.close()


async def test_what_a_person_does_is_a_test_that_does_it_again(shared: Shared, site: Site) -> None:
    person, workshop = shared.person, shared.workshop
    await shared.begin()
    await person.get_by_label("Name").click()
    await person.keyboard.type("Anne", delay=0)
    await person.keyboard.press("Backspace")
    await person.keyboard.press("Tab")
    await person.keyboard.type("hush-hush")
    await person.get_by_label("About").click()
    await person.keyboard.type("one")
    await person.keyboard.press("Enter")
    await person.keyboard.type("two")
    await person.get_by_text("News").click()
    await person.get_by_text("Drawn").click()
    await person.get_by_label("Country").focus()
    await person.keyboard.type("Ch")
    await person.get_by_label("Amount").focus()
    await person.keyboard.press("ArrowRight")
    await person.locator("#chat").click()
    await person.keyboard.type("hello")
    await person.keyboard.press("Enter")
    await person.locator("#twice").dblclick()
    await person.frame_locator("iframe").get_by_role("button").click()
    await person.locator("b").click(no_wait_after=True)
    asked = await workshop.server.call("browser_wait_for", text="Yes")
    assert "Sure?" in asked.text
    await workshop.do("browser_handle_dialog", accept=True, promptText="Yes")
    said = "sent hello,twice,inside,Ann/one\ntwo/Chile/6/11,Yes"
    await workshop.do("browser_expect", ref="output", expected=said, **{"is": "text"})
    written = await shared.script()
    about = r'page.get_by_role("textbox", name="About").fill("one\ntwo")'
    assert written == [
        f'page.goto("{site.url("/shop")}")',
        'page.get_by_role("textbox", name="Name").fill("Ann")',
        'page.get_by_role("textbox", name="Name").press("Tab")',
        'page.get_by_role("textbox", name="Password").fill(os.environ["PASSWORD"])',
        about,
        'page.get_by_role("checkbox", name="News").set_checked(True)',
        'page.get_by_text("Drawn").click()',
        'page.get_by_role("combobox", name="Country").select_option("Chile")',
        'page.get_by_role("slider", name="Amount").fill("6")',
        'page.get_by_role("textbox", name="Chat").fill("hello")',
        'page.get_by_role("textbox", name="Chat").press("Enter")',
        'page.get_by_role("button", name="Twice").dblclick()',
        'page.get_by_title("Box").content_frame.get_by_role("button", name="Inside").click()',
        'page.once("dialog", lambda dialog: dialog.accept("Yes"))',
        'page.get_by_role("button", name="Buy now").click()',
        written[-1],
    ], "\n".join(written)
    assert written[-1].startswith("expect(page.get_by_")
    await workshop.do("browser_export_script", record=False, filename="test_shop.py")
    script = next(shared.folder.rglob("test_shop.py"))
    assert script.read_text().startswith("import os\n\n")
    assert "hush" not in script.read_text()
    assert run(script, env={"PASSWORD": "hush-hush"}) == 0
    await person.get_by_text("News").click()
    assert len(await shared.script()) == len(written)


async def test_what_tools_do_meanwhile_is_written_once(shared: Shared, site: Site) -> None:
    person, workshop = shared.person, shared.workshop
    await shared.begin()
    await workshop.do("browser_type", ref="#name", text="Bob")
    await person.get_by_label("About").click()
    await workshop.do("browser_click", ref="#twice", doubleClick=True)
    await person.get_by_label("News").click()
    # What a page tells of while a tool is at work is taken for the tool's.
    await shared.until('page.get_by_role("checkbox", name="News").set_checked(True)')
    await workshop.do("browser_navigate", url=site.url("/shop"))
    assert await shared.script() == [
        f'page.goto("{site.url("/shop")}")',
        'page.get_by_role("textbox", name="Name").fill("Bob")',
        'page.get_by_role("textbox", name="About").click()',
        'page.get_by_role("button", name="Twice").dblclick()',
        'page.get_by_role("checkbox", name="News").set_checked(True)',
        f'page.goto("{site.url("/shop")}")',
    ]


async def test_where_a_person_goes_is_written_and_where_a_page_goes_is_not(
    shared: Shared, site: Site
) -> None:
    more = site.publish("/more", document("More", "<a href='/shop'>Back to the shop</a>"))
    person = shared.person
    await shared.begin()
    await person.get_by_role("link").click()
    await person.wait_for_url(more)
    assert len(await shared.script()) == 2
    await asyncio.sleep(0.6)  # What follows a step sooner is taken for its doing.
    await person.go_back()
    await shared.until("page.go_back()")
    await person.reload()
    await shared.until("page.reload()")
    await person.goto(more)
    await shared.until(f'page.goto("{more}")')
    await person.get_by_role("link").press("Enter")
    await person.wait_for_url(site.url("/shop"))
    assert await shared.until('page.get_by_role("link", name="Back to the shop").press("Enter")') == [
        f'page.goto("{site.url("/shop")}")',
        'page.get_by_role("link", name="More").click()',
        "page.go_back()",
        "page.reload()",
        f'page.goto("{more}")',
        'page.get_by_role("link", name="Back to the shop").press("Enter")',
    ]


PAYMENT = """<label>Password <input id=first type=password></label>
<label>Again <input id=again type=password></label>
<label>Card <input id=card autocomplete="section-a cc-number"></label>
<label>Code <input id=code type=password autocomplete=cc-csc></label>
<output></output><script>
  addEventListener("input", () => {
    const held = [...document.querySelectorAll("input")].map((field) => field.value);
    document.querySelector("output").textContent = held.join();
  });
</script>"""


async def test_each_secret_has_a_name_of_its_own_in_the_script(shared: Shared, site: Site) -> None:
    person, workshop = shared.person, shared.workshop
    await person.goto(site.publish("/pay", document("Pay", PAYMENT)))
    await shared.begin()
    typed = {"first": "hush", "again": "Hush", "card": "4111", "code": "123"}
    for name, text in [*typed.items(), ("first", "hush")]:
        await person.locator(f"#{name}").fill("")
        await person.locator(f"#{name}").press_sequentially(text)
    names = {"first": "PASSWORD", "again": "PASSWORD_2", "card": "CARD_NUMBER", "code": "CARD_CODE"}
    said = "hush,Hush,4111,123"
    await workshop.do("browser_expect", ref="output", expected=said, **{"is": "text"})
    filled = [line.partition("os.environ")[2] for line in await shared.script() if "fill(" in line]
    assert filled == [f'["{names[name]}"])' for name in [*typed, "first"]]
    answer = await workshop.do("browser_export_script", language="typescript")
    assert 'fill(process.env.PASSWORD_2 ?? "");' in answer.text
    assert 'fill(process.env.CARD_NUMBER ?? "");' in answer.text
    await workshop.do("browser_export_script", record=False, filename="test_pay.py")
    script = next(shared.folder.rglob("test_pay.py"))
    assert run(script, env={names[name]: text for name, text in typed.items()}) == 0


async def test_a_key_that_leads_the_window_is_written_as_where_it_led(shared: Shared, site: Site) -> None:
    more = site.publish("/more", document("More", "<a href='/shop'>Back to the shop</a>"))
    person = shared.person
    await shared.begin()
    await person.goto(more)
    await shared.until(f'page.goto("{more}")')
    # Without a window keys lead nowhere, so that the page hears of the key and the browser is told to go.
    await person.keyboard.press("F5")
    await shared.until('page.keyboard.press("F5")')
    await person.reload()
    await shared.until("page.reload()")
    await person.keyboard.press("Alt+ArrowLeft")
    await person.go_back()
    written = await shared.until("page.go_back()")
    assert written[-3:] == [f'page.goto("{more}")', "page.reload()", "page.go_back()"]


async def test_typescript_and_what_cannot_be_stopped(shared: Shared) -> None:
    said = await shared.workshop.refused("browser_export_script", record=False)
    assert "nothing is being recorded" in said
    await shared.begin()
    await shared.person.get_by_label("Password").fill("hush")
    await shared.person.locator("#twice").click(modifiers=["Control"], button="middle")
    answer = await shared.workshop.do("browser_export_script", language="typescript", record=False)
    assert 'name: "Password" }).fill(process.env.PASSWORD ?? "");' in answer.text
    clicked = 'name: "Twice" }).click({ button: "middle", modifiers: ["Control"] });'
    assert clicked in answer.text
