//! The US keyboard layout: key names and texts, and parsing of chords such as `Control+Shift+a`.
use crate::error::{Error, Result};

/// Bits for pressed modifiers, as in the `modifiers` field of CDP events.
pub mod modifier {
    pub const ALT: u32 = 1;
    pub const CONTROL: u32 = 2;
    pub const META: u32 = 4;
    pub const SHIFT: u32 = 8;
}

/// Where a key is on the keyboard, for keys that exist more than once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Location {
    Standard,
    Left,
    Right,
    Keypad,
}

/// A key of the keyboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Key {
    /// The physical key, as in `KeyboardEvent.code`: `KeyA`, `Digit1`, `ShiftLeft`.
    pub code: &'static str,
    /// The `KeyboardEvent.key` value without modifiers: `a`, `1`, `Shift`.
    pub key: &'static str,
    /// The `KeyboardEvent.key` value with Shift; the same as `key` if Shift does not change it.
    pub shifted: &'static str,
    /// The `KeyboardEvent.keyCode`, which equals the Windows virtual key code.
    pub key_code: u32,
    pub location: Location,
}

impl Key {
    /// Returns the `KeyboardEvent.key` value of the key with these modifiers.
    pub fn key_value(&self, modifiers: u32) -> &'static str {
        if modifiers & modifier::SHIFT == 0 { self.key } else { self.shifted }
    }

    /// Returns the text that the key types with these modifiers; `None` for shortcuts and keys without text.
    pub fn text(&self, modifiers: u32) -> Option<&'static str> {
        if modifiers & !modifier::SHIFT != 0 {
            return None;
        }
        match self.key_value(modifiers) {
            "Enter" => Some("\r"),
            meaning if is_one_character(meaning) => Some(meaning),
            _ => None,
        }
    }

    /// Returns the modifier bit of this key; `None` if the key is not a modifier.
    pub fn modifier(&self) -> Option<u32> {
        modifier_named(self.key)
    }
}

/// A key, and whether Shift must be pressed with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keystroke {
    pub key: &'static Key,
    pub shift: bool,
}

impl Keystroke {
    /// Returns `modifiers`, with Shift added if the key needs it.
    pub fn with_shift(self, modifiers: u32) -> u32 {
        if self.shift { modifiers | modifier::SHIFT } else { modifiers }
    }
}

/// A parsed chord: the held keys in order, and the last key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chord {
    pub held: Vec<&'static Key>,
    pub last: Keystroke,
}

impl Chord {
    /// Parses a key or chord such as `Enter`, `a`, `Control+a`, `ControlOrMeta+Shift+ArrowLeft` or `Control++`.
    pub fn read(text: &str, mac: bool) -> Result<Self> {
        let (held, last) = split(text);
        let held = held
            .into_iter()
            .map(|name| {
                let stroke = keystroke_named(name, mac).ok_or_else(|| unknown(name))?;
                Some(stroke.key).filter(|key| key.modifier().is_some()).ok_or_else(|| not_a_modifier(name))
            })
            .collect::<Result<_>>()?;
        let last = keystroke_named(last, mac).ok_or_else(|| unknown(last))?;
        Ok(Self { held, last })
    }
}

/// Splits a chord into the names of the held keys and the name of the last key, which may be `+`.
fn split(text: &str) -> (Vec<&str>, &str) {
    let end = text.strip_suffix('+').map_or_else(
        || text.rfind('+').map_or(0, |at| at + 1),
        // A chord that ends in a plus presses the plus key: `+`, `Control++`.
        |rest| if rest.is_empty() || rest.ends_with('+') { rest.len() } else { text.len() },
    );
    let held = if end == 0 { Vec::new() } else { text[..end - 1].split('+').collect() };
    (held, &text[end..])
}

/// Returns the key that types this character; `None` if no key does.
pub fn keystroke_for_character(character: char) -> Option<Keystroke> {
    if matches!(character, '\n' | '\r') {
        return keystroke_named("Enter", false);
    }
    if character == '\t' {
        return keystroke_named("Tab", false);
    }
    let mut buffer = [0; 4];
    let text = &*character.encode_utf8(&mut buffer);
    let main = || KEYS.iter().filter(|key| key.location == Location::Standard);
    main()
        .find(|key| key.key == text)
        .map(|key| Keystroke { key, shift: false })
        .or_else(|| main().find(|key| key.shifted == text).map(|key| Keystroke { key, shift: true }))
}

