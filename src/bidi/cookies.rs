//! Reads, sets and deletes the cookies of a browser context.
use serde_json::{Value, json};

use super::answers::{Answer, Command, unknown};
use super::contexts::context_named;
use super::errors::Refusal;

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    let driver = command.driver;
    let partition = json!({"type": "storageKey", "userContext": context_named(command.params)});
    match method {
        "Storage.getCookies" => {
            let response = driver.ask("storage.getCookies", json!({"partition": partition})).await?;
            let cookies: Vec<_> =
                response["cookies"].as_array().into_iter().flatten().map(cookie_json).collect();
            Ok(json!({"cookies": cookies}))
        }
        "Storage.setCookies" => {
            let cookies = command.params["cookies"].as_array().into_iter().flatten();
            let cookies = cookies.map(given_cookie).collect::<Result<Vec<_>, _>>()?;
            let set = cookies.into_iter().map(|cookie| {
                driver.ask("storage.setCookie", json!({"cookie": cookie, "partition": partition}))
            });
            for set in set.collect::<Vec<_>>() {
                set.await?;
            }
            Ok(json!({}))
        }
        "Storage.clearCookies" => {
            driver.ask("storage.deleteCookies", json!({"partition": partition})).await?;
            Ok(json!({}))
        }
        _ => unknown(method),
    }
}

fn cookie_json(cookie: &Value) -> Value {
    let value = match cookie["value"]["type"].as_str() {
        Some("base64") => decoded(cookie["value"]["value"].as_str().unwrap_or_default()),
        _ => cookie["value"]["value"].as_str().unwrap_or_default().to_owned(),
    };
    let same_site = match cookie["sameSite"].as_str() {
        Some("strict") => Some("Strict"),
        Some("lax") => Some("Lax"),
        // Firefox treats a cookie without `SameSite` as `None`, Chromium as `Lax`.
        Some("none" | "default") => Some("None"),
        _ => None,
    };
    let expires = cookie["expiry"].as_f64();
    json!({
        "name": cookie["name"],
        "value": value,
        "domain": cookie["domain"],
        "path": cookie["path"],
        "expires": expires.unwrap_or(-1.0),
        "httpOnly": cookie["httpOnly"],
        "secure": cookie["secure"],
        "session": expires.is_none(),
        "sameSite": same_site,
    })
}

fn decoded(text: &str) -> String {
    use base64::Engine as _;
    let bytes = base64::prelude::BASE64_STANDARD.decode(text).unwrap_or_default();
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Returns whether a cookie violates its `__Host-` or `__Secure-` prefix, which BiDi commands do not check.
fn breaks_its_name(cookie: &Value) -> bool {
    let text = |field: &str| cookie[field].as_str().unwrap_or_default();
    let begins = |prefix: &str| {
        text("name").get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
    };
    let is_host = begins("__Host-");
    (is_host || begins("__Secure-")) && cookie["secure"] != true
        || is_host && (text("domain").starts_with('.') || text("path") != "/")
}

fn given_cookie(given: &Value) -> Result<Value, Refusal> {
    let url = given["url"].as_str().and_then(|url| url::Url::parse(url).ok());
    let host = url.as_ref().and_then(|url| url.host_str());
    let domain = given["domain"].as_str().or(host);
    let mut cookie = json!({
        "name": given["name"],
        "value": {"type": "string", "value": given["value"]},
        "domain": domain.ok_or_else(|| Refusal::new("Cookie should have either url or domain"))?,
        "path": given["path"].as_str().unwrap_or("/"),
        "httpOnly": given["httpOnly"] == true,
        "secure": given["secure"] == true || url.is_some_and(|url| url.scheme() == "https"),
    });
    if breaks_its_name(&cookie) {
        return Err(Refusal::new("Invalid cookie fields"));
    }
    // Firefox rejects `SameSite=None` without `Secure`. Omitting the attribute has the same effect.
    let is_plain = given["sameSite"] == "None" && cookie["secure"] != true;
    if let Some(same_site) = given["sameSite"].as_str().filter(|_| !is_plain) {
        cookie["sameSite"] = same_site.to_ascii_lowercase().into();
    }
    #[expect(clippy::cast_possible_truncation, reason = "seconds")]
    if let Some(expires) = given["expires"].as_f64().filter(|expires| *expires >= 0.0) {
        cookie["expiry"] = (expires as i64).into();
    }
    Ok(cookie)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_promises_something_is_held_to_it() {
        let given = |name: &str, more: Value| {
            let mut cookie =
                json!({"name": name, "value": "1", "domain": "a.example", "path": "/", "secure": true});
            cookie.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            given_cookie(&cookie).is_ok()
        };
        assert!(given("__Host-a", json!({})));
        assert!(!given("__host-a", json!({"secure": false})));
        assert!(!given("__Host-a", json!({"path": "/x"})));
        assert!(!given("__Host-a", json!({"domain": ".a.example"})));
        assert!(given("__Secure-a", json!({"domain": ".a.example", "path": "/x"})));
        assert!(!given("__Secure-a", json!({"secure": false})));
        assert!(given("__Hosta", json!({"secure": false})));
    }
}
