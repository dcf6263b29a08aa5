"""Applications that people use, each with a task that takes several pages or several kinds of control."""

import asyncio
import json
import sqlite3
from collections.abc import AsyncIterator, Callable
from contextlib import closing
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


@pytest.fixture
async def visitor(tmp_path: Path) -> AsyncIterator[Visitor]:
    """Somebody with a server of their own, and a picture in their folder."""
    (tmp_path / "door.png").write_bytes(PICTURE)
    async with serve("--headless", cwd=tmp_path) as server:
        yield Visitor(server)


async def until(look: Callable[[], Any]) -> Any:  # noqa: ANN401 - whatever is looked for.
    """What an application has written, as soon as it has: it answers the page before it writes."""

    async def looking() -> Any:  # noqa: ANN401
        while not (found := look()):  # noqa: ASYNC110 - an application tells nobody.
            await asyncio.sleep(0.1)
        return found

    return await asyncio.wait_for(looking(), 20)


@pytest.mark.library("Gradio = gradio")
async def test_an_order_is_placed(visitor: Visitor, tmp_path: Path) -> None:
    with running.gradio(tmp_path) as url:
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
        await visitor.do("browser_file_upload", paths=[str(tmp_path / "door.png")])
        await visitor.click("button", "Send order")
        await visitor.shows("Order 3 taken: family")
        order = json.loads((tmp_path / "orders.jsonl").read_text())
    assert sorted(order.pop("toppings")) == ["basil", "olives"]
    assert order == {"size": "family", "hot": 7, "quantity": 3, "day": "tomorrow", "photo": True}


@pytest.mark.library("TiddlyWiki = tiddlywiki")
async def test_a_note_is_written_and_found(visitor: Visitor, tmp_path: Path) -> None:
    with running.tiddlywiki(tmp_path) as url:
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
        (note,) = [
            text
            for file in (tmp_path / "wiki" / "tiddlers").glob("*.tid")
            if "\ntitle: Shopping\n" in (text := file.read_text())
        ]
    assert "\ntags: home todo\n" in note or "\ntags: todo home\n" in note
    assert note.endswith("* bread\n* milk\n* salt")


@pytest.mark.library("Node-RED = node-red")
async def test_a_flow_is_drawn_and_deployed(visitor: Visitor, tmp_path: Path) -> None:
    with running.node_red(tmp_path) as url:
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
        flow = await until(
            lambda: (tmp_path / "flows.json").exists() and (tmp_path / "flows.json").read_text()
        )
    nodes = {node["type"]: node for node in json.loads(flow)}
    assert nodes["debug"]["name"] == "seen"
    assert nodes["inject"]["wires"] == [[nodes["debug"]["id"]]]


@pytest.mark.library("JupyterLab = jupyterlab")
async def test_a_notebook_is_written_run_and_saved(visitor: Visitor, tmp_path: Path) -> None:
    with running.jupyterlab(tmp_path) as url:
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
        cells = await until(lambda: json.loads((tmp_path / "Untitled.ipynb").read_text())["cells"])
    code, heading, *_ = cells
    assert "5050" in json.dumps(code["outputs"])
    assert (heading["cell_type"], "".join(heading["source"])) == ("markdown", "# Result")


@pytest.mark.library("Wagtail = wagtail")
async def test_a_page_is_published_with_a_picture_and_a_collection(visitor: Visitor, tmp_path: Path) -> None:
    with running.wagtail(tmp_path) as url:
        await visitor.open(url)
        await visitor.fill(("textbox", "Username*", "admin"), ("textbox", "Password*", running.PASSWORD))
        await visitor.click("button", "Sign in")
        await visitor.click("link", "Images")
        await visitor.click("link", "Add an image")
        await visitor.click("button", "Choose File")
        await visitor.do("browser_file_upload", paths=[str(tmp_path / "door.png")])
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
        with closing(sqlite3.connect(tmp_path / "cms" / "db.sqlite3")) as database:
            for table, column, value in (
                ("wagtailimages_image", "title", "The door"),
                ("wagtailcore_page", "live and title", "Harbour"),
                ("wagtailcore_collection", "name", "Boats"),
            ):
                found = database.execute(f"select 1 from {table} where {column} = ?", (value,)).fetchall()  # noqa: S608
                assert len(found) == 1, (table, found)
