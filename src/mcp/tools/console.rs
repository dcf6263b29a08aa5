//! What pages log.
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::Result;
use crate::browser::ConsoleLevel;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Effect, Tool};

/// The gravest level left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Error,
    Warning,
    #[default]
    Info,
    Debug,
}

/// Read the console: messages and uncaught errors since the page was opened, the newest 1000.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ConsoleMessages {
    /// Messages at least this grave; info when left out.
    #[serde(default)]
    pub level: Level,
}

impl Tool for ConsoleMessages {
    const NAME: &'static str = "browser_console_messages";
    const TITLE: &'static str = "Read the console";
    const EFFECT: Effect = Effect::Reads;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        let (least, name) = match self.level {
            Level::Error => (ConsoleLevel::Error, "error"),
            Level::Warning => (ConsoleLevel::Warning, "warning"),
            Level::Info => (ConsoleLevel::Info, "info"),
            Level::Debug => (ConsoleLevel::Debug, "debug"),
        };
        let messages = page.console_messages().await?;
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
            let list = serde_json::to_string_pretty(&lines).unwrap_or_default();
            reply.say(format!("Console messages (level >= {name}):\n\n{list}"));
        }
        Ok(())
    }
}
