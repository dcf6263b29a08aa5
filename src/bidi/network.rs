//! Translates network requests and responses to CDP events.
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Map, Value, json};
use tokio::time::timeout;

use super::answers::{Answer, Command, quiet, unknown};
use super::driver::Driver;
use super::emulation::with;
use super::errors::{Refusal, network_error};
use super::events::{emit_for, watch_network_idle};
use super::{fetch, missing_features};

/// A request in progress, or a completed request whose body can still be fetched.
#[derive(Debug, Clone, Default)]
pub(super) struct TrackedRequest {
    /// The CDP request id. For a document, equal to its loader id.
    pub id: String,
    pub context: String,
    /// The response that redirected to this request, if any.
    pub redirect: Option<Value>,
    /// The request headers from Firefox's event.
    pub headers: Value,
    pub kind: String,
}

/// The maximum number of tracked requests.
const REMEMBERED: usize = 2_000;

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    let Command { driver, params, .. } = command;
    match method {
        "Network.setExtraHTTPHeaders" => {
            let headers = params["headers"].as_object().into_iter().flatten();
            let headers: Vec<_> = headers.map(|(name, value)| header(name, value)).collect();
            driver.ask("network.setExtraHeaders", with(command, "headers", headers.into())).await
        }
        "Network.setCacheDisabled" => {
            let behavior = if params["cacheDisabled"] == true { "bypass" } else { "default" };
            if let Some(tab) = driver.state().tabs.get_mut(command.tab) {
                tab.bypasses_cache = behavior == "bypass";
            }
            let set = json!({"cacheBehavior": behavior, "contexts": [command.tab]});
            driver.ask("network.setCacheBehavior", set).await
        }
        "Network.emulateNetworkConditions" => {
            let offline = params["offline"] == true;
            let asked = |name: &str| params[name].as_f64().is_some_and(|value| value > 0.0);
            if ["latency", "downloadThroughput", "uploadThroughput"].into_iter().any(asked) {
                return Err(Refusal::Missing(missing_features::NETWORK_THROTTLING));
            }
            let conditions = if offline { json!({"type": "offline"}) } else { Value::Null };
            driver.ask("emulation.setNetworkConditions", with(command, "networkConditions", conditions)).await
        }
        "Network.getResponseBody" => body(driver, command.text("requestId"), "response").await,
        "Network.getRequestPostData" => {
            let text = body(driver, command.text("requestId"), "request").await?;
            Ok(json!({"postData": text["body"], "base64Encoded": text["base64Encoded"]}))
        }
        _ => quiet(method).or_else(|_| unknown(method)),
    }
}

pub(super) fn header(name: &str, value: &Value) -> Value {
    json!({"name": name, "value": {"type": "string", "value": value}})
}

async fn body(driver: &Driver, id: &str, kind: &str) -> Answer {
    let request = firefox_request_id(driver, id)
        .ok_or_else(|| Refusal::new("No resource with given identifier found"))?;
    let answer = driver.ask("network.getData", json!({"dataType": kind, "request": request})).await?;
    let bytes = &answer["bytes"];
    Ok(json!({"body": bytes["value"], "base64Encoded": bytes["type"] == "base64"}))
}

/// Returns Firefox's id of the request with the CDP request id `id`.
pub(super) fn firefox_request_id(driver: &Driver, id: &str) -> Option<String> {
    let state = driver.state();
    state.requests.iter().find(|(_, hop)| hop.id == id).map(|(request, _)| request.clone())
}

/// The largest request body that is reported with its request, in bytes.
const LONGEST_BODY: u64 = 1_000_000;
/// How long Firefox may take to return a request body.
const BODY_LIMIT: Duration = Duration::from_secs(2);

/// Handles a network event. Bodies must be fetched, so later events of a request wait for its body.
pub(super) fn hear(driver: &Arc<Driver>, method: &str, event: &Value) {
    let request = request_of(event);
    if let Some(later) = driver.state().pending_requests.get_mut(request) {
        later.push((method.to_owned(), event.clone()));
        return;
    }
    let has_body =
        event["request"]["bodySize"].as_u64().is_some_and(|size| (1..=LONGEST_BODY).contains(&size));
    if method != "network.beforeRequestSent" || !has_body {
        return take(driver, method, event, &Value::Null);
    }
    driver.state().pending_requests.insert(request.to_owned(), Vec::new());
    let asked = driver.ask("network.getData", json!({"dataType": "request", "request": request}));
    let (driver, method, event) = (driver.clone(), method.to_owned(), event.clone());
    driver.clone().spawn(async move {
        let body = timeout(BODY_LIMIT, asked).await.ok().and_then(Result::ok).unwrap_or_default();
        take(&driver, &method, &event, &body["bytes"]);
        let later = driver.state().pending_requests.remove(request_of(&event));
        for (method, event) in later.unwrap_or_default() {
            hear(&driver, &method, &event);
        }
    });
}

