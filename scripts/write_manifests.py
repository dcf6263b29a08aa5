"""Writes the manifests by which clients and registries know us, and the README's links, from one source.

Usage: python scripts/write_manifests.py [--check]
"""

from __future__ import annotations

import base64
import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SCHEMAS = {
    "server": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    "plugin": "https://agent-plugins.org/schemas/1.0.0/plugin.schema.json",
    "mcp": "https://agent-plugins.org/schemas/1.0.0/mcp.schema.json",
}


@dataclass(frozen=True)
class About:
    """What there is to say of us."""

    name: str
    version: str
    licence: str
    title: str
    summary: str
    owner: str
    repository: str
    server: str
    command: str
    arguments: list[str]
    options: list[str]
    keywords: list[str]

    @classmethod
    def read(cls) -> About:
        """From Cargo.toml and packaging/about.toml."""
        package = tomllib.loads((ROOT / "Cargo.toml").read_text())["package"]
        text = tomllib.loads((ROOT / "packaging" / "about.toml").read_text())
        return cls(name=package["name"], version=package["version"], licence=package["license"], **text)

    @property
    def registry_name(self) -> str:
        """The name in the MCP registry, which only the owner of the repository can take."""
        return f"io.github.{self.repository.removeprefix('https://github.com/')}"

    @property
    def launch(self) -> dict[str, Any]:
        """How a client starts us."""
        return {"command": self.command, "args": [*self.arguments, *self.options]}

    @property
    def common(self) -> dict[str, Any]:
        """What plugins of every make say."""
        return {"name": self.name, "version": self.version, "description": self.summary}

    @property
    def whole(self) -> dict[str, Any]:
        """What those say that have room for all."""
        return {
            **self.common,
            "author": {"name": self.owner},
            "homepage": self.repository,
            "repository": self.repository,
            "license": self.licence,
            "keywords": self.keywords,
        }


def main() -> int:
    """Writes them, or says which are stale."""
    about = About.read()
    pages = {ROOT / path: json_text(manifest) for path, manifest in manifests(about).items()}
    pages |= {ROOT / badge_path(client): badge(client) for client in links(about)}
    pages[README] = readme(about)
    pages[ROOT / "packaging" / "README.md"] = readme_elsewhere(about)
    pages[ROOT / "packaging" / "mcpb" / "pyproject.toml"] = bundle_project(about)
    stale = {page: text for page, text in pages.items() if not page.exists() or page.read_text() != text}
    if "--check" in sys.argv[1:]:
        for page in stale:
            print(f"{page.relative_to(ROOT)} is stale: run `make docs`", file=sys.stderr)
        return 1 if stale else 0
    for page, text in stale.items():
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(text)
    return 0


def json_text(manifest: dict[str, Any]) -> str:
    """As it stands in a file."""
    return json.dumps(manifest, indent=2, ensure_ascii=False) + "\n"


def manifests(about: About) -> dict[str, dict[str, Any]]:
    """Every manifest, by its path."""
    servers = {about.server: about.launch}
    return {
        "server.json": registry(about),
        "plugin.json": {"$schema": SCHEMAS["plugin"], **about.whole},
        "mcp.json": {
            "$schema": SCHEMAS["mcp"],
            "mcpServers": {about.server: {"type": "stdio", **about.launch}},
        },
        ".claude-plugin/plugin.json": {**about.whole, "mcpServers": servers},
        ".claude-plugin/marketplace.json": marketplace(about),
        ".cursor-plugin/plugin.json": {**about.whole, "displayName": about.title, "mcpServers": servers},
        "gemini-extension.json": {**about.common, "mcpServers": servers},
        "packaging/mcpb/manifest.json": bundle(about),
    }


def registry(about: About) -> dict[str, Any]:
    """For the MCP registry."""
    package = {
        "registryType": "pypi",
        "identifier": about.name,
        "version": about.version,
        "runtimeHint": about.command,
        "packageArguments": [
            {"type": "named", "name": name, "value": value}
            for name, value in zip(about.options[::2], about.options[1::2], strict=True)
        ],
        "transport": {"type": "stdio"},
    }
    return {
        "$schema": SCHEMAS["server"],
        "name": about.registry_name,
        "title": about.title,
        "description": about.summary,
        "version": about.version,
        "repository": {"url": about.repository, "source": "github"},
        "packages": [package],
    }


def marketplace(about: About) -> dict[str, Any]:
    """For Claude Code, which installs plugins from a repository that lists them; Codex reads it, too."""
    return {
        "name": about.name,
        "owner": {"name": about.owner},
        "metadata": {"description": about.summary, "version": about.version},
        "plugins": [{"name": about.name, "source": "./", "description": about.summary}],
    }


