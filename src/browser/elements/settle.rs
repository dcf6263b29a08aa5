//! Waiting after an action for what it caused, and only for that.
//!
//! Effects are navigations, requests, changes of the document, new tabs and dialogs. A navigation is waited for until
//! it has loaded, a request until it has ended; then for a while without a new effect, counted from the action, so that
//! a handler that puts its work off for a moment is seen. Where nobody heard the action, two frames are enough; where
//! nobody heard that a field got its value, nothing is. What the action did in other pages is waited for last.
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
use super::lost::{LostPress, Moving};
use super::neighbours::{Neighbours, Reached};
use crate::browser::objects::journal::{Mark, Pending};
use crate::browser::objects::page::Page;
use crate::browser::objects::world::{RemoteHandle, World};
use crate::error::{Error, Result};

/// What an action is done to, as far as that is known.
#[derive(Debug, Clone, Copy)]
pub enum ActsOn<'a> {
    /// The page: anything may hear of it.
    Page,
    /// One element that is pressed: what listens to it hears, and the browser itself may do something.
    Pressed(&'a ElementHandle),
    /// One element that has the pointer over it: what listens to pointers hears, and often answers after a moment.
    Pointed(&'a ElementHandle),
    /// What has the focus is typed into: it may offer what completes that.
    Typed,
    /// The page is given files: it often reads them before it sends them.
    Given,
    /// Fields that get their values: only what listens hears.
    Filled(&'a [ElementHandle]),
}

/// How long to wait for what an action caused.
#[derive(Debug, Clone, Copy)]
pub struct SettleOptions {
    /// How long nothing must happen, counted from the action.
    pub window: Duration,
    /// How long a navigation may take.
    pub navigation_limit: Duration,
}

impl Default for SettleOptions {
    fn default() -> Self {
        Self { window: Duration::from_millis(120), navigation_limit: Duration::from_secs(30) }
    }
}

/// What an action came to.
#[derive(Debug, Clone)]
pub struct Settled {
    /// There is a new document in the main frame.
    pub navigated: bool,
    /// Tabs that opened.
    pub opened: Vec<Page>,
    pub ending: Ending,
    /// What the page still does, in words, where it had not come to rest.
    pub still: Vec<String>,
    /// What the page announced meanwhile, even if it does not show it any more.
    pub said: Vec<String>,
    /// What stands elsewhere now, outermost elements only.
    pub moved: Vec<Moved>,
    /// Why a press came to nothing.
    pub lost: Option<LostPress>,
    /// Other pages that the action reached.
    pub reached: Vec<Reached>,
}

/// An element that was placed elsewhere.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Moved {
    pub what: Moving,
    /// The left and top edge of its box, in the viewport of its frame.
    pub at: (i32, i32),
}

/// Why the wait was over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Nothing more happened.
    Rest,
    /// A navigation, or a request, had not ended when the time was over.
    Unfinished,
    /// A dialog is open.
    Dialog,
    /// A file chooser waits.
    Chooser,
    /// The page has closed or crashed.
    Gone,
}

/// What is noted from before an action on.
#[derive(Debug)]
pub struct Watch {
    page: Page,
    mark: Mark,
    pages: Vec<Page>,
    neighbours: Option<Neighbours>,
    /// Where the changes of the document are counted, and the number of that count.
    changes: Option<(World, u32)>,
    listened: JoinHandle<bool>,
    /// How long something may take to appear, where something is likely to: suggestions, a menu under the pointer.
    awaits: Option<Duration>,
    said: Vec<String>,
    moved: Vec<Moved>,
    lost: Option<LostPress>,
    /// Whether the browser draws what the action does before it counts as done.
    shows: bool,
    /// How long the page may do by itself what it was given before it goes on.
    reads: Duration,
}

/// After the last effect, so long for another one that follows from it, such as the page's answer to a reply.
const AFTERMATH: Duration = Duration::from_millis(50);
/// A page that never rests is left to itself after this.
const RESTLESS_LIMIT: Duration = Duration::from_secs(1);
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
/// How long after the newest effect the page may take to read an answer.
const BODY_LIMIT: Duration = Duration::from_millis(400);
/// How long a part of the page may say that it is at work.
const BUSY_LIMIT: Duration = Duration::from_secs(5);
/// How long after it was at work nothing must happen.
const AFTER_WORK: Duration = Duration::from_millis(250);
/// So often something is added in one place before it is a text that is being written.
const FEWEST_WORDS: u32 = 3;
/// How often is looked whether it still does.
const BUSY_PAUSE: Duration = Duration::from_millis(100);
/// Until when suggestions come.
const SUGGESTIONS_LIMIT: Duration = Duration::from_millis(550);
/// Until when a menu or a word of explanation comes under the pointer.
const POINTED_LIMIT: Duration = Duration::from_millis(900);
/// How long a page may read files until it sends them.
const READING: Duration = Duration::from_millis(400);
/// How often is looked for what is to appear.
const APPEARING_PAUSE: Duration = Duration::from_millis(50);
/// How long a document that an action led to may build itself.
pub(in crate::browser) const BUILDING_LIMIT: Duration = Duration::from_secs(5);
/// How long a window may take to appear, and then to load.
const WINDOW_LIMIT: Duration = Duration::from_millis(500);
const OPENING_LIMIT: Duration = Duration::from_secs(2);
/// How long the page may take to answer a question of ours; one that does not is busy with what the action caused.
const ANSWER_LIMIT: Duration = Duration::from_millis(250);

