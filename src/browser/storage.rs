//! What a context keeps for the sites it has been to: cookies, local storage, databases. As files, they are Playwright's.
use std::collections::BTreeSet;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use tokio::time::timeout;
use url::Url;

use super::context::BrowserContext;
use super::page::Page;
use super::passkey::Passkey;
use super::value::json_number;
use super::world::{Scope, value_argument};
use crate::cdp::CdpSession;
use crate::cdp::Event as _;
use crate::cdp::types::network::{
    Enable as NetworkEnable, FetchEnable, FulfillRequest, HeaderEntry, RequestPattern, RequestPaused,
    SetBypassServiceWorker,
};
use crate::cdp::types::page::Navigate;
use crate::cdp::types::runtime::{Evaluate, RunIfWaitingForDebugger};
use crate::cdp::types::storage::{ClearCookies, CookieParameter, GetCookies, PartitionKey, SetCookies};
use crate::cdp::types::target::{CloseTarget, CreateTarget};
use crate::error::{Error, Result};

const SCRIPT: &str = include_str!("storage/script.js");

/// How long one origin may take to be read or written.
const ORIGIN_LIMIT: Duration = Duration::from_secs(10);
/// How long a page that is open may take to tell its storage. One that is busy is asked for elsewhere.
const PAGE_LIMIT: Duration = Duration::from_secs(2);

/// Cookies and storage of a context, as Playwright writes them.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageState {
    #[serde(default)]
    pub cookies: Vec<StoredCookie>,
    #[serde(default)]
    pub origins: Vec<StoredOrigin>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<Passkey>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCookie {
    pub name: String,
    pub value: String,
    /// With a dot in front it is for all hosts below the domain.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub domain: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// Instead of domain and path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Seconds since 1970; -1 for the end of the session.
    #[serde(default = "session_only", serialize_with = "as_whole_number")]
    pub expires: f64,
    #[serde(default)]
    pub http_only: bool,
    #[serde(default)]
    pub secure: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_site: Option<SameSite>,
    /// The site in whose pages alone the cookie is seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<String>,
    #[serde(
        default,
        rename = "_crHasCrossSiteAncestor",
        alias = "hasCrossSiteAncestor",
        skip_serializing_if = "Option::is_none"
    )]
    pub has_cross_site_ancestor: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
pub enum SameSite {
    Strict,
    Lax,
    None,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredOrigin {
    pub origin: String,
    #[serde(default)]
    pub local_storage: Vec<StoredItem>,
    /// Databases, as `script.js` reads and writes them.
    #[serde(default, rename = "indexedDB", skip_serializing_if = "Vec::is_empty")]
    pub indexed_db: Vec<Value>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredItem {
    pub name: String,
    pub value: String,
}

fn session_only() -> f64 {
    -1.0
}

impl StorageState {
    /// Reads a file that we or Playwright wrote.
    ///
    /// # Errors
    /// `file`, which names the line that cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| file(path, &error.to_string()))?;
        Self::parse(&text).map_err(|reason| file(path, &reason))
    }

    /// Reads the text of such a file. The error says what is wrong, and on which line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let state: Self = serde_json::from_str(text).map_err(|error| {
            let told = error.to_string();
            let told = told.split(" at line ").next().unwrap_or_default();
            format!("line {}: {told}", error.line())
        })?;
        // A list of nothing would do as an object of nothing.
        if !text.trim_start().starts_with('{') {
            return Err("line 1: expected an object with cookies and origins".to_owned());
        }
        for origin in &state.origins {
            if origin_of(&origin.origin).is_none() {
                let line = text.lines().position(|line| line.contains(&origin.origin));
                return Err(format!(
                    "line {}: this origin is not one of http or https",
                    line.map_or(1, |line| line + 1)
                ));
            }
        }
        Ok(state)
    }

    /// The text of such a file.
    pub fn text(&self) -> Result<String> {
        let broken = |error: serde_json::Error| file(Path::new("the state"), &error.to_string());
        Ok(serde_json::to_string_pretty(self).map_err(broken)? + "\n")
    }

    /// Writes the file, for its owner alone. A file that was there is replaced at once or not at all.
    pub fn write(&self, path: &Path) -> Result<()> {
        let text = self.text()?;
        let written = || {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            // Made with mode 0600.
            let mut temporary = tempfile::NamedTempFile::new_in(folder.unwrap_or(Path::new(".")))?;
            temporary.write_all(text.as_bytes())?;
            temporary.persist(path).map(drop).map_err(|error| error.error)
        };
        written().map_err(|error| file(path, &error.to_string()))
    }
}

