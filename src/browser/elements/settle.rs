//! Waits for the effects of an action, but not for unrelated activity of the page.
//!
//! Effects are navigations, requests, DOM changes, new tabs and dialogs. The wait lasts until navigations
//! have loaded and requests have ended, and until no new effect occurs for a while after the action, so that
//! deferred handlers are included. If the page does not listen to the action, the wait lasts two frames;
//! after filling a field without listeners, it is skipped. Effects on other pages are waited for last.
use std::time::Duration;

use futures_util::future::join;
use serde::Deserialize;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;
use tokio::time::error::Elapsed;
use tokio::time::{Instant, timeout, timeout_at};
use tokio::try_join;

use super::building::in_words;
use super::element::ElementHandle;
use super::hearing::{Listeners, numbers};
use super::lost::{ElementSummary, PRESS_LIMIT, PressFailure, PressedElementFate};
use super::neighbours::{AffectedPage, OtherPagesWatch};
use crate::browser::objects::journal::{ActionEffects, JournalMark};
use crate::browser::objects::page::Page;
use crate::browser::objects::world::{RemoteHandle, UtilityWorld};
use crate::error::{Error, Result};

/// The target of an action, which determines the effects to wait for.
#[derive(Debug, Clone, Copy)]
pub enum ActionTarget<'a> {
    /// The page: anything may react.
    Page,
    /// A clicked element: as `Pressed`, but an element whose document goes without a click counts as not clicked.
    Clicked(&'a ElementHandle),
    /// A pressed element: its listeners and the browser's default action may react.
    Pressed(&'a ElementHandle),
    /// A hovered element: its pointer listeners may react, often after a moment.
    Pointed(&'a ElementHandle),
    /// The focused element receives text: suggestions may appear.
    Typed,
    /// The page receives files: it often reads the files before it sends them.
    Given,
    /// Filled fields: only their listeners may react.
    Filled(&'a [ElementHandle]),
}

/// How long to wait for the effects of an action.
#[derive(Debug, Clone, Copy)]
pub struct SettleOptions {
    /// The page counts as settled if it shows no effect for this time after the action. Default: 120 ms.
    pub window: Duration,
    /// How long a navigation may take. Default: 30 s.
    pub navigation_limit: Duration,
}

impl Default for SettleOptions {
    fn default() -> Self {
        Self { window: Duration::from_millis(120), navigation_limit: Duration::from_secs(30) }
    }
}

/// The effects of an action, and how the wait for them ended.
#[derive(Debug, Clone)]
pub struct SettleResult {
    /// Whether the main frame has a new document.
    pub navigated: bool,
    /// Tabs and popup windows that were opened.
    pub opened: Vec<Page>,
    pub ending: SettleEnd,
    /// Descriptions of activity still in progress, such as `2 requests`; empty if the page is idle.
    pub still: Vec<String>,
    /// Texts that the page announced, such as toasts and live regions, even if they are no longer visible.
    pub said: Vec<String>,
    /// Elements that have moved, without the descendants that moved with them.
    pub moved: Vec<MovedElement>,
    /// Why a press did not become a click; `None` if it did, or if nothing was pressed.
    pub lost: Option<PressFailure>,
    /// Other pages that were affected.
    pub reached: Vec<AffectedPage>,
}

/// An element that has moved.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct MovedElement {
    pub what: ElementSummary,
    /// The top left corner of the element's box, in the viewport of its frame.
    pub at: (i32, i32),
}

/// Why the wait has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SettleEnd {
    /// The page has settled: there were no more effects.
    Settled,
    /// A navigation or request was still in progress at the time limit.
    Unfinished,
    /// A dialog is open.
    Dialog,
    /// A file chooser is open.
    Chooser,
    /// The page has closed or crashed.
    Gone,
}

/// What the page has reported about a press after the action.
#[derive(Debug)]
enum PressReport {
    Awaited,
    /// Why the press was lost; `None` if it was not, or if the action is no press.
    Read(Option<PressFailure>),
}

/// Records the effects of an action. The recording begins before the action.
#[derive(Debug)]
pub struct EffectWatcher {
    page: Page,
    mark: JournalMark,
    pages: Vec<Page>,
    neighbours: Option<OtherPagesWatch>,
    /// The world that records DOM changes, and the number of the recording there.
    changes: Option<(UtilityWorld, u32)>,
    listened: JoinHandle<bool>,
    /// How long to wait for something that is likely to appear: suggestions, or a menu under the pointer.
    awaits: Option<Duration>,
    /// Whether every effective click on the element changes the document.
    changes_something: bool,
    said: Vec<String>,
    moved: Vec<MovedElement>,
    press: PressReport,
    /// Whether the element of `Clicked` has received a click.
    receipt: Option<JoinHandle<bool>>,
    /// Whether the recorded document is gone.
    is_left: bool,
    /// Whether the page must draw a frame before the action counts as done.
    shows: bool,
    /// How long the page may process its input, such as files, before it reacts.
    reads: Duration,
}

/// How long to wait for another effect after the last one, such as the page's reaction to a response.
const AFTERMATH: Duration = Duration::from_millis(50);
/// How long to wait for a page that is never idle.
const RESTLESS_LIMIT: Duration = Duration::from_secs(1);
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
/// How long to wait, after the latest effect of an action, for the page to read a response body.
const BODY_LIMIT: Duration = Duration::from_millis(400);
/// How long to wait while a part of the page is marked as busy, or says that it is loading.
const BUSY_LIMIT: Duration = Duration::from_secs(5);
/// How long a page that was busy must stay quiet before it counts as settled, measured by the page clock.
const AFTER_WORK: Duration = Duration::from_millis(250);
/// The minimum number of additions in one place that count as a streamed text.
const FEWEST_WORDS: u32 = 3;
/// The interval between checks of a page that is busy or loading.
const BUSY_PAUSE: Duration = Duration::from_millis(100);
/// How long to wait for suggestions.
const SUGGESTIONS_LIMIT: Duration = Duration::from_millis(550);
/// How long to wait for a timer that a click has started, if the click has no other effect.
const TIMERS_LIMIT: Duration = Duration::from_millis(550);
/// How long to wait for a menu or tooltip under the pointer.
const POINTED_LIMIT: Duration = Duration::from_millis(900);
/// How long a page may read files before it sends them.
const READING: Duration = Duration::from_millis(400);
/// The interval between checks for suggestions, a menu, or the effect of a timer.
const APPEARING_PAUSE: Duration = Duration::from_millis(50);
/// How long a new document may take to build its content with scripts.
pub(in crate::browser) const BUILDING_LIMIT: Duration = Duration::from_secs(5);
/// How long a requested popup may take to appear.
const WINDOW_LIMIT: Duration = Duration::from_millis(500);
/// How long new popups may take to load.
const OPENING_LIMIT: Duration = Duration::from_secs(2);
/// How long the page may take to answer a query. A page that takes longer is busy with the effects.
const ANSWER_LIMIT: Duration = Duration::from_millis(250);

impl Page {
    /// Starts to record effects; must be called before the action.
    pub async fn watch_effects(&self, acts_on: ActionTarget<'_>) -> EffectWatcher {
        self.acts();
        let mark = self.mark();
        let pages = self.context().pages();
        let elements = acts_on.elements();
        let begun = async {
            let world = match elements.first() {
                Some(element) => element.world().clone(),
                None => self.main_frame().utility_world().await?,
            };
            let nodes: Vec<_> = elements.iter().map(|element| element.handle().argument()).collect();
            // Queried before the action moves the focus.
            let hearers = async {
                match nodes.is_empty() {
                    true => Ok(None),
                    false => world.call_handle("hearers", nodes.clone()).await,
                }
            };
            let completes = async {
                match acts_on {
                    ActionTarget::Filled(_) if nodes.is_empty() => Ok(false),
                    ActionTarget::Filled(_) | ActionTarget::Typed => {
                        world.call_with("completes", nodes.clone()).await
                    }
                    _ => Ok(false),
                }
            };
            let watch = world.call_with("watch", nodes.clone());
            let watch_press = async {
                match acts_on.is_press() {
                    true => world.call_with::<bool>("watchPress", nodes.clone()).await,
                    false => Ok(false),
                }
            };
            let (number, hearers, completes, clicks) = try_join!(watch, hearers, completes, watch_press)?;
            let receipt = match acts_on {
                ActionTarget::Clicked(_) => {
                    let receipt = world.begin_call("clickReceipt", Vec::new()).await?;
                    Some(tokio::spawn(async move { receipt.await.unwrap_or(false) }))
                }
                _ => None,
            };
            Ok::<_, Error>(((world.clone(), number), (hearers, completes, clicks, receipt)))
        };
        let begun = async {
            match self.dialog() {
                // The press itself also waits for the page's answer.
                None => {
                    let limit = if acts_on.is_press() { PRESS_LIMIT } else { ANSWER_LIMIT };
                    timeout(limit, begun).await.ok().and_then(Result::ok)
                }
                Some(_) => None,
            }
        };
        let (begun, neighbours) = Box::pin(join(begun, self.watch_neighbours())).await;
        let (changes, asked) = begun.unzip();
        let (hearers, completes, changes_something, receipt) = asked.unwrap_or_default();
        let (target, by) = (elements.first().cloned(), By::of(acts_on));
        let listened = tokio::spawn(async move {
            match target.zip(hearers) {
                Some((target, hearers)) => is_listened_to(&target, &hearers, by).await.unwrap_or(true),
                None => true,
            }
        });
        let awaits = match by {
            By::Pointer => Some(POINTED_LIMIT),
            By::Press | By::Keys => completes.then_some(SUGGESTIONS_LIMIT),
        };
        let (said, moved, shows) = (Vec::new(), Vec::new(), by != By::Keys);
        let reads = if matches!(acts_on, ActionTarget::Given) { READING } else { Duration::ZERO };
        EffectWatcher {
            page: self.clone(),
            mark,
            pages,
            neighbours: Some(neighbours),
            changes,
            listened,
            awaits,
            changes_something,
            said,
            moved,
            press: if acts_on.is_press() { PressReport::Awaited } else { PressReport::Read(None) },
            receipt,
            is_left: false,
            shows,
            reads,
        }
    }
}

impl<'a> ActionTarget<'a> {
    fn is_press(self) -> bool {
        matches!(self, Self::Clicked(_) | Self::Pressed(_))
    }

    /// Returns the target elements if all are in one document; otherwise none, and only the page is observed.
    fn elements(self) -> &'a [ElementHandle] {
        match self {
            Self::Clicked(element) | Self::Pressed(element) | Self::Pointed(element) => {
                std::slice::from_ref(element)
            }
            Self::Filled(fields) if fields.iter().all(|field| field.is_beside(&fields[0])) => fields,
            Self::Page | Self::Given | Self::Typed | Self::Filled(_) => &[],
        }
    }
}