impl Page {
    /// Begins to note what an action causes; to be called before the action.
    pub async fn watch(&self, acts_on: ActsOn<'_>) -> Watch {
        self.acts();
        let mark = self.mark();
        let pages = self.context().pages();
        let elements = acts_on.elements();
        let begun = async {
            let world = match elements.first() {
                Some(element) => element.world().clone(),
                None => self.main_frame().utility().await?,
            };
            let nodes: Vec<_> = elements.iter().map(|element| element.handle().argument()).collect();
            // Before the action moves the focus.
            let hearers = async {
                match nodes.is_empty() {
                    true => Ok(None),
                    false => world.call_handle("hearers", nodes.clone()).await,
                }
            };
            let completes = async {
                match acts_on {
                    ActsOn::Filled(_) if nodes.is_empty() => Ok(false),
                    ActsOn::Filled(_) | ActsOn::Typed => world.call_with("completes", nodes.clone()).await,
                    _ => Ok(false),
                }
            };
            let watch = world.call_with("watch", nodes.clone());
            let watch_press = async {
                match acts_on {
                    ActsOn::Pressed(_) => world.call_with::<()>("watchPress", nodes.clone()).await,
                    _ => Ok(()),
                }
            };
            let (number, hearers, completes, ()) = try_join!(watch, hearers, completes, watch_press)?;
            Ok::<_, Error>(((world.clone(), number), (hearers, completes)))
        };
        let begun = async {
            match self.dialog() {
                None => timeout(ANSWER_LIMIT, begun).await.ok().and_then(Result::ok),
                Some(_) => None,
            }
        };
        let (begun, neighbours) = Box::pin(join(begun, self.watch_neighbours())).await;
        let (changes, asked) = begun.unzip();
        let (hearers, completes) = asked.unwrap_or_default();
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
        let reads = if matches!(acts_on, ActsOn::Given) { READING } else { Duration::ZERO };
        Watch {
            page: self.clone(),
            mark,
            pages,
            neighbours: Some(neighbours),
            changes,
            listened,
            awaits,
            said,
            moved,
            lost: None,
            shows,
            reads,
        }
    }
}

impl<'a> ActsOn<'a> {
    /// The elements, where all are in one document; what several do together only the page tells.
    fn elements(self) -> &'a [ElementHandle] {
        match self {
            Self::Pressed(element) | Self::Pointed(element) => std::slice::from_ref(element),
            Self::Filled(fields) if fields.iter().all(|field| field.is_beside(&fields[0])) => fields,
            Self::Page | Self::Given | Self::Typed | Self::Filled(_) => &[],
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.listened.abort();
        self.unwatch();
    }
}

impl Watch {
    /// Ends the count of changes.
    fn unwatch(&mut self) {
        if let (Some((world, number)), Ok(runtime)) = (self.changes.take(), Handle::try_current()) {
            runtime.spawn(async move { world.call::<()>("unwatch", &[number.into()]).await });
        }
    }

    /// Waits for what the action caused; to be called when the action is done.
    pub async fn settle(mut self, options: &SettleOptions) -> Settled {
        let acted = Instant::now();
        let quiet_from = self.quiet_from(acted, options).await;
        let mut wait =
            Wait { options, acted, quiet_from, busy: false, last_busy: None, loading: false, growing: false };
        let mut changes = self.page.changes();
        let (pending, ending) = loop {
            let pending = self.page.pending_since(self.mark);
            if let Some(ending) = stopped(&pending) {
                break (pending, ending);
            }
            let under_way = self.under_way(&pending);
            let until = wait.until(&under_way, &pending);
            if Instant::now() < until {
                self.page.changed_before(&mut changes, until).await;
            } else if matches!(under_way, UnderWay::Nothing) && Instant::now() < wait.restless() {
                match self.still_changing(&mut wait).await {
                    Some(rest) => wait.quiet_from = Instant::now() + rest,
                    // Unless something began in the last moment.
                    None if self.page.pending_since(self.mark).last_effect == pending.last_effect => {
                        break (pending, Ending::Rest);
                    }
                    None => {}
                }
            } else if matches!(under_way, UnderWay::Navigation | UnderWay::Requests) {
                break (pending, Ending::Unfinished);
            } else {
                break (pending, Ending::Rest);
            }
        };
        let still = self.still(&pending, ending, &wait).await;
        let opened =
            if ending == Ending::Gone { self.opened() } else { self.until_opened(pending.windows).await };
        let (said, moved) = (std::mem::take(&mut self.said), std::mem::take(&mut self.moved));
        let lost = self.lost.take().filter(|_| !pending.committed);
        let reached = match self.neighbours.take() {
            // A dialog keeps pages of the same process from answering.
            Some(neighbours) if !matches!(ending, Ending::Dialog | Ending::Chooser) => {
                Box::pin(neighbours.settle(acted, ending == Ending::Gone)).await
            }
            _ => Vec::new(),
        };
        Settled { navigated: pending.committed, opened, ending, still, said, moved, lost, reached }
    }

