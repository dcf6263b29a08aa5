//! Messages between the command line and its background server: one request, then response lines.
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A request. Client and server have the same version, so all fields are required.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Request {
    /// The name of the session.
    pub session: String,
    /// The server options of this command line. If not empty, they must equal those of the running server.
    pub options: Vec<String>,
    pub json: bool,
    /// The user's working directory; paths in the answer are relative to it.
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
    /// Closes the request's session, or all sessions.
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
    /// The request was read and is running. The client must not repeat it, since it could run twice.
    Begun,
    /// The request is still running. Sent every 5 s.
    Working,
    /// A message for the user while the request waits, for example for a person to log in.
    Waiting(String),
    Done(Outcome),
}

/// The outcome of a request.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Outcome {
    pub text: String,
    pub failed: bool,
}
