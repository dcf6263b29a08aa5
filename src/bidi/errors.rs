//! Converts BiDi errors to the CDP errors that the engine interprets.
use serde_json::{Value, json};

use super::missing_features::MissingFeature;
use crate::cdp::NOT_IN_FIREFOX;

/// Why a command failed. The caller receives the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Refusal {
    Failed(String),
    /// WebDriver BiDi lacks a command for this feature.
    Missing(MissingFeature),
}

impl Refusal {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self::Failed(text.into())
    }

    /// Returns the error as a CDP error object.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Failed(message) => json!({"code": -32_000, "message": message}),
            Self::Missing(lack) => {
                json!({"code": NOT_IN_FIREFOX, "message": lack.what, "data": lack.instead})
            }
        }
    }

    /// Returns the error for a reply that is too deeply nested to be parsed.
    pub(super) fn unreadable() -> Self {
        Self::new("The answer is nested too deeply to be read")
    }

    /// Returns the error for a document that was replaced before the command completed.
    pub(super) fn replaced() -> Self {
        Self::new("Execution context was destroyed.")
    }

    /// Returns the error for a frame that no longer exists.
    pub(super) fn no_frame() -> Self {
        Self::new("No frame with given id found")
    }

    /// Converts a BiDi error reply.
    pub(super) fn read(answer: &Value) -> Self {
        let code = answer["error"].as_str().unwrap_or_default();
        let message = answer["message"].as_str().unwrap_or_default();
        match code {
            "no such handle" | "no such node" | "no such script" => Self::replaced(),
            "no such frame" if message.starts_with("Realm") => Self::replaced(),
            "no such frame" => Self::no_frame(),
            // The document or its process ended before it could reply.
            _ if message.contains("destroyed before query") || message.contains("AbortError") => {
                Self::replaced()
            }
            // The document was replaced while it handled an input event.
            _ if message.contains("NS_ERROR_FAILURE") && message.contains("EventUtils.js") => {
                Self::replaced()
            }
            _ if message.contains("parent browsing contexts") || message.contains("has been discarded") => {
                Self::no_frame()
            }
            _ => Self::Failed(format!("{code}: {}", message.lines().next().unwrap_or_default())),
        }
    }
}

/// Network errors: Firefox's name and Chromium's name.
const NETWORK: [(&str, &str); 24] = [
    ("NS_BINDING_ABORTED", "net::ERR_ABORTED"),
    ("NS_ERROR_ABORT", "net::ERR_ABORTED"),
    ("NS_ERROR_UNKNOWN_HOST", "net::ERR_NAME_NOT_RESOLVED"),
    ("dnsNotFound", "net::ERR_NAME_NOT_RESOLVED"),
    ("NS_ERROR_CONNECTION_REFUSED", "net::ERR_CONNECTION_REFUSED"),
    ("connectionFailure", "net::ERR_CONNECTION_REFUSED"),
    ("NS_ERROR_NET_RESET", "net::ERR_CONNECTION_RESET"),
    ("netReset", "net::ERR_CONNECTION_RESET"),
    ("NS_ERROR_NET_EMPTY_RESPONSE", "net::ERR_EMPTY_RESPONSE"),
    ("NS_ERROR_NET_INTERRUPT", "net::ERR_CONNECTION_CLOSED"),
    ("netInterrupt", "net::ERR_CONNECTION_CLOSED"),
    ("NS_ERROR_NET_TIMEOUT", "net::ERR_TIMED_OUT"),
    ("netTimeout", "net::ERR_TIMED_OUT"),
    ("NS_ERROR_PORT_ACCESS_NOT_ALLOWED", "net::ERR_UNSAFE_PORT"),
    ("deniedPortAccess", "net::ERR_UNSAFE_PORT"),
    ("NS_ERROR_OFFLINE", "net::ERR_INTERNET_DISCONNECTED"),
    ("netOffline", "net::ERR_INTERNET_DISCONNECTED"),
    ("NS_ERROR_PROXY_CONNECTION_REFUSED", "net::ERR_PROXY_CONNECTION_FAILED"),
    ("proxyConnectFailure", "net::ERR_PROXY_CONNECTION_FAILED"),
    ("NS_ERROR_UNKNOWN_PROXY_HOST", "net::ERR_PROXY_CONNECTION_FAILED"),
    ("NS_ERROR_REDIRECT_LOOP", "net::ERR_TOO_MANY_REDIRECTS"),
    ("redirectLoop", "net::ERR_TOO_MANY_REDIRECTS"),
    ("NS_ERROR_FILE_NOT_FOUND", "net::ERR_FILE_NOT_FOUND"),
    ("fileNotFound", "net::ERR_FILE_NOT_FOUND"),
];

/// Returns Chromium's name for a connection error, or Firefox's name if Chromium has none.
pub(super) fn network_error(message: &str) -> String {
    let word = message.trim_start_matches("Error: ").trim();
    let known = NETWORK.iter().find(|(name, _)| word.starts_with(name));
    match known {
        Some((_, name)) => (*name).to_owned(),
        None if ["SEC_ERROR", "SSL_ERROR", "MOZILLA_PKIX", "nssFailure"]
            .iter()
            .any(|name| word.contains(name)) =>
        {
            "net::ERR_CERT_AUTHORITY_INVALID".to_owned()
        }
        None => word.split_whitespace().next().unwrap_or("net::ERR_FAILED").to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_gone_is_reported_in_the_words_that_mean_it() {
        let read = |error: &str, message: &str| Refusal::read(&json!({"error": error, "message": message}));
        assert_eq!(read("no such handle", "x"), Refusal::replaced());
        assert_eq!(read("no such frame", "Realm with id 1 not found"), Refusal::replaced());
        assert_eq!(read("no such frame", "Browsing Context with id 1 not found"), Refusal::no_frame());
        assert_eq!(read("invalid argument", "wrong\nstack"), Refusal::new("invalid argument: wrong"));
        let input =
            "[Exception... nsresult: (NS_ERROR_FAILURE) location: EventUtils.js :: synthesizeMouseAtPoint]";
        assert_eq!(read("unknown error", input), Refusal::replaced());
        let other = "TypeError in EventUtils.js :: synthesizeMouseAtPoint";
        assert_eq!(read("unknown error", other), Refusal::new(format!("unknown error: {other}")));
    }

    #[test]
    fn failures_of_the_network_have_one_name() {
        assert_eq!(network_error("Error: NS_ERROR_UNKNOWN_HOST"), "net::ERR_NAME_NOT_RESOLVED");
        assert_eq!(network_error("Error: NS_ERROR_STRANGE (3)"), "NS_ERROR_STRANGE");
        assert_eq!(network_error("SEC_ERROR_EXPIRED_CERTIFICATE"), "net::ERR_CERT_AUTHORITY_INVALID");
    }
}
