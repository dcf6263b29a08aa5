//! Contexts that outlive the server that created them, and the data for another server to take them over.
use serde::{Deserialize, Serialize};

use super::{Slot, Workspace};
use crate::browser::{Browser, BrowserContext, StoredCookie};
use crate::error::{Error, Result};

/// A context that a server leaves open for another server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DetachedContext {
    name: String,
    number: u32,
    /// The id that the browser assigned to the context.
    pub id: String,
}

impl DetachedContext {
    pub(in crate::session) fn name(&self) -> &str {
        &self.name
    }
}

impl Workspace {
    /// Adds contexts that another server left. New pages in them are numbered from `first_page`.
    pub(in crate::session) fn adopt_contexts(&self, left: Vec<DetachedContext>, first_page: u32) {
        let mut state = self.inner.state.lock();
        for context in left {
            let mut slot = Slot::new(context.name.clone(), context.number, self.inner.usual.clone());
            slot.left = Some((context.id, first_page));
            slot.has_pages = true;
            state.next_number = state.next_number.max(context.number + 1);
            state.slots.retain(|slot| slot.name != context.name);
            state.slots.push(slot);
        }
    }

    /// Returns the workspace's contexts in the browser, for another server.
    pub(in crate::session) fn left(&self) -> Vec<DetachedContext> {
        let state = self.inner.state.lock();
        let left = state.slots.iter().filter_map(|slot| {
            let id = match (&slot.live, &slot.left) {
                (Some(live), _) => live.id()?.to_owned(),
                (None, Some((id, _))) => id.clone(),
                (None, None) => return None,
            };
            Some(DetachedContext { name: slot.name.clone(), number: slot.number, id })
        });
        left.collect()
    }

    /// Releases everything that the workspace opened, without closing it in the browser.
    pub(in crate::session) fn leave(&self) {
        let slots = std::mem::take(&mut self.inner.state.lock().slots);
        for context in slots.into_iter().filter_map(|slot| slot.live) {
            context.detach();
        }
    }

    /// Adds a notice to the client's next answer.
    pub(in crate::session) fn notice(&self, notice: String) {
        self.inner.state.lock().notices.push(notice);
    }

    /// Returns the last saved cookies of all contexts as JSON; empty if there are none.
    pub(in crate::session) fn saved_cookies(&self) -> String {
        let state = self.inner.state.lock();
        let cookies = state.slots.iter().filter(|slot| !slot.cookies.is_empty());
        let cookies: Vec<_> = cookies.map(|slot| (&slot.name, &slot.cookies)).collect();
        if cookies.is_empty() { String::new() } else { serde_json::json!(cookies).to_string() }
    }

    /// Restores cookies that [`saved_cookies`](Self::saved_cookies) returned, when contexts are created anew.
    pub(in crate::session) fn restore_cookies(&self, saved_cookies: &str) {
        let Ok(cookies) = serde_json::from_str::<Vec<(String, Vec<StoredCookie>)>>(saved_cookies) else {
            return;
        };
        let mut state = self.inner.state.lock();
        for (name, cookies) in cookies {
            if let Ok(slot) = state.slot(&name) {
                slot.cookies = cookies;
            }
        }
    }

    /// Takes over the context that another server left; `None` if it is gone, which is reported once.
    pub(super) async fn take_over(&self, name: &str, browser: &Browser) -> Result<Option<BrowserContext>> {
        let (left, number, options) = {
            let mut state = self.inner.state.lock();
            let slot = state.slot(name)?;
            (slot.left.take(), slot.number, slot.options.clone())
        };
        let Some((id, first_page)) = left else { return Ok(None) };
        let answer = match browser.adopt_context(&id, options, first_page).await {
            Ok(context) => {
                self.notice(format!(
                    "Another server has taken over: tabs and cookies are as they were, and refs from before are stale (the pages of context '{name}' are now c{number}p{first_page} and on)."
                ));
                return Ok(Some(context));
            }
            Err(Error::BrowserGone { .. } | Error::Protocol { .. }) if browser.is_connected() => {
                "The browser of before is gone; what was open in it is lost."
            }
            Err(error) => {
                // Keeps the id, so that the next call tries again.
                self.inner.state.lock().slot(name)?.left = Some((id, first_page));
                return Err(error);
            }
        };
        self.notice(answer.to_owned());
        Ok(None)
    }
}
