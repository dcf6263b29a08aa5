//! What calls do, and how long they may take: known before one is made.

/// What calling a tool does to the browser.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Only looks.
    Reads,
    /// Changes something, and doing it twice is doing it once.
    Sets,
    /// Adds something new each time.
    Adds,
    /// May change or lose anything: a click can delete an account.
    Acts,
}

/// What becomes of a call whose page stops answering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Patience {
    /// It is given up: soon where nothing was heard of the page since it began, later where it had still answered.
    Little,
    /// It is given up where nothing was heard of the page since it began: its own work may keep the page busy.
    Long,
    /// It needs no answer, or sees to that itself.
    Endless,
}
