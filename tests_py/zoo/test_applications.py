"""Six applications that no one here wrote: their tasks, and what came of them as they keep it themselves."""

import itertools
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests_py.support.applications import PASSWORD, Applications
from tests_py.support.client import Server
from tests_py.support.visitor import Visitor

jupyter = pytest.mark.library("JupyterLab")
node_red = pytest.mark.library("Node-RED = node-red")
tiddlywiki = pytest.mark.library("TiddlyWiki")
wagtail = pytest.mark.library("Wagtail")
gradio = pytest.mark.library("Gradio")
miniwob = pytest.mark.library("MiniWoB++ = miniwob")
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc0000003010100"
    "c9fe92ef0000000049454e44ae426082"
)
pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def applications(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Applications]:
    """Those that a test asks for, until the last test of this file is done."""
    applications = Applications(tmp_path_factory.mktemp("applications"))
    yield applications
    applications.stop()


@pytest.fixture
def visitor(zoo_server: Server) -> Visitor:
    """Someone in front of a browser."""
    return Visitor(zoo_server)


@tiddlywiki
async def test_a_tiddler_with_tags_is_written_and_found(visitor: Visitor, applications: Applications) -> None:
    await visitor.open(applications.start("tiddlywiki"))
    await visitor.click("button", "create a new tiddler")
    await visitor.type("textbox", "Tiddler title", text="Shopping")
    for tag in ("todo", "home"):
        await visitor.type("textbox", "tag name", text=tag, submit=True)
    await visitor.type("textbox", "Type the text for this tiddler", text="* milk\n* bread\n* tea")
    await visitor.click("button", "ok")
    await visitor.type("searchbox", "Search:", text="Shopping")
    await visitor.shows("Shopping")
    kept = applications.folder / "tiddlywiki" / "wiki" / "tiddlers" / "Shopping.tid"
    text = kept.read_text()
    assert {"todo", "home"} <= set(re.findall(r"\w+", text.partition("tags:")[2].splitlines()[0]))
    assert text.endswith("* milk\n* bread\n* tea")


@gradio
async def test_a_pizza_is_ordered(visitor: Visitor, applications: Applications, tmp_path: Path) -> None:
    (tmp_path / "door.png").write_bytes(PIXEL)
    await visitor.open(applications.start("gradio"))
    await visitor.fill(
        ("combobox", "Size", "family"),
        ("checkbox", "olives", "true"),
        ("checkbox", "basil", "true"),
        ("spinbutton", "Quantity", "3"),
        ("radio", "tomorrow", "true"),
        ("slider", "range slider for Spiciness", "7"),
    )
    await visitor.do("browser_file_upload", paths=[str(tmp_path / "door.png")])
    await visitor.click("button", "Send order")
    await visitor.shows("Order 3 taken: family")
    assert json.loads((applications.folder / "gradio" / "order.json").read_text()) == {
        "size": "family",
        "toppings": ["olives", "basil"],
        "spice": 7,
        "count": 3,
        "day": "tomorrow",
        "photo": True,
    }


@jupyter
async def test_a_notebook_is_written_and_run(visitor: Visitor, applications: Applications) -> None:
    await visitor.open(applications.start("jupyterlab") + "/lab")
    await visitor.click("button", "Python 3 (ipykernel)", 0)
    await visitor.press(*"sum(range(101))", "Shift+Enter")
    await visitor.do("browser_wait_for", text="5050")
    await visitor.press("Control+s")
    notebooks = list((applications.folder / "jupyterlab").glob("*.ipynb"))
    assert "sum(range(101))" in notebooks[0].read_text()


@wagtail
async def test_an_editor_signs_in_and_makes_a_collection(
    visitor: Visitor, applications: Applications
) -> None:
    await visitor.open(applications.start("wagtail") + "/admin/")
    await visitor.type("textbox", "Username:", text="ada")
    await visitor.type("textbox", "Password:", text=PASSWORD, submit=True)
    await visitor.click("button", "Settings")
    await visitor.click("link", "Collections")
    await visitor.click("link", "Add a collection")
    await visitor.type("textbox", "Name*", text="Boats")
    told = await visitor.click("button", "Create")
    assert "Collection 'Boats' created." in told.text


class Task:
    """One of MiniWoB++, begun, with what its instruction says."""

    def __init__(self, visitor: Visitor, instruction: str) -> None:
        self.visitor = visitor
        self.instruction = instruction

    def said(self, pattern: str) -> re.Match[str]:
        """The parts of the instruction."""
        found = re.search(pattern, self.instruction)
        assert found, self.instruction
        return found

    async def has_full_reward(self) -> None:
        """Makes sure that the task says so, as it shows it."""
        await self.visitor.shows("Last reward: 1.00")


async def begin(visitor: Visitor, applications: Applications, name: str) -> Task:
    """Opens a task, gives it all the time in the world, and reads the instruction."""
    await visitor.open(f"{applications.start('miniwob')}/miniwob/{name}.html")
    await visitor.do("browser_evaluate", function="() => { core.EPISODE_MAX_TIME = 36e5; }")
    await visitor.click("text", "START")
    lines = await visitor.lines()
    return Task(visitor, next(line.rest for line in lines if line.role == "text"))


@miniwob
async def test_choose_date(visitor: Visitor, applications: Applications) -> None:
    task = await begin(visitor, applications, "choose-date")
    month, day, _ = (int(part) for part in task.said(r"(\d+)/(\d+)/(\d+)").groups())
    await visitor.click("textbox", "")
    for _ in range(12 - month):
        await visitor.click("link", "Prev")
    await visitor.click("link", str(day))
    await visitor.click("button", "Submit")
    await task.has_full_reward()


@miniwob
async def test_enter_time(visitor: Visitor, applications: Applications) -> None:
    task = await begin(visitor, applications, "enter-time")
    await visitor.type("textbox", "", text=task.said(r"\d+:\d+ [AP]M")[0])
    await visitor.click("button", "Submit")
    await task.has_full_reward()


@miniwob
async def test_use_autocomplete(visitor: Visitor, applications: Applications) -> None:
    task = await begin(visitor, applications, "use-autocomplete")
    start = task.said(r'starts with .?"([^"\\]+)')[1]
    end = re.search(r'ends with .?"([^"\\]+)', task.instruction)
    await visitor.type("textbox", "Tags:", text=start)
    choices = [
        line for line in await visitor.lines(allRefs=True) if (line.name or line.rest).startswith(start)
    ]
    chosen = next(
        line for line in choices if line.ref and (line.name or line.rest).endswith(end[1] if end else "")
    )
    await visitor.do("browser_click", ref=chosen.ref)
    await visitor.click("button", "Submit")
    await task.has_full_reward()


@miniwob
async def test_click_checkboxes_large(visitor: Visitor, applications: Applications) -> None:
    task = await begin(visitor, applications, "click-checkboxes-large")
    names = task.said(r"Select (.*) and click Submit")[1].split(", ")
    await visitor.fill(*(("checkbox", name, "true") for name in names))
    await visitor.click("button", "Submit")
    await task.has_full_reward()


@miniwob
async def test_drag_sort_numbers(visitor: Visitor, applications: Applications) -> None:
    task = await begin(visitor, applications, "drag-sort-numbers")
    shown = [line.rest for line in await visitor.lines() if line.role == "listitem"]
    wanted = sorted(shown, key=int)
    for before, after in reversed(list(itertools.pairwise(wanted))):
        await visitor.drag(("listitem", before), ("listitem", after), place="before")
    await visitor.click("button", "Submit")
    await task.has_full_reward()
