//! Replaces `store.rs` in a build without Redis or Valkey.
use std::time::Duration;

use crate::error::{Error, Result};

/// A stand-in for the shared store. Every operation fails.
#[derive(Debug)]
pub struct SharedStore;

/// A stand-in for a Lua script. Never runs.
#[derive(Debug)]
pub struct Script;

impl Script {
    pub(super) const fn new(_text: &str) -> Self {
        Self
    }
}

impl SharedStore {
    /// # Errors
    /// Always.
    pub fn new(_url: &str, _limit: Duration) -> Result<Self> {
        Err(missing())
    }

    pub(super) const fn apart(&self) -> Self {
        Self
    }

    /// # Errors
    /// Always.
    #[expect(clippy::unused_async, reason = "as that which asks somebody")]
    pub async fn run<T>(&self, _script: &Script, _arguments: &[&str]) -> Result<T> {
        Err(missing())
    }
}

fn missing() -> Error {
    let reason = "this build is without the feature `fleet`".to_owned();
    Error::Unsupported { what: "sharing sessions with other servers", reason }
}
