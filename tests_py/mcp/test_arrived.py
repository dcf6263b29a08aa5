"""A text counts as typed when it arrived where it was meant to go."""

import pytest

from tests_py.support.client import Server
from tests_py.support.site import Site
from tests_py.support.workshop import Workshop

SEARCH = "<label>Search <input id=s></label><label>Name <input id=n></label>"
# The focus moves while a text is typed: a page that listens to keys, so that they come one by one.
STOLEN = f"""{SEARCH}<script>
let count = 0;
document.onkeydown = () => {{}};
n.oninput = () => {{ if (++count === 4) s.focus(); }};
</script>"""
LATER = f"""{SEARCH}<script>
n.addEventListener('input', () => setTimeout(() => s.focus(), 5), {{ once: true }})</script>"""
CODE = (
    "".join(f"<input aria-label='Digit {at}' LENGTH>" for at in range(1, 5))
    + """<script>
const digits = [...document.querySelectorAll('input')];
document.onkeydown = () => {};
digits.forEach((digit, at) => digit.oninput = () => digits[at + 1]?.focus());
</script>"""
)
# Letters that come while the page is still answering the one before are lost.
GRID = """<label>Cell <input id=cell></label><script>
let drawn = '', busy = false;
document.onkeydown = () => {};
cell.oninput = (event) => {
  if (busy) { cell.value = drawn; return; }
  drawn = cell.value;
  if (event.data?.length === 1) { busy = true; setTimeout(() => { busy = false; }, 25); }
};
</script>"""
TERMINAL = """<div id=screen style='height: 100px; width: 300px'><textarea id=keys aria-label=Terminal
 style='opacity: 0; width: 1px; height: 1px'></textarea></div><output></output><script>
let line = '';
keys.onkeypress = (event) => { if (event.key.length === 1) { line += event.key; event.preventDefault(); } };
keys.oninput = (event) => { line += event.data ?? ''; keys.value = ''; };
keys.onkeydown = (event) => {
  if (event.key !== 'Enter') return;
  document.querySelector('output').textContent += `ran ${line};`;
  line = '';
  event.preventDefault();
};
</script>"""
TAGS = """<label>Tags <input id=tags></label><ul></ul><script>
const add = () => {
  document.querySelector('ul').insertAdjacentHTML('beforeend', `<li>${tags.value}`);
  tags.value = '';
};
tags.onkeydown = (event) => { if (event.key === 'Enter') add(); };
LISTEN
</script>"""
REPLACED = """<h1>Find</h1><div id=w></div><script>
let v = '';
function draw(focus) {
  w.innerHTML = '<label>Query <input></label>';
  const input = w.querySelector('input');
  input.value = v;
  input.oninput = () => { v = input.value; setTimeout(() => draw(true), 0); };
  if (focus) { input.focus(); input.setSelectionRange(v.length, v.length); }
}
draw();
</script>"""
CHAT = """<textarea id=area aria-label=Reply></textarea>
<div id=box contenteditable role=textbox aria-label=Message style='min-height: 2em'></div>
<output></output><script>
const send = (text) => document.querySelector('output').append(`[${JSON.stringify(text)}]`);
area.onkeydown = (event) => {
  if (event.key === 'Enter' && !event.shiftKey) { event.preventDefault(); send(area.value); area.value = ''; }
};
box.onkeydown = (event) => {
  if (event.key !== 'Enter' || event.shiftKey) return;
  event.preventDefault();
  send(box.innerText);
  box.textContent = '';
};
</script>"""
MADE = """<label>Zip <input maxlength=5></label>
<label>Plate <input oninput='value = value.toUpperCase()'></label>
<label>Digits <input oninput='value = value.replace(/\\D/g, "")'></label>
<label>Count <input type=number min=1 max=10 onchange='if (+value > 10) value = 10'></label>
<label>Trimmed <input onblur='value = value.trim()'></label>
<label>Amount <input oninput='value = value.replace(/\\D/g, "").replace(/\\B(?=(\\d{3})+$)/g, ",")'></label>
<label>Short <input oninput='value = value.slice(0, 3)'></label>"""
LESS = (
    "<label>Max <input type=number oninput='value = value - 1'></label>"
    "<button onclick='document.title = 1'>Create</button>"
)


async def value(server: Server, selector: str) -> str:
    """What a field holds."""
    return await server.evaluate(f"() => document.querySelector({selector!r}).value")


