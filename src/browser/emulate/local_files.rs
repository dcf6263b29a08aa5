//! Restricts the local files that pages may load. A `file:` page can request any other file through a frame,
//! an image or a link, so each `file:` request is intercepted and checked.
use std::sync::Arc;

use crate::browser::objects::hooks::{Hooks, NewSession};
use crate::browser::options::FileUrlPolicy;
use crate::cdp::types::network::{ContinueRequest, FailRequest, FetchEnable, RequestPattern, RequestPaused};
use crate::cdp::{CdpSession, Event as _, Observer, RawEvent};

/// The hooks that intercept `file:` requests of targets.
pub(in crate::browser) struct FileGuard;

impl Hooks for FileGuard {
    fn on_session(&self, new: &NewSession<'_>) {
        let Some(files) = new.context.options().local_files.filter(|_| new.worker.is_none()) else { return };
        let session = new.session;
        session.observe(&[RequestPaused::METHOD], Arc::new(Guard { files, session: session.clone() }));
        let files = RequestPattern { url_pattern: Some("file:*".to_owned()), ..RequestPattern::default() };
        session.send(FetchEnable { patterns: Some(vec![files]), handle_auth_requests: None }).ignore();
    }
}

/// Allows or blocks the intercepted `file:` requests of one CDP session.
struct Guard {
    files: FileUrlPolicy,
    session: CdpSession,
}

impl Observer for Guard {
    fn on_event(&self, event: RawEvent) {
        let Some(RequestPaused { request, request_id, .. }) = event.read() else { return };
        let (files, session) = (self.files.clone(), self.session.clone());
        // The check reads the disk, which must not delay other events.
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