/// Returns the key with this name, which is its character, key value, code, or an alias.
pub fn keystroke_named(name: &str, mac: bool) -> Option<Keystroke> {
    let mut characters = name.chars();
    if let (Some(only), None) = (characters.next(), characters.next()) {
        return keystroke_for_character(only);
    }
    let lower = name.to_ascii_lowercase();
    let wanted = match &*lower {
        "controlormeta" | "commandorcontrol" | "cmdorctrl" => {
            if mac {
                "meta"
            } else {
                "control"
            }
        }
        "ctrl" => "control",
        "cmd" | "command" | "super" | "win" => "meta",
        "option" => "alt",
        "return" => "enter",
        "esc" => "escape",
        "del" => "delete",
        "ins" => "insert",
        "left" => "arrowleft",
        "right" => "arrowright",
        "up" => "arrowup",
        "down" => "arrowdown",
        "pgup" => "pageup",
        "pgdn" | "pgdown" => "pagedown",
        "spacebar" => "space",
        "plus" => return keystroke_for_character('+'),
        other => other,
    };
    let by_meaning = KEYS.iter().find(|key| key.key.len() > 1 && key.key.eq_ignore_ascii_case(wanted));
    by_meaning
        .or_else(|| KEYS.iter().find(|key| key.code.eq_ignore_ascii_case(wanted)))
        .map(|key| Keystroke { key, shift: false })
}

/// Returns the modifier bit for a `KeyboardEvent.key` value; `None` if it is not a modifier.
fn modifier_named(name: &str) -> Option<u32> {
    Some(match name {
        "Alt" => modifier::ALT,
        "Control" => modifier::CONTROL,
        "Meta" => modifier::META,
        "Shift" => modifier::SHIFT,
        _ => return None,
    })
}

fn is_one_character(text: &str) -> bool {
    let mut characters = text.chars();
    characters.next().is_some() && characters.next().is_none()
}

fn unknown(name: &str) -> Error {
    let name: String = name.chars().take(20).collect();
    Error::UnknownKey { name }
}

fn not_a_modifier(name: &str) -> Error {
    let name: String = name.chars().take(20).collect();
    refused(format!(
        "{name:?} cannot be held: before the last key come Alt, Control, Meta, Shift or ControlOrMeta"
    ))
}

fn refused(problem: String) -> Error {
    Error::InvalidArguments { problems: vec![problem] }
}

