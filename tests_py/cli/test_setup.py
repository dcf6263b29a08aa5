"""Telling clients of us, and being forgotten again."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests_py.support.shell import Shell
from tests_py.support.wire import until

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

COPY = ".before-patchright-mcp"
FILES = {
    "claude": ".config/Claude/claude_desktop_config.json",
    "claude-code": ".claude.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "zed": ".config/zed/settings.json",
    "goose": ".config/goose/config.yaml",
    "lm-studio": ".lmstudio/mcp.json",
    "cline": ".cline/data/settings/cline_mcp_settings.json",
    "opencode": ".config/opencode/opencode.json",
    "copilot": ".copilot/mcp-config.json",
    "kiro": ".kiro/settings/mcp.json",
    "junie": ".junie/mcp/mcp.json",
    "warp": ".warp/.mcp.json",
}
KEY = "a-key-that-nobody-else-sees"
REMOTE = ("--url", "http://127.0.0.1:8931/mcp", "--header", f"Authorization: Bearer {KEY}")
LOCAL_ONLY = {"claude", "junie"}
"""The clients whose configuration file cannot name a remote server."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="each system has its own folders")


@pytest.fixture
def shell(shell: Shell) -> Shell:
    """A person without settings of any client."""
    for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "COPILOT_HOME"):
        shell.environment.pop(name, None)
    return shell


def home(shell: Shell) -> Path:
    """Where the clients of this person look."""
    return Path(shell.environment["HOME"])


@pytest.mark.parametrize(("client", "path"), FILES.items(), ids=FILES)
def test_a_client_is_reported_and_forgets(shell: Shell, client: str, path: str) -> None:
    file = home(shell) / path
    shown = shell.run("setup", client, "--dry-run")
    assert "+" in shown
    assert not file.exists()
    shell.run("setup", client, "--", "--headless")
    text = file.read_text()
    assert "patchright_mcp" in text
    assert "--headless" in text
    assert "has this server already" in shell.run("setup", client, "--", "--headless")
    assert f"{client:<12} set up" in shell.run("setup")
    shell.run("setup", client, "--undo")
    assert not file.exists(), "a file that we began goes with us"


@pytest.mark.parametrize("client", FILES)
def test_a_remote_server_is_named_with_its_key(shell: Shell, client: str) -> None:
    file = home(shell) / FILES[client]
    if client in LOCAL_ONLY:
        assert "cannot name a remote server" in shell.run("setup", client, *REMOTE, status=2)
        assert not file.exists()
        return
    shown = shell.run("setup", client, *REMOTE)
    assert KEY not in shown, "a key is not printed"
    text = file.read_text()
    assert "http://127.0.0.1:8931/mcp" in text
    assert f"Bearer {KEY}" in text
    assert "patchright_mcp" not in text, "nothing is started on this machine"
    assert file.stat().st_mode & 0o077 == 0, "only its owner reads a file with a key"
    assert f"{client:<12} set up" in shell.run("setup")
    shell.run("setup", client, "--undo")
    assert not file.exists()


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--url", "ftp://host/mcp"), "expected an http or https URL"),
        (("--url", "host:8931"), "expected an http or https URL"),
        (("--header", "A: b"), "--url"),
        ((*REMOTE, "--", "--headless"), "cannot be used with"),
        ((*REMOTE[:3], "no colon"), "expected NAME: VALUE"),
        ((*REMOTE[:3], "bad name: b"), "the name of the header is not valid"),
        (("--keep-logins", "--", "--user-data-dir", "/tmp/x"), "cannot be used multiple times"),
    ],
)
def test_a_server_that_cannot_be_meant_is_refused(shell: Shell, words: tuple[str, ...], problem: str) -> None:
    assert problem in shell.run("setup", "cursor", *words, status=2)
    assert not (home(shell) / ".cursor").exists()


