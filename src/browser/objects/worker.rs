//! Web workers. This process attaches to each worker before its script runs.
use std::sync::Arc;

use tokio::sync::watch;

use super::page::Page;
use crate::cdp::CdpSession;
use crate::cdp::types::runtime::Evaluate;
use crate::cdp::types::target::TargetInfo;

/// The kind of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerKind {
    /// A worker that belongs to one page and ends with that page.
    Dedicated,
    Shared,
    Service,
}

/// A script that makes adding an event listener throw, so that a service worker is never registered.
const DEAFEN: &str = "for (let at = self; at; at = Object.getPrototypeOf(at)) {
    const names = Object.getOwnPropertyNames(at).filter((name) => /^(on[a-z]+|addEventListener)$/.test(name));
    const fail = () => { throw new TypeError('Illegal invocation'); };
    for (const name of names) Reflect.defineProperty(at, name, { get: fail, set: fail });
}";

/// Prevents a service worker that has not run yet from being registered.
pub(in crate::browser) fn refuse(session: &CdpSession) {
    session.send(Evaluate { expression: DEAFEN.to_owned(), ..Evaluate::default() }).ignore();
}

/// A worker. Cheap to clone; compares by identity.
#[derive(Debug, Clone)]
pub struct Worker {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    target: String,
    url: String,
    kind: WorkerKind,
    page: Option<Page>,
    session: CdpSession,
    closed: watch::Sender<bool>,
}

impl PartialEq for Worker {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Worker {}

impl Worker {
    pub(in crate::browser) fn new(
        session: CdpSession,
        info: &TargetInfo,
        page: Option<Page>,
    ) -> Option<Self> {
        let kind = match info.kind.as_str() {
            "worker" => WorkerKind::Dedicated,
            "shared_worker" => WorkerKind::Shared,
            "service_worker" => WorkerKind::Service,
            _ => return None,
        };
        let inner = Inner {
            target: info.target_id.clone(),
            url: info.url.clone(),
            kind,
            page,
            session,
            closed: watch::Sender::new(false),
        };
        Some(Self { inner: Arc::new(inner) })
    }

    /// The CDP target id of this worker.
    pub fn id(&self) -> &str {
        &self.inner.target
    }

    pub fn url(&self) -> &str {
        &self.inner.url
    }

    pub fn kind(&self) -> WorkerKind {
        self.inner.kind
    }

    /// The page that the worker belongs to; `None` unless it is a dedicated worker.
    pub fn page(&self) -> Option<&Page> {
        self.inner.page.as_ref()
    }

    pub fn session(&self) -> &CdpSession {
        &self.inner.session
    }

    pub fn is_closed(&self) -> bool {
        *self.inner.closed.borrow() || self.inner.session.is_closed()
    }

    /// Waits until the worker has ended.
    pub async fn until_closed(&self) {
        let _ = self.inner.closed.subscribe().wait_for(|closed| *closed).await;
    }

    pub(in crate::browser) fn ended(&self) {
        self.inner.closed.send_replace(true);
    }
}
