//! The stored data of a context: cookies, local storage, `IndexedDB`. Saved in Playwright's file format.
use std::collections::BTreeSet;
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::browser::injected::as_function;
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::hooks::Hooks;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::{ScriptWorld, value_argument};
use crate::browser::options::storage_state::{
    OpfsEntry, SameSite, StorageState, StorageStateOptions, StoredCookie, StoredOrigin, WebStorageItem,
    origin_of, session_only,
};
use crate::browser::scripts::helper::Helper;
use crate::cdp::types::storage::{ClearCookies, CookieParameter, GetCookies, PartitionKey, SetCookies};
use crate::error::{Error, Result};
use crate::json::decode;

const SCRIPT: &str = include_str!("storage/script.js");
const WEB: &str = include_str!("storage/web.js");

/// A kind of web storage: `localStorage` or `sessionStorage`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum WebStorage {
    Local,
    Session,
}

/// The time limit for reading or writing the storage of one origin.
const ORIGIN_LIMIT: Duration = Duration::from_secs(10);
/// How long an open page may take to return its storage. After that, a helper page reads it.
const PAGE_LIMIT: Duration = Duration::from_secs(2);

/// The hooks that restore the initial storage state in new contexts.
pub(in crate::browser) struct StorageHooks;

impl Hooks for StorageHooks {
    fn on_context<'a>(&'a self, context: &'a BrowserContext) -> BoxFuture<'a, Result<()>> {
        let state = context.options().storage_state;
        async move {
            match state {
                Some(state) => context.add_storage_state(&state).await,
                None => Ok(()),
            }
        }
        .boxed()
    }
}

impl BrowserContext {
    /// The cookies of this context.
    pub async fn cookies(&self) -> Result<Vec<StoredCookie>> {
        let browser = self.browser()?;
        let get = GetCookies { browser_context_id: self.id().map(str::to_owned) };
        let cookies = browser.root_session().call(get).await?.cookies;
        Ok(cookies
            .into_iter()
            .map(|cookie| StoredCookie {
                expires: if cookie.session { session_only() } else { cookie.expires },
                same_site: Some(match cookie.same_site.as_deref() {
                    Some("Strict") => SameSite::Strict,
                    Some("None") => SameSite::None,
                    _ => SameSite::Lax,
                }),
                has_cross_site_ancestor: cookie.partition_key.as_ref().map(|key| key.has_cross_site_ancestor),
                partition_key: cookie.partition_key.map(|key| key.top_level_site),
                name: cookie.name,
                value: cookie.value,
                domain: cookie.domain,
                path: cookie.path,
                url: None,
                http_only: cookie.http_only,
                secure: cookie.secure,
            })
            .collect())
    }

    /// Adds cookies to this context. If the browser rejects a cookie, the error names it.
    pub async fn add_cookies(&self, cookies: &[StoredCookie]) -> Result<()> {
        if cookies.is_empty() {
            return Ok(());
        }
        let root = self.browser()?.root_session().clone();
        let id = self.id().map(str::to_owned);
        let parameters: Vec<_> = cookies.iter().map(parameter).collect();
        let all = SetCookies { cookies: parameters.clone(), browser_context_id: id.clone() };
        let refused = match root.call(all).await {
            Err(refused @ Error::Protocol { .. }) => refused,
            other => return other.map(drop),
        };
        // The browser does not report which cookie it rejects, so each cookie is tried alone.
        for (cookie, parameter) in cookies.iter().zip(parameters) {
            let one = SetCookies { cookies: vec![parameter], browser_context_id: id.clone() };
            if root.call(one).await.is_err() {
                let name = cookie.name.chars().filter(|c| !c.is_control()).take(60).collect::<String>();
                let problems = vec![format!("the browser refuses the cookie {name:?}")];
                return Err(Error::InvalidArguments { problems });
            }
        }
        Err(refused)
    }

    /// Deletes these cookies. The context's other cookies are not affected at any time.
    pub async fn remove_cookies(&self, cookies: &[StoredCookie]) -> Result<()> {
        // Setting a cookie with an expiry in the past deletes it.
        let ended = |cookie: &StoredCookie| StoredCookie { expires: 1.0, ..cookie.clone() };
        self.add_cookies(&cookies.iter().map(ended).collect::<Vec<_>>()).await
    }

    /// Deletes all cookies of this context.
    pub async fn clear_cookies(&self) -> Result<()> {
        let clear = ClearCookies { browser_context_id: self.id().map(str::to_owned) };
        self.browser()?.root_session().call(clear).await.map(drop)
    }

    /// Returns cookies and local storage of all visited origins, with the data in `also`. Excludes passkeys.
    pub async fn storage_state(&self, also: StorageStateOptions) -> Result<StorageState> {
        let mut state = StorageState { cookies: self.cookies().await?, ..StorageState::default() };
        let mut missing: BTreeSet<String> = self.origins();
        let has_kinds = also.databases || also.private_files;
        let asks_pages = !has_kinds || self.browser()?.protocol().recognises_main_world_types();
        for page in self.pages().into_iter().filter(|_| asks_pages) {
            // If a page is busy or its session has ended, a helper page reads its origin below.
            if let Some(origin) = origin_of(&page.url())
                && missing.contains(&origin)
                && let Ok(Ok(read)) = timeout(PAGE_LIMIT, read_page(&page, also)).await
            {
                missing.remove(&origin);
                state.origins.push(StoredOrigin { origin, ..read });
            }
        }
        if !missing.is_empty() {
            let helper = Helper::open(self).await?;
            for origin in missing {
                let read = helper.run(&origin, "read", &json!(also)).await?;
                let read: StoredOrigin = parse_origin(&read)?;
                state.origins.push(StoredOrigin { origin, ..read });
            }
        }
        state.origins.retain(|origin| {
            let (databases, files) = (&origin.indexed_db, &origin.private_files);
            !origin.local_storage.is_empty() || !databases.is_empty() || !files.is_empty()
        });
        state.origins.sort_by(|a, b| a.origin.cmp(&b.origin));
        Ok(state)
    }