    /// Waits for a new document until it has built itself; what the page still does then.
    async fn still(&self, pending: &Pending, ending: Ending, wait: &Wait<'_>) -> Vec<String> {
        if !matches!(ending, Ending::Rest | Ending::Unfinished) {
            return Vec::new();
        }
        if pending.committed {
            return self.page.until_built(self.mark, BUILDING_LIMIT).await;
        }
        let busy = wait.busy.then(|| "a part that says that it is busy".to_owned());
        let loading = wait.loading.then(|| "a part that says that it is loading".to_owned());
        let growing = wait.growing.then(|| "a text that is still being written".to_owned());
        let requests = (ending == Ending::Unfinished).then(|| in_words(pending.requests));
        requests.flatten().into_iter().chain(busy).chain(loading).chain(growing).collect()
    }

    /// Whether the action seems to have had no effect at all, so far.
    pub async fn is_untouched(&mut self) -> bool {
        let pending = self.page.pending_since(self.mark);
        if pending.last_effect.is_some() || stopped(&pending).is_some() {
            return false;
        }
        matches!(self.watched().await, Ok(Some(Watched { changes: 0, .. })))
    }

    /// What has begun and not ended.
    fn under_way(&self, pending: &Pending) -> UnderWay {
        let busy = pending.requests > 0 || pending.loading > 0;
        if pending.committed {
            return if self.page.main_frame().moments().load {
                UnderWay::Arrived
            } else {
                UnderWay::Navigation
            };
        }
        match (pending.navigating, busy) {
            (true, true) => UnderWay::Navigation,
            (false, true) => UnderWay::Requests,
            (_, false) if pending.bodies > 0 => UnderWay::Bodies,
            // Or a navigation that came to nothing: a download, or an empty answer.
            (_, false) => UnderWay::Nothing,
        }
    }

    /// From when on it counts that nothing happens.
    async fn quiet_from(&mut self, acted: Instant, options: &SettleOptions) -> Instant {
        let mark = self.mark;
        let listened = tokio::select! {
            listened = timeout_at(acted + options.window, &mut self.listened) => listened,
            _ = self.page.until(|page| stopped(&page.pending_since(mark))) => return acted,
        };
        if listened.ok().and_then(Result::ok).unwrap_or(true) {
            return acted + options.window.max(self.reads);
        }
        self.awaits = None;
        if !self.shows {
            // What changes in the document now is not of this action.
            self.unwatch();
        } else if let Some((world, _)) = &self.changes {
            let two = [2.into()];
            let _ = timeout(ANSWER_LIMIT, world.call::<()>("frames", &two)).await;
        }
        Instant::now()
    }

    /// How much longer the document must rest: it has just changed, or says that there is more to come.
    async fn still_changing(&mut self, wait: &mut Wait<'_>) -> Option<Duration> {
        let watched = match self.watched().await {
            Ok(watched) => watched?,
            Err(_) => return Some(AFTERMATH),
        };
        (self.said, self.moved, self.lost) = (watched.said, watched.moved, watched.lost);
        wait.busy = watched.busy;
        if watched.busy {
            wait.last_busy = Some(Instant::now());
        }
        let (words, next_word) = watched.growing;
        let fewest = if wait.last_busy.is_some() { 1 } else { FEWEST_WORDS };
        let next_word = if words < fewest { Duration::ZERO } else { milliseconds(next_word) };
        wait.growing = words >= FEWEST_WORDS && !next_word.is_zero();
        // What it was at work for may begin with a word.
        let result = wait.last_busy.map(|until| AFTER_WORK.saturating_sub(until.elapsed()));
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
            _ => Duration::ZERO,
        };
        wait.loading = watched.loading;
        let busy = if watched.busy || watched.loading { BUSY_PAUSE } else { Duration::ZERO };
        Some(after.max(leaving).max(appearing).max(busy).max(next_word).max(result.unwrap_or_default()))
            .filter(|rest| !rest.is_zero())
    }

    /// What has changed in the document; `None` where nothing is watched, or it is gone with what there was to watch.
    async fn watched(&self) -> std::result::Result<Option<Watched>, Elapsed> {
        let Some((world, _)) = &self.changes else { return Ok(None) };
        Ok(timeout(ANSWER_LIMIT, world.call("watched", &[])).await?.ok())
    }

    fn opened(&self) -> Vec<Page> {
        let pages = self.page.context().pages().into_iter();
        pages.filter(|page| !self.pages.contains(page)).collect()
    }

    /// Waits until the windows that were asked for are there and have loaded; the browser may have blocked them.
    async fn until_opened(&self, windows: usize) -> Vec<Page> {
        let mut changes = self.page.context().changes();
        let arrived = async { while self.opened().len() < windows && changes.changed().await.is_ok() {} };
        let _ = timeout(WINDOW_LIMIT, arrived).await;
        let opened = self.opened();
        let loaded =
            opened.iter().map(|page| page.until(|page| page.main_frame().moments().load.then_some(())));
        let _ = timeout(OPENING_LIMIT, futures_util::future::join_all(loaded)).await;
        opened
    }
}

