//! The page of a WebKit session: navigation, scripts, cookies, screenshots and dialogs.
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::client::{Client, Command, USUAL, element, handle_of};
use super::downloads::DownloadEntry;
use super::launch::Processes;
use super::look::pauses;
use super::nodes::{Element, Nodes};
use crate::browser::injected;
use crate::error::{Error, Result, human, squeezed};
use crate::snapshot::Tree;

/// How much longer than the driver's own time limit to wait for its reply.
const GRACE: Duration = Duration::from_secs(5);
/// How long to wait for a download to appear or complete.
const LONGEST_ARRIVAL: Duration = Duration::from_secs(2);

/// The page of a WebKit session.
#[derive(Debug)]
pub struct WebkitPage {
    client: Client,
    processes: Arc<Processes>,
    /// WebDriver's handle of the page's window.
    window: String,
    /// The requested viewport size in CSS pixels.
    viewport: (i64, i64),
    /// The driver's current time limit for page loads and scripts; `None` if it was not set yet.
    limit: Mutex<Option<Duration>>,
    /// The number of the frame to which commands are sent; 0 for the main frame.
    at: AtomicU32,
    pub(super) nodes: Mutex<Nodes>,
    /// The time and point of the last click.
    pub(super) pressed: Mutex<Option<(Instant, [i64; 2])>>,
    /// The last snapshot.
    shown: SnapshotSlot,
}

/// The last snapshot of a page, shared with its session.
pub(super) type SnapshotSlot = Arc<Mutex<Option<Arc<Tree>>>>;

/// The state of the page after a navigation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageInfo {
    pub url: String,
    pub title: String,
    /// Whether the URL started a download, so that the page stayed.
    pub is_file: bool,
}

impl WebkitPage {
    pub(super) async fn open(
        processes: Arc<Processes>,
        client: Client,
        viewport: (u32, u32),
        shown: SnapshotSlot,
    ) -> Result<Self> {
        let window = client.get(Command::new("Get Window Handle", "/window")).await?;
        let window = window.as_str().unwrap_or_default().to_owned();
        let tab = Self {
            client,
            processes,
            window,
            viewport: (viewport.0.into(), viewport.1.into()),
            limit: Mutex::default(),
            at: AtomicU32::new(0),
            nodes: Mutex::default(),
            pressed: Mutex::default(),
            shown,
        };
        tab.resize(tab.viewport).await?;
        Ok(tab)
    }

    pub(super) fn has_ended(&self) -> bool {
        self.processes.have_ended()
    }

    /// Returns the last snapshot of the page.
    pub fn last_snapshot(&self) -> Option<Arc<Tree>> {
        self.shown.lock().clone()
    }

    pub fn set_last_snapshot(&self, tree: Arc<Tree>) {
        *self.shown.lock() = Some(tree);
    }

    /// Returns the WebKit version that the driver reports.
    pub fn version(&self) -> &str {
        self.processes.version()
    }

    /// Returns downloads that started or ended since the last call. Waits for one that has just started.
    pub async fn downloads(&self) -> Vec<DownloadEntry> {
        let deadline = Instant::now() + LONGEST_ARRIVAL;
        let downloads = self.processes.downloads();
        for pause in pauses().take_while(|_| downloads.has_begun() && Instant::now() < deadline) {
            sleep(pause).await;
        }
        let updates = downloads.updates();
        if !updates.is_empty() {
            // WebKit displays a download bar, which makes the page smaller.
            let _ = self.resize(self.viewport).await;
        }
        updates
    }

    /// Waits up to 2 s for a download, and returns whether there is one.
    async fn is_sent_a_file(&self) -> bool {
        let deadline = Instant::now() + LONGEST_ARRIVAL;
        let downloads = self.processes.downloads();
        for pause in pauses().take_while(|_| !downloads.has_updates() && Instant::now() < deadline) {
            sleep(pause).await;
        }
        downloads.has_updates()
    }

    // Commands.

    pub(super) async fn get(&self, name: &'static str, path: &str) -> Result<Value> {
        self.kept(self.client.get(Command::new(name, path)).await).await
    }

    pub(super) async fn post(&self, name: &'static str, path: &str, body: Value) -> Result<Value> {
        self.kept(self.client.post(Command::new(name, path), body).await).await
    }

    pub(super) async fn delete(&self, name: &'static str, path: &str) -> Result<Value> {
        self.kept(self.client.delete(Command::new(name, path)).await).await
    }

