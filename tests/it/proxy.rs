//! Proxies that ask for a name and a password, and a policy that no page gets past. The proxies are real ones, if small.
use std::collections::BTreeSet;
use std::net::ToSocketAddrs as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use patchright_mcp::browser::input::{ClickOptions, Point};
use patchright_mcp::browser::policy::Policy;
use patchright_mcp::browser::proxy::Proxy;
use patchright_mcp::browser::{Browser, BrowserContext, ContextOptions, NavigateOptions, Page, ScriptWorld};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::support::{Site, drive, launch_options};

/// What a proxy was asked for, such as `CONNECT host:port`.
type Asked = Arc<Mutex<Vec<String>>>;

/// A SOCKS 5 proxy that wants `me` and `swordfish`. Every host that it is asked for is the site on loopback.
async fn socks(site_port: u16) -> (u16, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Asked::default();
    let seen = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let seen = seen.clone();
            tokio::spawn(async move {
                stream.read_u8().await?;
                let count = stream.read_u8().await?;
                let mut methods = vec![0; count.into()];
                stream.read_exact(&mut methods).await?;
                if !methods.contains(&2) {
                    return stream.write_all(&[5, 0xff]).await;
                }
                stream.write_all(&[5, 2]).await?;
                stream.read_u8().await?;
                let mut parts = Vec::new();
                for _ in 0..2 {
                    let mut part = vec![0; stream.read_u8().await?.into()];
                    stream.read_exact(&mut part).await?;
                    parts.push(String::from_utf8(part).unwrap());
                }
                let good = parts == ["me", "swordfish"];
                stream.write_all(&[1, u8::from(!good)]).await?;
                if !good {
                    return Ok(());
                }
                let mut head = [0; 4];
                stream.read_exact(&mut head).await?;
                let mut name = vec![0; if head[3] == 3 { stream.read_u8().await?.into() } else { 4 }];
                stream.read_exact(&mut name).await?;
                let name = if head[3] == 3 { String::from_utf8(name).unwrap() } else { format!("{name:?}") };
                let port = stream.read_u16().await?;
                seen.lock().unwrap().push(format!("{name}:{port}"));
                if name == "forbidden.example" {
                    return stream.write_all(&[5, 2, 0, 1, 0, 0, 0, 0, 0, 0]).await;
                }
                let mut server = TcpStream::connect(("127.0.0.1", site_port)).await?;
                stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0]).await?;
                copy_bidirectional(&mut stream, &mut server).await.map(drop)
            });
        }
    });
    (port, asked)
}

/// An HTTP proxy that wants `user` and `päss:word`.
async fn http(site_port: u16) -> (u16, Asked) {
    const WANTED: &str = "proxy-authorization: basic dxnlcjpww6rzczp3b3jk"; // In lower case, as everything below.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let asked = Asked::default();
    let seen = asked.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let seen = seen.clone();
            tokio::spawn(async move {
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n") {
                    head.push(stream.read_u8().await?);
                }
                let text = String::from_utf8_lossy(&head).into_owned();
                if !text.to_lowercase().contains(WANTED) {
                    let refusal = b"HTTP/1.1 407 No\r\nProxy-Authenticate: Basic realm=\"x\"\r\nContent-Length: 0\r\n\r\n";
                    return stream.write_all(refusal).await;
                }
                let line = text.lines().next().unwrap_or_default().to_owned();
                seen.lock().unwrap().push(line.rsplit_once(' ').unwrap().0.to_owned());
                let mut server = TcpStream::connect(("127.0.0.1", site_port)).await?;
                if line.starts_with("CONNECT") {
                    stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
                } else {
                    let path = line.split(' ').nth(1).unwrap().splitn(4, '/').nth(3).unwrap_or_default();
                    let rest = text.split_once("\r\n").unwrap().1;
                    server.write_all(format!("GET /{path} HTTP/1.1\r\n{rest}").as_bytes()).await?;
                }
                copy_bidirectional(&mut stream, &mut server).await.map(drop)
            });
        }
    });
    (port, asked)
}

async fn behind(context: &BrowserContext, proxy: &str) -> BrowserContext {
    let options = ContextOptions { proxy: Some(proxy.parse().unwrap()), ..ContextOptions::default() };
    context.browser().unwrap().new_context(options).await.unwrap()
}

async fn title_at(page: &Page, url: &str) -> String {
    page.goto(url, &NavigateOptions::default()).await.unwrap();
    page.title().await
}

