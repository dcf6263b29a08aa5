//! What a page logged, by a pulse that the page cannot see; and the crash notice.
use super::Empty;

domain! {
    commands {
        /// Only as the first half of a pulse: see [`crate::cdp::Permit::ConsolePulse`].
        "Console.enable" Enable {} -> Empty
        "Console.disable" Disable {} -> Empty
        "Inspector.enable" InspectorEnable {} -> Empty
    }
    events {
        "Console.messageAdded" MessageAdded { message: ConsoleMessage }
        "Inspector.targetCrashed" TargetCrashed {}
    }
    objects {
        ConsoleMessage {
            source: String,
            level: String,
            text: String,
            url: Option<String>,
            line: Option<i64>,
            column: Option<i64>,
        }
    }
}
