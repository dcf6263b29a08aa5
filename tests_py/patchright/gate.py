"""A site that asks for a person before it shows anything, and the person who comes."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event

from tests_py.support.served import Served

LOGIN = """<!doctype html><title>Sign in</title>
<form><input name=user><input type=password name=password><button>Sign in</button></form>
<script>
  setInterval(async () => {
    if (await (await fetch('/opened')).text() === 'yes') location = '/report';
  }, 100);
</script>"""

CAPTCHA = """<!doctype html><title>One moment</title><p>Are you a person?</p>
<iframe width=304 height=78 src='https://www.google.com/recaptcha/api2/anchor?size=normal'></iframe>
<script>
  setInterval(async () => {
    if (await (await fetch('/opened')).text() === 'yes') location.reload();
  }, 100);
</script>"""

REPORT = "<!doctype html><title>Report</title><main><h1>The report</h1><p>All is well.</p></main>"


class Gate(Served):
    """Serves `/report` behind a login, `/checked` behind a captcha, until `open` is called."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._opened = Event()
        self._server.opened = self._opened  # type: ignore[attr-defined]
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"

    def open(self) -> None:
        """What the person does: on another device, so that the page goes on by itself."""
        self._opened.set()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        opened = self.server.opened.is_set()  # type: ignore[attr-defined]
        path = self.path.partition("?")[0]
        body, location = REPORT, ""
        if path == "/opened":
            body = "yes" if opened else "no"
        elif path == "/login":
            body = LOGIN
        elif path == "/checked" and not opened:
            body = CAPTCHA
        elif path == "/report" and not opened:
            body, location = "", "/login?next=/report"
        payload = body.encode()
        self.send_response(302 if location else 200)
        if location:
            self.send_header("Location", location)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nobody reads it."""
