//! Private commands and events in CDP's format that the engine uses only with Firefox.
use serde::{Deserialize, Serialize};

use crate::cdp::types::Empty;
use crate::cdp::types::target::ContextCreated;
use crate::cdp::{Command, Event};

/// Several clicks at one position. Firefox detects a double click only if all its events come together.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PerformClicks {
    pub button: &'static str,
    /// How long the button is down for each click, in milliseconds.
    pub holds: Vec<u32>,
    /// The pause after each click, in milliseconds.
    pub pauses: Vec<u32>,
}

impl Command for PerformClicks {
    const METHOD: &'static str = "Firefox.clickChain";
    type Reply = Empty;
}

/// Creates a browser context with the settings that Firefox accepts only at creation.
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

/// Aborts the next document request of a page, so that the current document stays.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct AbortNextDocumentRequest {}

impl Command for AbortNextDocumentRequest {
    const METHOD: &'static str = "Firefox.refuseNextDocument";
    type Reply = Empty;
}

/// Captures a screencast frame now, without waiting for the next interval.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct CaptureScreencastFrame {}

/// The number of the newest screencast frame.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct ScreencastFrameNumber {
    pub number: i64,
}

impl Command for CaptureScreencastFrame {
    const METHOD: &'static str = "Firefox.lookNow";
    type Reply = ScreencastFrameNumber;
}

/// The navigation type of a frame's initial empty document.
pub const INITIAL_EMPTY_DOCUMENT: &str = "FirstDocument";

/// An event with the name of a frame, which Firefox reports only on request.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameNameReported {
    pub frame_id: String,
    pub name: String,
}

impl Event for FrameNameReported {
    const METHOD: &'static str = "Firefox.frameNamed";
}
