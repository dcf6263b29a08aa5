//! A tool call: the environment in which a tool runs, and functions to act on pages and wait.
mod consent;
mod person;
mod tabs;
mod to_file;

use std::collections::{HashMap, HashSet};
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::OwnedMutexGuard;
use tokio::time::timeout;
use url::Url;

use crate::Result;
use crate::browser::{
    ActionOptions, ActionTarget, EffectWatcher, HANG_TIMEOUT, MovedElement, Page, PressFailure, SettleEnd,
    SettleOptions,
};
use crate::error::Error;
use crate::live::LiveView;
use crate::mcp::address;
use crate::mcp::client::Client;
use crate::mcp::files::Destination;
use crate::mcp::kept::SessionMemory;
use crate::mcp::page_text;
use crate::mcp::program::UrlGate;
use crate::mcp::progress::Progress;
use crate::mcp::reply::Reply;
use crate::mcp::script::{ActionBaseline, RecordedCall, ReferencedElement};
use crate::mcp::settings::{Settings, Timeouts};
use crate::mcp::tool::{AnyTool, Capability, Registry, StallPolicy, ToolEffect, UnknownTool};
use crate::secrets::Secrets;
use crate::session::pacing::Pacing;
use crate::session::registry::Session;
use crate::session::{Engine, LoadedPageLimit, Roots, TabId, Turns, Workspace};
use crate::snapshot::NodeKey;

pub(in crate::mcp) use tabs::opened_note;
pub(in crate::mcp) use to_file::ToFile;

/// How long a call waits for other calls on the same page to finish.
const LONGEST_QUEUE: Duration = Duration::from_secs(60);

/// How long a call waits for a person who controls the page to release it.
const LONGEST_HOLD: Duration = Duration::from_secs(10);

/// The environment of one tool call: client, workspace, settings, and notes for the answer.
#[derive(Debug)]
pub struct Call<'a> {
    pub client: &'a Client,
    pub services: &'a Services,
    /// The session in which the call runs; `None` if the call names no session.
    pub session: Option<&'a Session>,
    /// The workspace of the session, or the client's workspace without one.
    pub workspace: &'a Workspace,
    pub settings: &'a Settings,
    pub progress: &'a Progress,
    /// The state that is kept between the calls of a session or client.
    pub kept: &'a SessionMemory,
    pub report: AnswerNotes,
    place: CallTarget,
}

/// The services that all calls of the process share.
#[derive(Debug)]
pub struct Services {
    pub registry: Registry,
    pub engine: Engine,
    pub pacing: Pacing,
    /// The live view, which hands pages over to people; `None` if it is off.
    pub live: Option<LiveView>,
    pub(super) turns: Arc<Turns>,
    pub(super) live_pages: LoadedPageLimit,
}

impl Services {
    /// The secrets that clients can type by name but never see.
    pub fn secrets(&self) -> &Secrets {
        &self.engine.options().secrets
    }
}

/// Events and other facts that are collected for the answer while a tool runs.
#[derive(Debug, Default)]
pub struct AnswerNotes {
    /// Events for the answer.
    pub(super) events: Mutex<Vec<String>>,
    /// Texts that the page announced through live regions.
    pub(super) said: Mutex<Vec<String>>,
    /// Elements that have moved during the call.
    pub(super) moved: Mutex<Vec<MovedElement>>,
    /// Dragged elements, by frame number and element number; newest last.
    pub held: Mutex<Vec<NodeKey>>,
    /// The elements that came into view, and that the answer shows.
    pub in_view: Mutex<HashSet<NodeKey>>,
    /// The elements that the call refers to, by ref or selector as passed. Used for the recorded script.
    pub(super) found: Mutex<HashMap<String, ReferencedElement>>,
    /// The name of the file to which the answer is written; empty if there is none.
    file: Mutex<String>,
}

/// The tab and page that a call works on.
#[derive(Debug, Default)]
struct CallTarget {
    /// The tab that the call names; `None` for the current tab.
    tab: Mutex<Option<TabId>>,
    /// The page to which this call has exclusive access, and the guard of that access.
    turn: Mutex<Option<(Page, OwnedMutexGuard<()>)>>,
    /// The first page that this call used, and the number for the next page of its context at that time.
    begun: OnceLock<(Page, u32)>,
    /// Whether the page already showed a dialog when the call got exclusive access.
    found_open_dialog: AtomicBool,
}

impl<'a> Call<'a> {
    pub(super) fn new(
        client: &'a Client,
        services: &'a Services,
        session: Option<&'a Session>,
        kept: &'a SessionMemory,
        progress: &'a Progress,
    ) -> Self {
        Self {
            client,
            services,
            session,
            workspace: session.map_or(&client.workspace, |session| &session.workspace),
            settings: &client.settings,
            progress,
            kept,
            report: AnswerNotes::default(),
            place: CallTarget::default(),
        }
    }
}