impl Drop for EffectWatcher {
    fn drop(&mut self) {
        self.listened.abort();
        if let Some(receipt) = &self.receipt {
            receipt.abort();
        }
        self.unwatch();
    }
}

impl EffectWatcher {
    /// Stops recording DOM changes.
    fn unwatch(&mut self) {
        if let (Some((world, number)), Ok(runtime)) = (self.changes.take(), Handle::try_current()) {
            runtime.spawn(async move { world.call::<()>("unwatch", &[number.into()]).await });
        }
    }

    /// Waits until the effects have ended; must be called after the action.
    pub async fn settle(mut self, options: &SettleOptions) -> SettleResult {
        let acted = Instant::now();
        let quiet_from = self.quiet_from(acted, options).await;
        let mut wait = Wait::new(options, acted, quiet_from, self.changes_something);
        let mut changes = self.page.changes();
        let (pending, ending) = loop {
            let pending = self.page.effects_since(self.mark);
            if let Some(ending) = stopped(&pending) {
                break (pending, ending);
            }
            let under_way = self.under_way(&pending);
            wait.has_timers &= pending.last_effect.is_none();
            // A page that polls always sends new requests, but it pauses between them.
            let has_paused = pending.idle.is_some_and(|idle| idle >= wait.restless());
            if matches!(under_way, UnderWay::Requests) && has_paused {
                break (pending, SettleEnd::Settled);
            }
            let until = wait.until(&under_way, &pending);
            if Instant::now() < until {
                self.page.wait_for_change(&mut changes, until).await;
            } else if matches!(under_way, UnderWay::Nothing) && Instant::now() < wait.restless() {
                match self.still_changing(&mut wait).await {
                    Some(rest) => wait.quiet_from = Instant::now() + rest,
                    // The page has settled, unless a new effect began during the check.
                    None if self.page.effects_since(self.mark).last_effect == pending.last_effect => {
                        break (pending, SettleEnd::Settled);
                    }
                    None => {}
                }
            } else if matches!(under_way, UnderWay::Navigation | UnderWay::Requests) {
                break (pending, SettleEnd::Unfinished);
            } else {
                break (pending, SettleEnd::Settled);
            }
        };
        let still = self.still(&pending, ending, &wait).await;
        let opened =
            if ending == SettleEnd::Gone { self.opened() } else { self.until_opened(pending.windows).await };
        let (said, moved) = (std::mem::take(&mut self.said), std::mem::take(&mut self.moved));
        let lost = match self.receipt.take() {
            Some(receipt) if pending.committed || self.is_left => lost_with_document(receipt).await,
            _ if pending.committed => None,
            _ => match std::mem::replace(&mut self.press, PressReport::Read(None)) {
                PressReport::Read(lost) => lost,
                PressReport::Awaited if matches!(ending, SettleEnd::Settled | SettleEnd::Unfinished) => {
                    let watched = self.watched(PRESS_LIMIT).await;
                    watched.ok().flatten().and_then(|watched| watched.lost)
                }
                PressReport::Awaited => None,
            },
        };
        let reached = match self.neighbours.take() {
            // A dialog keeps pages of the same process from answering.
            Some(neighbours) if !matches!(ending, SettleEnd::Dialog | SettleEnd::Chooser) => {
                Box::pin(neighbours.settle(acted, ending == SettleEnd::Gone)).await
            }
            _ => Vec::new(),
        };
        SettleResult { navigated: pending.committed, opened, ending, still, said, moved, lost, reached }
    }

