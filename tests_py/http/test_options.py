"""Options as their users see them: by flag, by the environment, and by a file."""

import json
from pathlib import Path

import pytest

from tests_py.support.http import INITIALIZE, KEY, HttpServer, until
from tests_py.support.site import Site

pytestmark = pytest.mark.long

SEEN = """() => [innerWidth, innerHeight, navigator.userAgent, navigator.language, window.added, name,
    Intl.DateTimeFormat().resolvedOptions().timeZone, Notification.permission].join()"""


@pytest.mark.parametrize("format", ["json", "toml"])
def test_what_is_set_is_what_a_page_sees(tmp_path: Path, site: Site, format: str) -> None:  # noqa: A002
    (tmp_path / "one.js").write_text("window.added = 'first'")
    (tmp_path / "two.js").write_text("window.name = 'second'")
    state = {"cookies": [{"name": "kept", "value": "yes", "domain": "127.0.0.1", "path": "/"}], "origins": []}
    (tmp_path / "state.json").write_text(json.dumps(state))
    config = tmp_path / f"config.{format}"
    written = {
        "json": '{"locale": "de-DE", "initScript": ["one.js", "two.js"], "userAgent": "overruled"}',
        "toml": 'locale = "de-DE"\ninit-script = "one.js,two.js"\nuserAgent = "overruled"',
    }
    config.write_text(written[format])
    environment = {
        "PATCHRIGHT_MCP_TIMEZONE": "Asia/Tokyo",
        "PATCHRIGHT_MCP_USER_AGENT": "An agent",
        "PATCHRIGHT_MCP_GRANT_PERMISSIONS": "notifications",
        "PATCHRIGHT_MCP_VIEWPORT_SIZE": "800x600",
        "PATCHRIGHT_MCP_CONSOLE_LEVEL": "error",
        "PATCHRIGHT_MCP_HEADLESS": "true",
    }
    flags = ["--config", config.name, "--viewport-size", "1000x500", "--storage-state", "state.json"]
    flags += ["--output-dir", "taken", "--timeout-navigation", "1500", "--timeout-settle", "10"]
    with HttpServer(tmp_path, *flags, env=environment) as server:
        client = server.begin()
        client.text("browser_navigate", url=site.page("form"))
        seen = client.text("browser_evaluate", function=SEEN)
        assert "1000,500,An agent,de-DE,first,second,Asia/Tokyo,granted" in seen
        assert "kept=yes" in client.text("browser_evaluate", function="() => document.cookie")
        logging = "() => { console.info('in passing'); console.error('badly wrong') }"
        client.text("browser_evaluate", function=logging)
        answer = client.text("browser_console_messages")
        assert "badly wrong" in answer
        assert "in passing" not in answer
        assert "in passing" in client.text("browser_console_messages", level="info")
        slow = client.call("browser_navigate", url=site.url("/delay?ms=10000"))
        assert "1.5 s" in str(slow)
        client.call("browser_navigate", url=site.url("/download"))
        until(lambda: list((tmp_path / "taken").glob("report*.bin")), "the download")


def test_configured_hosts_and_origins_are_accepted(tmp_path: Path) -> None:
    flags = [
        "--allowed-hosts",
        "mine.example,other.example:7",
        "--allowed-client-origins",
        "https://app.example",
    ]
    with HttpServer(tmp_path, *flags) as server:

        def status(host: str, *headers: str) -> int:
            known = [f"Host: {host}", "Content-Type: application/json", f"Authorization: Bearer {KEY}"]
            return server.ask([*known, *headers], json.dumps(INITIALIZE).encode()).status

        assert status("mine.example") == status("mine.example:99") == status("other.example:7") == 200
        assert status("other.example") == status("else.example") == 403
        assert status("localhost", "Origin: https://app.example") == 200
        assert status("localhost", "Origin: https://app.example:8443") == 403
