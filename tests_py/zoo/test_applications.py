"""Applications that people use, each with a task that takes several pages or several kinds of control."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests_py.support.client import serve
from tests_py.support.visitor import Visitor
from tests_py.zoo import running

pytestmark = pytest.mark.timeout(180)  # Each starts an application.
PICTURE = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)


@dataclass(frozen=True)
class Task:
    """An application, what is done in it, and how its own files say that it was done."""

    application: Callable[[Path], AbstractContextManager[str]]
    do: Callable[[Visitor, str, Path], Awaitable[None]]
    """By somebody, at this address, with this picture."""
    check: Callable[[Path], Awaitable[None]]

    async def carry_out(self, visitor: Visitor, folder: Path) -> str:
        """Does it in the application as it is when it is new, and gives its address."""
        with self.application(folder) as url:
            await self.do(visitor, url, picture_in(folder))
            await self.check(folder)
        return url


def picture_in(folder: Path) -> Path:
    """A picture to give away."""
    picture = folder / "door.png"
    picture.write_bytes(PICTURE)
    return picture


@pytest.fixture
async def visitor(tmp_path: Path) -> AsyncIterator[Visitor]:
    """Somebody with a server of their own."""
    async with serve("--headless", cwd=tmp_path) as server:
        yield Visitor(server)


async def until(look: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever is looked for.
    """What an application has written, as soon as it has: it answers the page before it writes."""

    async def looking() -> Any:  # noqa: ANN401
        while not (found := look()):  # noqa: ASYNC110 - an application tells nobody.
            await asyncio.sleep(0.1)
        return found

    return await asyncio.wait_for(looking(), 20)


async def place_order(visitor: Visitor, url: str, picture: Path) -> None:
    await visitor.open(url)
    await visitor.fill(
        ("combobox", "Size", "family"),
        ("checkbox", "olives", "true"),
        ("checkbox", "basil", "true"),
        ("spinbutton", "number input for Spiciness", "7"),
        ("spinbutton", "Quantity", "3"),
        ("radio", "tomorrow", "true"),
    )
    await visitor.click("button", "Click to upload or drop files")
    await visitor.do("browser_file_upload", paths=[str(picture)])
    await visitor.click("button", "Send order")
    await visitor.shows("Order 3 taken: family")


async def order_is_placed(folder: Path) -> None:
    orders = folder / "orders.jsonl"
    order = json.loads(await until(lambda: orders.exists() and orders.read_text()))
    assert sorted(order.pop("toppings")) == ["basil", "olives"]
    assert order == {"size": "family", "hot": 7, "quantity": 3, "day": "tomorrow", "photo": True}


async def write_note(visitor: Visitor, url: str, picture: Path) -> None:  # noqa: ARG001
    await visitor.open(url)
    await visitor.click("button", "new tiddler")
    await visitor.type("textbox", "tc-titlebar tc-edit-texteditor", text="Shopping")
    for tag in ("todo", "home"):
        await visitor.type("textbox", "tag name", text=tag, submit=True)
    await visitor.type("textbox", "Type the text for this tiddler", text="* bread\n* milk\n* salt")
    await visitor.click("button", "Confirm changes to this tiddler")
    await visitor.type("searchbox", "tc-tiny-gap-right tc-popup-handle", text="Shopp")
    await visitor.shows('link "Shopping"')
    await visitor.do("browser_wait_for", state="idle")


async def note_is_written(folder: Path) -> None:
    def notes() -> list[str]:
        files = (folder / "wiki" / "tiddlers").glob("*.tid")
        return [text for file in files if "\ntitle: Shopping\n" in (text := file.read_text())]

    (note,) = await until(notes)
    assert "\ntags: home todo\n" in note or "\ntags: todo home\n" in note
    assert note.endswith("* bread\n* milk\n* salt")


async def draw_flow(visitor: Visitor, url: str, picture: Path) -> None:  # noqa: ARG001
    await visitor.open(url)
    await visitor.do("browser_wait_for", text="inject", timeout=30_000)
    sheet = await visitor.find("generic", "ui-droppable")
    for node, left in (("inject", 200), ("debug", 500)):
        await visitor.do(
            "browser_drag",
            startRef=await visitor.find("generic", node),
            endRef=sheet,
            endPosition=f"{left},150",
        )
    port = "rect, red-ui-flow-port, #d9d9d9"
    await visitor.drag(("generic", port, 0), ("generic", port, 1))
    await visitor.click("generic", "rect, red-ui-flow-node, #87a980", doubleClick=True)
    await visitor.type("textbox", "Name", text="seen")
    await visitor.click("button", "Done")
    await visitor.click("link", "Deploy")
    await visitor.click("link", "fa-bug")
    await visitor.click("generic", "rect, red-ui-flow-node-button-button, #…", 0)
    await visitor.shows("seen")


async def flow_is_deployed(folder: Path) -> None:
    flows = folder / "flows.json"
    flow = await until(lambda: flows.exists() and flows.read_text())
    nodes = {node["type"]: node for node in json.loads(flow)}
    assert nodes["debug"]["name"] == "seen"
    assert nodes["inject"]["wires"] == [[nodes["debug"]["id"]]]


async def write_notebook(visitor: Visitor, url: str, picture: Path) -> None:  # noqa: ARG001
    await visitor.open(url)
    await visitor.do("browser_wait_for", text="Python 3 (ipykernel)", timeout=60_000)
    await visitor.click("button", "Python 3 (ipykernel) Python 3 (ipykernel)", 0)
    await visitor.type("textbox", "cm-content", text="sum(range(101))")
    await visitor.press("Shift+Enter")
    await visitor.do("browser_wait_for", text="5050")
    await visitor.type("textbox", "cm-content", 1, text="# Result")
    await visitor.choose("combobox", "Cell type", values=["Markdown"])
    await visitor.press("Shift+Enter")
    await visitor.shows('heading "Result')
    await visitor.click("button", "Save and create checkpoint (Ctrl+S)")
    await visitor.click("button", "Rename and Save")


async def notebook_is_saved(folder: Path) -> None:
    cells = await until(lambda: json.loads((folder / "Untitled.ipynb").read_text())["cells"])
    code, heading, *_ = cells
    assert "5050" in json.dumps(code["outputs"])
    assert (heading["cell_type"], "".join(heading["source"])) == ("markdown", "# Result")


async def publish(visitor: Visitor, url: str, picture: Path) -> None:
    await visitor.open(url)
    await visitor.fill(("textbox", "Username*", "admin"), ("textbox", "Password*", running.PASSWORD))
    await visitor.click("button", "Sign in")
    await visitor.click("link", "Images")
    await visitor.click("link", "Add an image")
    await visitor.click("button", "Choose File")
    await visitor.do("browser_file_upload", paths=[str(picture)])
    await visitor.fill(("textbox", "Title*", "The door"))
    await visitor.click("button", "Update")
    await visitor.open(f"{url}pages/3/add_subpage/")
    await visitor.type("textbox", "Title*", text="Harbour")
    await visitor.click("button", "More actions")
    await visitor.click("button", "Publish")
    await visitor.shows("created and published")
    await visitor.click("button", "Settings")
    await visitor.click("link", "Collections")
    await visitor.click("link", "Add a collection")
    await visitor.fill(("textbox", "Name*", "Boats"), ("combobox", "Parent*", "Root"))
    await visitor.click("button", "Create")
    await visitor.shows("Boats")


async def all_is_published(folder: Path) -> None:
    with closing(sqlite3.connect(folder / "cms" / "db.sqlite3")) as database:
        for table, column, value in (
            ("wagtailimages_image", "title", "The door"),
            ("wagtailcore_page", "live and title", "Harbour"),
            ("wagtailcore_collection", "name", "Boats"),
        ):
            rows = partial(database.execute, f"select 1 from {table} where {column} = ?", (value,))  # noqa: S608
            found = await until(lambda rows=rows: rows().fetchall())  # type: ignore[misc]
            assert len(found) == 1, (table, found)


ORDER = Task(running.gradio, place_order, order_is_placed)
NOTE = Task(running.tiddlywiki, write_note, note_is_written)
FLOW = Task(running.node_red, draw_flow, flow_is_deployed)
NOTEBOOK = Task(running.jupyterlab, write_notebook, notebook_is_saved)
PAGE = Task(running.wagtail, publish, all_is_published)


@pytest.mark.library("Gradio = gradio")
async def test_an_order_is_placed(visitor: Visitor, tmp_path: Path) -> None:
    await ORDER.carry_out(visitor, tmp_path)


@pytest.mark.library("TiddlyWiki = tiddlywiki")
async def test_a_note_is_written_and_found(visitor: Visitor, tmp_path: Path) -> None:
    await NOTE.carry_out(visitor, tmp_path)


@pytest.mark.library("Node-RED = node-red")
async def test_a_flow_is_drawn_and_deployed(visitor: Visitor, tmp_path: Path) -> None:
    await FLOW.carry_out(visitor, tmp_path)


@pytest.mark.library("JupyterLab = jupyterlab")
async def test_a_notebook_is_written_run_and_saved(visitor: Visitor, tmp_path: Path) -> None:
    await NOTEBOOK.carry_out(visitor, tmp_path)


@pytest.mark.library("Wagtail = wagtail")
async def test_a_page_is_published_with_a_picture_and_a_collection(visitor: Visitor, tmp_path: Path) -> None:
    await PAGE.carry_out(visitor, tmp_path)