async fn run(page: &Page, script: &str) -> Value {
    page.main_frame().evaluate(script, Vec::new(), ScriptWorld::Main).await.unwrap()
}

fn site_port(site: &Site) -> u16 {
    site.url("").rsplit_once(':').unwrap().1.parse().unwrap()
}

fn asked(asked: &Asked) -> Vec<String> {
    asked.lock().unwrap().clone()
}

#[test]
fn two_contexts_use_two_proxies_with_passwords_at_once() {
    drive(async |context, site| {
        site.page("/", "<title>through</title><script src='/second.js'></script>");
        site.answer("/second.js", "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nx=42");
        let (socks_port, by_socks) = socks(site_port(&site)).await;
        let (http_port, by_http) = http(site_port(&site)).await;
        let uk = behind(&context, &format!("socks5://me:swordfish@127.0.0.1:{socks_port}")).await;
        let us = behind(&context, &format!("http://user:p%C3%A4ss%3Aword@127.0.0.1:{http_port}")).await;
        let (in_uk, in_us) = (uk.new_page().await.unwrap(), us.new_page().await.unwrap());
        // Names that only the proxies know: they are looked up over there.
        let (first, second) = tokio::join!(
            title_at(&in_uk, "http://only-in-uk.example/"),
            title_at(&in_us, "http://only-in-us.example/"),
        );
        assert_eq!((&*first, &*second), ("through", "through"));
        assert_eq!(run(&in_uk, "() => x").await, json!(42));
        assert_eq!(run(&in_us, "() => x").await, json!(42));
        assert!(
            asked(&by_socks).iter().all(|asked| asked.starts_with("only-in-uk.example:80")),
            "{by_socks:?}"
        );
        let expected = ["GET http://only-in-us.example/", "GET http://only-in-us.example/second.js"];
        assert_eq!(asked(&by_http)[..2], expected);
        // Sockets of pages go the same way, and loopback is no exception.
        run(&in_us, "async () => { const s = new WebSocket('ws://socket.example:81/'); await new Promise((r) => (s.onerror = r)); }").await;
        assert!(asked(&by_http).contains(&"CONNECT socket.example:81".to_owned()), "{by_http:?}");
        title_at(&in_us, &site.url("/")).await;
        assert!(asked(&by_http).contains(&format!("GET {}", site.url("/"))), "{by_http:?}");
        uk.close().await.unwrap();
        us.close().await.unwrap();
    });
}

#[test]
fn a_failure_says_what_the_proxy_did() {
    drive(async |context, site| {
        let (socks_port, by_socks) = socks(site_port(&site)).await;
        let (http_port, by_http) = http(site_port(&site)).await;
        let wrong = "the proxy refused the user name and password";
        for (proxy, url, reason) in [
            (format!("socks5://me:wrong@127.0.0.1:{socks_port}"), "http://a.example/", wrong),
            (format!("socks5://127.0.0.1:{socks_port}"), "https://a.example/", wrong),
            (format!("http://user:wrong@127.0.0.1:{http_port}"), "http://a.example/", wrong),
            (format!("http://127.0.0.1:{http_port}"), "https://a.example/", wrong),
            (
                format!("socks5://me:swordfish@127.0.0.1:{socks_port}"),
                "http://forbidden.example/",
                "its rules do not allow it",
            ),
            ("http://127.0.0.1:9".to_owned(), "http://a.example/", "nothing listens there"),
            ("socks5://127.0.0.1:9".to_owned(), "https://a.example/", "nothing listens there"),
        ] {
            let other = behind(&context, &proxy).await;
            let page = other.new_page().await.unwrap();
            let error = page.goto(url, &NavigateOptions::default()).await.unwrap_err();
            assert!(error.to_string().contains(reason), "{proxy} {url} → {error}");
            assert!(!error.to_string().contains("wrong@"), "{error}");
            other.close().await.unwrap();
        }
        assert_eq!(asked(&by_http).len(), 0);
        assert!(asked(&by_socks).iter().all(|asked| asked == "forbidden.example:80"), "{by_socks:?}");
    });
}

