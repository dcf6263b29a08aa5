//! Tools for cookies, storage, permissions and headers.
mod cookies;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Map;

use super::request::is_header;
use crate::Result;
use crate::browser::{HttpCredentials, ScriptWorld, WebStorage, value_argument};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Capability, Tool, ToolEffect};

pub use cookies::Cookies;
#[cfg(any(test, fuzzing))]
pub(crate) use cookies::fuzz;

// The action on cookies or storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StorageAction {
    List,
    Set,
    Delete,
    Clear,
}

fn wrong(problem: &str) -> Error {
    Error::InvalidArguments { problems: vec![problem.to_owned()] }
}

// The kind of storage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StorageKind {
    #[default]
    Local,
    Session,
    Databases,
    Clipboard,
}

/// List, set, delete or clear the site's local or session storage; list its databases; read or set the clipboard.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Storage {
    pub action: StorageAction,
    #[serde(default)]
    pub kind: StorageKind,
    pub key: Option<String>,
    pub value: Option<String>,
}

impl Tool for Storage {
    const NAME: &'static str = "browser_storage";
    const TITLE: &'static str = "Local and session storage";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const CAPABILITY: Capability = Capability::Storage;
    const FILE: Option<&'static str> = Some("json");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let storage = match self.kind {
            StorageKind::Local => Some(WebStorage::Local),
            StorageKind::Session => Some(WebStorage::Session),
            StorageKind::Databases => None,
            StorageKind::Clipboard => return self.use_clipboard(call, reply).await,
        };
        let asked = match (self.action, storage, self.key.as_deref(), self.value.as_deref()) {
            (StorageAction::List, None, ..) => StorageOperation::Databases,
            (_, None, ..) => return Err(wrong("databases can only be listed")),
            (StorageAction::List, Some(storage), key, _) => StorageOperation::List(storage, key),
            (StorageAction::Set, Some(storage), Some(key), Some(value)) => {
                StorageOperation::Set(storage, key, value)
            }
            (StorageAction::Set, ..) => return Err(wrong("`key` and `value` are needed to set")),
            (StorageAction::Delete, Some(storage), Some(key), _) => {
                StorageOperation::Forget(storage, Some(key))
            }
            (StorageAction::Delete, ..) => return Err(wrong("`key` is needed to delete")),
            (StorageAction::Clear, Some(storage), ..) => StorageOperation::Forget(storage, None),
        };
        let page = call.acquire_page().await?;
        let frame = page.main_frame();
        let work = async {
            let kept = match asked {
                StorageOperation::Databases => return Ok(page_text::json(&frame.databases().await?)),
                StorageOperation::List(storage, key) => {
                    let kept = frame.storage_items(storage, key).await?.into_iter();
                    let kept: Map<_, _> = kept.map(|item| (item.name, item.value.into())).collect();
                    return Ok(page_text::json(&kept));
                }
                StorageOperation::Set(storage, key, value) => {
                    frame.set_storage_item(storage, key, value).await?
                }
                StorageOperation::Forget(storage, key) => frame.remove_storage_items(storage, key).await?,
            };
            Ok(format!("Done; {kept} entries are kept"))
        };
        reply.say(page.unless_hung(None, work).await?);
        Ok(())
    }
}

/// A validated action on a page's storage.
enum StorageOperation<'a> {
    Databases,
    List(WebStorage, Option<&'a str>),
    Set(WebStorage, &'a str, &'a str),
    Forget(WebStorage, Option<&'a str>),
}

impl Storage {
    async fn use_clipboard(&self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        match (self.action, &self.key, &self.value) {
            (StorageAction::List, None, _) => reply.say_page_text(&clipboard(call, None).await?),
            (StorageAction::Set, None, Some(text)) => {
                clipboard(call, Some(text)).await?;
                reply.say("Done");
            }
            _ => return Err(wrong("the clipboard can be listed, or set with `value` alone")),
        }
        Ok(())
    }
}

/// Returns the text of the clipboard. If `text` is given, copies it to the clipboard first. Uses copy and
/// paste keys in a separate page, which needs no permission and is invisible to sites.
async fn clipboard(call: &Call<'_>, text: Option<&str>) -> Result<String> {
    const FIELD: &str = "(text) => { const field = document.createElement('textarea'); document.body.append(field); \
                         field.value = text ?? ''; field.focus(); field.select(); }";
    const VALUE: &str = "() => document.querySelector('textarea').value";
    let page = call.client.scratch.new_tab().await?;
    let through_field = async {
        let frame = page.main_frame();
        frame.evaluate(FIELD, vec![value_argument(&text)], ScriptWorld::Isolated).await?;
        let keys = if text.is_some() { "ControlOrMeta+c" } else { "ControlOrMeta+v" };
        page.keyboard().press(keys).await?;
        frame.evaluate(VALUE, Vec::new(), ScriptWorld::Isolated).await
    };
    let held = through_field.await;
    let _ = page.close().await;
    Ok(held?.as_str().unwrap_or_default().to_owned())
}

/// Set the context's permissions, extra headers and HTTP credentials. Omitted settings stay unchanged.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Access {
    /// For example geolocation. Replaces earlier permissions.
    pub permissions: Option<Vec<String>>,
    /// Sent with each request. Replaces all earlier ones.
    pub headers: Option<BTreeMap<String, String>>,
    pub username: Option<String>,
    pub password: Option<String>,
    /// Origin for the credentials. Default: all.
    pub origin: Option<String>,
}

impl Tool for Access {
    const NAME: &'static str = "browser_access";
    const TITLE: &'static str = "Permissions, headers, HTTP login";
    const EFFECT: ToolEffect = ToolEffect::Sets;
    const CAPABILITY: Capability = Capability::Storage;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let context = call.acquire_or_open_page().await?.context().clone();
        let mut done = Vec::new();
        let mut named = self.headers.iter().flatten();
        if let Some((name, _)) = named.find(|(name, value)| !is_header(name, value)) {
            return Err(wrong(&format!("{name:?} is not a valid header")));
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
            // `set_http_credentials` needs a subscriber to network events, which `rules` adds.
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
