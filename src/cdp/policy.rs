//! The one choke point: commands that a page can notice go out only under a permit that names why.
use crate::error::{Error, Result};

/// Why a noticeable command may go out all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permit {
    /// `Console.enable` directly followed by `Console.disable`: the stored messages come, and nothing runs in the page.
    ConsolePulse,
    /// Somebody listens to the console: it and the log stay on as long, and `Runtime.enable` is on for a moment.
    ConsoleSubscribed,
    /// The user asked for it by name: a raw protocol session, or a flag that says what it costs.
    UserAsked,
}

/// What a page can notice while it is on. `Console.enable` slows console calls, `Debugger.enable` stops at `debugger;`,
/// `Target.exposeDevToolsProtocol` gives the page an object. `Target.sendMessageToTarget` could carry any of them.
const NOTICEABLE: [&str; 6] = [
    "Runtime.enable",
    "Console.enable",
    "Log.enable",
    "Debugger.enable",
    "Target.exposeDevToolsProtocol",
    "Target.sendMessageToTarget",
];

/// Refuses what a page could notice, unless there is a permit for it.
pub(super) fn check(method: &str, permit: Option<Permit>) -> Result<()> {
    let Some(noticeable) = NOTICEABLE.into_iter().find(|name| *name == method) else {
        return Ok(());
    };
    match permit {
        Some(Permit::UserAsked) => Ok(()),
        Some(Permit::ConsolePulse) if noticeable == "Console.enable" => Ok(()),
        Some(Permit::ConsoleSubscribed)
            if ["Console.enable", "Log.enable", "Runtime.enable"].contains(&noticeable) =>
        {
            Ok(())
        }
        _ => Err(Error::Noticeable { method: noticeable }),
    }
}
