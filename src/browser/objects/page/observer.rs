//! Subscribes to a page's CDP events before the page runs, and updates the page's state from them.
use std::sync::{Arc, Weak};

use tokio::time::sleep;

use super::dialogs::{DIALOG, Dialog, FileChooser};
use super::own::requested_size;
use super::{Page, PageEvent, PageInner};
use crate::bidi::commands::{FrameNameReported, INITIAL_EMPTY_DOCUMENT};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::navigation::REST;
use crate::cdp::types::console::{self, InspectorEnable};
use crate::cdp::types::emulation::SetFocusEmulationEnabled;
use crate::cdp::types::network::{self as net, Enable as NetworkEnable};
use crate::cdp::types::page as wire;
use crate::cdp::types::runtime::RunIfWaitingForDebugger;
use crate::cdp::types::target::{AttachedToTarget, DetachedFromTarget, FilterEntry, SetAutoAttach};
use crate::cdp::{CdpSession, Event, Observer, RawEvent};

/// The events of a page's sessions that are handled. Other events are not decoded.
const EVENTS: [&str; 26] = [
    AttachedToTarget::METHOD,
    DetachedFromTarget::METHOD,
    console::TargetCrashed::METHOD,
    wire::FrameAttached::METHOD,
    wire::FrameDetached::METHOD,
    wire::FrameNavigated::METHOD,
    FrameNameReported::METHOD,
    wire::NavigatedWithinDocument::METHOD,
    wire::FrameStartedNavigating::METHOD,
    wire::FrameRequestedNavigation::METHOD,
    wire::FrameStartedLoading::METHOD,
    wire::FrameStoppedLoading::METHOD,
    wire::LifecycleEvent::METHOD,
    wire::JavascriptDialogOpening::METHOD,
    wire::JavascriptDialogClosed::METHOD,
    wire::FileChooserOpened::METHOD,
    wire::WindowOpen::METHOD,
    net::RequestWillBeSent::METHOD,
    net::RequestWillBeSentExtraInfo::METHOD,
    net::ResponseReceived::METHOD,
    net::ResponseReceivedExtraInfo::METHOD,
    net::LoadingFinished::METHOD,
    net::LoadingFailed::METHOD,
    net::RequestServedFromCache::METHOD,
    net::WebSocketCreated::METHOD,
    net::WebSocketClosed::METHOD,
];

impl Page {
    fn show_document(&self, frame: &Frame) {
        self.context().hooks().iter().for_each(|hook| hook.on_document(self, frame));
    }

    /// Sets up a CDP session and handles its events. `is_root` is false for a frame in another process.
    pub(super) fn observe(&self, session: CdpSession, is_root: bool) {
        let page = Arc::downgrade(&self.inner);
        session.observe(
            &EVENTS,
            Arc::new(PageObserver { page: page.clone(), session: session.clone(), is_root }),
        );
        let set_up = self.set_up(&session);
        let size = (is_root && self.context().options().window_is_viewport)
            .then(|| session.send(wire::GetLayoutMetrics {}));
        tokio::spawn(async move {
            if let Some(Ok(metrics)) = futures_util::future::OptionFuture::from(size).await
                && let Some(inner) = page.upgrade()
            {
                let view = metrics.css_layout_viewport;
                Page { inner }.own(|own| own.window = Some((view.client_width, view.client_height)));
            }
            if let Ok(tree) = set_up.await
                && let Some(inner) = page.upgrade()
            {
                let page = Page { inner };
                // A popup's first document is empty and has no URL, until the requested document commits.
                let awaits_document = matches!(tree.frame_tree.frame.url.as_str(), "" | ":")
                    && page.main_frame().loader_id().is_empty();
                page.learn_tree(&tree.frame_tree, &session, is_root);
                if is_root {
                    match awaits_document && !page.is_script_window() {
                        true => page.update(|state| state.awaits_document = true),
                        false => page.set_ready(),
                    }
                }
            }
        });
    }

