//! What sites keep: cookies, local and session storage; and what they are allowed and told.
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::request::is_header;
use crate::Result;
use crate::browser::{BrowserContext, HttpCredentials, SameSite, Scope, StoredCookie, value_argument};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Capability, Effect, Tool};

// What to do with what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    List,
    Set,
    Delete,
    Clear,
}

/// List, set, delete or clear the cookies of the context.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Cookies {
    pub action: Action,
    /// Of which cookie.
    pub name: Option<String>,
    /// Of which site; to set, whose they are where cookies does not say so.
    pub domain: Option<String>,
    /// To set: JSON as other tools export it, a Cookie header (a=1; b=2), or a cURL command.
    #[schemars(length(min = 1))]
    pub cookies: Option<String>,
}

impl Tool for Cookies {
    const NAME: &'static str = "browser_cookies";
    const TITLE: &'static str = "Cookies";
    const EFFECT: Effect = Effect::Acts;
    const CAPABILITY: Capability = Capability::Storage;
    const FILE: Option<&'static str> = Some("json");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let context = call.page().await?.context().clone();
        match self.action {
            Action::List => {
                let found = self.found(&context).await?;
                reply.say(page_text::json(&found));
            }
            Action::Set => {
                let cookies = self.given()?;
                context.add_cookies(&cookies).await?;
                reply.say(format!("Set {} cookies", cookies.len()));
            }
            Action::Delete if self.name.is_none() && self.domain.is_none() => {
                return Err(wrong("Give `name` or `domain` of what to delete; or clear all"));
            }
            Action::Delete => {
                let found = self.found(&context).await?;
                context.remove_cookies(&found).await?;
                reply.say(format!("Deleted {} cookies", found.len()));
            }
            Action::Clear => {
                context.clear_cookies().await?;
                reply.say("Cleared all cookies of the context");
            }
        }
        Ok(())
    }
}

impl Cookies {
    async fn found(&self, context: &BrowserContext) -> Result<Vec<StoredCookie>> {
        let mut cookies = context.cookies().await?;
        let is_of = |cookie: &StoredCookie, site: &str| {
            let (domain, site) = (cookie.domain.trim_start_matches('.'), site.trim_start_matches('.'));
            domain == site || domain.ends_with(&format!(".{site}"))
        };
        cookies.retain(|cookie| {
            self.name.as_ref().is_none_or(|name| cookie.name == *name)
                && self.domain.as_ref().is_none_or(|site| is_of(cookie, site))
        });
        Ok(cookies)
    }

    fn given(&self) -> Result<Vec<StoredCookie>> {
        let text = self.cookies.as_deref().unwrap_or_default().trim();
        let cookies = if text.starts_with(['[', '{']) {
            self.read_json(text)?
        } else if text.starts_with("curl ") {
            let (header, host) = from_curl(text).ok_or_else(|| wrong("the command has no cookies"))?;
            from_header(&header, self.domain.as_deref().or(host.as_deref()))?
        } else {
            from_header(text, self.domain.as_deref())?
        };
        if cookies.is_empty() { Err(wrong("`cookies` has none")) } else { Ok(cookies) }
    }

    /// A list, or an object with one, as Playwright and extensions of browsers write it.
    fn read_json(&self, text: &str) -> Result<Vec<StoredCookie>> {
        let unreadable = |error: serde_json::Error| wrong(&format!("`cookies` cannot be read: {error}"));
        let value: Value = serde_json::from_str(text).map_err(unreadable)?;
        let list = match value {
            Value::Array(list) => list,
            Value::Object(mut object) => match object.remove("cookies") {
                Some(Value::Array(list)) => list,
                Some(_) => return Err(wrong("`cookies` has no list")),
                None => vec![Value::Object(object)],
            },
            _ => return Err(wrong("`cookies` has no list")),
        };
        list.into_iter()
            .map(|entry| {
                let mut cookie: StoredCookie = serde_json::from_value(as_ours(entry)).map_err(unreadable)?;
                if cookie.domain.is_empty() && cookie.url.is_none() {
                    cookie.domain = self.domain.clone().ok_or_else(needs_domain)?;
                }
                if cookie.path.is_empty() && cookie.url.is_none() {
                    "/".clone_into(&mut cookie.path);
                }
                Ok(cookie)
            })
            .collect()
    }
}

