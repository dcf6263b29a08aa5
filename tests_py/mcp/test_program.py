"""Programs in JavaScript: what they return, how they fail, and what they cannot do."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from tests_py.support.client import Reply, serve
from tests_py.support.http import HttpServer
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long

PAGE = """<title>Shop</title><h1>Shop</h1><label>Name <input id=name placeholder="Full name"></label>
<button onclick="document.title = document.querySelector('#name').value">Save</button><button>Sale</button>
<button data-testid=ask onclick="document.title = confirm('Sure?')">Ask</button>
<button onclick="alert('Mind the gap'); document.title = 'Warned'">Warn</button>
<button onclick="setTimeout(() => document.title = 'Late', 60)">Later</button>
<ul><li>One<li>Two<li>Three</ul><select aria-label=Town><option>Rome<option>Oslo</select>
<label><input type=checkbox> Agree</label><iframe name=inner src=/program/inner></iframe>
<script>var price = 7;</script>"""
INNER = "<title>Inner</title><button onclick=\"this.textContent = 'Pressed'\">Press</button>"
FIELDS = """<title>Fields</title><input id=plain><textarea></textarea><input id=heard><input id=stale>
<script>
const [heard, stale] = [document.querySelector("#heard"), document.querySelector("#stale")];
// One is drawn anew at each key, the other gets an older value back a moment later.
heard.onkeydown = () => {};
heard.oninput = () => {
  const value = heard.value;
  queueMicrotask(() => { heard.value = ""; heard.value = value; });
};
let shown = "";
stale.onkeydown = () => {};
stale.oninput = () => { const value = stale.value; setTimeout(() => { stale.value = shown = value; }, 30); };
</script>"""


async def run(workshop: Workshop, code: str, **arguments: object) -> str:
    return (await workshop.do("browser_run", code=code, **arguments)).section("Result")


async def failed(workshop: Workshop, code: str, **arguments: object) -> Reply:
    reply = await workshop.server.call("browser_run", code=code, **arguments)
    assert reply.is_error, reply.text
    return reply


@pytest.fixture
async def shop(workshop: Workshop, site: Site) -> Workshop:
    site.publish("/program/inner", INNER)
    await workshop.open(site.publish("/program/shop", PAGE))
    return workshop


async def test_a_program_acts_and_returns_its_value(shop: Workshop) -> None:
    code = """await page.getByLabel('Name').fill('Ada');
await page.getByRole('button', { name: 'Save' }).click();
await expect(page).toHaveTitle('Ada');
await expect(page.getByPlaceholder('Full name')).toHaveValue('Ada');
await page.getByLabel('Town').selectOption('Oslo');
await page.getByLabel('Agree').check();
await expect(page.getByLabel('Agree')).toBeChecked();
await expect(page.locator('li')).toHaveCount(3);
return (await page.locator('li').allInnerTexts()).join('+');"""
    assert await run(shop, code) == "One+Two+Three"
    assert await run(shop, "page.evaluate((more) => price + more, 1)") == "8"
    code = "page.locator('li').evaluateAll((items, more) => items.map((item) => item.innerText + more), '!')"
    assert await run(shop, code) == '["One!","Two!","Three!"]'
    assert await run(shop, "async (page) => page.locator('li').filter({ hasText: 'T' }).count()") == "2"
    items = """const li = page.locator('li');
return Promise.all([li.first(), li.nth(1), li.last()].map((one) => one.innerText()))"""
    assert await run(shop, items) == '["One","Two","Three"]'


async def test_frames_and_keys(shop: Workshop) -> None:
    code = """await page.frameLocator('iframe').getByRole('button').click();
await page.locator('#name').click();
await page.keyboard.type('Ada L');
await page.keyboard.press('Backspace');
await page.mouse.move(5, 5);
return [await page.frame('inner').locator('button').innerText(), await page.locator('#name').inputValue()];"""
    assert await run(shop, code) == '["Pressed","Ada "]'


async def test_actions_wait_for_what_they_cause(shop: Workshop) -> None:
    assert await run(shop, "await page.getByText('Later').click(); return page.title()") == "Late"


async def test_pages_come_and_go(shop: Workshop, site: Site) -> None:
    other = site.publish("/program/other", "<title>Other</title><a href=/program/shop target=_blank>Open</a>")
    code = f"""const response = await page.goto({json.dumps(other)});