fn take(driver: &Arc<Driver>, method: &str, event: &Value, body: &Value) {
    match method {
        "network.beforeRequestSent" => begun(driver, event, body),
        "network.responseStarted" => answered(driver, event),
        "network.responseCompleted" => completed(driver, event),
        "network.fetchError" => failed(driver, event),
        "network.authRequired" => fetch::on_auth_required(driver, event),
        _ => {}
    }
}

fn request_of(event: &Value) -> &str {
    event["request"]["request"].as_str().unwrap_or_default()
}

/// Returns the time of an event in seconds, the unit of CDP.
fn seconds(event: &Value) -> f64 {
    event["timestamp"].as_f64().unwrap_or_default() / 1000.0
}

/// Returns whether Firefox itself requests the tab's icon. Requests of pages have an initiator.
fn is_icon(event: &Value) -> bool {
    let request = &event["request"];
    request["destination"] == "image" && request["initiatorType"].is_null() && event["navigation"].is_null()
}

fn begun(driver: &Arc<Driver>, notice: &Value, body: &Value) {
    if is_icon(notice) {
        if notice["isBlocked"] == true {
            // While requests are intercepted, the icon request is failed, since clients never see it.
            driver.tell("network.failRequest", json!({"request": request_of(notice)}));
        }
        return;
    }
    let request = request_of(notice).to_owned();
    let context = notice["context"].as_str().unwrap_or_default().to_owned();
    let navigation = notice["navigation"].as_str();
    let (id, redirect, loader, kind) = {
        let mut state = driver.state();
        if state.requests.len() > REMEMBERED {
            let running: Vec<String> =
                state.frames.values().flat_map(|frame| frame.in_flight.iter().cloned()).collect();
            state.requests.retain(|request, _| running.contains(request));
        }
        let loader = state.frames.get(&context).map(|frame| frame.loader.clone()).unwrap_or_default();
        let kind = kind_of(notice);
        let hop = state.requests.entry(request.clone()).or_insert_with(|| TrackedRequest {
            id: navigation.unwrap_or(&request).to_owned(),
            context: context.clone(),
            kind: kind.clone(),
            ..TrackedRequest::default()
        });
        hop.headers = notice["request"]["headers"].clone();
        let (id, redirect) = (hop.id.clone(), hop.redirect.take());
        if let Some(frame) = state.frames.get_mut(&context) {
            frame.in_flight.insert(request.clone());
            frame.activity += 1;
        }
        (id, redirect, navigation.map_or(loader, str::to_owned), kind)
    };
    let mut event = json!({
        "requestId": id,
        "loaderId": loader,
        "documentURL": notice["request"]["url"],
        "request": request_json(&notice["request"], body),
        "timestamp": seconds(notice),
        "wallTime": seconds(notice),
        "initiator": {"type": "other"},
        "redirectHasExtraInfo": false,
        "type": kind,
        "frameId": context,
    });
    if let Some(redirect) = redirect {
        event["redirectResponse"] = redirect;
    }
    emit_for(driver, &context, "Network.requestWillBeSent", event);
    if notice["isBlocked"] == true && !fetch::is_refused(driver, notice) {
        fetch::held(driver, notice, body, &id, &kind);
    }
}

/// Returns a CDP `Request`. `body` is BiDi's value of the request body, or null.
pub(super) fn request_json(request: &Value, body: &Value) -> Value {
    let bytes = body["value"].as_str().map(|value| match body["type"].as_str() {
        Some("base64") => value.to_owned(),
        _ => BASE64_STANDARD.encode(value),
    });
    let url = request["url"].as_str().unwrap_or_default();
    let (url, fragment) =
        url.split_once('#').map_or((url, None), |(url, rest)| (url, Some(format!("#{rest}"))));
    json!({
        "url": url,
        "urlFragment": fragment,
        "method": request["method"],
        "headers": headers_json(&request["headers"]),
        "hasPostData": request["bodySize"].as_u64().is_some_and(|size| size > 0),
        "postDataEntries": bytes.map(|bytes| json!([{"bytes": bytes}])),
    })
}

/// Returns headers as an object. Values of a repeated header are joined by newlines, as in CDP.
fn headers_json(headers: &Value) -> Value {
    let mut converted = Map::new();
    for header in headers.as_array().into_iter().flatten() {
        let name = header["name"].as_str().unwrap_or_default().to_owned();
        let value = header["value"]["value"].as_str().unwrap_or_default();
        match converted.get_mut(&name) {
            Some(Value::String(before)) => {
                before.push('\n');
                before.push_str(value);
            }
            _ => drop(converted.insert(name, value.into())),
        }
    }
    Value::Object(converted)
}

