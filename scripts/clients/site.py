"""The page on which clients are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests_py.support.site import Site

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


def publish(site: Site) -> str:
    """Serves the page and its file, and returns the page's URL."""
    site.publish("/report.csv", REPORT, "text/csv")
    return site.publish("/greetings", PAGE)
