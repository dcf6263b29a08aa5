//! Types are lenient: what we do not know, and what is missing, never fails.
use patchright_mcp::cdp::types::{dom, network, page, runtime, storage, target};
use proptest::prelude::*;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

/// What a browser of another age might do to a field.
#[derive(Debug, Clone)]
enum Change {
    Keep,
    Drop,
    Null,
    Unknown(String, Value),
}

fn change() -> impl Strategy<Value = Change> {
    let value = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
        Just(json!({ "deep": [{ "er": [] }] })),
    ];
    prop_oneof![
        4 => Just(Change::Keep),
        1 => Just(Change::Drop),
        1 => Just(Change::Null),
        1 => ("[a-z]{1,8}", value).prop_map(|(name, value)| Change::Unknown(format!("new{name}"), value)),
    ]
}

/// The value with a change at each field of each object, in turn.
fn changed(value: &Value, changes: &mut impl Iterator<Item = Change>) -> Value {
    match value {
        Value::Object(fields) => {
            let mut result = Map::new();
            for (name, field) in fields {
                // The names in `headers` are a page's, and their values are texts in every browser.
                let field = if name == "headers" { field.clone() } else { changed(field, changes) };
                match changes.next().unwrap_or(Change::Keep) {
                    Change::Keep => drop(result.insert(name.clone(), field)),
                    Change::Drop => {}
                    Change::Null => drop(result.insert(name.clone(), Value::Null)),
                    Change::Unknown(new, value) => {
                        result.insert(new, value);
                        result.insert(name.clone(), field);
                    }
                }
            }
            Value::Object(result)
        }
        Value::Array(items) => items.iter().map(|item| changed(item, changes)).collect(),
        other => other.clone(),
    }
}

/// A message as Chromium 156 sends it, and what must be read from it whenever the field is there.
struct Sample {
    json: Value,
    read: fn(&str) -> Result<String, serde_json::Error>,
    pointer: &'static str,
}

fn read<T: DeserializeOwned>(text: &str, field: fn(T) -> String) -> Result<String, serde_json::Error> {
    serde_json::from_str(text).map(field)
}

fn samples() -> Vec<Sample> {
    vec![
        Sample {
            json: json!({
                "requestId": "1000.1", "loaderId": "L", "documentURL": "http://a/", "timestamp": 1.5, "wallTime": 2.5,
                "request": { "url": "http://a/", "method": "GET", "headers": { "Accept": "*/*" }, "hasPostData": true,
                             "postDataEntries": [{ "bytes": "YQ==" }], "mixedContentType": "none" },
                "initiator": { "type": "parser", "url": "http://a/", "lineNumber": 3 },
                "redirectResponse": { "url": "http://a/", "status": 302, "statusText": "Found", "headers": {},
                                      "mimeType": "", "remoteIPAddress": "127.0.0.1", "encodedDataLength": 10,
                                      "timing": { "requestTime": 1, "dnsStart": -1, "sendEnd": 0.5 } },
                "type": "Document", "frameId": "F", "redirectHasExtraInfo": false,
            }),
            read: |text| read::<network::RequestWillBeSent>(text, |event| event.document_url),
            pointer: "/documentURL",
        },
        Sample {
            json: json!({
                "sessionId": "S", "waitingForDebugger": true,
                "targetInfo": { "targetId": "T", "type": "page", "title": "", "url": "about:blank", "attached": true,
                                "canAccessOpener": false, "browserContextId": "C", "openerId": "O" },
            }),
            read: |text| read::<target::AttachedToTarget>(text, |event| event.target_info.kind),
            pointer: "/targetInfo/type",
        },
        Sample {
            json: json!({
                "frameTree": {
                    "frame": { "id": "F", "loaderId": "L", "url": "http://a/", "mimeType": "text/html" },
                    "childFrames": [{ "frame": { "id": "G", "parentId": "F", "loaderId": "M", "url": "http://b/" } }],
                },
            }),
            read: |text| read::<page::FrameTreeReply>(text, |reply| reply.frame_tree.frame.mime_type),
            pointer: "/frameTree/frame/mimeType",
        },
        Sample {
            json: json!({
                "result": { "type": "object", "subtype": "error", "className": "E", "description": "E: no", "objectId": "1.2.3" },
                "exceptionDetails": { "exceptionId": 1, "text": "Uncaught", "lineNumber": 0, "columnNumber": 7,
                                      "stackTrace": { "callFrames": [] }, "exception": { "type": "object" } },
            }),
            read: |text| {
                read::<runtime::Evaluated>(text, |reply| reply.exception_details.unwrap_or_default().text)
            },
            pointer: "/exceptionDetails/text",
        },
        Sample {
            json: json!({
                "node": { "nodeId": 0, "backendNodeId": 5, "nodeType": 1, "nodeName": "IFRAME", "localName": "iframe",
                          "nodeValue": "", "frameId": "F", "shadowRoots": [{ "nodeId": 0, "shadowRootType": "closed" }],
                          "contentDocument": { "nodeName": "#document", "children": [] } },
            }),
            read: |text| read::<dom::Described>(text, |reply| reply.node.node_name),
            pointer: "/node/nodeName",
        },
        Sample {
            json: json!({
                "cookies": [{ "name": "n", "value": "v", "domain": "a", "path": "/", "expires": -1, "httpOnly": true,
                              "secure": false, "session": true, "sameSite": "Lax",
                              "partitionKey": { "topLevelSite": "http://a", "hasCrossSiteAncestor": false } }],
            }),
            read: |text| {
                read::<storage::Cookies>(text, |reply| {
                    reply.cookies.into_iter().map(|cookie| cookie.value).collect()
                })
            },
            pointer: "/cookies/0/value",
        },
    ]
}

proptest! {
    #[test]
    fn fields_may_come_and_go(changes in proptest::collection::vec(change(), 0..60)) {
        for sample in samples() {
            let mut changes = changes.iter().cloned();
            let json = changed(&sample.json, &mut changes);
            let text = json.to_string();
            let read = (sample.read)(&text).map_err(|error| TestCaseError::fail(format!("{error} in {text}")))?;
            let expected = json.pointer(sample.pointer).and_then(Value::as_str).unwrap_or_default();
            prop_assert_eq!(read, expected);
        }
    }
}

#[test]
fn what_is_not_set_stays_off_the_wire() {
    let navigate = page::Navigate { url: "about:blank".to_owned(), ..page::Navigate::default() };
    assert_eq!(serde_json::to_value(navigate).expect("it is JSON"), json!({ "url": "about:blank" }));
    let print = page::PrintToPdf { prefer_css_page_size: Some(true), ..page::PrintToPdf::default() };
    assert_eq!(serde_json::to_value(print).expect("it is JSON"), json!({ "preferCSSPageSize": true }));
}
