//! Rejects commands whose effect a page can notice, unless the caller states a permitted reason.
use crate::error::{Error, Result};

/// Why a command that a page can notice may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DetectableCommandReason {
    /// `Console.enable`, directly followed by `Console.disable`: makes the browser report its stored messages, and runs
    /// nothing in the page.
    ConsoleReadOnce,
    /// A script listens to console messages. While it listens, `Console` and `Log` stay enabled. `Runtime` is enabled
    /// only for a moment at the start.
    ConsoleSubscribed,
    /// The user asked for the command explicitly: through a raw CDP session, or with a flag whose documentation names
    /// the cost.
    UserAsked,
}

/// Commands whose effect a page can notice. For example, `Console.enable` slows down console calls, `Debugger.enable`
/// makes `debugger;` stop the page, and `Target.exposeDevToolsProtocol` adds an object to the page.
/// `Target.sendMessageToTarget` could wrap any other command.
const NOTICEABLE: [&str; 6] = [
    "Runtime.enable",
    "Console.enable",
    "Log.enable",
    "Debugger.enable",
    "Target.exposeDevToolsProtocol",
    "Target.sendMessageToTarget",
];

/// Returns an error for a noticeable command, unless `permit` allows that command.
pub(super) fn check(method: &str, permit: Option<DetectableCommandReason>) -> Result<()> {
    let Some(noticeable) = NOTICEABLE.into_iter().find(|name| *name == method) else {
        return Ok(());
    };
    match permit {
        Some(DetectableCommandReason::UserAsked) => Ok(()),
        Some(DetectableCommandReason::ConsoleReadOnce) if noticeable == "Console.enable" => Ok(()),
        Some(DetectableCommandReason::ConsoleSubscribed)
            if ["Console.enable", "Log.enable", "Runtime.enable"].contains(&noticeable) =>
        {
            Ok(())
        }
        _ => Err(Error::Noticeable { method: noticeable }),
    }
}
