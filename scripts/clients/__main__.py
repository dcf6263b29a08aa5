"""Runs the newest MCP clients and agent frameworks against the server, and writes docs/reference/clients.md.

    python -m scripts.clients [NAME …]   # without names: all; with names, the page is not written

Each client has a folder of its own in target/clients, with the newest version from PyPI or npm.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import uuid
import venv
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.clients import applications, site
from scripts.clients.model import Conversation, Model, Step
from scripts.clients.model import serve as serve_model
from tests_py.support.family import MARK, Family
from tests_py.support.http import KEY, HttpServer
from tests_py.support.site import Site

ROOT = Path(__file__).parents[2]
FOLDERS = ROOT / "target" / "clients"
EXAMPLES = ROOT / "examples" / "frameworks"
PAGE = ROOT / "docs" / "reference" / "clients.md"
LIMIT_S = 240
PICTURE, FAILURE = 4, 8
"""The positions of the screenshot and of the failing call in the script."""


@dataclass(frozen=True)
class Library:
    """A package, and the program that uses it."""

    name: str
    packages: list[str]
    program: Path
    words: list[str] = field(default_factory=list)
    models: dict[str, str] = field(default_factory=dict)
    """For a framework: the value of MODEL for each API."""

    @property
    def folder(self) -> Path:
        """Where it is installed."""
        return FOLDERS / self.name.lower().replace(" ", "-")

    @property
    def is_python(self) -> bool:
        """Whether it comes from PyPI."""
        return self.program.suffix == ".py"

    def install(self) -> None:
        """Installs the newest versions, once."""
        ready = self.folder / "ready"
        if ready.exists() and ready.read_text() == " ".join(self.packages):
            return
        self.folder.mkdir(parents=True, exist_ok=True)
        if self.is_python:
            venv.create(self.folder, with_pip=True)
            pip = [
                str(self.folder / "bin" / "pip"),
                "install",
                "--quiet",
                "--disable-pip-version-check",
                "--upgrade",
            ]
            subprocess.run([*pip, *self.packages], check=True)
        else:
            npm_install(self.folder, self.packages)
        ready.write_text(" ".join(self.packages))

    def version(self) -> str:
        """The installed version of the first package."""
        package = self.packages[0].partition("[")[0]
        if self.is_python:
            program = f"from importlib.metadata import version; print(version({package!r}))"
            python = [str(self.folder / "bin" / "python"), "-c", program]
            return subprocess.run(python, check=True, capture_output=True, text=True).stdout.strip()
        return npm_version(self.folder, package)

    def command(self) -> list[str]:
        """The command that runs the program."""
        if self.is_python:
            return [str(self.folder / "bin" / "python"), str(self.program), *self.words]
        # Node looks for packages beside the program.
        copied = self.folder / self.program.name
        copied.write_text(self.program.read_text())
        return ["node", str(copied), *self.words]


def npm_install(folder: Path, packages: list[str]) -> None:
    """Installs the newest versions from npm."""
    folder.mkdir(parents=True, exist_ok=True)
    newest = [f"{package}@latest" for package in packages]
    npm = ["npm", "install", "--prefix", str(folder), "--no-audit", "--no-fund", "--silent"]
    subprocess.run([*npm, *newest], check=True)


def npm_version(folder: Path, package: str) -> str:
    """The installed version of a package."""
    return str(json.loads((folder / "node_modules" / package / "package.json").read_text())["version"])


OPENAI, ANTHROPIC, GOOGLE = "OpenAI Responses", "Anthropic Messages", "Gemini"
SDKS = [
    Library("Python SDK", ["mcp", "httpx2"], ROOT / "scripts" / "clients" / "python_sdk.py", ["mcp"]),
    Library("FastMCP", ["fastmcp"], ROOT / "scripts" / "clients" / "python_sdk.py", ["fastmcp"]),
    Library(
        "TypeScript SDK", ["@modelcontextprotocol/sdk"], ROOT / "scripts" / "clients" / "typescript_sdk.mjs"
    ),
]
FRAMEWORKS = [
    Library(
        "LangChain",
        [
            "langchain",
            "langchain-mcp-adapters",
            "langchain-openai",
            "langchain-anthropic",
            "langchain-google-genai",
        ],
        EXAMPLES / "langchain_agent.py",
        models={
            OPENAI: "openai:gpt-5",
            ANTHROPIC: "anthropic:claude-opus-4-5",
            GOOGLE: "google_genai:gemini-3-pro",
        },
    ),
    Library("OpenAI Agents", ["openai-agents"], EXAMPLES / "openai_agent.py", models={OPENAI: "gpt-5"}),
    Library(
        "Pydantic AI",
        ["pydantic-ai-slim[mcp,openai,anthropic,google]"],
        EXAMPLES / "pydantic_agent.py",
        models={
            OPENAI: "openai:gpt-5",
            ANTHROPIC: "anthropic:claude-opus-4-5",
            GOOGLE: "google:gemini-3-pro",
        },
    ),
    Library(
        "mcp-use", ["mcp-use", "langchain-openai"], EXAMPLES / "mcp_use_agent.py", models={OPENAI: "gpt-5"}
    ),
    Library(
        "AI SDK",
        ["ai", "@ai-sdk/mcp", "@ai-sdk/openai"],
        EXAMPLES / "ai_sdk_agent.mjs",
        models={OPENAI: "gpt-5"},
    ),
    Library(
        "Mastra",
        ["@mastra/mcp", "@mastra/core", "@ai-sdk/openai"],
        EXAMPLES / "mastra_agent.mjs",
        models={OPENAI: "gpt-5"},
    ),
    Library(
        "LangChain.js",
        ["langchain", "@langchain/mcp-adapters", "@langchain/openai", "@langchain/core"],
        EXAMPLES / "langchain_agent.mjs",
        models={OPENAI: "gpt-5"},
    ),
]


LIMITS = {
    ("Mastra", "screenshot"): "Mastra 2 passes on the text of a tool's result only.",
    ("Copilot CLI", "screenshot"): "Copilot CLI 1 passes on the text of a tool's result only.",
    ("Cline", "screenshot"): (
        "Cline 3 passes a picture on as base64 text. `setup cline` therefore leaves pictures out of answers."
    ),
}
"""What a client itself does not do."""


def script(page: str, file: Path) -> list[Step]:
    """What the model does with the page."""
    return [
        Step("browser_navigate", {"url": page}),
        Step("browser_snapshot", {}),
        Step("browser_type", {"ref": "label=Name", "text": "Ada"}),
        Step("browser_click", {"ref": "role=button[name=Greet]"}),
        Step("browser_take_screenshot", {}),
        Step("browser_click", {"ref": "text=Report"}),
        Step("browser_click", {"ref": "label=File"}),
        Step("browser_file_upload", {"paths": [str(file)]}),
        Step("browser_click", {"ref": "#nothing"}),
    ]


def judge(conversation: Conversation, output: str) -> Outcomes:
    """What of the script worked, as the model saw it."""
    results = conversation.results
    seen = {number: result.text for number, result in enumerate(results)}
    faults = [*conversation.faults, *(fault for result in results for fault in result.faults)]
    return {
        "list": "browser_click" in conversation.tools or "no browser tools",
        "read": "Greetings" in seen.get(0, "") or seen.get(0, "nothing")[:200],
        "fill, click": "Hello Ada" in seen.get(3, "") or seen.get(3, "nothing")[:200],
        "screenshot": (len(results) > PICTURE and results[PICTURE].pictures > 0)
        or "the model saw no picture",
        "download": "Downloaded report.csv" in seen.get(5, "") or seen.get(5, "nothing")[:200],
        "upload": "Got upload.txt, 12 bytes" in seen.get(7, "") or seen.get(7, "nothing")[:200],
        "error": "matches nothing" in seen.get(FAILURE, "") or seen.get(FAILURE, "nothing")[:200],
        "valid": not faults or "; ".join(sorted(set(faults)))[:300],
        "end": conversation.finished or f"it ended early: {output[-400:]}",
    }


def run(command: list[str], environment: dict[str, str], folder: Path) -> str:
    """Runs a client to its end, ends what it leaves behind, and returns what it printed."""
    mark = uuid.uuid4().hex
    try:
        ended = subprocess.run(
            command,
            check=False,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            cwd=folder,
            env={**environment, "PWD": str(folder), MARK: mark},
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {LIMIT_S} s"
    finally:
        for process in Family(mark).processes():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    return ended.stdout + ended.stderr


def model_environment(url: str) -> dict[str, str]:
    """The variables by which clients find the scripted model."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    keys = dict.fromkeys(["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY", "GEMINI_API_KEY"], "none")
    return {
        **os.environ,
        **keys,
        "PATH": path,
        "OPENAI_BASE_URL": f"{url}/v1",
        "ANTHROPIC_BASE_URL": url,
        "GOOGLE_GEMINI_BASE_URL": url,
        "OPENAI_AGENTS_DISABLE_TRACING": "1",
        "MCP_USE_ANONYMIZED_TELEMETRY": "false",
        "MASTRA_TELEMETRY_DISABLED": "1",
        "NO_COLOR": "1",
        "NO_PROXY": "127.0.0.1",
    }


