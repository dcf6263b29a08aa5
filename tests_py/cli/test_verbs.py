"""The tools as verbs of a shell, as somebody would type them."""

import json
import os
import re
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

import pytest

from tests_py.support.endless import EndlessSite
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
    answer = shell.run("fill", name, "Ada", news, "true")
    assert f"- {name}: " in answer
    changed = shell.run("click", shell.ref('button "Register"', page))
    assert "Registered" in changed
    assert "Email" not in changed, "only what changed is told"
    assert "Email" in shell.page(), "the file holds the whole page"
    assert "Registered" in shell.page()
    assert not re.search(r"c\d+p\d+f\d+e\d+", page + answer + changed + shell.page()), "refs are short"


def test_a_long_page_is_reported_in_short_and_stands_in_a_file(shell: Shell, site: Site) -> None:
    answer = shell.run("open", site.publish("/long", LONG))
    assert len(answer) < 2700
    assert "All is in .patchright-mcp/page.yml (" in answer
    assert shell.page().count("A link with a number") == 300
    last = shell.ref('of its own: 299"', shell.page())
    assert 'link "A link with a number of its own: 299"' in shell.run("hover", last)


def test_a_page_finds_the_interface_for_its_tools_only_on_request(shell: Shell, site: Site) -> None:
    url = site.publish("/context", "<p></p><script>document.title = typeof document.modelContext</script>")
    assert "Page Title: undefined" in shell.run("open", url)
    shell.run("close")
    assert "Page Title: object" in shell.run("open", url, "--caps", "all,webmcp")


GROWS = """<title>Grows</title><button>Grow</button><main></main><script>
  const line = (_, number) => `<p>Line <a href="/${number}">${number}</a></p>`;
  document.querySelector("button").onclick = () =>
    (document.querySelector("main").innerHTML = Array.from({ length: 200 }, line).join(""));
</script>"""


@pytest.mark.long
def test_a_long_change_is_reported_in_short_with_the_file_that_holds_it(shell: Shell, site: Site) -> None:
    page = shell.run("open", site.publish("/grows", GROWS))
    answer = shell.run("click", shell.ref('button "Grow"', page))
    assert len(answer) < 2200
    assert "more changed lines. All is in .patchright-mcp/page.yml (" in answer
    assert "Line [199](e" in shell.page()


TOOLS = """<title>Tools</title><main aria-label="All"><section aria-label="Work">
  <div role="toolbar" aria-label="Edit"><button>Cut</button> <button>Copy</button></div>
  <button id="add">Add</button>
</section></main><script>
  const more = Object.assign(document.createElement("button"), { textContent: "More" });
  document.querySelector("#add").onclick = ({ target }) => target.after(more);
</script>"""


@pytest.mark.long
def test_what_is_of_one_kind_shares_a_line_and_holders_are_reported_once(shell: Shell, site: Site) -> None:
    page = shell.run("open", site.publish("/tools", TOOLS))
    assert re.search(
        r'^ *- toolbar "Edit": button "Cut" \[e\d+\], button "Copy" \[e\d+\]$', page, re.MULTILINE
    ), page
    changed = shell.run("click", shell.ref('button "Add"', page))
    assert re.search(r'^  region "Work" \[e\d+\]:\n', changed, re.MULTILINE), changed
    assert re.search(r'^\+  button "More" \[e\d+\]$', changed, re.MULTILINE), changed
    assert '"All"' not in changed, "only the nearest that holds a change is told"
    assert "Page URL" not in shell.run("find", "Copy"), "where the page stands was told before"
    assert "Page URL" in shell.run("snapshot")


SHADED = """<title>Shaded</title><style>
  #shade { position: fixed; inset: 0; background: #0008 }
  #ask { position: fixed; top: 40%; left: 40%; width: 300px; background: white }
</style>BUTTONS<div id="shade"></div><div><div id="ask">
  <h2>Send reports?</h2><p>They help us.</p><button>Yes, send</button><button>No, never</button>
</div></div>"""


@pytest.mark.long
def test_what_lies_over_a_page_is_reported_also_where_much_is_left_out(shell: Shell, site: Site) -> None:
    buttons = "".join(f"<button>Number {number}</button>" for number in range(300))
    page = shell.run("open", site.publish("/shaded", SHADED.replace("BUTTONS", buttons)))
    assert "Left out: " in page
    for part in ["Send reports?", "They help us.", '"Yes, send" [e', '"No, never" [e']:
        assert part in page
    covered = re.search(r'"Number 0"[^\n]*?\[(e\d+)\]', page)
    assert covered
    refused = shell.run("click", covered[1], status=1)
    assert "covered by <div#shade>" in refused
    there = r'Over the page lies "Send reports\?", with button "Yes, send" \[e\d+\], button "No, never" \['
    assert re.search(there, refused), refused


def test_refs_in_frames_say_their_frame(shell: Shell, site: Site) -> None:
    page = shell.run("open", site.page("frames"))
    inner = [line for line in page.splitlines() if "[f" in line]
    assert inner
    assert shell.ref("Before the frames", page).startswith("e")
    shell.run("click", shell.ref("Before the frames", page))
    shell.run("snapshot", re.findall(r"\[(f\d+e\d+)\]", inner[0])[0])


