//! Answers that pages got, kept with their bodies as they come: the browser itself has them no more after a navigation.
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

/// How long a body is waited for.
const BODY_LIMIT: Duration = Duration::from_secs(5);

/// Which answers are kept, and how much of them.
#[derive(Debug, Clone)]
pub struct KeepOptions {
    /// Of these addresses; all with `None`.
    pub address: Option<UrlGlob>,
    /// For requests of these kinds, such as `fetch`; all when empty.
    pub kinds: Vec<String>,
    /// How many bytes all bodies have together. The oldest answers go where there are more.
    pub most_bytes: usize,
}

/// An answer with its body.
#[derive(Debug)]
pub struct KeptAnswer {
    pub request: Request,
    pub status: i64,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// Keeps answers for as long as this lives. Cheap to clone.
#[derive(Debug, Clone)]
pub struct KeptAnswers {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: KeepOptions,
    kept: Mutex<Kept>,
    /// How many bodies are still to come.
    awaited: watch::Sender<usize>,
}

#[derive(Debug, Default)]
struct Kept {
    answers: VecDeque<Arc<KeptAnswer>>,
    bytes: usize,
}

impl BrowserContext {
    /// Keeps answers that its pages get from now on.
    pub fn keep_answers(&self, options: KeepOptions) -> KeptAnswers {
        let inner = Arc::new(Inner { options, kept: Mutex::default(), awaited: watch::channel(0).0 });
        let received = Arc::downgrade(&inner);
        self.follow(Arc::new(move |news| {
            if let NetworkEvent::RequestFinished(request) = news {
                hear(&received, request);
            }
        }));
        KeptAnswers { inner }
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
            inner.keep(KeptAnswer { request, status, headers, body });
        }
        inner.awaited.send_modify(|awaited| *awaited -= 1);
    });
}

impl KeepOptions {
    fn mean(&self, request: &Request) -> bool {
        let kind = request.resource_type();
        (self.kinds.is_empty() || self.kinds.contains(&kind))
            && self.address.as_ref().is_none_or(|address| address.matches(request.url()))
    }
}

impl Inner {
    fn keep(&self, answer: KeptAnswer) {
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

impl KeptAnswers {
    /// The answers so far, oldest first: of these addresses, and those that contain a text, whatever its case. Those that have come
    /// are waited for until they can be read.
    pub async fn find(&self, address: Option<&UrlGlob>, text: Option<&str>) -> Vec<Arc<KeptAnswer>> {
        let mut awaited = self.inner.awaited.subscribe();
        let _ = awaited.wait_for(|awaited| *awaited == 0).await;
        let wanted = text.map(str::to_lowercase);
        let kept: Vec<_> = self.inner.kept.lock().answers.iter().cloned().collect();
        let fits = |answer: &Arc<KeptAnswer>| {
            address.is_none_or(|address| address.matches(answer.request.url()))
                && wanted.as_ref().is_none_or(|wanted| {
                    String::from_utf8_lossy(&answer.body).to_lowercase().contains(wanted.as_str())
                })
        };
        kept.into_iter().filter(fits).collect()
    }

    /// Forgets all that was kept so far.
    pub fn clear(&self) {
        *self.inner.kept.lock() = Kept::default();
    }
}
