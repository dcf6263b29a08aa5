//! Properties of tools: their effect, and what becomes of a call when its page hangs.

/// The effect of a tool on the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Reads only.
    Reads,
    /// Changes something, and is idempotent.
    Sets,
    /// Adds something each time.
    Adds,
    /// May change or delete anything, such as a click.
    Acts,
}

/// What happens to a call when the page stops responding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StallPolicy {
    /// The call is given up: soon if the page has been silent since the call began, later otherwise.
    GiveUpSoon,
    /// The call is given up only if the page has been silent since it began: the call itself may keep the page busy.
    GiveUpIfSilent,
    /// The call does not depend on the page, or handles a hang itself.
    KeepWaiting,
}