/// What the page's engine saw since the watch began.
#[derive(Debug, Deserialize)]
struct Watched {
    changes: u32,
    quiet: f64,
    grown: u32,
    growing: (u32, f64),
    leaving: f64,
    busy: bool,
    loading: bool,
    said: Vec<String>,
    moved: Vec<Moved>,
    lost: Option<LostPress>,
}

fn milliseconds(given: f64) -> Duration {
    Duration::try_from_secs_f64(given / 1000.0).unwrap_or_default()
}

/// How long each thing is waited for.
struct Wait<'a> {
    options: &'a SettleOptions,
    acted: Instant,
    /// From when on it counts that nothing happens.
    quiet_from: Instant,
    /// A part of the page says that it is at work.
    busy: bool,
    /// When it was last seen to say so.
    last_busy: Option<Instant>,
    /// Something came that stands for what is still to come.
    loading: bool,
    /// A text is being written.
    growing: bool,
}

impl Wait<'_> {
    fn until(&self, under_way: &UnderWay, pending: &Pending) -> Instant {
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

    /// When a page that never rests is left to itself.
    fn restless(&self) -> Instant {
        let most = self.acted + BUSY_LIMIT.max(self.options.window);
        match self.last_busy {
            _ if self.busy => most,
            // What it was at work for comes now.
            Some(until) => (until + RESTLESS_LIMIT).min(most),
            None => self.acted + RESTLESS_LIMIT.max(self.options.window),
        }
    }
}

/// What ends a wait at once.
fn stopped(pending: &Pending) -> Option<Ending> {
    match pending {
        Pending { gone: true, .. } => Some(Ending::Gone),
        Pending { dialog: true, .. } => Some(Ending::Dialog),
        Pending { chooser: true, .. } => Some(Ending::Chooser),
        _ => None,
    }
}

/// Until when the newest effect may have another one.
fn after_effects(pending: &Pending, options: &SettleOptions) -> Option<Instant> {
    let aftermath = if pending.navigating { options.window } else { AFTERMATH.min(options.window) };
    pending.last_effect.map(|effect| effect + aftermath)
}

enum UnderWay {
    Nothing,
    Requests,
    /// All requests were answered; of some answers the page has not read all, and may never.
    Bodies,
    Navigation,
    /// The new document has loaded.
    Arrived,
}

/// By what an action reaches its target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Press,
    /// Nothing but its being there.
    Pointer,
    Keys,
}

impl By {
    fn of(acts_on: ActsOn<'_>) -> Self {
        match acts_on {
            ActsOn::Pressed(_) => Self::Press,
            ActsOn::Pointed(_) => Self::Pointer,
            ActsOn::Page | ActsOn::Given | ActsOn::Typed | ActsOn::Filled(_) => Self::Keys,
        }
    }

    /// Whether it causes events of this type.
    fn causes(self, kind: &str) -> bool {
        match self {
            Self::Pointer => kind.starts_with("pointer") || kind.starts_with("mouse"),
            Self::Press | Self::Keys => is_input(kind),
        }
    }
}

/// Whether any of the `hearers` listens, or the browser itself does something when the target is pressed.
async fn is_listened_to(target: &ElementHandle, hearers: &RemoteHandle, by: By) -> Result<bool> {
    if by == By::Press && target.ask::<bool>("hasDefaultAction", Vec::new()).await? {
        return Ok(true);
    }
    let listeners = Listeners::around(target).await?;
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

/// Whether an event of this type tells that the focus is leaving.
fn is_leaving(kind: &str) -> bool {
    matches!(kind, "blur" | "focusout" | "change")
}

/// Whether an event of this type can come from a pointer or a key.
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