    /// Replaces all cookies, storage and passkeys of this context.
    pub async fn set_storage_state(&self, state: &StorageState) -> Result<()> {
        self.clear_cookies().await?;
        let origins = self.origins();
        if !origins.is_empty() {
            let helper = Helper::open(self).await?;
            for origin in origins {
                helper.run(&origin, "clear", &Value::Null).await?;
            }
        }
        self.add_storage_state(state).await
    }

    /// Adds cookies, storage and passkeys to this context, without sending requests to the origins.
    pub async fn add_storage_state(&self, state: &StorageState) -> Result<()> {
        self.add_cookies(&state.cookies).await?;
        self.replace_passkeys(&state.credentials).await?;
        if state.origins.is_empty() {
            return Ok(());
        }
        let helper = Helper::open(self).await?;
        for stored in &state.origins {
            let Some(origin) = origin_of(&stored.origin) else { continue };
            let argument = serde_json::to_value(stored).unwrap_or_default();
            helper.run(&origin, "write", &argument).await?;
            self.note_origin(&origin);
        }
        Ok(())
    }
}

impl Frame {
    /// Returns the stored items of the document's origin: all, or only the item called `name`.
    pub async fn storage_items(
        &self,
        storage: WebStorage,
        name: Option<&str>,
    ) -> Result<Vec<WebStorageItem>> {
        let read = self.in_storage(storage, "list", name, None).await?;
        serde_json::from_value(read)
            .map_err(|error| Error::Unreadable { method: "localStorage", reason: error.to_string() })
    }

    /// Stores a value under a name. Returns the number of items in the storage.
    pub async fn set_storage_item(&self, storage: WebStorage, name: &str, value: &str) -> Result<u64> {
        self.in_storage(storage, "set", Some(name), Some(value))
            .await
            .map(|count| count.as_u64().unwrap_or(0))
    }

    /// Removes the item called `name`, or all items for `None`. Returns the number of remaining items.
    pub async fn remove_storage_items(&self, storage: WebStorage, name: Option<&str>) -> Result<u64> {
        let action = if name.is_some() { "delete" } else { "clear" };
        self.in_storage(storage, action, name, None).await.map(|count| count.as_u64().unwrap_or(0))
    }

    /// Returns the `IndexedDB` databases of the document's origin: an array of `{ name, version }`.
    pub async fn databases(&self) -> Result<Value> {
        let arguments = vec![value_argument(&"databases")];
        self.evaluate(WEB, arguments, ScriptWorld::Isolated).await
    }

    async fn in_storage(
        &self,
        storage: WebStorage,
        action: &str,
        name: Option<&str>,
        value: Option<&str>,
    ) -> Result<Value> {
        let kind: &'static str = storage.into();
        let arguments = vec![
            value_argument(&kind),
            value_argument(&action),
            value_argument(&name),
            value_argument(&value),
        ];
        self.evaluate(WEB, arguments, ScriptWorld::Isolated).await
    }
}

async fn read_page(page: &Page, also: StorageStateOptions) -> Result<StoredOrigin> {
    let arguments = vec![value_argument(&"read"), value_argument(&also)];
    let read = page.main_frame().evaluate(SCRIPT, arguments, ScriptWorld::Isolated).await?;
    parse_origin(&read)
}

fn parse_origin(read: &Value) -> Result<StoredOrigin> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Read {
        local_storage: Vec<WebStorageItem>,
        #[serde(default, rename = "indexedDB")]
        indexed_db: Vec<Value>,
        #[serde(default, rename = "opfs")]
        private_files: Vec<OpfsEntry>,
    }
    let read: Read = decode(read.as_str().unwrap_or_default().as_bytes())
        .map_err(|error| Error::Unreadable { method: "localStorage", reason: error.to_string() })?;
    Ok(StoredOrigin {
        origin: String::new(),
        local_storage: read.local_storage,
        indexed_db: read.indexed_db,
        private_files: read.private_files,
    })
}

fn parameter(cookie: &StoredCookie) -> CookieParameter {
    CookieParameter {
        name: cookie.name.clone(),
        value: cookie.value.clone(),
        url: cookie.url.clone(),
        domain: Some(cookie.domain.clone()).filter(|domain| !domain.is_empty()),
        path: Some(cookie.path.clone()).filter(|path| !path.is_empty()),
        secure: Some(cookie.secure),
        http_only: Some(cookie.http_only),
        same_site: cookie.same_site.map(|same_site| <&str>::from(same_site).to_owned()),
        expires: Some(cookie.expires).filter(|expires| *expires >= 0.0),
        partition_key: cookie.partition_key.clone().map(|top_level_site| PartitionKey {
            top_level_site,
            has_cross_site_ancestor: cookie.has_cross_site_ancestor.unwrap_or(false),
        }),
    }
}

impl Helper {
    async fn run(&self, origin: &str, task: &str, argument: &Value) -> Result<Value> {
        let work = async {
            self.go(&format!("{origin}/")).await?;
            self.evaluate(format!("({})({}, {argument})", as_function(SCRIPT), Value::from(task))).await
        };
        let slow = || Error::WaitRanOut { what: "the storage of a site".to_owned(), waited: ORIGIN_LIMIT };
        timeout(ORIGIN_LIMIT, work).await.unwrap_or_else(|_| Err(slow()))
    }
}