Outcomes = dict[str, bool | str]
"""What worked: for each subject `True`, or what went wrong."""
Rows = dict[tuple[str, ...], Outcomes]
"""The outcomes by client: its name, version and, for a framework, the API of the model."""


def try_framework(library: Library, api: str, model: Model, page: str) -> Outcomes:
    """Runs an example with the scripted model."""
    with TemporaryDirectory(prefix="clients-") as folder:
        file = Path(folder) / "upload.txt"
        file.write_text("x" * 12)
        conversation = model.begin(script(page, file))
        environment = {**model_environment(model.url), "MODEL": library.models[api]}
        output = run([*library.command(), "Greet Ada"], environment, Path(folder))
        return judge(conversation, output)


def try_application(application: applications.Application, model: Model, page: str) -> Outcomes:
    """Sets an application up, and has it ask the scripted model."""
    with TemporaryDirectory(prefix="clients-") as folder:
        home = Path(folder) / "home"
        work = Path(folder) / "work"
        (work / ".git").mkdir(parents=True)
        home.mkdir()
        file = work / "upload.txt"
        file.write_text("x" * 12)
        environment = {
            **model_environment(model.url),
            "HOME": str(home),
            **application.environment(model.url),
        }
        setup = [sys.executable, "-m", "patchright_mcp", "setup", application.setup, "--", "--headless"]
        subprocess.run(setup, check=True, capture_output=True, env=environment, cwd=work)
        application.prepare(home, model.url)
        conversation = model.begin(script(page, file))
        output = run(application.command(FOLDERS / "applications", model.url), environment, work)
        return judge(conversation, output)