fn kind_of(event: &Value) -> String {
    let request = &event["request"];
    let destination = request["destination"].as_str().unwrap_or_default();
    let initiator = request["initiatorType"].as_str().unwrap_or_default();
    let known = HashMap::from([
        ("document", "Document"),
        ("iframe", "Document"),
        ("frame", "Document"),
        ("object", "Document"),
        ("embed", "Document"),
        ("style", "Stylesheet"),
        ("script", "Script"),
        ("image", "Image"),
        ("font", "Font"),
        ("audio", "Media"),
        ("video", "Media"),
        ("track", "TextTrack"),
        ("manifest", "Manifest"),
    ]);
    if event["navigation"].is_string() {
        return "Document".to_owned();
    }
    let mut headers = request["headers"].as_array().into_iter().flatten();
    if headers.any(|header| header["name"] == "Accept" && header["value"]["value"] == "text/event-stream") {
        return "EventSource".to_owned();
    }
    match (known.get(destination), initiator) {
        (Some(kind), _) => (*kind).to_owned(),
        (None, "fetch") => "Fetch".to_owned(),
        (None, "xmlhttprequest") => "XHR".to_owned(),
        _ => "Other".to_owned(),
    }
}

fn response_json(response: &Value) -> Value {
    json!({
        "url": response["url"].as_str().unwrap_or_default().split('#').next(),
        "status": response["status"],
        "statusText": response["statusText"],
        "headers": headers_json(&response["headers"]),
        "mimeType": response["mimeType"].as_str().unwrap_or_default().split(';').next().map(str::trim),
        "protocol": response["protocol"],
        "fromDiskCache": response["fromCache"],
        "encodedDataLength": response["bytesReceived"].as_f64().unwrap_or_default(),
        "securityState": "unknown",
    })
}

fn is_redirect(response: &Value) -> bool {
    let moved = matches!(response["status"].as_u64(), Some(301 | 302 | 303 | 307 | 308));
    let mut headers = response["headers"].as_array().into_iter().flatten();
    moved
        && headers
            .any(|header| header["name"].as_str().is_some_and(|name| name.eq_ignore_ascii_case("location")))
}

fn tracked_request(driver: &Driver, event: &Value) -> Option<TrackedRequest> {
    driver.state().requests.get(request_of(event)).cloned()
}

fn answered(driver: &Driver, notice: &Value) {
    let Some(hop) = tracked_request(driver, notice) else { return };
    if is_redirect(&notice["response"]) {
        return;
    }
    let loader = match hop.kind.as_str() {
        "Document" => hop.id.clone(),
        _ => driver.state().frames.get(&hop.context).map(|frame| frame.loader.clone()).unwrap_or_default(),
    };
    let event = json!({
        "requestId": hop.id,
        "loaderId": loader,
        "timestamp": seconds(notice),
        "type": hop.kind,
        "response": response_json(&notice["response"]),
        "hasExtraInfo": false,
        "frameId": hop.context,
    });
    emit_for(driver, &hop.context, "Network.responseReceived", event);
}

fn completed(driver: &Arc<Driver>, notice: &Value) {
    let Some(hop) = tracked_request(driver, notice) else { return };
    if is_redirect(&notice["response"]) {
        if let Some(hop) = driver.state().requests.get_mut(request_of(notice)) {
            hop.redirect = Some(response_json(&notice["response"]));
        }
        return;
    }
    let length = notice["response"]["bytesReceived"].as_f64().unwrap_or_default();
    let event = json!({"requestId": hop.id, "timestamp": seconds(notice), "encodedDataLength": length});
    emit_for(driver, &hop.context, "Network.loadingFinished", event);
    ended(driver, notice, &hop);
}

fn failed(driver: &Arc<Driver>, notice: &Value) {
    let Some(hop) = tracked_request(driver, notice) else { return };
    let text = network_error(notice["errorText"].as_str().unwrap_or_default());
    let event = json!({
        "requestId": hop.id,
        "timestamp": seconds(notice),
        "type": hop.kind,
        "canceled": text == "net::ERR_ABORTED",
        "errorText": text,
    });
    emit_for(driver, &hop.context, "Network.loadingFailed", event);
    ended(driver, notice, &hop);
}

fn ended(driver: &Arc<Driver>, event: &Value, hop: &TrackedRequest) {
    if let Some(frame) = driver.state().frames.get_mut(&hop.context) {
        frame.in_flight.remove(request_of(event));
        frame.activity += 1;
    }
    watch_network_idle(driver, &hop.context);
}
