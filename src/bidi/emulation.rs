//! Emulation of devices and environment, and permissions of pages.
use serde_json::{Value, json};

use super::answers::{Answer, Command, quiet, unknown};
use super::contexts::{bring_to_front, context_named};
use super::driver::Driver;
use super::errors::Refusal;
use super::missing_features;
use super::state::{Frame, State};

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    let Command { driver, params, .. } = command;
    let asked = |name: &str| params[name] == true;
    match method {
        "Emulation.setDeviceMetricsOverride" => {
            if asked("mobile") {
                return Err(Refusal::Missing(missing_features::MOBILE));
            }
            if let (Some(width), Some(height)) =
                (params["screenWidth"].as_u64(), params["screenHeight"].as_u64())
            {
                let area = json!({"width": width, "height": height});
                driver.tell("emulation.setScreenSettingsOverride", with(command, "screenArea", area));
            }
            let ratio = params["deviceScaleFactor"].as_f64().filter(|ratio| *ratio > 0.0);
            let size = json!({"width": params["width"], "height": params["height"]});
            let mut set = json!({"viewport": size, "devicePixelRatio": ratio});
            match driver.state().scope(command.tab) {
                ("contexts", _) => set["context"] = command.tab.into(),
                (scope, whom) => set[scope] = whom,
            }
            driver.ask("browsingContext.setViewport", set).await
        }
        "Emulation.clearDeviceMetricsOverride" => {
            let clear = json!({"context": command.tab, "viewport": null, "devicePixelRatio": null});
            driver.ask("browsingContext.setViewport", clear).await
        }
        "Emulation.setUserAgentOverride" => {
            let set = with(command, "userAgent", params["userAgent"].clone());
            driver.ask("emulation.setUserAgentOverride", set).await
        }
        "Emulation.setLocaleOverride" => {
            driver.ask("emulation.setLocaleOverride", with(command, "locale", params["locale"].clone())).await
        }
        "Emulation.setTimezoneOverride" => {
            let zone = params["timezoneId"].as_str().filter(|zone| !zone.is_empty());
            driver.ask("emulation.setTimezoneOverride", with(command, "timezone", zone.into())).await
        }
        "Emulation.setGeolocationOverride" => {
            let place = match params["latitude"].as_f64() {
                Some(_) => {
                    let accuracy =
                        params["accuracy"].as_f64().filter(|accuracy| *accuracy > 0.0).unwrap_or(1.0);
                    json!({"latitude": params["latitude"], "longitude": params["longitude"], "accuracy": accuracy})
                }
                None => Value::Null,
            };
            driver.ask("emulation.setGeolocationOverride", with(command, "coordinates", place)).await
        }
        "Emulation.setFocusEmulationEnabled" if asked("enabled") => bring_to_front(driver, command.tab).await,
        "Emulation.setCPUThrottlingRate" if params["rate"].as_f64().is_some_and(|rate| rate > 1.0) => {
            Err(Refusal::Missing(missing_features::CPU_THROTTLING))
        }
        "Emulation.setTouchEmulationEnabled" if asked("enabled") => {
            Err(Refusal::Missing(missing_features::TOUCH))
        }
        "Emulation.setScriptExecutionDisabled" if asked("value") => {
            Err(Refusal::Missing(missing_features::DISABLED_JAVASCRIPT))
        }
        "Emulation.setEmulatedMedia" if !is_plain_media(params) => {
            Err(Refusal::Missing(missing_features::MEDIA))
        }
        "Emulation.setDefaultBackgroundColorOverride" if params["color"].is_object() => {
            Err(Refusal::Missing(missing_features::SCREENSHOT_BACKGROUND))
        }
        "Emulation.setTouchEmulationEnabled"
        | "Emulation.setCPUThrottlingRate"
        | "Emulation.setScriptExecutionDisabled"
        | "Emulation.setEmulatedMedia"
        | "Emulation.setDefaultBackgroundColorOverride" => Ok(json!({})),
        _ => quiet(method).or_else(|_| unknown(method)),
    }
}

/// Returns BiDi parameters with a setting and the contexts to which it applies.
pub(super) fn with(command: Command<'_>, name: &str, value: Value) -> Value {
    let (scope, whom) = command.driver.state().scope(command.tab);
    json!({name: value, scope: whom})
}

fn is_plain_media(params: &Value) -> bool {
    let is_empty = |value: &Value| value.as_str().is_none_or(str::is_empty);
    let mut features = params["features"].as_array().into_iter().flatten();
    is_empty(&params["media"]) && features.all(|feature| is_empty(&feature["value"]))
}

/// The permissions that Firefox supports: Chromium's name and Firefox's name.
const PERMISSIONS: [(&str, &str); 4] = [
    ("geolocation", "geolocation"),
    ("notifications", "notifications"),
    ("storageAccess", "storage-access"),
    ("midi", "midi"),
];

pub(super) async fn grant(command: Command<'_>) -> Answer {
    let context = context_named(command.params);
    let names = command.params["permissions"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let names = names
        .map(|name| {
            let known = PERMISSIONS.iter().find(|(chromium, _)| *chromium == name);
            let missing = || Refusal::Missing(missing_features::permission(name));
            known.map(|(_, own)| (*own).to_owned()).ok_or_else(missing)
        })
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(origin) = command.params["origin"].as_str() {
        for name in names {
            command
                .driver
                .ask("permissions.setPermission", permission(&name, "granted", origin, &context))
                .await?;
        }
        return Ok(json!({}));
    }
    let shown = {
        let mut state = command.driver.state();
        state.permissions.entry(context.clone()).or_default().extend(names);
        state.granted.retain(|(known, _)| *known != context);
        urls_in(&state, &context)
    };
    for url in shown {
        grant_for_url(command.driver, &context, &url);
    }
    Ok(json!({}))
}

/// Returns the URLs of all frames in a browser context.
fn urls_in(state: &State, context: &str) -> Vec<String> {
    let is_within = |frame: &Frame| state.tabs.get(&frame.tab).is_some_and(|tab| tab.user_context == context);
    state.frames.values().filter(|frame| is_within(frame)).map(|frame| frame.url.clone()).collect()
}

pub(super) async fn take_back(command: Command<'_>) -> Answer {
    let context = context_named(command.params);
    let (names, origins) = {
        let mut state = command.driver.state();
        let names = state.permissions.remove(&context).unwrap_or_default();
        let origins = state.granted.extract_if(|(known, _)| *known == context);
        (names, origins.map(|(_, origin)| origin).collect::<Vec<_>>())
    };
    for origin in origins {
        for name in &names {
            command
                .driver
                .ask("permissions.setPermission", permission(name, "prompt", &origin, &context))
                .await?;
        }
    }
    Ok(json!({}))
}

fn permission(name: &str, state: &str, origin: &str, context: &str) -> Value {
    json!({"descriptor": {"name": name}, "state": state, "origin": origin, "userContext": context})
}

/// Grants the context's permissions to the origin of a new page. Firefox grants permissions per origin.
pub(super) fn grant_for_url(driver: &Driver, context: &str, url: &str) {
    let Ok(url) = url::Url::parse(url) else { return };
    let origin = url.origin().ascii_serialization();
    let names = {
        let mut state = driver.state();
        let Some(names) = state.permissions.get(context).filter(|names| !names.is_empty()).cloned() else {
            return;
        };
        if !state.granted.insert((context.to_owned(), origin.clone())) {
            return;
        }
        names
    };
    for name in names {
        driver.tell("permissions.setPermission", permission(&name, "granted", &origin, context));
    }
}
