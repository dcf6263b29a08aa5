//! The texts of the session tools, in English only, because programs read them.
use crate::error::Error;

pub const CREATED: &str = "Session created successfully";
pub const CLOSED: &str = "Session closed successfully";
pub const CLICKED: &str = "Click successful";
pub const TYPED: &str = "Type successful";

pub const NEXT_WITHOUT_SESSION: &str = "Make one with create_session.";
pub const NEXT_AFTER_END: &str = "Create another with create_session. A session expires --session-timeout after its creation, used or not.";
pub const NEXT_AT_LIMIT: &str =
    "Close one with close_session, or retry after one has expired; --max-sessions raises the limit.";

pub fn not_found(id: &str) -> String {
    format!("Session not found: {id}")
}

pub fn expired(id: &str) -> String {
    format!("Session expired: {id}")
}

pub fn limit_reached(limit: usize) -> String {
    format!("Maximum number of sessions ({limit}) reached")
}

pub fn navigation_failed(url: &str) -> String {
    format!("Navigation failed for URL: {url}")
}

pub fn element_not_found(selector: &str) -> String {
    format!("Element not found: {selector}")
}

pub fn not_clickable(selector: &str) -> String {
    format!("Element not clickable: {selector}")
}

pub fn not_editable(selector: &str) -> String {
    format!("Element not editable: {selector}")
}

/// Lists missing arguments, such as `sessionId, selector, and text are required`.
pub fn required(names: &[&str]) -> String {
    match names {
        [] => "Invalid parameters".to_owned(),
        [only] => format!("{only} is required"),
        [one, other] => format!("{one} and {other} are required"),
        [first @ .., last] => format!("{}, and {last} are required", first.join(", ")),
    }
}

/// The message of an engine error, with its hint in parentheses.
pub fn browser_error(error: &Error) -> String {
    let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
    format!("{error}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_reported_in_words() {
        assert_eq!(required(&["sessionId"]), "sessionId is required");
        assert_eq!(required(&["sessionId", "url"]), "sessionId and url are required");
        assert_eq!(
            required(&["sessionId", "selector", "text"]),
            "sessionId, selector, and text are required"
        );
    }
}
