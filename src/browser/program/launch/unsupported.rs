//! Replaces `process.rs` on systems that are not Unix, where starting a browser is not supported.
use std::fmt;
use std::path::Path;
use std::time::Duration;

use tokio::time::Instant;

use super::log::UncaughtErrors;
use super::version::Version;
use super::{LaunchOptions, Plan};
use crate::error::{Error, Result};

pub type PipeReceiver = tokio::io::Empty;
pub type PipeSender = tokio::io::Sink;

/// A browser process. No value of this type can exist on this system.
#[derive(Debug)]
pub enum BrowserProcess {}

/// How a browser process ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exit {
    pub status: Option<i32>,
    pub signal: Option<i32>,
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "it ended")
    }
}

impl BrowserProcess {
    pub fn take_pipes(&self) -> Option<(PipeReceiver, PipeSender)> {
        match *self {}
    }

    pub fn bidi_address(&self) -> Option<&str> {
        match *self {}
    }

    pub fn pid(&self) -> u32 {
        match *self {}
    }

    pub fn is_headless(&self) -> bool {
        match *self {}
    }

    pub fn has_user_agent_argument(&self) -> bool {
        match *self {}
    }

    pub fn has_configured_user_agent(&self) -> bool {
        match *self {}
    }

    pub fn restricts_webrtc(&self) -> bool {
        match *self {}
    }

    pub fn blocks_external_protocols(&self) -> bool {
        match *self {}
    }

    pub fn brand(&self) -> Option<&str> {
        match *self {}
    }

    pub fn profile(&self) -> &Path {
        match *self {}
    }

    pub fn has_temporary_profile(&self) -> bool {
        match *self {}
    }

    pub fn renderer_memory_bytes(&self) -> u64 {
        match *self {}
    }

    pub fn scratch_folder(&self) -> Option<std::path::PathBuf> {
        match *self {}
    }

    pub fn version(&self) -> &Version {
        match *self {}
    }

    pub fn stderr_tail(&self) -> String {
        match *self {}
    }

    pub fn uncaught_script_errors(&self) -> &UncaughtErrors {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "as where browsers can be started")]
    pub async fn wait_for_exit(&self) -> Exit {
        match *self {}
    }

    #[expect(clippy::unused_async, reason = "as where browsers can be started")]
    pub async fn terminate(&self, _limit: Duration) {
        match *self {}
    }
}

#[expect(clippy::unused_async, reason = "as where browsers can be started")]
pub(super) async fn start(_: &LaunchOptions, _: &Plan, _: Instant) -> Result<BrowserProcess> {
    Err(Error::Unsupported {
        what: "starting a browser",
        reason: "on this system, start one with --remote-debugging-port and give --cdp-endpoint".to_owned(),
    })
}
