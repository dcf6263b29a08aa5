"""Files that go into pages, and files that come out of them."""

import json
import os
import stat
import subprocess
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests_py.support.client import serve
from tests_py.support.extent import extent
from tests_py.support.site import Site, document
from tests_py.support.workshop import Workshop


@pytest.fixture
def files(workshop: Workshop) -> list[str]:
    """Two files that the server may read."""
    for name in ("one.txt", "two.txt"):
        (workshop.folder / name).write_text(f"This is {name}")
    return ["one.txt", str(workshop.folder / "two.txt")]


async def test_a_chooser_that_a_click_opens_is_reported_and_gets_the_files(
    workshop: Workshop, site: Site, files: list[str]
) -> None:
    page = await workshop.open(site.page("handles"))
    asked = await workshop.do("browser_click", ref=page.ref('button "Choose files"'))
    assert "answer it with browser_file_upload" in asked.section("Modal state")
    after = await workshop.do("browser_file_upload", paths=files)
    assert "Uploaded 2 file(s): one.txt, two.txt" in after.section("Result")
    assert await workshop.output() == "Several: one.txt,two.txt"
    assert not after.has_section("Modal state")


async def test_an_input_that_only_exists_for_the_chooser_gets_its_file(
    workshop: Workshop, site: Site, files: list[str]
) -> None:
    page = await workshop.open(site.page("handles"))
    await workshop.do("browser_click", ref=page.ref('button "Choose one"'))
    # What it does not take leaves it open, and goes nowhere else.
    assert "an input for one file" in await workshop.refused("browser_file_upload", paths=files)
    await workshop.do("browser_file_upload", paths=files[:1])
    assert await workshop.output() == "One: This is one.txt"


async def test_a_hidden_input_gets_files_without_a_chooser(
    workshop: Workshop, site: Site, files: list[str]
) -> None:
    await workshop.open(site.page("handles"))
    await workshop.do("browser_file_upload", paths=files)
    assert await workshop.output() == "Several: one.txt,two.txt"


async def test_no_paths_cancel_the_chooser(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("handles"))
    await workshop.do("browser_click", ref=page.ref('button "Choose one"'))
    after = await workshop.do("browser_file_upload")
    assert after.section("Result") == "File chooser cancelled"
    assert "First click the control that opens it" in await workshop.refused("browser_file_upload")


async def test_files_that_are_missing_or_elsewhere_are_all_refused_by_name(
    workshop: Workshop, site: Site, files: list[str]
) -> None:
    await workshop.open(site.page("handles"))
    said = await workshop.refused("browser_file_upload", paths=[*files, "missing.txt", "/etc/passwd"])
    assert "- missing.txt: there is no such file" in said
    # Whether a file is there that may not be read is not told.
    for path in ("/etc/passwd", "/etc/no-such-file"):
        said = await workshop.refused("browser_file_upload", paths=[*files, path])
        assert said.startswith(f"{path}: it is outside the folders"), said
    assert await workshop.output() == ""


async def test_a_download_is_saved_and_reported_with_its_size(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("handles"))
    reply = await workshop.do("browser_click", ref=page.ref('link "Download"'))
    while "Downloaded report.bin" not in reply.text:  # The test's own limit ends this.
        reply = await workshop.server.snapshot()
    assert "(18 bytes)" in reply.section("Events")
    saved = next((workshop.folder / ".patchright-mcp").glob("report*.bin"))
    assert saved.read_bytes() == b"a file, not a page"


INPUT = "() => { document.body.innerHTML = '<input type=file multiple>'; }"
READ = """async () => {
    const [file] = document.querySelector('input').files;
    return file.name + ': ' + await file.text();
}"""


async def test_what_is_uploaded_is_what_was_checked_whatever_takes_its_name_afterwards(
    workshop: Workshop, site: Site, files: list[str], tmp_path: Path
) -> None:
    await workshop.open(site.page("handles"))
    await workshop.server.evaluate(INPUT)
    good, secret = workshop.folder / "one.txt", tmp_path / "secret.txt"
    secret.write_text("This is secret"[: good.stat().st_size])
    await workshop.do("browser_file_upload", paths=files[:1])
    # The browser opens a file when the page reads it, and takes one of the same time for the same one.
    os.utime(secret, ns=(good.stat().st_atime_ns, good.stat().st_mtime_ns))
    good.unlink()
    good.symlink_to(secret)
    assert await workshop.server.evaluate(READ) == "one.txt: This is one.txt"
    good.unlink()


