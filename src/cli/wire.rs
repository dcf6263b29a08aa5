//! What the command line and the server behind it say to each other: one request, then lines until the outcome.
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What is asked for. Both ends are of one version, so every field is always there.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// The name of the session.
    pub session: String,
    /// How the server was to be started, where that is known.
    pub options: Vec<String>,
    pub json: bool,
    /// The user's directory, for paths that are given.
    pub here: String,
    pub work: Work,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Work {
    Call {
        tool: String,
        arguments: Map<String, Value>,
    },
    /// Ends this session, or all.
    Close {
        all: bool,
    },
    /// Lists the sessions.
    Sessions,
}

/// A line back.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    /// It was read, and is being done: asking again could do it twice.
    Begun,
    /// It goes on; said every few seconds.
    Working,
    /// Something that a person should know meanwhile.
    Waiting(String),
    Done(Outcome),
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub text: String,
    pub failed: bool,
}
