//! Navigation and other commands for a tab.
use serde_json::{Value, json};
use url::Url;

use super::answers::{Answer, Command, quiet, unknown};
use super::contexts::bring_to_front;
use super::errors::{Refusal, network_error};
use super::runtime::ask_page;
use super::state::{Tab, session_of};
use super::{dialogs, missing_features};

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    match method {
        "Page.navigate" => navigate(command).await,
        "Page.reload" => reload(command).await,
        "Page.stopLoading" => {
            ask_page(command.driver, command.tab, "() => window.stop()", Vec::new()).await?;
            Ok(json!({}))
        }
        "Page.getNavigationHistory" => Ok(history(command)),
        "Page.navigateToHistoryEntry" => traverse(command).await,
        "Page.bringToFront" => {
            command.driver.state().front = None;
            bring_to_front(command.driver, command.tab).await
        }
        "Page.close" => {
            let close = json!({"context": command.tab, "promptUnload": true});
            // Not awaited: a `beforeunload` dialog may delay the reply indefinitely.
            command.driver.tell("browsingContext.close", close);
            Ok(json!({}))
        }
        "Page.handleJavaScriptDialog" => dialogs::answer(command).await,
        "Page.setInterceptFileChooserDialog" => {
            let catches = command.params["enabled"] == true;
            let tab = |tab: &mut Tab| tab.intercepts_file_choosers = catches;
            command.driver.state().tabs.get_mut(command.tab).map(tab);
            Ok(json!({}))
        }
        "Page.setBypassCSP" if command.params["enabled"] != true => Ok(json!({})),
        "Page.setBypassCSP" => Err(Refusal::Missing(missing_features::BYPASS_CSP)),
        "Page.crash" => Err(Refusal::Missing(missing_features::CRASH)),
        _ => quiet(method).or_else(|_| unknown(method)),
    }
}

async fn reload(command: Command<'_>) -> Answer {
    let Command { driver, tab, params } = command;
    if params["ignoreCache"] != true || driver.state().tabs.get(tab).is_some_and(|tab| tab.bypasses_cache) {
        return driver.ask("browsingContext.reload", json!({"context": tab, "wait": "none"})).await;
    }
    let caches = |behavior: &str| json!({"cacheBehavior": behavior, "contexts": [tab]});
    driver.ask("network.setCacheBehavior", caches("bypass")).await?;
    let (reloaded, usual) = (
        driver.ask("browsingContext.reload", json!({"context": tab, "wait": "complete"})),
        caches("default"),
    );
    let (driver, tab) = (driver.clone(), tab.to_owned());
    driver.clone().spawn(async move {
        let _ = reloaded.await;
        if driver.state().tabs.get(&tab).is_some_and(|tab| !tab.bypasses_cache) {
            driver.tell("network.setCacheBehavior", usual);
        }
    });
    Ok(json!({}))
}

/// The prefix of errors for which WebDriver has no code.
const UNKNOWN: &str = "unknown error: ";
const ABORTED: &str = "net::ERR_ABORTED";

async fn navigate(command: Command<'_>) -> Answer {
    if command.params["referrer"].as_str().is_some_and(|referrer| !referrer.is_empty()) {
        return Err(Refusal::Missing(missing_features::REFERRER));
    }
    let frame = command.params["frameId"].as_str().unwrap_or(command.tab).to_owned();
    if !command.driver.state().frames.contains_key(&frame) {
        return Err(Refusal::no_frame());
    }
    let request = |url: Option<String>| {
        if let Some(frame) = command.driver.state().frames.get_mut(&frame) {
            frame.requested = url;
        }
    };
    request(Url::parse(command.text("url")).ok().map(String::from));
    let go = json!({"context": frame, "url": command.params["url"], "wait": "none"});
    let answer = command.driver.ask("browsingContext.navigate", go).await;
    if matches!(&answer, Err(Refusal::Failed(reason)) if network_error(reason.trim_start_matches(UNKNOWN)) == ABORTED)
    {
        // If the page itself has navigated, Firefox reports that just after it has aborted this navigation.
        let _ = command.driver.ask("session.status", json!({})).await;
    }
    request(None);
    let state = command.driver.state();
    match answer {
        Ok(answer) => {
            let navigation = answer["navigation"].as_str().unwrap_or_default();
            if state.download_navigations.has(navigation) {
                return Ok(json!({
                    "frameId": frame,
                    "loaderId": navigation,
                    "errorText": ABORTED,
                    "isDownload": true,
                }));
            }
            let stays = state.same_document.has(navigation);
            let loader = (!stays).then_some(navigation);
            Ok(json!({"frameId": frame, "loaderId": loader}))
        }
        Err(Refusal::Failed(reason)) if reason.starts_with(UNKNOWN) => {
            let reason = reason.trim_start_matches(UNKNOWN);
            let known = state.frames.get(&frame);
            let loader = known.map(|frame| frame.navigation.clone().unwrap_or_else(|| frame.loader.clone()));
            Ok(json!({"frameId": frame, "loaderId": loader, "errorText": network_error(reason)}))
        }
        Err(refusal) => Err(refusal),
    }
}

/// The id of the entry for "back". Firefox does not list its history, so CDP sees three placeholder entries.
const BACK: i64 = 1;
const HERE: i64 = 2;
const FORWARD: i64 = 3;

fn history(command: Command<'_>) -> Value {
    let url =
        command.driver.state().frames.get(command.tab).map(|frame| frame.url.clone()).unwrap_or_default();
    let entry = |id: i64, url: &str| json!({"id": id, "url": url, "title": ""});
    json!({"currentIndex": 1, "entries": [entry(BACK, ""), entry(HERE, &url), entry(FORWARD, "")]})
}

async fn traverse(command: Command<'_>) -> Answer {
    let delta = match command.params["entryId"].as_i64() {
        Some(BACK) => -1,
        Some(FORWARD) => 1,
        _ => {
            let reload = json!({"context": command.tab, "wait": "none"});
            return command.driver.ask("browsingContext.reload", reload).await;
        }
    };
    let begun = |frame: &super::state::Frame| (frame.loader.clone(), frame.navigation.clone());
    let before = command.driver.state().frames.get(command.tab).map(begun);
    let go = json!({"context": command.tab, "delta": delta});
    command.driver.ask("browsingContext.traverseHistory", go).await?;
    if command.driver.state().frames.get(command.tab).map(begun) != before {
        return Ok(json!({}));
    }
    // Firefox reports no event for a history step within the document.
    let here = ask_page(command.driver, command.tab, "() => location.href", Vec::new()).await?;
    let mut state = command.driver.state();
    if let Some(frame) = state.frames.get_mut(command.tab).filter(|frame| Some(begun(frame)) == before) {
        here.as_str().unwrap_or_default().clone_into(&mut frame.url);
        let moved = json!({"frameId": command.tab, "url": here});
        command.driver.emit(&session_of(command.tab), "Page.navigatedWithinDocument", moved);
    }
    Ok(json!({}))
}