/// Reads cookies that may be written in any way. Each has a name and a place.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(text: &str) {
    let given = Cookies {
        action: Action::Set,
        name: None,
        domain: Some("a.example".to_owned()),
        cookies: Some(text.to_owned()),
    };
    let Ok(cookies) = given.given() else { return };
    assert!(!cookies.is_empty());
    assert!(cookies.iter().all(|cookie| !cookie.domain.is_empty() || cookie.url.is_some()), "{cookies:?}");
}

/// Other tools name some things otherwise.
fn as_ours(mut entry: Value) -> Value {
    let Some(object) = entry.as_object_mut() else { return entry };
    if let Some(expires) = object.remove("expirationDate") {
        object.entry("expires").or_insert(expires);
    }
    let same_site = object.remove("sameSite").and_then(|value| value.as_str().map(str::to_ascii_lowercase));
    let same_site = match same_site.as_deref() {
        Some("strict") => Some("Strict"),
        Some("lax") => Some("Lax"),
        Some("none" | "no_restriction") => Some("None"),
        _ => None,
    };
    if let Some(same_site) = same_site {
        object.insert("sameSite".to_owned(), same_site.into());
    }
    object.retain(|_, value| !value.is_null());
    entry
}

/// `a=1; b=2`, with or without the name of the header.
fn from_header(text: &str, domain: Option<&str>) -> Result<Vec<StoredCookie>> {
    let domain = domain.ok_or_else(needs_domain)?;
    let bare =
        text.get(..7).filter(|begin| begin.eq_ignore_ascii_case("cookie:")).map_or(text, |_| &text[7..]);
    let cookie = |pair: &str| {
        let (name, value) = pair.trim().split_once('=')?;
        Some(StoredCookie {
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
            domain: domain.to_owned(),
            path: "/".to_owned(),
            expires: -1.0,
            same_site: Some(SameSite::Lax),
            ..StoredCookie::default()
        })
    };
    Ok(bare.split(';').filter_map(cookie).collect())
}

/// The header of a command, as browsers copy it, and the host that it asks.
fn from_curl(command: &str) -> Option<(String, Option<String>)> {
    let words = words(command);
    let host = words.iter().find_map(|word| Url::parse(word).ok()?.host_str().map(str::to_owned));
    let mut pairs = words.windows(2);
    let header = pairs.find_map(|pair| match (pair[0].as_str(), &pair[1]) {
        ("-b" | "--cookie", cookies) => Some(cookies.clone()),
        ("-H" | "--header", header) => {
            let (name, value) = header.split_once(':')?;
            name.eq_ignore_ascii_case("cookie").then(|| value.trim().to_owned())
        }
        _ => None,
    })?;
    Some((header, host))
}

/// The words of a command as a shell reads them: quotes, and line ends behind a backslash.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (_, Some(end)) if letter == end => quote = None,
            ('\\', None | Some('"')) => match letters.next() {
                Some('\n') | None => {}
                Some(next) => word.get_or_insert_default().push(next),
            },
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, None) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

fn needs_domain() -> Error {
    wrong("`domain` is needed to say whose cookies they are")
}

fn wrong(problem: &str) -> Error {
    Error::InvalidArguments { problems: vec![problem.to_owned()] }
}

// Which storage of a page.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Kind {
    #[default]
    Local,
    Session,
    Databases,
    Clipboard,
}

