"""How far a caller and a page can reach: no other server was asked, and no file was touched."""

import os
import re
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests_py.support.http import HttpServer, RawClient, until
from tests_py.support.site import Site, document


@pytest.fixture(scope="module")
def evil() -> Iterator[Site]:
    """A site that no page is allowed to reach."""
    with Site() as evil:
        yield evil
        assert evil.all_requested() == []


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server works, with nothing of ours beside it."""
    folder = tmp_path_factory.mktemp("reach") / "here"
    folder.mkdir()
    return folder


@pytest.fixture(scope="module")
def server(folder: Path, shared_site: Site) -> Iterator[HttpServer]:
    with HttpServer(folder, "--allowed-origins", shared_site.origin) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: HttpServer) -> RawClient:
    return server.begin()


@pytest.mark.parametrize(
    "address",
    [
        "http://GOOD@EVIL/userinfo",
        "http://GOOD:x@EVIL/password",
        "http://127.0.0.1\\@EVIL/backslash",
        "http://EVIL/plain?http://GOOD/",
        "http://EVIL#@GOOD/fragment",
        "h\nttp://EVIL/newline",
        "http://0x7f000001:EVILPORT/hexadecimal",
        "http://2130706433:EVILPORT/one-number",
        "http://127.1:EVILPORT/short",
        "http://[::ffff:127.0.0.1]:EVILPORT/mapped",
        "http://１２７.0.0.1:EVILPORT/wide",  # noqa: RUF001
        "http://localhost:EVILPORT/name",
        "http://good.evil.localhost:EVILPORT/below",
        "ws://EVIL/socket",
        "//EVIL/no-scheme",
        "javascript:fetch('http://EVIL/script')",
        "view-source:http://EVIL/source",
        "filesystem:http://EVIL/temporary/x",
        "blob:http://EVIL/1",
        "file:///etc/passwd",
        "FILE:/etc/passwd",
        "view-source:file:///etc/passwd",
        "chrome://settings",
        "devtools://devtools/bundled/inspector.html",
        "data:text/html,<img src=http://EVIL/picture>",
    ],
)
def test_no_address_leads_to_what_is_not_allowed(
    client: RawClient, site: Site, evil: Site, address: str
) -> None:
    address = address.replace("EVILPORT", str(evil.port)).replace("EVIL", f"127.0.0.1:{evil.port}")
    address = address.replace("GOOD", f"127.0.0.1:{site.port}")
    for tool, more in (("browser_navigate", {}), ("browser_tabs", {"action": "new"})):
        result = client.call(tool, url=address, **more)
        # A document that stands in its address is opened, but what it asks for is not fetched.
        assert result.get("isError") or address.startswith("data:"), result
        assert "root:" not in str(result)
    assert evil.all_requested() == []


@pytest.mark.long
def test_what_a_site_says_to_robots_is_asked_for_on_the_way_of_its_pages(
    tmp_path: Path, site: Site, evil: Site
) -> None:
    with HttpServer(tmp_path, "--respect-robots", "--allowed-origins", site.origin) as server:
        client = server.begin()
        assert client.call("browser_navigate", url=evil.page("form"))["isError"]
        assert evil.all_requested() == []
        site.lead("/robots.txt", evil.url("/from-robots"))
        client.text("browser_navigate", url=site.page("form"))
        assert site.requested("/robots.txt")
        assert evil.all_requested() == []


@pytest.mark.long
def test_only_files_inside_are_uploaded(client: RawClient, site: Site, folder: Path) -> None:
    (folder.parent / "secret.txt").write_text("secret")
    (folder / "good.txt").write_text("good")
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "linked").symlink_to(folder.parent)
    os.mkfifo(folder / "pipe.txt")
    client.text("browser_navigate", url=site.url("/pages/traps.html?name=reach"))
    count = "() => document.querySelector('[type=file]').files.length"
    for path in (
        "/etc/passwd",
        "~/.ssh/id_rsa",
        "/proc/self/environ",
        "/dev/zero",
        "../secret.txt",
        str(folder.parent / "secret.txt"),
        "link.txt",
        "linked/secret.txt",
        "pipe.txt",
        ".",
        "",
        "good.txt\0",
    ):
        refused = client.call("browser_file_upload", paths=["good.txt", path])
        assert refused["isError"], path
        assert "secret" not in str(refused).replace("secret.txt", ""), refused
        assert "0" in client.text("browser_evaluate", function=count), path
    client.text("browser_file_upload", paths=["good.txt"])
    assert "1" in client.text("browser_evaluate", function=count)


@pytest.mark.long
async def test_the_folders_of_a_client_count_for_what_goes_in_and_out(
    server: HttpServer, site: Site, folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    (folder.parent / "theirs.txt").write_text("theirs")
    async with server.connect(folders=[tmp_path, Path("/")]) as client:
        await client.open(site.url("/pages/traps.html?name=reach"))
        given = await client.call("browser_file_upload", paths=[str(tmp_path / "mine.txt")])
        assert not given.is_error, given.text
        refused = await client.call("browser_file_upload", paths=[str(folder.parent / "theirs.txt")])
        assert "outside the folders" in refused.text
        saved = await client.call("browser_context_save_storage", path=str(tmp_path / "state.json"))
        assert not saved.is_error, saved.text
        assert (tmp_path / "state.json").is_file()
    async with server.connect() as other:
        refused = await other.call("browser_file_upload", paths=[str(tmp_path / "mine.txt")])
        assert refused.is_error


REGISTER = """async () => {
    await navigator.serviceWorker.register('/service.js');
    return (await navigator.serviceWorker.ready).active.scriptURL;
}"""


def test_a_service_worker_reaches_no_more_than_its_page(client: RawClient, site: Site, evil: Site) -> None:
    reach = f"fetch('{evil.url('/service')}', {{ mode: 'no-cors' }}).catch(() => {{}})"
    site.publish("/service.js", f"oninstall = (event) => event.waitUntil({reach})", "text/javascript")
    client.text("browser_navigate", url=site.page("form"))
    assert "service.js" in client.text("browser_evaluate", function=REGISTER)
    assert evil.all_requested() == []


GATHER = """() => new Promise((done) => {
    const peer = new RTCPeerConnection({ iceServers: [{ urls: 'stun:127.0.0.1:PORT' }] });
    peer.createDataChannel('any');
    peer.onicegatheringstatechange = () => peer.iceGatheringState === 'complete' && done('complete');
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
})"""


def test_pages_do_not_speak_past_the_rules_by_udp(client: RawClient, site: Site) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as evil:
        evil.bind(("127.0.0.1", 0))
        evil.setblocking(False)  # noqa: FBT003
        client.text("browser_navigate", url=site.page("form"))
        gather = GATHER.replace("PORT", str(evil.getsockname()[1]))
        assert "complete" in client.text("browser_evaluate", function=gather)
        transport = (
            f"() => new WebTransport('https://127.0.0.1:{evil.getsockname()[1]}/').ready.catch(String)"
        )
        assert "WebTransportError" in client.text("browser_evaluate", function=transport)
        with pytest.raises(BlockingIOError):
            evil.recv(100)


BESIDE = "words that stand beside"
LEADS = """() => {
    for (const lead of [() => { location = 'FILE' }, () => window.open('FILE'), () => {
        const frame = document.createElement('iframe');
        frame.src = 'FILE';
        document.body.append(frame);
    }, () => {
        const link = document.createElement('a');
        link.href = 'FILE';
        document.body.append(link);
        link.click();
        link.download = 'taken';
        link.click();
    }]) { try { lead() } catch {} }
}"""


def shown(client: RawClient) -> str:
    """What all tabs show."""
    tabs = re.findall(r"^- \d+:", client.text("browser_tabs", action="list"), re.MULTILINE)
    assert tabs
    seen = ""
    for index in range(len(tabs)):
        client.text("browser_tabs", action="select", index=index)
        seen += client.text("browser_snapshot")
    return seen


@pytest.mark.long
def test_no_page_of_the_web_leads_to_a_file(client: RawClient, site: Site, folder: Path) -> None:
    secret = folder / "unasked.html"
    secret.write_text(document("Secret", f"<p>{BESIDE}</p>"))
    for address in (site.page("form"), "about:blank", "data:text/html,<body>"):
        client.text("browser_navigate", url=address)
        client.call("browser_evaluate", function=LEADS.replace("FILE", secret.as_uri()))
        assert BESIDE not in shown(client), address


@pytest.mark.long
@pytest.mark.parametrize("profile", [(), ("--user-data-dir", "profile")], ids=["fresh", "profile"])
def test_files_are_pages_where_that_is_allowed_and_lead_to_no_other(
    tmp_path: Path, profile: tuple[str, ...]
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    secret = tmp_path / "secret.html"
    secret.write_text(document("Secret", f"<p>{BESIDE}</p>"))
    (here / "link.html").symlink_to(secret)
    (here / "door").symlink_to(tmp_path)
    os.mkfifo(here / "pipe.html")
    (here / "inner.html").write_text(document("Inner", "<p>An inner page</p>"))
    sources = [secret.as_uri(), "link.html", "door/secret.html", "inner.html"]
    frames = "".join(f'<iframe src="{source}"></iframe>' for source in sources)
    leads = f'<a href="{secret}">Away</a> <a target="_blank" href="{secret}">Window</a>'
    (here / "a page.html").write_text(document("Mine", f"<h1>My own page</h1>{frames}{leads}"))
    page = (here / "a page.html").as_uri()
    with HttpServer(here, "--allow-files", *profile) as server:
        client = server.begin()
        for address in (
            secret.as_uri(),
            (here / "link.html").as_uri(),
            (here / "door" / "secret.html").as_uri(),
            f"{here.as_uri()}/..%2Fsecret.html",
            f"{here.as_uri()}/%2e%2e/secret.html",
            f"file://elsewhere{secret}",
            (here / "pipe.html").as_uri(),
            here.as_uri(),
            "file:///etc/passwd",
            "FILE:/proc/self/environ",
            f"view-source:{page}",
        ):
            refused = client.call("browser_navigate", url=address)
            assert refused["isError"], address
            assert BESIDE not in str(refused), address
        for address in (page, page.replace("file:///", "file://localhost/")):
            seen = client.text("browser_navigate", url=address + "?x#y")
            assert "My own page" in seen
            assert "An inner page" in seen
            assert BESIDE not in seen
        for name in ("Away", "Window"):
            ref = re.search(rf'link "{name}" \[ref=(\S+)\]', client.text("browser_navigate", url=page))
            assert ref
            client.call("browser_click", target=ref[1])
            assert BESIDE not in shown(client), name
            client.text("browser_tabs", action="select", index=0)
        client.text("browser_navigate", url=page)
        client.call("browser_evaluate", function=LEADS.replace("FILE", secret.as_uri()))
        assert BESIDE not in shown(client)
        assert not list((here / ".patchright-mcp").rglob("*"))


def test_a_download_stays_where_downloads_belong(client: RawClient, site: Site, folder: Path) -> None:
    names = ["../../escaped", "/tmp/escaped", ".escaped.desktop", "CON", "a\\..\\escaped"]
    links = "".join(
        f"<a download='{name}' href='/headers?{number}'>Take {number}</a>"
        for number, name in enumerate(names)
    )
    home = folder.parent
    before = {file for file in home.rglob("*") if not file.is_relative_to(folder / ".patchright-mcp")}
    client.text("browser_navigate", url=site.publish("/takes", document("Takes", links)))
    script = "() => { for (const link of document.links) link.click() }"
    client.text("browser_evaluate", function=script)
    kept = folder / ".patchright-mcp"
    until(lambda: kept.is_dir() and any(file.is_file() for file in kept.rglob("*")), "a download is kept")
    after = {file for file in home.rglob("*") if not file.is_relative_to(kept)}
    assert {file.name for file in after - before if "escaped" in file.name} == set()
    assert not Path("/tmp/escaped").exists()


@pytest.mark.parametrize(
    "proxy",
    [
        "http://me:swordfish@a b:1",
        "http://me:swordfish@127.0.0.1:1\n--no-sandbox",
        "http://me:swordfish@127.0.0.1:1;$(touch owned)",
        "file://me:swordfish@/etc/passwd",
        "--proxy-pac-url=http://me:swordfish@127.0.0.1",
    ],
)
def test_a_proxy_that_is_none_is_refused_without_its_password(
    client: RawClient, folder: Path, proxy: str
) -> None:
    refused = client.call("browser_context_create", proxy={"server": proxy})
    assert refused["isError"], refused
    assert "swordfish" not in str(refused)
    assert not (folder / "owned").exists()
    assert "swordfish" not in "".join(client.server.log)


def test_what_a_page_opens_on_its_own_stops_nobody(client: RawClient, site: Site) -> None:
    body = """<h1>Busy</h1><script>
        location.href = 'mailto:somebody@example.org';
        Notification.requestPermission();
        navigator.clipboard.readText().catch(() => {});
        navigator.geolocation.getCurrentPosition(() => {});
        debugger;
        print();
    </script>"""
    address = site.publish("/busy", document("Busy", body))
    client.text("browser_navigate", url=address)
    assert "Busy" in client.text("browser_snapshot")
    assert "/busy" in client.text("browser_evaluate", function="() => location.pathname")
