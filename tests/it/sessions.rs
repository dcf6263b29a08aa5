//! Sessions: their tools, their end, and how many there may be.
use std::collections::BTreeSet;
use std::num::NonZeroUsize;
use std::time::Duration;

use futures_util::future::join_all;
use patchright_mcp::browser::find::Channel;
use patchright_mcp::cli;
use patchright_mcp::mcp::settings::Settings;
use patchright_mcp::messages::sessions::{SESSION_EXPIRED_HELP, SESSION_LIMIT_HELP, SESSION_NOT_FOUND_HELP};
use patchright_mcp::session::BrowserSource;
use patchright_mcp::session::registry::{SessionError, SessionOptions, Sessions};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Value, json};
use tokio::runtime::Handle;

use crate::support::{Desk, with_server, with_server_alone};

fn options(lifetime: Duration, limit: usize) -> Settings {
    let sessions = SessionOptions { lifetime, limit: NonZeroUsize::new(limit).unwrap() };
    Settings { sessions, ..Settings::default() }
}

const PAGE: &str = "<!doctype html><title>Page</title><input id=field value=old>\
    <input id=fixed readonly><button id=button style='width:200px' onclick='this.textContent = event.detail'>Press</button>\
    <button id=off disabled>Off</button><button id=gone style='display:none'>Gone</button><p id=text>Words</p>\
    <div id=host></div><script>document.querySelector('#host').attachShadow({mode: 'open'}).innerHTML =\
    '<button id=inner>Inside</button>'</script>";

async fn error(desk: &Desk, tool: &str, arguments: Value) -> Value {
    let answer = desk.call(tool, arguments).await;
    assert!(answer.is_error, "{}", answer.text);
    assert_eq!(answer.result["content"].as_array().unwrap().len(), 1);
    answer.json()
}

#[test]
fn a_session_is_used_from_its_beginning_to_its_end() {
    with_server(Settings::default(), async |desk, site| {
        site.page("/page", PAGE);
        let created = desk.call("create_session", json!({})).await.json();
        assert_eq!(created["message"], "Session created successfully");
        let id = created["sessionId"].as_str().unwrap();
        assert!(uuid_v4(id), "{id}");
        let answer = desk.call("navigate", json!({"sessionId": id, "url": site.url("/page")})).await;
        assert_eq!(
            answer.json(),
            json!({"success": true, "title": "Page", "url": site.url("/page"), "status": 200})
        );
        assert_eq!(answer.structured()["untrusted"], json!(["title", "url"]));
        for selector in ["#button", "//button[@id='button']", "xpath=//button[1]", "text=Press", "#inner"] {
            let answer = desk.call("click", json!({"sessionId": id, "selector": selector})).await;
            assert_eq!(answer.json(), json!({"success": true, "message": "Click successful"}), "{selector}");
            let reset = json!({"sessionId": id, "function": "() => { button.textContent = 'Press' }"});
            desk.call("browser_evaluate", reset).await;
        }
        desk.call("click", json!({"sessionId": id, "selector": "#button", "clickCount": 2})).await;
        assert_eq!(read(&desk, id, "button.textContent").await, "2");
        for (clear, expected) in [(false, "old new"), (true, " new")] {
            let arguments =
                json!({"sessionId": id, "selector": "#field", "text": " new", "delay": 1, "clear": clear});
            let answer = desk.call("type", arguments).await;
            assert_eq!(answer.json(), json!({"success": true, "message": "Type successful"}));
            assert_eq!(read(&desk, id, "field.value").await, expected);
        }
        let answer = desk.call("close_session", json!({"sessionId": id})).await;
        assert_eq!(answer.json(), json!({"success": true, "message": "Session closed successfully"}));
        let error = error(&desk, "navigate", json!({"sessionId": id, "url": site.url("/page")})).await;
        assert_eq!(error["errorCode"], "SESSION_NOT_FOUND");
    });
}

#[test]
fn a_session_of_somebody_else_never_was() {
    with_server(options(Duration::from_secs(2), 10), async |desk, _site| {
        let own = &desk.dispatcher.sessions;
        let foreign = own.for_owner("somebody else".into());
        let (mine, theirs) = (own.create().await.unwrap(), foreign.create().await.unwrap());
        let unknown = |session| matches!(session, Err(SessionError::NotFound));
        assert!(unknown(foreign.get(&mine.id)) && unknown(own.get(&theirs.id)));
        assert!(matches!(foreign.close(&mine.id).await, Err(SessionError::NotFound)));
        foreign.close(&theirs.id).await.unwrap();
        assert!(own.get(&mine.id).is_ok());
        while own.is_live_for_any_owner(&mine.id) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        assert!(matches!(own.get(&mine.id), Err(SessionError::Expired)));
        assert!(unknown(foreign.get(&mine.id)));
    });
}

