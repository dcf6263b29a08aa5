"""What a model has typed by name, and never sees."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import struct
import time
from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests_py.support.client import Server, serve
from tests_py.support.site import Site
from tests_py.support.wire import Wire

HALF = 0.5
VALUE = "Tr0ub4dor&3 é!"
SEED = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ"
NAMED = "<secret>door</secret>"
PAGE = """<!doctype html><title>Sign in</title>
<style>body { margin: 0; height: 3000px }
input, iframe, p { position: absolute; left: 20px; width: 300px; height: 30px; margin: 0 }</style>
<form onsubmit="return false"><input aria-label=User style="top:20px">
<input aria-label=Password type=password style="top:70px"><input aria-label=Code style="top:120px"></form>
<p id=told style="top:170px"></p><iframe style="top:220px" src="FRAME"></iframe>"""
FRAME = """<!doctype html><title>Inside</title><input aria-label=Inner>"""


@pytest.fixture(scope="module")
async def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server of this module works."""
    return tmp_path_factory.mktemp("secrets")


@pytest.fixture(scope="module")
async def server(shared_site: Site, folder: Path) -> AsyncIterator[Server]:
    """A server with a password and a code, both for one of the site's two origins."""
    secrets = {
        "door": {"value": VALUE, "origins": [shared_site.origin]},
        "code": {"totp": SEED, "origins": [shared_site.origin]},
    }
    (folder / "secrets.json").write_text(json.dumps(secrets))
    arguments = ("--caps", "network,storage,pdf,steps", "--input", "instant", "--log-level", "trace")
    async with serve(
        "--headless", "--secrets", str(folder / "secrets.json"), *arguments, cwd=folder
    ) as server:
        yield server


@pytest.fixture
async def page(server: Server, site: Site) -> str:
    """The text of a page with fields, and in it a frame of another origin."""
    frame = site.publish("/secrets-frame", FRAME).replace(site.origin, site.other_origin)
    return (await server.open(site.publish("/secrets", PAGE.replace("FRAME", frame)))).text


def ref(page: str, name: str) -> str:
    found = re.search(rf'textbox "{name}".*?\[ref=(\w+)\]', page)
    assert found, page
    return found[1]


