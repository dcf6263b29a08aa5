//! What sites keep: cookies, local and session storage; and what they are allowed and told.
mod cookies;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::request::is_header;
use crate::Result;
use crate::browser::{HttpCredentials, Scope, value_argument};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Capability, Effect, Tool};

pub use cookies::Cookies;
#[cfg(any(test, fuzzing))]
pub(crate) use cookies::fuzz;

// What to do with what is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    List,
    Set,
    Delete,
    Clear,
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
        let mut named = self.headers.iter().flatten();
        if let Some((name, _)) = named.find(|(name, value)| !is_header(name, value)) {
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
        if let Some(headers) = self.headers {
            done.push(match headers.len() {
                0 => "no added headers".to_owned(),
                1 => "1 header".to_owned(),
                count => format!("{count} headers"),
            });
            context.set_extra_headers(headers).await?;
        }
        if let (Some(username), Some(password)) = (self.username, self.password) {
            let credentials =
                HttpCredentials { username, password, origin: self.origin, ..HttpCredentials::default() };
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