    /// Ends the driver if it did not reply: it would not reply to later commands either.
    async fn kept(&self, answer: Result<Value>) -> Result<Value> {
        let Err(Error::NoAnswer { method, waited }) = answer else {
            let answer = self.unless_gone(answer).await;
            // A driver that has lost its browser or page is ended as well.
            if let Err(Error::BrowserGone { .. } | Error::PageClosed) = answer {
                self.processes.end().await;
            }
            return answer;
        };
        self.processes.end().await;
        let waited = human(waited);
        Err(Error::BrowserGone {
            reason: format!(
                "WebKit gave no answer to {method} within {waited} and was ended; a script that runs without end, or a site that \
                 asks for a name and a password by HTTP, keeps it from answering"
            ),
        })
    }

    /// Replaces an unspecific error by a browser-gone error if the browser has ended.
    async fn unless_gone(&self, answer: Result<Value>) -> Result<Value> {
        if let Err(Error::Protocol { message, .. }) = &answer
            && message.starts_with("unknown error")
            && let Err(gone @ Error::BrowserGone { .. }) =
                self.client.get(Command::new("Get Window Handle", "/window")).await
        {
            return Err(gone);
        }
        answer
    }

    /// Sets the driver's time limit for page loads and scripts.
    async fn within(&self, limit: Duration) -> Result<()> {
        if *self.limit.lock() == Some(limit) {
            return Ok(());
        }
        let ms = u64::try_from(limit.as_millis()).unwrap_or(u64::MAX).max(1);
        self.post("Set Timeouts", "/timeouts", json!({ "script": ms, "pageLoad": ms })).await?;
        *self.limit.lock() = Some(limit);
        Ok(())
    }

    /// Switches the driver to a frame, unless it is the current one.
    pub(super) async fn go_to(&self, frame: u32) -> Result<()> {
        if self.at.load(Ordering::Relaxed) == frame {
            return Ok(());
        }
        let switch = |id: Value| self.post("Switch To Frame", "/frame", json!({ "id": id }));
        let mut owners = Vec::new();
        let mut inner = frame;
        while let Some((parent, owner)) = self.nodes.lock().parent_of(inner) {
            owners.push(owner);
            inner = parent;
        }
        // A number that no frame has: if a switch fails, the current frame is unknown.
        self.at.store(u32::MAX, Ordering::Relaxed);
        switch(Value::Null).await?;
        for owner in owners.iter().rev() {
            switch(element(owner)).await.map_err(|error| match error {
                Error::StaleRef { .. } => Error::FrameDetached,
                other => other,
            })?;
        }
        self.at.store(frame, Ordering::Relaxed);
        Ok(())
    }

    /// Runs a function body in a frame and awaits a promise that it returns.
    pub(super) async fn script(
        &self,
        frame: u32,
        script: &str,
        arguments: Vec<Value>,
        limit: Duration,
    ) -> Result<Value> {
        self.go_to(frame).await?;
        self.within(limit).await?;
        // Twice the limit, since the driver first waits for the page to load.
        let command = Command { limit: 2 * limit + GRACE, ..Command::new("Execute Script", "/execute/sync") };
        let body = json!({ "script": script, "args": arguments });
        let answer = self.kept(self.client.post(command, body).await).await;
        answer.map_err(|error| match error {
            Error::NavigationSlow { .. } => Error::NavigationSlow { waited: limit },
            other => other,
        })
    }

    /// Calls an engine function in a frame. Leaves nothing in the page.
    pub(super) async fn ask(&self, frame: u32, function: &str, arguments: Vec<Value>) -> Result<Value> {
        self.script(frame, &injected::function_with_injected_script(function), arguments, USUAL).await
    }

    // Operations on the page.

    /// Resizes the window so that the viewport has this size in CSS pixels.
    async fn resize(&self, (width, height): (i64, i64)) -> Result<()> {
        const INNER: &str = "return [innerWidth, innerHeight]";
        let to = |width: i64, height: i64| {
            let rect = json!({ "x": 0, "y": 0, "width": width, "height": height });
            self.post("Set Window Rect", "/window/rect", rect)
        };
        to(width, height).await?;
        let inner = self.script(0, INNER, Vec::new(), USUAL).await?;
        let lacks = |at: usize, wanted: i64| wanted - inner[at].as_i64().unwrap_or(wanted);
        to(width + lacks(0, width), height + lacks(1, height)).await?;
        Ok(())
    }

