"""What registries, shops and images say of us is what we are."""

import base64
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
LAUNCH = {"command": "uvx", "args": ["patchright-mcp", "--image-responses", "inline"]}


def manifest(path: str) -> dict[str, Any]:
    """A manifest of the repository."""
    read: dict[str, Any] = json.loads((ROOT / path).read_text())
    return read


def link(start: str) -> dict[str, list[str]]:
    """What a link of the README asks for."""
    found = re.search(rf"\(({re.escape(start)}[^)]*)\)", README)
    assert found, start
    return parse_qs(urlsplit(found[1]).query, strict_parsing=True)


def test_manifests_say_what_their_source_says(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "scripts" / "write_manifests.py"), "--check"]
    assert subprocess.run(command, check=False, capture_output=True, timeout=30).returncode == 0
    # It would be found out if one did not.
    copy = tmp_path / "copy"
    for path in (
        "scripts/write_manifests.py",
        "Cargo.toml",
        "packaging/about.toml",
        "README.md",
        "server.json",
    ):
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        (copy / path).write_bytes((ROOT / path).read_bytes())
    (copy / "server.json").write_text((copy / "server.json").read_text().replace("0.", "7."))
    stale = subprocess.run(
        [sys.executable, str(copy / "scripts" / "write_manifests.py"), "--check"],
        check=False,
        capture_output=True,
        text=True,
        timeout=30,
    )
    assert stale.returncode == 1
    assert "server.json is stale" in stale.stderr


def test_no_link_of_the_readme_is_relative_on_pypi() -> None:
    project = (ROOT / "pyproject.toml").read_text()
    path = re.search(r'^readme = "(.+)"$', project, re.MULTILINE)
    assert path
    text = (ROOT / path[1]).read_text()
    targets = re.findall(r"\]\(([^)]+)\)", text)
    assert len(targets) == len(re.findall(r"\]\([^)]+\)", README)) > 20
    assert [target for target in targets if not target.startswith("https://")] == []


def test_one_owner_everywhere() -> None:
    name = manifest("server.json")["name"]
    assert f"<!-- mcp-name: {name} -->" in README
    assert f'io.modelcontextprotocol.server.name="{name}"' in (ROOT / "Dockerfile").read_text()
    assert len(manifest("server.json")["description"]) <= 100


@pytest.mark.parametrize(
    "start",
    ["https://cursor.com/install-mcp", "https://lmstudio.ai/install-mcp"],
    ids=["Cursor", "LM Studio"],
)
def test_links_with_code_start_us(start: str) -> None:
    asked = link(start)
    assert asked["name"] == ["browser"]
    assert json.loads(base64.b64decode(asked["config"][0])) == LAUNCH


def test_links_with_words_start_us() -> None:
    asked = link("https://vscode.dev/redirect/mcp/install")
    assert json.loads(asked["config"][0]) == {"name": "browser", **LAUNCH}
    asked = link("https://block.github.io/goose/extension")
    assert [asked["cmd"][0], *asked["arg"]] == [LAUNCH["command"], *LAUNCH["args"]]


def test_the_skill_is_short() -> None:
    assert len((ROOT / "skills" / "browser" / "SKILL.md").read_text().split()) <= 1500


def test_the_sandbox_of_the_image_has_what_it_is_made_of_and_no_more() -> None:
    rules = manifest("docker/seccomp.json")
    assert rules["defaultAction"] == "SCMP_ACT_ERRNO"
    free = {name for rule in rules["syscalls"] if "args" not in rule for name in rule["names"]}
    assert {"clone", "clone3", "unshare", "setns", "chroot", "seccomp"} <= free
    assert not free & {
        "mount",
        "bpf",
        "kexec_load",
        "init_module",
        "keyctl",
        "perf_event_open",
        "reboot",
        "personality",
    }
