//! Locator handlers: user callbacks for visible elements that block actions, such as dialogs.
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::future::{BoxFuture, FutureExt as _, Shared};
use parking_lot::Mutex;
use tokio::time::{Instant, timeout_at};

use super::locator::{Locator, WaitForState, is_passing};
use crate::browser::objects::hooks::{Extensions, Hooks};
use crate::browser::objects::page::Page;
use crate::error::{Error, Obstacle, Result};

/// Options of a locator handler.
#[derive(Debug, Clone, Default)]
pub struct LocatorHandlerOptions {
    /// The element's name in errors, such as the locator's text.
    pub name: String,
    /// Continues after the handler, even if the element is still visible.
    pub no_wait_after: bool,
    /// The number of calls after which the handler is removed. Default: unlimited.
    pub times: Option<u32>,
}

/// The id of a locator handler, unique in its page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LocatorHandlerId(pub u64);

type Call = Box<dyn Fn(LocatorHandlerId) -> BoxFuture<'static, Result<()>> + Send + Sync>;
type Running = Shared<BoxFuture<'static, Result<()>>>;

struct LocatorHandler {
    id: LocatorHandlerId,
    locator: Locator,
    options: LocatorHandlerOptions,
    call: Call,
    /// The running call, if any: a handler is not called twice at the same time.
    running: Mutex<Option<Running>>,
}

impl fmt::Debug for LocatorHandler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocatorHandler").field("locator", &self.locator).finish_non_exhaustive()
    }
}

/// The handlers of a page, and how many calls each has left.
#[derive(Debug, Default)]
struct LocatorHandlers {
    list: Mutex<Vec<(Arc<LocatorHandler>, Option<u32>)>>,
    next: AtomicU64,
    /// The number of actions that wait for a handler. Actions of handlers themselves do not wait.
    waiting: AtomicUsize,
}

/// The hooks that store each page's handlers.
pub(in crate::browser) struct LocatorHandlerHooks;

impl Hooks for LocatorHandlerHooks {
    fn extend_page(&self, extensions: &mut Extensions) {
        extensions.add::<LocatorHandlers>();
    }
}

impl Page {
    /// Calls `handler` when the element of `locator` is visible before or during an action or a wait on this
    /// page, and then waits until the element is hidden.
    ///
    /// The handler receives its own id. Handlers do not run for actions inside a handler. If the handler
    /// fails, the action fails with the handler's error.
    pub fn add_locator_handler<Handling>(
        &self,
        locator: Locator,
        options: LocatorHandlerOptions,
        handler: impl Fn(LocatorHandlerId) -> Handling + Send + Sync + 'static,
    ) -> LocatorHandlerId
    where
        Handling: Future<Output = Result<()>> + Send + 'static,
    {
        let handlers = self.extension::<LocatorHandlers>();
        let id = LocatorHandlerId(handlers.next.fetch_add(1, Ordering::Relaxed));
        let (call, times): (Call, _) = (Box::new(move |id| handler(id).boxed()), options.times);
        if times != Some(0) {
            let handler = LocatorHandler { id, locator, options, call, running: Mutex::default() };
            handlers.list.lock().push((Arc::new(handler), times));
        }
        id
    }

    /// Removes a handler.
    pub fn remove_locator_handler(&self, id: LocatorHandlerId) {
        self.extension::<LocatorHandlers>().list.lock().retain(|(handler, _)| handler.id != id);
    }

    /// Whether a handler may still be called.
    pub fn has_locator_handler(&self, id: LocatorHandlerId) -> bool {
        self.extension::<LocatorHandlers>().list.lock().iter().any(|(handler, _)| handler.id == id)
    }

    pub(super) fn has_locator_handlers(&self) -> bool {
        let handlers = self.extension::<LocatorHandlers>();
        handlers.waiting.load(Ordering::Acquire) == 0 && !handlers.list.lock().is_empty()
    }

    /// Runs the handlers of visible elements, up to `deadline`. `limit` is the total time of an action,
    /// for error messages.
    ///
    /// # Errors `not_actionable` if a handler has not finished, or its element is still visible, at the
    /// deadline; otherwise the handler's own error.
    pub(super) async fn run_locator_handlers(&self, limit: Duration, deadline: Instant) -> Result<()> {
        if !self.has_locator_handlers() {
            return Ok(());
        }
        let handlers = self.extension::<LocatorHandlers>();
        let list: Vec<_> = handlers.list.lock().iter().map(|(handler, _)| handler.clone()).collect();
        for handler in list {
            if handler.running.lock().is_none() && !handler.is_seen(deadline).await? {
                continue;
            }
            // Counted before the call, so that the handler's own actions do not wait for the handler.
            let _waiting = Waiting::begin(&handlers.waiting);
            let Some(call) = handlers.call(&handler, self) else { continue };
            let late = |finished| Error::NotActionable {
                obstacle: Obstacle::Handled { by: handler.options.name.clone(), finished },
                waited: limit,
            };
            let done = timeout_at(deadline, call).await;
            if done.is_ok() {
                handler.running.lock().take();
            }
            done.unwrap_or_else(|_| Err(late(false)))?;
            if !handler.options.no_wait_after {
                let left = deadline.saturating_duration_since(Instant::now());
                let hidden = Box::pin(handler.locator.wait_for(WaitForState::Hidden, left));
                match hidden.await {
                    Err(Error::ElementNotFound { .. }) => return Err(late(true)),
                    Err(error) if !is_gone(&error) => return Err(error),
                    _ => {}
                }
            }
        }
        Ok(())
    }
}

impl LocatorHandlers {
    /// Returns the running call of a handler, or starts a new one; `None` if no calls are left.
    fn call(&self, handler: &Arc<LocatorHandler>, page: &Page) -> Option<Running> {
        let mut running = handler.running.lock();
        if running.is_none() {
            let mut list = self.list.lock();
            let place = list.iter().position(|(other, _)| Arc::ptr_eq(other, handler))?;
            if let Some(left) = &mut list[place].1 {
                *left -= 1;
                if *left == 0 {
                    list.remove(place);
                }
            }
            *running = Some(handler.begin(page));
        }
        running.clone()
    }
}

impl LocatorHandler {
    async fn is_seen(&self, deadline: Instant) -> Result<bool> {
        let look = async {
            match self.locator.found(true).await? {
                Some(element) => element.is_visible().await,
                None => Ok(false),
            }
        };
        match timeout_at(deadline, look).await {
            Ok(Err(error)) if !is_gone(&error) => Err(error),
            Ok(Ok(seen)) => Ok(seen),
            _ => Ok(false),
        }
    }

    /// Starts a call, which runs until it ends or the page closes, even if no action waits for it.
    fn begin(&self, page: &Page) -> Running {
        let (page, work) = (page.clone(), (self.call)(self.id));
        let task = tokio::spawn(async move {
            tokio::select! {
                done = work => done,
                closed = page.until(|_| None) => closed,
            }
        });
        async move { task.await.unwrap_or(Err(Error::Cancelled)) }.boxed().shared()
    }
}

/// Whether an error means only that the element is gone.
fn is_gone(error: &Error) -> bool {
    is_passing(error) || matches!(error, Error::FrameDetached | Error::WrongElement { .. })
}

/// Counts an action that waits for a handler, until it is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn begin(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::AcqRel);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::AcqRel);
    }
}
