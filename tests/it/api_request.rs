//! Requests without a page share the cookies of their context, and follow redirects as a browser does.
use std::sync::Arc;

use futures_util::future::join_all;
use patchright_mcp::browser::{ApiBody, ApiContext, ApiOptions, ApiRequest, NavigateOptions, StorageState};
use patchright_mcp::error::Error;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Barrier;

use crate::support::drive;

#[test]
fn cookies_go_both_ways_between_pages_and_requests() {
    drive(|context, site| async move {
        site.answer(
            "/login",
            "HTTP/1.1 303 See Other\r\nLocation: /home\r\nSet-Cookie: who=me; Path=/; HttpOnly\r\nContent-Length: 0\r\n\r\n",
        );
        site.page("/home", "<p>home</p>");
        let requests = ApiContext::with_cookies_of(&context, ApiOptions::default());
        let login = ApiRequest {
            url: site.url("/login"),
            method: "POST".to_owned(),
            body: Some(ApiBody::Form(vec![("name".to_owned(), "é".to_owned())])),
            ..ApiRequest::default()
        };
        let answer = requests.fetch(&login).await.unwrap();
        assert_eq!(
            (answer.status, &*answer.url, &*answer.body),
            (200, &*site.url("/home"), &b"<p>home</p>"[..])
        );
        assert_eq!(answer.status_text, "OK");
        let cookies = context.cookies().await.unwrap();
        assert_eq!((&*cookies[0].name, &*cookies[0].value, cookies[0].http_only), ("who", "me", true));

        let page = context.new_page().await.unwrap();
        page.goto(&site.url("/home"), &NavigateOptions::default()).await.unwrap();
        let stays = ApiRequest { max_redirects: Some(0), ..login.clone() };
        assert_eq!(requests.fetch(&stays).await.unwrap().status, 303);

        site.answer("/round", "HTTP/1.1 302 Found\r\nLocation: /round\r\nContent-Length: 0\r\n\r\n");
        let round = ApiRequest { url: site.url("/round"), ..ApiRequest::default() };
        let error = requests.fetch(&round).await.unwrap_err();
        assert!(matches!(error, Error::RequestFailed { .. }), "{error}");
        requests.dispose();
        assert!(requests.fetch(&login).await.is_err());
    });
}

#[test]
fn what_answers_with_failure_is_one_where_that_is_asked() {
    drive(|_, site| async move {
        let options = ApiOptions { base_url: Some(site.url("/")), ..ApiOptions::default() };
        let requests = ApiContext::new(options, StorageState::default());
        let missing = ApiRequest { url: "nowhere?a=1".to_owned(), ..ApiRequest::default() };
        let answer = requests.fetch(&missing).await.unwrap();
        assert_eq!((answer.status, &*answer.url), (404, &*site.url("/nowhere?a=1")));
        let strict = ApiRequest { fail_on_status: Some(true), ..missing };
        let error = requests.fetch(&strict).await.unwrap_err();
        assert_eq!(error.to_string(), "404 Not Found");
        let refused = ApiRequest { url: "http://127.0.0.1:1/".to_owned(), ..ApiRequest::default() };
        let error = requests.fetch(&refused).await.unwrap_err();
        assert_eq!(error.to_string(), "connect ECONNREFUSED 127.0.0.1:1");
    });
}

/// A server that keeps its connections, and closes each as the second request on it comes. It answers the first requests
/// of `together` connections at once.
async fn closing_server(together: usize) -> ApiRequest {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let barrier = Arc::new(Barrier::new(together));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let barrier = barrier.clone();
            tokio::spawn(async move {
                let mut received = [0; 4096];
                let _ = stream.read(&mut received).await;
                barrier.wait().await;
                let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").await;
                let _ = stream.read(&mut received).await;
            });
        }
    });
    ApiRequest { url, ..ApiRequest::default() }
}

#[test]
fn many_kept_connections_that_their_server_closes_cost_no_request() {
    const TOGETHER: usize = 4;
    drive(|_, _| async move {
        let read = closing_server(TOGETHER).await;
        let requests = ApiContext::new(ApiOptions::default(), StorageState::default());
        for _ in 0..3 {
            for response in join_all((0..TOGETHER).map(|_| requests.fetch(&read))).await {
                assert_eq!(response.unwrap().status, 200);
            }
        }
    });
}

#[test]
fn a_kept_connection_that_its_server_closes_costs_no_request() {
    drive(|_, _| async move {
        let read = closing_server(1).await;
        let requests = ApiContext::new(ApiOptions::default(), StorageState::default());
        for _ in 0..3 {
            assert_eq!(requests.fetch(&read).await.unwrap().status, 200);
        }
        // What may have been done already is not done again.
        let write = ApiRequest { method: "POST".to_owned(), ..read.clone() };
        let mut outcome = None;
        for _ in 0..50 {
            // On a busy machine the connection may not have been put back yet: then a new one is taken.
            requests.fetch(&read).await.unwrap();
            outcome = requests.fetch(&write).await.err().map(|error| error.to_string());
            if outcome.is_some() {
                break;
            }
        }
        assert_eq!(outcome.as_deref(), Some("socket hang up"));
    });
}