async fn read(desk: &Desk, session: &str, expression: &str) -> String {
    let arguments = json!({"sessionId": session, "function": format!("() => {expression}")});
    let answer = desk.call("browser_evaluate", arguments).await;
    let text = answer.text.strip_prefix("### Result\n").unwrap_or_else(|| panic!("{}", answer.text));
    assert!(text.contains(&format!("### Session\n{session}")), "{text}");
    text.split("\n### Session").next().unwrap().to_owned()
}

fn uuid_v4(id: &str) -> bool {
    let parts: Vec<_> = id.split('-').collect();
    parts.iter().map(|part| part.len()).eq([8, 4, 4, 4, 12])
        && id.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
        && parts[2].starts_with('4')
}

#[test]
fn each_failure_has_a_code_of_its_own() {
    with_server(Settings::default(), async |desk, site| {
        site.page("/page", PAGE);
        let id = desk.session().await;
        desk.call("navigate", json!({"sessionId": id, "url": site.url("/page")})).await;
        let nowhere = "http://127.0.0.1:1/";
        for (tool, arguments, code, message) in [
            (
                "click",
                json!({"selector": "#none", "timeout": 1000}),
                "ELEMENT_NOT_FOUND",
                "Element not found: #none".to_owned(),
            ),
            (
                "click",
                json!({"selector": "#off", "timeout": 1000}),
                "ELEMENT_NOT_CLICKABLE",
                "Element not clickable: #off".to_owned(),
            ),
            (
                "click",
                json!({"selector": "#gone", "timeout": 1000}),
                "ELEMENT_NOT_CLICKABLE",
                "Element not clickable: #gone".to_owned(),
            ),
            (
                "type",
                json!({"selector": "#none", "text": "", "timeout": 1000}),
                "ELEMENT_NOT_FOUND",
                "Element not found: #none".to_owned(),
            ),
            (
                "type",
                json!({"selector": "#fixed", "text": "x", "timeout": 1000}),
                "ELEMENT_NOT_EDITABLE",
                "Element not editable: #fixed".to_owned(),
            ),
            (
                "type",
                json!({"selector": "#text", "text": "x", "timeout": 1000}),
                "ELEMENT_NOT_EDITABLE",
                "Element not editable: #text".to_owned(),
            ),
            ("click", json!({"selector": "p(("}), "INVALID_PARAMETERS", "Invalid parameters".to_owned()),
            ("navigate", json!({}), "INVALID_PARAMETERS", "sessionId and url are required".to_owned()),
            ("click", json!({}), "INVALID_PARAMETERS", "sessionId and selector are required".to_owned()),
            (
                "type",
                json!({"selector": "#field"}),
                "INVALID_PARAMETERS",
                "sessionId, selector, and text are required".to_owned(),
            ),
            (
                "navigate",
                json!({"url": "x", "waitUntil": "never"}),
                "INVALID_PARAMETERS",
                "Invalid parameters".to_owned(),
            ),
            (
                "navigate",
                json!({"url": nowhere}),
                "NAVIGATION_FAILED",
                format!("Navigation failed for URL: {nowhere}"),
            ),
        ] {
            let mut with_session = arguments.clone();
            with_session["sessionId"] = id.clone().into();
            let error = error(&desk, tool, with_session).await;
            assert_eq!(
                (&error["errorCode"], &error["message"]),
                (&json!(code), &json!(message)),
                "{tool} {arguments}: {error}"
            );
            assert_eq!(error["sessionId"], json!(id));
        }
        let error = error(&desk, "close_session", json!({})).await;
        assert_eq!(
            error,
            json!({
                "errorCode": "INVALID_PARAMETERS", "message": "sessionId is required",
                "details": {
                    "problems": ["`sessionId` is missing; it is a string"],
                    "next": "Pass the sessionId from create_session.",
                },
            })
        );
    });
}

#[test]
fn a_session_ends_at_the_time_that_was_reported_and_frees_its_slot() {
    with_server(options(Duration::from_millis(1500), 1), async |desk, site| {
        site.page("/page", PAGE);
        let created = desk.call("create_session", json!({})).await.json();
        let id = created["sessionId"].as_str().unwrap();
        let session = desk.dispatcher.sessions.get(id).unwrap();
        let context = session.workspace.get_or_create_active_context().await.unwrap();
        let full = error(&desk, "create_session", json!({})).await;
        assert_eq!(
            full,
            json!({
                "errorCode": "MAX_SESSIONS_REACHED",
                "message": "Maximum number of sessions (1) reached",
                "details": {"next": SESSION_LIMIT_HELP},
            })
        );
        // What is done in it does not lengthen its life, and what its end interrupts says so.
        let arguments = json!({"sessionId": id, "selector": "#never", "timeout": 10_000});
        let interrupted = error(&desk, "click", arguments).await;
        assert_eq!(interrupted["errorCode"], "SESSION_EXPIRED", "{interrupted}");
        for tool in ["click", "close_session"] {
            let mut arguments = json!({"sessionId": id});
            if tool == "click" {
                arguments["selector"] = json!("#x");
            }
            let error = error(&desk, tool, arguments).await;
            assert_eq!(error["errorCode"], "SESSION_EXPIRED");
            assert_eq!(error["message"], format!("Session expired: {id}"));
            assert_eq!(error["sessionId"], id);
            assert_eq!(error["details"], json!({"next": SESSION_EXPIRED_HELP}));
        }
        let answer = desk.call("browser_navigate", json!({"url": site.url("/page"), "sessionId": id})).await;
        assert_eq!(answer.json()["errorCode"], "SESSION_EXPIRED");
        assert!(uuid_v4(&desk.session().await));
        let closed = async {
            while !context.is_closed() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_secs(10), closed).await.expect("the session's context is closed");
    });
}

