"""The scripts of `examples/` do what they say."""

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.clients.__main__ import FRAMEWORKS
from tests_py.support.site import Site, document

EXAMPLES = Path(__file__).parents[2] / "examples"

pytestmark = [pytest.mark.timeout(300), pytest.mark.long]


def run(name: str, *arguments: object) -> list[str]:
    """The lines that an example prints."""
    command = [sys.executable, str(EXAMPLES / f"{name}.py"), *map(str, arguments)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_example_is_listed_and_run() -> None:
    names = {path.stem for path in EXAMPLES.glob("*.py")}
    spread = {"ray_scrape", "dask_scrape", "celery_scrape"}
    claude = {"claude_browser"}  # Run by `tests_py/mcp/test_claude.py`, where the SDK is installed.
    alone = {"save_login", "scrape", "download", "fill_form", "intercept", "hand_over"}
    assert names == alone | spread | claude
    listed = (EXAMPLES / "README.md").read_text()
    assert all(f"({name}.py)" in listed for name in names)


def test_every_framework_is_tried_and_listed() -> None:
    programs = {path.name for path in (EXAMPLES / "frameworks").iterdir()}
    assert programs == {library.program.name for library in FRAMEWORKS}
    guide = (EXAMPLES.parent / "docs" / "guides" / "frameworks.md").read_text()
    assert all(f"frameworks/{name})" in guide for name in programs)


def test_a_login_is_kept(site: Site, tmp_path: Path) -> None:
    page = """<main></main><script>
        const name = document.cookie.match(/user=(\\w+)/)?.[1];
        const form = '<form><label>Name <input id=n></label><label>Password <input type=password></label>'
            + '<button>Log in</button></form>';
        document.querySelector('main').innerHTML = name ? 'Welcome, ' + name : form;
        document.forms[0]?.addEventListener('submit', (event) => {
            event.preventDefault();
            document.cookie = 'user=' + document.getElementById('n').value + '; max-age=9999';
            location.reload();
        });
    </script>"""
    address = site.publish("/login", document("Log in", page))
    state = tmp_path / "state.json"
    assert run("save_login", address, state) == ["logged in", "Welcome, ada"]
    assert run("save_login", address, state) == ["Welcome, ada"]


def test_many_pages_are_read(site: Site) -> None:
    assert run("scrape", site.page("form") + "?number={}", 100) == ["Register"] * 100
    asked = [request.query.get("number") for request in site.requested("/pages/form.html")]
    assert sorted(filter(None, asked), key=int) == [str(number) for number in range(100)]


def test_a_worker_keeps_its_browser(site: Site) -> None:
    script = (
        "import sys; sys.path.insert(0, 'examples')\n"
        "from patchright_mcp.pool import chunks, map_here\n"
        "from patchright_mcp.pool._here import _ProcessBrowser\n"
        "from scrape import heading\n"
        "pages = [f'{sys.argv[1]}?{number}' for number in range(5)]\n"
        "first = map_here(heading, pages)\n"
        "browser = _ProcessBrowser._current._browser\n"
        "rest = [text for some in chunks(pages, 2) for text in map_here(heading, some, size=2)]\n"
        "print(first == rest == ['Register'] * 5, _ProcessBrowser._current._browser is browser)\n"
    )
    command = [sys.executable, "-c", script, site.page("form")]
    done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=EXAMPLES.parent)
    assert done.stdout.split() == ["True", "True"], done.stderr


def test_a_file_is_saved(site: Site, tmp_path: Path) -> None:
    address = site.publish("/files", document("Files", "<a href='/download'>The report</a>"))
    assert run("download", address, "The report", tmp_path) == [f"{tmp_path / 'report.bin'}: 18 bytes"]
    assert (tmp_path / "report.bin").read_bytes() == b"a file, not a page"


def test_a_form_is_filled(site: Site) -> None:
    (line,) = run("fill_form", site.page("form"))
    assert '"name":"Ada Lovelace"' in line
    assert '"country":"Chile"' in line
    assert '"news":"on"' in line


def test_requests_are_decided(site: Site) -> None:
    page = """<img src="/picture"><p></p><script>fetch('/api/weather').then((answer) => answer.json())
        .then(({ sky }) => document.querySelector('p').textContent = `The sky is ${sky}`);</script>"""
    address = site.publish("/weather", document("Weather", page))
    assert run("intercept", address) == ["The sky is clear"]
    assert site.requested("/picture") == site.requested("/api/weather") == []


def test_a_person_is_waited_for(site: Site, display: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DISPLAY", display)
    # The page stands in for the person, and takes its time.
    person = "setTimeout(() => { document.title = 'Home'; document.body.textContent = 'Signed in' }, 1000)"
    address = site.publish("/wall", document("Log in", f"<p>Log in</p><script>{person}</script>"))
    first, last = run("hand_over", address, "Signed in")
    assert "Please log in" in first
    assert last == "Thank you. The page is 'Home' now."