#[test]
fn the_bypass_list_goes_around_the_proxy() {
    drive(async |context, site| {
        site.page("/", "<title>direct</title>");
        let proxy =
            Proxy::new("http://127.0.0.1:9", None, None, Some("127.0.0.1, *.example".to_owned())).unwrap();
        let options = ContextOptions { proxy: Some(proxy), ..ContextOptions::default() };
        let other = context.browser().unwrap().new_context(options).await.unwrap();
        let page = other.new_page().await.unwrap();
        assert_eq!(title_at(&page, &site.url("/")).await, "direct");
        assert!(page.goto(&site.other("/"), &NavigateOptions::default()).await.is_err());
        other.close().await.unwrap();
    });
}

/// Everything a page can do to reach a server that it must not reach. `EVIL` is that server.
const ATTEMPTS: [(&str, &str); 16] = [
    ("fetch", "async () => { try { await fetch('EVIL/fetch', { mode: 'no-cors' }) } catch {} }"),
    (
        "picture",
        "async () => { await new Promise((r) => { const i = new Image(); i.onload = i.onerror = r; i.src = 'EVIL/picture'; }) }",
    ),
    (
        "script",
        "async () => { await new Promise((r) => { const s = document.createElement('script'); s.onload = s.onerror = r; s.src = 'EVIL/script'; document.head.append(s); }) }",
    ),
    (
        "frame",
        "async () => { await new Promise((r) => { const f = document.createElement('iframe'); f.onload = r; f.src = 'EVIL/frame'; document.body.append(f); }) }",
    ),
    (
        "beacon",
        "async () => { navigator.sendBeacon('EVIL/beacon', 'x'); await new Promise((r) => setTimeout(r, 100)) }",
    ),
    (
        "socket",
        "async () => { await new Promise((r) => { const s = new WebSocket('EVIL/socket'.replace('http', 'ws')); s.onerror = s.onclose = r; }) }",
    ),
    (
        "events",
        "async () => { await new Promise((r) => { const s = new EventSource('EVIL/events'); s.onerror = () => { s.close(); r() } }) }",
    ),
    (
        "worker",
        "async () => { const w = new Worker(URL.createObjectURL(new Blob([`fetch('EVIL/worker', { mode: 'no-cors' }).finally(() => postMessage(1))`]))); await new Promise((r) => (w.onmessage = w.onerror = r)) }",
    ),
    (
        "shared worker",
        "async () => { const w = new SharedWorker(URL.createObjectURL(new Blob([`onconnect = (e) => fetch('EVIL/shared', { mode: 'no-cors' }).finally(() => e.ports[0].postMessage(1))`]))); await new Promise((r) => { w.port.onmessage = r; w.onerror = r }) }",
    ),
    (
        "import in a worker",
        "async () => { const w = new Worker(URL.createObjectURL(new Blob([`importScripts('EVIL/import')`]))); await new Promise((r) => (w.onmessage = w.onerror = r)) }",
    ),
    (
        "prefetch",
        "async () => { const l = document.createElement('link'); l.rel = 'prefetch'; l.href = 'EVIL/prefetch'; const done = new Promise((r) => (l.onload = l.onerror = r)); document.head.append(l); await Promise.race([done, new Promise((r) => setTimeout(r, 300))]) }",
    ),
    (
        "preconnect",
        "async () => { const l = document.createElement('link'); l.rel = 'preconnect'; l.href = 'EVIL'; document.head.append(l); await new Promise((r) => setTimeout(r, 100)) }",
    ),
    (
        "redirect of a picture",
        "async () => { await new Promise((r) => { const i = new Image(); i.onload = i.onerror = r; i.src = '/away'; }) }",
    ),
    (
        "blob frame",
        "async () => { const f = document.createElement('iframe'); f.src = URL.createObjectURL(new Blob(['<img src=EVIL/blob>'], { type: 'text/html' })); const loaded = new Promise((r) => (f.onload = r)); document.body.append(f); await loaded }",
    ),
    (
        "data frame",
        "async () => { const f = document.createElement('iframe'); f.src = 'data:text/html,<img src=EVIL/data>'; const loaded = new Promise((r) => (f.onload = r)); document.body.append(f); await loaded }",
    ),
    (
        "ping",
        "async () => { const a = document.createElement('a'); a.href = '#'; a.ping = 'EVIL/ping'; document.body.append(a); a.click(); await new Promise((r) => setTimeout(r, 100)) }",
    ),
];

