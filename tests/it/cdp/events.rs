//! Events: in order, decoded only when read, and never more of them in memory than the bound.
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use patchright_mcp::cdp::types::page::{FrameDetached, FrameNavigated, LoadEventFired};
use patchright_mcp::cdp::{CdpSession, Event, Observer, RawEvent};
use serde::Deserialize;
use serde_json::json;

use super::peer::{Ask, Peer, connected};

#[tokio::test]
async fn a_listener_hears_what_it_asked_for_in_order() {
    let (connection, mut peer) = connected();
    let session = peer.attach(&connection, "", "S").await;
    let mut events = session.events(&["Page.frameDetached", "Page.loadEventFired"]);
    for number in 0..3 {
        peer.tell("S", "Page.frameDetached", json!({ "frameId": number.to_string() })).await;
        peer.tell("S", "Page.frameNavigated", json!({ "frame": { "id": "unheard" } })).await;
        peer.tell("S", "Page.loadEventFired", json!({ "timestamp": number })).await;
    }
    for number in 0..3 {
        let event = events.next().await.expect("an event");
        assert_eq!(event.method(), "Page.frameDetached");
        assert!(event.read::<FrameNavigated>().is_none(), "it is another event");
        assert_eq!(event.read::<FrameDetached>().expect("it can be read").frame_id, number.to_string());
        let event = events.next().await.expect("an event");
        assert!(
            event
                .read::<LoadEventFired>()
                .is_some_and(|event| event.timestamp.to_string() == number.to_string())
        );
    }
    assert!(events.try_next().is_none());
}

