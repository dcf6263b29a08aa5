//! Replaces `launch.rs` on systems for which WebKit's driver does not exist.
use super::client::Client;
use super::downloads::Downloads;
use super::options::Options;
use crate::error::{Error, Result};

/// The processes of a WebKit. Has no values, since WebKit cannot run on this system.
#[derive(Debug)]
pub(super) enum Processes {}

impl Processes {
    #[expect(clippy::unused_async, reason = "as where WebKit can be started")]
    pub(super) async fn end(&self) {
        match *self {}
    }

    pub(super) fn explain(&self, _begun: std::time::Instant) -> Option<Error> {
        match *self {}
    }

    pub(super) fn downloads(&self) -> &Downloads {
        match *self {}
    }

    pub(super) fn version(&self) -> &str {
        match *self {}
    }

    pub(super) fn have_ended(&self) -> bool {
        match *self {}
    }
}

#[expect(clippy::unused_async, reason = "as where WebKit can be started")]
pub(super) async fn start(options: &Options) -> Result<(Processes, Client)> {
    options.check()?;
    Err(Error::WebkitNotFound { looked: "this system, for which there is no WebKitGTK".to_owned() })
}