    /// Sends all commands that a new target needs before its first script. Returns the pending frame tree.
    fn set_up(&self, session: &CdpSession) -> crate::cdp::PendingReply<wire::FrameTreeReply> {
        session.send(wire::Enable {}).ignore();
        let tree = session.send(wire::GetFrameTree {});
        session.send(wire::SetLifecycleEventsEnabled { enabled: true }).ignore();
        session.send(NetworkEnable::default()).ignore();
        session.send(InspectorEnable {}).ignore();
        session.send(auto_attach()).ignore();
        let is_root = session.id() == self.inner.session.id();
        self.context().set_up_target(session, is_root);
        if is_root && let Some(size) = self.opener().and_then(|opener| opener.inner.state.lock().opens_size) {
            self.resize_popup(size);
        }
        self.own(|own| own.set_up(session));
        if self.is_in_front() || self.context().options().emulation.focus_everywhere {
            session.send(SetFocusEmulationEnabled { enabled: true }).ignore();
        }
        self.context().set_up_session(session, Some(self), None);
        session.send(RunIfWaitingForDebugger {}).ignore();
        tree
    }

    /// Marks popups of this page with a `javascript:` URL as ready: no document will commit in them.
    fn end_wait_of_script_windows(&self) {
        let is_waiting =
            |page: &Page| page.opener().as_ref() == Some(self) && page.inner.state.lock().awaits_document;
        for page in self.context().pages().into_iter().filter(is_waiting) {
            page.set_ready();
        }
    }

    fn is_script_window(&self) -> bool {
        self.opener().is_some_and(|opener| opener.inner.state.lock().opens_script)
    }

    /// Marks the page as ready and reports it to the context's listeners. Does so only once.
    pub(super) fn set_ready(&self) {
        let first = self.update(|state| {
            state.awaits_document = false;
            !state.ready
        });
        if first {
            self.context().on_page_ready(self);
            self.update(|state| state.ready = true);
            self.report_dialog();
        }
    }

    fn learn_tree(&self, tree: &wire::FrameTree, session: &CdpSession, is_root: bool) {
        let frame = self.frame_or_new(&tree.frame.id, tree.frame.parent_id.as_deref(), session);
        // A document that has committed in the meantime is newer than this tree.
        if frame.loader_id().is_empty() {
            let complete = tree.frame.url == "about:blank" && is_root;
            frame.committed(&tree.frame, session, complete);
            self.show_document(&frame);
        }
        for child in tree.child_frames.iter().flatten() {
            self.learn_tree(child, session, is_root);
        }
    }

    fn frame_or_new(&self, id: &str, parent: Option<&str>, session: &CdpSession) -> Frame {
        let mut state = self.inner.state.lock();
        if let Some(frame) = state.frames.get(id) {
            return frame.clone();
        }
        let parent = parent.and_then(|parent| state.frames.get(parent).cloned());
        let parent = parent.unwrap_or_else(|| self.inner.main_frame.clone());
        let number = state.next_frame;
        state.next_frame += 1;
        let frame = Frame::new(Arc::downgrade(&self.inner), id, number, Some(parent), session.clone());
        state.frames.insert(id.to_owned(), frame.clone());
        frame
    }

    fn on_event(&self, event: &RawEvent, session: &CdpSession) {
        if event.method().starts_with("Network.") {
            self.on_network_event(event, session);
        } else if let Some(event) = event.read::<wire::LifecycleEvent>() {
            let frame = self.frame_by_id(&event.frame_id);
            let current = frame.filter(|frame| frame.record_lifecycle(&event.loader_id, &event.name));
            self.update(|_| {});
            if current.is_some_and(|frame| frame == *self.main_frame()) {
                self.on_lifecycle_event(&event.name);
            }
        } else if event.method().starts_with("Page.frame")
            || [wire::NavigatedWithinDocument::METHOD, FrameNameReported::METHOD].contains(&event.method())
        {
            self.on_frame_event(event, session);
        } else if event.method().starts_with("Target.") {
            self.on_target_event(event);
        } else {
            self.on_other_event(event, session);
        }
    }

