//! Request interception (CDP `Fetch`).
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::answers::{Answer, Command, unknown};
use super::driver::Driver;
use super::errors::Refusal;
use super::events::emit_for;
use super::missing_features;
use super::network::{firefox_request_id, header, request_json};
use super::state::Tab;

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    match method {
        "Fetch.enable" => enable(command).await,
        "Fetch.disable" => disable(command).await,
        "Fetch.continueRequest" => resume(command).await,
        "Fetch.fulfillRequest" => fulfill(command).await,
        "Fetch.failRequest" => {
            command.driver.ask("network.failRequest", json!({"request": held_name(command)?})).await
        }
        "Fetch.continueWithAuth" => authenticate(command).await,
        "Fetch.getResponseBody" => Err(Refusal::Missing(missing_features::INTERCEPTED_RESPONSE_BODY)),
        _ => unknown(method),
    }
}

/// An intercept that aborts the next document of a tab.
#[derive(Debug)]
pub(super) struct NextDocument {
    intercept: String,
    refused: oneshot::Sender<()>,
}

/// How long to wait for the next document's request.
const NEXT: Duration = Duration::from_secs(5);

pub(super) async fn refuse_next_document(command: Command<'_>) -> Answer {
    let Command { driver, tab, .. } = command;
    let hold = json!({"phases": ["beforeRequestSent"], "contexts": [tab]});
    let held = driver.ask("network.addIntercept", hold).await?;
    let intercept = held["intercept"].as_str().unwrap_or_default().to_owned();
    let (refused, is_refused) = oneshot::channel();
    let next = NextDocument { intercept: intercept.clone(), refused };
    if let Some(tab) = driver.state().tabs.get_mut(tab) {
        tab.next_document = Some(next);
    }
    let _ = timeout(NEXT, is_refused).await;
    if let Some(tab) = driver.state().tabs.get_mut(tab) {
        tab.next_document = None;
    }
    driver.ask("network.removeIntercept", json!({"intercept": intercept})).await?;
    Ok(json!({}))
}

/// Aborts an intercepted document as [`refuse_next_document`] requires. Returns whether `event` was handled.
pub(super) fn is_refused(driver: &Driver, event: &Value) -> bool {
    let context = event["context"].as_str().unwrap_or_default();
    let mut state = driver.state();
    let Some(tab) = state.frames.get(context).map(|frame| frame.tab.clone()) else { return false };
    let is_document = event["navigation"].is_string() && tab == context;
    let Some(next) = state.tabs.get_mut(&tab).map(|tab| &mut tab.next_document) else { return false };
    let holds = |next: &NextDocument, event: &Value| event == next.intercept.as_str();
    let holders = event["intercepts"].as_array().map(Vec::as_slice).unwrap_or_default();
    let is_ours = next.as_ref().is_some_and(|next| holders.iter().any(|event| holds(next, event)));
    let decides = is_ours && (is_document || holders.len() == 1);
    let refused = if is_ours && is_document { next.take() } else { None };
    drop(state);
    if decides {
        let how = if is_document { "network.failRequest" } else { "network.continueRequest" };
        driver.tell(how, json!({"request": event["request"]["request"]}));
    }
    if let Some(next) = refused {
        let _ = next.refused.send(());
    }
    decides
}

async fn enable(command: Command<'_>) -> Answer {
    let patterns = command.params["patterns"].as_array();
    let wanted = |pattern: &Value| pattern["urlPattern"].as_str().unwrap_or("*").to_owned();
    let patterns: Vec<_> = patterns.into_iter().flatten().map(wanted).collect();
    let mut phases = vec!["beforeRequestSent"];
    if command.params["handleAuthRequests"] == true {
        phases.push("authRequired");
    }
    let mut intercept = json!({"phases": phases, "contexts": [command.tab]});
    // If all patterns have a scheme, only requests with these schemes are intercepted.
    let schemes: Vec<_> =
        patterns.iter().filter_map(|pattern| pattern.split_once(':')).map(|(scheme, _)| scheme).collect();
    if !schemes.is_empty() && schemes.len() == patterns.len() {
        intercept["urlPatterns"] =
            schemes.iter().map(|scheme| json!({"type": "pattern", "protocol": scheme})).collect();
    }
    let added = command.driver.ask("network.addIntercept", intercept).await?;
    let intercept = added["intercept"].as_str().unwrap_or_default().to_owned();
    let keep = |tab: &mut Tab| tab.intercepts.push(intercept);
    command.driver.state().tabs.get_mut(command.tab).map(keep);
    Ok(json!({}))
}