const [popup] = await Promise.all([page.waitForEvent('popup'), page.getByText('Open').click()]);
const title = await popup.title();
await popup.close();
await page.goBack();
return [response.status(), title, await page.title()];"""
    reply = await shop.do("browser_run", code=code)
    assert reply.section("Result") == '[200,"Shop","Shop"]'


async def test_responses_are_waited_for(shop: Workshop, site: Site) -> None:
    data = site.publish("/program/data", '{"stock": 5}', kind="application/json")
    code = f"""const [response] = await Promise.all([
  page.waitForResponse('**/program/data'),
  page.evaluate((url) => void setTimeout(() => fetch(url), 50), {json.dumps(data)}),
]);
return [response.status(), (await response.json()).stock];"""
    assert await run(shop, code) == "[200,5]"
    assert "no response" in await shop.refused(
        "browser_run", code="await page.waitForResponse('**/none', { timeout: 200 })"
    )


async def test_what_fields_get_is_what_was_given(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.publish("/program/fields", FIELDS))
    code = """const given = {
  '#plain': '  a   b ', textarea: 'def f():\\n\\n    return  1\\n', '#heard': 'reason', '#stale': 'order_id',
};
for (const [field, text] of Object.entries(given)) await page.locator(field).fill(text);
await page.locator('#heard').pressSequentially(' and more');
given['#heard'] += ' and more';
for (const [field, text] of Object.entries(given)) await expect(page.locator(field)).toHaveValue(text);
return 'verbatim';"""
    assert await run(workshop, code) == "verbatim"


async def test_typed_text_that_the_page_takes_back_is_an_error(workshop: Workshop, site: Site) -> None:
    field = "<input id=code value=old oninput=\"setTimeout(() => { code.value = 'old' })\">"
    await workshop.open(site.publish("/program/taken-back", field))
    reply = await failed(workshop, "await page.locator('#code').pressSequentially('new')")
    assert 'shows "old"' in reply.section("Error"), reply.text


async def test_a_failure_keeps_what_was_logged_and_names_the_line(shop: Workshop) -> None:
    reply = await failed(
        shop, "console.log('so far');\n\nawait page.getByRole('button', { name: 'Saving' }).click();"
    )
    result = reply.section("Result")
    assert "so far" in result
    assert "line 3" in result
    # Near matches, with refs; nothing else of the page.
    assert 'button "Save" [ref=' in result
    assert "Town" not in reply.text
    assert "took" not in reply.text
    reply = await failed(shop, "await page.locator('li').click()")
    assert "3 elements" in reply.section("Error")
    assert "listitem" in reply.section("Result")
    reply = await failed(shop, "const a = 1;\na.b.c();")
    assert "line 2" in reply.section("Error")
    assert "Town" not in reply.text
    assert "page.clicks" in (await failed(shop, "await page.clicks('a')")).section("Error")
    caught = "try { await page.locator('#absent').click() } catch (error) { return [error.name, error.code] }"
    assert await run(shop, caught) == '["TimeoutError","element_not_found"]'
    reply = await failed(shop, "await expect(page.locator('h1')).toHaveText('Shed', { timeout: 200 })")
    assert "Shop" in reply.section("Error")


async def test_a_failure_has_the_code_that_tools_have(shop: Workshop) -> None:
    result = await shop.server.session.call_tool(
        "browser_run", {"code": "await page.locator('#absent').click()"}
    )
    assert (result.meta or {})["errorCode"] == "element_not_found"


async def test_refs_are_locators_and_snapshots_have_them(shop: Workshop) -> None:
    outline = await run(shop, "return page.snapshot()")
    (line,) = (line for line in outline.splitlines() if '"Save"' in line)
    ref = line.partition("[ref=")[2].partition("]")[0]
    assert await run(shop, f"await page.locator('{ref}').click(); return page.title()") == '""'
    part = await run(shop, "return page.locator('ul').snapshot()")
    assert "One" in part
    assert "Save" not in part


async def test_a_program_that_says_nothing_shows_what_it_changed(shop: Workshop) -> None:
    await shop.do("browser_snapshot")
    reply = await shop.do("browser_run", code="await page.getByLabel('Agree').check()")
    assert "checked" in reply.section("Snapshot")


async def test_a_dialog_is_answered_by_a_listener(shop: Workshop) -> None:
    code = """page.on('dialog', (dialog) => dialog.accept());
await page.getByTestId('ask').click();
return page.title()"""
    assert await run(shop, code) == "true"
    code = """const asked = page.waitForEvent('dialog');
