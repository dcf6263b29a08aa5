//! Tools for browser contexts, which are isolated from each other.
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::Result;
use crate::browser::proxy::Proxy;
use crate::browser::{StorageState, StorageStateOptions};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect};
use crate::session::ContentKind;

/// The maximum size of a storage state file, in bytes.
const LARGEST_STATE: u64 = 64 << 20;

/// Create a context with its own cookies and storage, and make it active.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CreateContext {
    #[schemars(length(min = 1, max = 64))]
    pub name: Option<String>,
    pub proxy: Option<ProxyArgument>,
    /// Path of a file from `browser_context_save_storage` or Playwright.
    #[schemars(length(min = 1))]
    pub storage_state: Option<String>,
}

/// The context's proxy.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ProxyArgument {
    /// `http://host:port`, `https://` or `socks5://`.
    #[schemars(length(min = 1))]
    pub server: String,
    pub username: Option<String>,
    pub password: Option<String>,
    /// Hosts to reach directly, separated by commas.
    pub bypass: Option<String>,
}

impl Tool for CreateContext {
    const NAME: &'static str = "browser_context_create";
    const TITLE: &'static str = "Create a context";
    const EFFECT: ToolEffect = ToolEffect::Adds;
    const OPEN_WORLD: bool = false;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        if let Some(name) = &self.name {
            check_name(name)?;
        }
        let mut options = call.workspace.default_options().clone();
        if let Some(proxy) = self.proxy {
            let proxy = Proxy::new(&proxy.server, proxy.username, proxy.password, proxy.bypass)?;
            options.proxy = Some(proxy.from_client());
        }
        if let Some(path) = &self.storage_state {
            let text = call.roots().await.read(path, LARGEST_STATE)?;
            let state =
                StorageState::parse(&text).map_err(|reason| Error::File { path: path.clone(), reason })?;
            options.storage_state = Some(Arc::new(state));
        }
        call.progress.set_message("making a context");
        let with_proxy = options.proxy.as_ref().map(|proxy| format!(" with proxy '{}'", proxy.server()));
        let name = call.workspace.create_context(self.name, options).await?;
        reply.say(format!(
            "Created browser context '{name}' and set as active{}",
            with_proxy.unwrap_or_default()
        ));
        Ok(())
    }
}

/// Checks the name of a context, which is used in refs (`name:e1`) and messages.
fn check_name(name: &str) -> Result<()> {
    if name.trim() == name && !name.contains(':') && !name.chars().any(char::is_control) {
        return Ok(());
    }
    let problem = "`name` must not contain colons or control characters, nor begin or end with a space";
    Err(Error::InvalidArguments { problems: vec![problem.to_owned()] })
}

/// Make another context active: browser_ tools then use its pages.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SwitchContext {
    pub name: String,
}

impl Tool for SwitchContext {
    const NAME: &'static str = "browser_context_switch";
    const TITLE: &'static str = "Switch to a context";
    const EFFECT: ToolEffect = ToolEffect::Sets;
    const OPEN_WORLD: bool = false;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let before = call.workspace.switch_context(&self.name)?;
        reply.say(format!("Switched from context '{before}' to '{}'", self.name));
        Ok(())
    }
}

/// List the contexts.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct ListContexts {}

impl Tool for ListContexts {
    const NAME: &'static str = "browser_context_list";
    const TITLE: &'static str = "List the contexts";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const OPEN_WORLD: bool = false;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let entries = call.workspace.contexts();
        let active = entries.iter().find(|entry| entry.is_active).map(|entry| entry.name.clone());
        let contexts: Vec<_> = entries
            .iter()
            .map(|entry| {
                let current = entry.tabs.iter().find(|tab| tab.is_active);
                let proxy = entry.options.proxy.as_ref();
                json!({
                    "name": entry.name,
                    "isActive": entry.is_active,
                    "pageCount": entry.tabs.len(),
                    "currentUrl": current.map(|tab| tab.page.attempted_url()),
                    "proxy": proxy.map(|proxy| json!({
                        "server": proxy.server(),
                        "hasAuth": proxy.has_credentials(),
                    })),
                })
            })
            .collect();
        let total = contexts.len();
        let mut list = json!({"contexts": contexts, "activeContext": active, "totalCount": total});
        reply.say(page_text::json(&list));
        list["untrusted"] = json!(["contexts[].currentUrl"]);
        reply.set_structured(list);
        Ok(())
    }
}

/// Close a context and its pages. If it was active, "default" becomes active.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct CloseContext {
    pub name: String,
}

impl Tool for CloseContext {
    const NAME: &'static str = "browser_context_close";
    const TITLE: &'static str = "Close a context";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const OPEN_WORLD: bool = false;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let was_active =
            call.workspace.contexts().iter().any(|entry| entry.is_active && entry.name == self.name);
        call.workspace.close_context(&self.name).await?;
        let next = call.workspace.contexts().into_iter().find(|entry| entry.is_active);
        let switched =
            next.filter(|_| was_active).map(|next| format!(". Switched to context '{}'", next.name));
        reply.say(format!("Closed browser context '{}'{}", self.name, switched.unwrap_or_default()));
        Ok(())
    }
}

/// Save a context's cookies and local storage to a file for `browser_context_create`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SaveStorage {
    /// JSON file to write. It contains logins.
    #[schemars(length(min = 1))]
    pub path: String,
    /// Default: the active context.
    pub name: Option<String>,
    /// Also save `IndexedDB`.
    #[serde(default, rename = "indexedDB")]
    pub indexed_db: bool,
    /// Also save OPFS files.
    #[serde(default)]
    pub opfs: bool,
}

impl Tool for SaveStorage {
    const NAME: &'static str = "browser_context_save_storage";
    const TITLE: &'static str = "Save cookies and storage";
    const EFFECT: ToolEffect = ToolEffect::Sets;
    const OPEN_WORLD: bool = false;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let place = call.roots().await.write_target(&self.path)?;
        let path = place.path().to_owned();
        let (name, context) = call.workspace.get_or_create_context(self.name.as_deref()).await?;
        call.progress.set_message("collecting cookies and storage");
        let also = StorageStateOptions { databases: self.indexed_db, private_files: self.opfs };
        let state = context.storage_state(also).await?;
        let (cookies, origins) = (state.cookies.len(), state.origins.len());
        let secrets = call.services.secrets().clone();
        let write = tokio::task::spawn_blocking(move || {
            place.write(state.to_json()?.into_bytes(), ContentKind::StorageState, &secrets)
        })
        .await;
        write.map_err(|_| Error::Broken)??;
        let message =
            format!("Storage state of context '{name}' saved: {cookies} cookies, {origins} origins");
        let json = json!({"saved": true, "context": name, "path": path, "message": message});
        reply.say(page_text::json(&json));
        reply.set_structured(json);
        Ok(())
    }
}
