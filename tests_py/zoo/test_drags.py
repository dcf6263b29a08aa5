"""Lists and boards that are sorted by dragging."""

import pytest

from tests_py.zoo.conftest import Visit

sortable = pytest.mark.library("SortableJS = sortablejs")
dnd_kit = pytest.mark.library("dnd-kit = @dnd-kit/core")
react_dnd = pytest.mark.library("react-dnd")
pragmatic = pytest.mark.library("pragmatic-drag-and-drop = @atlaskit/pragmatic-drag-and-drop")


def items(selector: str) -> str:
    """The texts of a list's items, in their order."""
    return f"[...document.querySelectorAll('{selector}')].map((item) => item.textContent.match(/\\w+/)[0])"


@sortable
@pytest.mark.parametrize(
    ("item", "onto", "order"),
    [
        ("Sweep", "Wash", ["Cook", "Wash", "Sweep", "Iron"]),
        ("Iron", "Cook", ["Sweep", "Iron", "Cook", "Wash"]),
    ],
)
async def test_a_list_is_sorted(visit: Visit, item: str, onto: str, order: list[str]) -> None:
    page = await visit("sortablejs")
    await page.drag(("listitem", item), ("listitem", onto))
    assert await page.value(items("#todo li")) == order


@sortable
async def test_an_item_is_dragged_to_another_list(visit: Visit) -> None:
    page = await visit("sortablejs")
    await page.drag(("listitem", "Cook"), ("listitem", "Shop"))
    assert await page.value(items("#todo li")) == ["Sweep", "Wash", "Iron"]
    assert sorted(await page.value(items("#done li"))) == ["Cook", "Shop"]


@sortable
async def test_an_item_is_dragged_by_its_handle(visit: Visit) -> None:
    page = await visit("sortablejs")
    await page.drag(("text", "Move second"), ("text", "Move first"), endPosition="5,2")
    assert await page.value(items("#handled li")) == ["Second", "First"]


@dnd_kit
@pytest.mark.parametrize(
    ("item", "place", "other", "order"),
    [
        ("Ant", "after", "Cat", ["Bee", "Cat", "Ant", "Dog", "Eel"]),
        ("Eel", "before", "Bee", ["Ant", "Eel", "Bee", "Cat", "Dog"]),
    ],
)
async def test_a_list_of_dnd_kit_is_sorted(
    visit: Visit, item: str, place: str, other: str, order: list[str]
) -> None:
    page = await visit("dnd-kit")
    await page.drag(("button", item), ("button", other), place=place)
    assert await page.value(items("#animals li")) == order


@dnd_kit
async def test_an_item_is_moved_by_keys(visit: Visit) -> None:
    page = await visit("dnd-kit")
    await page.press("Tab", "Space", "ArrowDown", "Space")
    assert await page.value(items("#animals li")) == ["Bee", "Ant", "Cat", "Dog", "Eel"]


@react_dnd
async def test_a_card_is_dragged_to_another_column_and_back(visit: Visit) -> None:
    page = await visit("react-dnd")
    await page.drag(("text", "Paint"), ("region", "Done"))
    assert await page.value(items("#done div")) == ["Paint"]
    await page.drag(("text", "Paint"), ("region", "Open"))
    assert await page.value(items("#open div")) == ["Write", "Paint"]


@pragmatic
@pytest.mark.parametrize(
    ("item", "place", "other", "order"),
    [
        ("Red", "after", "Blue", ["Green", "Blue", "Red", "White"]),
        ("White", "before", "Green", ["Red", "White", "Green", "Blue"]),
    ],
)
async def test_a_row_is_dragged_next_to_another(
    visit: Visit, item: str, place: str, other: str, order: list[str]
) -> None:
    page = await visit("pragmatic")
    await page.drag(("listitem", item), ("listitem", other), place=place)
    assert await page.value(items("#rows li")) == order