#[test]
fn many_sessions_at_once_keep_apart_and_leave_nothing() {
    const MANY: usize = 100;
    with_server_alone(options(Duration::from_secs(300), MANY), async |desk, site| {
        site.page("/page", PAGE);
        let browser = desk.dispatcher.services.engine.get_or_launch_browser().await.unwrap();
        let before = browser.contexts().len();
        let created =
            futures_util::future::join_all((0..MANY + 10).map(|_| desk.call("create_session", json!({}))))
                .await;
        let (full, created): (Vec<_>, Vec<_>) = created.into_iter().partition(|answer| answer.is_error);
        assert_eq!(full.len(), 10, "{:?}", full.first());
        assert!(full.iter().all(|answer| answer.json()["errorCode"] == "MAX_SESSIONS_REACHED"));
        let ids: BTreeSet<_> =
            created.iter().map(|answer| answer.json()["sessionId"].as_str().unwrap().to_owned()).collect();
        assert_eq!(ids.len(), MANY);
        let used = ids.iter().enumerate().map(async |(number, id)| {
            let answer = desk
                .call("navigate", json!({"sessionId": id, "url": site.url("/page"), "timeout": 60_000}))
                .await;
            assert_eq!(answer.json()["success"], true, "{}", answer.text);
            let function = format!(
                "() => {{ localStorage.n = (localStorage.n ?? '') + '{number}'; return localStorage.n }}"
            );
            let answer = desk.call("browser_evaluate", json!({"sessionId": id, "function": function})).await;
            assert!(answer.text.starts_with(&format!("### Result\n{number}\n")), "{}", answer.text);
        });
        futures_util::future::join_all(used).await;
        let closed = ids.iter().map(|id| desk.call("close_session", json!({"sessionId": id})));
        assert!(futures_util::future::join_all(closed).await.iter().all(|answer| !answer.is_error));
        assert_eq!(desk.dispatcher.sessions.count_for_all_owners(), 0);
        assert_eq!(browser.contexts().len(), before);
    });
}

#[test]
fn a_caller_that_goes_away_while_a_session_is_made_leaves_none() {
    with_server(options(Duration::from_secs(300), 1), async |desk, _site| {
        desk.dispatcher.services.engine.get_or_launch_browser().await.unwrap();
        for patience in [0, 1, 3, 10, 30] {
            let create = desk.call("create_session", json!({}));
            if tokio::time::timeout(Duration::from_millis(patience), create).await.is_ok() {
                break;
            }
            let freed = async {
                loop {
                    let answer = desk.call("create_session", json!({})).await;
                    if let Some(id) = answer.json()["sessionId"].as_str() {
                        break desk.call("close_session", json!({"sessionId": id})).await;
                    }
                    tokio::task::yield_now().await;
                }
            };
            let answer =
                tokio::time::timeout(Duration::from_secs(10), freed).await.expect("the slot is given back");
            assert!(!answer.is_error);
        }
    });
}

/// Checks a property of a running browser on a hundred cases.
fn for_any<S: Strategy>(strategy: S, property: impl AsyncFn(S::Value)) {
    let mut runner = TestRunner::new(Config { cases: 100, failure_persistence: None, ..Config::default() });
    let run = || {
        runner.run(&strategy, |value| {
            Handle::current().block_on(property(value));
            Ok(())
        })
    };
    tokio::task::block_in_place(run).unwrap();
}

