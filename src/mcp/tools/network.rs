//! What pages ask for.
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::Result;
use crate::browser::RequestEntry;
use crate::mcp::dispatch::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Effect, Tool};

/// Kinds of request that only make a page look as it does.
const STATIC: [&str; 4] = ["Image", "Font", "Stylesheet", "Media"];

/// List the page's network requests since it was opened.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct NetworkRequests {
    /// Also images, fonts, styles and media.
    #[serde(default)]
    pub include_static: bool,
}

impl Tool for NetworkRequests {
    const NAME: &'static str = "browser_network_requests";
    const TITLE: &'static str = "List network requests";
    const EFFECT: Effect = Effect::Reads;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.workspace.open_page()?;
        let lines: Vec<Value> = page.with_network(|network| {
            let entries = network.entries();
            entries
                .filter(|entry| self.include_static || !STATIC.contains(&entry.kind.as_str()))
                .map(line)
                .collect()
        });
        if lines.is_empty() {
            reply.say("No network requests recorded.");
            return Ok(());
        }
        let excluding = if self.include_static { "" } else { ", excluding static resources" };
        let list = page_text::json(&lines);
        reply.say(format!("Network requests ({} total{excluding}):\n\n{list}", lines.len()));
        Ok(())
    }
}

fn line(entry: &RequestEntry) -> Value {
    let mut line = json!({
        "method": entry.method,
        "url": entry.url,
        "type": entry.kind.to_ascii_lowercase(),
    });
    let object = line.as_object_mut();
    let Some(object) = object else { return line };
    if let Some(response) = &entry.response {
        object.insert("status".to_owned(), response.status.into());
        object.insert("size".to_owned(), entry.encoded_bytes.into());
    }
    match entry.ended {
        Some(ended) => {
            let duration_ms = ((ended - entry.started) * 1000.0).round().max(0.0);
            object.insert("duration".to_owned(), duration_ms.into());
        }
        None => {
            object.insert("pending".to_owned(), true.into());
        }
    }
    if entry.from_cache {
        object.insert("fromCache".to_owned(), true.into());
    }
    if let Some(failure) = &entry.failure {
        object.insert("failure".to_owned(), failure.clone().into());
    }
    line
}
