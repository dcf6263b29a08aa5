//! User activation for scripts that need it, for example to open a popup or file chooser, or to enter full
//! screen. Other scripts run without user activation, because a page can detect it.
use std::sync::LazyLock;

use regex::Regex;

use crate::browser::objects::world::UtilityWorld;
use crate::cdp::types::runtime::Evaluate;

static NEEDS_ONE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"(?x)
        (?: ^ | [^.\w$] ) open \s* \(
        | \b (?: window | self | globalThis | this | parent | top | opener | defaultView ) (?: \?\. | \. ) open \b
        | \. (?: click | submit | requestSubmit | dispatchEvent | showPicker | requestFullscreen | requestPointerLock
               | requestPictureInPicture | play ) \s* \(
        | \b clipboard \b",
    )
    .expect("a constant")
});

/// Whether a script needs user activation.
pub(in crate::browser) fn is_needed(script: &str) -> bool {
    NEEDS_ONE.is_match(script)
}

impl UtilityWorld {
    /// Gives the page user activation.
    pub(in crate::browser) fn gesture(&self) {
        let nothing = Evaluate {
            expression: "0".to_owned(),
            context_id: Some(self.context_id()),
            user_gesture: Some(true),
            ..Evaluate::default()
        };
        self.session().send(nothing).ignore();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_needs_a_gesture_gets_one() {
        for script in [
            "open('/x')",
            "() => window.open(\"\")",
            "async () => { await 0; globalThis . name; self.open('a') }",
            "document.querySelector('a').click()",
            "form => form.submit()",
        ] {
            assert!(is_needed(script), "{script}");
        }
        for script in [
            "document.title",
            "() => indexedDB.open('a')",
            "request.open('GET', '/')",
            "reopen('x')",
            "() => document.querySelector('dialog').open",
            "node => node.onclick",
        ] {
            assert!(!is_needed(script), "{script}");
        }
    }
}
