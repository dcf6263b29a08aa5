//! Workspaces that use WebKit: each has its own WebDriver session and browser.
use std::sync::{Arc, Weak};

use super::{BrowserSource, Engine, EngineOptions};
use crate::browser::ContextOptions;
use crate::browser::launch::LaunchOptions;
use crate::error::{Error, Result};
use crate::session::workspace::Workspace;
use crate::webdriver::{self, WebkitSession};

impl Engine {
    /// Creates a workspace with its own WebKit, which starts on first use.
    ///
    /// # Errors `unsupported` if the browser is run by somebody else.
    pub(in crate::session) fn workspace_in_webkit(&self, context: ContextOptions) -> Result<Workspace> {
        let launch = match &self.options().source {
            BrowserSource::Webkit(_) => {
                return Ok(Workspace::new(self.clone(), context, true, self.inner.quota.clone()));
            }
            // The configured executable and profile belong to the default browser.
            BrowserSource::Launch(launch) => LaunchOptions {
                executable: None,
                user_data_dir: None,
                arguments: Vec::new(),
                ..(**launch).clone()
            },
            BrowserSource::Unsupported { .. } => LaunchOptions::default(),
            BrowserSource::Attach { .. }
            | BrowserSource::Join { .. }
            | BrowserSource::Shared { .. }
            | BrowserSource::Pool(_) => {
                let reason = "the server is attached to one that runs already".to_owned();
                return Err(Error::Unsupported { what: "another browser", reason });
            }
        };
        let mut webkit = self.inner.webkit.lock();
        let make = || {
            let options = webdriver::Options::new(launch, &context, Arc::clone(&self.options().warn));
            let source = BrowserSource::Webkit(Arc::new(options));
            let options = EngineOptions { source, use_profile: false, ..self.options().clone() };
            let root = self.inner.root.clone().unwrap_or_else(|| Arc::downgrade(&self.inner));
            Self::of(options, Some(root))
        };
        let engine = webkit.get_or_insert_with(make).clone();
        let quota = engine.inner.quota.clone();
        Ok(Workspace::new(engine, context, true, quota))
    }

    /// Creates the WebKit session of a new workspace; `None` if this engine does not use WebKit.
    pub(in crate::session) fn webkit_session(&self) -> Option<Arc<WebkitSession>> {
        let BrowserSource::Webkit(options) = &self.options().source else { return None };
        let webkit_session = Arc::new(WebkitSession::new(Arc::clone(options)));
        let mut webkit_sessions = self.inner.webkit_sessions.lock();
        webkit_sessions.retain(|webkit_session| webkit_session.strong_count() > 0);
        webkit_sessions.push(Arc::downgrade(&webkit_session));
        Some(webkit_session)
    }

    pub(super) fn webkit_sessions(&self) -> Vec<Arc<WebkitSession>> {
        self.inner.webkit_sessions.lock().iter().filter_map(Weak::upgrade).collect()
    }
}