def test_logins_are_kept_in_a_profile_of_each_client(shell: Shell) -> None:
    profiles = set()
    for client in ("cursor", "kiro"):
        shell.run("setup", client, "--keep-logins", "--", "--headless")
        server = json.loads((home(shell) / FILES[client]).read_text())["mcpServers"]["browser"]
        option, profile = server["args"][-2:]
        assert option == "--user-data-dir"
        assert Path(profile).is_relative_to(home(shell) / ".local/share/patchright-mcp")
        profiles.add(profile)
    assert len(profiles) == 2, "a profile serves one server at a time"


def test_pictures_are_part_of_answers_unless_a_client_or_its_user_does_not_want_them(shell: Shell) -> None:
    def arguments(client: str) -> list[str]:
        read = json.loads((home(shell) / FILES[client]).read_text())
        return list(read["mcpServers"]["browser"]["args"])

    shell.run("setup", "kiro")
    assert arguments("kiro")[-2:] == ["--image-responses", "inline"]
    shell.run("setup", "kiro", "--", "--image-responses", "omit")
    assert arguments("kiro")[-2:] == ["--image-responses", "omit"]
    assert "inline" not in arguments("kiro")
    shell.run("setup", "cline")
    assert "--image-responses" not in arguments("cline")


def test_opencode_keeps_its_one_file(shell: Shell) -> None:
    file = home(shell) / ".config" / "opencode" / "opencode.jsonc"
    file.parent.mkdir(parents=True)
    file.write_text('{ // Mine.\n  "model": "x"\n}\n')
    shell.run("setup", "opencode")
    assert "patchright_mcp" in file.read_text()
    assert not file.with_suffix(".json").exists()


def test_what_else_is_configured_stays_and_comes_back_to_the_letter(shell: Shell) -> None:
    file = home(shell) / ".cursor" / "mcp.json"
    file.parent.mkdir()
    before = '{\n\t// Mine.\n\t"mcpServers": {"other": {"command": "x", "env": {"KEY": "secret"}}}\n}\n'
    file.write_text(before)
    file.chmod(0o600)
    shown = shell.run("setup", "cursor")
    assert "+ mcpServers.browser = " in shown
    assert "secret" not in shown, "what others wrote is not repeated"
    assert "// Mine." in file.read_text()
    assert '"other"' in file.read_text()
    assert file.stat().st_mode & 0o777 == 0o600
    assert file.with_name(file.name + COPY).read_text() == before
    shell.run("setup", "cursor", "--undo")
    assert file.read_text() == before
    assert not file.with_name(file.name + COPY).exists()


def test_what_was_changed_since_is_not_undone(shell: Shell) -> None:
    file = home(shell) / ".gemini" / "settings.json"
    file.parent.mkdir()
    file.write_text('{"theme": "dark"}')
    shell.run("setup", "gemini")
    text = json.loads(file.read_text())
    text["theme"] = "light"
    file.write_text(json.dumps(text))
    shell.run("setup", "gemini", "--undo")
    left = json.loads(file.read_text())
    assert left["theme"] == "light"
    assert "browser" not in left.get("mcpServers", {})


def test_a_file_that_cannot_be_understood_is_left_alone(shell: Shell) -> None:
    file = home(shell) / ".cursor" / "mcp.json"
    file.parent.mkdir()
    file.write_text('{"mcpServers": ')
    assert "nothing was written" in shell.run("setup", "cursor", status=2)
    assert file.read_text() == '{"mcpServers": '
    assert "cursor       cannot be read" in shell.run("setup")


def test_a_link_stays_a_link(shell: Shell) -> None:
    real = home(shell) / "dotfiles.json"
    real.write_text("{}")
    link = home(shell) / ".cursor" / "mcp.json"
    link.parent.mkdir()
    link.symlink_to(real)
    shell.run("setup", "cursor")
    assert link.is_symlink()
    assert "patchright_mcp" in real.read_text()


def test_a_project_has_a_file_of_its_own(shell: Shell) -> None:
    shell.run("setup", "claude-code", "--project")
    server = json.loads((shell.folder / ".mcp.json").read_text())["mcpServers"]["browser"]
    assert server["command"] == sys.executable
    assert "no configuration for projects" in shell.run("setup", "goose", "--project", status=2)


