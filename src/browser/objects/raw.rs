//! Raw CDP sessions for users, separate from the engine's own. Pages may detect the commands that users send.
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::bidi::missing_features;
use crate::browser::objects::browser::Browser;
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::protocol::BrowserProtocol;
use crate::cdp::types::target::{AttachToBrowserTarget, AttachToTarget, DetachFromTarget};
use crate::cdp::{CdpSession, DetectableCommandReason, EventSink};
use crate::error::{Error, Result};

/// A raw CDP session, which sends any command and forwards all events. Cheap to clone.
#[derive(Debug, Clone)]
pub struct RawSession {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    session: CdpSession,
    /// The browser session used to attach this session. It keeps the events out of the engine's own session.
    carrier: Option<CdpSession>,
    browser: Browser,
}

impl RawSession {
    fn new(session: CdpSession, carrier: Option<CdpSession>, browser: &Browser) -> Self {
        Self { inner: Arc::new(Inner { session, carrier, browser: browser.clone() }) }
    }

    /// An id of this session that is unique within this process.
    pub fn instance_id(&self) -> usize {
        Arc::as_ptr(&self.inner).addr()
    }

    /// Calls `overhearer` for every event with the event's name and parameters as raw JSON.
    pub fn forward_events(&self, overhearer: EventSink) {
        self.inner.session.forward_events(overhearer);
    }

    /// Sends any CDP command and returns its result. Fails after `limit`.
    pub async fn send(&self, method: &str, parameters: &Value, limit: Duration) -> Result<Value> {
        let session = &self.inner.session;
        session.call_raw_within(method, parameters, Some(DetectableCommandReason::UserAsked), limit).await
    }

    pub(in crate::browser) fn session(&self) -> &CdpSession {
        &self.inner.session
    }

    /// Detaches the session without waiting for the reply.
    pub(in crate::browser) fn let_go(&self) {
        self.inner.browser.root_session().send(self.end()).ignore();
    }

    /// Detaches the session.
    pub async fn detach(&self) -> Result<()> {
        self.inner.browser.root_session().call(self.end()).await.map(drop)
    }

    fn end(&self) -> DetachFromTarget {
        let outer = self.inner.carrier.as_ref().unwrap_or(&self.inner.session);
        DetachFromTarget { session_id: Some(outer.id().to_owned()) }
    }
}

impl Browser {
    /// Opens a raw CDP session with the browser itself. Requires Chromium.
    pub async fn attach_raw(&self) -> Result<RawSession> {
        if self.protocol() != BrowserProtocol::Chromium {
            return Err(missing_features::CDP_SESSION.into());
        }
        let session_id = self.root_session().call(AttachToBrowserTarget {}).await?.session_id;
        let session = self.connection().session(&session_id);
        Ok(RawSession::new(session, None, self))
    }
}

impl BrowserContext {
    /// Opens a raw CDP session with the page of a main frame, or with a frame in another process.
    pub async fn attach_raw(&self, frame: &Frame) -> Result<RawSession> {
        let browser = self.browser()?;
        let shared = frame.parent().is_some_and(|parent| parent.session().id() == frame.session().id());
        if shared {
            return Err(Error::Unsupported {
                what: "a session of its own",
                reason: "the frame shares the session of the frame around it".to_owned(),
            });
        }
        let carrier = browser.attach_raw().await?;
        let attach = AttachToTarget { target_id: frame.id().to_owned(), flatten: true };
        let attached = match carrier.inner.session.call(attach).await {
            Ok(attached) => attached,
            Err(error) => {
                let _ = carrier.detach().await;
                return Err(error);
            }
        };
        let session = browser.connection().session(&attached.session_id);
        Ok(RawSession::new(session, Some(carrier.inner.session.clone()), &browser))
    }

    /// Opens another session with a main frame's page, for features a session has once, such as screencasts.
    pub async fn attach_dedicated_session(&self, frame: &Frame) -> Result<RawSession> {
        let browser = self.browser()?;
        if browser.protocol() == BrowserProtocol::Chromium {
            return self.attach_raw(frame).await;
        }
        let attach = AttachToTarget { target_id: frame.id().to_owned(), flatten: true };
        let attached = browser.root_session().call(attach).await?;
        let session = browser.connection().session(&attached.session_id);
        Ok(RawSession::new(session, None, &browser))
    }
}
