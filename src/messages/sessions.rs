//! Texts of the session tools. They are only in English, because programs parse them.
use crate::error::Error;

pub const SESSION_CREATED: &str = "Session created successfully";
pub const SESSION_CLOSED: &str = "Session closed successfully";
pub const CLICKED_MESSAGE: &str = "Click successful";
pub const TYPED_MESSAGE: &str = "Type successful";

pub const SESSION_MISSING_HELP: &str = "Pass the sessionId from create_session.";
pub const SESSION_NOT_FOUND_HELP: &str = "Make one with create_session.";
pub const SESSION_EXPIRED_HELP: &str = "Create another with create_session. A session expires --session-timeout after its creation, used or not.";
pub const SESSION_LIMIT_HELP: &str =
    "Close one with close_session, or retry after one has expired; --max-sessions raises the limit.";

pub fn session_not_found(id: &str) -> String {
    format!("Session not found: {id}")
}

pub fn session_expired(id: &str) -> String {
    format!("Session expired: {id}")
}

pub fn session_limit_reached(limit: usize) -> String {
    format!("Maximum number of sessions ({limit}) reached")
}

pub fn navigation_failed(url: &str) -> String {
    format!("Navigation failed for URL: {url}")
}

pub fn element_not_found(selector: &str) -> String {
    format!("Element not found: {selector}")
}

pub fn element_not_clickable(selector: &str) -> String {
    format!("Element not clickable: {selector}")
}

pub fn element_not_editable(selector: &str) -> String {
    format!("Element not editable: {selector}")
}

/// Lists missing arguments, such as `sessionId, selector, and text are required`.
pub fn missing_arguments(names: &[&str]) -> String {
    match names {
        [] => "Invalid parameters".to_owned(),
        [only] => format!("{only} is required"),
        [one, other] => format!("{one} and {other} are required"),
        [first @ .., last] => format!("{}, and {last} are required", first.join(", ")),
    }
}

/// Returns the message of an engine error, with its hint in parentheses.
pub fn browser_error(error: &Error) -> String {
    let hint = error.suggestion().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{error}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_reported_in_words() {
        assert_eq!(missing_arguments(&["sessionId"]), "sessionId is required");
        assert_eq!(missing_arguments(&["sessionId", "url"]), "sessionId and url are required");
        assert_eq!(
            missing_arguments(&["sessionId", "selector", "text"]),
            "sessionId, selector, and text are required"
        );
    }
}
