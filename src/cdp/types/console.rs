//! Console messages, and the crash event. See [`crate::cdp::DetectableCommandReason`] for when they may be requested.
use super::Empty;

domain! {
    commands {
        /// Noticeable to pages, so it needs a permit such as [`crate::cdp::DetectableCommandReason::ConsoleReadOnce`].
        "Console.enable" Enable {} -> Empty
        "Console.disable" Disable {} -> Empty
        "Inspector.enable" InspectorEnable {} -> Empty
        "Log.enable" LogEnable {} -> Empty
        "Log.disable" LogDisable {} -> Empty
    }
    events {
        "Console.messageAdded" MessageAdded { message: ConsoleMessage }
        "Inspector.targetCrashed" TargetCrashed {}
        "Log.entryAdded" EntryAdded { entry: LogEntry }
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
        LogEntry {
            source: String,
            level: String,
            text: String,
            timestamp: f64,
            url: Option<String>,
            line_number: Option<i64>,
        }
    }
}
