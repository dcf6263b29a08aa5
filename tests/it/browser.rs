//! The engine against a real Chromium, on pages served on loopback.
use std::time::Duration;

use patchright_mcp::Error;
use patchright_mcp::browser::{
    ConsoleLevel, ContextOptions, NavigateOptions, NavigationOutcome, Page, ScriptWorld, WaitUntil,
};
use serde_json::json;

use crate::support::{drive, open};

const LIMIT: Duration = Duration::from_secs(10);

#[test]
fn a_page_opens_navigates_and_answers() {
    drive(async |context, site| {
        site.page("/", "<title>First</title><p>Hello</p><script>var fromThePage = 41</script>");
        let page = context.new_page().await.unwrap();
        let arrival = page.goto(&site.url("/"), &NavigateOptions::default()).await.unwrap();
        let NavigationOutcome::Document(Some(response)) = arrival else { panic!("{arrival:?}") };
        assert_eq!(response.status, 200);
        assert_eq!(page.title().await, "First");
        let frame = page.main_frame();
        assert_eq!(
            frame.evaluate("() => fromThePage + 1", vec![], ScriptWorld::Main).await.unwrap(),
            json!(42)
        );
        let isolated = frame.evaluate("typeof fromThePage", vec![], ScriptWorld::Isolated).await.unwrap();
        assert_eq!(isolated, json!("undefined"));
    });
}

#[test]
fn frames_of_both_kinds_answer_in_both_worlds() {
    drive(async |context, site| {
        let inner = |name: &str| format!("<p>{name}</p><script>var mine = '{name}'</script>");
        site.page("/same", &inner("same"));
        site.page("/other", &inner("other"));
        site.page("/deep", &format!("{}<iframe src='ORIGIN/same'></iframe>", inner("deep")));
        let html = "<iframe src='/same'></iframe><iframe src='OTHER/other'></iframe><iframe src='OTHER/deep'></iframe>";
        let page = open(&context, &site, html).await;
        assert_eq!(page.frames().len(), 5);
        let mut found = Vec::new();
        for frame in page.frames().into_iter().skip(1) {
            let mine = frame.evaluate("mine", vec![], ScriptWorld::Main).await.unwrap();
            let text = frame
                .evaluate("document.querySelector('p').innerText", vec![], ScriptWorld::Isolated)
                .await
                .unwrap();
            assert_eq!(mine, text, "{}", frame.url());
            let separate = frame.session().id() != page.session().id();
            found.push((mine.as_str().unwrap().to_owned(), separate));
            assert!(frame.owner_element().await.unwrap().is_some());
        }
        found.sort();
        let expected = [("deep", true), ("other", true), ("same", false), ("same", true)];
        assert_eq!(found, expected.map(|(name, separate)| (name.to_owned(), separate)));
    });
}

#[test]
fn history_goes_back_and_forward_and_ends() {
    drive(async |context, site| {
        let page = open(&context, &site, "<title>One</title>").await;
        site.page("/two", "<title>Two</title>");
        let options = NavigateOptions::default();
        page.goto(&site.url("/two"), &options).await.unwrap();
        page.goto(&site.url("/two#part"), &options).await.unwrap();
        assert!(page.url().ends_with("/two#part"));
        assert!(matches!(page.go_back(&options).await.unwrap(), NavigationOutcome::SameDocument));
        assert!(page.url().ends_with("/two"));
        page.go_back(&options).await.unwrap();
        assert_eq!(page.title().await, "One");
        page.go_forward(&options).await.unwrap();
        assert_eq!(page.title().await, "Two");
        page.go_back(&options).await.unwrap();
        page.go_back(&options).await.unwrap();
        assert_eq!(page.go_back(&options).await.unwrap_err().code(), "no_history");
    });
}

#[test]
fn a_page_that_sends_its_visitor_to_another_program_has_arrived() {
    drive(async |context, site| {
        site.answer("/nothing", "HTTP/1.1 204 No Content\r\n\r\n");
        for address in ["mailto:somebody@a.example", "/nothing"] {
            let html = format!("<title>Stays</title><script>location.href = '{address}'</script><p>Text</p>");
            let page = open(&context, &site, &html).await;
            assert_eq!(page.title().await, "Stays", "{address}");
            assert!(page.main_frame().lifecycle_events().load);
        }
    });
}