/// As scripts and other tools write it: -1, not -1.0.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn as_whole_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    json_number(*number).serialize(serializer)
}

impl BrowserContext {
    /// The cookies of this context.
    pub async fn cookies(&self) -> Result<Vec<StoredCookie>> {
        let browser = self.browser()?;
        let get = GetCookies { browser_context_id: self.id().map(str::to_owned) };
        let cookies = browser.root().call(get).await?.cookies;
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

    /// Adds cookies to this context. One that the browser refuses is named in the error.
    pub async fn add_cookies(&self, cookies: &[StoredCookie]) -> Result<()> {
        if cookies.is_empty() {
            return Ok(());
        }
        let root = self.browser()?.root().clone();
        let id = self.id().map(str::to_owned);
        let parameters: Vec<_> = cookies.iter().map(parameter).collect();
        let all = SetCookies { cookies: parameters.clone(), browser_context_id: id.clone() };
        let Err(refused @ Error::Protocol { .. }) = root.call(all).await else { return Ok(()) };
        // The browser does not say which.
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

    /// Forgets the cookies of this context.
    pub async fn clear_cookies(&self) -> Result<()> {
        let clear = ClearCookies { browser_context_id: self.id().map(str::to_owned) };
        self.browser()?.root().call(clear).await.map(drop)
    }

    /// Cookies and local storage of every origin this context has been to, with databases if wanted; without passkeys.
    pub async fn storage_state(&self, with_databases: bool) -> Result<StorageState> {
        let mut state = StorageState { cookies: self.cookies().await?, ..StorageState::default() };
        let mut missing: BTreeSet<String> = self.origins();
        for page in self.pages() {
            // A page whose session is gone, or that is busy, cannot be asked; its origin still can.
            if let Some(origin) = origin_of(&page.url())
                && missing.contains(&origin)
                && let Ok(Ok(read)) = timeout(PAGE_LIMIT, read_page(&page, with_databases)).await
            {
                missing.remove(&origin);
                state.origins.push(StoredOrigin { origin, ..read });
            }
        }
        if !missing.is_empty() {
            let helper = Helper::open(self).await?;
            for origin in missing {
                let read = helper.run(&origin, "read", &Value::Bool(with_databases)).await?;
                let read: StoredOrigin = parse_origin(&read)?;
                state.origins.push(StoredOrigin { origin, ..read });
            }
            helper.close();
        }
        state.origins.retain(|origin| !origin.local_storage.is_empty() || !origin.indexed_db.is_empty());
        state.origins.sort_by(|a, b| a.origin.cmp(&b.origin));
        Ok(state)
    }

    /// Forgets all cookies and storage of this context, and puts others in.
    pub async fn replace_storage(&self, state: &StorageState) -> Result<()> {
        self.clear_cookies().await?;
        let origins = self.origins();
        if !origins.is_empty() {
            let helper = Helper::open(self).await?;
            for origin in origins {
                helper.run(&origin, "clear", &Value::Null).await?;
            }
            helper.close();
        }
        self.restore_storage(state).await
    }

    /// Puts cookies and storage into this context, without a request to any of the origins.
    pub async fn restore_storage(&self, state: &StorageState) -> Result<()> {
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
        helper.close();
        Ok(())
    }
}

async fn read_page(page: &Page, with_databases: bool) -> Result<StoredOrigin> {
    let arguments = vec![value_argument(&"read"), value_argument(&with_databases)];
    let read = page.main_frame().evaluate(SCRIPT, arguments, Scope::Isolated).await?;
    parse_origin(&read)
}

fn parse_origin(read: &Value) -> Result<StoredOrigin> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Read {
        local_storage: Vec<StoredItem>,
        #[serde(default, rename = "indexedDB")]
        indexed_db: Vec<Value>,
    }
    let read: Read = serde_json::from_str(read.as_str().unwrap_or_default())
        .map_err(|error| Error::Unreadable { method: "localStorage", reason: error.to_string() })?;
    Ok(StoredOrigin { origin: String::new(), local_storage: read.local_storage, indexed_db: read.indexed_db })
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

/// `https://host:port`, if it is one that keeps storage.
pub(super) fn origin_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}

/// A page that nobody sees, in which every address is an empty document: so it can be at an origin without asking it
/// for anything.
struct Helper {
    context: BrowserContext,
    target: String,
    session: CdpSession,
}

impl Helper {
    async fn open(context: &BrowserContext) -> Result<Self> {
        let browser = context.browser()?;
        let (url, attached) = browser.expect_helper();
        let create = CreateTarget {
            url,
            browser_context_id: context.id().map(str::to_owned),
            background: Some(true),
            ..CreateTarget::default()
        };
        let target = browser.root().call(create).await?.target_id;
        let session = timeout(ORIGIN_LIMIT, attached).await.ok().and_then(Result::ok);
        let session = session.ok_or(Error::PageClosed)?;
        let mut paused = session.events(&[RequestPaused::METHOD]);
        let every = RequestPattern { url_pattern: Some("*".to_owned()), ..RequestPattern::default() };
        session.send(FetchEnable { patterns: Some(vec![every]), ..FetchEnable::default() }).ignore();
        session.send(NetworkEnable::default()).ignore();
        session.send(SetBypassServiceWorker { bypass: true }).ignore();
        session.send(RunIfWaitingForDebugger {}).ignore();
        let answering = session.clone();
        tokio::spawn(async move {
            while let Some(event) = paused.next().await {
                let Some(told) = event.read::<RequestPaused>() else { continue };
                let kind = HeaderEntry { name: "Content-Type".to_owned(), value: "text/html".to_owned() };
                let empty = FulfillRequest {
                    request_id: told.request_id,
                    response_code: 200,
                    response_headers: Some(vec![kind]),
                    ..FulfillRequest::default()
                };
                answering.send(empty).ignore();
            }
        });
        Ok(Self { context: context.clone(), target, session })
    }

