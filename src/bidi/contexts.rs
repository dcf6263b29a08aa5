//! Commands for the browser as a whole: contexts, tabs and global settings.
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::timeout;

use super::answers::{Answer, Command, quiet, unknown};
use super::driver::{Driver, proxy_settings};
use super::errors::Refusal;
use super::events;
use super::state::PROFILE;
use super::{cookies, downloads, emulation, missing_features};

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    let driver = command.driver;
    match method {
        "Browser.getVersion" => {
            // Callers use this command to check that the browser responds.
            driver.ask("session.status", json!({})).await?;
            Ok(version(driver))
        }
        "Browser.close" => driver.ask("browser.close", json!({})).await,
        "Browser.setDownloadBehavior" => downloads::keep(command, context_named(command.params)).await,
        "Browser.cancelDownload" => Err(Refusal::Missing(missing_features::CANCEL_DOWNLOAD)),
        "Browser.grantPermissions" => emulation::grant(command).await,
        "Browser.resetPermissions" => emulation::take_back(command).await,
        "Target.getBrowserContexts" => {
            Ok(json!({"browserContextIds": [], "defaultBrowserContextId": PROFILE}))
        }
        "Target.setAutoAttach" => {
            driver.state().attaches = command.params["autoAttach"] == true;
            Ok(json!({}))
        }
        "Target.createBrowserContext" | "Firefox.createContext" => create_context(command).await,
        "Target.disposeBrowserContext" => {
            driver.state().forget_context(command.text("browserContextId"));
            let remove = json!({"userContext": command.params["browserContextId"]});
            driver.ask("browser.removeUserContext", remove).await
        }
        "Target.attachToTarget" => {
            let tab = command.text("targetId");
            let mut state = driver.state();
            if !state.tabs.contains_key(tab) {
                return Err(Refusal::new("No target with given id found"));
            }
            Ok(json!({"sessionId": state.add_session(tab)}))
        }
        "Target.detachFromTarget" => {
            driver.state().screencasts.remove(command.text("sessionId"));
            Ok(json!({}))
        }
        "Target.createTarget" => create_tab(command).await,
        "Target.closeTarget" => {
            driver.tell("browsingContext.close", json!({"context": command.params["targetId"]}));
            Ok(json!({"success": true}))
        }
        "Target.activateTarget" => {
            driver.state().front = None;
            bring_to_front(driver, command.text("targetId")).await
        }
        "Target.getTargets" => Ok(json!({"targetInfos": targets(driver)})),
        "Storage.getCookies" | "Storage.setCookies" | "Storage.clearCookies" => {
            cookies::answer(command, method).await
        }
        _ => quiet(method).or_else(|_| unknown(method)),
    }
}

/// Brings the window of a tab to the front, unless it is there. Only the page in front has the focus.
pub(super) async fn bring_to_front(driver: &Driver, tab: &str) -> Answer {
    /// Firefox does not reply if another window comes to the front meanwhile.
    const LIMIT: Duration = Duration::from_secs(1);
    if driver.state().front.replace(tab.to_owned()).as_deref() == Some(tab) {
        return Ok(json!({}));
    }
    let activate = driver.ask("browsingContext.activate", json!({"context": tab}));
    timeout(LIMIT, activate).await.unwrap_or(Ok(json!({})))
}

fn version(driver: &Driver) -> Value {
    let capability = |name: &str| driver.capabilities[name].as_str().unwrap_or_default();
    json!({
        "protocolVersion": "1.3",
        "product": format!("Firefox/{}", capability("browserVersion")),
        "revision": capability("moz:buildID"),
        "userAgent": capability("userAgent"),
        "jsVersion": "",
    })
}

/// Returns the id of the browser context in the parameters; without one, the default context.
pub(super) fn context_named(params: &Value) -> String {
    params["browserContextId"].as_str().unwrap_or(PROFILE).to_owned()
}

async fn create_context(command: Command<'_>) -> Answer {
    let mut create = json!({
        "acceptInsecureCerts": command.params["acceptInsecureCerts"] == true,
        "unhandledPromptBehavior": {"default": "ignore", "file": "dismiss"},
    });
    if let Some(proxy) = command.params["proxyServer"].as_str() {
        let direct_hosts = command.params["directHosts"].as_array().into_iter().flatten();
        let direct_hosts: Vec<_> = direct_hosts.filter_map(Value::as_str).map(str::to_owned).collect();
        create["proxy"] = proxy_settings(proxy, &direct_hosts);
    }
    let made = command.driver.ask("browser.createUserContext", create).await?;
    Ok(json!({"browserContextId": made["userContext"]}))
}

async fn create_tab(command: Command<'_>) -> Answer {
    let driver = command.driver;
    driver.state().creating += 1;
    // Each tab gets its own window: Firefox does not draw background tabs and slows down their timers.
    let create = json!({"type": "window", "userContext": context_named(command.params), "background": false});
    let made = driver.ask("browsingContext.create", create).await;
    let pending = {
        let mut state = driver.state();
        state.creating -= 1;
        if state.creating == 0 || made.is_ok() { std::mem::take(&mut state.pending) } else { Vec::new() }
    };
    let tab = made.as_ref().ok().and_then(|made| made["context"].as_str()).unwrap_or_default().to_owned();
    let mut later = Vec::new();
    let mut is_reported = false;
    for event in pending {
        if event["context"] == tab.as_str() {
            is_reported = true;
            events::attach(driver, &event, command.text("url"));
        } else if driver.state().creating == 0 {
            events::attach(driver, &event, event["url"].as_str().unwrap_or_default());
        } else {
            later.push(event);
        }
    }
    driver.state().pending.extend(later);
    made?;
    let url = command.text("url");
    if is_reported && !url.starts_with("about:blank") && !url.is_empty() {
        driver.tell("browsingContext.navigate", json!({"context": tab, "url": url, "wait": "none"}));
    }
    Ok(json!({"targetId": tab}))
}

fn targets(driver: &Driver) -> Vec<Value> {
    let state = driver.state();
    let infos = state.tabs.iter().map(|(id, tab)| {
        let url = state.frames.get(id).map(|frame| frame.url.clone()).unwrap_or_default();
        json!({
            "targetId": id,
            "type": "page",
            "title": "",
            "url": url,
            "attached": true,
            "browserContextId": tab.user_context,
        })
    });
    infos.collect()
}
