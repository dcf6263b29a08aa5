"""What `playwright_compatible` makes of input and of devices: what was asked for, and nothing beside."""

from collections.abc import AsyncIterator

import pytest

from patchright_mcp.async_api import Error, JSHandle, Page, async_playwright
from patchright_mcp.async_api import TimeoutError as PatchrightTimeoutError
from tests_py.support.site import Site

pytestmark = pytest.mark.long

LOG = """<body style='margin:0'><div id=red style='width:100px;height:100px'></div>
<div id=blue style='width:300px;height:100px'></div><input id=field><script>
log = [];
for (const kind of ["mousedown", "mousemove", "mouseup"])
  addEventListener(kind, (e) => log.push([kind, e.x, e.y]));
addEventListener("keydown", (e) => log.push(e.key));
</script>"""
ZONE = """<div id=zone style='width:200px;height:99px'></div><script>
zone.ondragover = (e) => e.preventDefault();
zone.ondrop = async (e) => {
  const [file] = e.dataTransfer.files;
  dropped = [e.dataTransfer.getData("text/uri-list"), file.name, file.type, await file.text()];
};
dropped = null;
</script>"""


@pytest.fixture
async def bare() -> AsyncIterator[Page]:
    async with async_playwright(playwright_compatible=True) as playwright:
        browser = await playwright.chromium.launch()
        yield await browser.new_page()
        assert "Pixel 2" in playwright.devices["Pixel 2"]["user_agent"]


async def test_only_what_was_reported_is_pressed_and_moved(bare: Page) -> None:
    await bare.set_content(LOG)
    await bare.focus("#field")
    await bare.keyboard.press("+")
    await bare.keyboard.type("!")
    assert await bare.evaluate("log.splice(0)") == ["+", "!"]
    await bare.drag_and_drop("#red", "#blue", steps=2)
    assert await bare.evaluate("log") == [
        ["mousemove", 50, 50],
        ["mousedown", 50, 50],
        ["mousemove", 100, 100],
        ["mousemove", 150, 150],
        ["mouseup", 150, 150],
    ]
    assert await bare.input_value("#field") == "+!"


async def test_what_is_dropped_comes_as_it_was_given(bare: Page) -> None:
    await bare.set_content(ZONE)
    file = {"name": "a.bin", "mimeType": "application/x-ours", "buffer": b"content"}
    payload = {"files": file, "data": {"text/uri-list": "https://example.com"}}
    await bare.locator("#zone").drop(payload)  # type: ignore[arg-type]
    await bare.wait_for_function("dropped")
    assert await bare.evaluate("dropped") == [
        "https://example.com",
        "a.bin",
        "application/x-ours",
        "content",
    ]


async def test_a_dialog_holds_up_the_press_that_opened_it(bare: Page) -> None:
    await bare.set_content("<button onclick='alert(1)'>Ask</button>")
    async with bare.expect_event("dialog") as asked:
        with pytest.raises(PatchrightTimeoutError):
            await bare.click("button", timeout=500)
    await (await asked.value).dismiss()
    bare.on("dialog", lambda dialog: dialog.accept())
    await bare.click("button")


async def test_errors_of_exposed_functions_tell_the_page_where_they_were_raised(bare: Page) -> None:
    def fails() -> None:
        raise ValueError("no")

    await bare.expose_function("fails", fails)
    stack = await bare.evaluate("() => fails().catch((error) => error.stack)")
    assert __file__ in stack


async def test_a_binding_gets_what_it_is_called_with_as_an_object_of_the_page(page: Page) -> None:
    held: list[JSHandle] = []

    def hold(_: object, it: JSHandle) -> int:
        held.append(it)
        return 7

    await page.context.expose_binding("hold", hold, handle=True)
    await page.set_content("<p>text</p>")
    called = await page.evaluate("() => hold(document.querySelector('p'))", isolated_context=False)
    assert called == 7
    element = held[0].as_element()
    assert element is not None
    assert await element.inner_text() == "text"
    await page.evaluate("() => hold({ f: () => 5 })", isolated_context=False)
    assert await held[1].evaluate("it => it.f()") == 5


async def test_a_script_that_the_policy_of_a_page_refuses_is_an_error(page: Page, site: Site) -> None:
    policy = {"Content-Security-Policy": "default-src 'self'"}
    await page.route("**/refusing", lambda route: route.fulfill(body="<title>x</title>", headers=policy))
    await page.goto(site.url("/refusing"))
    with pytest.raises(Error, match="Content Security Policy"):
        await page.add_script_tag(content="ran = 1")
    await page.goto(site.page("form"))
    await page.add_script_tag(content="ran = 1")
    assert await page.evaluate("ran", isolated_context=False) == 1


async def test_what_is_thrown_is_reported_as_it_is(page: Page) -> None:
    for thrown, message, name in (
        ("{}", "Object", ""),
        ("window", "Window", ""),
        ("Object.assign(new Error('said'), { name: 'my-name' })", "said", "my-name"),
        ("'only words'", "only words", ""),
    ):
        async with page.expect_event("pageerror") as caught:
            await page.evaluate(f"() => setTimeout(() => {{ throw {thrown} }})", isolated_context=False)
        error = await caught.value
        assert (error.message, error.name) == (message, name)


async def test_an_error_tells_the_lines_that_led_to_it(page: Page) -> None:
    await page.route("**/*", lambda route: route.abort())
    with pytest.raises(Error) as caught:
        await page.goto("https://a.example/")
    assert __file__ in (caught.value.stack or "")
