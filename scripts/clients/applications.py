"""The applications that `make clients` tries: how each is made to ask the scripted model."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from scripts.clients.model import MODEL

CLINE = "openai-compatible"
"""The provider that Cline uses."""
Prepare = Callable[[Path, str], None]


def nothing(home: Path, url: str) -> None:
    """Needs no preparation."""


@dataclass(frozen=True)
class Application:
    """An application from npm. `URL` in its words and variables stands for the model's address."""

    name: str
    setup: str
    package: str
    words: list[str]
    variables: dict[str, str] = field(default_factory=dict)
    prepare: Prepare = nothing

    def command(self, folder: Path, url: str) -> list[str]:
        """The command that asks the model."""
        program, *words = self.words
        return [
            str(folder / "node_modules" / ".bin" / program),
            *(word.replace("URL", url) for word in words),
        ]

    def environment(self, url: str) -> dict[str, str]:
        """Its own variables."""
        return {name: value.replace("URL", url) for name, value in self.variables.items()}


def gemini(home: Path, _: str) -> None:
    """Has Gemini CLI log in with the key in its environment."""
    settings = home / ".gemini" / "settings.json"
    written = json.loads(settings.read_text())
    written["security"] = {"auth": {"selectedType": "gemini-api-key"}}
    settings.write_text(json.dumps(written))


def opencode(home: Path, url: str) -> None:
    """Adds the model to OpenCode's configuration."""
    settings = home / ".config" / "opencode" / "opencode.json"
    written = json.loads(settings.read_text())
    options = {"baseURL": f"{url}/v1", "apiKey": "none"}
    # Without this, OpenCode does not pass pictures on.
    seen = {"attachment": True, "modalities": {"input": ["text", "image"], "output": ["text"]}}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {MODEL: seen}}
    written["provider"] = {"scripted": provider}
    settings.write_text(json.dumps(written))


def cline(home: Path, url: str) -> None:
    """Has Cline ask the model at this address."""
    settings = {"provider": CLINE, "apiKey": "none", "model": MODEL, "baseUrl": f"{url}/v1"}
    provider = {"settings": settings, "updatedAt": "2026-01-01T00:00:00.000Z", "tokenSource": "manual"}
    written = {"version": 1, "lastUsedProvider": CLINE, "modes": {}, "providers": {CLINE: provider}}
    (home / ".cline" / "data" / "settings" / "providers.json").write_text(json.dumps(written))


CODEX = (
    'model_providers.scripted={name="scripted",base_url="URL/v1",'
    'wire_api="responses",env_key="OPENAI_API_KEY"}'
)
APPLICATIONS = [
    Application(
        "Claude Code",
        "claude-code",
        "@anthropic-ai/claude-code",
        ["claude", "-p", "Greet Ada", "--allowedTools", "mcp__browser"],
        # Otherwise it has its model search for the tools of servers.
        {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "ENABLE_TOOL_SEARCH": "false"},
    ),
    Application(
        "Codex",
        "codex",
        "@openai/codex",
        [
            *["codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"],
            *["-m", MODEL, "-c", "model_provider=scripted", "-c", CODEX, "Greet Ada"],
        ],
    ),
    Application(
        "Gemini CLI",
        "gemini",
        "@google/gemini-cli",
        ["gemini", "--approval-mode", "yolo", "-p", "Greet Ada"],
        {"GEMINI_CLI_TRUST_WORKSPACE": "true"},
        gemini,
    ),
    Application(
        "OpenCode",
        "opencode",
        "opencode-ai",
        ["opencode", "run", "--model", f"scripted/{MODEL}", "Greet Ada"],
        prepare=opencode,
    ),
    Application(
        "Copilot CLI",
        "copilot",
        "@github/copilot",
        ["copilot", "--allow-all-tools", "-p", "Greet Ada"],
        {
            "COPILOT_PROVIDER_BASE_URL": "URL/v1",
            "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_PROVIDER_WIRE_API": "responses",
            "COPILOT_MODEL": "gpt-5.4",
        },
    ),
    Application(
        "Cline",
        "cline",
        "cline",
        ["cline", "--provider", CLINE, "Greet Ada"],
        prepare=cline,
    ),
]