    /// Returns descriptions of activity still in progress. First waits for a new document to be built.
    async fn still(&self, pending: &ActionEffects, ending: SettleEnd, wait: &Wait<'_>) -> Vec<String> {
        if !matches!(ending, SettleEnd::Settled | SettleEnd::Unfinished) {
            return Vec::new();
        }
        if pending.committed {
            return self.page.until_content_built(self.mark, BUILDING_LIMIT).await;
        }
        let busy = wait.busy.then(|| "a part that says that it is busy".to_owned());
        let loading = wait.loading.then(|| "a part that says that it is loading".to_owned());
        let growing = wait.growing.then(|| "a text that is still being written".to_owned());
        let requests = (ending == SettleEnd::Unfinished).then(|| in_words(pending.requests));
        requests.flatten().into_iter().chain(busy).chain(loading).chain(growing).collect()
    }

    /// Whether the action seems to have had no effect so far.
    pub async fn has_no_effect(&mut self) -> bool {
        let pending = self.page.effects_since(self.mark);
        if pending.last_effect.is_some() || stopped(&pending).is_some() {
            return false;
        }
        matches!(self.watched(ANSWER_LIMIT).await, Ok(Some(Watched { changes: 0, .. })))
    }

    /// Returns what is in progress: a navigation, requests or unread response bodies.
    fn under_way(&self, pending: &ActionEffects) -> UnderWay {
        let busy = pending.requests > 0 || pending.loading > 0;
        if pending.committed {
            return if self.page.main_frame().lifecycle_events().load {
                UnderWay::Arrived
            } else {
                UnderWay::Navigation
            };
        }
        match (pending.navigating, busy) {
            (true, true) => UnderWay::Navigation,
            (false, true) => UnderWay::Requests,
            (_, false) if pending.bodies > 0 => UnderWay::Bodies,
            // Also for a navigation without a new document: a download, or an empty response.
            (_, false) => UnderWay::Nothing,
        }
    }