/// Returns a key's editing commands on a Mac. Chromium leaves them to macOS, which CDP keys do not reach.
pub fn mac_editing_commands(code: &str, modifiers: u32) -> &'static [&'static str] {
    use modifier::{ALT, CONTROL, META, SHIFT};
    const META_SHIFT: u32 = META | SHIFT;
    const ALT_SHIFT: u32 = ALT | SHIFT;
    match (modifiers, code) {
        (META, "KeyA") => &["selectAll"],
        (META, "KeyC") => &["copy"],
        (META, "KeyX") => &["cut"],
        (META, "KeyV") => &["paste"],
        (META_SHIFT, "KeyV") => &["pasteAndMatchStyle"],
        (META, "KeyZ") => &["undo"],
        (META_SHIFT, "KeyZ") => &["redo"],
        (0, "ArrowLeft") | (CONTROL, "KeyB") => &["moveLeft"],
        (0, "ArrowRight") | (CONTROL, "KeyF") => &["moveRight"],
        (0, "ArrowUp") | (CONTROL, "KeyP") => &["moveUp"],
        (0, "ArrowDown") | (CONTROL, "KeyN") => &["moveDown"],
        (SHIFT, "ArrowLeft") => &["moveLeftAndModifySelection"],
        (SHIFT, "ArrowRight") => &["moveRightAndModifySelection"],
        (SHIFT, "ArrowUp") => &["moveUpAndModifySelection"],
        (SHIFT, "ArrowDown") => &["moveDownAndModifySelection"],
        (ALT, "ArrowLeft") => &["moveWordLeft"],
        (ALT, "ArrowRight") => &["moveWordRight"],
        (ALT_SHIFT, "ArrowLeft") => &["moveWordLeftAndModifySelection"],
        (ALT_SHIFT, "ArrowRight") => &["moveWordRightAndModifySelection"],
        (META, "ArrowLeft") | (CONTROL, "KeyA") => &["moveToLeftEndOfLine"],
        (META, "ArrowRight") | (CONTROL, "KeyE") => &["moveToRightEndOfLine"],
        (META, "ArrowUp") => &["moveToBeginningOfDocument"],
        (META, "ArrowDown") => &["moveToEndOfDocument"],
        (META_SHIFT, "ArrowLeft") => &["moveToLeftEndOfLineAndModifySelection"],
        (META_SHIFT, "ArrowRight") => &["moveToRightEndOfLineAndModifySelection"],
        (META_SHIFT, "ArrowUp") => &["moveToBeginningOfDocumentAndModifySelection"],
        (META_SHIFT, "ArrowDown") => &["moveToEndOfDocumentAndModifySelection"],
        (0 | SHIFT, "Backspace") | (CONTROL, "KeyH") => &["deleteBackward"],
        (0, "Delete") | (CONTROL, "KeyD") => &["deleteForward"],
        (ALT, "Backspace") => &["deleteWordBackward"],
        (ALT, "Delete") => &["deleteWordForward"],
        (META, "Backspace") => &["deleteToBeginningOfLine"],
        (CONTROL, "KeyK") => &["deleteToEndOfParagraph"],
        _ => &[],
    }
}

const fn key(
    code: &'static str,
    key: &'static str,
    shifted: &'static str,
    key_code: u32,
    location: Location,
) -> Key {
    Key { code, key, shifted, key_code, location }
}

const fn same(code: &'static str, name: &'static str, key_code: u32) -> Key {
    key(code, name, name, key_code, Location::Standard)
}

const fn typed(code: &'static str, name: &'static str, shifted: &'static str, key_code: u32) -> Key {
    key(code, name, shifted, key_code, Location::Standard)
}

const fn pad(code: &'static str, name: &'static str, key_code: u32) -> Key {
    key(code, name, name, key_code, Location::Keypad)
}

