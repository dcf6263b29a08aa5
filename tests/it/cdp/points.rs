//! A whole task with a fault at one message from the browser: at every message in turn, or at some of them where nobody asks
//! for all (`EVERY_POINT=1`, which is `make faults`). Whatever happens, each call is answered within its deadline, nothing of
//! ours breaks, and nothing is left in the browser.
use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures_util::{FutureExt as _, SinkExt as _, StreamExt as _};
use patchright_mcp::cdp::types::target::{GetBrowserContexts, GetTargets};
use patchright_mcp::mcp::dispatch::Dispatcher;
use patchright_mcp::mcp::settings::Settings;
use patchright_mcp::mcp::tool::{Registry, Toolset};
use patchright_mcp::mcp::tools;
use patchright_mcp::session::{BrowserSource, Engine, EngineOptions};
use serde_json::{Value, json};
use strum::VariantArray as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep, timeout};
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{accept_async, connect_async};

use super::protocol::Chromium;
use crate::support::{Desk, Site};

/// What becomes of one message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    Late,
    Gone,
    Doubled,
    /// It comes after the one that follows it.
    Swapped,
    /// The connection ends instead of it.
    Cut,
}

const FAULTS: [Fault; 5] = [Fault::Late, Fault::Gone, Fault::Doubled, Fault::Swapped, Fault::Cut];
const LATE: Duration = Duration::from_millis(700);
/// A command that is never answered, and what a call does before and after it.
const DEADLINE: Duration = Duration::from_secs(45);
const PAGE: &str = "<title>Greets</title><input id=name aria-label=Name><button onclick=\"document.querySelector('output')\
     .textContent = 'Hello ' + document.querySelector('input').value\">Greet</button><output></output>";

/// Whether anything is lost by it for good, or comes in an order in which browsers never say it.
fn loses(fault: Option<(usize, Fault)>) -> bool {
    matches!(fault, Some((_, Fault::Gone | Fault::Swapped | Fault::Cut)))
}

/// What went through.
#[derive(Default)]
struct Seen {
    messages: AtomicUsize,
    /// The one that met the fault.
    faulted: OnceLock<String>,
}

/// Between us and the browser, with the fault at the message of that number.
async fn relay(browser: String, fault: Option<(usize, Fault)>, seen: Arc<Seen>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("ws://{}/devtools/browser/relayed", listener.local_addr().unwrap());
    tokio::spawn(async move {
        // One that is lost is made anew, without another fault.
        let mut fault = fault;
        while let Ok((stream, _)) = listener.accept().await {
            pass_on(stream, &browser, fault.take(), &seen).await;
        }
    });
    endpoint
}

async fn pass_on(stream: TcpStream, browser: &str, fault: Option<(usize, Fault)>, seen: &Seen) {
    let (mut to_us, mut from_us) = accept_async(stream).await.unwrap().split();
    let (mut to_browser, mut from_browser) = connect_async(browser).await.unwrap().0.split();
    let (outbox, mut inbox) = mpsc::unbounded_channel::<Message>();
    let up = async {
        while let Some(Ok(message)) = from_us.next().await {
            if to_browser.send(message).await.is_err() {
                return;
            }
        }
    };
    let write = async {
        while let Some(message) = inbox.recv().await {
            if to_us.send(message).await.is_err() {
                return;
            }
        }
    };
    let down = async {
        let mut swapped = None;
        for number in 0.. {
            let Some(Ok(message)) = from_browser.next().await else { return };
            seen.messages.fetch_add(1, Ordering::Relaxed);
            let here = fault.filter(|(at, _)| *at == number).map(|(_, fault)| fault);
            if here.is_some() {
                let _ = seen.faulted.set(message.to_string());
            }
            match here {
                Some(Fault::Gone) => {}
                Some(Fault::Cut) => return,
                Some(Fault::Swapped) => swapped = Some(message),
                Some(Fault::Late) => {
                    let outbox = outbox.clone();
                    tokio::spawn(async move {
                        sleep(LATE).await;
                        let _ = outbox.send(message);
                    });
                }
                Some(Fault::Doubled) => {
                    let _ = outbox.send(message.clone());
                    let _ = outbox.send(message);
                }
                None => {
                    let _ = outbox.send(message);
                    let _ = swapped.take().map(|message| outbox.send(message));
                }
            }
        }
    };
    tokio::select! { () = up => {}, () = write => {}, () = down => {} }
}