async def test_a_large_file_is_handed_over_without_a_copy(workshop: Workshop, site: Site) -> None:
    await workshop.open(site.page("handles"))
    await workshop.server.evaluate(INPUT)
    large = workshop.folder / "large ü.bin"
    size = 1 << 42
    with large.open("wb") as file:
        file.truncate(size)
    await workshop.do("browser_file_upload", paths=["large ü.bin"])
    answer = await workshop.server.evaluate(
        "async () => { const [file] = document.querySelector('input').files;"
        " return [file.name, file.size, (await file.slice(-3).arrayBuffer()).byteLength].join(); }"
    )
    assert answer == f"large ü.bin,{size},3"
    large.unlink()


async def test_storage_replaces_storage_and_nothing_else(
    workshop: Workshop, site: Site, tmp_path: Path
) -> None:
    await workshop.open(site.page("form"))
    folder = workshop.folder
    for hidden in (".git", "src/.secrets"):
        (folder / hidden).mkdir(parents=True)
    kept = {
        "main.py": "print(1)",
        "package.json": '{"name": "mine"}',
        "notes.json": "{}",
        ".git/config": "[core]",
        ".npmrc": "",
    }
    for name, text in kept.items():
        (folder / name).write_text(text)
    other = tmp_path / "other.json"
    other.write_text('{"cookies": [], "origins": []}')
    (folder / "link.json").symlink_to(other)
    for path in [*kept, "link.json", ".git/new.json", "src/.secrets/new.json", ".new.json"]:
        said = await workshop.refused("browser_context_save_storage", path=path)
        assert "replaced" in said or "hidden" in said, said
    assert {name: (folder / name).read_text() for name in kept} == kept
    assert other.read_text() == '{"cookies": [], "origins": []}'
    assert not list(folder.rglob("new.json"))
    (folder / "empty.json").touch()
    for path in ("src/state.json", "src/state.json", "empty.json"):
        await workshop.do("browser_context_save_storage", path=path)
        assert "cookies" in json.loads((folder / path).read_text())
        assert stat.S_IMODE((folder / path).stat().st_mode) == 0o600


async def test_a_picture_is_written_where_it_is_reported_and_replaces_only_pictures(
    workshop: Workshop, site: Site
) -> None:
    await workshop.open(site.page("form"))
    shots = workshop.folder / "shots"
    shots.mkdir()
    await workshop.do("browser_take_screenshot", filename="shots/a.png")
    await workshop.do("browser_take_screenshot", filename="shots/a.png")
    (shots / "b.png").write_text("my own words")
    (shots / "c.png").symlink_to(shots / "a.png")
    for name in ("b.png", "c.png"):
        assert "not replaced" in await workshop.refused("browser_take_screenshot", filename=f"shots/{name}")
    assert (shots / "a.png").read_bytes().startswith(b"\x89PNG")
    assert (shots / "b.png").read_text() == "my own words"
    assert (shots / "c.png").is_symlink()
    said = await workshop.refused("browser_take_screenshot", filename="/etc/a.png")
    assert "outside the folders that may be used" in said


def modes(folder: Path) -> set[tuple[bool, int]]:
    return {(path.is_dir(), stat.S_IMODE(path.stat().st_mode)) for path in [folder, *folder.rglob("*")]}


async def test_what_is_written_is_for_its_owner_alone(workshop: Workshop, site: Site) -> None:
    page = await workshop.open(site.page("handles"))
    await workshop.do("browser_take_screenshot")
    await workshop.do("browser_pdf_save")
    reply = await workshop.do("browser_click", ref=page.ref('link "Download"'))
    while "Downloaded report" not in reply.text:  # The test's own limit ends this.
        reply = await workshop.server.snapshot()
    for place in (".viewpoint-mcp-screenshots", ".patchright-mcp"):
        assert modes(workshop.folder / place) == {(True, 0o700), (False, 0o600)}, place


