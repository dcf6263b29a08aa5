//! Which files of this machine pages may show. A page that is a file itself could show any other: in a frame, as a picture,
//! behind a link. So each request for one is held until it has been judged.
use std::fmt;
use std::sync::Arc;

use url::Url;

use super::context::BrowserContext;
use crate::cdp::types::network::{ContinueRequest, FailRequest, FetchEnable, RequestPattern, RequestPaused};
use crate::cdp::{CdpSession, Event as _, Observer, RawEvent};

/// Judges the address of a file. Cheap to clone.
#[derive(Clone)]
pub struct LocalFiles(Arc<dyn Fn(&Url) -> bool + Send + Sync>);

impl LocalFiles {
    pub fn new(permits: impl Fn(&Url) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(permits))
    }

    fn permits(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|url| (self.0)(&url))
    }
}

impl fmt::Debug for LocalFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("LocalFiles")
    }
}

impl BrowserContext {
    /// Holds what a target asks of this machine's files, if they are judged here. Done before it runs.
    pub(super) fn guard_files(&self, session: &CdpSession) {
        let Some(files) = self.options().local_files else { return };
        session.observe(&[RequestPaused::METHOD], Arc::new(Guard { files, session: session.clone() }));
        let files = RequestPattern { url_pattern: Some("file:*".to_owned()), ..RequestPattern::default() };
        session.send(FetchEnable { patterns: Some(vec![files]), handle_auth_requests: None }).ignore();
    }
}

/// Decides what a session holds.
struct Guard {
    files: LocalFiles,
    session: CdpSession,
}

impl Observer for Guard {
    fn told(&self, event: RawEvent) {
        let Some(RequestPaused { request, request_id, .. }) = event.read() else { return };
        let (files, session) = (self.files.clone(), self.session.clone());
        // Looking at the disk can take its time, and others are waiting to be told.
        tokio::task::spawn_blocking(move || {
            if files.permits(&request.url) {
                session.send(ContinueRequest { request_id, ..ContinueRequest::default() }).ignore();
            } else {
                let error_reason = "AccessDenied".to_owned();
                session.send(FailRequest { request_id, error_reason }).ignore();
            }
        });
    }

    fn ended(&self) {}
}
