//! Endless reloads: pages that keep replacing their document before it can be used. To stop such a page, the
//! request for the next document is aborted once a document was parsed completely. If scripts replace every
//! document earlier, the next document is loaded with scripts disabled.
use std::time::Duration;

use tokio::time::timeout;

use super::journal::Journal;
use super::page::Page;
use super::protocol::BrowserProtocol;
use crate::bidi::commands::AbortNextDocumentRequest;
use crate::cdp::Event as _;
use crate::cdp::types::emulation::SetScriptExecutionDisabled;
use crate::cdp::types::network::{ContinueRequest, FailRequest, FetchEnable, RequestPattern, RequestPaused};
use crate::error::{Error, Result};

/// How long the document that remains after an endless reload may take to load.
const COMING: Duration = Duration::from_secs(5);

impl Page {
    /// Runs `work`. If the page keeps replacing its document meanwhile, keeps the page from doing so and runs `work` again.
    pub(in crate::browser) async fn while_stable<T, W>(&self, work: impl Fn() -> W) -> Result<T>
    where
        W: Future<Output = Result<T>>,
    {
        tokio::select! {
            biased;
            done = until_there(&work) => return done,
            () = self.until_restless() => {}
        }
        self.stop_replacing().await;
        until_there(&work).await
    }

    /// Whether the page is in an endless reload that must be stopped now.
    pub(in crate::browser) fn is_restless(&self) -> bool {
        self.with_journal(|journal| journal.is_restless())
    }

    /// Records that an action begins. Must be called before it, since the next document may be its effect.
    pub(in crate::browser) fn acts(&self) {
        self.with_journal(Journal::acted);
    }

    /// Stops the endless reload of a page.
    pub(in crate::browser) async fn stop_replacing(&self) {
        let some_are_read = self.with_journal(Journal::stopped);
        let lets_one_in = !some_are_read
            && self.context().browser().is_ok_and(|browser| browser.protocol().can_skip_scripts());
        let before = lets_one_in.then(|| self.main_frame().loader_id());
        // An error is ignored: the next command to the page fails as well.
        let _ = match lets_one_in {
            true => self.session().call(SetScriptExecutionDisabled { value: true }).await.map(drop),
            false => self.refuse_next_document().await,
        };
        let read = self.until(|page| {
            let frame = page.main_frame();
            let is_meant = before.as_ref().is_none_or(|before| *frame.loader_id() != **before);
            (is_meant && frame.lifecycle_events().dom_content_loaded).then_some(())
        });
        let _ = timeout(COMING, read).await;
        if lets_one_in {
            let _ = self.session().call(SetScriptExecutionDisabled { value: false }).await;
        }
    }

    /// Aborts the next document request. Stopping later would cut off a document that has begun to arrive.
    async fn refuse_next_document(&self) -> Result<()> {
        if self.context().browser()?.protocol() == BrowserProtocol::Firefox {
            return self.session().call(AbortNextDocumentRequest {}).await.map(drop);
        }
        // A separate session, since other code may pause requests in the page's main session.
        let raw = self.context().attach_raw(self.main_frame()).await?;
        let session = raw.session();
        let mut paused = session.events(&[RequestPaused::METHOD]);
        let documents =
            RequestPattern { resource_type: Some("Document".to_owned()), ..RequestPattern::default() };
        session.send(FetchEnable { patterns: Some(vec![documents]), handle_auth_requests: None }).ignore();
        let refuse = async {
            while let Some(asked) = paused.next().await {
                let Some(RequestPaused { request_id, frame_id, .. }) = asked.read() else { continue };
                if frame_id == self.main_frame().id() {
                    let refused = FailRequest { request_id, error_reason: "Aborted".to_owned() };
                    return session.call(refused).await.map(drop);
                }
                session.send(ContinueRequest { request_id, ..ContinueRequest::default() }).ignore();
            }
            Ok(())
        };
        let refused = timeout(COMING, refuse).await.unwrap_or(Ok(()));
        raw.detach().await.and(refused)
    }

    async fn until_restless(&self) {
        if self.until(|page| page.is_restless().then_some(())).await.is_err() {
            std::future::pending().await
        }
    }

    /// Returns whether an endless reload was stopped since the last call of this function.
    pub fn take_reload_loop_stopped(&self) -> bool {
        self.with_journal(Journal::take_stopped)
    }
}

/// Runs `work`, up to `ATTEMPTS` times while it fails because its document was replaced.
async fn until_there<T, W>(work: &impl Fn() -> W) -> Result<T>
where
    W: Future<Output = Result<T>>,
{
    const ATTEMPTS: usize = 40;
    const PAUSE: Duration = Duration::from_millis(25);
    for _ in 1..ATTEMPTS {
        match work().await {
            Err(Error::DocumentGone) => tokio::time::sleep(PAUSE).await,
            done => return done,
        }
    }
    work().await
}