    /// Navigates and waits for the load event.
    ///
    /// # Errors
    /// `navigation_failed` if the URL is unreachable, for which the driver reports success.
    pub async fn navigate(&self, url: &str, limit: Duration) -> Result<PageInfo> {
        const STANDS: &str =
            "return [document.URL, document.title, document.body?.innerText ?? '', document.documentElement]";
        let stands = || self.script(0, STANDS, Vec::new(), limit);
        let before = match stands().await {
            Ok(before) => handle_of(&before[3]).map(str::to_owned),
            // The current document may be about to unload, or blocked by a dialog.
            Err(Error::BrowserGone { reason }) => return Err(Error::BrowserGone { reason }),
            Err(_) => None,
        };
        self.go_to(0).await?;
        self.within(limit).await?;
        let begun = std::time::Instant::now();
        let command = Command { limit: limit + GRACE, ..Command::new("Navigate To", "/url") };
        let went = self.kept(self.client.post(command, json!({ "url": url })).await).await;
        went.map_err(|error| match error {
            Error::NavigationSlow { .. } => Error::NavigationSlow { waited: limit },
            other => other,
        })?;
        let now = stands().await?;
        let arrived = PageInfo {
            url: now[0].as_str().unwrap_or_default().to_owned(),
            title: now[1].as_str().unwrap_or_default().to_owned(),
            is_file: false,
        };
        if arrived.url == "about:blank" && !url.starts_with("about:") {
            if let Some(error) = self.processes.explain(begun) {
                return Err(error);
            }
            let text = squeezed(now[2].as_str().unwrap_or_default());
            if text.is_empty() && self.is_sent_a_file().await {
                return Ok(PageInfo { is_file: true, ..arrived });
            }
            let reason = if text.is_empty() { "WebKit cannot open this address".to_owned() } else { text };
            return Err(Error::NavigationFailed { reason });
        }
        let stays = before.is_some() && before.as_deref() == handle_of(&now[3]);
        if stays && without_fragment(&arrived.url) != without_fragment(url) {
            if self.is_sent_a_file().await {
                return Ok(PageInfo { is_file: true, ..arrived });
            }
            let reason = "the page stayed as it was: the address was answered without content";
            return Err(Error::NavigationFailed { reason: reason.to_owned() });
        }
        Ok(arrived)
    }

    /// Goes back in history, or returns an error if there is no earlier entry.
    pub async fn back(&self, limit: Duration) -> Result<()> {
        let before = self.history().await?;
        self.within(limit).await?;
        self.post("Back", "/back", json!({})).await?;
        if before == self.history().await? {
            return Err(Error::NoHistory { direction: "back" });
        }
        Ok(())
    }

    /// Returns a value that differs after each history step.
    async fn history(&self) -> Result<Value> {
        const HISTORY: &str = "return [document.URL, document.documentElement, history.state]";
        self.script(0, HISTORY, Vec::new(), USUAL).await
    }

    /// Returns the URL and the title of the current page.
    pub async fn url_and_title(&self) -> Result<PageInfo> {
        let now = self.script(0, "return [document.URL, document.title]", Vec::new(), USUAL).await?;
        let text = |at: usize| now[at].as_str().unwrap_or_default().to_owned();
        Ok(PageInfo { url: text(0), title: text(1), is_file: false })
    }

    /// Runs JavaScript from the user: an expression, or a function that receives the element.
    pub async fn evaluate(&self, code: &str, on: Option<&Element>, limit: Duration) -> Result<Value> {
        let code = code.trim().trim_end_matches(';');
        let script = format!(
            "const given = (\n{code}\n);\nreturn typeof given === 'function' ? given(...arguments) : given;"
        );
        let frame = on.map_or(0, |on| on.frame);
        let arguments = on.iter().map(|on| element(&on.handle)).collect();
        let answer = self.script(frame, &script, arguments, limit).await;
        answer.map_err(|error| on.map_or(error.clone(), |on| on.named(error)))
    }

    /// Takes a PNG screenshot of the viewport or of an element.
    pub async fn screenshot(&self, of: Option<&Element>) -> Result<Vec<u8>> {
        self.go_to(of.map_or(0, |of| of.frame)).await?;
        let path = of.map_or("/screenshot".to_owned(), |of| format!("/element/{}/screenshot", of.handle));
        let taken = self.get("Take Screenshot", &path).await;
        let taken = taken.map_err(|error| of.map_or(error.clone(), |of| of.named(error)))?;
        let unreadable = |reason: String| Error::Unreadable { method: "Take Screenshot", reason };
        let text = taken.as_str().ok_or_else(|| unreadable("there is none".to_owned()))?;
        BASE64_STANDARD.decode(text).map_err(|error| unreadable(error.to_string()))
    }