/// What a browser takes as hints that a server will soon be needed.
const HINTS: &str = "<meta http-equiv=x-dns-prefetch-control content=on>
    <link rel=dns-prefetch href=//lookup.evil.example><a href=http://anchor.evil.example/>Lead</a>
    <script type=speculationrules>{ \"prefetch\": [{ \"urls\": [\"http://speculation.evil.example/\"] }] }</script>
    <link rel=preconnect href=http://connect.evil.example>";

/// The names that a browser looked up, by its log of what it does at the network. The log has an event on each line.
fn looked_up(log: &str) -> BTreeSet<String> {
    let mut lines = log.lines();
    let constants = lines.next().unwrap().trim_end_matches(',').to_owned() + "}";
    let constants: Value = serde_json::from_str(&constants).unwrap();
    let lookup = &constants["constants"]["logEventTypes"]["HOST_RESOLVER_MANAGER_JOB"];
    assert!(lookup.is_number());
    let events = lines.filter_map(|line| serde_json::from_str::<Value>(line.trim_end_matches(',')).ok());
    let lookups = events.filter(|event| event["type"] == *lookup);
    lookups.filter_map(|event| Some(event["params"]["host"].as_str()?.to_owned())).collect()
}

/// A name that is looked up tells whoever answers for it, and so does what a page puts into the name.
#[test]
fn no_name_is_looked_up_of_a_server_that_is_not_allowed() {
    drive(async |_, site| {
        site.page("/", HINTS);
        site.page("/after", "<title>after</title>");
        let only_the_site = Policy { allowed: vec![site.url("").parse().unwrap()], ..Policy::default() };
        for policy in [Policy::default(), only_the_site] {
            let is_open = policy.allows_all();
            let folder = tempfile::tempdir().unwrap();
            let log = folder.path().join("network.json");
            let mut options = launch_options();
            options.arguments.push(format!("--log-net-log={}", log.display()));
            let policy = ContextOptions { policy: Arc::new(policy), ..ContextOptions::default() };
            let browser = Browser::launch(&options, policy, &|_| ()).await.unwrap();
            // Other contexts have no history, and so no foresight.
            let page = browser.default_context().new_page().await.unwrap();
            let read = || std::fs::read_to_string(&log).unwrap_or_default();
            let foreseen = async {
                while !read().contains("connect.evil.example") {
                    page.goto(&site.url("/"), &NavigateOptions::default()).await.unwrap();
                    title_at(&page, &site.url("/after")).await;
                }
            };
            tokio::time::timeout(Duration::from_secs(60), foreseen).await.expect("a hint is taken up");
            browser.close().await.unwrap();
            let names = looked_up(&read());
            let is_evil = |name: &String| name.ends_with(".evil.example");
            assert_eq!(names.iter().any(is_evil), is_open, "{names:?}");
        }
    });
}

/// A server that must not hear anything.
async fn evil() -> (String, Arc<Mutex<usize>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://localhost:{}", listener.local_addr().unwrap().port());
    let received = Arc::new(Mutex::new(0));
    let counter = received.clone();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            *counter.lock().unwrap() += 1;
            let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
        }
    });
    (url, received)
}

/// Opens a window on the server that must not be reached, with a real click: others are blocked by the browser itself.
async fn open_window(page: &Page, site: &Site, evil: &str) {
    site.page(
        "/window",
        &format!("<a target=_blank href='{evil}/window' style='position:fixed;inset:0'>open</a>"),
    );
    page.goto(&site.url("/window"), &NavigateOptions::default()).await.unwrap();
    let mut changes = page.context().changes();
    let before = page.context().pages().len();
    page.mouse().click(Point { x: 50.0, y: 50.0 }, &ClickOptions::default()).await.unwrap();
    let opened = async {
        while page.context().pages().len() == before {
            changes.changed().await.unwrap();
        }
    };
    tokio::time::timeout(Duration::from_secs(20), opened).await.unwrap();
    let opened = page.context().pages().pop().unwrap();
    let arrived = opened.until(|page| (!page.url().is_empty() && page.url() != "about:blank").then_some(()));
    tokio::time::timeout(Duration::from_secs(20), arrived).await.unwrap().unwrap();
}