@pytest.mark.parametrize("name", ["ж" * 200 + ".pdf", "報告" * 150 + ".tar.gz", "🙂" * 90 + ".txt"])
async def test_a_download_with_a_long_name_in_any_script_is_saved(
    workshop: Workshop, site: Site, name: str
) -> None:
    link = f'<a href="{site.url("/named")}?{urlencode({"name": name})}">Get</a>'
    page = await workshop.open(site.publish("/get", document("Get", link)))
    reply = await workshop.do("browser_click", ref=page.ref('link "Get"'))
    while "Downloaded " not in reply.text:  # The test's own limit ends this.
        assert "failed" not in reply.text
        reply = await workshop.server.snapshot()
    (saved,) = (workshop.folder / ".patchright-mcp").glob(f"{name[:20]}*")
    assert saved.suffix == name[name.rindex(".") :]
    saved.unlink()


@pytest.mark.long
async def test_a_download_that_stalls_before_its_first_byte_is_reported_as_that(
    site: Site, tmp_path: Path
) -> None:
    site.hold()
    page = document("Get", f'<a href="{site.url("/stalls/first")}">Get</a>')
    async with serve("--headless", "--timeout-navigation", "1500", cwd=tmp_path) as server:
        opened = await server.open(site.publish("/get", page))
        answer = await server.call("browser_click", ref=opened.ref('link "Get"'))
        assert "is waiting for a server" in answer.text
        assert "script" not in answer.text
        assert 'textbox "Name"' in (await server.open(site.page("form"))).section("Snapshot")


ARGUMENTS: dict[str, dict[str, object]] = {
    "browser_evaluate": {"function": "() => 'x'"},
    "browser_find": {"text": "x"},
    "browser_inspect": {"what": "vitals"},
    "browser_network_request": {"id": 1},
    "browser_run": {"code": "1"},
    "browser_run_python": {"program": "print(1)"},
    "browser_cookies": {"action": "list"},
    "browser_storage": {"action": "list"},
    "browser_record": {"action": "mhtml"},
    "browser_network_search": {},
}
"""What tools need beside the name of a file."""
ENDINGS = [
    "",
    ".py",
    ".png",
    ".jpeg",
    ".webp",
    ".json",
    ".md",
    ".txt",
    ".har",
    ".mhtml",
    ".webm",
    ".pdf",
    ".html",
]


def laid_out(here: Path, theirs: Path) -> None:
    """Files that are somebody else's, in our folder, hidden in it and outside, and links to those outside."""
    for folder in (here / ".git", theirs):
        folder.mkdir(parents=True, exist_ok=True)
    for ending in ENDINGS:
        for name in (here / "main", here / ".git/config", theirs / "other"):
            name.with_name(name.name + ending).write_text("theirs")
        (here / f"link{ending}").symlink_to(theirs / f"other{ending}")
        (here / f"dangling{ending}").symlink_to(theirs / f"new{ending}")
    (here / "door").symlink_to(theirs)


def as_it_is(*folders: Path) -> dict[Path, tuple[int, bytes]]:
    """All that is there, and what is in it."""
    files = [file for folder in folders for file in folder.rglob("*")]
    return {file: (file.lstat().st_ino, file.read_bytes() if file.is_file() else b"") for file in files}


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_no_name_of_a_file_in_any_tool_leads_to_what_is_not_ours(
    workshop: Workshop, site: Site, tmp_path: Path
) -> None:
    await workshop.open(site.page("form"))
    here = workshop.folder / "ours"
    laid_out(here, tmp_path)
    before = as_it_is(here, tmp_path)
    endings = extent(["", ".md", ".png", ".json"], ENDINGS)
    names = ["main", ".git/config", ".git/new", "link", "dangling", "door/other", "door/new", ".new"]
    writing = set()
    for tool in (await workshop.server.session.list_tools()).tools:
        fields = {"filename"} | ({"path"} - {"path" for _ in ARGUMENTS.get(tool.name, {})})
        for field in fields & tool.input_schema["properties"].keys():
            arguments = dict(ARGUMENTS.get(tool.name, {}))
            if tool.name == "browser_request":
                arguments["url"] = site.page("form")
            for name in (name + ending for name in names for ending in endings):
                await workshop.server.call(tool.name, **arguments, **{field: f"ours/{name}"})
            writing.add(tool.name)
    assert len(writing) > 15, writing
    after = as_it_is(here, tmp_path)
    assert {file: after.get(file) for file in before} == before
    # A name without an ending is given one, and then nobody has it.
    assert {file.parent for file in after.keys() - before.keys()} <= {here}
    assert not [file for file in after.keys() - before.keys() if file.name.startswith(".")]
    assert [file for file in after.keys() - before.keys() if file.name.startswith("main")]


