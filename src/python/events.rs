//! Sends engine events to Python's event handlers.
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::bridge::{Event, Queue, event, runtime};
use super::frame::Frame;
use super::handle::JsHandle;
use super::network::{Worker, follow_traffic};
use super::page::{Call, Dialog, FileChooser, Page};
use crate::browser::{Browser, ConsoleEntry, ConsoleEvent, ContextEvent, EntryKind, PageEvent};

/// Sends the `disconnected` event of a browser to `queue`.
pub(super) fn follow_browser(browser: &Browser, queue: &Arc<Queue>) {
    let (queue, watched) = (queue.clone(), browser.clone());
    let key = browser.instance_id();
    runtime().spawn(async move {
        watched.wait_for_disconnect().await;
        drop(watched);
        queue.emit_with("disconnected", key, ());
    });
}

/// Starts sending all events of a context and its pages to `queue`.
pub(super) fn follow_context(context: &crate::browser::BrowserContext, queue: &Arc<Queue>) {
    let key = context.instance_id();
    let listener = {
        let queue = queue.clone();
        move |event: &ContextEvent| match event {
            ContextEvent::Page(page) => {
                follow_page(page, key, &queue);
                queue.emit_with("page", key, Page(page.clone()));
            }
            ContextEvent::Closed => {
                queue.forget(key);
                queue.emit_with("context_closed", key, ());
            }
        }
    };
    follow_traffic(context, queue);
    context.listen(Arc::new(listener));
    let console = queue.clone();
    context.listen_to_console(Arc::new(move |event| emit_console(event, key, &console)));
    for page in context.pages() {
        follow_page(&page, key, queue);
    }
}

fn emit_console(event: &ConsoleEvent, key: usize, queue: &Queue) {
    match event {
        ConsoleEvent::Held(batch) => queue.hold(*batch),
        ConsoleEvent::Entries(0, entries) => {
            for entry in entries {
                queue.emit(console_event(entry, key));
            }
        }
        ConsoleEvent::Entries(batch, entries) => {
            queue.release(*batch, entries.iter().map(|entry| console_event(entry, key)).collect())
        }
    }
}

fn console_event(entry: &ConsoleEntry, key: usize) -> Event {
    let place = (entry.url.clone(), entry.line, entry.column);
    let (page, worker) = (entry.page.clone().map(Page), entry.worker.clone().map(Worker));
    match entry.kind.clone() {
        EntryKind::Logged { kind, text, arguments } => {
            let arguments: Vec<_> = arguments.into_iter().map(JsHandle).collect();
            event("console", key, (kind, text, arguments, place, entry.timestamp, page, worker))
        }
        EntryKind::Uncaught { text } => event("uncaught", key, (text, place, page)),
    }
}

fn follow_page(page: &crate::browser::Page, context: usize, queue: &Arc<Queue>) {
    let (queue, key, subscribed) = (queue.clone(), page.instance_id(), queue.subscribed(context));
    let calls = queue.clone();
    page.listen_to_calls(Arc::new(move |call| calls.emit_with("called", key, Call(call.clone()))));
    let asked = page.downgrade();
    page.listen(Arc::new(move |event| match event {
        PageEvent::Dialog(dialog) if !subscribed.dialogs.load(Ordering::Acquire) => {
            if let Some(page) = asked.upgrade() {
                answer_unhandled(page, dialog.kind == "beforeunload");
            }
        }
        _ => emit(event, key, &queue),
    }));
}

/// Answers a dialog that the script does not handle, since an open dialog blocks the page.
fn answer_unhandled(page: crate::browser::Page, leaves: bool) {
    runtime().spawn(async move {
        // Fails if the dialog was closed already.
        let _ = page.answer_dialog(leaves, None).await;
    });
}

fn emit(event: &PageEvent, key: usize, queue: &Arc<Queue>) {
    match event {
        PageEvent::FrameAttached(frame) => queue.emit_with("frameattached", key, Frame(frame.clone())),
        PageEvent::FrameDetached(frame) => queue.emit_with("framedetached", key, Frame(frame.clone())),
        PageEvent::FrameNavigated(frame) => queue.emit_with("framenavigated", key, Frame(frame.clone())),
        PageEvent::DomContentLoaded => queue.emit_with("domcontentloaded", key, ()),
        PageEvent::Load => queue.emit_with("load", key, ()),
        PageEvent::Closed => queue.emit_with("close", key, ()),
        PageEvent::Crashed => queue.emit_with("crash", key, ()),
        PageEvent::Dialog(dialog) => queue.emit_with("dialog", key, Dialog(dialog.clone())),
        PageEvent::DialogClosed => queue.emit_with("dialogclosed", key, ()),
        PageEvent::FileChooser(chooser) => queue.emit_with("filechooser", key, FileChooser(chooser.clone())),
    }
}
