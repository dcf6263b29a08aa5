//! Peers that are slow, wrong, or gone.
use std::time::Duration;

use patchright_mcp::Error;
use serde_json::json;
use tokio::time::Instant;

use super::peer::{Ask, Numbered, bounded, connected};

#[tokio::test]
async fn replies_in_any_order_reach_their_callers() {
    let (connection, mut peer) = connected();
    let asked: Vec<_> = (0..5).map(|number| connection.root().send(Ask { number })).collect();
    let mut ids = Vec::new();
    for _ in 0..5 {
        let command = peer.hear().await.expect("a command");
        ids.push((command["id"].as_u64().expect("an id"), command["params"]["number"].clone()));
    }
    for (id, number) in ids.into_iter().rev() {
        peer.answer(id, json!({ "number": number })).await;
    }
    for (number, reply) in (0..).zip(asked) {
        assert_eq!(reply.await.expect("a reply"), Numbered { number });
    }
}

#[tokio::test]
async fn an_unknown_id_and_a_second_reply_change_nothing() {
    let (connection, mut peer) = connected();
    let first = connection.root().send(Ask { number: 1 });
    let second = connection.root().send(Ask { number: 2 });
    let (first_id, second_id) = (peer.hear_id("Test.ask").await, peer.hear_id("Test.ask").await);
    peer.answer(77, json!({ "number": 77 })).await;
    peer.answer(first_id, json!({ "number": 1 })).await;
    peer.answer(first_id, json!({ "number": 88 })).await;
    peer.answer(second_id, json!({ "number": 2 })).await;
    assert_eq!(first.await.expect("a reply"), Numbered { number: 1 });
    assert_eq!(second.await.expect("a reply"), Numbered { number: 2 });
    assert_eq!(connection.pending(), 0);
}

#[tokio::test]
async fn garbage_between_messages_is_stepped_over() {
    let garbage: [&[u8]; 11] = [
        b"",
        b"not JSON",
        b"\xff\xfe\xfd",
        b"[1,2,3]",
        b"null",
        b"{}",
        br#"{"id":"one","result":{}}"#,
        br#"{"id":-1,"result":{}}"#,
        br#"{"method":"Target.attachedToTarget"}"#,
        br#"{"method":"Target.attachedToTarget","params":[]}"#,
        br#"{"method":"Target.detachedFromTarget","params":{"sessionId":""}}"#,
    ];
    let (connection, mut peer) = connected();
    let asked = connection.root().send(Ask { number: 1 });
    let id = peer.hear_id("Test.ask").await;
    for message in garbage {
        peer.say_bytes(message).await;
        peer.say_bytes(&[0]).await;
    }
    peer.answer(id, json!({ "number": 1 })).await;
    assert_eq!(asked.await.expect("a reply"), Numbered { number: 1 });
}

#[tokio::test]
async fn a_reply_of_the_wrong_shape_is_an_error_of_that_call_alone() {
    let (connection, mut peer) = connected();
    let asked = connection.root().send(Ask { number: 1 });
    let id = peer.hear_id("Test.ask").await;
    peer.answer(id, json!({ "number": "one" })).await;
    let error = asked.await.expect_err("not a number");
    assert!(matches!(error, Error::Unreadable { method: "Test.ask", .. }), "{error:?}");
    assert!(connection.close_reason().is_none());
}