@pytest.mark.parametrize(("page", "slowly"), [(STOLEN, False), (STOLEN, True), (LATER, True)])
async def test_text_that_went_into_another_field_is_an_error(
    server: Server,
    site: Site,
    page: str,
    slowly: bool,  # noqa: FBT001
) -> None:
    shown = await server.open(site.publish("/stolen", page))
    name = shown.ref('textbox "Name"')
    answer = await server.call("browser_type", target=name, text="Johanna Smith", slowly=slowly)
    assert answer.is_error
    assert 'a part went into textbox "Search"' in answer.text
    assert await value(server, "#s") in answer.text


async def test_a_form_is_not_filled_where_a_part_went_elsewhere(server: Server, site: Site) -> None:
    page = await server.open(site.publish("/stolen", STOLEN))
    field = {
        "name": "Name",
        "target": page.ref('textbox "Name"'),
        "type": "textbox",
        "value": "Johanna Smith",
    }
    answer = await server.call("browser_fill_form", fields=[field])
    assert answer.is_error
    assert 'textbox "Search"' in answer.text
    assert "Filled" not in answer.text


@pytest.mark.parametrize("length", ["maxlength=1", "oninput2"])
async def test_a_code_goes_over_the_fields_that_are_made_for_it(
    server: Server, site: Site, length: str
) -> None:
    page = await server.open(site.publish("/code", CODE.replace("LENGTH", length)))
    answer = await server.call("browser_type", target=page.ref('"Digit 1"'), text="1234", slowly=True)
    assert not answer.is_error, answer.text
    digits = "() => [...document.querySelectorAll('input')].map((digit) => digit.value).join('')"
    assert await server.evaluate(digits) == "1234"


async def test_lost_letters_are_inserted_again(server: Server, site: Site) -> None:
    page = await server.open(site.publish("/grid", GRID))
    answer = await server.call("browser_type", target=page.ref('"Cell"'), text="order_id")
    assert not answer.is_error, answer.text
    assert await value(server, "#cell") == "order_id"
    slow = await server.call("browser_type", target=page.ref('"Cell"'), text="reason why", slowly=True)
    assert slow.is_error == (await value(server, "#cell") != "reason why")


@pytest.mark.parametrize("slowly", [False, True])
async def test_a_terminal_takes_a_line_and_enter(server: Server, site: Site, slowly: bool) -> None:  # noqa: FBT001
    page = await server.open(site.publish("/terminal", TERMINAL))
    field = page.ref('"Terminal"')
    for text in ["ls -l", "pwd"]:
        answer = await server.call("browser_type", target=field, text=text, slowly=slowly, submit=True)
        assert not answer.is_error, answer.text
    assert await server.evaluate("() => document.querySelector('output').textContent") == "ran ls -l;ran pwd;"


@pytest.mark.parametrize("slowly", [False, True])
@pytest.mark.parametrize(
    "listen", ["", "tags.oninput = () => { if (tags.value.length > 3) setTimeout(add, 30) }"]
)
async def test_a_field_that_empties_itself_has_taken_the_text(
    server: Server,
    site: Site,
    listen: str,
    slowly: bool,  # noqa: FBT001
) -> None:
    page = await server.open(site.publish("/tags", TAGS.replace("LISTEN", listen)))
    field = page.ref('"Tags"')
    answer = await server.call("browser_type", target=field, text="tree", slowly=slowly, submit=not listen)
    assert not answer.is_error, answer.text
    assert await server.evaluate("() => document.querySelector('li').textContent") == "tree"
    assert await value(server, "#tags") == ""


async def test_a_field_that_refuses_a_text_has_not_taken_it(server: Server, site: Site) -> None:
    page = await server.open(site.publish("/made", MADE))
    for slowly in [False, True]:
        answer = await server.call("browser_type", target=page.ref('"Digits"'), text="abc", slowly=slowly)
        assert answer.is_error
        assert "the field shows nothing" in answer.text


@pytest.mark.parametrize("slowly", [False, True])
async def test_what_has_come_in_the_place_of_the_field_is_read(
    server: Server,
    site: Site,
    slowly: bool,  # noqa: FBT001
) -> None:
    page = await server.open(site.publish("/replaced", REPLACED))
    answer = await server.call("browser_type", target=page.ref('"Query"'), text="hello world", slowly=slowly)
    assert not answer.is_error, answer.text
    assert 'which shows "hello world"' in answer.text
    assert await value(server, "#w input") == "hello world"


