"""The tools as verbs of a shell, as somebody would type them."""

import json
import re
import signal
import subprocess
from pathlib import Path

import pytest

from tests_py.support.shell import Shell
from tests_py.support.site import Site
from tests_py.support.wire import until

LONG = "<title>Long</title><h1>Many</h1>" + "".join(
    f"<p><a href='/{number}'>A link with a number of its own: {number}</a></p>" for number in range(300)
)


def test_a_form_is_filled_in_a_shell(shell: Shell, site: Site) -> None:
    page = shell.run("open", site.page("form"))
    assert "Page Title: A form" in page
    name, news = shell.ref('"Name"', page), shell.ref("Send me news", page)
    told = shell.run("fill", name, "Ada", news, "true")
    assert f"- {name}: " in told
    changed = shell.run("click", shell.ref('button "Register"', page))
    assert "Registered" in changed
    assert "Email" not in changed, "only what changed is told"
    assert "Email" in shell.page(), "the file holds the whole page"
    assert "Registered" in shell.page()
    assert not re.search(r"c\d+p\d+f\d+e\d+", page + told + changed + shell.page()), "refs are short"


def test_a_long_page_is_told_in_short_and_stands_in_a_file(shell: Shell, site: Site) -> None:
    told = shell.run("open", site.publish("/long", LONG))
    assert len(told) < 5000
    assert "Whole page: .patchright-mcp/page.yml (" in told
    assert shell.page().count("A link with a number") == 300
    last = shell.ref('of its own: 299"', shell.page())
    assert 'link "A link with a number of its own: 299"' in shell.run("hover", last)


def test_refs_in_frames_say_their_frame(shell: Shell, site: Site) -> None:
    page = shell.run("open", site.page("frames"))
    inner = [line for line in page.splitlines() if "[ref=f" in line]
    assert inner
    assert shell.ref("Before the frames", page).startswith("e")
    shell.run("click", shell.ref("Before the frames", page))
    shell.run("snapshot", re.findall(r"\[ref=(f\d+e\d+)\]", inner[0])[0])


def test_several_steps_are_lines_of_standard_input(shell: Shell, site: Site) -> None:
    page = shell.run("open", site.page("form"))
    name, button = shell.ref('"Name"', page), shell.ref('button "Register"', page)
    told = shell.run("steps", stdin=f"type {name} 'Ada Lovelace'\n# A remark.\n\nclick {button}\n")
    assert 'Registered {\\"name\\":\\"Ada Lovelace\\"' in told
    told = shell.run("steps", f"type {name} Bob", f"click {button}")
    assert 'Registered {\\"name\\":\\"Bob\\"' in told
    for two_lines in ["'() => 1 +\n41'", '"() => 1 +\n41"', r"$'() => 1 +\n41'"]:
        assert "1. 42\n" in shell.run("steps", stdin=f"eval {two_lines}\nclick {button}\n")
    told = shell.run("steps", stdin=f"click {button}\ntype {name} 'Ada\nclick {button}\n", status=2)
    assert f"step `type {name} 'Ada`: a quotation does not end" in told
    assert "Step 2 of 2 (click) failed; the rest was not done." in shell.run(
        "steps", f"type {name} Bob", "click e999", status=1
    )
    assert "step `clic e1`: there is no such verb; did you mean click?" in shell.run(
        "steps", "clic e1", status=2
    )


def test_exit_codes_tell_what_went_wrong(shell: Shell, site: Site) -> None:
    assert "Error (no_page): " in shell.run("click", "e1", status=1)
    assert "did you mean click?" in shell.run("clik", "e1", status=2)
    assert "`ref` (or `target`) is missing" in shell.run("click", status=2)
    assert "unexpected argument '--nope'" in shell.run("click", "e1", "--nope", status=2)
    assert "unexpected argument 'e2'" in shell.run("hover", "e1", "e2", status=2)
    assert "--session: expected" in shell.run("open", site.page("form"), "-s", "../x", status=2)
    assert "--device" in shell.run("open", site.page("form"), "--device", "Pxel", status=2)
    shell.until_nothing_runs()
    (shell.folder / ".patchright-mcp").mkdir(exist_ok=True)
    shell.environment["XDG_RUNTIME_DIR"] = str(shell.folder)
    (shell.folder / "patchright-mcp").mkdir(mode=0o755)
    assert "is not a folder of yours alone" in shell.run("open", site.page("form"), status=3)


def test_answers_can_be_json(shell: Shell, site: Site) -> None:
    answer = shell.json("open", site.page("form"))
    assert answer["ok"]
    assert answer["page"] == {"url": site.page("form"), "title": "A form", "status": 200}
    assert 'textbox "Name"' in answer["snapshot"]
    assert answer["page_file"] == ".patchright-mcp/page.yml"
    answer = shell.json("eval", "() => 6 * 7")
    assert answer["result"] == "42"
    answer = shell.json("click", "e999", status=1)
    assert not answer["ok"]
    assert answer["error"]["code"] == "unknown_ref"
    assert shell.json("sessions")["sessions"] == [{"name": "default", "url": site.page("form")}]