FOLDER_INPUT = """<label>Folder <input type=file webkitdirectory id=folder></label>
<label>One <input type=file id=one></label><output></output><script>
folder.onchange = () => {
  const paths = [...folder.files].map((file) => file.webkitRelativePath).sort();
  document.querySelector('output').textContent = `Folder: ${paths}`;
};
one.onchange = () => {
  document.querySelector('output').textContent = `One: ${one.files[0]?.name}`;
  one.value = '';
};
</script>"""


@pytest.fixture
def pictures(workshop: Workshop) -> Path:
    """A folder with three files, one of which lies deeper."""
    folder = workshop.folder / "pictures"
    (folder / "inner").mkdir(parents=True, exist_ok=True)
    for name in ("a.png", "b.png", "inner/c.png"):
        (folder / name).write_text(name)
    return folder


async def test_an_input_for_a_folder_takes_one_with_all_its_files(
    workshop: Workshop, site: Site, pictures: Path
) -> None:
    page = await workshop.open(site.publish("/folder", FOLDER_INPUT))
    after = await workshop.do("browser_file_upload", paths=["pictures"])
    assert after.section("Result") == "Uploaded 3 file(s): pictures"
    paths = "Folder: pictures/a.png,pictures/b.png,pictures/inner/c.png"
    assert await workshop.output() == paths
    await workshop.do("browser_navigate", url=site.url("/folder"))
    field = {"name": "Folder", "ref": "#folder", "type": "file", "value": str(pictures)}
    await workshop.do("browser_fill_form", fields=[field])
    assert await workshop.output() == paths
    assert page.ref('"One"')


async def test_an_input_for_a_folder_takes_no_file_and_one_for_files_no_folder(
    workshop: Workshop, site: Site, files: list[str], pictures: Path
) -> None:
    await workshop.open(site.publish("/folder", FOLDER_INPUT))
    said = await workshop.refused("browser_file_upload", paths=files[:1])
    assert "an input for a folder" in said
    assert "the path of one folder" in said
    field = {"name": "One", "ref": "#one", "type": "file", "value": str(pictures)}
    assert "a folder cannot be given" in await workshop.refused("browser_fill_form", fields=[field])
    (pictures / "out").symlink_to("/etc")
    try:
        said = await workshop.refused("browser_file_upload", paths=["pictures"])
    finally:
        (pictures / "out").unlink()
    assert "a link in it leads out" in said


async def test_files_that_the_page_takes_away_at_once_have_arrived(
    workshop: Workshop, site: Site, files: list[str]
) -> None:
    page = await workshop.open(site.publish("/folder", FOLDER_INPUT))
    await workshop.do("browser_click", ref=page.ref('"One"'))
    after = await workshop.do("browser_file_upload", paths=files[:1])
    assert after.section("Result") == "Uploaded 1 file(s): one.txt"
    assert await workshop.output() == "One: one.txt"


async def test_default_folders_keep_their_files_out_of_git(tmp_path: Path, site: Site) -> None:
    def git(*words: str) -> str:
        command = ["git", "-C", str(tmp_path), *words]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout

    git("init", "--quiet")
    async with serve("--headless", "--caps", "pdf", cwd=tmp_path) as server:
        page = await server.open(site.page("consequences"))
        await server.click(page.ref('link "To a file"'))
        await server.call("browser_take_screenshot")
        await server.call("browser_pdf_save")
    for folder, ending in ((".patchright-mcp", "pdf"), (".viewpoint-mcp-screenshots", "png")):
        assert list((tmp_path / folder).glob(f"*.{ending}")) != []
    assert git("status", "--porcelain") == ""


async def test_a_file_input_gets_files_by_its_ref(workshop: Workshop, site: Site) -> None:
    inputs = "<input type=file aria-label=First><input type=file aria-label=Second multiple>"
    page = await workshop.open(site.publish("/inputs", document("Inputs", inputs)))
    for name in ("one.txt", "two.txt"):
        (workshop.folder / name).write_text(name)
    reply = await workshop.do("browser_file_upload", ref=page.ref('"Second"'), paths=["one.txt", "two.txt"])
    assert "Uploaded 2 file(s)" in reply.section("Result")
    counts = "() => [...document.querySelectorAll('input')].map(({ files }) => files.length).join()"
    assert await workshop.server.evaluate(counts) == "0,2"
