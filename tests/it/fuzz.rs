//! Readers of what others wrote, fed with what is almost right: good examples, changed in a few places. Whatever comes, a
//! reader answers, and what it took it can write and read again. `make fuzz` does the same for long.
use std::collections::HashMap;
use std::time::Duration;

use patchright_mcp::browser::StorageState;
use patchright_mcp::browser::policy::{OriginPattern, Policy};
use patchright_mcp::browser::selector::Selector;
use patchright_mcp::cdp::Connection;
use patchright_mcp::cdp::transport::Pipe;
use patchright_mcp::cdp::types::target::GetTargets;
use patchright_mcp::mcp::arguments;
use patchright_mcp::mcp::tools;
use patchright_mcp::snapshot::{self, Options, Tree};
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt as _, duplex, split};
use url::Url;

const WALKS: [&str; 2] = [
    r#"{"first":1,"last":9,"suspects":0,"nodes":[[0,"heading",1,"Title",{"l":1}],[0],[1,"text "],[1,"link",2,"More",{"u":"/more"}],[0,"list",3,""],[1,"listitem",4,"One"],[1,"textbox",5,"Name",{"v":"Ada","q":1,"a":1}],[0,"iframe",6,"",{"f":1}],[0,"combobox",7,"Size",{"o":["S","M"],"n":3}],[0,"checkbox",8,"Yes",{"k":2}]]}"#,
    r#"{"first":10,"last":12,"suspects":1,"cut":2,"unseen":true,"nodes":[[0,"generic",11,"",{"c":2,"b":[1,2,30,40],"in":[3,4]}],[4,"button",12,"Go",{"d":1,"x":0}]]}"#,
];
const STATES: [&str; 2] = [
    r#"{"cookies":[{"name":"a","value":"b","domain":".example.com","path":"/","expires":-1,"httpOnly":true,"secure":true,"sameSite":"Lax"}],"origins":[{"origin":"https://example.com","localStorage":[{"name":"k","value":"v"}]}]}"#,
    r#"{"cookies":[],"origins":[{"origin":"http://127.0.0.1:8080","localStorage":[],"indexedDB":[{"name":"db","version":1,"stores":[]}]}]}"#,
];
const MESSAGES: [&str; 6] = [
    r#"{"id":1,"result":{"targetInfos":[{"targetId":"A","type":"page","title":"","url":"","attached":true}]}}"#,
    r#"{"id":1,"error":{"code":-32602,"message":"No","data":"why"}}"#,
    r#"{"method":"Target.attachedToTarget","params":{"sessionId":"S","targetInfo":{"targetId":"A"}}}"#,
    r#"{"method":"Target.detachedFromTarget","params":{"sessionId":"S"}}"#,
    r#"{"method":"Inspector.targetCrashed","params":{},"sessionId":"S"}"#,
    r#"{"method":"Page.frameNavigated","params":{"frame":{"id":"A","url":"\ud83d"}},"sessionId":"S"}"#,
];
const SELECTORS: [&str; 5] = [
    "div > a[href^='/x']:nth-child(2n+1):not(.b, #c) >> text=\"Say\" >> nth=-1",
    "internal:role=button[name=\"Go\"i][pressed=mixed] >> visible=true",
    "xpath=//div[@id='a']/following-sibling::p[last()]",
    "css=li:has(> span:has-text('x')):right-of(:text-is('y'), 20)",
    "internal:has=\"internal:text=\\\"a\\\"i\" >> internal:or=\"#b\"",
];
const ORIGINS: [&str; 5] =
    ["https://example.com", "*.example.com:*", "http://[::1]:8080", "192.168.0.1", "xn--bcher-kva.example."];

/// What readers stumble over.
const PIECES: [&str; 24] = [
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "null",
    "-1",
    "1e999",
    "18446744073709551616",
    "\\ud83d",
    "\u{0}",
    "\u{202e}",
    "é",
    "🙂",
    " ",
    "\n",
    "(",
    ")",
    ">>",
    "*",
    "%00",
];

#[derive(Debug, Clone)]
enum Change {
    Insert(Index, String),
    Remove(Index, usize),
    Repeat(Index, usize, usize),
    Replace(Index, char),
}

fn change() -> impl Strategy<Value = Change> {
    let piece = prop_oneof![4 => select(PIECES.to_vec()).prop_map(str::to_owned), 1 => any::<String>()];
    prop_oneof![
        (any::<Index>(), piece).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (any::<Index>(), 1..20_usize).prop_map(|(at, length)| Change::Remove(at, length)),
        (any::<Index>(), 1..20_usize, 2..300_usize)
            .prop_map(|(at, length, times)| Change::Repeat(at, length, times)),
        (any::<Index>(), any::<char>()).prop_map(|(at, character)| Change::Replace(at, character)),
    ]
}

