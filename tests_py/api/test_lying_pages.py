"""Pages that replace or lead away what is acted on: a call that returns has done what it says."""

import pytest

from patchright_mcp.async_api import Error, Page
from tests_py.support.site import Site, document

REPLACED = """<input id=field aria-label=Field><script>
let count = 0;
field.oninput = () => { if (++count === 3) field.replaceWith(field.cloneNode(true)); };
</script>"""
REPLACED_AS_EMPTIED = """<input id=field aria-label=Field value=old><script>
addEventListener("keydown", ({ key, target }) => {
  if (key !== "Delete" || document.title) return;
  document.title = "replaced";
  const next = target.cloneNode(true);
  target.replaceWith(next);
  next.focus();
  next.setSelectionRange(3, 3);
});
</script>"""
MOVING = """<style>@keyframes go { to { transform: translateX(40px) } }
button { animation: go 1s infinite alternate linear }</style>
<button onclick="document.title = 'pressed'">Go</button>"""


async def test_a_text_is_not_typed_twice_where_the_field_is_replaced(page: Page) -> None:
    await page.set_content(REPLACED)
    with pytest.raises(Error, match="removed the field"):
        await page.locator("#field").press_sequentially("order_id")
    assert await page.input_value("#field") == "ord"


async def test_a_field_that_is_replaced_as_it_is_emptied_is_empty_in_the_end(page: Page) -> None:
    await page.set_content(REPLACED_AS_EMPTIED)
    await page.locator("#field").clear()
    assert await page.title() == "replaced"
    assert await page.input_value("#field") == ""


async def test_a_page_that_leads_away_before_an_option_is_chosen_fails_the_choice(
    page: Page, site: Site
) -> None:
    site.publish("/lying/elsewhere", document("Elsewhere", "<h1>Elsewhere</h1>"))
    body = """<select onmousedown="location.href = '/lying/elsewhere'">
    <option>Ant<option>Bee<option>Cat</select><script>addEventListener("keydown", () => {});</script>"""
    await page.goto(site.publish("/lying/leads", document("Leads", body)))
    with pytest.raises(Error):
        await page.locator("select").select_option("Cat", timeout=2_000)


@pytest.mark.long
async def test_what_never_rests_is_pressed_within_the_limit(page: Page) -> None:
    await page.set_content(MOVING)
    await page.locator("button").click(timeout=4_500)
    assert await page.title() == "pressed"


async def test_a_double_click_on_what_the_first_click_disables_is_none(page: Page) -> None:
    await page.set_content("<button onclick='this.disabled = true'>Go</button>")
    with pytest.raises(Error, match="no double click reached the element: the page disabled it"):
        await page.locator("button").dblclick()