#[tokio::test]
async fn a_message_cut_off_ends_the_connection() {
    let (connection, mut peer) = connected();
    let asked = connection.root().send(Ask { number: 1 });
    let id = peer.hear_id("Test.ask").await;
    peer.say_bytes(format!(r#"{{"id":{id},"result":{{"number":1}}"#).as_bytes()).await;
    drop(peer);
    let error = asked.await.expect_err("half a reply is none");
    assert!(error.to_string().contains("cut off"), "{error}");
}

#[tokio::test]
async fn a_message_may_be_as_large_as_the_bound_and_no_larger() {
    const LARGEST: usize = 300_000;
    for (length, accepted) in [(LARGEST, true), (LARGEST + 1, false)] {
        let (connection, mut peer) = bounded(LARGEST);
        let asked = connection.root().send(Ask { number: 1 });
        let id = peer.hear_id("Test.ask").await;
        let mut reply = format!(r#"{{"id":{id},"result":{{"number":1}},"padding":""#);
        let padding = length - reply.len() - 2;
        reply.extend(std::iter::repeat_n('x', padding));
        reply += "\"}";
        let writing = tokio::spawn(async move {
            peer.say_bytes(reply.as_bytes()).await;
            peer.say_bytes(&[0]).await;
            peer
        });
        let answer = asked.await;
        let _ = writing.await;
        match answer {
            Ok(answer) => assert!(accepted && answer.number == 1),
            Err(error) => {
                assert!(!accepted && error.to_string().contains("largest size"), "{error}");
            }
        }
    }
}

#[tokio::test]
async fn a_message_without_an_end_is_given_up_at_the_bound() {
    let (connection, mut peer) = bounded(100_000);
    let asked = connection.root().send(Ask { number: 1 });
    peer.hear_id("Test.ask").await;
    let flood = tokio::spawn(async move { peer.flood().await });
    let error = asked.await.expect_err("the peer never finished");
    assert!(error.to_string().contains("largest size"), "{error}");
    drop(connection);
    let written = flood.await.expect("the flood ends");
    assert!(written < 100_000 + 3 * 64 * 1024, "{written} bytes were taken in");
}

#[tokio::test]
async fn whichever_command_the_peer_dies_at_all_that_is_pending_fails_at_once() {
    const COMMANDS: u64 = 8;
    for dies_at in 0..=COMMANDS {
        let (connection, mut peer) = connected();
        let session = peer.attach(&connection, "", "S").await;
        let mut events = session.events(&["Page.loadEventFired"]);
        let asked: Vec<_> = (0..COMMANDS).map(|number| session.send(Ask { number })).collect();
        for number in 0..dies_at {
            let id = peer.hear_id("Test.ask").await;
            peer.answer(id, json!({ "number": number })).await;
        }
        drop(peer);
        for (number, reply) in (0..).zip(asked) {
            match reply.await {
                Ok(answer) => assert!(number < dies_at && answer.number == number),
                Err(error) => {
                    assert!(number >= dies_at, "command {number} was answered: {error}");
                    assert_gone(&error);
                }
            }
        }
        assert!(events.next().await.is_none());
        assert!(session.is_closed());
        assert_gone(&connection.wait_for_end().await);
        assert_gone(&session.call(Ask { number: 0 }).await.expect_err("nobody is there"));
        assert_gone(&connection.root().call(Ask { number: 0 }).await.expect_err("nobody is there"));
        assert!(session.events(&["Page.loadEventFired"]).next().await.is_none());
        assert_eq!(connection.pending(), 0);
    }
}

fn assert_gone(error: &Error) {
    assert!(matches!(error, Error::BrowserGone { .. }), "{error:?}");
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_never_answers_costs_the_limit_and_no_more() {
    let (connection, mut peer) = connected();
    let start = Instant::now();
    let error = connection.root().call(Ask { number: 1 }).await.expect_err("no answer");
    assert!(
        matches!(error, Error::NoAnswer { method: "Test.ask", waited } if waited == Duration::from_secs(30)),
        "{error:?}"
    );
    assert_eq!(start.elapsed().as_secs(), 30);

    let start = Instant::now();
    let limit = Duration::from_millis(250);
    connection.root().call_within(Ask { number: 1 }, limit).await.expect_err("no answer");
    assert_eq!(start.elapsed().as_millis(), 250);
    assert_eq!(connection.pending(), 0);

    // A late reply is for nobody, and the next command works.
    let late = peer.hear_id("Test.ask").await;
    peer.hear_id("Test.ask").await;
    peer.answer(late, json!({ "number": 1 })).await;
    let asked = connection.root().send(Ask { number: 3 });
    let id = peer.hear_id("Test.ask").await;
    peer.answer(id, json!({ "number": 3 })).await;
    assert_eq!(asked.await.expect("a reply"), Numbered { number: 3 });
}

#[tokio::test(start_paused = true)]
async fn only_a_silent_browser_is_not_alive() {
    const LIMIT: Duration = Duration::from_secs(8);
    let (connection, mut peer) = connected();
    let start = Instant::now();
    assert!(!connection.is_alive(LIMIT).await);
    assert_eq!(start.elapsed(), LIMIT);

    // This process is paused for longer than the limit; then the browser answers.
    let (asking, connection) = (connection.clone(), connection);
    let alive = tokio::spawn(async move { asking.is_alive(LIMIT).await });
    tokio::task::yield_now().await;
    tokio::time::advance(2 * LIMIT).await;
    peer.say(json!({ "method": "Target.targetInfoChanged", "params": {} })).await;
    assert!(alive.await.expect("an answer"));
    assert_eq!(connection.pending(), 0);
}

#[tokio::test(start_paused = true)]
async fn the_limit_counts_from_when_the_command_was_sent() {
    let (connection, _peer) = connected();
    let start = Instant::now();
    let limit = Duration::from_secs(10);
    let asked: Vec<_> = (0..3).map(|number| connection.root().send(Ask { number }).within(limit)).collect();
    for reply in asked {
        reply.await.expect_err("no answer");
    }
    assert_eq!(start.elapsed().as_secs(), 10);
}

#[tokio::test]
async fn a_reply_that_was_given_up_is_forgotten() {
    let (connection, mut peer) = connected();
    let dropped = connection.root().send(Ask { number: 1 });
    connection.root().send(Ask { number: 2 }).ignore();
    assert_eq!(connection.pending(), 1);
    drop(dropped);
    assert_eq!(connection.pending(), 0);
    // They were sent all the same.
    assert_eq!(peer.hear().await.expect("a command")["params"]["number"], 1);
    assert_eq!(peer.hear().await.expect("a command")["params"]["number"], 2);
}

#[tokio::test]
async fn a_refusal_names_the_method_and_says_what_the_browser_said() {
    let (connection, mut peer) = connected();
    let refusals = [
        (
            json!({ "code": -32602, "message": "Invalid parameters", "data": "url: string expected" }),
            "protocol",
            "the browser refused Test.ask: Invalid parameters: url: string expected",
        ),
        (json!({ "message": "Inspected target navigated or closed" }), "document_gone", ""),
        (json!({ "message": "Cannot find context with specified id" }), "document_gone", ""),
        (json!({ "message": "Session with given id not found." }), "page_closed", ""),
        (json!({ "message": 7 }), "protocol", ""),
        (json!("no"), "protocol", ""),
    ];
    for (refusal, code, text) in refusals {
        let asked = connection.root().send(Ask { number: 1 });
        let id = peer.hear_id("Test.ask").await;
        peer.say(json!({ "id": id, "error": refusal })).await;
        let error = asked.await.expect_err("refused");
        assert_eq!(error.code(), code, "{refusal}");
        assert!(error.to_string().starts_with(text), "{error}");
    }
}

#[tokio::test]
async fn half_a_surrogate_pair_is_replaced_and_the_rest_is_kept() {
    #[derive(Debug, serde::Serialize)]
    struct Text {}
    impl patchright_mcp::cdp::Command for Text {
        const METHOD: &'static str = "Test.text";
        type Reply = String;
    }
    let texts = [
        (r#""a\ud83db""#, "a\u{fffd}b"),
        (r#""\udc00""#, "\u{fffd}"),
        (r#""\ud83d\ud83d\ude00""#, "\u{fffd}😀"),
        (r#""\\ud83d \ud83d""#, "\\ud83d \u{fffd}"),
        (r#""\ud83d\n\ude00""#, "\u{fffd}\n\u{fffd}"),
    ];
    let (connection, mut peer) = connected();
    for (json, text) in texts {
        let asked = connection.root().send(Text {});
        let id = peer.hear_id("Test.text").await;
        peer.say_bytes(format!("{{\"id\":{id},\"result\":{json}}}\0").as_bytes()).await;
        assert_eq!(asked.await.expect(json), text);
    }
}

#[tokio::test]
async fn closing_writes_what_was_sent_before_and_then_hangs_up() {
    let (connection, mut peer) = connected();
    let root = connection.root();
    let asked = root.send(Ask { number: 1 });
    connection.close("it was asked to leave");
    assert_eq!(asked.await.expect_err("closed").to_string(), "the browser is gone: it was asked to leave");
    peer.hear_id("Test.ask").await;
    // Handles that are still held keep nothing open.
    assert!(peer.hear().await.is_none());
    drop((connection, root));
}

#[tokio::test]
async fn closing_does_not_wait_for_a_peer_that_stopped_reading() {
    let (connection, mut peer) = connected();
    let many: Vec<_> = (0..10_000).map(|number| connection.root().send(Ask { number })).collect();
    // The pipe is full: the writer is stuck in the middle of a message.
    tokio::task::yield_now().await;
    connection.close("enough");
    for reply in many {
        assert_gone(&reply.await.expect_err("closed"));
    }
    let received = peer.hear_out().await;
    assert!(received < 3 * 64 * 1024, "{received} bytes were still written");
}

#[tokio::test]
async fn the_last_handle_hangs_up() {
    let (connection, mut peer) = connected();
    let session = peer.attach(&connection, "", "S").await;
    drop(connection);
    session.send(Ask { number: 1 }).ignore();
    peer.hear_id("Test.ask").await;
    drop(session);
    assert!(peer.hear().await.is_none());
}