/// One of these texts, changed in a few places.
fn almost(texts: &'static [&'static str]) -> impl Strategy<Value = String> {
    (select(texts), proptest::collection::vec(change(), 0..6)).prop_map(|(text, changes)| {
        let mut text: Vec<char> = text.chars().collect();
        for change in &changes {
            text = changed(text, change);
        }
        text.into_iter().collect()
    })
}

fn changed(mut text: Vec<char>, change: &Change) -> Vec<char> {
    let part = |text: &[char], at: &Index, length: usize| {
        let at = at.index(text.len() + 1);
        at..(at + length).min(text.len())
    };
    match change {
        Change::Insert(at, piece) => {
            let at = at.index(text.len() + 1);
            text.splice(at..at, piece.chars());
        }
        Change::Remove(at, length) => drop(text.drain(part(&text, at, *length))),
        Change::Repeat(at, length, times) => {
            let part = part(&text, at, *length);
            let again = text[part.clone()].repeat(*times);
            text.splice(part.end..part.end, again);
        }
        Change::Replace(at, character) if !text.is_empty() => {
            let at = at.index(text.len());
            text[at] = *character;
        }
        Change::Replace(..) => {}
    }
    text
}

/// Any JSON, such as an argument could be.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(|number| json!(number)),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 5, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            proptest::collection::hash_map(".{0,6}", inner, 0..5)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

fn tree(first: &str, second: &str) -> Option<Tree> {
    let frames = [(0, snapshot::Frame::parse(first).ok()?), (1, snapshot::Frame::parse(second).ok()?)];
    Some(Tree::assemble(0, 0, 0, 0, HashMap::from(frames)))
}

proptest! {
    #[test]
    fn any_walk_is_shown_and_compared(one in almost(&WALKS), two in almost(&WALKS), three in almost(&WALKS)) {
        if let (Some(old), Some(new)) = (tree(&one, &two), tree(&one, &three)) {
            let options = Options { all_refs: true, ..Options::default() };
            let shown = snapshot::render(&new, &options);
            prop_assert!(shown.text.chars().count() <= options.max_chars);
            let _ = snapshot::diff(&old, &new).render(&options);
        }
    }

    #[test]
    fn any_state_that_is_read_is_written_and_read_again(text in almost(&STATES)) {
        if let Ok(state) = StorageState::parse(&text) {
            let written = state.to_json().unwrap();
            let again = StorageState::parse(&written).map(|state| state.to_json().unwrap());
            prop_assert_eq!(again, Ok(written));
        }
    }

    #[test]
    fn any_selector_is_read_or_refused(text in almost(&SELECTORS)) {
        let _ = Selector::parse(&text);
    }

    /// And what a blocked pattern fits is not opened, however else it is written.
    #[test]
    fn any_pattern_of_an_origin_is_read_or_refused(text in almost(&ORIGINS), url in almost(&ORIGINS)) {
        let pattern = text.parse::<OriginPattern>();
        if let (Ok(pattern), Ok(url)) = (pattern, Url::parse(&url)) {
            let blocking = Policy { blocked: vec![pattern.clone()], ..Policy::default() };
            let allowing = Policy { allowed: vec![pattern], ..Policy::default() };
            let is_web = ["http", "https", "ws", "wss"].contains(&url.scheme()) && url.has_host();
            prop_assert!(!is_web || blocking.permits(&url) != allowing.permits(&url), "{text} {url}");
        }
    }

    #[test]
    fn any_arguments_are_taken_or_all_that_is_wrong_is_reported(
        at in any::<Index>(),
        given in proptest::collection::hash_map(select(vec![
            "ref", "target", "text", "url", "time", "paths", "values", "fields", "steps", "index", "action", "timeout", "x",
        ]), any_json(), 0..6),
    ) {
        let tool = &tools::ALL_TOOLS[at.index(tools::ALL_TOOLS.len())];
        let mut given = given.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        for problem in arguments::check_arguments(tool.schema(), &mut given) {
            prop_assert!(!problem.is_empty() && problem.len() < 2_000, "{problem}");
        }
    }

    /// Whatever the browser writes between two messages, the second is answered, or the connection is over.
    #[test]
    fn any_messages_leave_a_connection_that_works_or_says_that_it_ended(
        messages in proptest::collection::vec(almost(&MESSAGES), 0..8),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        runtime.block_on(async {
            let (ours, mut theirs) = duplex(1 << 20);
            let (reader, writer) = split(ours);
            let connection = Connection::start(Pipe::new(reader, writer));
            let asked = connection.root().send(GetTargets::default()).within(Duration::from_secs(20));
            for message in &messages {
                theirs.write_all(message.replace('\0', "").as_bytes()).await.unwrap();
                theirs.write_all(&[0]).await.unwrap();
            }
            theirs.write_all(b"{\"id\":1,\"result\":{}}\0").await.unwrap();
            let answered = asked.await;
            assert!(!matches!(answered, Err(patchright_mcp::Error::NoAnswer { .. })), "{answered:?}");
            assert_eq!(connection.pending(), 0);
        });
    }
}
