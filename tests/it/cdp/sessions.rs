//! Sessions begin when the browser tells of them, and take what is pending on them along when they end.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use patchright_mcp::Error;
use patchright_mcp::cdp::{CdpSession, Command, Observer, PendingReply, RawEvent};
use serde_json::json;

use super::peer::{Ask, connected};

#[tokio::test]
async fn a_session_that_is_detached_fails_its_own_calls_and_no_others() {
    let (connection, mut peer) = connected();
    let page = peer.attach(&connection, "", "P").await;
    let other = peer.attach(&connection, "", "O").await;
    let mut events = page.events(&["Page.loadEventFired"]);
    let on_page = page.send(Ask { number: 1 });
    let on_other = other.send(Ask { number: 2 });
    let on_root = connection.root().send(Ask { number: 3 });
    peer.hear_id("Test.ask").await;
    let (other_id, root_id) = (peer.hear_id("Test.ask").await, peer.hear_id("Test.ask").await);

    peer.tell("", "Target.detachedFromTarget", json!({ "sessionId": "P" })).await;
    assert!(matches!(on_page.await, Err(Error::PageClosed)));
    assert!(page.is_closed() && events.next().await.is_none());
    assert!(matches!(page.call(Ask { number: 4 }).await, Err(Error::PageClosed)));
    assert!(page.events(&["Page.loadEventFired"]).next().await.is_none());

    peer.answer(other_id, json!({ "number": 2 })).await;
    peer.answer(root_id, json!({ "number": 3 })).await;
    assert_eq!(on_other.await.expect("a reply").number, 2);
    assert_eq!(on_root.await.expect("a reply").number, 3);
}

#[tokio::test]
async fn sessions_that_came_through_a_session_end_with_it() {
    let (connection, mut peer) = connected();
    let page = peer.attach(&connection, "", "P").await;
    let frame = peer.attach(&connection, "P", "F").await;
    let inner = peer.attach(&connection, "F", "I").await;
    let sibling = peer.attach(&connection, "", "S").await;
    let asked = inner.send(Ask { number: 1 });
    peer.tell("", "Target.detachedFromTarget", json!({ "sessionId": "P" })).await;
    assert!(matches!(asked.await, Err(Error::PageClosed)));
    assert!(page.is_closed() && frame.is_closed() && inner.is_closed());
    assert!(!sibling.is_closed() && !connection.root().is_closed());
}

#[tokio::test]
async fn a_session_announced_twice_stays_the_one_it_was() {
    let (connection, mut peer) = connected();
    let first = peer.attach(&connection, "", "S").await;
    let mut events = first.events(&["Page.loadEventFired"]);
    let again = peer.attach(&connection, "", "S").await;
    peer.tell("S", "Page.loadEventFired", json!({})).await;
    assert!(events.next().await.is_some());
    peer.tell("", "Target.detachedFromTarget", json!({ "sessionId": "S" })).await;
    assert!(events.next().await.is_none());
    assert!(first.is_closed() && again.is_closed());
}

#[tokio::test]
async fn a_session_that_nobody_announced_is_closed() {
    let (connection, _peer) = connected();
    let session = connection.session("S");
    assert!(session.is_closed());
    assert!(matches!(session.call(Ask { number: 1 }).await, Err(Error::PageClosed)));
    assert!(session.events(&["Page.loadEventFired"]).next().await.is_none());
}

struct HearsSlowly(Arc<AtomicBool>);

impl Observer for HearsSlowly {
    fn on_event(&self, _: RawEvent) {
        std::thread::sleep(Duration::from_millis(50));
        self.0.store(true, Ordering::SeqCst);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_crash_fails_what_is_pending_and_refuses_calls_until_the_page_is_back() {
    let (connection, mut peer) = connected();
    let page = peer.attach(&connection, "", "P").await;
    let other = peer.attach(&connection, "", "O").await;
    let on_page = page.send(Ask { number: 1 });
    let on_other = other.send(Ask { number: 2 });
    peer.hear_id("Test.ask").await;
    let other_id = peer.hear_id("Test.ask").await;
    let received = Arc::new(AtomicBool::new(false));
    page.observe(&["Inspector.targetCrashed"], Arc::new(HearsSlowly(received.clone())));

    peer.tell("P", "Inspector.targetCrashed", json!({})).await;
    assert!(matches!(on_page.await, Err(Error::PageCrashed)));
    assert!(received.load(Ordering::SeqCst), "observers hear of it before callers do");
    assert!(page.is_crashed() && !other.is_crashed());
    assert!(matches!(page.call(Ask { number: 3 }).await, Err(Error::PageCrashed)));
    peer.answer(other_id, json!({ "number": 2 })).await;
    assert_eq!(on_other.await.expect("a reply").number, 2);

    page.reset_crashed();
    let asked = page.send(Ask { number: 4 });
    let command = peer.hear().await.expect("a command");
    assert_eq!(command["params"]["number"], 4, "the refused command was not written");
    peer.answer(command["id"].as_u64().expect("an id"), json!({ "number": 4 })).await;
    assert_eq!(asked.await.expect("a reply").number, 4);

    let mut events = page.events(&["Inspector.targetReloadedAfterCrash"]);
    peer.tell("P", "Inspector.targetCrashed", json!({})).await;
    peer.tell("P", "Inspector.targetReloadedAfterCrash", json!({})).await;
    events.next().await.expect("the page is back");
    assert!(!page.is_crashed());
}

/// Brings a page back as soon as it hears of its crash, and asks it something.
struct BringsBack {
    page: CdpSession,
    asked: Mutex<Option<PendingReply<<Ask as Command>::Reply>>>,
}

impl Observer for BringsBack {
    fn on_event(&self, _: RawEvent) {
        self.page.reset_crashed();
        *self.asked.lock().unwrap() = Some(self.page.send(Ask { number: 2 }));
    }
}

#[tokio::test]
async fn a_crash_does_not_fail_what_is_asked_after_it() {
    let (connection, mut peer) = connected();
    let page = peer.attach(&connection, "", "P").await;
    let before = page.send(Ask { number: 1 });
    peer.hear_id("Test.ask").await;
    let brings = Arc::new(BringsBack { page: page.clone(), asked: Mutex::default() });
    page.observe(&["Inspector.targetCrashed"], brings.clone());
    peer.tell("P", "Inspector.targetCrashed", json!({})).await;
    assert!(matches!(before.await, Err(Error::PageCrashed)));
    let id = peer.hear_id("Test.ask").await;
    peer.answer(id, json!({ "number": 2 })).await;
    let asked = brings.asked.lock().unwrap().take().expect("it was told");
    assert_eq!(asked.await.expect("a reply").number, 2);
}

#[tokio::test]
async fn commands_name_their_session() {
    let (connection, mut peer) = connected();
    let odd = r#"odd " \ name"#;
    let session = peer.attach(&connection, "", odd).await;
    session.send(Ask { number: 1 }).ignore();
    assert_eq!(peer.hear().await.expect("a command")["sessionId"], odd);
    connection.root().send(Ask { number: 1 }).ignore();
    assert_eq!(peer.hear().await.expect("a command").get("sessionId"), None);
}
