//! Console messages. To read them, the `Console` domain is enabled and disabled at once: the browser then sends
//! the messages that it has stored. Nothing runs in the page, and the domain does not stay enabled.
mod entry;
mod interest;
mod source_map;
mod stacks;
mod subscription;

use std::sync::Arc;
use std::time::Duration;

use futures_util::future::join_all;

use crate::browser::objects::page::Page;
use crate::browser::program::launch::BrowserProcess;
use crate::cdp::types::console::{Disable, Enable, MessageAdded};
use crate::cdp::{CdpSession, DetectableCommandReason, Event};
use crate::error::Result;

pub use entry::{ConsoleEntry, ConsoleEvent, EntryKind};
pub use interest::ConsoleFilter;
pub(super) use interest::ConsoleHooks;
pub use source_map::SourceLocation;
pub use stacks::StackFrame;

/// The severity of a console message, most severe first, so that filters can compare: `level <= Warning`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum ConsoleLevel {
    Error,
    Warning,
    /// `console.log` and `console.info`.
    Info,
    Debug,
}

/// A console message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConsoleMessage {
    pub level: ConsoleLevel,
    pub text: String,
    /// The URL of the script; empty if unknown.
    pub url: String,
    /// Line, counted from 1; 0 if unknown.
    pub line: i64,
    pub column: i64,
    /// Whether the message is an uncaught error. For its text, see [`Page::fill_error_texts`].
    pub uncaught: bool,
    /// The URL of the worker that logged the message; `None` for a document.
    pub worker: Option<String>,
    /// The call stack, innermost call first. Filled by [`Page::add_stacks`] only.
    pub stack: Vec<StackFrame>,
    /// The id of the CDP session that reported the message.
    session: Arc<str>,
}

/// The time limit for reading the messages: a busy page does not answer.
const LIMIT: Duration = Duration::from_secs(2);
/// The maximum number of messages returned; older messages are dropped.
const KEPT: usize = 1_000;

impl Page {
    /// Returns the messages of the current documents, oldest first within each frame process; at most 1,000.
    pub async fn console_messages(&self) -> Result<Vec<ConsoleMessage>> {
        let pulses = self.sessions().into_iter().map(|session| async move { pulse(&session).await });
        let read = self.fail_on_dialog(async { Ok(join_all(pulses).await) }).await?;
        let mut messages: Vec<_> = read.into_iter().flatten().flatten().collect();
        let surplus = messages.len().saturating_sub(KEPT);
        messages.drain(..surplus);
        self.fill_error_texts(&mut messages);
        Ok(messages)
    }

    /// Fills in the texts of uncaught errors from the browser's log. Returns whether all texts are known now.
    pub fn fill_error_texts(&self, messages: &mut [ConsoleMessage]) -> bool {
        let browser = self.context().browser().ok();
        let log = browser
            .as_ref()
            .and_then(|browser| browser.process())
            .map(BrowserProcess::uncaught_script_errors);
        let mut places: Vec<_> = messages.iter().filter(|message| lacks_text(message)).map(place).collect();
        places.sort_unstable();
        places.dedup();
        let mut complete = true;
        for at in places {
            let here: Vec<_> = (0..messages.len())
                .filter(|&index| lacks_text(&messages[index]) && place(&messages[index]) == at)
                .collect();
            let texts = log.and_then(|log| log.error_texts(&at.0, at.1, here.len()));
            complete &= texts.is_some();
            for (index, text) in here.into_iter().zip(texts.unwrap_or_default()) {
                messages[index].text = text;
            }
        }
        complete
    }
}

async fn pulse(session: &CdpSession) -> Result<Vec<ConsoleMessage>> {
    let mut events = session.events(&[MessageAdded::METHOD]);
    session.send_detectable(Enable {}, DetectableCommandReason::ConsoleReadOnce).ignore();
    session.send(Disable {}).within(LIMIT).await?;
    let mut messages = Vec::new();
    while let Some(event) = events.try_next() {
        if let Some(event) = event.read::<MessageAdded>() {
            let event = event.message;
            let uncaught = event.source == "javascript" || (event.level == "log" && is_bare(&event.text));
            messages.push(ConsoleMessage {
                level: if uncaught { ConsoleLevel::Error } else { level(&event.level) },
                uncaught,
                text: event.text,
                url: event.url.unwrap_or_default(),
                line: event.line.unwrap_or(0),
                column: event.column.unwrap_or(0),
                worker: None,
                stack: Vec::new(),
                session: session.id().into(),
            });
        }
    }
    Ok(messages)
}

/// Whether `text` is the generic console text of an uncaught error, without the error's message.
fn is_bare(text: &str) -> bool {
    matches!(text, "Uncaught" | "Uncaught (in promise)")
}

fn lacks_text(message: &ConsoleMessage) -> bool {
    message.uncaught && is_bare(&message.text)
}

fn place(message: &ConsoleMessage) -> (String, i64) {
    (message.url.clone(), message.line)
}

fn level(name: &str) -> ConsoleLevel {
    match name {
        "error" => ConsoleLevel::Error,
        "warning" => ConsoleLevel::Warning,
        "debug" | "verbose" => ConsoleLevel::Debug,
        _ => ConsoleLevel::Info,
    }
}
