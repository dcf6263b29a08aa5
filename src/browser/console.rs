//! What a page logged, read by a pulse: the console's domain is switched on and off again in one write. The browser
//! hands over the messages that it stored itself; nothing runs in the page, and nothing stays on.
use std::time::Duration;

use futures_util::future::join_all;

use super::page::Page;
use crate::cdp::types::console::{Disable, Enable, MessageAdded};
use crate::cdp::{CdpSession, Event, Permit};
use crate::error::Result;

/// How grave a message is. The order is that of a filter: `Error` is the smallest set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ConsoleLevel {
    Error,
    Warning,
    /// `console.log` and `console.info`.
    Info,
    Debug,
}

/// A line of the console.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleMessage {
    pub level: ConsoleLevel,
    pub text: String,
    /// Where it was logged; empty when that is not known.
    pub url: String,
    /// Counted from 1; 0 when not known.
    pub line: i64,
    pub column: i64,
}

/// A page that spins keeps its console to itself.
const LIMIT: Duration = Duration::from_secs(2);
/// How many messages are kept: the newest.
const KEPT: usize = 1_000;

impl Page {
    /// The messages of the documents that the page shows now, oldest first, at most the newest 1,000 of each process.
    pub async fn console_messages(&self) -> Result<Vec<ConsoleMessage>> {
        let pulses = self.sessions().into_iter().map(|session| async move { pulse(&session).await });
        let read = self.unless_dialog(async { Ok(join_all(pulses).await) }).await?;
        let mut messages: Vec<_> = read.into_iter().flatten().flatten().collect();
        let surplus = messages.len().saturating_sub(KEPT);
        messages.drain(..surplus);
        Ok(messages)
    }
}

async fn pulse(session: &CdpSession) -> Result<Vec<ConsoleMessage>> {
    let mut events = session.events(&[MessageAdded::METHOD]);
    session.send_permitted(Enable {}, Permit::ConsolePulse).ignore();
    session.send(Disable {}).within(LIMIT).await?;
    let mut messages = Vec::new();
    while let Some(event) = events.ready() {
        if let Some(told) = event.read::<MessageAdded>() {
            let told = told.message;
            messages.push(ConsoleMessage {
                level: if is_uncaught(&told) { ConsoleLevel::Error } else { level(&told.level) },
                text: told.text,
                url: told.url.unwrap_or_default(),
                line: told.line.unwrap_or(0),
                column: told.column.unwrap_or(0),
            });
        }
    }
    Ok(messages)
}

/// An error that nobody caught. This way of reading tells nothing else of it: neither its level nor its text.
fn is_uncaught(told: &crate::cdp::types::console::ConsoleMessage) -> bool {
    told.level == "log" && matches!(told.text.as_str(), "Uncaught" | "Uncaught (in promise)")
}

fn level(name: &str) -> ConsoleLevel {
    match name {
        "error" => ConsoleLevel::Error,
        "warning" => ConsoleLevel::Warning,
        "debug" | "verbose" => ConsoleLevel::Debug,
        _ => ConsoleLevel::Info,
    }
}