def bundle(about: About) -> dict[str, Any]:
    """For Claude Desktop: a bundle that fetches the package when it is installed."""
    return {
        "manifest_version": "0.4",
        **about.common,
        "display_name": about.title,
        "author": {"name": about.owner, "url": about.repository},
        "repository": {"type": "git", "url": about.repository},
        "license": about.licence,
        "keywords": about.keywords,
        "server": {
            "type": "uv",
            "entry_point": "server.py",
            "mcp_config": {
                "command": "uv",
                "args": ["run", "--directory", "${__dirname}", "server.py", *about.options],
            },
        },
        "compatibility": {"platforms": ["darwin", "linux"], "runtimes": {"python": ">=3.10"}},
    }


def bundle_project(about: About) -> str:
    """What the bundle depends on."""
    lines = [
        "# Written by `make docs` from packaging/about.toml.",
        "[project]",
        f'name = "{about.name}-bundle"',
        f'version = "{about.version}"',
        'requires-python = ">=3.10"',
        f'dependencies = ["{about.name}=={about.version}"]',
    ]
    return "\n".join(lines) + "\n"


def readme(about: About) -> str:
    """The README with its links renewed."""
    text = README.read_text()
    for name, lines in (
        ("install", install(about)),
        ("proof", [f"<!-- mcp-name: {about.registry_name} -->"]),
    ):
        before, start, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- end of {name} -->\n")
        assert start, name
        assert end, name
        text = "".join([before, start, *(line + "\n" for line in lines), end, after])
    return text


def readme_elsewhere(about: About) -> str:
    """The README for PyPI, where a link that is relative leads nowhere."""
    raw = about.repository.replace("https://github.com/", "https://raw.githubusercontent.com/")

    def absolute(link: re.Match[str]) -> str:
        folder = f"{raw}/main" if link[1] else f"{about.repository}/blob/main"
        return f"{link[1] or ''}{link[2]}({folder}/{link[3]})"

    text = readme(about)
    return re.sub(r"(!)?(\[[^\[\]]*\])\((?!https?:|#)([^)]+)\)", absolute, text)


def links(about: About) -> dict[str, str]:
    """What opens a client and asks whether to add us."""
    config = quote(json.dumps({"name": about.server, **about.launch}, separators=(",", ":")), safe="")
    launch = json.dumps(about.launch, separators=(",", ":"))
    coded = quote(base64.b64encode(launch.encode()).decode(), safe="")
    arguments = "".join(f"&arg={quote(argument, safe='')}" for argument in about.launch["args"])
    words = f"id={about.server}&name={quote(about.title)}&description={quote(about.summary)}"
    return {
        "VS Code": f"https://vscode.dev/redirect/mcp/install?name={about.server}&config={config}",
        "Cursor": f"https://cursor.com/install-mcp?name={about.server}&config={coded}",
        "LM Studio": f"https://lmstudio.ai/install-mcp?name={about.server}&config={coded}",
        "Goose": f"https://block.github.io/goose/extension?cmd={about.command}{arguments}&{words}",
    }


def badge_path(client: str) -> str:
    """Where the button of a client is drawn."""
    return f"docs/pictures/add-to-{client.lower().replace(' ', '-')}.svg"


def badge(client: str) -> str:
    """A button that reads well on light and on dark."""
    words = f"Add to {client}"
    width = 20 + 7 * len(words)
    font = "font: 600 12px system-ui, -apple-system, 'Segoe UI', sans-serif"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="24" role="img">\n'
        f"<title>{words}</title>\n"
        f'<rect width="{width}" height="24" rx="5" fill="#0969da"/>\n'
        f'<text x="{width / 2}" y="16" text-anchor="middle" textLength="{width - 20}" fill="#fff" '
        f'style="{font}">{words}</text>\n</svg>\n'
    )


def install(about: About) -> list[str]:
    """One line for each client."""
    program = " ".join([about.command, *about.arguments])
    command = " ".join([program, *about.options])
    repository = about.repository.removeprefix("https://github.com/")
    opens = {
        client: f"[![Add to {client}]({badge_path(client)})]({link})" for client, link in links(about).items()
    }
    rows = {
        "Claude Code": f"`claude mcp add {about.server} -- {command}`",
        "Claude Code, with skill": f"`/plugin marketplace add {repository}`, `/plugin install {about.name}`",
        "Codex": f"`codex mcp add {about.server} -- {command}`",
        "Gemini CLI": f"`gemini extensions install {about.repository}`",
        **opens,
        "Claude Desktop, Windsurf, Zed, Cline, OpenCode, Copilot CLI, Kiro, Junie, Warp": (
            f"`{program} setup CLIENT`; `{program} setup` lists the names"
        ),
    }
    return ["| client | |", "|---|---|", *(f"| {client} | {line} |" for client, line in rows.items())]


if __name__ == "__main__":
    sys.exit(main())
