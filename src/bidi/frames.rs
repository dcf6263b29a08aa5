//! The frame tree, isolated worlds, and scripts that run in new documents.
use std::sync::Arc;

use serde_json::{Value, json};

use super::answers::{Answer, Command, unknown};
use super::driver::Driver;
use super::errors::Refusal;
use super::runtime::{ask_page, utility_world};
use super::state::{ContextScript, State, Tab};

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    match method {
        "Page.getFrameTree" => Ok(json!({"frameTree": tree(&command.driver.state(), command.tab)})),
        "Page.createIsolatedWorld" => {
            let frame = command.text("frameId");
            if !command.driver.state().frames.contains_key(frame) {
                return Err(Refusal::no_frame());
            }
            Ok(json!({"executionContextId": utility_world(command.driver, frame).await?}))
        }
        "Page.setDocumentContent" => set_content(command).await,
        "Page.addScriptToEvaluateOnNewDocument" => add_script(command).await,
        "Page.removeScriptToEvaluateOnNewDocument" => {
            let tab = |tab: &mut Tab| tab.preload.remove(command.text("identifier"));
            let script = command.driver.state().tabs.get_mut(command.tab).and_then(tab);
            match script {
                Some(script) => {
                    command.driver.state().forget_script(&script);
                    command.driver.ask("script.removePreloadScript", json!({"script": script})).await
                }
                None => Err(Refusal::new("Script not found")),
            }
        }
        _ => unknown(method),
    }
}

/// Returns a frame and its descendants as a CDP `FrameTree`.
fn tree(state: &State, context: &str) -> Value {
    let mut frame = frame_json(state, context);
    if state.tabs.get(context).is_some_and(|tab| tab.is_pending_popup) {
        frame["url"] = ":".into();
        frame["loaderId"] = "".into();
    }
    let children = state.frames.iter().filter(|(_, frame)| frame.parent.as_deref() == Some(context));
    let children: Vec<_> = children.map(|(id, _)| tree(state, id)).collect();
    json!({"frame": frame, "childFrames": children})
}

/// Returns a frame with its document as a CDP `Frame`.
pub(super) fn frame_json(state: &State, context: &str) -> Value {
    let Some(frame) = state.frames.get(context) else { return json!({}) };
    let (url, fragment) = match frame.url.split_once('#') {
        Some((url, fragment)) => (url, Some(format!("#{fragment}"))),
        None => (frame.url.as_str(), None),
    };
    let mut description = json!({
        "id": context,
        "parentId": frame.parent,
        "loaderId": frame.loader,
        "name": frame.name,
        "url": url,
        "urlFragment": fragment,
        "mimeType": "text/html",
    });
    if let Some(asked) = failed_url(&frame.url) {
        description["url"] = "chrome-error://chromewebdata/".into();
        description["urlFragment"] = Value::Null;
        description["unreachableUrl"] = asked.into();
    }
    description
}

/// Returns the requested URL if `url` is an error page of Firefox; otherwise `None`.
pub(super) fn failed_url(url: &str) -> Option<String> {
    let own = ["about:neterror", "about:certerror", "about:blocked", "about:httpsonlyerror"];
    if !own.iter().any(|page| url.starts_with(page)) {
        return None;
    }
    let (_, query) = url.split_once('?')?;
    let asked = url::form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "u");
    asked.map(|(_, address)| address.into_owned())
}

async fn set_content(command: Command<'_>) -> Answer {
    const WRITE: &str = "html => { document.open(); document.write(html); document.close(); }";
    let html = json!({"type": "string", "value": command.params["html"]});
    // Runs in the main world, since scripts in `html` belong to the page.
    let frame = command.text("frameId");
    let call = json!({
        "functionDeclaration": WRITE,
        "target": {"context": frame},
        "arguments": [html],
        "awaitPromise": false,
    });
    command.driver.ask("script.callFunction", call).await?;
    until_written(command.driver, frame).await
}

/// Waits until a rewritten document is complete, and emits its load events, which Firefox may not report.
async fn until_written(driver: &Arc<Driver>, frame: &str) -> Answer {
    const LOADED: &str = "() => document.readyState === 'complete' || new Promise(done => \
        addEventListener('load', () => done(true), { once: true }))";
    let loader = driver.state().frames.get(frame).map(|frame| frame.loader.clone()).unwrap_or_default();
    ask_page(driver, frame, LOADED, Vec::new()).await?;
    let session = driver.state().session_for(frame).unwrap_or_default();
    for name in ["DOMContentLoaded", "load"] {
        driver.emit(
            &session,
            "Page.lifecycleEvent",
            json!({"frameId": frame, "loaderId": loader, "name": name, "timestamp": 0}),
        );
    }
    super::events::watch_network_idle(driver, frame);
    Ok(json!({}))
}

async fn add_script(command: Command<'_>) -> Answer {
    let Command { driver, tab, params } = command;
    let source = command.text("source");
    let world = params["worldName"].as_str();
    let (scope, whom, context, known) = {
        let state = driver.state();
        let (scope, whom) = state.scope(tab);
        let tab = state.tabs.get(tab).filter(|tab| !tab.has_begun);
        let context = tab.map(|tab| tab.user_context.clone());
        let scripts = context.as_ref().and_then(|context| state.context_scripts.get(context));
        let is_this = |script: &&ContextScript| script.world.as_deref() == world && script.source == source;
        let known = scripts.into_iter().flatten().find(is_this).map(|script| script.script.clone());
        (scope, whom, context, known.filter(|_| scope == "contexts"))
    };
    // A script registered for the whole context has already run in the first document of this tab.
    if params["runImmediately"] == true && known.is_none() {
        let mut target = json!({"context": tab});
        if let Some(world) = world {
            target["sandbox"] = world.into();
        }
        driver
            .tell("script.evaluate", json!({"expression": source, "target": target, "awaitPromise": false}));
    }
    let script = match known {
        Some(script) => script,
        None => {
            let mut add = json!({"functionDeclaration": format!("() => {{ {source}\n}}"), scope: whom});
            if let Some(world) = world {
                add["sandbox"] = world.into();
            }
            let added = driver.ask("script.addPreloadScript", add).await?;
            added["script"].as_str().unwrap_or_default().to_owned()
        }
    };
    let mut state = driver.state();
    if let Some(context) = context.filter(|_| scope == "userContexts") {
        let (world, source) = (world.map(str::to_owned), source.to_owned());
        let script = ContextScript { world, source, script: script.clone() };
        state.context_scripts.entry(context).or_default().push(script);
    }
    if let Some(tab) = state.tabs.get_mut(tab) {
        tab.preload.insert(script.clone(), script.clone());
    }
    Ok(json!({"identifier": script}))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_of_the_browser_tells_what_was_asked_for() {
        let address = failed_url("about:neterror?e=dnsNotFound&u=http%3A//a.example/x%3Fy&c=UTF-8");
        assert_eq!(address.as_deref(), Some("http://a.example/x?y"));
        assert_eq!(failed_url("http://a.example/?u=b"), None);
    }
}