    /// Returns the earliest time at which the page can count as settled, which depends on its listeners.
    async fn quiet_from(&mut self, acted: Instant, options: &SettleOptions) -> Instant {
        let mark = self.mark;
        let listened = tokio::select! {
            listened = timeout_at(acted + options.window, &mut self.listened) => listened,
            _ = self.page.until(|page| stopped(&page.effects_since(mark))) => return acted,
        };
        if listened.ok().and_then(Result::ok).unwrap_or(true) {
            return acted + options.window.max(self.reads);
        }
        self.awaits = None;
        self.changes_something = false;
        if !self.shows {
            // Later changes of the document are not effects of this action.
            self.unwatch();
        } else if let Some((world, _)) = &self.changes {
            let two = [2.into()];
            let _ = timeout(ANSWER_LIMIT, world.call::<()>("frames", &two)).await;
        }
        Instant::now()
    }

    /// Returns how much longer to wait for a document that changes or shows activity; `None` if it settled.
    async fn still_changing(&mut self, wait: &mut Wait<'_>) -> Option<Duration> {
        let asked = wait.acted.elapsed();
        let watched = match self.watched(ANSWER_LIMIT).await {
            Ok(Some(watched)) => watched,
            Ok(None) => {
                self.is_left = self.changes.is_some();
                wait.closing = self.has_lost_document();
                return wait.closing.then_some(AFTERMATH);
            }
            Err(_) => return Some(AFTERMATH),
        };
        let is_still = watched.changes == 0 || (watched.doubled && watched.grown == 0);
        wait.note_clock(watched.clock);
        wait.closing = watched.closing;
        (self.said, self.moved, self.press) = (watched.said, watched.moved, PressReport::Read(watched.lost));
        wait.busy = watched.busy;
        if watched.busy {
            wait.last_busy = Some(Instant::now());
            wait.busy_clock = watched.clock;
        }
        let (words, next_word) = watched.growing;
        let fewest = if wait.last_busy.is_some() { 1 } else { FEWEST_WORDS };
        let next_word = if words < fewest { Duration::ZERO } else { milliseconds(next_word) };
        wait.growing = words >= FEWEST_WORDS && !next_word.is_zero();
        // A page that was busy may show its result shortly afterwards.
        let since_work = milliseconds(watched.clock - wait.busy_clock);
        let result = wait.last_busy.map(|_| AFTER_WORK.saturating_sub(since_work));
        let after = match watched.changes {
            0 => Duration::ZERO,
            _ => AFTERMATH.saturating_sub(milliseconds(watched.quiet)),
        };
        let leaving = milliseconds(watched.leaving);
        let leaving = if leaving.is_zero() { leaving } else { leaving + AFTERMATH };
        let appearing = match self.awaits {
            Some(limit) if watched.grown == 0 => {
                APPEARING_PAUSE.min(limit.saturating_sub(wait.acted.elapsed()))
            }
            // A click whose listeners have set a timer, without any effect so far. The first click of a double click
            // often has another effect, such as a selection.
            _ if (self.changes_something || watched.doubled)
                && watched.timed
                && self.is_without_effect(is_still) =>
            {
                APPEARING_PAUSE.min(TIMERS_LIMIT.saturating_sub(asked))
            }
            _ => Duration::ZERO,
        };
        wait.has_timers = !appearing.is_zero();
        wait.loading = watched.loading;
        let is_busy = watched.busy || watched.loading || watched.closing;
        let busy = if is_busy { BUSY_PAUSE } else { Duration::ZERO };
        Some(after.max(leaving).max(appearing).max(busy).max(next_word).max(result.unwrap_or_default()))
            .filter(|rest| !rest.is_zero())
    }