def test_sessions_share_nothing_and_the_last_ends_the_browser(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    shell.run("-s", "other", "open", site.page("article"))
    shell.run("eval", "() => { document.cookie = 'who=first' }")
    assert "who=first" in shell.run("eval", "() => document.cookie")
    assert "who" not in shell.run("eval", "() => document.cookie", "-s", "other")
    assert "A form" not in shell.page("other")
    assert len(shell.servers()) == 1
    assert shell.run("close") == "Closed default\n"
    assert len(shell.servers()) == 1
    assert shell.run("sessions") == f"other: {site.page('article')}\n"
    assert shell.run("close", "-s", "other") == "Closed other\n"
    shell.until_nothing_runs()
    assert shell.run("close") == "Nothing is open in this folder\n"


def test_options_stand_behind_several_values_too(shell: Shell, site: Site) -> None:
    page = shell.run("open", site.page("form"))
    name = shell.ref('"Name"', page)
    assert shell.json("fill", name, "Ada", "--tab", "t0")["ok"]
    assert "unexpected argument '-x'" in shell.run("fill", name, "-x", status=2)
    assert '"-x"' in shell.run("fill", "--", name, "-x")


def test_files_are_named_from_where_one_is(shell: Shell, site: Site) -> None:
    (shell.folder / ".git").mkdir()
    (shell.folder / "deep").mkdir()
    (shell.folder / "deep" / "letter.txt").write_text("Dear all")
    shell.run("open", site.publish("/upload", "<input type=file aria-label=Letter>"))
    assert "letter.txt" in shell.run("upload", "letter.txt", within="deep")
    shell.run("screenshot", "seen.png", within="deep")
    assert (shell.folder / "deep" / "seen.png").read_bytes().startswith(b"\x89PNG")
    shell.run("screenshot", "../above.png", within="deep")
    assert (shell.folder / "above.png").exists()
    assert len(shell.servers()) == 1, "a folder inside belongs to the same project"
    assert (shell.folder / ".patchright-mcp" / ".gitignore").read_text() == "*\n"
    assert not (shell.folder / "deep" / ".patchright-mcp").exists()


def test_options_hold_for_the_browser_that_they_start(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"), "--locale", "de-AT")
    assert "de-AT" in shell.run("eval", "() => navigator.language")
    shell.run("open", site.page("form"))
    told = shell.run("open", site.page("form"), "--locale=fr-FR", status=1)
    assert "was started with --locale=de-AT" in told
    shell.run("close", "--all")
    shell.run("open", site.page("form"), "--locale=fr-FR")
    assert "fr-FR" in shell.run("eval", "() => navigator.language")


def test_a_window_opens_where_it_is_asked_for(shell: Shell, site: Site, display: str) -> None:
    shell.environment["DISPLAY"] = display
    shell.run("open", site.page("form"), "--headed")
    assert "HeadlessChrome" not in shell.run("eval", "() => navigator.userAgent")
    lines = [line for process in shell.processes() if (line := _arguments(process))]
    assert lines
    assert not any("--headless" in line for line in lines), lines


def _arguments(process: int) -> list[str]:
    try:
        with open(f"/proc/{process}/cmdline") as file:  # noqa: PTH123
            words = file.read().split("\0")
    except OSError:
        return []
    return [word.partition("=")[0] for word in words] if "chrom" in words[0] else []


def test_a_dialog_is_answered_with_a_word(shell: Shell, site: Site) -> None:
    page = shell.run(
        "open", site.publish("/ask", "<button onclick='this.textContent = prompt()'>Ask</button>")
    )
    told = shell.run("click", shell.ref("Ask", page))
    assert "answer it with dialog" in told
    assert 'button "Ada"' in shell.run("dialog", "accept", "Ada")


def has_connected(command: subprocess.Popen[str]) -> bool:
    """Whether a command has reached its server."""
    open_files = Path(f"/proc/{command.pid}/fd").iterdir()
    return any(str(file.readlink()).startswith("socket:") for file in open_files)


def test_ctrl_c_gives_a_command_up(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    with shell.start("wait", "what never comes") as waiting:
        until(lambda: has_connected(waiting), "the command")
        # It is being waited for when another command is made to queue behind it.
        with shell.start("snapshot") as next_one:
            waiting.send_signal(signal.SIGINT)
            assert waiting.wait(20) == -signal.SIGINT
            told, _ = next_one.communicate(timeout=20)
    assert 'textbox "Name"' in told


def test_every_tool_is_a_verb_that_explains_itself(shell: Shell) -> None:
    listed = re.findall(r"^  (\S+)", shell.run("help"), re.MULTILINE)
    assert {
        "open",
        "snapshot",
        "click",
        "type",
        "fill",
        "press",
        "eval",
        "screenshot",
        "tabs",
        "wait",
    } <= set(listed)
    assert len(listed) == len(set(listed)), "no two have one name"
    for verb in ("open", "click", "type", "steps", "tabs", "close"):
        assert f"Usage: patchright-mcp {verb}" in shell.run("help", verb)


@pytest.mark.parametrize("words", [("mcp", "--headless"), ("--headless",)], ids=" ".join)
def test_without_a_command_it_is_the_server(shell: Shell, words: tuple[str, ...]) -> None:
    with shell.start(*words) as server:
        assert server.stdin
        assert server.stdout
        server.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}) + "\n")
        server.stdin.flush()
        assert json.loads(server.stdout.readline())["id"] == 1
        server.stdin.close()


@pytest.mark.parametrize("words", [("mcp", "--nope"), ("--nope",)])
def test_the_server_tells_its_mistakes_either_way(shell: Shell, words: tuple[str, ...]) -> None:
    assert shell.run(*words, status=2) == "patchright-mcp: unexpected argument '--nope' found\n"