@pytest.mark.parametrize(("name", "selector"), [("Reply", "#area"), ("Message", "#box")])
async def test_a_tab_and_a_line_break_are_a_part_of_the_text(
    server: Server, site: Site, name: str, selector: str
) -> None:
    page = await server.open(site.publish("/chat", CHAT))
    answer = await server.call("browser_type", target=page.ref(f'"{name}"'), text="one\n\ttwo", slowly=True)
    assert not answer.is_error, answer.text
    read = "(field) => JSON.stringify(field.value ?? field.innerText)"
    held = await server.evaluate(f"() => ({read})(document.querySelector({selector!r}))")
    assert held in ('"one\\n\\ttwo"', '"one\\n\\n\\ttwo"')
    assert await server.evaluate("() => document.querySelector('output').textContent") == ""
    sent = await server.call("browser_press_key", key="Enter")
    assert not sent.is_error
    assert (await server.evaluate("() => document.querySelector('output').textContent")).count("[") == 1


async def test_a_field_of_one_line_takes_no_tab(server: Server, site: Site) -> None:
    page = await server.open(site.publish("/stolen", SEARCH))
    answer = await server.call("browser_type", target=page.ref('"Search"'), text="a\tb", slowly=True)
    assert answer.is_error
    assert "takes no tab" in answer.text
    assert (
        await server.evaluate("() => document.querySelector('#s').value + document.querySelector('#n').value")
        == ""
    )


@pytest.mark.long
@pytest.mark.parametrize("slowly", [False, True])
async def test_what_a_field_makes_of_a_text_is_reported(server: Server, site: Site, slowly: bool) -> None:  # noqa: FBT001
    page = await server.open(site.publish("/made", MADE))
    for name, text, shown in [
        ("Zip", "123456", "12345"),
        ("Plate", "ab 12", "AB 12"),
        ("Digits", "+49 (170) x12", "4917012"),
        ("Amount", "1234567", "1,234,567"),
        ("Short", "abcdef", "abc"),
        ("Trimmed", " Ada ", " Ada "),
    ]:
        target = page.ref(f'"{name}"')
        answer = await server.call("browser_type", target=target, text=text, slowly=slowly)
        assert not answer.is_error, answer.text
        assert f'which shows "{shown}"' in answer.text
        field = {"name": name, "target": target, "type": "textbox", "value": text}
        filled = await server.call("browser_fill_form", fields=[field])
        assert not filled.is_error, filled.text
        assert f'"{shown}"' in filled.text


async def test_another_number_is_not_filled_and_ends_the_steps(server: Server, site: Site) -> None:
    page = await server.open(site.publish("/less", LESS))
    target = page.ref('"Max"')
    field = {"name": "Max", "target": target, "type": "textbox", "value": "90"}
    answer = await server.call("browser_fill_form", fields=[field])
    assert answer.is_error
    assert "Filled" not in answer.text


async def test_what_the_field_does_not_hold_ends_the_steps(either_workshop: Workshop, site: Site) -> None:
    page = await either_workshop.open(site.publish("/less", LESS))
    steps = [
        {"tool": "browser_type", "arguments": {"ref": page.ref('"Max"'), "text": "90"}},
        {"tool": "browser_click", "arguments": {"ref": page.ref('"Create"')}},
    ]
    answer = await either_workshop.server.call("browser_steps", steps=steps)
    assert answer.is_error
    assert "Step 1 of 2 (browser_type) failed; the rest was not done." in answer.text
    assert await either_workshop.server.evaluate("() => document.title") == ""


@pytest.mark.parametrize(
    "text", ["\u0645\u064f\u062d", "e\u0301", "\U0001f469\u200d\U0001f52c", "\u05e9\u05b8"]
)
async def test_a_value_is_reported_in_its_own_writing(server: Server, site: Site, text: str) -> None:
    page = await server.open(site.publish("/search", SEARCH))
    answer = await server.call("browser_type", target=page.ref('"Search"'), text=text)
    assert f'which shows "{text}"' in answer.text


async def test_what_could_end_a_quotation_is_escaped(server: Server, site: Site) -> None:
    page = await server.open(site.publish("/search", SEARCH))
    answer = await server.call("browser_type", target=page.ref('"Search"'), text='a"b\\c\u202ed')
    assert r'which shows "a\"b\\c\u{202e}d"' in answer.text
