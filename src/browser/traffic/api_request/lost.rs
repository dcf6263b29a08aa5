//! Errors of HTTP exchanges, worded as in Node.js.
use std::error::Error as _;

use url::Url;

use crate::browser::egress::client_certificate::alert_of;
use crate::error::Error;

/// Why a request got no response.
pub(super) enum ExchangeError {
    /// The connection was reset; a retry may succeed.
    Reset(Error),
    For(Error),
}

impl From<Error> for ExchangeError {
    fn from(error: Error) -> Self {
        Self::For(error)
    }
}

pub(super) fn lost(error: &reqwest::Error, url: &Url) -> ExchangeError {
    let mut cause = error.source();
    while let Some(inner) = cause {
        if let Some(alert) = alert_of(inner) {
            return ExchangeError::For(failed(&alert));
        }
        if let Some(io) = inner.downcast_ref::<std::io::Error>() {
            let server = format!(
                "{}:{}",
                url.host_str().unwrap_or_default(),
                url.port_or_known_default().unwrap_or_default()
            );
            match io.kind() {
                std::io::ErrorKind::ConnectionReset => {
                    return ExchangeError::Reset(failed("read ECONNRESET"));
                }
                std::io::ErrorKind::ConnectionRefused => {
                    return ExchangeError::For(failed(&format!("connect ECONNREFUSED {server}")));
                }
                _ => {}
            }
        }
        if inner.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_incomplete_message) {
            return ExchangeError::Reset(failed("socket hang up"));
        }
        cause = inner.source();
    }
    let mut reason = error.to_string();
    let mut cause = error.source();
    while let Some(inner) = cause {
        reason = inner.to_string();
        cause = inner.source();
    }
    ExchangeError::For(failed(&reason))
}

/// Returns the error of a failed request.
pub(super) fn failed(reason: &str) -> Error {
    Error::RequestFailed { reason: reason.to_owned() }
}