def try_sdk(library: Library, page: str) -> Outcomes:
    """Runs an SDK over HTTP."""
    with TemporaryDirectory(prefix="clients-") as folder:
        file = Path(folder) / "upload.txt"
        file.write_text("x" * 12)
        with HttpServer(Path(folder), "--image-responses", "inline", "--caps", "pdf") as server:
            environment = {**os.environ, "SERVER": server.url, "KEY": KEY, "UPLOAD": str(file)}
            output = run([*library.command(), page], environment, Path(folder))
    lines = [line for line in output.splitlines() if line.startswith("{")]
    outcomes: Outcomes = json.loads(lines[-1]) if lines else {"list": output[-400:]}
    return outcomes


def table(rows: Rows, head: tuple[str, ...], notes: list[str]) -> list[str]:
    """A table of outcomes; a failure becomes a numbered note."""
    subjects = list(dict.fromkeys(subject for outcomes in rows.values() for subject in outcomes))
    lines = ["| " + " | ".join([*head, *subjects]) + " |", "|" + "---|" * (len(head) + len(subjects))]
    for client, outcomes in rows.items():
        cells = []
        for subject in subjects:
            outcome = outcomes.get(subject, "was not reached")
            if outcome is not True:
                reason = LIMITS.get((client[0], subject)) or " ".join(str(outcome).split())
                notes.append(
                    reason if (client[0], subject) in LIMITS else f"{client[0]}, {subject}: {reason}"
                )
            cells.append("yes" if outcome is True else f"no [{len(notes)}]")
        lines.append("| " + " | ".join([*client, *cells]) + " |")
    return lines


