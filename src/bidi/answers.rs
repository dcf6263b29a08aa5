//! Dispatches CDP commands to the functions that answer them.
use std::sync::Arc;

use serde_json::{Value, json};

use super::driver::Driver;
use super::errors::Refusal;
use super::state::tab_of;
use super::{
    console, contexts, emulation, events, fetch, frames, input, missing_features, navigation, network, nodes,
    pictures, runtime, screencasts,
};

pub(super) type Answer = Result<Value, Refusal>;

/// A CDP command to a tab, with the connection that executes it.
#[derive(Clone, Copy)]
pub(super) struct Command<'a> {
    pub driver: &'a Arc<Driver>,
    /// The id of the top-level browsing context.
    pub tab: &'a str,
    pub params: &'a Value,
}

impl Command<'_> {
    pub(super) fn text(&self, name: &str) -> &str {
        self.params[name].as_str().unwrap_or_default()
    }
}

/// Executes a CDP command and returns its reply.
pub(super) async fn answer(driver: &Arc<Driver>, session: &str, method: &str, params: &Value) -> Answer {
    let tab = tab_of(session);
    let command = Command { driver, tab, params };
    if session.is_empty() {
        return contexts::answer(command, method).await;
    }
    if !driver.state().tabs.contains_key(tab) {
        return Err(Refusal::new("Session with given id not found."));
    }
    if screencasts::is_screencast_command(method) {
        return screencasts::answer(command, session, method).await;
    }
    screencasts::speed_up(driver, tab);
    if method == "Runtime.runIfWaitingForDebugger" {
        driver.state().begin(tab);
    }
    match method.split('.').next().unwrap_or_default() {
        "Runtime" => runtime::answer(command, method).await,
        "DOM" | "DOMDebugger" => nodes::answer(command, method).await,
        _ if method == "Firefox.refuseNextDocument" => fetch::refuse_next_document(command).await,
        "Input" | "Firefox" => input::answer(command, method).await,
        "Emulation" | "Security" => emulation::answer(command, method).await,
        "Network" => network::answer(command, method).await,
        "Fetch" => fetch::answer(command, method).await,
        "Console" | "Log" => console::answer(command, method).await,
        "Target" if method == "Target.getTargetInfo" => {
            // Callers use this command to wait until the browser has received all earlier input.
            input::until_received(command).await;
            Ok(json!({"targetInfo": {"targetId": tab, "type": "page", "attached": true}}))
        }
        "Target" | "Inspector" | "Storage" => quiet(method),
        "Page" => match method {
            "Page.setLifecycleEventsEnabled" => {
                events::repeat_load_events(driver, tab);
                Ok(json!({}))
            }
            "Page.getFrameTree"
            | "Page.createIsolatedWorld"
            | "Page.setDocumentContent"
            | "Page.addScriptToEvaluateOnNewDocument"
            | "Page.removeScriptToEvaluateOnNewDocument" => frames::answer(command, method).await,
            "Page.captureScreenshot" | "Page.getLayoutMetrics" | "Page.printToPDF" => {
                pictures::answer(command, method).await
            }
            _ => navigation::answer(command, method).await,
        },
        _ => unknown(method),
    }
}

/// Answers commands that need no action: Firefox already behaves as they ask, or they do not apply to it.
pub(super) fn quiet(method: &str) -> Answer {
    const NOTHING: [&str; 11] = [
        "Page.enable",
        "Network.enable",
        "Network.disable",
        "Network.setBypassServiceWorker",
        "Inspector.enable",
        "Target.setAutoAttach",
        "Target.setDiscoverTargets",
        "Target.detachFromTarget",
        "Runtime.runIfWaitingForDebugger",
        "Emulation.setFocusEmulationEnabled",
        "Security.setIgnoreCertificateErrors",
    ];
    if NOTHING.contains(&method) { Ok(json!({})) } else { unknown(method) }
}

pub(super) fn unknown(method: &str) -> Answer {
    tracing::debug!(method, "WebDriver BiDi has no word for this");
    Err(Refusal::Missing(missing_features::of_command(method)))
}
