//! Tools that pages offer to agents, by script or as annotated forms (`WebMCP`). Enabled only on request, since
//! pages can see `document.modelContext` then.
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::browser::objects::frame::Frame;
use crate::browser::objects::hooks::{Extensions, Hooks, NewSession};
use crate::browser::objects::page::{Page, WeakPage};
use crate::cdp::types::web_mcp::{
    CancelInvocation, Enable, InvokeTool, Tool, ToolResponded, ToolsAdded, ToolsRemoved,
};
use crate::cdp::{CdpSession, Event as _, Observer, RawEvent};
use crate::error::{Error, Result, quoted};

/// The maximum number of tools per page.
const MOST_TOOLS: usize = 50;
/// The maximum length of a tool's error message, in characters.
const LONGEST_WORDS: usize = 300;

/// A tool that a page offers. All texts come from the page.
#[derive(Debug, Clone)]
pub struct WebMcpTool {
    pub name: String,
    pub description: String,
    /// The JSON schema of the tool's input.
    pub schema: Value,
    /// Whether the page declares that the tool has no side effects.
    pub read_only: bool,
    /// Whether the tool is a form that the user must submit.
    pub waits_for_submit: bool,
    frame: String,
    loader: Arc<str>,
    session: CdpSession,
}

impl WebMcpTool {
    /// Whether this frame's document offers the tool.
    pub fn belongs_to(&self, frame: &Frame) -> bool {
        self.frame == frame.id()
    }
}

impl PartialEq for WebMcpTool {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.description, &self.schema, &self.loader)
            == (&other.name, &other.description, &other.schema, &other.loader)
    }
}

/// The tools of a page, in order of registration.
#[derive(Debug, Default)]
struct Offered(Mutex<Vec<WebMcpTool>>);

/// A counter that increases whenever the tools of any page change.
static CHANGES: LazyLock<watch::Sender<u64>> = LazyLock::new(|| watch::Sender::new(0));

/// Returns a receiver that is notified whenever the tools of any page change.
pub fn webmcp_tool_changes() -> watch::Receiver<u64> {
    CHANGES.subscribe()
}

const EVENTS: [&str; 2] = [ToolsAdded::METHOD, ToolsRemoved::METHOD];

/// The hooks that collect the tools of pages, in contexts with the option `collects_page_tools`.
pub(in crate::browser) struct OfferedToolHooks;

impl Hooks for OfferedToolHooks {
    fn extend_page(&self, extensions: &mut Extensions) {
        extensions.add::<Offered>();
    }

    fn on_session(&self, new: &NewSession<'_>) {
        let Some(page) = new.page.filter(|_| new.worker.is_none()) else { return };
        if new.context.options().collects_page_tools {
            let observer = OfferedObserver { page: page.downgrade(), session: new.session.clone() };
            new.session.observe(&EVENTS, Arc::new(observer));
            new.session.send(Enable {}).ignore();
        }
    }
}

struct OfferedObserver {
    page: WeakPage,
    session: CdpSession,
}

impl Observer for OfferedObserver {
    fn on_event(&self, event: RawEvent) {
        let Some(page) = self.page.upgrade() else { return };
        let offered = page.extension::<Offered>();
        if let Some(event) = event.read::<ToolsAdded>() {
            let mut known = offered.0.lock();
            for tool in event.tools {
                known.retain(|other| (&other.name, &other.frame) != (&tool.name, &tool.frame_id));
                if known.len() < MOST_TOOLS {
                    known.extend(self.read(&page, tool));
                }
            }
        } else if let Some(event) = event.read::<ToolsRemoved>() {
            let is_gone = |tool: &WebMcpTool| {
                event.tools.iter().any(|gone| gone.name == tool.name && gone.frame_id == tool.frame)
            };
            offered.0.lock().retain(|tool| !is_gone(tool));
        }
        CHANGES.send_modify(|count| *count += 1);
    }

    fn ended(&self) {
        if let Some(page) = self.page.upgrade() {
            page.extension::<Offered>().0.lock().retain(|tool| tool.session.id() != self.session.id());
            CHANGES.send_modify(|count| *count += 1);
        }
    }
}

impl OfferedObserver {
    fn read(&self, page: &Page, tool: Tool) -> Option<WebMcpTool> {
        let loader = page.frame_by_id(&tool.frame_id)?.loader_id();
        let annotations = tool.annotations.unwrap_or_default();
        Some(WebMcpTool {
            name: tool.name,
            description: tool.description,
            schema: tool.input_schema.filter(Value::is_object).unwrap_or_else(|| Value::Object(Map::new())),
            read_only: annotations.read_only == Some(true) && annotations.consequential != Some(true),
            waits_for_submit: tool.backend_node_id.is_some() && annotations.autosubmit != Some(true),
            frame: tool.frame_id,
            loader,
            session: self.session.clone(),
        })
    }
}

impl Page {
    /// Returns the tools that the page's current documents offer.
    pub fn webmcp_tools(&self) -> Vec<WebMcpTool> {
        let stands = |tool: &WebMcpTool| {
            self.frame_by_id(&tool.frame).is_some_and(|frame| frame.loader_id() == tool.loader)
        };
        self.extension::<Offered>().0.lock().iter().filter(|tool| stands(tool)).cloned().collect()
    }

    /// Calls a tool of the page. Returns its answer, or `None` if a form was not submitted within the time limit.
    /// Returns `Error::Script` with the page's message if the tool fails.
    pub async fn invoke_webmcp_tool(
        &self,
        tool: &WebMcpTool,
        input: Value,
        limit: Duration,
    ) -> Result<Option<Value>> {
        let mut events = tool.session.events(&[ToolResponded::METHOD]);
        let invoke = InvokeTool { frame_id: tool.frame.clone(), tool_name: tool.name.clone(), input };
        let id = match tool.session.call(invoke).await {
            Err(Error::Protocol { .. }) => {
                let reason = "the page does not offer it any more".to_owned();
                return Err(Error::Unsupported { what: "calling the page's tool", reason });
            }
            event => event?.invocation_id,
        };
        let answered = async {
            while let Some(event) = events.next().await {
                if let Some(event) = event.read::<ToolResponded>().filter(|event| event.invocation_id == id) {
                    return Some(event);
                }
            }
            None
        };
        let event = match timeout(limit, self.fail_on_dialog(async { Ok(answered.await) })).await {
            Ok(event) => event?.ok_or(Error::DocumentGone)?,
            Err(_) if tool.waits_for_submit => return Ok(None),
            Err(_) => {
                tool.session.send(CancelInvocation { invocation_id: id }).ignore();
                return Err(Error::WaitRanOut {
                    what: "the answer of the page's tool".to_owned(),
                    waited: limit,
                });
            }
        };
        match event.status.as_str() {
            "Completed" => Ok(Some(event.output.unwrap_or_default())),
            status => {
                let thrown = event.exception.and_then(|thrown| {
                    let described = thrown.description.filter(|text| !text.is_empty());
                    described.or_else(|| Some(thrown.value?.as_str()?.to_owned()))
                });
                let said = event.error_text.filter(|text| !text.is_empty()).or(thrown);
                let first = said.as_deref().and_then(|said| said.lines().next()).unwrap_or(status);
                let words = quoted(first, LONGEST_WORDS);
                Err(Error::Script { message: format!("The page's tool failed, and says {words}") })
            }
        }
    }
}
