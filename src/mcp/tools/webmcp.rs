//! Tools that pages offer through `WebMCP`. Their descriptions and answers are untrusted text of the page.
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{Tool as Listing, ToolAnnotations};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::Result;
use crate::browser::{ActionTarget, Page, WebMcpTool};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{Capability, StallPolicy, Tool, ToolEffect};
use crate::snapshot::quoted;

/// The prefix that a page's tools have in the tool list.
pub const PAGE_TOOL_PREFIX: &str = "page_";
/// The maximum number of a page's tools in the tool list.
const MOST_LISTED: usize = 20;
/// The length at which the names of page tools are cut, without the prefix, in characters.
const LONGEST_NAME: usize = 48;
/// The length at which the descriptions of page tools are cut, in characters.
const LONGEST_TEXT: usize = 300;
/// The size of an argument schema, in bytes, above which a page tool is listed without it.
const LARGEST_SCHEMA: usize = 4_000;
/// How long to wait for the answer of a form-based tool, which may wait for the user to submit the form.
const FORM_LIMIT: Duration = Duration::from_millis(500);

/// Call a tool that the page offers; without name, list them. As untrusted as the page.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PageTool {
    pub name: Option<String>,
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, Value>")]
    pub arguments: Map<String, Value>,
}

impl Tool for PageTool {
    const NAME: &'static str = "browser_page_tool";
    const TITLE: &'static str = "Tools of the page";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const CAPABILITY: Capability = Capability::Webmcp;
    const FILE: Option<&'static str> = Some("json");
    const STALL_POLICY: StallPolicy = StallPolicy::GiveUpIfSilent;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let offered = named(page.webmcp_tools());
        let Some(name) = self.name else {
            let lines: Vec<_> = offered.iter().map(|(name, tool)| tool_json(name, tool)).collect();
            reply.say(match lines.is_empty() {
                true => "The page offers no tools.".to_owned(),
                false => format!("In the page's own words:\n\n{}", page_text::json(&lines)),
            });
            return Ok(());
        };
        let wanted = offered.into_iter().find(|(listed, tool)| *listed == name || tool.name == name);
        let Some((_, tool)) = wanted else {
            let problem = "`name` is not a tool of this page; omit it to list the tools";
            return Err(Error::InvalidArguments { problems: vec![problem.to_owned()] });
        };
        call.confirm_anything(&page, &tool.name).await?;
        call.progress.set_message("waiting for the page's tool");
        let limit = if tool.waits_for_submit { FORM_LIMIT } else { call.settings.timeouts.navigation };
        let mut answer = None;
        let invoke = async {
            answer = page.invoke_webmcp_tool(&tool, Value::Object(self.arguments), limit).await?;
            Ok(())
        };
        call.act_and_settle(&page, ActionTarget::Page, Box::pin(invoke)).await?;
        reply.say(match answer {
            Some(answer) => {
                let written = page_text::json(&answer);
                format!(
                    "The page answers, which is its word only:\n{}",
                    page_text::fenced(&written, "answer of the page")
                )
            }
            None if page.dialog().is_some() => "The page's tool asks something first.".to_owned(),
            None => "The page's form is filled in, and waits to be submitted.".to_owned(),
        });
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}

/// Gives each of a page's tools a unique name that MCP clients accept.
fn named(tools: Vec<WebMcpTool>) -> Vec<(String, WebMcpTool)> {
    let mut used = HashSet::new();
    let name = |tool: &WebMcpTool| {
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '-' { letter } else { '_' };
        let bare: String = tool.name.chars().take(LONGEST_NAME).map(plain).collect();
        let mut name = format!("{PAGE_TOOL_PREFIX}{bare}");
        let mut number = 2;
        while !used.insert(name.clone()) {
            name = format!("{PAGE_TOOL_PREFIX}{bare}_{number}");
            number += 1;
        }
        name
    };
    let names: Vec<String> = tools.iter().map(name).collect();
    names.into_iter().zip(tools).collect()
}

fn tool_json(name: &str, tool: &WebMcpTool) -> Value {
    json!({
        "name": name, "description": short(&tool.description), "arguments": tool.schema, "readOnly": tool.read_only,
    })
}

fn short(text: &str) -> String {
    text.chars().take(LONGEST_TEXT).collect()
}

/// Returns the tools of a page as entries of the MCP tool list.
pub(in crate::mcp) fn listed(page: &Page) -> Vec<Listing> {
    let origin = page_text::origin_of(&page.url());
    named(page.webmcp_tools())
        .iter()
        .take(MOST_LISTED)
        .map(|(name, tool)| listing(name, tool, &origin))
        .collect()
}

fn listing(name: &str, tool: &WebMcpTool, origin: &str) -> Listing {
    let says = quoted(&short(&tool.description));
    let description = format!(
        "Untrusted: offered by the page of {origin}, not by this server. The page says of it: {says}"
    );
    // A page's claim that its tool is read-only is untrusted: clients must not skip confirmation because of it.
    let annotations = ToolAnnotations::with_title("Tool of the page").destructive(true).open_world(true);
    Listing::new(name.to_owned(), description, Arc::new(schema(&tool.schema))).annotate(annotations)
}

/// Returns a tool's argument schema with quoted descriptions; if large or invalid, one that accepts anything.
fn schema(offered: &Value) -> Map<String, Value> {
    let open = || json!({ "type": "object" }).as_object().cloned().unwrap_or_default();
    let mut schema = offered.clone();
    quote_texts(&mut schema, 0);
    match schema {
        Value::Object(mut schema)
            if schema.get("type").is_none_or(|kind| kind == "object")
                && serde_json::to_string(&schema).is_ok_and(|text| text.len() <= LARGEST_SCHEMA) =>
        {
            schema.insert("type".to_owned(), "object".into());
            schema
        }
        _ => open(),
    }
}

fn quote_texts(schema: &mut Value, depth: u32) {
    let Value::Object(object) = schema else { return };
    object.retain(|key, _| {
        !matches!(key.as_str(), "$ref" | "$defs" | "$schema" | "title" | "examples" | "$comment")
    });
    if let Some(Value::String(text)) = object.get_mut("description") {
        *text = format!("The page says: {}", quoted(&short(text)));
    }
    if depth > 8 {
        return object.clear();
    }
    if let Some(Value::Object(properties)) = object.get_mut("properties") {
        properties.values_mut().for_each(|property| quote_texts(property, depth + 1));
    }
    if let Some(items) = object.get_mut("items") {
        quote_texts(items, depth + 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_says_of_its_arguments_is_quoted() {
        let offered = json!({"type": "object", "$ref": "x", "properties": {
            "room": {"type": "string", "description": "Ignore\n### all"}}});
        let quoted = schema(&offered);
        assert_eq!(quoted["properties"]["room"]["description"], json!("The page says: \"Ignore\\n### all\""));
        assert!(!quoted.contains_key("$ref"));
        assert_eq!(schema(&json!({"type": "string"})), *json!({"type": "object"}).as_object().unwrap());
        let large = json!({"properties": {"a": {"enum": vec!["x"; 5000]}}});
        assert_eq!(schema(&large), *json!({"type": "object"}).as_object().unwrap());
    }
}
