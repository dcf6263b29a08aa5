//! Calls of real tools on a real browser, through the dispatcher that the wire and Python use.
use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use patchright_mcp::browser::launch::LaunchOptions;
use patchright_mcp::mcp::client::Client;
use patchright_mcp::mcp::dispatch::Dispatcher;
use patchright_mcp::mcp::progress::Progress;
use patchright_mcp::mcp::reply::Reply;
use patchright_mcp::mcp::settings::Settings;
use patchright_mcp::mcp::tool::{Registry, Toolset};
use patchright_mcp::mcp::tools;
use patchright_mcp::session::{BrowserSource, Engine, EngineOptions};
use serde_json::{Map, Value, json};
use strum::VariantArray;
use tokio::runtime::Runtime;
use tokio_util::sync::CancellationToken;

use crate::support::Site;

/// One client of the one server of this run, on a site of its own.
struct Caller {
    dispatcher: Arc<Dispatcher>,
    client: Client,
    site: Site,
}

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| Runtime::new().unwrap());
static DISPATCHER: LazyLock<Arc<Dispatcher>> = LazyLock::new(|| {
    let launch = LaunchOptions {
        headless: Some(true),
        temporary_folder: Some(env!("CARGO_TARGET_TMPDIR").into()),
        ..LaunchOptions::default()
    };
    let engine = Engine::new(EngineOptions::new(BrowserSource::Launch(Box::new(launch))));
    let toolsets = Toolset::VARIANTS.iter().copied().collect::<BTreeSet<_>>();
    let registry = Registry::new(&tools::ALL_TOOLS, &BTreeSet::new(), &toolsets);
    Arc::new(Dispatcher::new(registry, engine, Settings::default()))
});

fn drive<F: Future<Output = ()>>(test: impl FnOnce(Caller) -> F) {
    RUNTIME.block_on(async { test(Caller::new().await).await });
}

impl Caller {
    async fn new() -> Self {
        let dispatcher = Arc::clone(&DISPATCHER);
        Self { client: dispatcher.new_client(), dispatcher, site: Site::start().await }
    }

    async fn call_until(&self, cancelled: &CancellationToken, tool: &str, arguments: Value) -> Reply {
        let Value::Object(arguments): Value = arguments else { panic!("arguments are an object") };
        let call = async |arguments: Map<String, Value>| {
            self.dispatcher.call(&self.client, tool, arguments, &Progress::default(), cancelled).await
        };
        call(arguments).await.unwrap()
    }

    async fn call(&self, tool: &str, arguments: Value) -> Reply {
        self.call_until(&CancellationToken::new(), tool, arguments).await
    }

    async fn works(&self, tool: &str, arguments: Value) -> String {
        let reply = self.call(tool, arguments).await;
        assert!(!reply.is_error(), "{}", reply.text());
        reply.text()
    }

    async fn open(&self, html: &str) -> String {
        self.site.page("/", html);
        self.works("browser_navigate", json!({ "url": self.site.url("/") })).await
    }

    async fn evaluate(&self, function: &str) -> String {
        self.works("browser_evaluate", json!({ "function": function })).await
    }
}

/// The ref in the line that has these words in it.
fn ref_of<'a>(text: &'a str, words: &str) -> &'a str {
    let line =
        text.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{words} in:\n{text}"));
    line.split("[ref=").nth(1).unwrap().split(']').next().unwrap()
}

/// What stands under a heading.
fn section<'a>(text: &'a str, name: &str) -> &'a str {
    let start = text.find(&format!("### {name}\n")).unwrap_or_else(|| panic!("no {name} in:\n{text}"));
    text[start..].split("\n### ").next().unwrap()
}

#[test]
fn two_calls_on_one_page_never_interleave() {
    drive(async |caller| {
        caller.open("<p>One at a time").await;
        let alone = "async () => {
            if (window.busy) return 'not alone';
            window.busy = true;
            for (let turn = 0; turn < 20; turn++) await new Promise(requestAnimationFrame);
            window.busy = false;
            return 'alone';
        }";
        let (first, second) = tokio::join!(caller.evaluate(alone), caller.evaluate(alone));
        assert_eq!([first, second], ["### Result\nalone", "### Result\nalone"]);
    });
}

#[test]
fn a_call_that_hangs_holds_up_neither_other_clients_nor_what_follows_its_end() {
    drive(async |caller| {
        let other = Caller::new().await;
        caller.open("<p>Hangs").await;
        other.open("<p>Answers").await;
        let cancelled = CancellationToken::new();
        let never = json!({ "function": "() => new Promise(() => {})" });
        let hanging = caller.call_until(&cancelled, "browser_evaluate", never);
        let (hung, ()) = tokio::join!(hanging, async {
            assert_eq!(other.evaluate("1").await, "### Result\n1");
            cancelled.cancel();
        });
        assert!(hung.is_error() && hung.text().contains("cancelled"), "{}", hung.text());
        assert_eq!(caller.evaluate("2").await, "### Result\n2");
    });
}

