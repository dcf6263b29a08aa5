//! The live view as an MCP App, which hosts show beside the conversation. Users can only watch: text that
//! they typed would pass through the host. The app gets screenshots from a tool that is hidden from models.
use std::time::Duration;

use rmcp::model::{
    CallToolResult, ContentBlock, ExtensionCapabilities, MetaObject, ReadResourceResult, Resource,
    ResourceContents, Tool as Listing, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer};
use serde_json::{Map, Value, json};

use crate::browser::Page;
use crate::error::Error;
use crate::live::{LiveView, LiveViewMode};
use crate::mcp::client::Client;
use crate::mcp::dispatch::Dispatcher;
use crate::mcp::failure;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{SESSION_ARGUMENT, Tool as _};
use crate::mcp::tools::person::AskPerson;

/// The name of the MCP Apps extension.
const EXTENSION: &str = "io.modelcontextprotocol/ui";
const MIME_TYPE: &str = "text/html;profile=mcp-app";
const URI: &str = "ui://patchright-mcp/page.html";
/// The tool that returns screenshots to the app. Hosts do not show this tool to models.
pub(super) const FRAME: &str = "browser_live_frame";
const SINCE: &str = "since";
const PAGE: &str = include_str!("app.html");
/// How long a call of [`FRAME`] waits for a new screenshot.
const HANG_TIMEOUT: Duration = Duration::from_secs(2);
const AN_HOUR_MS: u64 = 3_600_000;

/// Whether the host supports MCP Apps and the server offers the live view as one.
pub(super) fn is_wanted(dispatcher: &Dispatcher, context: &RequestContext<RoleServer>) -> bool {
    let declared = context.client_capabilities().and_then(|client| client.extensions);
    is_offered(dispatcher) && declared.is_some_and(|declared| supports_html_apps(&declared))
}

/// Whether the server offers the app: the live view is on, and no secrets could show up in screenshots.
pub(super) fn is_offered(dispatcher: &Dispatcher) -> bool {
    let shows = |live: &LiveView| live.options().mode != Some(LiveViewMode::Off);
    dispatcher.live().is_some_and(shows) && dispatcher.secrets().is_empty()
}

/// Whether a host that declares these extensions can show HTML apps.
pub(super) fn supports_html_apps(declared: &ExtensionCapabilities) -> bool {
    let types = declared.get(EXTENSION).and_then(|settings| settings.get("mimeTypes"));
    types.and_then(Value::as_array).is_some_and(|types| types.iter().any(|kind| kind == MIME_TYPE))
}

/// Returns the server's declaration of the MCP Apps extension.
pub(super) fn extensions() -> ExtensionCapabilities {
    [(EXTENSION.to_owned(), object(json!({ "mimeTypes": [MIME_TYPE] })))].into()
}

/// Links the app to `browser_ask_person`, and adds the tool that returns screenshots to the app.
pub(super) fn add(tools: &mut Vec<Listing>) {
    for tool in tools.iter_mut().filter(|tool| tool.name == AskPerson::NAME) {
        *tool = tool.clone().with_meta(meta(json!({ "ui": { "resourceUri": URI } })));
    }
    let schema = json!({
        "type": "object",
        "properties": {
            SINCE: { "type": "integer", "minimum": 0, "description": "Number of the picture that is shown." },
            SESSION_ARGUMENT: { "type": "string" },
        },
        "additionalProperties": false,
    });
    let frame = Listing::new(FRAME, "The page as it looks now, for the app that shows it.", object(schema));
    let annotations = ToolAnnotations::with_title("Show the page").read_only(true);
    tools.push(frame.annotate(annotations).with_meta(meta(json!({ "ui": { "visibility": ["app"] } }))));
}

pub(super) fn listed() -> Resource {
    let page = Resource::new(URI, "page").with_title("The page").with_mime_type(MIME_TYPE);
    page.with_description("The page of the agent as it moves, to look at.")
}