    /// Takes a PNG screenshot of the full page, by enlarging the window.
    pub async fn full_page_screenshot(&self) -> Result<Vec<u8>> {
        // WebKit draws black beyond this size in pixels.
        const LONGEST: i64 = 16_384;
        const SIZES: &str = "const { scrollWidth, scrollHeight } = document.documentElement;\nreturn [innerWidth, innerHeight, \
                             scrollWidth, scrollHeight, scrollX, scrollY];";
        // A resized page is drawn in the next animation frame.
        const DRAWN: &str =
            "return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done())))";
        let sizes = self.script(0, SIZES, Vec::new(), USUAL).await?;
        let size = |at: usize| sizes[at].as_i64().unwrap_or_default();
        let whole = (size(0).max(size(2)), size(1).max(size(3)));
        if whole.0 > LONGEST || whole.1 > LONGEST {
            return Err(Error::NotInWebkit {
                what: "a picture of so large a page".to_owned(),
                reason: "it draws nothing beyond 16384 pixels; take one of an element",
            });
        }
        self.resize(whole).await?;
        let drawn = self.script(0, DRAWN, Vec::new(), USUAL).await;
        let taken = match drawn {
            Ok(_) => self.screenshot(None).await,
            Err(error) => Err(error),
        };
        self.resize((size(0), size(1))).await?;
        let back = format!("scrollTo({{ left: {}, top: {}, behavior: 'instant' }})", size(4), size(5));
        self.script(0, &back, Vec::new(), USUAL).await?;
        taken
    }

    /// Returns the cookies that apply to the page's URL.
    pub async fn cookies(&self) -> Result<Vec<Value>> {
        self.go_to(0).await?;
        let cookies = self.get("Get All Cookies", "/cookie").await?;
        Ok(cookies.as_array().cloned().unwrap_or_default())
    }

    pub async fn add_cookie(&self, cookie: Value) -> Result<()> {
        self.go_to(0).await?;
        self.post("Add Cookie", "/cookie", json!({ "cookie": cookie })).await.map(drop)
    }

    pub async fn delete_cookie(&self, name: &str) -> Result<()> {
        self.go_to(0).await?;
        let name: String = url::form_urlencoded::byte_serialize(name.as_bytes()).collect();
        self.delete("Delete Cookie", &format!("/cookie/{}", name.replace('+', "%20"))).await.map(drop)
    }

    /// Returns the message of the open dialog; `None` if no dialog is open.
    pub async fn dialog(&self) -> Result<Option<String>> {
        match self.get("Get Alert Text", "/alert/text").await {
            Ok(text) => Ok(Some(text.as_str().unwrap_or_default().to_owned())),
            Err(Error::NoDialog) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Accepts or dismisses the open dialog. `text` answers a prompt.
    pub async fn answer_dialog(&self, accept: bool, text: Option<&str>) -> Result<()> {
        if let Some(text) = text {
            self.post("Send Alert Text", "/alert/text", json!({ "text": text })).await?;
        }
        let path = if accept { "/alert/accept" } else { "/alert/dismiss" };
        self.post("Answer Alert", path, json!({})).await.map(drop)
    }

    /// Closes all popups. Returns their URLs.
    pub async fn close_popups(&self) -> Result<Vec<String>> {
        let all = self.get("Get Window Handles", "/window/handles").await?;
        let others = all.as_array().into_iter().flatten().filter_map(Value::as_str);
        let others: Vec<_> = others.filter(|handle| *handle != self.window).map(str::to_owned).collect();
        let mut opened = Vec::new();
        let switch = |handle: String| self.post("Switch To Window", "/window", json!({ "handle": handle }));
        for other in &others {
            switch(other.clone()).await?;
            if let Ok(url) = self.get("Get Current URL", "/url").await {
                opened.push(url.as_str().unwrap_or_default().to_owned());
            }
            self.delete("Close Window", "/window").await?;
        }
        if !others.is_empty() {
            switch(self.window.clone()).await?;
            self.at.store(0, Ordering::Relaxed);
        }
        Ok(opened)
    }
}

fn without_fragment(url: &str) -> &str {
    url.split_once('#').map_or(url, |(address, _)| address)
}