async fn disable(command: Command<'_>) -> Answer {
    let take = |tab: &mut Tab| std::mem::take(&mut tab.intercepts);
    let intercepts = command.driver.state().tabs.get_mut(command.tab).map(take);
    for intercept in intercepts.unwrap_or_default() {
        command.driver.ask("network.removeIntercept", json!({"intercept": intercept})).await?;
    }
    Ok(json!({}))
}

/// Reports an intercepted request as `Fetch.requestPaused`.
pub(super) fn held(driver: &Driver, event: &Value, body: &Value, id: &str, kind: &str) {
    let context = event["context"].as_str().unwrap_or_default();
    let request = event["request"]["request"].as_str().unwrap_or_default();
    let paused = json!({
        "requestId": format!("held-{request}"),
        "request": request_json(&event["request"], body),
        "frameId": context,
        "resourceType": kind,
        "networkId": id,
    });
    emit_for(driver, context, "Fetch.requestPaused", paused);
}

/// Reports as `Fetch.authRequired` that a server or proxy requests credentials.
pub(super) fn on_auth_required(driver: &Driver, event: &Value) {
    if event["isBlocked"] != true {
        return;
    }
    let context = event["context"].as_str().unwrap_or_default();
    let request = event["request"]["request"].as_str().unwrap_or_default();
    let challenge = &event["response"]["authChallenges"][0];
    let required = json!({
        "requestId": format!("held-{request}"),
        "request": request_json(&event["request"], &Value::Null),
        "frameId": context,
        "resourceType": "Other",
        "authChallenge": {"origin": "", "scheme": challenge["scheme"], "realm": challenge["realm"]},
    });
    emit_for(driver, context, "Fetch.authRequired", required);
}

fn held_name(command: Command<'_>) -> Result<String, Refusal> {
    let id = command.text("requestId");
    let held = id.strip_prefix("held-").map(str::to_owned);
    held.or_else(|| firefox_request_id(command.driver, id))
        .ok_or_else(|| Refusal::new("Invalid InterceptionId."))
}

fn headers(entries: &Value) -> Vec<Value> {
    let entries = entries.as_array().into_iter().flatten();
    entries.map(|entry| header(entry["name"].as_str().unwrap_or_default(), &entry["value"])).collect()
}

async fn resume(command: Command<'_>) -> Answer {
    let params = command.params;
    let mut go = json!({"request": held_name(command)?});
    for name in ["url", "method"] {
        if params[name].is_string() {
            go[name] = params[name].clone();
        }
    }
    if params["headers"].is_array() {
        go["headers"] = headers(&params["headers"]).into();
    }
    if let Some(body) = params["postData"].as_str() {
        go["body"] = json!({"type": "base64", "value": body});
        // Firefox does not update `Content-Length` for a new body.
        let length = BASE64_STANDARD.decode(body).map_or(0, |bytes| bytes.len()).to_string();
        let own = || {
            let state = command.driver.state();
            let hop = go["request"].as_str().and_then(|request| state.requests.get(request));
            hop.and_then(|hop| hop.headers.as_array().cloned()).unwrap_or_default()
        };
        let mut headers = go["headers"].as_array().cloned().unwrap_or_else(own);
        let is_length = |header: &Value| {
            header["name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case("content-length"))
        };
        headers.retain(|header| !is_length(header));
        headers.push(header("Content-Length", &length.into()));
        go["headers"] = headers.into();
    }
    command.driver.ask("network.continueRequest", go).await
}

async fn fulfill(command: Command<'_>) -> Answer {
    let params = command.params;
    let mut response = json!({
        "request": held_name(command)?,
        "statusCode": params["responseCode"],
        "headers": headers(&params["responseHeaders"]),
        "body": {"type": "base64", "value": params["body"].as_str().unwrap_or_default()},
    });
    response["reasonPhrase"] = params["responsePhrase"].as_str().unwrap_or("OK").into();
    command.driver.ask("network.provideResponse", response).await
}

async fn authenticate(command: Command<'_>) -> Answer {
    let answer = &command.params["authChallengeResponse"];
    let mut go = json!({"request": held_name(command)?});
    match answer["response"].as_str() {
        Some("ProvideCredentials") => {
            go["action"] = "provideCredentials".into();
            go["credentials"] =
                json!({"type": "password", "username": answer["username"], "password": answer["password"]});
        }
        // The default action would open Firefox's own credentials dialog, which waits for a person.
        _ => go["action"] = "cancel".into(),
    }
    command.driver.ask("network.continueWithAuth", go).await
}