    /// Whether the action has had no effect so far, although its press was not lost.
    fn is_without_effect(&self, is_still: bool) -> bool {
        is_still
            && !matches!(self.press, PressReport::Read(Some(_)))
            && self.page.effects_since(self.mark).last_effect.is_none()
    }

    /// Whether the effects were recorded in the main frame's document, which is gone: the page navigates or closes.
    fn has_lost_document(&self) -> bool {
        let main = self.page.main_frame();
        self.changes.as_ref().is_some_and(|(world, _)| world.frame() == main)
    }

    /// Returns the recorded DOM changes; `None` if nothing is recorded, or the document is gone.
    async fn watched(&self, limit: Duration) -> std::result::Result<Option<Watched>, Elapsed> {
        let Some((world, _)) = &self.changes else { return Ok(None) };
        Ok(timeout(limit, world.call("watched", &[])).await?.ok())
    }

    fn opened(&self) -> Vec<Page> {
        let pages = self.page.context().pages().into_iter();
        pages.filter(|page| !self.pages.contains(page)).collect()
    }

    /// Waits until the requested popups exist and have loaded, up to limits: the browser may block popups.
    async fn until_opened(&self, windows: usize) -> Vec<Page> {
        let mut changes = self.page.context().changes();
        let arrived = async { while self.opened().len() < windows && changes.changed().await.is_ok() {} };
        let _ = timeout(WINDOW_LIMIT, arrived).await;
        let opened = self.opened();
        let loaded = opened
            .iter()
            .map(|page| page.until(|page| page.main_frame().lifecycle_events().load.then_some(())));
        let _ = timeout(OPENING_LIMIT, futures_util::future::join_all(loaded)).await;
        opened
    }
}

