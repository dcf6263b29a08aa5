//! Who follows a context hears of every request and its fate, and may decide it.
use std::sync::{Arc, Mutex};

use patchright_mcp::browser::{
    BrowserContext, Fulfillment, JsValue, NavigateOptions, NetworkEvent, RequestOverrides, ScriptWorld,
    WebSocketEvent, WebSocketMessage,
};
use patchright_mcp::error::Error;
use serde_json::json;
use tokio::sync::watch;

use crate::support::{drive, open};

/// Writes down what it is told.
#[derive(Default)]
struct Scribe {
    received: Mutex<Vec<NetworkEvent>>,
    changes: watch::Sender<usize>,
}

impl Scribe {
    fn of(context: &BrowserContext) -> Arc<Self> {
        let scribe = Arc::new(Self::default());
        let writing = scribe.clone();
        context.listen_to_network(Arc::new(move |news| {
            writing.received.lock().unwrap().push(news.clone());
            writing.changes.send_modify(|count| *count += 1);
        }));
        scribe
    }

    async fn until<T>(&self, find: impl Fn(&NetworkEvent) -> Option<T>) -> T {
        let mut changes = self.changes.subscribe();
        loop {
            if let Some(found) = self.received.lock().unwrap().iter().find_map(&find) {
                return found;
            }
            changes.changed().await.unwrap();
        }
    }

    /// What happened to requests of this path, in a word each.
    fn fate(&self, path: &str) -> Vec<&'static str> {
        let of = |url: &str| url.ends_with(path);
        let received = self.received.lock().unwrap();
        let words = received.iter().filter_map(|news| match news {
            NetworkEvent::Request(request) if of(request.url()) => Some("request"),
            NetworkEvent::Response(response) if of(response.url()) => Some("response"),
            NetworkEvent::RequestFinished(request) if of(request.url()) => Some("finished"),
            NetworkEvent::RequestFailed(request) if of(request.url()) => Some("failed"),
            NetworkEvent::Route(route) if of(route.request().url()) => Some("route"),
            _ => None,
        });
        words.collect()
    }
}

#[test]
fn a_redirect_is_two_requests_with_their_own_headers() {
    drive(|context, site| async move {
        let scribe = Scribe::of(&context);
        site.answer(
            "/old",
            "HTTP/1.1 302 Found\r\nLocation: /new\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\nContent-Length: 0\r\n\r\n",
        );
        site.page("/new", "<p>here</p>");
        let page = context.new_page().await.unwrap();
        page.goto(&site.url("/old"), &NavigateOptions::default()).await.unwrap();

        let last = context.request_by_id(&page.main_frame().loader_id()).unwrap();
        let first = last.redirected_from().unwrap();
        assert_eq!((first.url(), last.url()), (&*site.url("/old"), &*site.url("/new")));
        assert_eq!(first.redirected_to().as_ref(), Some(&last));
        assert!(first.is_navigation() && first.redirected_from().is_none());
        assert_eq!(last.frame(), Some(page.main_frame()));

        let answer = first.response().await.unwrap().unwrap();
        let headers = answer.all_headers().await.unwrap();
        assert_eq!((answer.status(), headers.get("set-cookie")), (302, Some("a=1\nb=2")));
        assert!(answer.body().await.is_err());
        let sent = last.all_headers().await.unwrap();
        assert_eq!(sent.get("cookie"), Some("a=1; b=2"));
        let answer = last.response().await.unwrap().unwrap();
        assert_eq!(answer.body().await.unwrap(), b"<p>here</p>");
        assert_eq!(last.sizes().await.unwrap().response_body, "<p>here</p>".len());
        assert!(last.timing().response_end >= last.timing().response_start);
        assert_eq!(scribe.fate("/old"), ["request", "response", "finished"]);
        assert_eq!(scribe.fate("/new"), ["request", "response", "finished"]);
    });
}