    async fn run(&self, origin: &str, task: &str, argument: &Value) -> Result<Value> {
        let work = async {
            let url = format!("{origin}/");
            let navigated = self.session.call(Navigate { url, ..Navigate::default() }).await?;
            if let Some(reason) = navigated.error_text.filter(|reason| !reason.is_empty()) {
                return Err(Error::NavigationFailed { reason });
            }
            let expression = format!("({SCRIPT})({}, {argument})", Value::from(task));
            let run = Evaluate {
                expression,
                await_promise: Some(true),
                return_by_value: Some(true),
                ..Evaluate::default()
            };
            let done = super::world::outcome(self.session.call(run).await?)?;
            Ok(done.value.unwrap_or_default())
        };
        let slow = || Error::WaitRanOut { what: "the storage of a site".to_owned(), waited: ORIGIN_LIMIT };
        timeout(ORIGIN_LIMIT, work).await.unwrap_or_else(|_| Err(slow()))
    }

    /// Has the browser close it.
    fn close(self) {
        self.shut();
    }

    fn shut(&self) {
        if let Ok(browser) = self.context.browser() {
            browser.root().send(CloseTarget { target_id: self.target.clone() }).ignore();
        }
    }
}

impl Drop for Helper {
    fn drop(&mut self) {
        self.shut();
    }
}

fn file(path: &Path, reason: &str) -> Error {
    Error::File { path: path.display().to_string(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_names_the_line() {
        for (text, line) in [
            ("{\n  \"cookies\": [\n    {\"name\": 5}\n  ]\n}", "line 3"),
            ("{\n\"cookies\": [],\n", "line 3"),
            ("", "line 1"),
            ("[]\n", "line 1"),
            ("{\"origins\":[\n{\"origin\":\"file:///etc\"}]}", "line 2"),
            ("{\"cookies\":[\n{\"name\":\"a\",\"value\":\"b\",\"sameSite\":\"lax\"}]}", "line 2"),
        ] {
            let error = StorageState::parse(text).unwrap_err();
            assert!(error.starts_with(line), "{text:?} → {error}");
        }
    }
}