/// List, set, delete or clear what the page's site keeps in local or session storage; list its databases; list or set the clipboard.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Storage {
    pub action: Action,
    #[serde(default)]
    pub kind: Kind,
    pub key: Option<String>,
    pub value: Option<String>,
}

const SCRIPT: &str = r#"async (kind, action, key, value) => {
  if (kind === "databases") {
    const known = await indexedDB.databases();
    return known.map(({ name, version }) => ({ name, version }));
  }
  const storage = kind === "local" ? localStorage : sessionStorage;
  if (action === "set") storage.setItem(key, value);
  else if (action === "delete") storage.removeItem(key);
  else if (action === "clear") storage.clear();
  else return Object.fromEntries(Object.keys(storage).filter((name) => key === null || name === key).map((name) => [name, storage.getItem(name)]));
  return storage.length;
}"#;

impl Tool for Storage {
    const NAME: &'static str = "browser_storage";
    const TITLE: &'static str = "Local and session storage";
    const EFFECT: Effect = Effect::Acts;
    const CAPABILITY: Capability = Capability::Storage;
    const FILE: Option<&'static str> = Some("json");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        if self.kind == Kind::Clipboard && self.action == Action::List && self.key.is_none() {
            reply.quote(&clipboard(call, None).await?);
            return Ok(());
        }
        let action = match (self.action, self.kind, &self.key, &self.value) {
            (Action::List, Kind::Local | Kind::Session | Kind::Databases, ..) => "list",
            (_, Kind::Databases, ..) => return Err(wrong("databases can only be listed")),
            (Action::Set, Kind::Clipboard, None, Some(_)) => "set",
            (_, Kind::Clipboard, ..) => {
                return Err(wrong("the clipboard can be listed, or set with `value` alone"));
            }
            (Action::Set, _, Some(_), Some(_)) => "set",
            (Action::Set, ..) => return Err(wrong("`key` and `value` are needed to set")),
            (Action::Delete, _, Some(_), _) => "delete",
            (Action::Delete, ..) => return Err(wrong("`key` is needed to delete")),
            (Action::Clear, ..) => "clear",
        };
        if self.kind == Kind::Clipboard {
            clipboard(call, self.value.as_deref()).await?;
            reply.say("Done");
            return Ok(());
        }
        let page = call.open_page().await?;
        let kind: &'static str = self.kind.into();
        let given = json!([kind, action, self.key, self.value]);
        let arguments = given.as_array().into_iter().flatten().map(value_argument).collect();
        let running = page.main_frame().evaluate(SCRIPT, arguments, Scope::Isolated);
        let told = page.unless_stuck(None, running).await?;
        reply.say(match self.action {
            Action::List => page_text::json(&told),
            _ => format!("Done; {told} entries are kept"),
        });
        Ok(())
    }
}

/// The text of the browser's clipboard; this one from now on, if one is given. It is pasted and copied in a page of its own:
/// keys need no permission, and no site hears of it.
async fn clipboard(call: &Call<'_>, text: Option<&str>) -> Result<String> {
    const FIELD: &str = "(text) => { const field = document.createElement('textarea'); document.body.append(field); \
                         field.value = text ?? ''; field.focus(); field.select(); }";
    const VALUE: &str = "() => document.querySelector('textarea').value";
    let page = call.scratch.new_tab().await?;
    let through_field = async {
        let frame = page.main_frame();
        frame.evaluate(FIELD, vec![value_argument(&text)], Scope::Isolated).await?;
        let keys = if text.is_some() { "ControlOrMeta+c" } else { "ControlOrMeta+v" };
        page.keyboard().press(keys).await?;
        frame.evaluate(VALUE, Vec::new(), Scope::Isolated).await
    };
    let held = through_field.await;
    let _ = page.close().await;
    Ok(held?.as_str().unwrap_or_default().to_owned())
}