def write(sdks: Rows, frameworks: Rows, programs: Rows) -> None:
    """Writes the page."""
    notes: list[str] = []
    day = datetime.now(tz=timezone.utc).date()
    lines = [
        "# Clients that were tried",
        "",
        f"Written by `make clients` on {day}: each client at its newest version on that day.",
        "",
        "## SDKs, over HTTP",
        "",
        "`PDF`, `download`: the file is read as a resource. `cancel`: the next call is answered.",
        "`two clients`: two clients with one key do not see each other's pages.",
        "",
        *table(sdks, ("SDK", "version"), notes),
        "",
        "## Frameworks, over standard input and output",
        "",
        "The programs of [Use it in an agent framework](../guides/frameworks.md), with a scripted model.",
        "`screenshot`: the model receives a picture. `valid`: the model's API accepts each message.",
        "",
        *table(frameworks, ("framework", "version", "API"), notes),
        "",
        "## Applications, set up by `patchright-mcp setup`",
        "",
        "With the same model.",
        "",
        *table(programs, ("application", "version"), notes),
        "",
        *(f"{number}. {note}" for number, note in enumerate(notes, 1)),
    ]
    PAGE.write_text("\n".join(lines).strip() + "\n")


def main() -> int:
    """Runs what was named, or all."""
    parser = argparse.ArgumentParser(description="Run MCP clients and agent frameworks against the server.")
    parser.add_argument("names", nargs="*", help="names of clients, such as langchain")
    chosen = parser.parse_args().names

    def is_wanted(name: str) -> bool:
        return not chosen or name.lower().replace(" ", "-") in chosen

    sdks: Rows = {}
    frameworks: Rows = {}
    programs: Rows = {}
    failed: Outcomes = {}

    def note(client: tuple[str, ...], outcomes: Outcomes) -> Outcomes:
        faults = {
            subject: outcome
            for subject, outcome in outcomes.items()
            if outcome is not True and (client[0], subject) not in LIMITS
        }
        failed.update(faults)
        print(" ".join(client), "works" if not faults else json.dumps(faults, ensure_ascii=False), flush=True)
        return outcomes

    with serve_model() as model, Site() as served:
        page = site.publish(served)
        for library in filter(lambda one: is_wanted(one.name), SDKS):
            library.install()
            client = (library.name, library.version())
            sdks[client] = note(client, try_sdk(library, page))
        for library in filter(lambda one: is_wanted(one.name), FRAMEWORKS):
            library.install()
            for api in library.models:
                row = (library.name, library.version(), api)
                frameworks[row] = note(row, try_framework(library, api, model, page))
        wanted = [one for one in applications.APPLICATIONS if is_wanted(one.setup)]
        if wanted:
            folder = FOLDERS / "applications"
            if not (folder / "node_modules").exists():
                npm_install(folder, [one.package for one in applications.APPLICATIONS])
            for application in wanted:
                client = (application.name, npm_version(folder, application.package))
                programs[client] = note(client, try_application(application, model, page))
    if not chosen:
        write(sdks, frameworks, programs)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
