"""A site behind a login, and behind a box to tick, that lets in whoever does what it asks."""

from __future__ import annotations

from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs

from tests_py.support.served import Served

STYLE = """<style>
  body { margin: 0 }
  form > * { position: absolute; left: 20px; width: 300px; height: 30px }
</style>"""
LOGIN = f"""<!doctype html><title>Sign in</title>{STYLE}
<form method=post action=/login>
<input name=user style="top:20px"><input type=password name=password style="top:70px">
<button style="top:120px">Sign in</button></form>"""
CHECK = f"""<!doctype html><title>One moment</title>{STYLE}
<iframe width=304 height=78 style="margin-top:200px"
  src="https://www.google.com/recaptcha/api2/anchor?size=normal"></iframe>
<form method=post action=/check>
<input type=checkbox style="top:20px;width:30px" onchange="form.submit()"></form>"""
REPORT = "<!doctype html><title>Report</title><main><h1>The report</h1><p>All is well.</p></main>"
PASSWORD = "correct horse battery"  # noqa: S105


class LoginSite(Served):
    """Serves `/report` behind a login, and `/checked` behind a box."""

    def __init__(self) -> None:
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self.origin = f"http://127.0.0.1:{self._server.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        known = "in=yes" in self.headers.get("Cookie", "")
        if self.path == "/report" and not known:
            self._answer("", location="/login?next=/report")
        elif self.path.startswith("/login"):
            self._answer(LOGIN)
        elif self.path == "/checked" and not known:
            self._answer(CHECK)
        else:
            self._answer(REPORT)

    def do_POST(self) -> None:
        sent = parse_qs(self.rfile.read(int(self.headers["Content-Length"])).decode())
        good = self.path == "/check" or sent.get("password") == [PASSWORD]
        there = "/checked" if self.path == "/check" else "/report"
        self._answer("", location=there, cookie="in=yes; Path=/" if good else "")

    def _answer(self, body: str, *, location: str = "", cookie: str = "") -> None:
        payload = body.encode()
        self.send_response(303 if location else 200)
        if location:
            self.send_header("Location", location)
        if cookie:
            self.send_header("Set-Cookie", cookie)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Nobody reads it."""