impl Call<'_> {
    /// Waits while a person controls the page, unless this call is the one that asked for the person.
    pub(super) async fn wait_for_release(&self, tool: &AnyTool) -> Result<()> {
        let works_on_page = !tool.family.opens_own_page || self.session.is_some();
        let page = self.current_page().ok().filter(|_| works_on_page && tool.waits_for_person);
        let held = page.and_then(|page| self.services.live.as_ref()?.controlling_handover(&page));
        let Some(held) = held else { return Ok(()) };
        self.progress.set_message("waiting for the user, who works on the page");
        timeout(LONGEST_HOLD, held.wait_for_release()).await.map_err(|_| Error::PersonHasControl)
    }

    /// Returns the folders whose files the caller may use.
    pub async fn roots(&self) -> Roots {
        self.client.roots.get(&self.progress.questions).await
    }

    /// Returns the destination of a file: `chosen` is a name in `folder`, or a path below an allowed folder.
    /// Default: a name with a time stamp.
    pub async fn destination(&self, chosen: Option<&str>, folder: &Path) -> Result<Destination> {
        let roots = match Destination::is_path(chosen) {
            true => Some(self.roots().await),
            false => None,
        };
        Destination::parse(chosen, folder, roots)
    }

    /// Parses and checks a URL that the call is to open. For `file:`, returns the URL of the real path.
    ///
    /// # Errors `url_refused` for an invalid URL, or one that the settings forbid.
    pub fn parse_url(&self, text: &str) -> Result<Url> {
        let url = address::read_under(self.settings, text)?;
        self.progress.note_page(&url);
        Ok(url)
    }

    /// Records the URL of the call's page for the audit log, unless the tool opens its own page.
    pub(super) fn note_page(&self, tool: &AnyTool) {
        if tool.family.opens_own_page && self.session.is_none() {
            return;
        }
        let url = match self.workspace.webkit_session() {
            Some(webkit) => webkit.url(),
            None => self.current_page().ok().map(|page| page.attempted_url()),
        };
        if let Some(url) = url.and_then(|url| Url::parse(&url).ok()) {
            self.progress.note_page(&url);
        }
    }

    /// Returns the enabled tool with this name, if the client may use it.
    pub fn tool(&self, name: &str) -> Result<&'static AnyTool, UnknownTool> {
        self.services.registry.find_permitted(&self.client.grant, name)
    }

    /// Runs another tool as a part of this call.
    pub async fn run(
        &self,
        tool: &AnyTool,
        mut arguments: Map<String, Value>,
        reply: &mut Reply,
    ) -> Result<()> {
        self.place.found_open_dialog.store(false, Ordering::Relaxed);
        let file = ToFile::take(self, tool, &mut arguments).await?;
        let asked = self.records_script().then(|| arguments.clone());
        let before = asked.as_ref().and_then(|_| self.current_page().ok()).map(ActionBaseline::new);
        let tab = before.as_ref().and_then(|before| self.tab_index(before.page())).unwrap_or_default();
        let only_reads = tool.effect == ToolEffect::Reads;
        self.hide_ended_downloads(tool);
        // A tool that asks for a person does not act itself.
        let acts = !only_reads && tool.waits_for_person;
        let _acting = acts.then(|| self.kept.activity.begin());
        let asked_before = self.current_page().is_ok_and(|page| page.dialog_in_other_tab().is_some());
        let opened_dialog = match self.unless_hung(tool, tool.run(arguments, self, reply)).await {
            // A dialog that the call itself opened is a result to report, not a failure.
            Err(Error::DialogOpen { .. }) if !self.place.found_open_dialog.load(Ordering::Relaxed) => true,
            Err(Error::DialogElsewhere { .. }) if !asked_before => true,
            outcome => outcome.map(|()| false)?,
        };
        // A read or wait that a dialog interrupted did not finish, so it is not recorded.
        let is_done = !opened_dialog || !only_reads;
        if let Some(asked) = asked.filter(|_| is_done) {
            let found = std::mem::take(&mut *self.report.found.lock());
            let dialog_was_open = before.as_ref().is_some_and(|before| before.dialog_was_open);
            let opens_tab = before.as_ref().is_some_and(ActionBaseline::opens_tab);
            let sequel = before.and_then(ActionBaseline::into_effect);
            let tabs = self.workspace.tabs().len();
            let step = RecordedCall { asked: &asked, found: &found, dialog_was_open, tab, tabs, opens_tab };
            self.kept.script.lock().add_call(tool.name, tool.effect, &step, sequel);
        }
        match file {
            Some(file) if !opened_dialog => file.write(reply, self.services.secrets()).await,
            _ => Ok(()),
        }
    }

    /// Hides downloads that ended before this call from later waits, unless the tool only reads.
    pub fn hide_ended_downloads(&self, tool: &AnyTool) {
        if tool.effect != ToolEffect::Reads {
            self.kept.seen.lock().exclude_ended_downloads();
        }
    }

    /// Returns the index of a page's tab; `None` if it is not open.
    pub fn tab_index(&self, page: &Page) -> Option<usize> {
        self.workspace.tabs().iter().position(|tab| tab.page == *page)
    }

    /// Runs a tool's future. Fails if the page stops responding, depending on the tool's stall policy.
    pub(super) async fn unless_hung(
        &self,
        tool: &AnyTool,
        work: impl Future<Output = Result<()>>,
    ) -> Result<()> {
        let work = unless_it_panics(work);
        let limit = match tool.stall_policy {
            StallPolicy::GiveUpSoon => Some(HANG_TIMEOUT),
            StallPolicy::GiveUpIfSilent => None,
            StallPolicy::KeepWaiting => return work.await,
        };
        match self.current_page() {
            Ok(page) => page.unless_hung(limit, work).await,
            Err(_) => work.await,
        }
    }

    /// Returns the archived body of a fetch or XHR response by request number; `None` if it is not archived.
    pub fn archived_response_body(&self, page: &Page, number: u64) -> Option<Vec<u8>> {
        if !self.services.registry.enables(Capability::Network) {
            return None;
        }
        self.workspace.response_archive(page.context()).body_of(page, number)
    }

    /// Whether this capability is enabled.
    pub(in crate::mcp) fn enables(&self, capability: Capability) -> bool {
        self.services.registry.enables(capability)
    }

    /// Whether actions are recorded, so that they can be exported as a test.
    pub fn records_script(&self) -> bool {
        self.services.registry.enables(Capability::Testing)
    }

    /// Returns the active page for a navigation, after dismissing its dialog. Opens a page if there is none.
    pub async fn acquire_page_for_navigation(&self) -> Result<Page> {
        let page = match self.current_or_new_page().await {
            // A page that was unloaded from memory is not loaded just to navigate away from it.
            Ok(page) => self.take_turn(page).await,
            failed => failed,
        };
        match page {
            Err(Error::DialogOpen { .. }) => {
                self.place.found_open_dialog.store(false, Ordering::Relaxed);
                let page = self.current_page()?;
                if let Some(dialog) = page.dialog() {
                    let dialog = page_text::dialog_summary(&dialog.kind, &dialog.message);
                    self.add_event(format!("The {dialog} was dismissed, to leave the page."));
                }
                Ok(page)
            }
            page => page,
        }
    }

    /// Returns the active page, reserved for this call until it ends. Opens a page if there is none.
    pub async fn acquire_or_open_page(&self) -> Result<Page> {
        let page = self.current_or_new_page().await?;
        self.take_turn_in_memory(page).await
    }

    async fn current_or_new_page(&self) -> Result<Page> {
        if self.workspace.engine().running_browser().is_none() {
            self.progress.set_message("starting the browser");
        }
        match self.named_tab() {
            Some(_) => self.current_page(),
            None => self.workspace.get_or_open_page().await,
        }
    }

    /// Returns the active page, reserved for this call until it ends.
    ///
    /// # Errors `no_page` if no page is open, `dialog_open` if the page shows a dialog.
    pub async fn acquire_page(&self) -> Result<Page> {
        if self.workspace.engine().is_remote() {
            // A remote browser may have pages before the first call.
            self.workspace.get_or_create_active_context().await?;
        }
        self.take_turn_in_memory(self.current_page()?).await
    }

    /// Loads a page again that was unloaded from memory.
    pub async fn reload_if_discarded(&self, page: &Page) -> Result<()> {
        let turn =
            timeout(LONGEST_QUEUE, self.services.turns.take(page.id())).await.map_err(|_| Error::PageBusy)?;
        self.load_discarded(page).await;
        drop(turn);
        Ok(())
    }

    async fn take_turn_in_memory(&self, page: Page) -> Result<Page> {
        let page = self.take_turn(page).await?;
        self.load_discarded(&page).await;
        Ok(page)
    }

    async fn load_discarded(&self, page: &Page) {
        self.services.live_pages.record_use(page);
        if !page.is_discarded() {
            return;
        }
        self.progress.set_message("loading the page anew, which was out of memory");
        self.add_event(match page.load_discarded(self.settings.timeouts.navigation).await {
            Ok(()) => "The page was out of memory (--max-live-pages) and was loaded anew.".to_owned(),
            Err(error) => {
                format!("The page was out of memory (--max-live-pages), and loading it anew failed: {error}.")
            }
        });
    }

    /// Returns the check that programs pass before they open a URL: the same as for tools.
    pub fn url_gate(&self) -> UrlGate {
        UrlGate::new(self.settings.clone(), self.services.pacing.clone(), self.workspace.clone())
    }

    /// Adds an event to the answer.
    pub fn add_event(&self, event: impl Into<String>) {
        self.report.events.lock().push(event.into());
    }

    /// Returns the default options of actions: the configured time limit, and early failure.
    pub fn action_options(&self) -> ActionOptions {
        ActionOptions::within(self.settings.timeouts.action).fail_early()
    }

    /// Like [`action_options`](Self::action_options), but also records the action on the element `named` (ref
    /// or selector) for the exported script.
    pub fn action_options_for(&self, named: &str) -> ActionOptions {
        let noted = self.report.found.lock().get(named).map(|named| named.moves.clone());
        ActionOptions { noted, ..self.action_options() }
    }

    /// Performs `action` on the page, and waits for its effects; a dialog is an effect, too. Returns the
    /// reason if a press did not become a click.
    pub async fn act_and_settle(
        &self,
        page: &Page,
        acts_on: ActionTarget<'_>,
        action: impl Future<Output = Result<()>>,
    ) -> Result<Option<PressFailure>> {
        let watch = page.watch_effects(acts_on).await;
        let acting = async {
            let outcome = action.await;
            self.progress.set_message("waiting for what the action caused");
            let lost = self.settle(page, watch).await;
            outcome.map(|()| lost)
        };
        match page.unless_blocked_by_dialog_in_other_tab(acting).await {
            Err(Error::DialogOpen { .. } | Error::DialogElsewhere { .. }) => Ok(None),
            outcome => outcome,
        }
    }

    /// Waits for the effects that `watch` observes, and collects what to report. Returns the reason if a
    /// press did not become a click.
    pub async fn settle(&self, page: &Page, watch: EffectWatcher) -> Option<PressFailure> {
        let Timeouts { settle: window, navigation: navigation_limit, .. } = self.settings.timeouts;
        let settled = watch.settle(&SettleOptions { window, navigation_limit }).await;
        self.report.said.lock().extend(settled.said);
        self.report.moved.lock().extend(settled.moved);
        match settled.ending {
            SettleEnd::Gone if page.is_closed() => self.add_event(self.closing_note()),
            SettleEnd::Unfinished => self.add_event(still_loading(&settled.still)),
            _ if !settled.still.is_empty() => self.add_event(still_loading(&settled.still)),
            _ => {}
        }
        self.note_reached(&settled.reached);
        settled.lost
    }

    fn has_turn(&self, page: &Page) -> bool {
        self.place.turn.lock().as_ref().is_some_and(|(held, _)| held == page)
    }

    async fn take_turn(&self, mut page: Page) -> Result<Page> {
        while !self.has_turn(&page) {
            self.place.turn.lock().take();
            let turn = timeout(LONGEST_QUEUE, self.services.turns.take(page.id()))
                .await
                .map_err(|_| Error::PageBusy)?;
            // The call that used the page before may have closed it or switched to another tab.
            let active = self.current_page()?;
            if active == page {
                *self.place.turn.lock() = Some((page.clone(), turn));
                self.place.begun.get_or_init(|| (page.clone(), page.context().next_page_number()));
            }
            page = active;
        }
        if self.named_tab().is_some() {
            self.workspace.keep_rendering(&page);
        }
        if self.services.registry.enables(Capability::Network) {
            // Archiving starts with the first call: earlier response bodies cannot be recovered.
            self.workspace.response_archive(page.context());
        }
        if let Some(dialog) = page.dialog() {
            self.place.found_open_dialog.store(true, Ordering::Relaxed);
            return Err(Error::DialogOpen { kind: dialog.kind, message: dialog.message });
        }
        Ok(page)
    }
}

/// Returns a sentence that lists what the page is still loading.
pub(in crate::mcp) fn still_loading(still: &[String]) -> String {
    match still.is_empty() {
        true => "The page is still loading.".to_owned(),
        false => format!("The page is still loading: {}.", still.join(", ")),
    }
}

/// Converts a panic in a tool to an error, so that a bug ends only this call.
async fn unless_it_panics(tool: impl Future<Output = Result<()>>) -> Result<()> {
    let mut tool = pin!(tool);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| tool.as_mut().poll(context)));
        polled.unwrap_or(Poll::Ready(Err(Error::Broken)))
    })
    .await
}
