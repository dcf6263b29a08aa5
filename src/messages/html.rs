//! HTML escaping.

/// Escapes a text for HTML, including attribute values.
pub fn escape_html(text: &str) -> String {
    let entity = |letter| match letter {
        '&' => "&amp;".to_owned(),
        '<' => "&lt;".to_owned(),
        '>' => "&gt;".to_owned(),
        '"' => "&quot;".to_owned(),
        '\'' => "&#39;".to_owned(),
        letter => letter.to_string(),
    };
    text.chars().map(entity).collect()
}