/// Properties 1, 2, 3, 9, 10 and 11: unique ids, ends as configured, closing, the limit, one browser.
#[test]
fn sessions_are_as_configured() {
    with_server(Settings::default(), async |desk, _site| {
        let engine = &desk.dispatcher.services.engine;
        let browser = engine.get_or_launch_browser().await.unwrap();
        let seen = std::cell::RefCell::new(BTreeSet::new());
        for_any((1_000_u64..1_000_000_000, 1_usize..3), async |(lifetime, limit)| {
            let options = SessionOptions {
                lifetime: Duration::from_millis(lifetime),
                limit: NonZeroUsize::new(limit).unwrap(),
            };
            let sessions = Sessions::new(engine.clone(), options);
            for _ in 0..limit {
                let session = sessions.create().await.unwrap();
                assert!(uuid_v4(&session.id) && seen.borrow_mut().insert(session.id.to_string()));
                assert_eq!(session.expires_at, session.created_at + lifetime);
                let context = session.workspace.get_or_create_active_context().await.unwrap();
                assert!(context.browser().unwrap() == browser);
            }
            assert!(
                matches!(sessions.create().await, Err(SessionError::LimitReached { limit: answer }) if answer == limit)
            );
            assert_eq!(sessions.count_for_all_owners(), limit);
            let live = seen
                .borrow()
                .iter()
                .filter(|id| sessions.is_live_for_any_owner(id))
                .cloned()
                .collect::<Vec<_>>();
            for id in &live {
                sessions.close(id).await.unwrap();
                assert!(matches!(sessions.get(id), Err(SessionError::NotFound)));
            }
            assert_eq!(sessions.count_for_all_owners(), 0);
        });
    });
}

/// Properties 4, 13 and 14: an id that is none has one error, with its code, a message and the id.
#[test]
fn an_id_that_is_none_is_not_found_by_any_tool() {
    with_server(Settings::default(), async |desk, _site| {
        for_any((".{1,60}", 0_usize..4), async |(id, tool)| {
            let (tool, mut arguments) = [
                ("navigate", json!({"url": "http://a"})),
                ("click", json!({"selector": "a"})),
                ("type", json!({"selector": "a", "text": ""})),
                ("close_session", json!({})),
            ][tool]
                .clone();
            arguments["sessionId"] = id.clone().into();
            let expected = json!({
                "errorCode": "SESSION_NOT_FOUND", "message": format!("Session not found: {id}"), "sessionId": id,
                "details": {"next": SESSION_NOT_FOUND_HELP},
            });
            assert_eq!(error(&desk, tool, arguments).await, expected);
        });
    });
}

/// Properties 5, 6 and 12: what works says so, and no session sees what another stores.
#[test]
fn what_works_says_so_and_stays_in_its_session() {
    let mut settings = Settings::default();
    settings.sessions.limit = NonZeroUsize::new(2).unwrap();
    with_server(settings, async |desk, site| {
        site.page("/page", PAGE);
        let (one, other) = (desk.session().await, desk.session().await);
        for_any("[a-h]{1,4}", async |word| {
            let visits = [&one, &other].map(|session| {
                desk.call("navigate", json!({"sessionId": session, "url": site.url("/page")}))
            });
            for answer in join_all(visits).await {
                let expected =
                    json!({"success": true, "title": "Page", "url": site.url("/page"), "status": 200});
                assert_eq!(answer.json(), expected);
            }
            let typed = json!({"sessionId": one, "selector": "#field", "text": word, "clear": true});
            assert_eq!(desk.call("type", typed).await.json()["success"], true);
            let pressed = json!({"sessionId": one, "selector": "#button", "force": true});
            assert_eq!(desk.call("click", pressed).await.json()["success"], true);
            read(&desk, &one, "{ document.cookie = 'k=' + field.value; localStorage.k = field.value }").await;
            assert_eq!(
                read(&desk, &one, "document.cookie + localStorage.k").await,
                format!("k={word}{word}")
            );
            assert_eq!(read(&desk, &other, "document.cookie + localStorage.k").await, "undefined");
        });
    });
}

proptest! {
    #![proptest_config(Config { cases: 100, ..Config::default() })]

    /// Properties 7 and 8: whatever browser and mode are asked for are configured.
    #[test]
    fn the_browser_is_configured_as_asked_for(name in 0_usize..5, headless: bool, sessions in 1_usize..500) {
        let name = ["chromium", "chrome", "msedge", "firefox", "webkit"][name];
        let arguments = format!("--browser {name} --headless {headless} --max-sessions {sessions}");
        let config = cli::configure(arguments.split(' ').map(Into::into), []).unwrap();
        prop_assert_eq!(config.settings.sessions.limit.get(), sessions);
        match config.engine.source {
            BrowserSource::Launch(launch) => {
                prop_assert_eq!(launch.channel, Channel::from_name(name).unwrap());
                prop_assert_eq!(launch.headless, Some(headless));
            }
            BrowserSource::Webkit(_) => prop_assert_eq!(name, "webkit"),
            BrowserSource::Unsupported { .. }
            | BrowserSource::Attach { .. } | BrowserSource::Join { .. } | BrowserSource::Pool(_) | BrowserSource::Shared { .. } => {
                prop_assert!(false);
            }
        }
    }
}