/// Opens a page, fills, clicks and looks. Gives what was said, and what came from the browser meanwhile.
async fn task(chromium: &Chromium, site: &Site, fault: Option<(usize, Fault)>) -> (Vec<Value>, Arc<Seen>) {
    let seen = Arc::new(Seen::default());
    let endpoint = relay(chromium.endpoint.clone(), fault, Arc::clone(&seen)).await;
    let source = BrowserSource::Attach { endpoint, headers: Vec::new(), limit: Duration::from_secs(10) };
    let engine = Engine::new(EngineOptions::new(source));
    let registry =
        Registry::new(&tools::ALL_TOOLS, &BTreeSet::new(), &Toolset::VARIANTS.iter().copied().collect());
    // Who has lost something waits for it to the end of this, and who has not is done before, on a slow machine, too.
    let (action, navigation) = if loses(fault) { (2, 4) } else { (10, 30) };
    let mut settings = Settings::default();
    settings.timeouts.action = Duration::from_secs(action);
    settings.timeouts.navigation = Duration::from_secs(navigation);
    let dispatcher = Arc::new(Dispatcher::new(registry, engine.clone(), settings));
    let desk = Desk { client: Arc::new(dispatcher.new_client()), dispatcher };
    let calls = [
        ("browser_navigate", json!({ "url": site.url("/") })),
        ("browser_type", json!({ "ref": "#name", "text": "Ada" })),
        ("browser_click", json!({ "ref": "button" })),
        ("browser_snapshot", json!({})),
    ];
    let mut lines = Vec::new();
    for (tool, arguments) in calls {
        let begun = Instant::now();
        let answer = timeout(DEADLINE, desk.call(tool, arguments)).await;
        let answer = answer.unwrap_or_else(|_| panic!("{fault:?}: no answer to {tool} in {DEADLINE:?}"));
        let result = json!({ "tool": tool, "ms": begun.elapsed().as_millis(), "answer": answer.result });
        assert_ne!(answer.result["_meta"]["errorCode"], "broken", "{fault:?}: {result}");
        lines.push(result);
    }
    timeout(DEADLINE, desk.client.close()).await.unwrap_or_else(|_| panic!("{fault:?}: it does not close"));
    engine.close().await;
    (lines, seen)
}

/// Waits until the browser has nothing but what it had before.
async fn until_empty(chromium: &Chromium, fault: Option<(usize, Fault)>) {
    let connection = chromium.connect().await;
    let root = connection.root();
    let empty = async {
        loop {
            let targets = root.call(GetTargets::default()).await.unwrap().target_infos;
            let contexts = root.call(GetBrowserContexts {}).await.unwrap().browser_context_ids;
            let pages = targets.iter().filter(|target| target.kind == "page").count();
            if pages == 0 && contexts.is_empty() {
                return;
            }
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(DEADLINE, empty).await.unwrap_or_else(|_| panic!("{fault:?}: pages or contexts are left"));
}

fn text(content: &Value) -> &str {
    content["answer"]["content"][0]["text"].as_str().unwrap_or_default()
}

async fn check(chromium: &Chromium, site: &Site, at: usize, fault: Fault) -> u64 {
    let fault = Some((at, fault));
    let (answer, seen) = task(chromium, site, fault).await;
    if !loses(fault) {
        for answer in &answer {
            assert_ne!(answer["answer"]["isError"], true, "{fault:?} of {:?}: {answer}", seen.faulted.get());
        }
        assert!(text(&answer[3]).contains("Hello Ada"), "{fault:?}: {}", text(&answer[3]));
    }
    until_empty(chromium, fault).await;
    answer.iter().filter_map(|answer| answer["ms"].as_u64()).max().unwrap_or_default()
}

/// The messages that get a fault, of so many.
fn points(messages: usize) -> Vec<(usize, Fault)> {
    const SOME: usize = 4;
    let asked = std::env::var("POINT").ok().map(|at| at.parse().expect("POINT is the number of a message"));
    let step = if std::env::var_os("EVERY_POINT").is_some() { 1 } else { messages / SOME };
    let at = asked.map_or((0..messages, step), |at| (at..at + 1, 1));
    at.0.step_by(at.1).flat_map(|at| FAULTS.map(|fault| (at, fault))).collect()
}

/// What became of some points: how long the longest call took, and where it was not as it must be.
async fn try_all(site: &Site, points: impl Iterator<Item = &(usize, Fault)>) -> (u64, Vec<(usize, Fault)>) {
    let (mut longest, mut wrong) = (0, Vec::new());
    let mut chromium = Chromium::launch().await;
    for (at, fault) in points {
        // What is wrong is printed where it is found; the others are tried all the same.
        match AssertUnwindSafe(check(&chromium, site, *at, *fault)).catch_unwind().await {
            Ok(taken) => longest = longest.max(taken),
            Err(_) => {
                wrong.push((*at, *fault));
                chromium = Chromium::launch().await;
            }
        }
    }
    (longest, wrong)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_at_any_message_costs_no_call_its_answer() {
    const BROWSERS: usize = 3;
    let site = Site::start().await;
    site.page("/", PAGE);
    let first = Chromium::launch().await;
    let (answer, seen) = task(&first, &site, None).await;
    assert!(text(&answer[3]).contains("Hello Ada"), "{answer:?}");
    until_empty(&first, None).await;
    let messages = seen.messages.load(Ordering::Relaxed);
    let points = points(messages);
    let workers = (0..BROWSERS).map(|worker| try_all(&site, points.iter().skip(worker).step_by(BROWSERS)));
    let tried = futures_util::future::join_all(workers).await;
    let longest = tried.iter().map(|(longest, _)| *longest).max();
    let wrong: Vec<_> = tried.into_iter().flat_map(|(_, wrong)| wrong).collect();
    let count = points.len();
    assert!(wrong.is_empty(), "{} of {count} faults: {wrong:?}", wrong.len());
    eprintln!("{messages} messages, {count} faults, all answered; the longest call took {longest:?} ms");
}
