//! The messages between the command line and its background server: one request, then lines until the outcome.
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A request. Both ends have the same version, so no field is optional.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// The name of the session.
    pub session: String,
    /// The options that the server should have, if given.
    pub options: Vec<String>,
    pub json: bool,
    /// The user's folder, for relative paths.
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
    /// Closes this session, or all.
    Close {
        all: bool,
    },
    /// Lists the sessions.
    Sessions,
}

/// A line of the response.
#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Line {
    /// The request was read and is running: repeating it could run it twice.
    Begun,
    /// It is still running; sent every few seconds.
    Working,
    /// A message for the person.
    Waiting(String),
    Done(Outcome),
}

/// The outcome of a request.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub text: String,
    pub failed: bool,
}