/// The DOM changes since recording began, as reported by `watched` in `watch.js`. Times are in milliseconds.
#[derive(Debug, Deserialize)]
struct Watched {
    /// The page clock in milliseconds.
    clock: f64,
    changes: u32,
    quiet: f64,
    grown: u32,
    growing: (u32, f64),
    leaving: f64,
    busy: bool,
    loading: bool,
    closing: bool,
    said: Vec<String>,
    moved: Vec<MovedElement>,
    lost: Option<PressFailure>,
    timed: bool,
    doubled: bool,
}

/// Converts milliseconds reported by a page to a duration. Invalid values become zero.
pub(super) fn milliseconds(given: f64) -> Duration {
    Duration::try_from_secs_f64(given / 1000.0).unwrap_or_default()
}

/// The state and the time limits of a wait.
struct Wait<'a> {
    options: &'a SettleOptions,
    acted: Instant,
    /// The earliest time at which the page can count as settled.
    quiet_from: Instant,
    /// Whether a part of the page is marked as busy, such as with `aria-busy`.
    busy: bool,
    /// When a part of the page was last marked as busy.
    last_busy: Option<Instant>,
    /// The page clock at `last_busy`, in milliseconds.
    busy_clock: f64,
    /// When the page clock was first read, and its value in milliseconds.
    clock: Option<(Instant, f64)>,
    /// How far the page clock is behind the wall clock by now.
    lag: Duration,
    /// Whether a placeholder for content has appeared.
    loading: bool,
    /// Whether a text is being streamed.
    growing: bool,
    /// Whether the page has closed itself, but the browser has not yet reported it.
    closing: bool,
    /// Whether the action has had no effect yet, but may have started a timer that has not fired.
    has_timers: bool,
}

impl<'a> Wait<'a> {
    fn new(options: &'a SettleOptions, acted: Instant, quiet_from: Instant, has_timers: bool) -> Self {
        Self {
            options,
            acted,
            quiet_from,
            busy: false,
            last_busy: None,
            busy_clock: 0.0,
            clock: None,
            lag: Duration::ZERO,
            loading: false,
            growing: false,
            closing: false,
            has_timers,
        }
    }

    fn until(&self, under_way: &UnderWay, pending: &ActionEffects) -> Instant {
        match under_way {
            UnderWay::Navigation => self.acted + self.options.navigation_limit,
            UnderWay::Arrived => Instant::now(),
            UnderWay::Requests => self.acted + REQUEST_LIMIT,
            UnderWay::Bodies => (pending.last_effect.unwrap_or(self.acted) + BODY_LIMIT).min(self.restless()),
            UnderWay::Nothing => {
                let after = after_effects(pending, self.options).unwrap_or(self.acted);
                self.quiet_from.max(after).min(self.restless())
            }
        }
    }

    fn note_clock(&mut self, now: f64) {
        let (begun, first) = *self.clock.get_or_insert((Instant::now(), now));
        self.lag = begun.elapsed().saturating_sub(milliseconds(now - first));
    }