    /// Handles a lifecycle event of the main frame's document.
    fn on_lifecycle_event(&self, name: &str) {
        match name {
            "DOMContentLoaded" => {
                self.update(|state| state.journal.document_read());
                self.emit(&PageEvent::DomContentLoaded);
            }
            "load" => self.emit(&PageEvent::Load),
            _ => {}
        }
    }

    fn on_frame_event(&self, event: &RawEvent, session: &CdpSession) {
        if let Some(event) = event.read::<wire::FrameAttached>() {
            let frame = self.frame_or_new(&event.frame_id, Some(&event.parent_frame_id), session);
            frame.moved_to_process(session);
            self.emit(&PageEvent::FrameAttached(frame));
        } else if let Some(event) = event.read::<wire::FrameDetached>() {
            // "swap": the frame continues in another process, and keeps its number.
            if event.reason != "swap" {
                self.detach_frame(&event.frame_id);
            }
        } else if let Some(event) = event.read::<wire::FrameNavigated>() {
            let frame = self.frame_or_new(&event.frame.id, event.frame.parent_id.as_deref(), session);
            let restored = event.kind == "BackForwardCacheRestore";
            self.detach_children(&frame);
            let early = frame.committed(&event.frame, session, restored);
            self.context().note_origin(&event.frame.url);
            let main = frame == *self.main_frame();
            self.update(|state| {
                state.journal.committed(main, &event.frame.url);
                state.journal.frame_changed(&event.frame.id, Some(&event.frame.loader_id));
                if main {
                    state.network.document_changed(&event.frame.loader_id);
                    state.dialogs_in_a_row = 0;
                    state.chooser = None;
                }
            });
            if main && self.inner.state.lock().awaits_document {
                self.set_ready();
            }
            self.show_document(&frame);
            if event.kind != INITIAL_EMPTY_DOCUMENT {
                self.emit(&PageEvent::FrameNavigated(frame));
            }
            for (name, was_reported) in [("DOMContentLoaded", early.dom_content_loaded), ("load", early.load)]
            {
                if main && was_reported {
                    self.on_lifecycle_event(name);
                }
            }
        } else if let Some(event) = event.read::<FrameNameReported>() {
            if let Some(frame) = self.frame_by_id(&event.frame_id) {
                frame.named(event.name);
            }
        } else if let Some(event) = event.read::<wire::NavigatedWithinDocument>() {
            let main = event.frame_id == self.inner.target;
            if let Some(frame) = self.frame_by_id(&event.frame_id) {
                frame.moved_within(&event.url);
                self.update(|state| {
                    state.journal.moved_within(main);
                    state.journal.stays(&event.frame_id);
                });
                self.emit(&PageEvent::FrameNavigated(frame));
            }
        } else if let Some(event) = event.read::<wire::FrameStartedNavigating>() {
            // Navigations of the types `sameDocument` and `historySameDocument` keep the document.
            if !event.navigation_type.ends_with("ameDocument")
                && let Some(frame) = self.frame_by_id(&event.frame_id)
            {
                frame.leaves();
            }
            let main = event.frame_id == self.inner.target;
            self.update(|state| state.journal.navigation_begun(main));
        } else if let Some(event) = event.read::<wire::FrameRequestedNavigation>() {
            let is_here = event.disposition == "currentTab";
            let main = event.frame_id == self.inner.target && is_here;
            self.update(|state| {
                state.journal.navigation_begun_by_page(main);
                state.record_program_request(&event.url);
                if is_here {
                    state.journal.leaves(&event.frame_id);
                }
            });
        } else if let Some(event) = event.read::<wire::FrameStartedLoading>() {
            self.update(|state| state.journal.loading(&event.frame_id, true));
        } else if let Some(event) = event.read::<wire::FrameStoppedLoading>() {
            if let Some(frame) = self.frame_by_id(&event.frame_id) {
                frame.stopped_loading();
            }
            self.update(|state| {
                state.journal.loading(&event.frame_id, false);
                state.journal.stays(&event.frame_id);
            });
        }
    }

