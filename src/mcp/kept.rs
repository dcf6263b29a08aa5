//! What a session keeps from call to call, beside its pages.
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use crate::browser::{Coverage, Performance, Screenshot, Video};
use crate::mcp::program::Notebook;
use crate::mcp::script::Script;
use crate::session::Place;

/// What a session keeps from call to call.
#[derive(Debug, Default)]
pub struct Kept {
    /// What its programs named, from the first on. Held while one runs.
    pub notebook: tokio::sync::Mutex<Option<Arc<dyn Notebook>>>,
    /// What was done, to be written as a test.
    pub script: Mutex<Script>,
    /// The last picture that another can be compared with.
    pub picture: Mutex<Option<Screenshot>>,
    /// A video that is being made.
    pub video: Mutex<Option<Recording>>,
    /// What is measured until somebody asks for it.
    pub coverage: Mutex<Option<Coverage>>,
    pub performance: Mutex<Option<Performance>>,
    /// What of a document's console, and of a page's requests, was read, where each reading gives only what is new.
    pub read: Mutex<HashMap<String, u64>>,
    /// The tools of the page that the client was last told of, by name and description.
    pub offered: Mutex<Vec<String>>,
}

/// A video, and the name that it was asked for by.
#[derive(Debug)]
pub struct Recording {
    pub video: Video,
    /// Where it is written until it is whole.
    pub file: tempfile::TempPath,
    pub place: Place,
    pub name: String,
}
