//! A browser that runs already, and that others are attached to as well.
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures_util::StreamExt as _;
use patchright_mcp::browser::{Browser, BrowserContext, ContextOptions, NavigateOptions, Page, StorageState};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{accept_async, connect_async};

use crate::cdp::protocol::Chromium;
use crate::support::Site;

const LIMIT: Duration = Duration::from_secs(20);

async fn attach(endpoint: &str) -> Browser {
    Browser::connect(endpoint, &[], ContextOptions::default(), LIMIT).await.unwrap()
}

async fn page_at(context: &BrowserContext, url: &str) -> Page {
    let page = context.new_page().await.unwrap();
    page.goto(url, &NavigateOptions::default()).await.unwrap();
    page
}

/// The context of somebody else in which this page is.
async fn context_of(browser: &Browser, url: &str) -> BrowserContext {
    let find = || {
        let others = browser.contexts().into_iter().filter(|context| context.id().is_some());
        others.into_iter().find(|context| context.pages().iter().any(|page| page.url() == url))
    };
    let found = async {
        loop {
            if let Some(context) = find() {
                return context;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(LIMIT, found).await.unwrap()
}

#[tokio::test]
async fn contexts_of_others_are_contexts_of_their_own_and_left_alone() {
    let (chromium, site) = (Chromium::launch().await, Site::start().await);
    site.page("/theirs", "<script>document.cookie = 'who=they'</script>");
    site.page("/later", "");
    let they = attach(&chromium.endpoint).await;
    let theirs = they.new_context(ContextOptions::default()).await.unwrap();
    let page = page_at(&theirs, &site.url("/theirs")).await;

    let we = attach(&chromium.endpoint).await;
    assert_eq!(we.default_context().pages().len(), they.default_context().pages().len());
    let seen = context_of(&we, &site.url("/theirs")).await;
    assert_eq!(seen.id(), theirs.id());
    assert!(!seen.is_owned() && !we.default_context().pages().contains(&seen.pages()[0]));
    let names = |cookies: Vec<_>| {
        cookies.into_iter().map(|cookie: patchright_mcp::browser::StoredCookie| cookie.name)
    };
    assert_eq!(names(seen.cookies().await.unwrap()).collect::<Vec<_>>(), ["who"]);
    assert_eq!(names(we.default_context().cookies().await.unwrap()).count(), 0);

    // One that is made after us, and that goes with its last page.
    let later = they.new_context(ContextOptions::default()).await.unwrap();
    page_at(&later, &site.url("/later")).await;
    let seen_later = context_of(&we, &site.url("/later")).await;
    later.close().await.unwrap();
    for page in seen_later.pages() {
        page.until_closed().await;
    }
    assert_eq!(we.contexts(), [we.default_context().clone(), seen]);

    we.close().await.unwrap();
    assert_eq!(page.main_frame().title().await, "");
    assert!(!page.is_closed());
    they.close().await.unwrap();
}

/// Stands between us and a browser, and writes down what we send.
async fn tap(endpoint: &str) -> (String, Arc<Mutex<Vec<Value>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("ws://{}/", listener.local_addr().unwrap());
    let sent = Arc::new(Mutex::new(Vec::new()));
    let (there, written) = (endpoint.to_owned(), sent.clone());
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        let (to_us, from_us) = accept_async(stream).await.unwrap().split();
        let (to_browser, from_browser) = connect_async(there).await.unwrap().0.split();
        let from_us = from_us.inspect(move |message| {
            if let Ok(Message::Text(text)) = message {
                written.lock().unwrap().push(serde_json::from_str(text).unwrap());
            }
        });
        let (up, down) = (from_us.forward(to_browser), from_browser.forward(to_us));
        let _ = tokio::join!(up, down);
    });
    (address, sent)
}

#[tokio::test]
async fn a_page_that_nobody_sees_is_closed_once() {
    let chromium = Chromium::launch().await;
    let (address, sent) = tap(&chromium.endpoint).await;
    let browser = attach(&address).await;
    let context = browser.new_context(ContextOptions::default()).await.unwrap();
    let state = r#"{"origins":[{"origin":"http://127.0.0.1:9","localStorage":[{"name":"a","value":"b"}]}]}"#;
    let state = StorageState::parse(state).unwrap();
    context.add_storage_state(&state).await.unwrap();
    // Answered after all that was sent before.
    assert!(browser.is_alive(LIMIT).await);
    let count =
        |method: &str| sent.lock().unwrap().iter().filter(|command| command["method"] == method).count();
    assert_eq!((count("Target.createTarget"), count("Target.closeTarget")), (1, 1));
    browser.close().await.unwrap();
}
