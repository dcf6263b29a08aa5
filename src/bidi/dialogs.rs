//! JavaScript dialogs: opened one at a time, and page scripts wait until each is answered, as in Chromium.
use std::collections::VecDeque;

use serde_json::{Value, json};
use tokio::sync::watch;

use super::answers::{Answer, Command};
use super::driver::Driver;
use super::errors::Refusal;
use super::events::emit_for;

/// The dialogs of a tab.
#[derive(Debug, Default)]
pub(super) struct Dialogs {
    /// The browsing context whose dialog is open.
    open: watch::Sender<Option<String>>,
    /// Dialogs that Firefox reported before it reported the previous one as closed.
    next: VecDeque<(String, Value)>,
}

impl Dialogs {
    /// Discards the dialogs of a document that was navigated away from.
    pub(super) fn clear(&mut self) {
        self.open.send_replace(None);
        self.next.clear();
    }
}

pub(super) fn opened(driver: &Driver, context: &str, event: &Value) {
    {
        let mut state = driver.state();
        let Some(tab) = state.tab_containing(context) else { return };
        if tab.dialogs.open.borrow().is_some() {
            tab.dialogs.next.push_back((context.to_owned(), event.clone()));
            return;
        }
    }
    show(driver, context, event);
}

fn show(driver: &Driver, context: &str, event: &Value) {
    let url = {
        let mut state = driver.state();
        let Some(tab) = state.tab_containing(context) else { return };
        tab.dialogs.open.send_replace(Some(context.to_owned()));
        state.frames.get(context).map(|frame| frame.url.clone())
    };
    // The message of a `beforeunload` dialog comes from Firefox, not from the page.
    let message = if event["type"] == "beforeunload" { &json!("") } else { &event["message"] };
    let opening = json!({
        "url": url, "message": message, "type": event["type"], "hasBrowserHandler": false,
        "defaultPrompt": event["defaultValue"].as_str().unwrap_or_default(),
    });
    emit_for(driver, context, "Page.javascriptDialogOpening", opening);
}

pub(super) fn closed(driver: &Driver, context: &str, event: &Value) {
    let next = {
        let mut state = driver.state();
        state.tab_containing(context).and_then(|tab| {
            let next = tab.dialogs.next.pop_front();
            if next.is_none() {
                tab.dialogs.open.send_replace(None);
            }
            next
        })
    };
    let closed =
        json!({"result": event["accepted"], "userInput": event["userText"].as_str().unwrap_or_default()});
    emit_for(driver, context, "Page.javascriptDialogClosed", closed);
    if let Some((context, event)) = next {
        show(driver, &context, &event);
    }
}

pub(super) async fn answer(command: Command<'_>) -> Answer {
    let context =
        command.driver.state().tabs.get(command.tab).and_then(|tab| tab.dialogs.open.borrow().clone());
    let context = context.ok_or_else(|| Refusal::new("No dialog is showing"))?;
    let mut answer = json!({"context": context, "accept": command.params["accept"] == true});
    if let Some(text) = command.params.get("promptText").filter(|text| !Value::is_null(text)) {
        answer["userText"] = text.clone();
    }
    command.driver.ask("browsingContext.handleUserPrompt", answer).await
}

/// Waits until the tab has no open dialog: Firefox would run scripts even while a dialog blocks the page.
pub(super) async fn until_answered(command: Command<'_>) {
    let open = command.driver.state().tabs.get(command.tab).map(|tab| tab.dialogs.open.subscribe());
    if let Some(mut open) = open {
        // An error means that the tab was closed together with its dialogs.
        let _ = open.wait_for(Option::is_none).await;
    }
}