#[tokio::test]
async fn events_of_one_session_are_not_received_on_another() {
    let (connection, mut peer) = connected();
    let first = peer.attach(&connection, "", "A").await;
    let second = peer.attach(&connection, "", "B").await;
    let mut at_first = first.events(&["Page.loadEventFired"]);
    let mut at_second = second.events(&["Page.loadEventFired"]);
    let mut at_root = connection.root().events(&["Page.loadEventFired"]);
    peer.tell("nobody", "Page.loadEventFired", json!({ "timestamp": 0 })).await;
    peer.tell("A", "Page.loadEventFired", json!({ "timestamp": 1 })).await;
    peer.tell("B", "Page.loadEventFired", json!({ "timestamp": 2 })).await;
    let received = at_second.next().await.expect("an event");
    assert_eq!(received.params_json(), br#"{"timestamp":2}"#);
    assert_eq!(at_first.next().await.expect("an event").params_json(), br#"{"timestamp":1}"#);
    assert!(at_first.try_next().is_none() && at_second.try_next().is_none() && at_root.try_next().is_none());
}

/// Writes down what it hears, and asks something back each time.
#[derive(Debug)]
struct Notes {
    session: CdpSession,
    received: Mutex<Vec<&'static str>>,
}

impl Observer for Notes {
    fn on_event(&self, event: RawEvent) {
        self.session.send(Ask { number: 7 }).ignore();
        self.received.lock().unwrap().push(event.method());
    }

    fn ended(&self) {
        self.received.lock().unwrap().push("ended");
    }
}

#[tokio::test]
async fn an_observer_has_received_what_came_before_a_reply() {
    let (connection, mut peer) = connected();
    let session = peer.attach(&connection, "", "S").await;
    let notes = Arc::new(Notes { session: session.clone(), received: Mutex::default() });
    session.observe(&["Page.loadEventFired", "Page.frameDetached"], notes.clone());
    for round in 1..=3 {
        let asked = session.send(Ask { number: 1 });
        let id = peer.hear_id("Test.ask").await;
        for method in ["Page.loadEventFired", "Page.frameNavigated", "Page.frameDetached"] {
            peer.tell("S", method, json!({})).await;
        }
        peer.answer(id, json!({ "number": 1 })).await;
        asked.await.expect("a reply");
        assert_eq!(
            *notes.received.lock().unwrap(),
            ["Page.loadEventFired", "Page.frameDetached"].repeat(round)
        );
        for _ in 0..2 {
            assert_eq!(peer.hear().await.expect("it asked back")["params"]["number"], 7);
        }
    }
}

#[tokio::test]
async fn an_observer_is_reported_once_that_its_session_ended() {
    let (connection, mut peer) = connected();
    let session = peer.attach(&connection, "", "S").await;
    let notes = || Arc::new(Notes { session: session.clone(), received: Mutex::default() });
    let (before, after) = (notes(), notes());
    session.observe(&["Page.loadEventFired"], before.clone());
    let mut events = session.events(&["Page.loadEventFired"]);
    peer.tell("", "Target.detachedFromTarget", json!({ "sessionId": "S" })).await;
    assert!(events.next().await.is_none());
    connection.close("it is over");
    session.observe(&["Page.loadEventFired"], after.clone());
    assert_eq!(*before.received.lock().unwrap(), ["ended"]);
    assert_eq!(*after.received.lock().unwrap(), ["ended"]);
}

static DECODED: AtomicUsize = AtomicUsize::new(0);

/// Counts how often it is decoded.
struct Counted;

impl Event for Counted {
    const METHOD: &'static str = "Test.counted";
}

impl<'de> Deserialize<'de> for Counted {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        DECODED.fetch_add(1, Ordering::Relaxed);
        serde::de::IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}

#[tokio::test]
async fn an_event_is_decoded_only_when_somebody_reads_it() {
    let (connection, mut peer) = connected();
    let mut events = connection.root().events(&["Test.counted"]);
    for _ in 0..10 {
        peer.tell("", "Test.counted", json!({})).await;
    }
    let first = events.next().await.expect("an event");
    for _ in 1..10 {
        events.next().await.expect("an event");
    }
    assert_eq!(DECODED.load(Ordering::Relaxed), 0);
    first.read::<Counted>().expect("it can be read");
    assert_eq!(DECODED.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn an_event_that_cannot_be_read_spoils_nothing_else() {
    let (connection, mut peer) = connected();
    let mut events = connection.root().events(&["Page.frameDetached"]);
    for frame in [json!(["odd"]), json!("F")] {
        peer.tell("", "Page.frameDetached", json!({ "frameId": frame })).await;
    }
    assert!(events.next().await.expect("an event").read::<FrameDetached>().is_none());
    assert_eq!(
        events.next().await.expect("an event").read::<FrameDetached>().expect("it can be read").frame_id,
        "F"
    );
}

#[tokio::test]
async fn a_flood_that_nobody_reads_stays_bounded_and_blocks_nobody() {
    const EVENTS: usize = 100;
    const BOUND: usize = 32 * 1024 * 1024;
    let payload = "x".repeat(BOUND / EVENTS * 2);
    let (connection, mut peer) = connected();
    let mut stuck = connection.root().events(&["Runtime.bindingCalled"]);
    let mut other = connection.root().events(&["Page.loadEventFired"]);
    for _ in 0..EVENTS {
        peer.tell("", "Runtime.bindingCalled", json!({ "payload": payload })).await;
    }
    peer.tell("", "Page.loadEventFired", json!({})).await;
    other.next().await.expect("other listeners are served");
    call_works(&connection, &mut peer).await;

    let (mut received, mut bytes) = (0, 0);
    while let Some(event) = stuck.try_next() {
        received += 1;
        bytes += event.params_json().len();
    }
    assert!(bytes <= BOUND && received > 0, "{received} events of {bytes} bytes waited");
    assert_eq!(stuck.dropped_count(), (EVENTS - received) as u64);

    // Once it reads again, it hears again.
    peer.tell("", "Runtime.bindingCalled", json!({ "payload": payload })).await;
    assert!(stuck.next().await.is_some());
}

#[tokio::test]
async fn many_small_events_are_bounded_too() {
    let (connection, mut peer) = connected();
    let stuck = connection.root().events(&["Page.loadEventFired"]);
    let event = b"{\"method\":\"Page.loadEventFired\",\"params\":{}}\0".repeat(1000);
    for _ in 0..150 {
        peer.say_bytes(&event).await;
    }
    call_works(&connection, &mut peer).await;
    assert!(stuck.dropped_count() > 0);
}

async fn call_works(connection: &patchright_mcp::cdp::Connection, peer: &mut Peer) {
    let asked = connection.root().send(Ask { number: 5 });
    let id = peer.hear_id("Test.ask").await;
    peer.answer(id, json!({ "number": 5 })).await;
    assert_eq!(asked.await.expect("a reply").number, 5);
}