/// Say what pages of the context may do without asking, what headers they send, and how they log in by HTTP. What is left out stays.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Access {
    /// Such as geolocation; instead of those before.
    pub permissions: Option<Vec<String>>,
    /// Sent with each request, instead of those before.
    pub headers: Option<BTreeMap<String, String>>,
    pub username: Option<String>,
    pub password: Option<String>,
    /// Where name and password are told; everywhere when left out.
    pub origin: Option<String>,
}

impl Tool for Access {
    const NAME: &'static str = "browser_access";
    const TITLE: &'static str = "Permissions, headers, HTTP login";
    const EFFECT: Effect = Effect::Sets;
    const CAPABILITY: Capability = Capability::Storage;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let context = call.page().await?.context().clone();
        let mut done = Vec::new();
        let headers = self.headers.unwrap_or_default();
        if let Some((name, _)) = headers.iter().find(|(name, value)| !is_header(name, value)) {
            return Err(wrong(&format!("{name:?} is no header that can be sent")));
        }
        if self.username.is_some() != self.password.is_some() {
            return Err(wrong("`username` and `password` go together"));
        }
        if let Some(permissions) = &self.permissions {
            context.clear_permissions().await?;
            context.grant_permissions(permissions, None).await?;
            done.push(format!("{} permissions", permissions.len()));
        }
        if !headers.is_empty() {
            done.push(format!("{} headers", headers.len()));
            context.set_extra_headers(headers).await?;
        }
        if let (Some(username), Some(password)) = (self.username, self.password) {
            let credentials = HttpCredentials { username, password, origin: self.origin, unasked: false };
            // Who answers for the context must hear it first.
            call.workspace.rules(&context);
            context.set_http_credentials(vec![credentials]).await?;
            done.push("a name and a password".to_owned());
        }
        if done.is_empty() {
            return Err(wrong("Give `permissions`, `headers`, or `username` and `password`"));
        }
        reply.say(format!("The context has {} now", done.join(", ")));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(cookies: &[StoredCookie]) -> Vec<(&str, &str, &str)> {
        cookies.iter().map(|one| (one.name.as_str(), one.value.as_str(), one.domain.as_str())).collect()
    }

    #[test]
    fn cookies_are_read_as_people_have_them() {
        let of = |text: &str, domain: Option<&str>| {
            let cookies = Some(text.to_owned());
            Cookies { action: Action::Set, name: None, domain: domain.map(str::to_owned), cookies }.given()
        };
        let two = [("a", "1", "a.example"), ("b", "x=y", "a.example")];
        assert_eq!(names(&of("a=1; b=x=y", Some("a.example")).unwrap()), two);
        assert_eq!(names(&of("Cookie: a=1; b=x=y", Some("a.example")).unwrap()), two);
        let curl = "curl 'https://a.example/x' \\\n  -H 'accept: */*' \\\n  -b 'a=1; b=x=y' --compressed";
        assert_eq!(names(&of(curl, None).unwrap()), two);
        let curl = r#"curl "https://a.example/x" -H "cookie: a=1; b=x=y""#;
        assert_eq!(names(&of(curl, None).unwrap()), two);
        let exported = r#"[{"name": "a", "value": "1", "domain": "a.example", "expirationDate": 1999999999.5,
            "sameSite": "no_restriction", "hostOnly": true, "storeId": null, "secure": true}]"#;
        let read = of(exported, None).unwrap();
        assert_eq!(
            (read[0].expires, read[0].same_site, read[0].secure),
            (1_999_999_999.5, Some(SameSite::None), true)
        );
        assert_eq!(
            names(&of(r#"{"cookies": [{"name": "a", "value": "1"}]}"#, Some("b.example")).unwrap()),
            [("a", "1", "b.example")]
        );
        for text in
            ["a=1", "[{\"name\": \"a\", \"value\": \"1\"}]", "[1]", "{", "curl https://a.example", "nothing"]
        {
            assert!(of(text, None).is_err(), "{text}");
        }
    }
}
