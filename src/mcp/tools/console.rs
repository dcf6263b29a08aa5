//! What pages log.
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use crate::Result;
use crate::browser::ConsoleLevel;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::settings::Gravity;
use crate::mcp::tool::{Effect, Tool};

/// How long the browser's log is waited for, and how often it is looked at.
const LOG_LIMIT: Duration = Duration::from_millis(300);
const LOG_PAUSE: Duration = Duration::from_millis(10);

/// Read the console: messages and uncaught errors since the page was opened, the newest 1000.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ConsoleMessages {
    /// Messages at least this grave; info when left out.
    pub level: Option<Gravity>,
}

impl Tool for ConsoleMessages {
    const NAME: &'static str = "browser_console_messages";
    const TITLE: &'static str = "Read the console";
    const EFFECT: Effect = Effect::Reads;
    const FILE: Option<&'static str> = Some("json");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        let (least, name) = match self.level.unwrap_or(call.settings.console_level) {
            Gravity::Error => (ConsoleLevel::Error, "error"),
            Gravity::Warning => (ConsoleLevel::Warning, "warning"),
            Gravity::Info => (ConsoleLevel::Info, "info"),
            Gravity::Debug => (ConsoleLevel::Debug, "debug"),
        };
        let mut messages = page.console_messages().await?;
        // What the browser writes to its log can come a moment later than what it answers.
        let mut complete = page.tell_uncaught(&mut messages);
        let deadline = Instant::now() + LOG_LIMIT;
        while !complete && Instant::now() < deadline {
            sleep(LOG_PAUSE).await;
            complete = page.tell_uncaught(&mut messages);
        }
        let lines: Vec<_> = messages
            .iter()
            .filter(|message| message.level <= least)
            .map(|message| {
                let kind: &str = message.level.into();
                json!({ "type": kind, "text": message.text, "url": message.url, "lineNumber": message.line })
            })
            .collect();
        if lines.is_empty() {
            reply.say(format!("Console messages (level >= {name}):\n\nNo messages captured."));
        } else {
            let list = page_text::json(&lines);
            reply.say(format!("Console messages (level >= {name}):\n\n{list}"));
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