#[test]
fn no_page_reaches_a_server_that_is_not_allowed() {
    drive(async |context, site| {
        let (url, received) = evil().await;
        site.page("/", "<title>good</title><body>");
        site.answer(
            "/away",
            &format!("HTTP/1.1 302 Found\r\nLocation: {url}/redirected\r\nContent-Length: 0\r\n\r\n"),
        );
        site.page("/refresh", &format!("<meta http-equiv=refresh content='0;{url}/refresh'>"));
        site.page(
            "/form",
            &format!(
                "<form method=post action='{url}/form'></form><script>document.forms[0].submit()</script>"
            ),
        );
        site.page("/location", &format!("<script>location = '{url}/location'</script>"));
        let allowed = vec![site.url("").parse().unwrap()];
        for policy in [
            Policy { allowed, ..Policy::default() },
            Policy { blocked: vec![url.parse().unwrap()], ..Policy::default() },
        ] {
            let options = ContextOptions { policy: Arc::new(policy), ..ContextOptions::default() };
            let held = context.browser().unwrap().new_context(options).await.unwrap();
            let page = held.new_page().await.unwrap();
            assert_eq!(title_at(&page, &site.url("/")).await, "good");
            for (what, script) in ATTEMPTS {
                run(&page, &script.replace("EVIL", &url)).await;
                assert_eq!(*received.lock().unwrap(), 0, "{what} reached it");
            }
            open_window(&held.new_page().await.unwrap(), &site, &url).await;
            assert_eq!(*received.lock().unwrap(), 0, "a window reached it");
            for path in ["/away", "/refresh", "/form", "/location"] {
                let fresh = held.new_page().await.unwrap();
                let gone = fresh.goto(&site.url(path), &NavigateOptions::default()).await;
                if path == "/away" {
                    assert_eq!(gone.unwrap_err().code(), "url_refused", "{path}");
                }
                // The page went there by itself; it ends on the browser's own page of errors.
                fresh.until(|page| (page.url() != site.url("/")).then_some(())).await.unwrap();
                assert_eq!(*received.lock().unwrap(), 0, "{path} reached it");
            }
            let direct = page.goto(&format!("{url}/direct"), &NavigateOptions::default()).await;
            assert_eq!(direct.unwrap_err().code(), "url_refused");
            assert_eq!(*received.lock().unwrap(), 0);
            held.close().await.unwrap();
        }
        // The same attempts do reach it where nothing forbids them: the test can fail.
        let page = context.new_page().await.unwrap();
        title_at(&page, &site.url("/")).await;
        for (what, script) in ATTEMPTS {
            let before = *received.lock().unwrap();
            run(&page, &script.replace("EVIL", &url)).await;
            if what != "preconnect" {
                assert!(*received.lock().unwrap() > before, "{what} tries nothing");
            }
        }
        let before = *received.lock().unwrap();
        open_window(&page, &site, &url).await;
        assert!(*received.lock().unwrap() > before, "the window tries nothing");
    });
}

#[test]
fn an_answer_that_comes_with_hints_before_it_is_whole() {
    drive(async |context, site| {
        let body = "Word ".repeat(200_000);
        let hints = "HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n";
        let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 1000000\r\n\r\n";
        site.answer("/hinted", &format!("{hints}{hints}{head}{body}"));
        let policy = Arc::new(Policy { allowed: vec![site.url("").parse().unwrap()], ..Policy::default() });
        let held = ContextOptions { policy, ..ContextOptions::default() };
        let held = context.browser().unwrap().new_context(held).await.unwrap();
        let page = held.new_page().await.unwrap();
        page.goto(&site.url("/hinted"), &NavigateOptions::default()).await.unwrap();
        assert_eq!(run(&page, "() => document.body.textContent.length").await, json!(1_000_000));
        held.close().await.unwrap();
    });
}

#[test]
fn a_private_network_is_out_of_reach_under_every_name() {
    drive(async |context, site| {
        site.page("/", "<title>inside</title>");
        let policy = Arc::new(Policy { block_private: true, ..Policy::default() });
        let held = ContextOptions { policy, ..ContextOptions::default() };
        let held = context.browser().unwrap().new_context(held).await.unwrap();
        let page = held.new_page().await.unwrap();
        let port = site_port(&site);
        let spellings =
            ["127.0.0.1", "localhost", "127.1", "2130706433", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0"];
        // What this machine calls itself is a name like any other, until it is looked up.
        let own = rustix::system::uname().nodename().to_string_lossy().into_owned();
        let own = (own.as_str(), 0).to_socket_addrs().ok().map(|_| own);
        for host in spellings.into_iter().chain(own.as_deref()) {
            let error =
                page.goto(&format!("http://{host}:{port}/"), &NavigateOptions::default()).await.unwrap_err();
            assert_eq!(error.code(), "url_refused", "{host} → {error}");
        }
        held.close().await.unwrap();
    });
}