@pytest.mark.long
def test_several_steps_are_lines_of_standard_input(shell: Shell, site: Site) -> None:
    page = shell.run("open", site.page("form"))
    name, button = shell.ref('"Name"', page), shell.ref('button "Register"', page)
    answer = shell.run("steps", stdin=f"type {name} 'Ada Lovelace'\n# A remark.\n\nclick {button}\n")
    assert 'Registered {\\"name\\":\\"Ada Lovelace\\"' in answer
    answer = shell.run("steps", f"type {name} Bob", f"click {button}")
    assert 'Registered {\\"name\\":\\"Bob\\"' in answer
    for two_lines in ["'() => 1 +\n41'", '"() => 1 +\n41"', r"$'() => 1 +\n41'"]:
        assert "1. 42\n" in shell.run("steps", stdin=f"eval {two_lines}\nclick {button}\n")
    answer = shell.run("steps", stdin=f"click {button}\ntype {name} 'Ada\nclick {button}\n", status=2)
    assert f"step `type {name} 'Ada`: a quotation does not end" in answer
    assert "Step 2 of 2 (click) failed; the rest was not done." in shell.run(
        "steps", f"type {name} Bob", "click e999", status=1
    )
    assert "step `clic e1`: there is no such command; did you mean click?" in shell.run(
        "steps", "clic e1", status=2
    )


