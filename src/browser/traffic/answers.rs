//! Request and response bodies, fetched on demand. The browser drops them when its buffer is full.
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use futures_util::stream::{StreamExt as _, iter};
use tokio::time::timeout;

use crate::browser::objects::network::RequestEntry;
use crate::browser::objects::page::Page;
use crate::cdp::CdpSession;
use crate::cdp::types::network::{GetRequestPostData, GetResponseBody, PostData};
use crate::error::{Error, Result};

/// The number of bodies that are fetched concurrently.
const AT_ONCE: usize = 8;
/// The time limit for fetching one body.
const BODY_LIMIT: Duration = Duration::from_secs(2);

/// Decodes the request body that the browser reports.
pub(in crate::browser) fn sent_bytes(post_data: PostData) -> Vec<u8> {
    match post_data.base64_encoded {
        Some(true) => BASE64_STANDARD.decode(&post_data.post_data).unwrap_or_default(),
        _ => post_data.post_data.into_bytes(),
    }
}

impl Page {
    /// Returns the request with this number; `None` if the page no longer records it.
    pub fn request_entry(&self, number: u64) -> Option<RequestEntry> {
        self.with_network(|network| network.entries().find(|entry| entry.number == number).cloned())
    }

    /// Returns the body of a request; `None` if it has none.
    pub async fn sent_body(&self, entry: &RequestEntry) -> Result<Option<Vec<u8>>> {
        if !entry.sends_more {
            return Ok(entry.sent_body.clone());
        }
        let get = GetRequestPostData { request_id: entry.id.clone() };
        Ok(Some(sent_bytes(self.session_of(entry)?.call(get).await?)))
    }

    /// Returns the decoded body of a response; `Error::Unsupported` if it is incomplete or was dropped.
    pub async fn response_body(&self, entry: &RequestEntry) -> Result<Vec<u8>> {
        let gone = |reason: &str| Error::Unsupported { what: "reading the body", reason: reason.to_owned() };
        if entry.response.is_none() || entry.ended.is_none() {
            return Err(gone("the response has not arrived completely"));
        }
        let get = GetResponseBody { request_id: entry.id.clone() };
        let body = match self.session_of(entry)?.call(get).await {
            Err(Error::Protocol { .. }) => return Err(gone("the browser keeps it no more")),
            body => body?,
        };
        Ok(match body.base64_encoded {
            true => BASE64_STANDARD.decode(&body.body).unwrap_or_default(),
            false => body.body.into_bytes(),
        })
    }

    /// Returns the requests whose response bodies contain `text`, ignoring case. Skips unreadable bodies.
    pub async fn filter_by_response_text(&self, entries: Vec<RequestEntry>, text: &str) -> Vec<RequestEntry> {
        let wanted = &text.to_lowercase();
        let has = |entry: RequestEntry| async move {
            let body = timeout(BODY_LIMIT, self.response_body(&entry)).await.ok()?.ok()?;
            String::from_utf8_lossy(&body).to_lowercase().contains(wanted).then_some(entry)
        };
        iter(entries).map(has).buffered(AT_ONCE).filter_map(std::future::ready).collect().await
    }

    fn session_of(&self, entry: &RequestEntry) -> Result<CdpSession> {
        let session = self.sessions().into_iter().find(|session| *session.id() == *entry.session);
        session.ok_or(Error::FrameDetached)
    }
}
