//! Tools in WebKit: those that WebDriver can support. Other tools are refused with a reason.
mod page;
mod sessions;

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::Result;
use crate::error::Error;
use crate::mcp::call::{Call, ToFile};
use crate::mcp::reply::Reply;
use crate::mcp::tool::{AnyTool, EXPECT_ARGUMENT, TAB_ARGUMENT, Tool};
use crate::mcp::tools::{
    dialog, evaluate, input, inspect, install, navigate, screenshot, sessions as spec, storage,
};
use crate::session::pacing::PacingOptions;
use crate::webdriver::WebkitSession;

/// The tools that work in WebKit.
const WORKING: [&str; 16] = [
    spec::CreateSession::NAME,
    spec::CloseSession::NAME,
    spec::ListSessions::NAME,
    spec::Navigate::NAME,
    spec::Click::NAME,
    spec::Type::NAME,
    install::Install::NAME,
    navigate::Navigate::NAME,
    navigate::NavigateBack::NAME,
    inspect::Snapshot::NAME,
    input::Click::NAME,
    input::Type::NAME,
    dialog::HandleDialog::NAME,
    evaluate::Evaluate::NAME,
    screenshot::TakeScreenshot::NAME,
    storage::Cookies::NAME,
];

/// Whether a tool works in WebKit.
pub(super) fn has(tool: &AnyTool) -> bool {
    tool.family.lacks_webkit.is_none() && WORKING.contains(&tool.name)
}

/// Runs a tool in a WebKit workspace.
pub(super) async fn run(
    webkit_session: &WebkitSession,
    tool: &AnyTool,
    mut arguments: Map<String, Value>,
    call: &Call<'_>,
    reply: &mut Reply,
) -> Result<()> {
    match tool.name {
        // The session tools do not use the page of a session.
        spec::CreateSession::NAME | spec::CloseSession::NAME | spec::ListSessions::NAME => {
            return call.unless_hung(tool, tool.run(arguments, call, reply)).await;
        }
        install::Install::NAME => {
            let path = webkit_session.driver_path()?;
            let runs = if webkit_session.is_running() { "and running " } else { "" };
            let path = path.display();
            reply.say(format!("WebKit is already installed {runs}({path}). No installation needed."));
            return Ok(());
        }
        _ => {}
    }
    if let Some(reason) = tool.family.lacks_webkit {
        let what = format!("{} of the toolset {}", tool.name, tool.family.toolset);
        return Err(Error::NotInWebkit { what, reason });
    }
    if let Some(reason) = cannot_be_kept(call) {
        return Err(Error::NotInWebkit { what: tool.name.to_owned(), reason });
    }
    if arguments.contains_key(TAB_ARGUMENT) {
        let what = "a tab that is named".to_owned();
        return Err(Error::NotInWebkit { what, reason: "a session has only one page there" });
    }
    if arguments.contains_key(EXPECT_ARGUMENT) {
        let what = "an expectation of an action".to_owned();
        return Err(Error::NotInWebkit { what, reason: "its pages are not watched; take a snapshot" });
    }
    let file = ToFile::take(call, tool, &mut arguments).await?;
    Box::pin(act(tool.name, arguments, &InWebkit { session: webkit_session, call }, reply)).await?;
    match file {
        Some(file) => file.write(reply, call.services.secrets()).await,
        None => Ok(()),
    }
}

/// A call in a WebKit session, for tools that act there.
struct InWebkit<'a> {
    session: &'a WebkitSession,
    call: &'a Call<'a>,
}

async fn act(name: &str, arguments: Map<String, Value>, at: &InWebkit<'_>, reply: &mut Reply) -> Result<()> {
    match name {
        spec::Navigate::NAME => sessions::navigate(read(arguments)?, at, reply).await,
        spec::Click::NAME => sessions::click(read(arguments)?, at, reply).await,
        spec::Type::NAME => sessions::type_text(read(arguments)?, at, reply).await,
        navigate::Navigate::NAME => page::navigate(read(arguments)?, at, reply).await,
        navigate::NavigateBack::NAME => page::back(at, reply).await,
        inspect::Snapshot::NAME => page::snapshot(read(arguments)?, at, reply).await,
        input::Click::NAME => page::click(read(arguments)?, at, reply).await,
        input::Type::NAME => page::type_text(read(arguments)?, at, reply).await,
        dialog::HandleDialog::NAME => page::answer_dialog(read(arguments)?, at, reply).await,
        evaluate::Evaluate::NAME => page::evaluate(read(arguments)?, at, reply).await,
        screenshot::TakeScreenshot::NAME => page::picture(read(arguments)?, at, reply).await,
        storage::Cookies::NAME => page::cookies(read(arguments)?, at, reply).await,
        name => Err(Error::NotInWebkit { what: name.to_owned(), reason: why_not(name) }),
    }
}

/// Returns why a tool does not work in WebKit: what WebKit's driver lacks.
fn why_not(name: &str) -> &'static str {
    match name {
        "browser_network_requests"
        | "browser_network_search"
        | "browser_request"
        | "browser_route"
        | "browser_console_messages" => "its driver tells of no requests and of no console",
        "browser_tabs"
        | "browser_context_create"
        | "browser_context_switch"
        | "browser_context_list"
        | "browser_context_close" => "a session has one page and one context there; make another session",
        "browser_close" => "a session has only one page there; close the session",
        "browser_pdf_save" => "its driver does not print",
        name if name.starts_with("patchright_") => {
            "these tools work in tabs of their own, and there is one page"
        }
        _ => {
            "its driver has few words; there are browser_navigate, browser_navigate_back, browser_snapshot, browser_click, \
             browser_type, browser_evaluate, browser_take_screenshot, browser_handle_dialog, browser_cookies, navigate, click and type"
        }
    }
}

/// Returns why a server option cannot be enforced in WebKit; `None` if all can.
fn cannot_be_kept(call: &Call<'_>) -> Option<&'static str> {
    let settings = [
        ("--confirm cannot be kept there", !call.settings.consent.is_empty()),
        ("--secrets cannot be kept from its pages and pictures", !call.services.secrets().is_empty()),
        (
            "robots.txt and the pause between pages cannot be kept there",
            call.settings.politeness != PacingOptions::default(),
        ),
        ("access to local files cannot be limited there", call.settings.files.allow_urls),
    ];
    settings.into_iter().find_map(|(reason, is_asked)| is_asked.then_some(reason))
}

fn read<T: DeserializeOwned>(arguments: Map<String, Value>) -> Result<T> {
    serde_json::from_value(Value::Object(arguments))
        .map_err(|error| Error::InvalidArguments { problems: vec![error.to_string()] })
}
