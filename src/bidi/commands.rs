//! Commands and events of our own that only Firefox has.
use serde::{Deserialize, Serialize};

use crate::cdp::types::Empty;
use crate::cdp::types::target::ContextCreated;
use crate::cdp::{Command, Event};

/// Several clicks at the pointer's position. Firefox recognises a double click only if all its events arrive together.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClickChain {
    pub button: &'static str,
    /// How long the button is down for each click, in milliseconds.
    pub holds: Vec<u32>,
    /// The pause after each click, in milliseconds.
    pub pauses: Vec<u32>,
}

impl Command for ClickChain {
    const METHOD: &'static str = "Firefox.clickChain";
    type Reply = Empty;
}

/// Creates a context with all settings that Firefox accepts only at creation.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy_server: Option<String>,
    /// Hosts that bypass the proxy.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub direct_hosts: Vec<String>,
    pub accept_insecure_certs: bool,
}

impl Command for CreateContext {
    const METHOD: &'static str = "Firefox.createContext";
    type Reply = ContextCreated;
}

/// Refuses the next document that a page requests, so that the current one stays.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct RefuseNextDocument {}

impl Command for RefuseNextDocument {
    const METHOD: &'static str = "Firefox.refuseNextDocument";
    type Reply = Empty;
}

/// Captures the next frame of a screencast at once.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct CaptureScreencastFrame {}

/// The number of the newest frame of a screencast.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct ScreencastFrameNumber {
    pub number: i64,
}

impl Command for CaptureScreencastFrame {
    const METHOD: &'static str = "Firefox.lookNow";
    type Reply = ScreencastFrameNumber;
}

/// The navigation type of a frame's initial empty document.
pub const FIRST_DOCUMENT: &str = "FirstDocument";

/// The name of a frame, which Firefox reports only on request.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameNamed {
    pub frame_id: String,
    pub name: String,
}

impl Event for FrameNamed {
    const METHOD: &'static str = "Firefox.frameNamed";
}