    /// Returns the time at which to stop waiting for a page that never becomes idle.
    fn restless(&self) -> Instant {
        let most = self.acted + BUSY_LIMIT.max(self.options.window);
        let limit = RESTLESS_LIMIT + self.lag;
        match self.last_busy {
            _ if self.busy || self.loading || self.closing || self.has_timers => most,
            // The page shows the result of its work now.
            Some(until) => (until + limit).min(most),
            None => (self.acted + limit.max(self.options.window)).min(most),
        }
    }
}

/// Returns why a press is lost whose document is gone, unless the document reported a click before.
async fn lost_with_document(receipt: JoinHandle<bool>) -> Option<PressFailure> {
    let is_clicked = timeout(ANSWER_LIMIT, receipt).await;
    let lost = (PressedElementFate::Elsewhere, "click".to_owned());
    (!matches!(is_clicked, Ok(Ok(true)))).then_some(PressFailure::Away(lost))
}

/// Returns the reason to end a wait at once, if any.
fn stopped(pending: &ActionEffects) -> Option<SettleEnd> {
    match pending {
        ActionEffects { gone: true, .. } => Some(SettleEnd::Gone),
        ActionEffects { dialog: true, .. } => Some(SettleEnd::Dialog),
        ActionEffects { chooser: true, .. } => Some(SettleEnd::Chooser),
        _ => None,
    }
}

/// Returns until when the latest effect may cause another one; `None` if there was no effect.
fn after_effects(pending: &ActionEffects, options: &SettleOptions) -> Option<Instant> {
    let aftermath = if pending.navigating { options.window } else { AFTERMATH.min(options.window) };
    pending.last_effect.map(|effect| effect + aftermath)
}

enum UnderWay {
    Nothing,
    Requests,
    /// All responses have arrived, but the page has not read all bodies, and may never do so.
    Bodies,
    Navigation,
    /// The new document has loaded.
    Arrived,
}

/// The kind of input of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Press,
    /// Pointer movement without a press.
    Pointer,
    Keys,
}

impl By {
    fn of(acts_on: ActionTarget<'_>) -> Self {
        match acts_on {
            ActionTarget::Clicked(_) | ActionTarget::Pressed(_) => Self::Press,
            ActionTarget::Pointed(_) => Self::Pointer,
            ActionTarget::Page | ActionTarget::Given | ActionTarget::Typed | ActionTarget::Filled(_) => {
                Self::Keys
            }
        }
    }

    /// Whether this input causes events of this type.
    fn causes(self, kind: &str) -> bool {
        match self {
            Self::Pointer => kind.starts_with("pointer") || kind.starts_with("mouse"),
            Self::Press | Self::Keys => is_input(kind),
        }
    }
}

/// Whether the input reaches an event listener, or pressing the target has a default action.
async fn is_listened_to(target: &ElementHandle, hearers: &RemoteHandle, by: By) -> Result<bool> {
    if by == By::Press && target.ask::<bool>("hasDefaultAction", Vec::new()).await? {
        return Ok(true);
    }
    let listeners = Listeners::in_document_of(target).await?;
    if listeners.on_window(|kind| by.causes(kind)) {
        return Ok(true);
    }
    let mut inside = listeners.on_nodes(|kind| by.causes(kind)).peekable();
    if inside.peek().is_none() {
        return Ok(false);
    }
    let [hear_input, hear_leaving] = numbers(hearers).await?;
    Ok(inside.any(|listener| {
        let node = listener.backend_node_id;
        hear_input.contains(&node) || (hear_leaving.contains(&node) && is_leaving(&listener.kind))
    }))
}

/// Whether events of this type occur when an element loses the focus.
fn is_leaving(kind: &str) -> bool {
    matches!(kind, "blur" | "focusout" | "change")
}

/// Whether events of this type come from a pointer or a key.
fn is_input(kind: &str) -> bool {
    const FAMILIES: [&str; 8] =
        ["pointer", "mouse", "touch", "key", "drag", "focus", "before", "composition"];
    const SINGLE: [&str; 15] = [
        "auxclick",
        "blur",
        "change",
        "click",
        "contextmenu",
        "copy",
        "cut",
        "dblclick",
        "drop",
        "gotpointercapture",
        "input",
        "paste",
        "scroll",
        "select",
        "wheel",
    ];
    SINGLE.contains(&kind) || FAMILIES.iter().any(|family| kind.starts_with(family))
}