/// All keys. If several keys have the same value, its name refers to the first one.
pub const KEYS: &[Key] = &[
    typed("KeyA", "a", "A", 65),
    typed("KeyB", "b", "B", 66),
    typed("KeyC", "c", "C", 67),
    typed("KeyD", "d", "D", 68),
    typed("KeyE", "e", "E", 69),
    typed("KeyF", "f", "F", 70),
    typed("KeyG", "g", "G", 71),
    typed("KeyH", "h", "H", 72),
    typed("KeyI", "i", "I", 73),
    typed("KeyJ", "j", "J", 74),
    typed("KeyK", "k", "K", 75),
    typed("KeyL", "l", "L", 76),
    typed("KeyM", "m", "M", 77),
    typed("KeyN", "n", "N", 78),
    typed("KeyO", "o", "O", 79),
    typed("KeyP", "p", "P", 80),
    typed("KeyQ", "q", "Q", 81),
    typed("KeyR", "r", "R", 82),
    typed("KeyS", "s", "S", 83),
    typed("KeyT", "t", "T", 84),
    typed("KeyU", "u", "U", 85),
    typed("KeyV", "v", "V", 86),
    typed("KeyW", "w", "W", 87),
    typed("KeyX", "x", "X", 88),
    typed("KeyY", "y", "Y", 89),
    typed("KeyZ", "z", "Z", 90),
    typed("Digit0", "0", ")", 48),
    typed("Digit1", "1", "!", 49),
    typed("Digit2", "2", "@", 50),
    typed("Digit3", "3", "#", 51),
    typed("Digit4", "4", "$", 52),
    typed("Digit5", "5", "%", 53),
    typed("Digit6", "6", "^", 54),
    typed("Digit7", "7", "&", 55),
    typed("Digit8", "8", "*", 56),
    typed("Digit9", "9", "(", 57),
    typed("Space", " ", " ", 32),
    typed("Backquote", "`", "~", 192),
    typed("Minus", "-", "_", 189),
    typed("Equal", "=", "+", 187),
    typed("BracketLeft", "[", "{", 219),
    typed("BracketRight", "]", "}", 221),
    typed("Backslash", "\\", "|", 220),
    typed("Semicolon", ";", ":", 186),
    typed("Quote", "'", "\"", 222),
    typed("Comma", ",", "<", 188),
    typed("Period", ".", ">", 190),
    typed("Slash", "/", "?", 191),
    same("Enter", "Enter", 13),
    same("Tab", "Tab", 9),
    same("Backspace", "Backspace", 8),
    same("Delete", "Delete", 46),
    same("Escape", "Escape", 27),
    same("Insert", "Insert", 45),
    same("Home", "Home", 36),
    same("End", "End", 35),
    same("PageUp", "PageUp", 33),
    same("PageDown", "PageDown", 34),
    same("ArrowLeft", "ArrowLeft", 37),
    same("ArrowUp", "ArrowUp", 38),
    same("ArrowRight", "ArrowRight", 39),
    same("ArrowDown", "ArrowDown", 40),
    key("ShiftLeft", "Shift", "Shift", 16, Location::Left),
    key("ShiftRight", "Shift", "Shift", 16, Location::Right),
    key("ControlLeft", "Control", "Control", 17, Location::Left),
    key("ControlRight", "Control", "Control", 17, Location::Right),
    key("AltLeft", "Alt", "Alt", 18, Location::Left),
    key("AltRight", "Alt", "Alt", 18, Location::Right),
    key("MetaLeft", "Meta", "Meta", 91, Location::Left),
    key("MetaRight", "Meta", "Meta", 92, Location::Right),
    same("CapsLock", "CapsLock", 20),
    same("NumLock", "NumLock", 144),
    same("ScrollLock", "ScrollLock", 145),
    same("Pause", "Pause", 19),
    same("PrintScreen", "PrintScreen", 44),
    same("ContextMenu", "ContextMenu", 93),
    same("F1", "F1", 112),
    same("F2", "F2", 113),
    same("F3", "F3", 114),
    same("F4", "F4", 115),
    same("F5", "F5", 116),
    same("F6", "F6", 117),
    same("F7", "F7", 118),
    same("F8", "F8", 119),
    same("F9", "F9", 120),
    same("F10", "F10", 121),
    same("F11", "F11", 122),
    same("F12", "F12", 123),
    same("F13", "F13", 124),
    same("F14", "F14", 125),
    same("F15", "F15", 126),
    same("F16", "F16", 127),
    same("F17", "F17", 128),
    same("F18", "F18", 129),
    same("F19", "F19", 130),
    same("F20", "F20", 131),
    same("F21", "F21", 132),
    same("F22", "F22", 133),
    same("F23", "F23", 134),
    same("F24", "F24", 135),
    pad("Numpad0", "0", 96),
    pad("Numpad1", "1", 97),
    pad("Numpad2", "2", 98),
    pad("Numpad3", "3", 99),
    pad("Numpad4", "4", 100),
    pad("Numpad5", "5", 101),
    pad("Numpad6", "6", 102),
    pad("Numpad7", "7", 103),
    pad("Numpad8", "8", 104),
    pad("Numpad9", "9", 105),
    pad("NumpadMultiply", "*", 106),
    pad("NumpadAdd", "+", 107),
    pad("NumpadSubtract", "-", 109),
    pad("NumpadDecimal", ".", 110),
    pad("NumpadDivide", "/", 111),
    pad("NumpadEnter", "Enter", 13),
    same("BrowserBack", "BrowserBack", 166),
    same("BrowserForward", "BrowserForward", 167),
    same("BrowserRefresh", "BrowserRefresh", 168),
    same("AudioVolumeMute", "AudioVolumeMute", 173),
    same("AudioVolumeDown", "AudioVolumeDown", 174),
    same("AudioVolumeUp", "AudioVolumeUp", 175),
    same("MediaTrackNext", "MediaTrackNext", 176),
    same("MediaTrackPrevious", "MediaTrackPrevious", 177),
    same("MediaStop", "MediaStop", 178),
    same("MediaPlayPause", "MediaPlayPause", 179),
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn chord(text: &str) -> (Vec<&'static str>, &'static str, bool) {
        let chord = Chord::read(text, false).unwrap();
        (chord.held.iter().map(|key| key.key).collect(), chord.last.key.code, chord.last.shift)
    }

    #[test]
    fn chords_are_read_as_people_write_them() {
        assert_eq!(chord("Enter"), (vec![], "Enter", false));
        assert_eq!(chord("a"), (vec![], "KeyA", false));
        assert_eq!(chord("A"), (vec![], "KeyA", true));
        assert_eq!(chord("Control+a"), (vec!["Control"], "KeyA", false));
        assert_eq!(chord("Control+Shift+ArrowLeft"), (vec!["Control", "Shift"], "ArrowLeft", false));
        assert_eq!(chord("ctrl+c"), (vec!["Control"], "KeyC", false));
        assert_eq!(chord("esc"), (vec![], "Escape", false));
        assert_eq!(chord("KeyB"), (vec![], "KeyB", false));
        assert_eq!(chord("NumpadAdd"), (vec![], "NumpadAdd", false));
        assert_eq!(chord("Shift"), (vec![], "ShiftLeft", false));
        assert_eq!(chord("Space"), (vec![], "Space", false));
        assert_eq!(chord(" "), (vec![], "Space", false));
        assert_eq!(chord("!"), (vec![], "Digit1", true));
    }

    #[test]
    fn the_plus_key_can_be_pressed() {
        assert_eq!(chord("+"), (vec![], "Equal", true));
        assert_eq!(chord("Control++"), (vec!["Control"], "Equal", true));
        assert_eq!(chord("Control+plus"), (vec!["Control"], "Equal", true));
    }

    #[test]
    fn control_or_meta_follows_the_system() {
        assert_eq!(Chord::read("ControlOrMeta+c", false).unwrap().held[0].key, "Control");
        assert_eq!(Chord::read("ControlOrMeta+c", true).unwrap().held[0].key, "Meta");
    }

    #[test]
    fn what_is_no_key_is_refused() {
        for text in ["", "Foo", "Control+", "Control+Foo", "a+b", "+a", "Foo+a", "Control++a"] {
            let error = Chord::read(text, false).expect_err(text);
            assert_eq!(error.code(), "invalid_arguments", "{text}");
        }
    }

    #[test]
    fn every_key_answers_to_its_code() {
        for key in KEYS {
            assert_eq!(keystroke_named(key.code, false).unwrap().key.code, key.code);
        }
    }

    #[test]
    fn shortcuts_type_nothing() {
        let a = keystroke_named("a", false).unwrap().key;
        assert_eq!(a.text(0), Some("a"));
        assert_eq!(a.text(modifier::SHIFT), Some("A"));
        assert_eq!(a.text(modifier::CONTROL), None);
        assert_eq!(a.text(modifier::ALT | modifier::SHIFT), None);
        assert_eq!(keystroke_named("Enter", false).unwrap().key.text(0), Some("\r"));
        assert_eq!(keystroke_named("Tab", false).unwrap().key.text(0), None);
    }

    proptest! {
        /// Every printable ASCII character has a key that types it.
        #[test]
        fn every_character_of_the_keyboard_is_typed_by_its_key(character in " -~") {
            let character = character.chars().next().unwrap();
            let stroke = keystroke_for_character(character).unwrap();
            let modifiers = if stroke.shift { modifier::SHIFT } else { 0 };
            prop_assert_eq!(stroke.key.text(modifiers).map(str::to_owned), Some(character.to_string()));
        }

        /// Parsing never panics, and an accepted chord ends in the named key.
        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,20}") {
            let _ = Chord::read(&text, false);
        }
    }
}