#[test]
fn a_held_request_is_sent_on_changed_or_answered_or_refused() {
    drive(|context, site| async move {
        let scribe = Scribe::of(&context);
        let page = open(&context, &site, "<p>start</p>").await;
        page.set_interception(true).await.unwrap();
        site.page("/real", "real");
        let fetching = |path: &str| {
            let script = format!(
                "fetch({}, {{method: 'POST', body: 'é'}}).then(r => r.text(), e => 'no')",
                json!(path)
            );
            let frame = page.main_frame().clone();
            tokio::spawn(async move { frame.evaluate(&script, vec![], ScriptWorld::Main).await.unwrap() })
        };
        let held = async |path: &str| {
            scribe
                .until(|news| match news {
                    NetworkEvent::Route(route) if route.request().url().ends_with(path) => {
                        Some(route.clone())
                    }
                    _ => None,
                })
                .await
        };

        let text = fetching("/asked");
        let route = held("/asked").await;
        assert_eq!(route.request().body(), Some("é".as_bytes()));
        let elsewhere = RequestOverrides { url: Some("ftp://a/".to_owned()), ..RequestOverrides::default() };
        assert!(matches!(route.continue_with(&elsewhere).await, Err(Error::InvalidArguments { .. })));
        let real = RequestOverrides { url: Some(site.url("/real")), ..RequestOverrides::default() };
        route.continue_with(&real).await.unwrap();
        assert_eq!(text.await.unwrap(), "real");
        assert!(route.abort("failed").await.is_err(), "it was decided before");
        assert_eq!(scribe.fate("/asked"), ["request", "route", "response", "finished"]);

        let text = fetching("/made-up");
        let answer = Fulfillment {
            status: 201,
            headers: vec![("content-type".to_owned(), "text/plain;charset=utf-8".to_owned())],
            body: "ü".as_bytes().to_vec(),
        };
        held("/made-up").await.fulfill(&answer).await.unwrap();
        assert_eq!(text.await.unwrap(), "ü");

        let text = fetching("/refused");
        held("/refused").await.abort("connectionrefused").await.unwrap();
        assert_eq!(text.await.unwrap(), "no");
        let failure = scribe
            .until(|news| match news {
                NetworkEvent::RequestFailed(request) => Some(request.failure()),
                _ => None,
            })
            .await;
        assert_eq!(failure.as_deref(), Some("net::ERR_CONNECTION_REFUSED"));

        page.set_interception(false).await.unwrap();
        assert_eq!(fetching("/real").await.unwrap(), "real");
        assert_eq!(scribe.fate("/real"), ["request", "response", "finished"]);
    });
}

#[test]
fn workers_are_reported_of_with_what_they_ask_for() {
    drive(|context, site| async move {
        let scribe = Scribe::of(&context);
        site.answer(
            "/worker.js",
            "HTTP/1.1 200 OK\r\nContent-Type: text/javascript\r\n\r\nself.answer = 42; fetch('/of-worker');",
        );
        site.page("/of-worker", "x");
        let page = open(&context, &site, "<script>var w = new Worker('/worker.js')</script>").await;
        let worker = scribe
            .until(|news| match news {
                NetworkEvent::Worker(worker) => Some(worker.clone()),
                _ => None,
            })
            .await;
        assert_eq!((worker.url(), worker.page()), (&*site.url("/worker.js"), Some(&page)));
        let request = scribe
            .until(|news| match news {
                NetworkEvent::RequestFinished(request) if request.url().ends_with("/of-worker") => {
                    Some(request.clone())
                }
                _ => None,
            })
            .await;
        assert_eq!(request.frame(), Some(page.main_frame()));
        let answer = worker.realm().evaluate("() => self.answer", &JsValue::Undefined).await.unwrap();
        assert!(matches!(answer, JsValue::Number(42.0)), "{answer:?}");
        page.main_frame().evaluate("w.terminate()", vec![], ScriptWorld::Main).await.unwrap();
        worker.until_closed().await;
        assert!(context.workers().is_empty());
    });
}

#[test]
fn what_waits_for_a_request_ends_with_its_page() {
    drive(|context, site| async move {
        let scribe = Scribe::of(&context);
        site.answer("/never", "HANG");
        let page = open(&context, &site, "<script>fetch('/never')</script>").await;
        let request = scribe
            .until(|news| match news {
                NetworkEvent::Request(request) if request.url().ends_with("/never") => Some(request.clone()),
                _ => None,
            })
            .await;
        let (answer, closed) = tokio::join!(request.response(), page.close());
        closed.unwrap();
        assert!(matches!(answer, Err(Error::PageClosed)));
    });
}

#[test]
fn frames_of_web_sockets_are_received() {
    use futures_util::{SinkExt as _, StreamExt as _};
    drive(|context, site| async move {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("ws://{}/", listener.local_addr().unwrap());
        tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let mut socket = tokio_tungstenite::accept_async(stream).await.unwrap();
            let asked = socket.next().await.unwrap().unwrap();
            socket.send(asked).await.unwrap();
            socket.close(None).await.unwrap();
        });
        let scribe = Scribe::of(&context);
        let html = format!("<script>let s = new WebSocket('{url}'); s.onopen = () => s.send('hi')</script>");
        open(&context, &site, &html).await;
        let closed = |news: &NetworkEvent| {
            matches!(news, NetworkEvent::Socket(_, WebSocketEvent::Closed)).then_some(())
        };
        scribe.until(closed).await;
        let received = scribe.received.lock().unwrap();
        let events = received.iter().filter_map(|news| match news {
            NetworkEvent::Socket(_, event) => Some(event.clone()),
            _ => None,
        });
        let hi = || WebSocketMessage::Text("hi".to_owned());
        let expected = [WebSocketEvent::Sent(hi()), WebSocketEvent::Received(hi()), WebSocketEvent::Closed];
        assert_eq!(events.collect::<Vec<_>>(), expected);
    });
}
