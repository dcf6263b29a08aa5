//! Commands that only Firefox gets, and events that only it sends, with names of our own.
use serde::{Deserialize, Serialize};

use crate::cdp::types::Empty;
use crate::cdp::types::target::ContextCreated;
use crate::cdp::{Command, Event};

/// Several clicks where the pointer is. Firefox counts the clicks of one gesture only when it gets all of them at once.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ClickChain {
    pub button: &'static str,
    /// How long the button is held each time, in milliseconds.
    pub holds: Vec<u32>,
    /// How long the finger waits before the next press.
    pub pauses: Vec<u32>,
}

impl Command for ClickChain {
    const METHOD: &'static str = "Firefox.clickChain";
    type Reply = Empty;
}

/// A context with all that Firefox decides only when it makes one.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CreateContext {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proxy_server: Option<String>,
    /// Hosts to reach without it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub direct_hosts: Vec<String>,
    pub accept_insecure_certs: bool,
}

impl Command for CreateContext {
    const METHOD: &'static str = "Firefox.createContext";
    type Reply = ContextCreated;
}

/// Refuses the next document that a page asks for, so that the one that is there stays.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct RefuseNextDocument {}

impl Command for RefuseNextDocument {
    const METHOD: &'static str = "Firefox.refuseNextDocument";
    type Reply = Empty;
}

/// Takes a picture for a film at once, whatever its pace.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct LookNow {}

/// The number of the newest picture of a film.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct Looked {
    pub number: i64,
}

impl Command for LookNow {
    const METHOD: &'static str = "Firefox.lookNow";
    type Reply = Looked;
}

/// The kind of navigation that has brought the empty document with which a frame begins: none.
pub const FIRST_DOCUMENT: &str = "FirstDocument";

/// What a frame is called, which Firefox says only when asked.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct FrameNamed {
    pub frame_id: String,
    pub name: String,
}

impl Event for FrameNamed {
    const METHOD: &'static str = "Firefox.frameNamed";
}
