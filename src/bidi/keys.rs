//! Converts CDP keys to WebDriver's key values.

/// WebDriver's value of the Tab key, which moves the focus.
pub(super) const TAB: &str = "\u{E004}";

/// WebDriver's values of keys that type no text, by DOM `code`.
const SPECIAL: [(&str, char); 64] = [
    ("Backspace", '\u{E003}'),
    ("Tab", '\u{E004}'),
    ("NumpadEnter", '\u{E007}'),
    ("Enter", '\u{E006}'),
    ("ShiftLeft", '\u{E008}'),
    ("ControlLeft", '\u{E009}'),
    ("AltLeft", '\u{E00A}'),
    ("Pause", '\u{E00B}'),
    ("Escape", '\u{E00C}'),
    ("PageUp", '\u{E00E}'),
    ("PageDown", '\u{E00F}'),
    ("End", '\u{E010}'),
    ("Home", '\u{E011}'),
    ("ArrowLeft", '\u{E012}'),
    ("ArrowUp", '\u{E013}'),
    ("ArrowRight", '\u{E014}'),
    ("ArrowDown", '\u{E015}'),
    ("Insert", '\u{E016}'),
    ("Delete", '\u{E017}'),
    ("Numpad0", '\u{E01A}'),
    ("Numpad1", '\u{E01B}'),
    ("Numpad2", '\u{E01C}'),
    ("Numpad3", '\u{E01D}'),
    ("Numpad4", '\u{E01E}'),
    ("Numpad5", '\u{E01F}'),
    ("Numpad6", '\u{E020}'),
    ("Numpad7", '\u{E021}'),
    ("Numpad8", '\u{E022}'),
    ("Numpad9", '\u{E023}'),
    ("NumpadMultiply", '\u{E024}'),
    ("NumpadAdd", '\u{E025}'),
    ("NumpadComma", '\u{E026}'),
    ("NumpadSubtract", '\u{E027}'),
    ("NumpadDecimal", '\u{E028}'),
    ("NumpadDivide", '\u{E029}'),
    ("F1", '\u{E031}'),
    ("F2", '\u{E032}'),
    ("F3", '\u{E033}'),
    ("F4", '\u{E034}'),
    ("F5", '\u{E035}'),
    ("F6", '\u{E036}'),
    ("F7", '\u{E037}'),
    ("F8", '\u{E038}'),
    ("F9", '\u{E039}'),
    ("F10", '\u{E03A}'),
    ("F11", '\u{E03B}'),
    ("F12", '\u{E03C}'),
    ("MetaLeft", '\u{E03D}'),
    ("OSLeft", '\u{E03D}'),
    ("ShiftRight", '\u{E050}'),
    ("ControlRight", '\u{E051}'),
    ("AltRight", '\u{E052}'),
    ("MetaRight", '\u{E053}'),
    ("OSRight", '\u{E053}'),
    ("Help", '\u{E002}'),
    ("Cancel", '\u{E001}'),
    ("Shift", '\u{E008}'),
    ("Control", '\u{E009}'),
    ("Alt", '\u{E00A}'),
    ("Meta", '\u{E03D}'),
    ("Space", ' '),
    ("Esc", '\u{E00C}'),
    ("Return", '\u{E006}'),
    ("Del", '\u{E017}'),
];

/// Returns WebDriver's value for a key, given its `code` and `key`; `None` if WebDriver has none.
pub(super) fn value(code: &str, meaning: &str) -> Option<String> {
    let special =
        |name: &str| SPECIAL.iter().find(|(known, _)| *known == name).map(|(_, key)| key.to_string());
    let mut letters = meaning.chars();
    let is_letter = letters.next().is_some() && letters.next().is_none();
    // Keypad keys depend on Num Lock: only if they type a character, `code` identifies the WebDriver key.
    if code.starts_with("Numpad") && meaning != "Enter" {
        return special(if is_letter { code } else { meaning }).or_else(|| special(code));
    }
    if is_letter {
        return Some(meaning.to_owned());
    }
    special(code).or_else(|| special(meaning))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_reported_by_what_they_type_and_others_by_their_place() {
        assert_eq!(value("KeyA", "A").as_deref(), Some("A"));
        assert_eq!(value("ShiftRight", "Shift").as_deref(), Some("\u{E050}"));
        assert_eq!(value("Numpad5", "5").as_deref(), Some("\u{E01F}"));
        assert_eq!(value("NumpadEnter", "Enter").as_deref(), Some("\u{E007}"));
        assert_eq!(value("Numpad5", "Clear"), Some("\u{E01F}".to_owned()));
        assert_eq!(value("Space", " ").as_deref(), Some(" "));
        assert_eq!(value("MediaPlay", "MediaPlay"), None);
    }
}
