//! Console subscriptions of a context and its pages.
use std::sync::Arc;

use futures_util::future::join_all;
use parking_lot::Mutex;

use super::entry::ConsoleEvent;
use super::subscription::{ConsoleSubscription, EVENTS, Mode, Replay, SubscriptionObserver};
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::hooks::{Extensions, Hooks, NewSession};
use crate::browser::objects::listeners::{Listener, Listeners};
use crate::browser::objects::page::Page;
use crate::browser::objects::worker::Worker;
use crate::cdp::CdpSession;
use crate::cdp::types::runtime::{DiscardConsoleEntries, RunIfWaitingForDebugger};
use crate::error::Result;

/// The kinds of console events to report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ConsoleFilter {
    /// Messages that scripts or the browser logged.
    pub messages: bool,
    /// Uncaught errors. A page can detect that these are enabled, by observing how its errors are read.
    pub errors: bool,
}

impl ConsoleFilter {
    fn or(self, other: Self) -> Self {
        Self { messages: self.messages || other.messages, errors: self.errors || other.errors }
    }

    fn mode(self) -> Mode {
        match (self.messages, self.errors) {
            (_, true) => Mode::RuntimeDomain,
            (true, false) => Mode::ConsoleDomain,
            (false, false) => Mode::Off,
        }
    }
}

impl BrowserContext {
    pub(super) fn with_console<T>(&self, change: impl FnOnce(&mut Console) -> T) -> T {
        change(&mut self.extension::<Mutex<Console>>().lock())
    }

    /// Adds a listener for the console events that [`set_console_filter`](Self::set_console_filter) enables.
    pub fn listen_to_console(&self, listener: Listener<ConsoleEvent>) {
        self.with_console(|console| console.listeners.clone()).add(listener);
    }

    /// Sets which console events of this context's pages and workers are reported. Default: none.
    pub fn set_console_filter(&self, interest: ConsoleFilter) {
        self.with_console(|console| console.interest = interest);
        for page in self.pages() {
            page.update_subscriptions(Replay::Nothing);
        }
        for worker in self.workers().iter().filter(|worker| worker.page().is_none()) {
            self.subscribe_to_console(worker.session(), None, Some(worker), Replay::Nothing);
        }
    }

    /// Starts or stops reading a session's console, as the filters require. Call it before a target runs.
    fn subscribe_to_console(
        &self,
        session: &CdpSession,
        page: Option<&Page>,
        worker: Option<&Worker>,
        replay: Replay,
    ) {
        let of_page = page.map(|page| *page.extension::<PageConsole>().0.lock()).unwrap_or_default();
        let (interest, subscription) = self.with_console(|console| {
            let known =
                console.subscriptions.iter().find(|subscription| subscription.session.id() == session.id());
            (console.interest.or(of_page), known.cloned())
        });
        let subscription = match subscription {
            Some(subscription) => subscription,
            None if interest.mode() == Mode::Off => return,
            None => self.subscribe(session, page, worker),
        };
        subscription.set_mode(interest.mode(), replay);
    }

    fn subscribe(
        &self,
        session: &CdpSession,
        page: Option<&Page>,
        worker: Option<&Worker>,
    ) -> Arc<ConsoleSubscription> {
        let subscription = Arc::new(ConsoleSubscription {
            context: self.downgrade(),
            session: session.clone(),
            page: page.map(Page::downgrade),
            worker: worker.cloned(),
            state: Mutex::default(),
        });
        self.with_console(|console| console.subscriptions.push(subscription.clone()));
        session.observe(&EVENTS, Arc::new(SubscriptionObserver(subscription.clone())));
        subscription
    }
}

/// The console hooks of pages and contexts.
pub(in crate::browser) struct ConsoleHooks;

impl Hooks for ConsoleHooks {
    fn extend_context(&self, extensions: &mut Extensions) {
        extensions.add::<Mutex<Console>>();
    }

    fn extend_page(&self, extensions: &mut Extensions) {
        extensions.add::<PageConsole>();
    }

    fn on_session(&self, new: &NewSession<'_>) {
        if let Some(worker) = new.worker {
            new.context.with_console(|console| {
                console.workers.retain(|worker| !worker.is_closed());
                console.workers.push(worker.clone());
            });
        }
        new.context.subscribe_to_console(new.session, new.page, new.worker, Replay::All);
    }
}

/// The console events that are enabled for a page.
#[derive(Default)]
struct PageConsole(Mutex<ConsoleFilter>);

/// The console state of a context: listeners, filter, and subscriptions.
#[derive(Default)]
pub(super) struct Console {
    pub(super) listeners: Arc<Listeners<ConsoleEvent>>,
    interest: ConsoleFilter,
    pub(super) subscriptions: Vec<Arc<ConsoleSubscription>>,
    /// All running workers. Recorded even if no console events are enabled.
    workers: Vec<Worker>,
}

impl Page {
    /// Returns the running workers of this page.
    pub(super) fn workers(&self) -> Vec<Worker> {
        self.context().with_console(|console| {
            let own =
                console.workers.iter().filter(|worker| worker.page() == Some(self) && !worker.is_closed());
            own.cloned().collect()
        })
    }

    /// Sets which console events of this page and its workers are reported besides those of the context.
    pub fn set_console_filter(&self, interest: ConsoleFilter) {
        *self.extension::<PageConsole>().0.lock() = interest;
        self.update_subscriptions(Replay::Nothing);
    }

    /// Reports the browser's stored console messages again, unless console events are enabled already.
    pub async fn replay_console(&self, interest: ConsoleFilter) -> Result<()> {
        let before = std::mem::replace(&mut *self.extension::<PageConsole>().0.lock(), interest);
        self.update_subscriptions(Replay::All);
        // The browser answers this command only after it has reported all stored messages.
        let fence = |session: CdpSession| session.send(RunIfWaitingForDebugger {});
        let fences: Vec<_> = self.sessions().into_iter().map(fence).collect();
        let fenced = join_all(fences).await;
        self.set_console_filter(before);
        fenced.into_iter().collect::<Result<Vec<_>>>().map(drop)
    }

    /// Clears the browser's stored console messages.
    pub fn clear_console(&self) {
        for session in self.sessions() {
            session.send(DiscardConsoleEntries {}).ignore();
        }
    }

    fn update_subscriptions(&self, replay: Replay) {
        for session in self.sessions() {
            self.context().subscribe_to_console(&session, Some(self), None, replay);
        }
        for worker in self.context().workers().iter().filter(|worker| worker.page() == Some(self)) {
            self.context().subscribe_to_console(worker.session(), Some(self), Some(worker), replay);
        }
    }
}