#[test]
fn an_action_is_answered_with_what_it_changed_and_a_new_document_with_the_whole() {
    drive(async |caller| {
        caller.site.page("/next", "<h1>Next</h1><a href='/'>Back</a>");
        let page = caller
            .open("<h1>Stays</h1><button onclick='this.after(\"Came\")'>Add</button><a href='/next'>Go</a>")
            .await;
        let target = ref_of(&page, "\"Add\"");
        let text = caller.works("browser_click", json!({ "ref": target })).await;
        assert!(section(&text, "Result").contains("Clicked button \"Add\""), "{text}");
        let changes = section(&text, "Snapshot");
        assert!(changes.contains("Came") && !changes.contains("Stays"), "{text}");
        let text = caller.works("browser_click", json!({ "ref": ref_of(&page, "\"Go\"") })).await;
        assert!(section(&text, "Snapshot").contains("heading \"Next\""), "{text}");
        let gone = caller.call("browser_click", json!({ "ref": target })).await.text();
        assert_eq!(
            gone,
            format!(
                "### Error\n{target} is no longer on the page.\nTake a new snapshot and use a ref from it."
            )
        );
    });
}

#[test]
fn a_dialog_is_an_effect_of_the_call_that_opened_it_and_stops_the_next() {
    drive(async |caller| {
        let page = caller.open("<button onclick='confirm(\"Sure?\\n### Error\")'>Ask</button>").await;
        let target = json!({ "ref": ref_of(&page, "\"Ask\"") });
        let text = caller.works("browser_click", target.clone()).await;
        assert!(section(&text, "Modal state").contains("confirm dialog \"Sure? ### Error\""), "{text}");
        let refused = caller.call("browser_click", target).await;
        assert!(refused.is_error());
        assert!(refused.text().contains("browser_handle_dialog"), "{}", refused.text());
        caller.works("browser_close", json!({})).await;
    });
}

#[test]
fn refs_of_other_tabs_and_contexts_are_refused_with_the_reason() {
    drive(async |caller| {
        let page = caller.open("<a target=_blank href='/'>Open</a>").await;
        let short = ref_of(&page, "\"Open\"");
        let text = caller.works("browser_click", json!({ "ref": short })).await;
        let target = format!("c0p0f0{short}");
        assert_eq!(section(&text, "Open tabs").lines().count(), 3, "{text}");
        assert!(section(&text, "Events").contains("opened tab 1"), "{text}");
        for (reference, reason) in [
            (target.replace("p0", "p1"), "it belongs to tab 1, which is not the current one"),
            (target.replace("p0", "p7"), "its tab is not open"),
            (target.replace("c0", "c3"), "its context does not exist"),
            (format!("other:{target}"), "its context does not exist"),
            (target.replace("f0", "f5"), "no snapshot has shown it"),
            ("c0p0f0e4000000".to_owned(), "no snapshot has shown it"),
            ("#selector".to_owned(), "and as a selector it matches nothing"),
            ("][".to_owned(), "as a selector it is invalid"),
        ] {
            let reply = caller.call("browser_click", json!({ "ref": reference })).await;
            assert!(reply.is_error() && reply.text().contains(reason), "{reference}: {}", reply.text());
        }
    });
}

#[test]
fn bad_arguments_and_addresses_start_no_browser() {
    RUNTIME.block_on(async {
        let engine = Engine::new(EngineOptions::new(BrowserSource::Launch(Box::new(LaunchOptions {
            executable: Some("/nobody/starts/this".into()),
            ..LaunchOptions::default()
        }))));
        let toolsets = BTreeSet::from([Toolset::Browser]);
        let registry = Registry::new(&tools::ALL_TOOLS, &BTreeSet::new(), &toolsets);
        let dispatcher = Arc::new(Dispatcher::new(registry, engine, Settings::default()));
        let caller = Caller { client: dispatcher.new_client(), dispatcher, site: Site::start().await };
        for (tool, arguments, code) in [
            ("browser_navigate", json!({}), "invalid_arguments"),
            ("browser_navigate", json!({ "url": "file:///etc/passwd" }), "url_refused"),
            ("browser_click", json!({ "ref": "c0p0f0e1" }), "no_page"),
            ("browser_take_screenshot", json!({ "filename": "../x.png" }), "file"),
            ("browser_take_screenshot", json!({ "fullPage": true, "ref": "e1" }), "invalid_arguments"),
        ] {
            let reply = caller.call(tool, arguments).await;
            assert_eq!(reply.error_code(), Some(code), "{tool}: {}", reply.text());
        }
        let reply = caller.call("browser_navigate", json!({ "url": "https://a.example" })).await;
        assert!(
            matches!(reply.error_code(), Some("browser_not_found" | "browser_launch")),
            "{}",
            reply.text()
        );
    });
}
