//! Properties of tools: their effect on the browser, and how their calls treat a page that stops responding.

/// The effect of a tool on the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToolEffect {
    /// Changes nothing.
    Reads,
    /// Changes something; repeating the call has no further effect.
    Sets,
    /// Adds something with each call, and deletes nothing.
    Adds,
    /// May change or delete anything, as a click does.
    Acts,
}

/// What happens to a call when the page stops responding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StallPolicy {
    /// Gives up: soon if the page has been silent since the call began, later otherwise.
    GiveUpSoon,
    /// Gives up only if the page has been silent since the call began: the call itself may keep it busy.
    GiveUpIfSilent,
    /// Never gives up: the call does not depend on the page, or handles a hang itself.
    KeepWaiting,
}
