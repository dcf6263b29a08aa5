//! Stands where `session` will: the browser, and what one client sees of it.
#![allow(clippy::unused_async, reason = "what takes its place waits")]

use crate::Result;
use crate::error::Error;

/// The one browser of this process, started when it is first needed.
#[derive(Debug, Clone, Default)]
pub struct Engine;

/// The contexts and tabs of one client.
#[derive(Debug, Clone, Default)]
pub struct Workspace;

impl Engine {
    pub fn workspace(&self) -> Workspace {
        Workspace
    }

    /// Closes the browser, if one runs.
    pub async fn close(&self) {}
}

impl Workspace {
    /// The active page, made when there is none.
    pub async fn page(&self) -> Result<()> {
        Err(Error::Unsupported { what: "driving a browser", reason: "the engine is not built in".to_owned() })
    }
}