def code_at(seconds: float) -> str:
    """RFC 6238, by somebody else."""
    tag = hmac.new(base64.b32decode(SEED), struct.pack(">Q", int(seconds) // 30), hashlib.sha1).digest()
    at = tag[-1] & 15
    return f"{(struct.unpack('>I', tag[at : at + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def holds(text: str) -> bool:
    """Whether a text shows the value to somebody who looks a little."""
    plain = re.sub(r"[^a-z0-9é]", "", text.lower())
    return "tr0ub4dor" in plain or "rod4bu0rt" in plain


async def test_a_name_is_typed_as_its_value_and_nothing_tells_it(server: Server, page: str) -> None:
    typed = await server.call("browser_type", ref=ref(page, "User"), text=NAMED)
    fields = [{"name": "Password", "type": "textbox", "ref": ref(page, "Password"), "value": NAMED}]
    filled = await server.call("browser_fill_form", fields=fields)
    assert not typed.is_error, typed.text
    assert not filled.is_error, filled.text
    # The page has the value: its digest is asked for, which says so and gives it to nobody.
    script = """async () => Promise.all(['User', 'Password'].map(async (name) => {
      const field = document.querySelector(`[aria-label=${name}]`);
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(field.value));
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
    }))"""
    digests = await server.evaluate(script)
    assert json.loads(digests) == [hashlib.sha256(VALUE.encode()).hexdigest()] * 2
    snapshot = await server.snapshot()
    assert NAMED in snapshot.text
    for reply in (typed, filled, snapshot):
        assert not holds(reply.text), reply.text


async def test_a_code_is_made_and_struck(server: Server, page: str) -> None:
    before = time.time()
    typed = await server.call("browser_type", ref=ref(page, "Code"), text="<secret>code</secret>")
    assert not typed.is_error, typed.text
    codes = {code_at(second) for second in (before, time.time())}
    script = f"() => {json.dumps(sorted(codes))}.includes(document.querySelector('[aria-label=Code]').value)"
    assert await server.evaluate(script) == "true"
    snapshot = await server.snapshot()
    assert "<secret>code</secret>" in snapshot.text
    assert not any(code in snapshot.text for code in codes)


async def test_it_is_typed_only_where_it_belongs(server: Server, site: Site, page: str) -> None:
    inner = await server.call("browser_type", ref=ref(page, "Inner"), text=NAMED)
    assert inner.is_error
    assert f"this field belongs to {site.other_origin}" in inner.text
    assert (await server.call("browser_type", ref=ref(page, "User"), text="<secret>none</secret>")).is_error
    # The right origin in a page of another one is not the right place either.
    around = PAGE.replace("FRAME", site.url("/secrets-frame"))
    elsewhere = site.publish("/secrets-around", around).replace(site.origin, site.other_origin)
    page = (await server.open(elsewhere)).text
    framed = await server.call("browser_type", ref=ref(page, "Inner"), text=NAMED)
    assert framed.is_error
    assert f"stands in a page of {site.other_origin}" in framed.text
    own = await server.call("browser_type", ref=ref(page, "User"), text=NAMED)
    assert own.is_error
    lengths = await server.evaluate(
        "() => [...document.querySelectorAll('input')].map((field) => field.value.length)"
    )
    assert json.loads(lengths) == [0, 0, 0]


ECHOES = {
    "as it is": "value",
    "backwards": "[...value].reverse().join('')",
    "in capitals": "value.toUpperCase()",
    "with blanks": "[...value].join(' ')",
    "as an address": "encodeURIComponent(value)",
    "in base 64": "btoa(unescape(encodeURIComponent('ada:' + value)))",
    "as numbers": "[...value].map((letter) => letter.codePointAt(0)).join()",
    "in hexadecimal": "[...new TextEncoder().encode(value)].map((byte) => byte.toString(16)).join('')",
}


@pytest.mark.parametrize("how", ECHOES)
async def test_a_page_that_says_it_tells_no_model(server: Server, page: str, how: str) -> None:
    await server.call("browser_type", ref=ref(page, "User"), text=NAMED)
    values = ECHOES[how]
    expression = f"const value = document.querySelector('input').value, told = {values}"
    script = f"""() => {{ {expression};
      document.title = told; document.querySelector('#told').textContent = told;
      console.error(told); history.replaceState(null, '', '#' + told);
      localStorage.setItem('told', told);
      fetch('/echo?' + told, {{ method: 'POST', body: told }}).catch(() => 0);
      return {{ told, list: [...told], [told]: 1 }}; }}"""
    replies = [
        await server.call("browser_evaluate", function=script),
        await server.snapshot(),
        await server.call("browser_console_messages"),
        await server.call("browser_network_requests"),
        await server.call("browser_read"),
        await server.call("browser_read", offset=3),
        await server.call("browser_tabs", action="list"),
        await server.call("browser_evaluate", function=f"() => {{ {expression}; throw new Error(told); }}"),
        await server.call("browser_storage", action="list"),
        await server.call("browser_steps", steps=[{"tool": "browser_snapshot", "arguments": {}}]),
    ]
    written = await server.call("browser_evaluate", function=script, filename="told.json")
    assert not written.is_error, written.text
    texts = [reply.text + json.dumps(reply.structured) for reply in replies]
    needles = [
        VALUE,
        VALUE[::-1],
        VALUE.upper(),
        quote(VALUE),
        base64.b64encode(VALUE.encode()).decode()[2:-4],
    ]
    needles += [VALUE.encode().hex(), ",".join(str(ord(letter)) for letter in VALUE)]
    for text in texts:
        assert not holds(text), text
        assert not any(needle in text for needle in needles), text


def written(folder: Path) -> list[str]:
    """What stands in the files of a folder, but for the secrets themselves."""
    files = [file for file in folder.rglob("*") if file.is_file() and file.name != "secrets.json"]
    return [file.read_text(errors="replace") for file in files]


def as_text(picture: Path) -> str:
    """The bytes of a picture, for a script."""
    return base64.b64encode(picture.read_bytes()).decode()


async def test_no_file_holds_it(server: Server, page: str, folder: Path) -> None:
    await server.call("browser_type", ref=ref(page, "User"), text=NAMED)
    kept = "() => (localStorage.kept = document.querySelector('input').value)"
    for call in (
        server.call("browser_evaluate", function=kept, filename="kept.json"),
        server.call("browser_snapshot", filename="page.yml"),
        server.call("browser_context_save_storage", path="state.json"),
    ):
        reply = await call
        assert not reply.is_error, reply.text
    texts = written(folder)
    assert len(texts) >= len(("kept.json", "page.yml", "state.json"))
    assert not [text for text in texts if holds(text)]
    assert any(NAMED in text for text in texts)


async def test_pictures_are_covered_and_prints_refused(server: Server, page: str, folder: Path) -> None:
    async def dark(picture: Path) -> list[float]:
        """How black the picture is at the field, at the line below it, and beside them."""
        data = as_text(picture)
        script = f"""async () => {{
          const image = await createImageBitmap(await (await fetch('data:image/png;base64,{data}')).blob());
          const context = new OffscreenCanvas(image.width, image.height).getContext('2d');
          context.drawImage(image, 0, 0);
          const share = (x, y, width, height) => {{
            const {{ data }} = context.getImageData(x, y, width, height);
            let black = 0;
            for (let at = 0; at < data.length; at += 4) black += data[at] + data[at + 1] + data[at + 2] === 0;
            return black / (data.length / 4);
          }};
          return [share(22, 22, 290, 26), share(20, 170, 60, 18), share(400, 20, 200, 200)];
        }}"""
        return list(json.loads(await server.evaluate(script)))

    await server.call("browser_type", ref=ref(page, "User"), text=NAMED)
    split = """() => {
      const letters = [...document.querySelector('input').value].map((letter) => `<b>${letter}</b>`);
      document.querySelector('#told').innerHTML = letters.join('');
    }"""
    await server.call("browser_evaluate", function=split)
    shot = await server.call("browser_take_screenshot", filename="covered.png")
    assert not shot.is_error, shot.text
    field, line, beside = await dark(folder / ".viewpoint-mcp-screenshots" / "covered.png")
    assert field == 1
    assert line > HALF
    assert beside == 0
    for refused in (
        await server.call("browser_pdf_save"),
        await server.call("browser_take_screenshot", fullPage=True),
    ):
        assert refused.is_error
        assert "shows a secret" in refused.text
    cleared = "() => { document.querySelector('#told').textContent = ''; document.forms[0].reset(); }"
    await server.call("browser_evaluate", function=cleared)
    assert not (await server.call("browser_pdf_save")).is_error
    await server.call("browser_take_screenshot", filename="plain.png")
    field, _, _ = await dark(folder / ".viewpoint-mcp-screenshots" / "plain.png")
    assert field < HALF


def test_a_client_is_reported_the_names_and_the_log_nothing(site: Site, folder: Path) -> None:
    (folder / "one.toml").write_text(f"[door]\nvalue = {json.dumps(VALUE)}\norigins = ['{site.origin}']\n")
    with Wire(folder, "--headless", "--secrets", str(folder / "one.toml"), "--log-level", "trace") as wire:
        answer = wire.shake_hands()["result"]["instructions"]
        assert f"door ({site.origin})" in answer
        wire.call("browser_navigate", url=site.publish("/secrets-log", PAGE.replace("FRAME", "about:blank")))
        wire.call("browser_type", ref="[aria-label=User]", text=NAMED)
        thrown = "() => { throw new Error(document.querySelector('input').value); }"
        wire.call("browser_evaluate", function=thrown)
        assert wire.log
        assert not [line for line in wire.lines + wire.log if holds(line)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[door]\nvalue = 'open sesame'\norigins = []\n", "name the origins"),
        ("open sesame", "expected TOML or JSON"),
    ],
)
def test_what_cannot_be_read_is_reported_without_it(folder: Path, text: str, reason: str) -> None:
    (folder / "wrong.toml").write_text(text)
    with Wire(folder, "--secrets", str(folder / "wrong.toml")) as wire:
        assert wire.ended() == 2
        answer = "".join(wire.log)
    assert reason in answer
    assert "sesame" not in answer


async def test_programs_type_secrets_and_never_see_them(server: Server, page: str) -> None:
    assert page
    code = f"""const field = page.getByLabel('Password');
await field.fill('{NAMED}');
return [await field.inputValue(), 'read'];"""
    reply = await server.call("browser_run", code=code)
    assert "read" in reply.section("Result")
    assert VALUE not in reply.text
    assert await server.evaluate("() => document.querySelector('[type=password]').value.length") == str(
        len(VALUE)
    )
    code = f"await page.frameLocator('iframe').getByLabel('Inner').fill('{NAMED}')"
    reply = await server.call("browser_run", code=code)
    assert reply.is_error
    assert "may not be typed here" in reply.section("Error")
