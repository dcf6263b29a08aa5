"""A text that is filled in is there, or the call fails."""

import pytest

from patchright_mcp.async_api import Error, Page
from tests_py.mcp.test_arrived import GRID, LATER, LESS, MADE, STOLEN, TERMINAL
from tests_py.support.site import Site, document


async def test_lost_letters_are_inserted_again(page: Page) -> None:
    await page.set_content(GRID)
    for text in ["reason", "order_id"]:
        await page.fill("#cell", text)
        assert await page.input_value("#cell") == text


async def test_a_text_that_went_elsewhere_is_an_error(page: Page) -> None:
    await page.set_content(STOLEN)
    with pytest.raises(Error, match='a part went into textbox "Search"'):
        await page.get_by_label("Name").fill("Johanna Smith")


async def test_another_number_is_an_error(page: Page) -> None:
    await page.set_content(LESS)
    with pytest.raises(Error, match='the field shows "89"'):
        await page.get_by_label("Max").fill("90")


async def test_what_a_field_makes_of_a_text_is_none(page: Page) -> None:
    await page.set_content(MADE)
    for name, text, held in [("Zip", "123456", "12345"), ("Plate", "ab", "AB"), ("Short", "abcdef", "abc")]:
        await page.get_by_label(name).fill(text)
        assert await page.get_by_label(name).input_value() == held


async def test_a_terminal_takes_a_text(page: Page) -> None:
    await page.set_content(TERMINAL)
    await page.get_by_label("Terminal").fill("ls -l", force=True)
    await page.keyboard.press("Enter")
    assert await page.inner_text("output") == "ran ls -l;"


async def test_a_focus_that_moves_later_takes_nothing_of_a_text(page: Page) -> None:
    await page.set_content(LATER)
    await page.get_by_label("Name").fill("secret words")
    assert await page.get_by_label("Name").input_value() == "secret words"
    assert await page.get_by_label("Search").input_value() == ""


RENEWED = """<input value=old><script>
document.querySelector("input").addEventListener("select", ({ target }) => {
  const next = target.cloneNode(true);
  target.replaceWith(next);
  next.focus();
  next.setSelectionRange(3, 3);
});</script>"""


async def test_a_field_that_is_replaced_when_its_text_is_selected_does_not_keep_the_old_text(
    page: Page,
) -> None:
    await page.set_content(RENEWED)
    await page.locator("input").fill("Ada")
    assert await page.locator("input").input_value() == "Ada"


CODE = """<div id=code></div><script>
  const leave = () => {
    location.href = "AWAY";
    for (const end = Date.now() + 2000; Date.now() < end;);
  };
  const boxes = [...Array(4)].map(() => Object.assign(document.createElement("input"), { maxLength: 1 }));
  document.querySelector("#code").append(...boxes);
  boxes.forEach((box, index) => box.addEventListener("input", () => {
    boxes[index + 1]?.focus();
    if (boxes.every((each) => each.value)) leave();
  }));
</script>"""
KEYS = """<input><script>
  let text = "";
  document.querySelector("input").onkeydown = (event) => {
    event.preventDefault();
    text += event.key;
    if (text.length === 4) location.href = "AWAY";
  };
</script>"""


@pytest.mark.parametrize("body", [CODE, KEYS], ids=["several fields", "keys that the page handles"])
async def test_a_page_that_leaves_because_of_a_whole_text_has_taken_it(
    page: Page, site: Site, body: str
) -> None:
    site.publish("/away", document("Away", "<h1>Away</h1>"))
    body = body.replace("AWAY", f"{site.other_origin}/away")
    await page.goto(site.publish("/code", document("Code", body)))
    await page.locator("input").first.press_sequentially("1234", timeout=5_000)
    await page.wait_for_url("**/away")
