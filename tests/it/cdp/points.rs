//! A whole task with a fault at one message from the browser: at every message in turn, or at some of them where nobody asks
//! for all (`EVERY_POINT=1`, which is `make faults`). Whatever happens, each call is answered within its deadline, nothing of
//! ours breaks, and nothing is left in the browser.
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{SinkExt as _, StreamExt as _};
use patchright_mcp::cdp::types::target::{GetBrowserContexts, GetTargets};
use patchright_mcp::mcp::dispatch::Dispatcher;
use patchright_mcp::mcp::settings::Settings;
use patchright_mcp::mcp::tool::{Registry, Toolset};
use patchright_mcp::mcp::tools;
use patchright_mcp::session::{Engine, EngineOptions, Source};
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

/// Between us and the browser, with the fault at the message of that number.
async fn relay(browser: String, fault: Option<(usize, Fault)>, count: Arc<AtomicUsize>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = format!("ws://{}/devtools/browser/relayed", listener.local_addr().unwrap());
    tokio::spawn(async move {
        // One that is lost is made anew, without another fault.
        let mut fault = fault;
        while let Ok((stream, _)) = listener.accept().await {
            pass_on(stream, &browser, fault.take(), &count).await;
        }
    });
    endpoint
}

async fn pass_on(stream: TcpStream, browser: &str, fault: Option<(usize, Fault)>, count: &AtomicUsize) {
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
            count.fetch_add(1, Ordering::Relaxed);
            let here = fault.filter(|(at, _)| *at == number).map(|(_, fault)| fault);
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

/// Opens a page, fills, clicks and looks. Gives what was said, and how many messages came from the browser meanwhile.
async fn task(chromium: &Chromium, site: &Site, fault: Option<(usize, Fault)>) -> (Vec<Value>, usize) {
    let count = Arc::new(AtomicUsize::new(0));
    let endpoint = relay(chromium.endpoint.clone(), fault, Arc::clone(&count)).await;
    let source = Source::Attach { endpoint, headers: Vec::new(), limit: Duration::from_secs(10) };
    let engine = Engine::new(EngineOptions::new(source));
    let registry = Registry::new(&tools::ALL, &BTreeSet::new(), &Toolset::VARIANTS.iter().copied().collect());
    let settings = Settings {
        action_limit: Duration::from_secs(2),
        navigation_limit: Duration::from_secs(4),
        ..Settings::default()
    };
    let dispatcher = Arc::new(Dispatcher::new(registry, engine.clone(), settings));
    let desk = Desk { client: Arc::new(dispatcher.client()), dispatcher };
    let calls = [
        ("browser_navigate", json!({ "url": site.url("/") })),
        ("browser_type", json!({ "ref": "#name", "text": "Ada" })),
        ("browser_click", json!({ "ref": "button" })),
        ("browser_snapshot", json!({})),
    ];
    let mut told = Vec::new();
    for (tool, arguments) in calls {
        let begun = Instant::now();
        let answer = timeout(DEADLINE, desk.call(tool, arguments)).await;
        let answer = answer.unwrap_or_else(|_| panic!("{fault:?}: no answer to {tool} in {DEADLINE:?}"));
        let result = json!({ "tool": tool, "ms": begun.elapsed().as_millis(), "answer": answer.result });
        assert_ne!(answer.result["_meta"]["errorCode"], "broken", "{fault:?}: {result}");
        told.push(result);
    }
    timeout(DEADLINE, desk.client.close()).await.unwrap_or_else(|_| panic!("{fault:?}: it does not close"));
    engine.close().await;
    (told, count.load(Ordering::Relaxed))
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

fn text(told: &Value) -> &str {
    told["answer"]["content"][0]["text"].as_str().unwrap_or_default()
}

async fn check(chromium: &Chromium, site: &Site, at: usize, fault: Fault) -> u64 {
    let fault = Some((at, fault));
    let (told, _) = task(chromium, site, fault).await;
    if matches!(fault, Some((_, Fault::Doubled | Fault::Late))) {
        for told in &told {
            assert_ne!(told["answer"]["isError"], true, "{fault:?}: {told}");
        }
        assert!(text(&told[3]).contains("Hello Ada"), "{fault:?}: {}", text(&told[3]));
    }
    until_empty(chromium, fault).await;
    told.iter().filter_map(|told| told["ms"].as_u64()).max().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fault_at_any_message_costs_no_call_its_answer() {
    const BROWSERS: usize = 3;
    const SOME: usize = 4;
    let site = Site::start().await;
    site.page("/", PAGE);
    let first = Chromium::launch().await;
    let (told, messages) = task(&first, &site, None).await;
    assert!(text(&told[3]).contains("Hello Ada"), "{told:?}");
    until_empty(&first, None).await;
    let step = if std::env::var_os("EVERY_POINT").is_some() { 1 } else { messages / SOME };
    let points: Vec<_> = (0..messages).step_by(step).flat_map(|at| FAULTS.map(|fault| (at, fault))).collect();
    let workers = (0..BROWSERS).map(async |worker| {
        let chromium = Chromium::launch().await;
        let mut longest = 0;
        for (at, fault) in points.iter().skip(worker).step_by(BROWSERS) {
            longest = longest.max(check(&chromium, &site, *at, *fault).await);
        }
        longest
    });
    let longest = futures_util::future::join_all(workers).await.into_iter().max();
    let count = points.len();
    eprintln!("{messages} messages, {count} faults, all answered; the longest call took {longest:?} ms");
}