const pressed = page.getByTestId('ask').click();
const dialog = await asked;
await dialog.dismiss();
await pressed;
return [dialog.message(), await page.title()]"""
    assert await run(shop, code) == '["Sure?","false"]'


@pytest.mark.parametrize("answer", ["true", "false"])
async def test_a_program_goes_on_once_its_dialog_is_answered(shop: Workshop, answer: str) -> None:
    pressing = "console.log('before');\nawait page.getByTestId('ask').click();\nreturn page.title()"
    asking = "console.log('before');\nreturn page.evaluate(() => confirm('Sure?'))"
    for code in (pressing, asking):
        reply = await shop.do("browser_run", code=code)
        assert "Sure?" in reply.section("Modal state")
        assert "line 2" in reply.section("Result")
        assert "before" in reply.section("Result")
        reply = await shop.do("browser_handle_dialog", accept=answer == "true")
        assert answer in reply.section("Result").splitlines(), reply.text
        assert not reply.has_section("Modal state")


async def test_a_program_at_a_dialog_waits_for_its_answer_alone(shop: Workshop, site: Site) -> None:
    asking = "await page.getByTestId('ask').click(); throw new Error('went on')"
    await shop.do("browser_run", code=asking)
    assert "dialog" in await shop.refused("browser_run", code="return 1")
    assert "went on" in await shop.refused("browser_handle_dialog", accept=True)
    # To leave the page dismisses the dialog: nothing goes on then.
    await shop.do("browser_run", code=asking)
    await shop.open(site.url("/program/inner"))
    reply = await shop.do("browser_run", code="return page.title()")
    assert reply.section("Result") == "Inner"
    assert "was ended" in reply.section("Events")


async def test_an_alert_is_accepted_and_reported(shop: Workshop) -> None:
    reply = await shop.do("browser_run", code="await page.getByText('Warn').click(); return page.title()")
    assert reply.section("Result") == "Warned"
    assert "Mind the gap" in reply.section("Events")


async def test_pictures_reach_the_answer(shop: Workshop) -> None:
    reply = await shop.do(
        "browser_run", code="await page.screenshot(); await page.locator('h1').screenshot()"
    )
    assert len(reply.images) == 2
    assert "at most" in (await failed(shop, "for (;;) await page.locator('h1').screenshot()")).section(
        "Error"
    )


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("while (true) {}", "did not end within"),
        ("await page.title(); while (true) {}", "did not end within"),
        ("/(a+)+b/.test('a'.repeat(60))", "did not end within"),
        ("const all = []; while (true) all.push('x'.repeat(1e6))", "memory"),
        ("const deep = () => deep() + 1; deep()", "stack"),
        ("await new Promise(() => {})", "nothing settles"),
        ("return { get it() { throw new Error('got') } }", "got"),
        ("require('fs')", "require"),
        ("await import('fs')", "fs"),
        ("fetch('http://127.0.0.1/')", "fetch"),
        ("for (;;) page.isVisible('a')", "calls"),
        ("await page.locator('#name')._do({ do: 'set_input_files', paths: ['/etc/hosts'] })", "has no files"),
        ("await page.evaluate(() => { while (true) {} })", "evaluate in line 1"),
    ],
)
async def test_what_a_program_takes_is_bounded(shop: Workshop, code: str, said: str) -> None:
    timeout = 60_000 if said in {"calls", "memory"} else 1_500
    assert said in await shop.refused("browser_run", code=code, timeout=timeout)
    assert await run(shop, "return 1 + 1") == "2"


async def test_the_server_answers_others_meanwhile(shop: Workshop, site: Site) -> None:
    session = json.loads((await shop.do("create_session")).text)["sessionId"]
    endless = asyncio.create_task(shop.server.call("browser_run", code="for (;;) {}", timeout=5_000))
    url = site.url("/program/inner")
    opened = await shop.do("browser_navigate", url=url, sessionId=session)
    assert "Press" in opened.text
    assert not endless.done()
    assert (await endless).is_error
    await shop.do("close_session", sessionId=session)


async def test_tampering_harms_only_the_program_itself(shop: Workshop) -> None:
    tamper = "JSON.stringify = null; Promise.prototype.then = null; Array.prototype.map = null; return 5"
    assert await run(shop, tamper) == "5"
    assert await run(shop, "return JSON.stringify([page.url().length > 0])") == "[true]"


async def test_output_has_a_budget_and_a_file(shop: Workshop) -> None:
    code = "for (let i = 0; i < 1e4; i++) console.log('line', i); return 'end'"
    shown = await run(shop, code)
    assert "[cut:" in shown
    assert len(shown) < 21_000
    await shop.do("browser_run", code=code, filename="lines.txt")
    (written,) = shop.folder.rglob("lines.txt")
    lines = written.read_text().splitlines()
    assert (len(lines), lines[-1]) == (10_001, "end")
    written.unlink()


async def test_programs_are_bound_by_the_rules_of_tools(tmp_path: Path, site: Site) -> None:
    async with serve("--headless", "--blocked-origins", site.other_origin, cwd=tmp_path) as server:
        await server.open(site.page("form"))
        for refused, reason in (
            ("await page.goto('file:///etc/hosts')", "--allow-files"),
            ("await page.goto('chrome://version')", "only http"),
            (f"await page.goto('{site.other_origin}/pages/form.html')", "is not allowed"),
            (
                f"await page.evaluate((url) => fetch(url), '{site.other_origin}/pages/form.html')",
                "Failed to fetch",
            ),
            ("await page.context().grantPermissions(['geolocation'])", "--caps storage"),
        ):
            reply = await server.call("browser_run", code=refused)
            assert reply.is_error, (refused, reply.text)
            assert reason in reply.section("Error"), reply.text


async def test_programs_are_listed_everywhere_and_alone_if_wanted(tmp_path: Path) -> None:
    with HttpServer(tmp_path) as server:
        assert "2" in server.begin().text("browser_run", code="return 1 + 1")
    async with serve("--headless", "--toolsets", "code", cwd=tmp_path) as alone:
        listed = (await alone.session.list_tools()).model_dump(by_alias=True, exclude_none=True)["tools"]
        assert [tool["name"] for tool in listed] == ["browser_handle_dialog", "browser_run"]
        assert len(json.dumps(listed, separators=(",", ":"))) <= 1_700
        assert "browser_run" in (alone.session.instructions or "")
        assert (await alone.call("browser_run", code="[1, 2].length")).section("Result") == "2"