def test_options_that_do_not_exist_are_not_written(shell: Shell) -> None:
    assert "unexpected argument '--nope'" in shell.run("setup", "cursor", "--", "--nope", status=2)
    assert not (home(shell) / ".cursor").exists()


def test_codex_reads_a_table_of_ours(shell: Shell) -> None:
    file = home(shell) / ".codex" / "config.toml"
    file.parent.mkdir()
    file.write_text("# Mine.\nmodel = 'o'\n")
    shell.run("setup", "codex")
    assert file.read_text().startswith("# Mine.\nmodel = 'o'\n")
    server = tomllib.loads(file.read_text())["mcp_servers"]["browser"]
    assert server == {
        "command": sys.executable,
        "args": ["-m", "patchright_mcp", "--image-responses", "inline"],
    }


CLIENTS = Path(os.environ.get("PATCHRIGHT_TEST_CLIENTS", Path(__file__).parents[2] / "target" / "manifests"))
"""Where the real clients are, once `make manifests` has fetched them."""

LISTINGS = {
    "claude-code": ("claude", ["mcp", "list"], "Connected"),
    "gemini": ("gemini", ["mcp", "list"], "Connected"),
    "codex": ("codex", ["mcp", "list"], "enabled"),
    "opencode": ("opencode", ["mcp", "list"], "connected"),
    "copilot": ("copilot", ["mcp", "list"], "browser (local)"),
}


@pytest.mark.timeout(150)
@pytest.mark.parametrize("client", LISTINGS)
def test_the_real_clients_find_us(shell: Shell, client: str) -> None:
    name, words, sign = LISTINGS[client]
    program = CLIENTS / "node_modules" / ".bin" / name
    if not program.exists():
        pytest.skip(f"{name} is not here; `make manifests` fetches it")
    (shell.folder / ".git").mkdir()
    shell.run("setup", client, "--", "--headless")
    environment = {**shell.environment, "NO_COLOR": "1", "GEMINI_CLI_TRUST_WORKSPACE": "true"}
    listed = subprocess.run(
        [str(program), *words],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
        cwd=shell.folder,
        env=environment,
        stdin=subprocess.DEVNULL,
    )
    reported = listed.stdout + listed.stderr
    assert "browser" in reported, reported
    assert sign in reported, reported