    fn on_target_event(&self, event: &RawEvent) {
        if let Some(event) = event.read::<AttachedToTarget>() {
            let Ok(browser) = self.context().browser() else { return };
            let session = browser.connection().session(&event.session_id);
            if event.target_info.kind == "iframe" {
                let frame = self.frame_or_new(&event.target_info.target_id, None, &session);
                frame.moved_to_process(&session);
                self.observe(session, false);
            } else {
                self.context().set_up_worker(&session, &event.target_info, Some(self));
            }
        } else if let Some(event) = event.read::<DetachedFromTarget>() {
            // The frame itself continues, maybe in another process, until `Page.frameDetached`.
            for frame in self.frames() {
                if frame.session().id() == event.session_id {
                    frame.forget_worlds();
                }
            }
            self.update(|_| ());
        }
    }

    /// Handles the start of a worker. Marks its script request as finished: the page gets no event for that.
    pub(in crate::browser) fn on_worker_begun(&self, id: &str) {
        self.update(|state| {
            state.journal.request_ended(id);
            state.network.arrived(id);
        });
    }

    /// Records `networkIdle` for a frame with an open event stream, as the browser does not report it there.
    fn report_idle_beside_stream(&self, stream: &net::RequestWillBeSent) {
        let Some(frame) = stream.frame_id.as_ref().and_then(|id| self.frame_by_id(id)) else { return };
        let (page, loader) = (self.clone(), stream.loader_id.clone());
        tokio::spawn(async move {
            let is_left = || *frame.loader_id() != *loader || frame.lifecycle_events().network_idle;
            while page.until(|_| (is_left() || frame.lifecycle_events().load).then_some(())).await.is_ok()
                && !is_left()
            {
                match page.with_journal(|journal| journal.busy_for(frame.id(), REST)) {
                    Some(time) => sleep(time).await,
                    None => {
                        frame.record_lifecycle(&loader, "networkIdle");
                        page.update(|_| {});
                    }
                }
            }
        });
    }

    fn on_network_event(&self, event: &RawEvent, session: &CdpSession) {
        let private = self.context().is_private();
        if let Some(event) = event.read::<net::RequestWillBeSent>() {
            if event.kind.as_deref() == Some("EventSource") {
                self.report_idle_beside_stream(&event);
            }
            self.update(|state| {
                state.journal.request_begun(&event);
                if !private {
                    state.network.begun(event, session.id());
                }
            });
        } else if let Some(event) = event.read::<net::ResponseReceived>() {
            self.update(|state| {
                state.journal.request_answered(&event);
                state.network.answered(event);
            });
        } else if let Some(event) = event.read::<net::LoadingFinished>() {
            self.update(|state| {
                state.journal.request_ended(&event.request_id);
                state.network.finished(&event);
            });
        } else if let Some(event) = event.read::<net::LoadingFailed>() {
            self.update(|state| {
                state.journal.request_failed(&event);
                state.network.failed(&event);
            });
        } else if let Some(report) = event.read::<net::RequestWillBeSentExtraInfo>() {
            // No task waits for headers, so no change is signalled.
            if !private {
                self.inner.state.lock().network.sent(report);
            }
        } else if let Some(report) = event.read::<net::ResponseReceivedExtraInfo>() {
            self.inner.state.lock().network.received(report);
        } else if let Some(event) = event.read::<net::RequestServedFromCache>() {
            self.update(|state| state.network.served_from_cache(&event.request_id));
        } else if let Some(event) = event.read::<net::WebSocketCreated>() {
            self.update(|state| {
                state.journal.effect();
                if !private {
                    state.network.socket_opened(&event);
                }
            });
        } else if let Some(event) = event.read::<net::WebSocketClosed>() {
            self.update(|state| state.network.socket_closed(&event.request_id));
        }
    }

