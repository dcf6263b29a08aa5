"""What the documentation shows works as shown."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests_py.support.site import Site

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("skills/**/*.md")])
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#]*)(#[^)]*)?\)")


def blocks(language: str) -> list[object]:
    """Every block of one language, by its page and number."""
    return [
        pytest.param(code, id=f"{page.relative_to(ROOT)}:{number}")
        for page in PAGES
        for number, (found, code) in enumerate(BLOCK.findall(page.read_text()))
        if found == language
    ]


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.long
@pytest.mark.parametrize("code", blocks("python"))
def test_programs_run(code: str, site: Site, tmp_path: Path) -> None:
    program = code.replace("https://example.com", site.page("form"))
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ended = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        capture_output=True,
        text=True,
        timeout=50,
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
    )
    assert ended.returncode == 0, ended.stderr
    # A program prints what a model would read of the page, or its title.
    assert 'textbox "Name"' in ended.stdout or "A form" in ended.stdout


@pytest.mark.parametrize("code", blocks("sh"))
def test_commands_are_understood(code: str) -> None:
    """The program itself says so; what it would do is not done."""
    lines = iter(code.replace("\\\n", " ").splitlines())
    for line in lines:
        words = shlex.split(line, comments=True)
        if not words or words[0] != "patchright-mcp":
            continue
        if words[-1].startswith("<<"):
            words.append("\n".join(iter(lines.__next__, words.pop().lstrip("<"))))
        command = [sys.executable, "-m", "patchright_mcp", "parse", *words[1:]]
        ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=30)
        assert ended.returncode == 0, f"{line}\n{ended.stderr}"


@pytest.mark.parametrize("code", blocks("json"))
def test_configurations_start_our_server(code: str) -> None:
    configuration = json.loads(code)
    servers = configuration.get("mcpServers") or configuration["servers"]
    for server in servers.values():
        command = [server["command"], *server.get("args", [])]
        assert command[0] == "patchright-mcp" or command[:3] == ["python", "-m", "patchright_mcp"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page: Path) -> None:
    for path, anchor in LINK.findall(CODE.sub("", page.read_text())):
        target = page.parent / path if path else page
        assert target.exists(), path
        assert not anchor or anchor[1:] in anchors(target), f"{path}{anchor}"


def test_every_page_has_its_place_on_the_site(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "write_site.py"), str(tmp_path)]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=30)
    assert ended.returncode == 0, ended.stderr
    menu = (tmp_path / "zensical.toml").read_text()
    pages = sorted((tmp_path / "source").rglob("*.md"))
    assert len(pages) > 20
    for page in pages:
        assert f'"{page.relative_to(tmp_path / "source").as_posix()}"' in menu
        for path, _anchor in LINK.findall(CODE.sub("", page.read_text())):
            assert not path or (page.parent / path).exists(), f"{page}: {path}"


def test_commands_of_make_exist() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in PAGES:
        commands = re.findall(r"^    make ([a-z-]+)", page.read_text(), re.MULTILINE)
        assert set(commands) <= targets, page


def test_the_picture_says_what_the_program_says() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "write_picture.py"), "--check"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=50)
    assert ended.returncode == 0, ended.stderr


def test_the_reference_says_what_the_code_says() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "write_reference.py"), "--check"]
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=30)
    assert ended.returncode == 0, ended.stderr
