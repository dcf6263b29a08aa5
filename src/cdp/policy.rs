//! The policy for commands that a page can notice: they need a permit that states the reason.
use crate::error::{Error, Result};

/// Why a command that a page can notice may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PermitReason {
    /// `Console.enable` directly followed by `Console.disable`: returns the stored messages, and runs nothing
    /// in the page.
    ConsolePulse,
    /// Somebody listens to the console: `Console` and `Log` stay enabled meanwhile, and `Runtime` is enabled
    /// for a moment.
    ConsoleSubscribed,
    /// The user asked for it explicitly: through a raw CDP session, or with a flag whose documentation names
    /// the cost.
    UserAsked,
}

/// Commands whose effect a page can notice. `Console.enable` slows console calls, `Debugger.enable` stops at
/// `debugger;`, `Target.exposeDevToolsProtocol` gives the page an object. `Target.sendMessageToTarget` could
/// carry any of them.
const NOTICEABLE: [&str; 6] = [
    "Runtime.enable",
    "Console.enable",
    "Log.enable",
    "Debugger.enable",
    "Target.exposeDevToolsProtocol",
    "Target.sendMessageToTarget",
];

/// Refuses a noticeable command without a permit.
pub(super) fn check(method: &str, permit: Option<PermitReason>) -> Result<()> {
    let Some(noticeable) = NOTICEABLE.into_iter().find(|name| *name == method) else {
        return Ok(());
    };
    match permit {
        Some(PermitReason::UserAsked) => Ok(()),
        Some(PermitReason::ConsolePulse) if noticeable == "Console.enable" => Ok(()),
        Some(PermitReason::ConsoleSubscribed)
            if ["Console.enable", "Log.enable", "Runtime.enable"].contains(&noticeable) =>
        {
            Ok(())
        }
        _ => Err(Error::Noticeable { method: noticeable }),
    }
}
