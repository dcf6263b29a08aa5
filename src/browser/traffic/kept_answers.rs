//! Stores responses of pages with their bodies, because the browser drops bodies after a navigation.
use std::collections::VecDeque;
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::watch;
use tokio::time::timeout;

use super::observer::NetworkEvent;
use super::request::Request;
use crate::browser::objects::context::BrowserContext;
use crate::browser::options::routing::UrlGlob;

/// The time limit for fetching a body.
const BODY_LIMIT: Duration = Duration::from_secs(5);

/// Which responses to store, and up to which total size.
#[derive(Debug, Clone)]
pub struct ResponseStoreOptions {
    /// A pattern for the URLs of the responses to store; `None` for all.
    pub address: Option<UrlGlob>,
    /// The resource types of the responses to store, such as `fetch`; empty for all.
    pub kinds: Vec<String>,
    /// The maximum size of all bodies together, in bytes. Above it, the oldest responses are dropped.
    pub most_bytes: usize,
}

/// A response with its body.
#[derive(Debug)]
pub struct StoredResponse {
    pub request: Request,
    pub status: i64,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Stores responses until its last clone is dropped. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ResponseStore {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: ResponseStoreOptions,
    kept: Mutex<Kept>,
    /// The number of bodies that are being fetched.
    awaited: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Kept {
    answers: VecDeque<Arc<StoredResponse>>,
    bytes: usize,
}

impl BrowserContext {
    /// Starts to store responses of this context's pages.
    pub fn store_responses(&self, options: ResponseStoreOptions) -> ResponseStore {
        let inner = Arc::new(Inner { options, kept: Mutex::default(), awaited: watch::channel(0).0 });
        let received = Arc::downgrade(&inner);
        self.listen_to_network(Arc::new(move |news| {
            if let NetworkEvent::RequestFinished(request) = news {
                hear(&received, request);
            }
        }));
        ResponseStore { inner }
    }
}

fn hear(received: &Weak<Inner>, request: &Request) {
    let Some(inner) = received.upgrade().filter(|inner| inner.options.mean(request)) else { return };
    inner.awaited.send_modify(|awaited| *awaited += 1);
    let request = request.clone();
    tokio::spawn(async move {
        if let Some(response) = request.response_so_far()
            && let Ok(Ok(body)) = timeout(BODY_LIMIT, response.body()).await
        {
            let (status, headers) = (response.status(), response.headers().to_vec());
            inner.keep(StoredResponse { request, status, headers, body });
        }
        inner.awaited.send_modify(|awaited| *awaited -= 1);
    });
}

impl ResponseStoreOptions {
    fn mean(&self, request: &Request) -> bool {
        let kind = request.resource_type();
        (self.kinds.is_empty() || self.kinds.contains(&kind))
            && self.address.as_ref().is_none_or(|address| address.matches(request.url()))
    }
}

impl Inner {
    fn keep(&self, answer: StoredResponse) {
        let size = answer.body.len();
        if size > self.options.most_bytes {
            return;
        }
        let mut kept = self.kept.lock();
        kept.bytes += size;
        kept.answers.push_back(Arc::new(answer));
        while kept.bytes > self.options.most_bytes {
            let Some(oldest) = kept.answers.pop_front() else { break };
            kept.bytes -= oldest.body.len();
        }
    }
}

impl ResponseStore {
    /// Returns the stored responses, oldest first, whose URLs match `address` and whose bodies contain
    /// `text`, ignoring case. Waits until the bodies of all responses received so far are stored.
    pub async fn find(&self, address: Option<&UrlGlob>, text: Option<&str>) -> Vec<Arc<StoredResponse>> {
        let mut awaited = self.inner.awaited.subscribe();
        let _ = awaited.wait_for(|awaited| *awaited == 0).await;
        let wanted = text.map(str::to_lowercase);
        let kept: Vec<_> = self.inner.kept.lock().answers.iter().cloned().collect();
        let fits = |answer: &Arc<StoredResponse>| {
            address.is_none_or(|address| address.matches(answer.request.url()))
                && wanted.as_ref().is_none_or(|wanted| {
                    String::from_utf8_lossy(&answer.body).to_lowercase().contains(wanted.as_str())
                })
        };
        kept.into_iter().filter(fits).collect()
    }

    /// Drops all stored responses.
    pub fn clear(&self) {
        *self.inner.kept.lock() = Kept::default();
    }
}
