//! Translates events of Firefox into CDP events.
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};

use super::commands::{FrameNameReported, INITIAL_EMPTY_DOCUMENT};
use super::driver::Driver;
use super::emulation::grant_for_url;
use super::frames::frame_json;
use super::state::{Frame, session_of, tab_of};
use super::{console, dialogs, downloads, network, runtime, screencasts};
use crate::cdp::Event as _;

/// How long a frame must have no requests until its network counts as idle.
const REST: Duration = Duration::from_millis(500);
/// How long after its creation a popup may begin its first navigation.
const POPUP_NAVIGATION_LIMIT: Duration = Duration::from_millis(60);

pub(super) fn hear(driver: &Arc<Driver>, method: &str, event: &Value) {
    let context = event["context"].as_str().unwrap_or_default();
    match method {
        "browsingContext.contextCreated" => created(driver, event),
        "browsingContext.contextDestroyed" => destroyed(driver, event),
        "browsingContext.navigationStarted" => started(driver, context, event),
        "browsingContext.navigationCommitted" => committed(driver, context, event),
        "browsingContext.domContentLoaded" => moment(driver, context, event, "DOMContentLoaded"),
        "browsingContext.load" => moment(driver, context, event, "load"),
        "browsingContext.fragmentNavigated" | "browsingContext.historyUpdated" => {
            moved(driver, context, event)
        }
        "browsingContext.navigationAborted" | "browsingContext.navigationFailed" => {
            stopped(driver, context, event)
        }
        "browsingContext.downloadWillBegin" => {
            downloads::begun(driver, context, event);
            stopped(driver, context, event);
        }
        "browsingContext.downloadEnd" => downloads::ended(driver, event),
        "browsingContext.userPromptOpened" => dialogs::opened(driver, context, event),
        "browsingContext.userPromptClosed" => dialogs::closed(driver, context, event),
        "script.realmCreated" if event["sandbox"].is_null() && event["type"] == "window" => {
            if let Some(frame) = driver.state().frames.get_mut(context) {
                frame.realm = event["realm"].as_str().map(str::to_owned);
            }
        }
        "script.message" => runtime::binding_called(driver, event),
        "input.fileDialogOpened" => chooser(driver, context, event),
        "log.entryAdded" => console::hear(driver, event),
        _ if method.starts_with("network.") => network::hear(driver, method, event),
        _ => {}
    }
    if method.starts_with("browsingContext.") {
        screencasts::speed_up(driver, context);
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

/// Emits a CDP event in the session of the tab that contains a browsing context.
pub(super) fn emit_for(driver: &Driver, context: &str, method: &str, params: Value) {
    let session = driver.state().session_for(context);
    if let Some(session) = session {
        driver.emit(&session, method, params);
    }
}

fn created(driver: &Arc<Driver>, event: &Value) {
    let context = text(&event["context"]);
    if let Some(parent) = event["parent"].as_str() {
        frame_created(driver, &context, parent);
        return;
    }
    {
        let mut state = driver.state();
        if state.hidden.contains(&context) || state.frames.contains_key(&context) {
            return;
        }
        if state.printing > 0 && state.creating == 0 && event["originalOpener"].is_null() {
            state.hidden.insert(context);
            return;
        }
        let frame = Frame {
            tab: context.clone(),
            loader: first_loader(&context),
            url: "about:blank".to_owned(),
            ..Frame::default()
        };
        state.frames.insert(context.clone(), frame);
        state.front = None;
        // Only the reply to `browsingContext.create` tells whether this is a tab that we create.
        if state.creating > 0 && event["originalOpener"].is_null() {
            state.pending.push(event.clone());
            return;
        }
    }
    let (driver, event) = (driver.clone(), event.clone());
    driver.clone().spawn(async move {
        if event["originalOpener"].is_string() {
            window_opened(&driver, &event).await;
        }
        attach(&driver, &event, "about:blank");
    });
}

/// Handles a new popup. Waits briefly for its first navigation, which Firefox reports a moment later.
async fn window_opened(driver: &Driver, event: &Value) {
    let (context, opener) = (text(&event["context"]), text(&event["originalOpener"]));
    let opened = json!({"url": "about:blank", "windowName": "", "windowFeatures": [], "userGesture": true});
    emit_for(driver, &opener, "Page.windowOpen", opened);
    tokio::time::sleep(POPUP_NAVIGATION_LIMIT).await;
    let mut state = driver.state();
    let is_pending_popup = state.frames.get(&context).is_some_and(|frame| frame.navigation.is_some());
    state.tabs.entry(context).or_default().is_pending_popup = is_pending_popup;
}

/// Returns the loader id of a frame's initial empty document.
fn first_loader(context: &str) -> String {
    format!("first-{context}")
}

/// Reports a new tab, which has a session from this point.
pub(super) fn attach(driver: &Arc<Driver>, event: &Value, url: &str) {
    let context = text(&event["context"]);
    let user_context = text(&event["userContext"]);
    {
        let mut state = driver.state();
        if !state.frames.contains_key(&context) {
            return; // The tab is closed already.
        }
        state.tabs.entry(context.clone()).or_default().user_context.clone_from(&user_context);
    }
    let info = json!({
        "targetId": context,
        "type": "page",
        "title": "",
        "url": url,
        "attached": true,
        "openerId": event["originalOpener"],
        "browserContextId": user_context,
    });
    let attached =
        json!({"sessionId": session_of(&context), "targetInfo": info, "waitingForDebugger": false});
    driver.emit("", "Target.attachedToTarget", attached);
}

/// The maximum number of frames per tab whose names are looked up.
const NAMED: usize = 200;

fn frame_created(driver: &Arc<Driver>, context: &str, parent: &str) {
    let is_one_of_few = {
        let mut state = driver.state();
        let Some(tab) = state.frames.get(parent).map(|parent| parent.tab.clone()) else { return };
        let frame = Frame {
            tab,
            parent: Some(parent.to_owned()),
            loader: first_loader(context),
            url: "about:blank".to_owned(),
            has_loaded: true,
            ..Frame::default()
        };
        state.frames.insert(context.to_owned(), frame);
        state.frames.len() <= NAMED
    };
    emit_for(driver, context, "Page.frameAttached", json!({"frameId": context, "parentFrameId": parent}));
    // No navigation reports the initial document, so its events are emitted here.
    tell_document(driver, context, INITIAL_EMPTY_DOCUMENT);
    for name in ["DOMContentLoaded", "load"] {
        tell_moment(driver, context, &first_loader(context), name);
    }
    if is_one_of_few {
        let named = name_frame(driver.clone(), context.to_owned(), parent.to_owned());
        driver.spawn(named);
    }
}

/// Reads the name of a frame from its `<iframe>` element and reports it.
async fn name_frame(driver: Arc<Driver>, context: String, parent: String) {
    let locate = json!({"context": parent, "locator": {"type": "context", "value": {"context": context}}});
    let Ok(found) = driver.ask("browsingContext.locateNodes", locate).await else { return };
    let attributes = &found["nodes"][0]["value"]["attributes"];
    let names = ["name", "id"].into_iter().filter_map(|name| attributes[name].as_str());
    let Some(name) = names.into_iter().find(|name| !name.is_empty()) else { return };
    if let Some(frame) = driver.state().frames.get_mut(&context) {
        name.clone_into(&mut frame.name);
    }
    emit_for(&driver, &context, FrameNameReported::METHOD, json!({"frameId": context, "name": name}));
}

fn tell_document(driver: &Driver, context: &str, kind: &str) {
    let frame = frame_json(&driver.state(), context);
    emit_for(driver, context, "Page.frameNavigated", json!({"frame": frame, "type": kind}));
}

fn tell_moment(driver: &Driver, context: &str, loader: &str, name: &str) {
    let params = json!({"frameId": context, "loaderId": loader, "name": name, "timestamp": 0});
    emit_for(driver, context, "Page.lifecycleEvent", params);
}

/// Emits the load events of a tab again, since a popup may have loaded before it had a session.
pub(super) fn repeat_load_events(driver: &Driver, tab: &str) {
    let reached: Vec<_> = {
        let state = driver.state();
        let frames = state.frames.iter().filter(|(_, frame)| frame.tab == tab && frame.has_parsed);
        frames
            .map(|(id, frame)| (id.clone(), frame.loader.clone(), frame.has_loaded, frame.is_idle))
            .collect()
    };
    for (context, loader, has_loaded, is_idle) in reached {
        for (name, is_reached) in [("DOMContentLoaded", true), ("load", has_loaded), ("networkIdle", is_idle)]
        {
            if is_reached {
                tell_moment(driver, &context, &loader, name);
            }
        }
    }
}

fn destroyed(driver: &Driver, event: &Value) {
    let context = text(&event["context"]);
    let is_tab = event["parent"].is_null();
    if !is_tab {
        emit_for(driver, &context, "Page.frameDetached", json!({"frameId": context, "reason": "remove"}));
    }
    let was_tab = {
        let mut state = driver.state();
        state.forget_document(&context);
        state.frames.remove(&context);
        state.hidden.remove(&context);
        state.screencasts.retain(|session, _| tab_of(session) != context);
        state.front.take_if(|front| *front == context);
        state.tabs.remove(&context).is_some()
    };
    if is_tab && was_tab {
        driver.emit(
            "",
            "Target.detachedFromTarget",
            json!({"sessionId": session_of(&context), "targetId": context}),
        );
    }
}

fn started(driver: &Driver, context: &str, event: &Value) {
    let (navigation, url) = (text(&event["navigation"]), text(&event["url"]));
    let (user_context, is_by_page) = {
        let mut state = driver.state();
        let Some(frame) = state.frames.get_mut(context) else { return };
        frame.navigation = Some(navigation.clone());
        frame.activity += 1;
        let is_by_page = frame.requested.as_ref().is_some_and(|requested| *requested != url);
        let tab = frame.tab.clone();
        (state.tabs.get(&tab).map(|tab| tab.user_context.clone()).unwrap_or_default(), is_by_page)
    };
    if is_by_page {
        let requested = json!({"frameId": context, "url": url, "disposition": "currentTab"});
        emit_for(driver, context, "Page.frameRequestedNavigation", requested);
    }
    grant_for_url(driver, &user_context, &url);
    let begun = json!({
        "frameId": context, "url": url, "loaderId": navigation, "navigationType": "differentDocument",
    });
    emit_for(driver, context, "Page.frameStartedNavigating", begun);
    emit_for(driver, context, "Page.frameStartedLoading", json!({"frameId": context}));
}

fn committed(driver: &Driver, context: &str, event: &Value) {
    {
        let mut state = driver.state();
        state.forget_document(context);
        let Some(frame) = state.frames.get_mut(context) else { return };
        frame.loader = text(&event["navigation"]);
        frame.url = text(&event["url"]);
        frame.navigation = None;
        frame.has_parsed = false;
        frame.has_loaded = false;
        frame.is_idle = false;
        frame.activity += 1;
        frame.in_flight.clear();
        if let Some(tab) = state.tabs.get_mut(context) {
            tab.is_pending_popup = false;
            tab.dialogs.clear();
        }
    }
    tell_document(driver, context, "Navigation");
}

fn moment(driver: &Arc<Driver>, context: &str, event: &Value, name: &str) {
    let loader = {
        let mut state = driver.state();
        let Some(frame) = state.frames.get_mut(context) else { return };
        if event["navigation"].as_str().is_some_and(|navigation| navigation != frame.loader) {
            return;
        }
        frame.has_parsed = true;
        frame.has_loaded |= name == "load";
        frame.loader.clone()
    };
    tell_moment(driver, context, &loader, name);
    if name == "load" {
        emit_for(driver, context, "Page.frameStoppedLoading", json!({"frameId": context}));
        watch_network_idle(driver, context);
    }
}

/// Emits `networkIdle` for a frame after 500 ms without requests.
pub(super) fn watch_network_idle(driver: &Arc<Driver>, context: &str) {
    let activity = match driver.state().frames.get(context) {
        Some(frame) if frame.has_loaded && frame.in_flight.is_empty() && !frame.is_idle => frame.activity,
        _ => return,
    };
    let (driver, context) = (driver.clone(), context.to_owned());
    driver.clone().spawn(async move {
        tokio::time::sleep(REST).await;
        let loader = match driver.state().frames.get_mut(&context) {
            Some(frame) if frame.activity == activity && !frame.is_idle => {
                frame.is_idle = true;
                frame.loader.clone()
            }
            _ => return,
        };
        tell_moment(&driver, &context, &loader, "networkIdle");
    });
}

fn moved(driver: &Driver, context: &str, event: &Value) {
    {
        let mut state = driver.state();
        if let Some(navigation) = event["navigation"].as_str() {
            state.same_document.add(navigation);
        }
        let Some(frame) = state.frames.get_mut(context) else { return };
        frame.url = text(&event["url"]);
    }
    emit_for(
        driver,
        context,
        "Page.navigatedWithinDocument",
        json!({"frameId": context, "url": event["url"]}),
    );
}

fn stopped(driver: &Driver, context: &str, event: &Value) {
    if let Some(frame) = driver.state().frames.get_mut(context)
        && frame.navigation.as_deref() == event["navigation"].as_str()
    {
        frame.navigation = None;
    }
    emit_for(driver, context, "Page.frameStoppedLoading", json!({"frameId": context}));
}

fn chooser(driver: &Driver, context: &str, event: &Value) {
    let node = {
        let mut state = driver.state();
        if !state.tab_containing(context).is_some_and(|tab| tab.intercepts_file_choosers) {
            return;
        }
        event["element"]["sharedId"].as_str().map(|shared| state.objects.node(context, shared))
    };
    let mode = if event["multiple"] == true { "selectMultiple" } else { "selectSingle" };
    let opened = json!({"frameId": context, "mode": mode, "backendNodeId": node});
    emit_for(driver, context, "Page.fileChooserOpened", opened);
}