#[test]
fn what_is_not_a_document_does_not_hang_a_navigation() {
    drive(async |context, site| {
        let page = open(&context, &site, "<title>Stays</title>").await;
        site.answer("/nothing", "HTTP/1.1 204 No Content\r\n\r\n");
        site.answer(
            "/file",
            "HTTP/1.1 200 OK\r\nContent-Disposition: attachment; filename=a.txt\r\nContent-Length: 2\r\n\r\nhi",
        );
        site.answer("/never", "HANG");
        site.page("/missing-picture", "<title>Waits</title><img src='/never'>");
        let options = NavigateOptions { limit: LIMIT, ..NavigateOptions::default() };
        let arrival = page.goto(&site.url("/nothing"), &options).await.unwrap();
        assert!(matches!(arrival, NavigationOutcome::NoContent), "{arrival:?}");
        let arrival = page.goto(&site.url("/file"), &options).await.unwrap();
        assert!(matches!(arrival, NavigationOutcome::Download), "{arrival:?}");
        assert_eq!(page.title().await, "Stays");
        let refused = page.goto("http://127.0.0.1:1/", &options).await.unwrap_err();
        assert_eq!(refused.code(), "navigation_failed", "{refused}");

        let ready =
            NavigateOptions { until: WaitUntil::DomContentLoaded, limit: LIMIT, ..Default::default() };
        page.goto(&site.url("/missing-picture"), &ready).await.unwrap();
        assert_eq!(page.title().await, "Waits");
        let short = NavigateOptions { limit: Duration::from_millis(300), ..Default::default() };
        let slow = page.goto(&site.url("/never"), &short).await.unwrap_err();
        assert_eq!(slow.code(), "navigation_slow");
    });
}

#[test]
fn a_popup_is_a_page_with_an_opener() {
    drive(async |context, site| {
        site.page("/popup", "<title>Popup</title>");
        let page = open(&context, &site, "<title>Opener</title>").await;
        let open = "window.open('/popup').document.title";
        page.session()
            .call_raw("Runtime.evaluate", &json!({ "expression": open, "userGesture": true }), None)
            .await
            .unwrap();
        let mut changes = context.changes();
        let popup = loop {
            if let Some(popup) = context.pages().into_iter().find(|other| *other != page) {
                break popup;
            }
            changes.changed().await.unwrap();
        };
        assert_eq!(popup.opener().as_ref(), Some(&page));
        popup.until(|popup| popup.url().ends_with("/popup").then_some(())).await.unwrap();
        popup.wait_for_load_state(WaitUntil::Load, LIMIT).await.unwrap();
        assert_eq!(popup.title().await, "Popup");
        popup.close().await.unwrap();
        assert_eq!(context.pages(), [page]);
    });
}

#[test]
fn a_dialog_is_reported_instead_of_hanging_what_opened_it() {
    drive(async |context, site| {
        let page = open(&context, &site, "<title>Asks</title>").await;
        let error =
            page.main_frame().evaluate("confirm('Sure?')", vec![], ScriptWorld::Main).await.unwrap_err();
        assert_eq!(error.code(), "dialog_open");
        assert_eq!(page.dialog().unwrap().message, "Sure?");
        page.answer_dialog(true, None).await.unwrap();
        assert_eq!(page.title().await, "Asks");
        site.page("/alerts", "<script>alert('Hello')</script>");
        let arrival = page.goto(&site.url("/alerts"), &NavigateOptions::default()).await.unwrap();
        assert!(matches!(arrival, NavigationOutcome::Dialog), "{arrival:?}");
        page.answer_dialog(true, None).await.unwrap();
    });
}

#[test]
fn a_page_that_spins_for_ever_can_be_stopped_or_closed_while_others_answer() {
    drive(async |context, site| {
        let page = open(&context, &site, "<title>Spins</title>").await;
        let other = context.new_page().await.unwrap();
        other.goto(&site.other("/"), &NavigateOptions::default()).await.unwrap();
        let mut spinning = spin(&page);
        assert_eq!(other.main_frame().evaluate("1 + 1", vec![], ScriptWorld::Main).await.unwrap(), json!(2));
        // What comes before the script has begun stops nothing.
        let stopped = loop {
            page.terminate_script().await.unwrap();
            if let Ok(stopped) = tokio::time::timeout(Duration::from_millis(100), &mut spinning).await {
                break stopped.unwrap();
            }
        };
        assert!(stopped.is_err());
        assert_eq!(page.main_frame().evaluate("2 + 2", vec![], ScriptWorld::Main).await.unwrap(), json!(4));
        let spinning = spin(&page);
        page.close().await.unwrap();
        assert_eq!(spinning.await.unwrap().unwrap_err().code(), "page_closed");
    });
}

type Spinning = tokio::task::JoinHandle<patchright_mcp::Result<serde_json::Value>>;

/// Runs a script without end.
fn spin(page: &Page) -> Spinning {
    let frame = page.main_frame().clone();
    tokio::spawn(async move { frame.evaluate("for (;;);", vec![], ScriptWorld::Main).await })
}

#[test]
fn a_crashed_page_says_so_and_can_be_navigated_again() {
    drive(async |context, site| {
        let page = open(&context, &site, "<title>Back</title>").await;
        let crash = page.session().call_raw("Page.crash", &json!({}), None).await;
        assert!(crash.is_err());
        let error = page.main_frame().evaluate("1", vec![], ScriptWorld::Main).await.unwrap_err();
        assert_eq!(error.code(), "page_crashed");
        page.goto(&site.url("/"), &NavigateOptions::default()).await.unwrap();
        assert_eq!(page.title().await, "Back");
    });
}

