//! Nothing that a page can notice goes out without a permit.
use patchright_mcp::Error;
use patchright_mcp::cdp::types::console;
use patchright_mcp::cdp::{CdpSession, DetectableCommandReason};
use serde_json::json;

use super::peer::connected;

const NOTICEABLE: [&str; 6] = [
    "Runtime.enable",
    "Console.enable",
    "Log.enable",
    "Debugger.enable",
    "Target.exposeDevToolsProtocol",
    "Target.sendMessageToTarget",
];

async fn refused(session: &CdpSession, method: &str, permit: Option<DetectableCommandReason>) -> bool {
    matches!(session.call_raw(method, &json!({}), permit).await, Err(Error::Noticeable { .. }))
}

#[tokio::test(start_paused = true)]
async fn what_a_page_can_notice_is_refused_and_never_written() {
    let (connection, mut peer) = connected();
    let page = peer.attach(&connection, "", "P").await;
    for method in NOTICEABLE {
        assert!(refused(&page, method, None).await, "{method}");
        let pulse = refused(&page, method, Some(DetectableCommandReason::ConsoleReadOnce)).await;
        assert!(pulse || method == "Console.enable", "{method}");
        let received = refused(&page, method, Some(DetectableCommandReason::ConsoleSubscribed)).await;
        assert_eq!(received, !NOTICEABLE[..3].contains(&method), "{method}");
        if !received {
            peer.hear_id(method).await;
        }
        if !pulse {
            peer.hear_id(method).await;
        }
    }
    assert!(matches!(page.call(console::Enable {}).await, Err(Error::Noticeable { .. })));
    page.send(console::Disable {}).ignore();
    peer.hear_id("Console.disable").await;
}

#[tokio::test]
async fn a_permit_lets_it_through() {
    let (connection, mut peer) = connected();
    let root = connection.root();
    for method in NOTICEABLE {
        let parameters = json!({});
        let asked = root.call_raw(method, &parameters, Some(DetectableCommandReason::UserAsked));
        let answered = async {
            let id = peer.hear_id(method).await;
            peer.answer(id, json!({ "method": method })).await;
        };
        let (reply, ()) = tokio::join!(asked, answered);
        assert_eq!(reply.expect("a reply")["method"], method);
    }
    root.send_detectable(console::Enable {}, DetectableCommandReason::ConsoleReadOnce).ignore();
    root.send(console::Disable {}).ignore();
    peer.hear_id("Console.enable").await;
    peer.hear_id("Console.disable").await;
}

#[tokio::test]
async fn a_name_is_written_as_it_was_judged() {
    let (connection, mut peer) = connected();
    for name in [
        r#"Page.enable","method":"Runtime.enable"#,
        r"Runtime.\u0065nable",
        "Runtime.enable ",
        "runtime.enable",
        "Page.enable\",\"params\":{}}\0{\"id\":1,\"method\":\"Runtime.enable",
    ] {
        let parameters = json!({});
        let root = connection.root();
        let asked = root.call_raw(name, &parameters, None);
        let received = async {
            let id = peer.hear_id(name).await;
            peer.say(json!({ "id": id, "error": { "message": "no such method" } })).await;
        };
        let (reply, ()) = tokio::join!(asked, received);
        assert!(matches!(reply, Err(Error::Protocol { .. })));
    }
}