/// Returns the HTML of the app if `uri` is its URI.
pub(super) fn resource(uri: &str) -> Option<ReadResourceResult> {
    (uri == URI).then(|| {
        let page = ResourceContents::TextResourceContents {
            uri: URI.to_owned(),
            mime_type: Some(MIME_TYPE.to_owned()),
            text: PAGE.to_owned(),
            // The app does not connect to any host or load anything from one.
            meta: Some(meta(json!({ "ui": { "csp": {}, "prefersBorder": false } }))),
        };
        ReadResourceResult::new(vec![page]).with_ttl_ms(AN_HOUR_MS)
    })
}

/// Returns the newest screenshot of the page, or a status such as `person` if there is none to show.
pub(super) async fn frame(
    dispatcher: &Dispatcher,
    client: &Client,
    arguments: &Map<String, Value>,
) -> CallToolResult {
    if let Some(paused) = failure::paused(FRAME, &client.cooldown, &client.settings) {
        return paused.into_result();
    }
    let seen = arguments.get(SINCE).and_then(Value::as_u64).unwrap_or_default();
    let session = arguments.get(SESSION_ARGUMENT).and_then(Value::as_str);
    let page = match session {
        Some(id) => client.sessions.get(id).ok().and_then(|session| session.workspace.active_page()),
        None => client.workspace.active_page(),
    };
    let (Some(page), Some(live)) = (page, dispatcher.live()) else { return stands("none") };
    if live.controlling_handover(&page).is_some() {
        return stands("person");
    }
    match live.next_frame(&page, seen, HANG_TIMEOUT).await {
        // A person may have taken control while the screenshot was being taken.
        Ok(_) if live.controlling_handover(&page).is_some() => stands("person"),
        Ok(Some(picture)) => {
            let mut shown = shown(live, &page, picture.number);
            shown.content = vec![ContentBlock::image(picture.data.as_ref(), "image/jpeg")];
            shown
        }
        Ok(None) => shown(live, &page, seen),
        Err(Error::PageClosed | Error::BrowserGone { .. }) => stands("none"),
        Err(error) => {
            let mut reply = Reply::default();
            reply.fail(&error);
            reply.into_result()
        }
    }
}

fn shown(live: &LiveView, page: &Page, number: u64) -> CallToolResult {
    let link = live.handover_for_page(page).map(|open| open.link().to_owned());
    let mut result = CallToolResult::success(vec![ContentBlock::text("Nothing has changed.")]);
    result.structured_content = Some(json!({ "frame": number, "url": page.attempted_url(), "live": link }));
    result
}

/// Returns a result without a screenshot: only a status, such as `person`.
fn stands(status: &str) -> CallToolResult {
    let mut result = CallToolResult::success(vec![ContentBlock::text("There is no picture.")]);
    result.structured_content = Some(json!({ "status": status }));
    result
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => Map::new(),
    }
}

fn meta(value: Value) -> MetaObject {
    object(value).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_known_by_the_pages_that_they_show() {
        let declared = |kind: &str| {
            let settings = object(json!({ "mimeTypes": ["text/plain", kind] }));
            ExtensionCapabilities::from([(EXTENSION.to_owned(), settings)])
        };
        assert!(supports_html_apps(&declared(MIME_TYPE)));
        assert!(!supports_html_apps(&declared("text/html")));
        assert!(!supports_html_apps(&ExtensionCapabilities::from([(EXTENSION.to_owned(), Map::new())])));
        assert!(!supports_html_apps(&ExtensionCapabilities::new()));
    }

    #[test]
    fn the_page_is_small_and_reaches_for_nothing() {
        assert!(PAGE.len() <= 25_000);
        for reach in
            ["fetch(", "WebSocket", "XMLHttpRequest", "innerHTML", "http://", "https://", "localStorage"]
        {
            assert!(!PAGE.contains(reach), "{reach}");
        }
    }
}