    fn on_other_event(&self, event: &RawEvent, session: &CdpSession) {
        if let Some(event) = event.read::<wire::JavascriptDialogOpening>() {
            let dialog = Dialog {
                kind: event.kind,
                message: event.message,
                default_prompt: event.default_prompt.unwrap_or_default(),
                url: event.url,
                session: session.id().to_owned(),
                number: 0,
            };
            self.on_dialog(dialog, session);
        } else if event.method() == wire::JavascriptDialogClosed::METHOD {
            self.update(|state| {
                state.dialog = None;
                state.dialog_closed = state.dialogs_so_far;
                state.journal.loading(DIALOG, false);
            });
            self.emit(&PageEvent::DialogClosed);
        } else if let Some(event) = event.read::<wire::FileChooserOpened>() {
            let frame = self.frame_by_id(&event.frame_id).unwrap_or_else(|| self.main_frame().clone());
            let chooser = FileChooser {
                frame,
                backend_node_id: event.backend_node_id,
                multiple: event.mode == "selectMultiple",
            };
            self.update(|state| {
                state.chooser = Some(chooser.clone());
                state.journal.effect();
            });
            self.emit(&PageEvent::FileChooser(chooser));
        } else if let Some(event) = event.read::<wire::WindowOpen>() {
            self.update(|state| {
                state.journal.window_opened();
                state.opens_script = event.url.starts_with("javascript:");
                state.opens_size = requested_size(&event.window_features);
            });
            if event.url.starts_with("javascript:") {
                self.end_wait_of_script_windows();
            }
        } else if event.method() == console::TargetCrashed::METHOD {
            if session.id() == self.inner.session.id() {
                let was_ended = self.update(|state| {
                    state.crashed = true;
                    state.dialog = None;
                    std::mem::take(&mut state.ending)
                });
                if !was_ended {
                    self.emit(&PageEvent::Crashed);
                }
            } else {
                self.update(|state| state.journal.effect());
            }
        }
    }

    fn detach_children(&self, parent: &Frame) {
        let children: Vec<_> = {
            let state = self.inner.state.lock();
            let children = state.frames.values().filter(|frame| frame.parent() == Some(parent));
            children.map(|frame| frame.id().to_owned()).collect()
        };
        for child in children {
            self.detach_frame(&child);
        }
    }

    fn detach_frame(&self, id: &str) {
        let Some(frame) = self.frame_by_id(id) else { return };
        self.detach_children(&frame);
        frame.detach();
        self.update(|state| {
            state.frames.remove(id);
            state.journal.loading(id, false);
            state.journal.frame_changed(id, None);
        });
        self.emit(&PageEvent::FrameDetached(frame));
    }

    fn on_closed(&self) {
        for frame in self.frames() {
            frame.detach();
        }
        if self.has_opener() {
            self.set_ready(); // Also reports a popup that its opener closed at once.
        }
        self.context().page_closed(self); // First, so that waiting tasks see the context without this page.
        self.update(|state| {
            state.closed = true;
            state.dialog = None;
            state.chooser = None;
        });
        self.context().hooks().iter().for_each(|hook| hook.on_page_closed(self));
        self.emit(&PageEvent::Closed);
        self.context().forget_if_unused();
    }
}

/// Passes the events of one CDP session to its page.
struct PageObserver {
    page: Weak<PageInner>,
    session: CdpSession,
    is_root: bool,
}

impl Observer for PageObserver {
    fn on_event(&self, event: RawEvent) {
        if let Some(inner) = self.page.upgrade() {
            Page { inner }.on_event(&event, &self.session);
        }
    }

    fn ended(&self) {
        if self.is_root
            && let Some(inner) = self.page.upgrade()
        {
            Page { inner }.on_closed();
        }
    }
}

/// Returns the command that attaches to new workers and frames in other processes before they run.
fn auto_attach() -> SetAutoAttach {
    let exclude = |kind: &str| FilterEntry { exclude: true, kind: Some(kind.to_owned()) };
    SetAutoAttach {
        auto_attach: true,
        wait_for_debugger_on_start: true,
        flatten: true,
        filter: Some(vec![exclude("browser"), exclude("tab"), exclude("page"), FilterEntry::default()]),
    }
}
