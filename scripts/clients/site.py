"""The page on which clients are tried."""

from __future__ import annotations

from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

REPORT = "name,amount\nlamp,3\n"
PAGE = """<!doctype html><title>Greetings</title><h1>Greetings</h1>
<label>Name <input id="name"></label>
<button onclick="out.textContent = `Hello ${document.getElementById('name').value}`">Greet</button>
<p id="out"></p>
<a href="/report.csv" download>Report</a>
<label>File <input type="file"></label>
<script>
document.querySelector("[type=file]").onchange = ({ target: { files: [file] } }) => {
  out.textContent = `Got ${file.name}, ${file.size} bytes`;
};
</script>
"""


@contextmanager
def serve() -> Iterator[str]:
    """Serves the page on loopback."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_report = self.path == "/report.csv"
            body = (REPORT if is_report else PAGE).encode()
            self.send_response(200)
            self.send_header("Content-Type", "text/csv" if is_report else "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Logs nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