#[test]
fn every_kind_of_value_has_a_json_form() {
    drive(async |context, site| {
        let page = open(&context, &site, "<b id=x class='y z'></b>").await;
        let cases = [
            ("undefined", json!(null)),
            ("null", json!(null)),
            ("0", json!(0)),
            ("-0.5", json!(-0.5)),
            ("NaN", json!("NaN")),
            ("''", json!("")),
            ("12n", json!("12n")),
            ("({a: [1, {b: true}]})", json!({"a": [1, {"b": true}]})),
            ("{a: 1}", json!({"a": 1})),
            ("new Date(0)", json!("1970-01-01T00:00:00.000Z")),
            ("new Map([['k', new Set([1])]])", json!({"k": [1]})),
            ("document.querySelector('b')", json!("<b#x.y.z>")),
            ("(() => { const o = {}; o.self = o; return o })()", json!({"self": "[Circular]"})),
            ("Promise.resolve(7)", json!(7)),
            ("async () => 8", json!(8)),
            ("/a+/gi", json!("/a+/gi")),
        ];
        for (script, expected) in cases {
            let value = page.main_frame().evaluate(script, vec![], ScriptWorld::Main).await.unwrap();
            assert_eq!(value, expected, "{script}");
        }
        let thrown =
            page.main_frame().evaluate("() => { throw new Error('mine') }", vec![], ScriptWorld::Main).await;
        assert!(thrown.unwrap_err().to_string().starts_with("Error: mine\n"));
    });
}

#[test]
fn the_console_is_read_without_the_page_noticing() {
    drive(async |context, site| {
        let html = "<script>
            var noticed = 0;
            Error.prepareStackTrace = (error) => { noticed++; return 'trace'; };
            const trap = new Error('trap');
            Object.defineProperty(trap, 'stack', { get() { noticed++; return ''; } });
            console.log('first', { a: 1 }, 42); console.warn('second'); console.error(trap); console.debug('fourth');
            setTimeout(() => { throw new TypeError('loose') });
            setTimeout(() => Promise.reject(new Error('rejected')));
        </script>";
        let page = open(&context, &site, html).await;
        let before = page.main_frame().evaluate("noticed", vec![], ScriptWorld::Main).await.unwrap();
        let mut messages = page.console_messages().await.unwrap();
        while !page.fill_error_texts(&mut messages) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        assert_eq!(page.console_messages().await.unwrap().len(), messages.len());
        let after = page.main_frame().evaluate("noticed", vec![], ScriptWorld::Main).await.unwrap();
        assert_eq!(before, after);
        assert!(messages.iter().all(|message| message.url == site.url("/") && message.line > 0));
        let text: Vec<_> = messages.iter().map(|message| (message.level, message.text.as_str())).collect();
        let expected = [
            (ConsoleLevel::Info, "first [object Object] 42"),
            (ConsoleLevel::Warning, "second"),
            (ConsoleLevel::Error, "Error: trap"),
            (ConsoleLevel::Debug, "fourth"),
            (ConsoleLevel::Error, "Uncaught TypeError: loose"),
            (ConsoleLevel::Error, "Uncaught (in promise) Error: rejected"),
        ];
        assert_eq!(text, expected);
    });
}

#[test]
fn a_time_zone_that_there_is_not_is_refused_with_the_first_page() {
    drive(async |context, _site| {
        for (zone, is_known) in [("Asia/Tokyo", true), ("Mars/Olympus", false)] {
            let options = ContextOptions { timezone: Some(zone.to_owned()), ..ContextOptions::default() };
            let other = context.browser().unwrap().new_context(options).await.unwrap();
            let made = other.new_page().await;
            assert_eq!(made.as_ref().err().map(Error::code), (!is_known).then_some("invalid_arguments"));
            assert_eq!(other.pages().len(), usize::from(is_known), "{zone}");
            other.close().await.unwrap();
        }
    });
}

#[test]
fn whoever_waits_is_woken_by_what_a_request_changes_and_by_nothing_else() {
    drive(async |context, site| {
        let page = open(&context, &site, "<title>Waits</title>").await;
        site.page("/data", "data");
        page.until(|page| page.main_frame().lifecycle_events().network_idle.then_some(())).await.unwrap();
        let before = *page.changes().borrow();
        let fetch = "fetch('/data').then(answer => answer.text())";
        assert_eq!(
            page.main_frame().evaluate(fetch, vec![], ScriptWorld::Main).await.unwrap(),
            json!("data")
        );
        let url = site.url("/data");
        let ended = |page: &Page| {
            page.with_network(|log| log.entries().any(|entry| entry.url == url && entry.ended.is_some()))
        };
        page.until(|page| ended(page).then_some(())).await.unwrap();
        // It began, it was answered, it ended.
        assert_eq!(*page.changes().borrow() - before, 3);
    });
}
