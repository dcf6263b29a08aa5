//! Hooks with which modules add state to contexts and pages, and react to new sessions and documents. The
//! list of hooks is passed to the browser, so this file does not depend on the modules.
use std::any::Any;

use futures_util::future::{BoxFuture, FutureExt as _};

use super::context::BrowserContext;
use super::download::Download;
use super::frame::Frame;
use super::page::Page;
use super::worker::Worker;
use crate::cdp::CdpSession;
use crate::error::Result;

/// The hooks of all modules, in the order in which they are called.
pub(in crate::browser) type HookList = &'static [&'static dyn Hooks];

/// The hooks of one module. The default implementations do nothing.
pub(in crate::browser) trait Hooks: Send + Sync {
    /// Adds the module's state to a new context.
    fn extend_context(&self, _extensions: &mut Extensions) {}

    /// Adds the module's state to a new page.
    fn extend_page(&self, _extensions: &mut Extensions) {}

    /// Called for a new context, before its first page.
    fn on_context<'a>(&'a self, _context: &'a BrowserContext) -> BoxFuture<'a, Result<()>> {
        async { Ok(()) }.boxed()
    }

    /// Called for a new page, worker, or frame process, before it runs. Commands go out in one write.
    fn on_session(&self, _new: &NewSession<'_>) {}

    /// Called for a new document in a frame.
    fn on_document(&self, _page: &Page, _frame: &Frame) {}

    fn on_download(&self, _context: &BrowserContext, _download: &Download) {}

    fn on_page_closed(&self, _page: &Page) {}
}

/// A new CDP session of a page, a worker, or a frame in another process.
pub(in crate::browser) struct NewSession<'a> {
    pub(in crate::browser) context: &'a BrowserContext,
    pub(in crate::browser) session: &'a CdpSession,
    pub(in crate::browser) page: Option<&'a Page>,
    pub(in crate::browser) worker: Option<&'a Worker>,
}

impl NewSession<'_> {
    /// Whether this is the main session of a tab.
    pub(in crate::browser) fn is_of_tab(&self) -> bool {
        self.worker.is_none() && self.page.is_some_and(|page| page.session().id() == self.session.id())
    }
}

/// The state that modules have added to a context or page. Stored by type.
#[derive(Default)]
pub(in crate::browser) struct Extensions(Vec<Box<dyn Any + Send + Sync>>);

impl Extensions {
    pub(in crate::browser) fn add<T: Any + Send + Sync + Default>(&mut self) {
        self.0.push(Box::new(T::default()));
    }

    pub(in crate::browser) fn get<T: Any>(&self) -> &T {
        let found = self.0.iter().find_map(|extension| extension.downcast_ref());
        found.unwrap_or_else(|| unreachable!("no module keeps a {}", std::any::type_name::<T>()))
    }
}
