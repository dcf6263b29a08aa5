"""Pages as outlines with refs, and as something to read."""

import re

import pytest

from patchright_mcp.async_api import Error, Page
from patchright_mcp.async_api import TimeoutError as PatchrightTimeoutError
from tests_py.support.site import Site

FORM = """<h1>Order</h1><h2>Address</h2><p>Where to.</p><label>Name <input></label>
<h2>End</h2><button>Send</button>
<iframe srcdoc='<button>Inside</button>'></iframe>"""


def ref_of(outline: str, name: str) -> str:
    """The ref of what has this name in an outline."""
    line = next(line for line in outline.splitlines() if f'"{name}"' in line)
    found = re.search(r"\[ref=(\w+)\]", line)
    assert found is not None, line
    return found[1]


async def test_a_ref_finds_its_element_also_in_a_frame(page: Page) -> None:
    await page.set_content(FORM)
    outline = await page.snapshot()
    await page.get_by_ref(ref_of(outline, "Name")).fill("Ada")
    assert await page.get_by_label("Name").input_value() == "Ada"
    inside = page.get_by_ref(ref_of(outline, "Inside"))
    assert await inside.inner_text() == "Inside"
    assert await page.locator(f"aria-ref={ref_of(outline, 'Send')}").inner_text() == "Send"


async def test_a_ref_is_never_another_element(page: Page) -> None:
    await page.set_content(FORM)
    send = ref_of(await page.snapshot(), "Send")
    await page.evaluate("document.querySelector('button').outerHTML += ''")
    for act in (page.get_by_ref(send).click, page.get_by_ref(send).wait_for):
        with pytest.raises(Error, match=f"{send} is no longer on the page; take a new snapshot") as gone:
            await act(timeout=0)
        assert not isinstance(gone.value, PatchrightTimeoutError)
    with pytest.raises(Error, match=f"{send} is no longer on the page"):
        await page.get_by_ref(send).locator("b").click(timeout=0)
    await page.get_by_ref(send).wait_for(state="detached")
    assert not await page.get_by_ref(send).is_visible()
    with pytest.raises(Error, match="this is not a ref of this page: a ref looks like e12"):
        await page.get_by_ref("hello").click(timeout=300)
    with pytest.raises(Error, match="no snapshot has shown it"):
        await page.get_by_ref("e999").click(timeout=300)
    other = await page.context.new_page()
    with pytest.raises(Error, match="another tab"):
        await other.get_by_ref(send).click(timeout=300)


async def test_a_snapshot_shows_a_part_to_a_depth_and_with_places(page: Page) -> None:
    await page.set_content(FORM)
    outline = await page.snapshot()
    assert await page.aria_snapshot(mode="ai") == outline
    section = await page.snapshot(ref=ref_of(outline, "Address"), boxes=True)
    assert '"Name"' in section
    assert "Send" not in section
    assert re.search(r"\[box=\d+,\d+,\d+,\d+\]", section)
    button = await page.get_by_role("button").first.aria_snapshot(mode="ai")
    assert button == f'- button "Send" [ref={ref_of(outline, "Send")}]\n'
    await page.set_content("<button>Go</button>" * 300)
    assert (await page.snapshot(max_chars=2000)).splitlines()[-1].startswith("# ")
    with pytest.raises(Error, match="unknown field"):
        await page._run(page._native.snapshot({"deep": 1}))


async def test_a_page_is_read_as_markdown_and_as_text(page: Page) -> None:
    await page.set_content("<main><h1>Report</h1><p>All is <b>well</b>.</p></main>")
    assert await page.markdown() == "# Report\n\nAll is **well**."
    assert (await page.read()).split() == ["Report", "All", "is", "well."]
    assert "<b>well</b>" in await page.read("html")
    with pytest.raises(Error, match="format: expected one of"):
        await page.read("pdf")  # type: ignore[arg-type]


async def test_what_stands_in_the_way_is_reported(page: Page, site: Site) -> None:
    form = "<title>Sign in</title><form><input name=user><input type=password></form>"
    await page.goto(site.publish("/report", form))
    challenge = await page.wall()
    assert challenge == {"kind": "login", "url": page.url, "what": "a form that asks for a password"}
    assert await page.wall(acts=True) is None
    await page.set_content("<p>Nothing here</p>")
    assert await page.wall() is None
    # Who is led to another address is in the way of a wall there.
    await page.goto(site.lead("/private", to=site.publish("/login", form)))
    found = await page.wall()
    assert found
    assert found["kind"] == "login"