STUB = (
    'model_providers.stub={name="stub",base_url="MODEL/v1",'
    'wire_api="responses",env_key="KEY",request_max_retries=0}'
)
ASKED = {
    "claude-code": (
        ["claude", "-p", "hi"],
        {"ANTHROPIC_BASE_URL": "MODEL", "ANTHROPIC_API_KEY": "none"},
        '"mcp__browser__browser_click"',
    ),
    # It tells its model of servers, and has it search for their tools.
    "codex": (
        ["codex", "exec", "--skip-git-repo-check", "-c", "model_provider=stub", "-c", STUB, "hi"],
        {"KEY": "none"},
        "mcp__browser: Drives a real Chromium browser",
    ),
    "gemini": (
        ["gemini", "--approval-mode", "yolo", "-p", "hi"],
        {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": "MODEL", "GEMINI_CLI_TRUST_WORKSPACE": "true"},
        "browser_click",
    ),
}
"""How each is made to ask a model, and what of ours it then tells that model."""


@pytest.mark.timeout(150)
@pytest.mark.parametrize("client", ASKED)
def test_the_real_clients_tell_their_models_of_our_tools(shell: Shell, client: str) -> None:
    (name, *words), variables, sign = ASKED[client]
    program = CLIENTS / "node_modules" / ".bin" / name
    if not program.exists():
        pytest.skip(f"{name} is not here; `make manifests` fetches it")
    settings = home(shell) / ".gemini" / "settings.json"
    settings.parent.mkdir()
    settings.write_text('{"security": {"auth": {"selectedType": "gemini-api-key"}}}')
    (shell.folder / ".git").mkdir()
    shell.run("setup", client, "--", "--headless")
    with model() as (address, reported):
        subprocess.run(
            [str(program), *(word.replace("MODEL", address) for word in words)],
            check=False,
            capture_output=True,
            timeout=120,
            cwd=shell.folder,
            env={
                **shell.environment,
                "NO_COLOR": "1",
                "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
                **{key: value.replace("MODEL", address) for key, value in variables.items()},
            },
            stdin=subprocess.DEVNULL,
        )
    assert any(sign in body for body in reported), [body[:200] for body in reported]


@contextmanager
def model() -> Iterator[tuple[str, list[str]]]:
    """Stands where a model would be: hears what it is told, and never answers."""
    events: list[str] = []

    class Deaf(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            events.append(
                self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode(errors="replace")
            )
            body = (
                b'{"error": {"type": "invalid_request_error", "message": "there is no model", "code": 400}}'
            )
            self.send_response(400)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Deaf) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", events
        finally:
            server.shutdown()


def test_doctor_tells_what_is_there(shell: Shell) -> None:
    reported = shell.json("doctor")
    subjects = {finding["subject"]: finding for finding in reported["findings"]}
    assert {
        "program",
        "browser",
        "start",
        "sandbox",
        "display",
        "fonts",
        "/dev/shm",
        "room",
        "proxies",
    } <= set(subjects)
    assert reported["ok"]
    assert "answers after" in subjects["start"]["found"]
    assert all(finding["fix"] for finding in reported["findings"] if finding["grade"] != "good")
    shell.until_nothing_runs()
    assert shell.left() == set()


def test_doctor_shows_what_is_missing_and_how_to_fix_it(shell: Shell) -> None:
    shell.environment["HTTPS_PROXY"] = "http://me:password@proxy.example:3128"
    answer = shell.run("doctor", "--executable-path", "/nowhere/chromium", "--port", "0", status=1)
    assert "PROBLEM browser" in answer
    assert "→" in answer
    assert "a new key is made at each start" in answer
    assert "HTTPS_PROXY in the environment" in answer
    assert "password@" not in answer.replace("user:password@", ""), "what may be secret is not repeated"


def test_doctor_finds_a_client_that_would_start_what_is_gone(shell: Shell) -> None:
    shell.run("setup", "cursor")
    file = home(shell) / ".cursor" / "mcp.json"
    file.write_text(file.read_text().replace(sys.executable, "/gone/python"))
    reported = shell.json("doctor", status=1)
    (finding,) = [finding for finding in reported["findings"] if finding["subject"] == "client"]
    assert finding["found"] == "cursor would start /gone/python, which is gone"
    assert finding["fix"] == "patchright-mcp setup cursor"


def test_health_is_what_the_server_says(shell: Shell) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    address = f"http://127.0.0.1:{port}/health"
    assert shell.run("health", address, "--or-stdio") == ""
    with shell.start("health", address) as refused:
        assert refused.wait(20) == 1
    with shell.start("mcp", "--port", str(port), "--allow-unauthenticated", "--headless") as server:
        log = server.stderr
        assert log
        until(lambda: "Listening" in log.readline(), "the server")
        assert shell.run("health", address) == "well\n"
        assert shell.run("health", address.replace("/health", "/nothing"), status=1) == ""
        server.terminate()
        server.communicate(timeout=20)


@pytest.mark.parametrize("name", ["bash", "zsh", "fish"])
def test_shells_complete_commands(shell: Shell, name: str, tmp_path: Path) -> None:
    script = shell.run("completions", name)
    assert "screenshot" in script
    assert "full-page" in script
    program = shutil.which(name)
    if program:
        (tmp_path / "completions").write_text(script)
        subprocess.run([program, "-n", tmp_path / "completions"], check=True, timeout=20)


def test_there_is_a_manual_page(shell: Shell) -> None:
    page = shell.run("man")
    assert page.startswith(".ie") or ".TH" in page
    assert "idle" in page
    assert "fill" in page
