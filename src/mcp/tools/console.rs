//! Tools for the console.
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use crate::Result;
use crate::browser::{ConsoleLevel, ConsoleMessage, SourceLocation, StackFrame};
use crate::mcp::budget;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::settings::ConsoleThreshold;
use crate::mcp::tool::{Tool, ToolEffect};

/// How long to wait until the browser's log contains the texts of uncaught errors.
const LOG_LIMIT: Duration = Duration::from_millis(300);
/// The interval between checks of the browser's log.
const LOG_PAUSE: Duration = Duration::from_millis(10);

/// Read the newest 1000 console messages and uncaught errors of the page and its workers.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ConsoleMessages {
    /// Minimum level. Default: info.
    pub level: Option<ConsoleThreshold>,
    /// Add source-mapped stacks: full for messages after the first call with it. Pages can detect this.
    #[serde(default)]
    pub stacks: bool,
}

impl Tool for ConsoleMessages {
    const NAME: &'static str = "browser_console_messages";
    const TITLE: &'static str = "Read the console";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const FILE: Option<&'static str> = Some("json");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let (least, name) = match self.level.unwrap_or(call.settings.console_level) {
            ConsoleThreshold::Error => (ConsoleLevel::Error, "error"),
            ConsoleThreshold::Warning => (ConsoleLevel::Warning, "warning"),
            ConsoleThreshold::Info => (ConsoleLevel::Info, "info"),
            ConsoleThreshold::Debug => (ConsoleLevel::Debug, "debug"),
        };
        let mut messages = page.console_messages().await?;
        // The browser may write the text of an uncaught error to its log shortly after it has reported the error.
        let mut complete = page.fill_error_texts(&mut messages);
        let deadline = Instant::now() + LOG_LIMIT;
        while !complete && Instant::now() < deadline {
            sleep(LOG_PAUSE).await;
            complete = page.fill_error_texts(&mut messages);
        }
        messages.extend(page.worker_console_messages().await);
        if self.stacks {
            call.progress.set_message("reading source maps");
            page.add_stacks(&mut messages).await?;
            complete |= messages.iter().all(|message| !message.uncaught || !message.stack.is_empty());
        }
        let lines: Vec<_> =
            messages.iter().filter(|message| message.level <= least).map(entry_json).collect();
        if lines.is_empty() {
            reply.say(format!("Console messages (level >= {name}):\n\nNo messages captured."));
        } else {
            let (lines, cut) =
                if call.has_output_file() { (lines, None) } else { budget::keep_newest(lines) };
            let list = page_text::json(&lines);
            reply.say(format!("Console messages (level >= {name}):\n\n{list}"));
            if let Some(note) = cut {
                reply.say(note);
            }
        }
        if !complete {
            reply.say(
                "The browser keeps the text of an uncaught error to itself here; it tells it with --headless, and in a \
                 window with --user-data-dir.",
            );
        }
        Ok(())
    }
}

fn entry_json(message: &ConsoleMessage) -> Value {
    let kind: &str = message.level.into();
    let mut text =
        json!({ "type": kind, "text": message.text, "url": message.url, "lineNumber": message.line });
    if let Some(worker) = &message.worker {
        text["worker"] = worker.clone().into();
    }
    if !message.stack.is_empty() {
        text["stack"] = message.stack.iter().map(stack_line).collect();
    }
    text
}

/// Formats a stack frame with its source-mapped position if known, else with its position in the script.
fn stack_line(line: &StackFrame) -> String {
    let place = match &line.source {
        Some(SourceLocation { source, line, column }) => format!("{source}:{line}:{column}"),
        None => format!("{}:{}:{}", line.url, line.line, line.column),
    };
    match line.function.is_empty() {
        true => place,
        false => format!("{} ({place})", line.function),
    }
}
