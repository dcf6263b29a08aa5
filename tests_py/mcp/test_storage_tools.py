"""Cookies, storage, and what pages may do and send."""

import json

import pytest

from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop

pytestmark = pytest.mark.long


async def listed(workshop: Workshop, **arguments: object) -> dict[str, str]:
    cookies = json.loads((await workshop.do("browser_cookies", action="list", **arguments)).section("Result"))
    return {cookie["name"]: cookie["value"] for cookie in cookies}


async def test_cookies_are_set_listed_deleted_and_cleared(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.do("browser_cookies", action="clear")
    await workshop.do("browser_cookies", action="set", cookies="a=1; b=2", domain="127.0.0.1")
    exported = json.dumps(
        [{"name": "c", "value": "3", "domain": "localhost", "path": "/", "sameSite": "lax"}]
    )
    await workshop.do("browser_cookies", action="set", cookies=exported)
    curl = f"curl '{site.url('/x')}' -H 'Cookie: d=4'"
    await workshop.do("browser_cookies", action="set", cookies=curl)
    assert await listed(workshop) == {"a": "1", "b": "2", "c": "3", "d": "4"}
    assert await listed(workshop, domain="localhost") == {"c": "3"}
    assert "a=1" in await workshop.server.evaluate("() => document.cookie")
    await workshop.do("browser_cookies", action="delete", name="a")
    assert await listed(workshop) == {"b": "2", "c": "3", "d": "4"}
    assert "Give `name` or `domain`" in await workshop.refused("browser_cookies", action="delete")
    assert "`domain` is needed" in await workshop.refused("browser_cookies", action="set", cookies="a=1")
    await workshop.do("browser_cookies", action="clear")
    assert await listed(workshop) == {}


async def test_only_the_cookies_that_are_meant_are_cleared(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.do("browser_cookies", action="clear")
    await workshop.do("browser_cookies", action="set", cookies="a=1; b=2", domain="127.0.0.1")
    await workshop.do("browser_cookies", action="set", cookies="a=3", domain="localhost")
    answer = await workshop.do("browser_cookies", action="clear", domain="some-other-site.example")
    assert answer.section("Result") == "Deleted 0 cookies"
    answer = await workshop.do("browser_cookies", action="clear", domain=site.url("/"), name="a")
    assert answer.section("Result") == "Deleted 1 cookie"
    assert await listed(workshop) == {"b": "2", "a": "3"}
    assert await listed(workshop, domain="http://localhost:80") == {"a": "3"}
    answer = await workshop.do("browser_cookies", action="clear")
    assert answer.section("Result") == "Cleared all cookies of the context (2)"
    for wrong, problem in [
        ({"action": "clear", "cookies": "a=1"}, "`cookies` goes with set only"),
        ({"action": "clear", "path": "/"}, "`path`"),
        ({"action": "set", "cookies": "a=1", "name": "a"}, "`name` does not go with set"),
        ({"action": "list", "domain": "a b"}, "`domain` names no host"),
    ]:
        assert problem in await workshop.refused("browser_cookies", **wrong)


async def test_cookies_that_the_browser_does_not_take_are_reported(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.do("browser_cookies", action="clear")

    def cookie(name: str, **more: object) -> dict[str, object]:
        return {"name": name, "value": "1", "domain": "127.0.0.1", "path": "/", **more}

    given = [cookie("none", sameSite="no_restriction", secure=False), cookie("kept")]
    answer = await workshop.do("browser_cookies", action="set", cookies=json.dumps(given))
    assert answer.section("Result") == "Set 1 of 2 cookies; not taken: none: SameSite=None needs Secure"
    given = [cookie("first"), cookie("__Host-x"), cookie("old", expires=1), cookie("last")]
    answer = await workshop.do("browser_cookies", action="set", cookies=json.dumps(given))
    said = 'Set 2 of 4 cookies; not taken: "__Host-x": its name needs Secure; old: it has expired'
    assert answer.section("Result") == said
    assert await listed(workshop) == {"kept": "1", "first": "1", "last": "1"}
    alone = json.dumps([cookie("__Secure-x")])
    refused = await workshop.refused("browser_cookies", action="set", cookies=alone)
    assert 'did not take the cookie "__Secure-x": its name needs Secure' in refused
    await workshop.do("browser_cookies", action="clear")


async def test_cookies_are_read_as_servers_and_commands_write_them(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    await workshop.do("browser_cookies", action="clear")
    answer = await workshop.do("browser_cookies", action="set", cookies="g=1", domain="http://127.0.0.1:80")
    assert answer.section("Result") == "Set 1 cookie"
    line = "Set-Cookie: sc=1; Path=/c; Max-Age=100"
    await workshop.do("browser_cookies", action="set", cookies=line, domain="127.0.0.1")
    curl = f"curl '{site.url('/x')}' -H $'cookie: q=it\\'s; z=2' -bfoo=bar"
    answer = await workshop.do("browser_cookies", action="set", cookies=curl)
    assert answer.section("Result") == "Set 3 cookies"
    found = json.loads((await workshop.do("browser_cookies", action="list")).section("Result"))
    assert {(cookie["name"], cookie["value"], cookie["domain"], cookie["path"]) for cookie in found} == {
        ("g", "1", "127.0.0.1", "/"),
        ("sc", "1", "127.0.0.1", "/c"),
        ("q", "it's", "127.0.0.1", "/"),
        ("z", "2", "127.0.0.1", "/"),
        ("foo", "bar", "127.0.0.1", "/"),
    }
    (expires,) = [cookie["expires"] for cookie in found if cookie["name"] == "sc"]
    assert expires > 0
    await workshop.do("browser_cookies", action="clear")


async def test_storage_is_set_listed_deleted_and_cleared(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("form"))
    for kind in ("local", "session"):
        await workshop.do("browser_storage", action="clear", kind=kind)
        await workshop.do("browser_storage", action="set", kind=kind, key="a", value="1")
        await workshop.server.evaluate(f"() => {{ {kind}Storage.b = 2 }}")
        answer = await workshop.do("browser_storage", action="list", kind=kind)
        assert json.loads(answer.section("Result")) == {"a": "1", "b": "2"}
        await workshop.do("browser_storage", action="delete", kind=kind, key="a")
        assert await workshop.server.evaluate(f"() => Object.keys({kind}Storage).join()") == "b"
        await workshop.do("browser_storage", action="clear", kind=kind)
    opened = "() => new Promise((done) => { indexedDB.open('things', 3).onsuccess = () => done(1) })"
    await workshop.server.evaluate(opened)
    answer = await workshop.do("browser_storage", action="list", kind="databases")
    assert json.loads(answer.section("Result")) == [{"name": "things", "version": 3}]
    assert "`key` and `value` are needed" in await workshop.refused("browser_storage", action="set", key="a")
    assert "can only be listed" in await workshop.refused("browser_storage", action="clear", kind="databases")


async def test_pages_are_allowed_and_send_what_was_said(workshop: Workshop, site: Site) -> None:
    await workshop.do("browser_context_create", name="told")
    await workshop.open(site.page("form"))
    await workshop.do("browser_access", permissions=["geolocation"], headers={"X-Team": "blue"})
    state = "async () => (await navigator.permissions.query({ name: 'geolocation' })).state"
    assert await workshop.server.evaluate(state) == "granted"
    await workshop.open(site.url("/seen"))
    assert site.requested("/seen")[-1].headers["X-Team"] == "blue"
    assert "is not a permission" in await workshop.refused("browser_access", permissions=["everything"])
    assert "go together" in await workshop.refused("browser_access", username="ann")
    assert "Give `permissions`" in await workshop.refused("browser_access")
    await workshop.do("browser_context_close", name="told")


async def test_workers_send_headers_too_until_they_are_taken_back(workshop: Workshop, site: Site) -> None:
    await workshop.do("browser_context_create", name="working")
    site.publish(
        "/work.js",
        "onmessage = async () => postMessage((await fetch('/seen?by=worker')).status)",
        "text/javascript",
    )
    await workshop.open(site.page("form"))
    await workshop.do("browser_access", headers={"X-Team": "blue"})
    await workshop.open(site.page("form"))
    work = """() => new Promise((done) => {
      window.worker ??= new Worker('/work.js');
      worker.onmessage = () => done('worked');
      worker.postMessage('go');
    })"""
    assert await workshop.server.evaluate(work) == "worked"
    assert site.requested("/seen")[-1].headers.get("X-Team") == "blue"
    answer = await workshop.do("browser_access", headers={})
    assert answer.section("Result") == "The context has no added headers now"
    await workshop.open(site.page("fields"))
    assert "X-Team" not in site.requested("/pages/fields.html")[-1].headers
    assert await workshop.server.evaluate(work) == "worked"
    assert "X-Team" not in site.requested("/seen")[-1].headers
    await workshop.do("browser_context_close", name="working")


async def test_a_password_that_a_site_does_not_take_is_reported_at_once(
    workshop: Workshop, site: Site
) -> None:
    await workshop.do("browser_context_create", name="mistaken")
    await workshop.open(site.page("form"))
    await workshop.do("browser_access", username="ann", password="wrong")  # noqa: S106
    refused = await workshop.refused("browser_navigate", url=site.url("/members/ann"))
    assert f"127.0.0.1:{site.port} rejected the configured user name or password" in refused
    assert "browser_access" in refused
    await workshop.do("browser_access", username="ann", password="secret")  # noqa: S106
    opened = await workshop.open(site.url("/members/ann"))
    assert "Hello ann" in opened.section("Snapshot")
    await workshop.do("browser_context_close", name="mistaken")


async def test_a_name_and_a_password_are_reported_where_they_are_asked_for(
    workshop: Workshop, site: Site
) -> None:
    await workshop.do("browser_context_create", name="known")
    await workshop.open(site.page("form"))
    await workshop.do("browser_access", username="ann", password="secret")  # noqa: S106
    opened = await workshop.open(site.url("/members/ann"))
    assert "Hello ann" in opened.section("Snapshot")
    await workshop.do("browser_context_close", name="known")


async def test_another_look_place_and_network_are_pretended_and_taken_back(
    workshop: Workshop, site: Site
) -> None:
    await workshop.do("browser_context_create", name="elsewhere")
    await workshop.open(site.page("form"))
    answer = await workshop.do(
        "browser_emulate", colorScheme="dark", reducedMotion=True, latitude=52.5, longitude=13.4, cpu=2
    )
    assert "dark colours, reduced motion, at 52.5, 13.4, a processor 2 times slower" in answer.section(
        "Result"
    )
    queries = ["(prefers-color-scheme: dark)", "(prefers-reduced-motion)", "print"]
    media = f"() => {queries}.map((query) => matchMedia(query).matches).join()"
    assert await workshop.server.evaluate(media) == "true,true,false"
    await workshop.do("browser_access", permissions=["geolocation"])
    at = "navigator.geolocation.getCurrentPosition((at) => done(at.coords.latitude))"
    place = f"() => new Promise((done) => {at})"
    assert await workshop.server.evaluate(place) == "52.5"
    await workshop.do("browser_emulate", network="offline", print=True)
    assert await workshop.server.evaluate("() => navigator.onLine") == "false"
    assert await workshop.server.evaluate(media) == "false,false,true"
    assert "as usual again" in (await workshop.do("browser_emulate")).section("Result")
    assert await workshop.server.evaluate("() => navigator.onLine") == "true"
    assert "go together" in await workshop.refused("browser_emulate", latitude=5)
    assert "`cpu` must be at least 1" in await workshop.refused("browser_emulate", cpu=0)
    assert "`latitude` must be at most 90" in await workshop.refused(
        "browser_emulate", latitude=91, longitude=0
    )
    await workshop.do("browser_context_close", name="elsewhere")


async def test_another_device_language_and_zone_are_pretended_and_taken_back(
    workshop: Workshop, site: Site
) -> None:
    await workshop.do("browser_context_create", name="abroad")
    await workshop.open(site.url("/seen"))
    look = (
        "() => [innerWidth, devicePixelRatio, navigator.maxTouchPoints > 0,"
        " /Android/.test(navigator.userAgent),"
        " navigator.language, Intl.DateTimeFormat().resolvedOptions().timeZone].join()"
    )
    usual = await workshop.server.evaluate(look)
    answer = await workshop.do("browser_emulate", device="Pixel 9", locale="de-DE", timezone="Asia/Tokyo")
    assert "on a Pixel 9, in de-DE, at the time of Asia/Tokyo" in answer.section("Result")
    await workshop.do("browser_history", action="reload")
    shown = await workshop.server.evaluate(look)
    assert shown.split(",")[1:] == ["2.625", "true", "true", "de-DE", "Asia/Tokyo"]
    asked = site.requested("/seen")[-1].headers
    assert "Android" in asked["User-Agent"]
    assert asked["Accept-Language"].startswith("de-DE")
    await workshop.do("browser_tabs", action="new", url=site.url("/seen"))
    assert (await workshop.server.evaluate(look)).split(",")[4:] == ["de-DE", "Asia/Tokyo"]
    await workshop.do("browser_emulate", locale="fr-FR")
    await workshop.do("browser_history", action="reload")
    assert (await workshop.server.evaluate(look)).split(",")[4] == "fr-FR"
    for wrong, problem in [
        ({"device": "Nokia 3310"}, "there is no device"),
        ({"timezone": "Mars/Phobos"}, "does not support the time zone"),
    ]:
        assert problem in await workshop.refused("browser_emulate", **wrong)
    await workshop.do("browser_emulate")
    await workshop.do("browser_history", action="reload")
    assert await workshop.server.evaluate(look) == usual
    await workshop.do("browser_context_close", name="abroad")


async def test_the_clipboard_is_read_and_set_and_no_page_hears_of_it(workshop: Workshop, site: Site) -> None:
    ear = "<script>oncopy = onpaste = (event) => { document.title = event.type }</script>"
    received = f"<textarea>by hand</textarea>{ear}"
    await workshop.open(site.publish("/copies", received))
    set_ = await workshop.do("browser_storage", action="set", kind="clipboard", value="two\nlines")
    assert set_.section("Result") == "Done"
    answer = await workshop.do("browser_storage", action="list", kind="clipboard")
    assert "two" in answer.section("Result")
    assert "lines" in answer.section("Result")
    assert await workshop.server.evaluate("() => document.title") != "paste"
    area = "() => { document.querySelector('textarea').select() }"
    await workshop.do("browser_evaluate", function=area)
    await workshop.do("browser_press_key", key="ControlOrMeta+c")
    answer = await workshop.do("browser_storage", action="list", kind="clipboard")
    assert answer.section("Result") == "by hand"
    for wrong in (
        {"action": "clear"},
        {"action": "set"},
        {"action": "set", "value": "x", "key": "y"},
        {"action": "list", "key": "y"},
    ):
        said = await workshop.refused("browser_storage", kind="clipboard", **wrong)
        assert "the clipboard can be listed" in said
    listed = await workshop.do("browser_tabs", action="list")
    assert "blank" not in listed.section("Open tabs")


SHOP = """<p>empty</p><script type=module>
const opening = indexedDB.open("shop");
opening.onupgradeneeded = () => opening.result.createObjectStore("items");
await new Promise((done) => { opening.onsuccess = done; });
const items = opening.result.transaction("items", "readwrite").objectStore("items");
const asked = items.get("kinds");
await new Promise((done) => { asked.onsuccess = done; });
const paragraph = document.querySelector("p");
if (asked.result) {
  const { date, map, file } = asked.result;
  paragraph.textContent = [date.getTime(), ...map.get(1), await file.text()].join();
} else {
  const kinds = { date: new Date(5), map: new Map([[1, new Set(["in"])]]), file: new File(["text"], "a") };
  const put = items.put(kinds, "kinds");
  put.onsuccess = () => { paragraph.textContent = "filled"; };
}
</script>"""


async def test_a_state_takes_along_databases_with_all_kinds_of_values(workshop: Workshop, site: Site) -> None:
    url = site.publish("/shop", document("Shop", SHOP))
    await workshop.do("browser_context_create", name="first")
    await workshop.open(url)
    await workshop.do("browser_wait_for", text="filled")
    await workshop.do("browser_context_save_storage", path="whole.json", indexedDB=True)
    await workshop.do("browser_context_create", name="second", storageState="whole.json")
    await workshop.open(url)
    await workshop.do("browser_wait_for", text="5,in,text")
    for name in ("second", "first"):
        await workshop.do("browser_context_close", name=name)


async def test_a_state_takes_along_the_files_that_sites_keep_when_asked_to(
    workshop: Workshop, site: Site
) -> None:
    await workshop.do("browser_context_create", name="first")
    await workshop.open(site.page("form"))
    keep = """async () => {
      const file = await (await navigator.storage.getDirectory()).getFileHandle('lamp', { create: true });
      const writing = await file.createWritable();
      await writing.write('on');
      await writing.close();
    }"""
    await workshop.server.evaluate(keep)
    await workshop.do("browser_context_save_storage", path="plain.json")
    await workshop.do("browser_context_save_storage", path="whole.json", opfs=True)
    kept = """async () => {
      const names = [];
      for await (const name of (await navigator.storage.getDirectory()).keys()) names.push(name);
      return names.join();
    }"""
    for path, names in (("plain.json", ""), ("whole.json", "lamp")):
        await workshop.do("browser_context_create", name=path, storageState=path)
        await workshop.open(site.page("form"))
        assert await workshop.server.evaluate(kept) == names
        await workshop.do("browser_context_close", name=path)
    await workshop.do("browser_context_close", name="first")
