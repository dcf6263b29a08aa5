//! What the engine tells, on its way to Python's event handlers.
use std::sync::Arc;

use pyo3::prelude::*;

use super::bridge::Queue;
use super::frame::Frame;
use super::network::follow_traffic;
use super::page::{Call, Dialog, FileChooser, Page};
use crate::browser::Browser;
use crate::browser::events::{ContextEvent, PageEvent};

/// Tells `queue` all that happens in a browser, from now on.
pub(super) fn follow_browser(browser: &Browser, queue: &Arc<Queue>) {
    let (queue, watched) = (queue.clone(), browser.clone());
    let key = browser.key();
    pyo3_async_runtimes::tokio::get_runtime().spawn(async move {
        watched.until_ended().await;
        drop(watched);
        queue.tell(Box::new(move |_, handler| handler.call1(("disconnected", key, ())).map(drop)));
    });
}

/// Tells `queue` all that happens in a context and in its pages, from now on.
pub(super) fn follow_context(context: &crate::browser::BrowserContext, queue: &Arc<Queue>) {
    let key = context.key();
    let listener = {
        let queue = queue.clone();
        move |event: &ContextEvent| match event {
            ContextEvent::Page(page) => {
                follow_page(page, &queue);
                let page = Page(page.clone());
                queue.tell(Box::new(move |_, handler| handler.call1(("page", key, page)).map(drop)));
            }
            ContextEvent::Closed => {
                queue.tell(Box::new(move |_, handler| handler.call1(("context_closed", key, ())).map(drop)));
            }
        }
    };
    follow_traffic(context, queue);
    context.listen(Arc::new(listener));
    for page in context.pages() {
        follow_page(&page, queue);
    }
}

fn follow_page(page: &crate::browser::Page, queue: &Arc<Queue>) {
    let (queue, key) = (queue.clone(), page.key());
    page.listen(Arc::new(move |event| tell(event, key, &queue)));
}

fn tell(event: &PageEvent, key: usize, queue: &Arc<Queue>) {
    /// Queues an event with what belongs to it.
    macro_rules! tell {
        ($name:literal, $payload:expr) => {{
            let payload = $payload;
            queue.tell(Box::new(move |_, handler| handler.call1(($name, key, payload)).map(drop)))
        }};
    }
    match event {
        PageEvent::FrameAttached(frame) => tell!("frameattached", Frame(frame.clone())),
        PageEvent::FrameDetached(frame) => tell!("framedetached", Frame(frame.clone())),
        PageEvent::FrameNavigated(frame) => tell!("framenavigated", Frame(frame.clone())),
        PageEvent::DomContentLoaded => tell!("domcontentloaded", ()),
        PageEvent::Load => tell!("load", ()),
        PageEvent::Closed => tell!("close", ()),
        PageEvent::Crashed => tell!("crash", ()),
        PageEvent::Dialog(dialog) => tell!("dialog", Dialog(dialog.clone())),
        PageEvent::DialogClosed => tell!("dialogclosed", ()),
        PageEvent::FileChooser(chooser) => tell!("filechooser", FileChooser(chooser.clone())),
        PageEvent::Called(call) => tell!("called", Call(call.clone())),
    }
}
