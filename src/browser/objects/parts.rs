//! What the rooms above keep with contexts and pages, and what they have to do when one comes or goes. Nothing here names
//! them: a browser is made with the list.
use std::any::Any;

use futures_util::future::{BoxFuture, FutureExt as _};

use super::context::BrowserContext;
use super::download::Download;
use super::frame::Frame;
use super::page::Page;
use super::worker::Worker;
use crate::cdp::CdpSession;
use crate::error::Result;

/// All that has a part in a browser, in the order in which it is asked.
pub(in crate::browser) type Parts = &'static [&'static dyn Part];

/// Something that has a part in what happens to contexts and pages.
pub(in crate::browser) trait Part: Send + Sync {
    /// Gives a new context what this part keeps with it.
    fn keep_with_context(&self, _slots: &mut Slots) {}

    /// Gives a new page what this part keeps with it.
    fn keep_with_page(&self, _slots: &mut Slots) {}

    /// A context was made, and has no page yet.
    fn on_context<'a>(&'a self, _context: &'a BrowserContext) -> BoxFuture<'a, Result<()>> {
        async { Ok(()) }.boxed()
    }

    /// A page, a frame with a process of its own, or a worker was attached to, and does not run yet. What is sent now goes out
    /// in one write.
    fn on_session(&self, _new: &NewSession<'_>) {}

    /// A frame shows another document.
    fn on_document(&self, _page: &Page, _frame: &Frame) {}

    fn on_download(&self, _context: &BrowserContext, _download: &Download) {}

    fn on_page_closed(&self, _page: &Page) {}
}

/// A session that has just begun.
pub(in crate::browser) struct NewSession<'a> {
    pub(in crate::browser) context: &'a BrowserContext,
    pub(in crate::browser) session: &'a CdpSession,
    pub(in crate::browser) page: Option<&'a Page>,
    pub(in crate::browser) worker: Option<&'a Worker>,
}

impl NewSession<'_> {
    /// Whether it is that of a tab itself.
    pub(in crate::browser) fn is_of_tab(&self) -> bool {
        self.worker.is_none() && self.page.is_some_and(|page| page.session().id() == self.session.id())
    }
}

/// What parts keep, each by its type.
#[derive(Default)]
pub(in crate::browser) struct Slots(Vec<Box<dyn Any + Send + Sync>>);

impl Slots {
    pub(in crate::browser) fn add<T: Any + Send + Sync + Default>(&mut self) {
        self.0.push(Box::new(T::default()));
    }

    /// What was added of this type.
    pub(in crate::browser) fn get<T: Any>(&self) -> &T {
        let found = self.0.iter().find_map(|slot| slot.downcast_ref());
        found.unwrap_or_else(|| unreachable!("no part keeps a {}", std::any::type_name::<T>()))
    }
}