def test_exit_codes_tell_what_went_wrong(shell: Shell, site: Site) -> None:
    assert "Error (no_page): " in shell.run("click", "e1", status=1)
    assert "did you mean click?" in shell.run("clik", "e1", status=2)
    assert "REF is missing" in shell.run("click", status=2)
    assert "unexpected argument '--nope'" in shell.run("click", "e1", "--nope", status=2)
    assert "unexpected argument 'e2'" in shell.run("hover", "e1", "e2", status=2)
    assert "--session: expected" in shell.run("open", site.page("form"), "-s", "../x", status=2)
    assert "--device" in shell.run("open", site.page("form"), "--device", "Pxel", status=2)
    shell.until_nothing_runs()
    (shell.folder / ".patchright-mcp").mkdir(exist_ok=True)
    shell.environment["TMPDIR"] = str(shell.folder)
    (shell.folder / f"patchright-mcp-{os.getuid()}").mkdir(mode=0o755)
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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
def test_options_hold_for_the_browser_that_they_start(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"), "--locale", "de-AT")
    assert "de-AT" in shell.run("eval", "() => navigator.language")
    shell.run("open", site.page("form"))
    answer = shell.run("open", site.page("form"), "--locale=fr-FR", status=1)
    assert "was started with --locale=de-AT" in answer
    shell.run("close", "--all")
    shell.run("open", site.page("form"), "--locale=fr-FR")
    assert "fr-FR" in shell.run("eval", "() => navigator.language")


@pytest.mark.long
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


@pytest.mark.long
def test_a_dialog_is_answered_with_a_word(shell: Shell, site: Site) -> None:
    page = shell.run(
        "open", site.publish("/ask", "<button onclick='this.textContent = prompt()'>Ask</button>")
    )
    answer = shell.run("click", shell.ref("Ask", page))
    assert "answer it with dialog" in answer
    assert 'button "Ada"' in shell.run("dialog", "accept", "Ada")


def has_connected(command: subprocess.Popen[str]) -> bool:
    """Whether a command has reached its server."""
    for file in Path(f"/proc/{command.pid}/fd").iterdir():
        with suppress(FileNotFoundError):  # It may be closed while one looks.
            if str(file.readlink()).startswith("socket:"):
                return True
    return False


def test_ctrl_c_gives_a_command_up(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    with shell.start("wait", "what never comes") as waiting:
        until(lambda: has_connected(waiting), "the command")
        # It is being waited for when another command is made to queue behind it.
        with shell.start("snapshot") as next_one:
            waiting.send_signal(signal.SIGINT)
            assert waiting.wait(20) == -signal.SIGINT
            reported, _ = next_one.communicate(timeout=20)
    assert 'textbox "Name"' in reported


def test_every_tool_is_a_verb_that_explains_itself(shell: Shell) -> None:
    listed = re.findall(r"^  (\S+)", shell.run("help", "--all"), re.MULTILINE)
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
    short = shell.run("help")
    assert len(short) < 3200
    assert [name for name in listed if not re.search(rf"\b{name}\b", short)] == [], "each is named"
    assert not re.search(
        "[\u4e00-\u9fff]", shell.run("help", "--all") + shell.run("help", "patchright-fetch")
    )
    for verb in ("open", "click", "type", "steps", "tabs", "close"):
        assert f"Usage: patchright-mcp {verb}" in shell.run("help", verb)


def test_help_says_what_arguments_are_that_have_no_name(shell: Shell) -> None:
    assert "Ref or selector and value of each field" in shell.run("help", "fill")
    assert "one per line on standard input" in shell.run("help", "steps")
    assert "10,20 (px from the top left)" in shell.run("help", "drag")
    answer = shell.run("help", "run-python")
    assert "--caps code" in answer
    assert "--json" not in answer, "what every command takes is told once"


def test_arguments_are_called_what_they_are_in_a_shell(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    answer = shell.run("wait", "a", "--text-gone", "b", status=1)
    assert "Give exactly one of TEXT, --text-gone, " in answer
    assert "step `scroll sideways`: " in shell.run("steps", "scroll sideways", status=2)


def test_what_is_empty_or_has_several_lines_is_shown_as_that(shell: Shell, site: Site) -> None:
    page = shell.run("open", site.publish("/area", "<textarea aria-label=Text></textarea>"))
    assert shell.run("eval", '() => ""') == '""\n'
    assert '"one\\ntwo"' in shell.run("type", shell.ref('"Text"', page), "one\ntwo")


def test_a_file_that_cannot_be_had_says_which_of_the_reasons_it_is(shell: Shell, site: Site) -> None:
    shell.run("open", site.page("form"))
    missing = shell.run("upload", "nothing.txt", status=1)
    assert "there is no such file." in missing
    assert "outside" not in missing
    outside = shell.run("upload", "/etc/nothing.txt", status=1)
    assert "it is outside the folders that may be used" in outside
    assert "no such file" not in outside
    (shell.folder / "link").symlink_to("/etc/nothing.txt")
    assert "there is no such file, or a link leads to" in shell.run("upload", "link", status=1)


SENDS = """<title>Sends</title><input type="file" aria-label="Letter"><p></p><script>
  const say = (text) => (document.querySelector("p").textContent = text);
  document.querySelector("input").onchange = () => {
    say("Reading");
    setTimeout(() => fetch("/slow").then(() => say("Sent")), 200);
  };
</script>"""


def test_an_upload_is_over_when_the_page_has_sent_what_it_read(shell: Shell, site: Site) -> None:
    site.publish("/slow", "done")
    shell.run("open", site.publish("/sends", SENDS))
    (shell.folder / "letter.txt").write_text("hello")
    assert "Sent" in shell.run("upload", "letter.txt")


def test_the_folder_of_a_session_goes_with_it(shell: Shell, site: Site) -> None:
    shell.run("-s", "shop", "open", site.page("form"))
    assert "Name" in shell.page("shop")
    shell.run("close", "-s", "shop")
    assert not (shell.folder / ".patchright-mcp" / "shop").exists()


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


def test_rows_of_several_pages_are_one_command(shell: Shell, site: Site) -> None:
    for page in (1, 2):
        following = f"<a rel=next href='/rows/{page + 1}'>Next</a>" if page == 1 else ""
        table = f"<table><tr><th>Name<th>Price<tr><td>Lamp {page}<td>{page},5</table>"
        site.publish(f"/rows/{page}", f"<html lang=de><title>Rows</title>{following}{table}")
    shell.run("open", site.url("/rows/1"))
    assert '{"Name":"Lamp 1","Price":"1,5"}' in shell.run("extract")
    fields = '{"name": "td", "price": {"selector": "td >> nth=1", "type": "number"}}'
    shell.run(
        *("extract", "tr:has(td)", "--fields", fields, "--next", "a[rel=next]", "--filename", "rows.csv")
    )
    assert (shell.folder / "rows.csv").read_text() == "name,price\nLamp 1,1.5\nLamp 2,2.5\n"
    refused = shell.run("extract", "td", "--fields", '{"n": {"type": "date"}}', status=1)
    assert 'n, item 1: "Lamp 2" is not an ISO 8601 date' in refused


BRINGS = """<title>Brings</title><button onclick="textContent = 'Saved'">Save</button>
<button onclick="textContent = 'Refused'">Approve</button>"""


@pytest.mark.long
def test_a_command_fails_without_what_is_expected_of_it(shell: Shell, site: Site) -> None:
    opened = shell.run("open", site.publish("/brings", BRINGS))
    assert "Saved" in shell.run("click", shell.ref('"Save"', opened), "--expect", "Saved")
    failed = shell.run("click", shell.ref('"Approve"', opened), "--expect", "Approved", status=1)
    assert 'did not lead to the text "Approved"' in failed


def test_a_site_is_crawled_by_one_command(shell: Shell) -> None:
    with EndlessSite(5, traps=False) as site:
        written = shell.run("crawl", site.url("/"), "site", "--max-pages", "3")
        assert "3 pages, 0 duplicates, 0 failed. Index: site/index.jsonl" in written
        written = shell.run("crawl", site.url("/"), "site")
        assert "6 pages (resumed: 3 were there before)" in written
        assert sorted(file.name for file in (shell.folder / "site").glob("*.md")) == [
            "index.md",
            *(f"p-{number}.md" for number in range(5)),
        ]
        refused = shell.run("crawl", site.url("/"), "site", "--max-depth", "1", status=1)
        assert "the folder contains a crawl with maxDepth null" in refused
