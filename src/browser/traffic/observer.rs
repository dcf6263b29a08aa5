//! Reports the network events of a context's pages and workers, in order. Without a listener, no CDP events
//! are subscribed to; without a route, no requests are intercepted.
mod blocking;
mod hold;
mod sockets;

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use blocking::Blocks;
pub use blocking::{BlockId, BlockRules};
use hold::{follow, refuse, resume};

use super::request::{Request, RequestOrigin, Response, SentRequest};
use super::route::{Route, entries, preflight_answer};
use super::socket::{WebSocket, WebSocketEvent};
use crate::browser::objects::context::{BrowserContext, ContextInner};
use crate::browser::objects::download::Download;
use crate::browser::objects::hooks::{Extensions, Hooks, NewSession};
use crate::browser::objects::listeners::Listener;
use crate::browser::objects::network::body_of;
use crate::browser::objects::page::Page;
use crate::browser::objects::worker::{Worker, WorkerKind};
use crate::browser::options::routing::InterceptedUrls;
use crate::cdp::types::network::{
    self as wire, AuthRequired, HeaderList, LoadingFailed, LoadingFinished, RequestPaused, RequestWillBeSent,
    RequestWillBeSentExtraInfo, ResponseReceived, ResponseReceivedExtraInfo, WebSocketClosed,
    WebSocketCreated, WebSocketFrameError, WebSocketFrameReceived, WebSocketFrameSent,
    WebSocketHandshakeResponseReceived,
};
use crate::cdp::{CdpSession, Event, Observer, PendingReply, RawEvent};

/// A network event of a context.
#[derive(Debug, Clone)]
pub enum NetworkEvent {
    Request(Request),
    Response(Response),
    RequestFinished(Request),
    RequestFailed(Request),
    /// An intercepted request. Follows the [`NetworkEvent::Request`] of the same request.
    Route(Route),
    WebSocket(WebSocket),
    Socket(WebSocket, WebSocketEvent),
    Worker(Worker),
    WorkerClosed(Worker),
    Download(Download),
}

/// The number of completed requests that are remembered by id, because their headers may arrive later.
const REMEMBERED: usize = 300;
/// The number of requests that are kept for each page.
const NEWEST: usize = 100;

#[derive(Default)]
struct Traffic {
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    followers: Vec<Listener<NetworkEvent>>,
    known: HashMap<String, Known>,
    done: VecDeque<String>,
    /// The latest requests of each page, oldest first.
    newest: HashMap<usize, VecDeque<Request>>,
    /// Requests that the renderer process has reported and the network process has not intercepted yet.
    announced: HashMap<String, (RequestWillBeSent, Source)>,
    /// Requests that the network process has intercepted and the renderer process has not reported yet.
    stopped: HashMap<String, (RequestPaused, Source)>,
    sockets: HashMap<String, WebSocket>,
    workers: Vec<Worker>,
    /// Ids of requests whose authentication challenge was answered. A second one means wrong credentials.
    challenged: VecDeque<String>,
    routed: InterceptedUrls,
    blocks: Blocks,
    /// Ids of sessions with interception, and whether their cache is disabled. Enabling interception twice
    /// would lose the requests that are waiting.
    held: HashMap<String, bool>,
}

impl fmt::Debug for Traffic {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter
            .debug_struct("Traffic")
            .field("known", &self.state.lock().known.len())
            .finish_non_exhaustive()
    }
}

/// A request and its redirects, in order.
struct Known {
    hops: Vec<Request>,
    /// Headers that arrived before the request or response they belong to.
    early_sent: VecDeque<HeaderList>,
    early_received: VecDeque<HeaderList>,
}

impl Known {
    fn current(&self) -> Option<&Request> {
        self.hops.last()
    }
}

/// The session that sent an event, with its page or worker.
#[derive(Debug, Clone)]
pub(in crate::browser) struct Source {
    session: CdpSession,
    page: Option<Page>,
    worker: Option<Worker>,
}

/// The CDP events that are observed while the context has a network listener.
const EVENTS: [&str; 15] = [
    RequestWillBeSent::METHOD,
    RequestWillBeSentExtraInfo::METHOD,
    ResponseReceived::METHOD,
    ResponseReceivedExtraInfo::METHOD,
    LoadingFinished::METHOD,
    LoadingFailed::METHOD,
    WebSocketCreated::METHOD,
    WebSocketHandshakeResponseReceived::METHOD,
    WebSocketFrameSent::METHOD,
    WebSocketFrameReceived::METHOD,
    WebSocketFrameError::METHOD,
    WebSocketClosed::METHOD,
    RequestPaused::METHOD,
    AuthRequired::METHOD,
    wire::RequestServedFromCache::METHOD,
];

/// The hooks that report the network events of new pages and workers.
pub(in crate::browser) struct TrafficHooks;

impl Hooks for TrafficHooks {
    fn extend_context(&self, extensions: &mut Extensions) {
        extensions.add::<Traffic>();
    }

    fn on_session(&self, new: &NewSession<'_>) {
        new.context.attend(new.session, new.page, new.worker);
    }

    fn on_download(&self, context: &BrowserContext, download: &Download) {
        context.emit(&NetworkEvent::Download(download.clone()));
    }

    fn on_page_closed(&self, page: &Page) {
        page.context().end_traffic_of(page);
    }
}

impl BrowserContext {
    fn traffic(&self) -> &Traffic {
        self.extension()
    }

    /// Subscribes to network events of the context's pages and workers.
    pub fn listen_to_network(&self, follower: Listener<NetworkEvent>) {
        let first = {
            let mut state = self.traffic().state.lock();
            state.followers.push(follower);
            state.followers.len() == 1
        };
        if first {
            for page in self.pages() {
                for session in page.sessions() {
                    self.attend(&session, Some(&page), None);
                }
            }
        }
    }

    /// Whether the context has a listener for network events.
    pub(in crate::browser) fn is_followed(&self) -> bool {
        !self.traffic().state.lock().followers.is_empty()
    }

    /// If the context has listeners, subscribes to the events of a new session before its target runs.
    fn attend(&self, session: &CdpSession, page: Option<&Page>, worker: Option<&Worker>) {
        if !self.is_followed() {
            return;
        }
        let source = Source { session: session.clone(), page: page.cloned(), worker: worker.cloned() };
        session.observe(
            &EVENTS,
            Arc::new(TrafficObserver { context: self.downgrade(), source: source.clone() }),
        );
        if let Some(worker) = worker {
            session.send(wire::Enable::default()).ignore();
            let mut state = self.traffic().state.lock();
            state.workers.push(worker.clone());
            drop(state);
            self.emit(&NetworkEvent::Worker(worker.clone()));
        }
        self.update_hold(&source).into_iter().for_each(PendingReply::ignore);
    }

    /// Returns the running workers of this context that started while it had a network listener.
    pub fn workers(&self) -> Vec<Worker> {
        self.traffic().state.lock().workers.clone()
    }

    /// Returns the request with this CDP id; for a redirect chain, the last request.
    pub fn request_by_id(&self, id: &str) -> Option<Request> {
        self.traffic().state.lock().known.get(id)?.current().cloned()
    }

    pub(in crate::browser) fn emit(&self, news: &NetworkEvent) {
        let followers = self.traffic().state.lock().followers.clone();
        for follower in followers {
            follower(news);
        }
    }

    fn on_event(&self, event: &RawEvent, source: &Source) {
        match event.method() {
            RequestWillBeSent::METHOD => self.on_request_announced(event, source),
            RequestPaused::METHOD => self.on_request_paused(event, source),
            AuthRequired::METHOD => self.on_auth_required(event, source),
            ResponseReceived::METHOD => self.on_response(event, source),
            LoadingFinished::METHOD | LoadingFailed::METHOD => self.on_request_ended(event),
            wire::RequestServedFromCache::METHOD => {
                if let Some(event) = event.read::<wire::RequestServedFromCache>() {
                    self.on_served_from_cache(&event.request_id);
                    if let Some(request) = self.request_by_id(&event.request_id) {
                        request.headers_are_settled();
                    }
                }
            }
            RequestWillBeSentExtraInfo::METHOD => {
                if let Some(event) = event.read::<RequestWillBeSentExtraInfo>() {
                    self.on_sent_headers(&event.request_id, event.headers);
                }
            }
            ResponseReceivedExtraInfo::METHOD => {
                if let Some(event) = event.read::<ResponseReceivedExtraInfo>() {
                    self.on_received_headers(&event.request_id, event.headers);
                }
            }
            _ => self.on_socket_event(event, source),
        }
    }

    fn on_request_announced(&self, event: &RawEvent, source: &Source) {
        let Some(event) = event.read::<RequestWillBeSent>() else { return };
        if event.request.url.starts_with("data:") {
            return;
        }
        let id = event.request_id.clone();
        let is_redirected = event.redirect_response.is_some();
        if is_icon(&event)
            || (is_redirected && self.request_by_id(&id).is_none())
            || self.is_reported_elsewhere(&id, source)
        {
            return;
        }
        // A redirect is intercepted too, but handlers see it only if a handler's response produced it.
        if (is_redirected && !self.is_fulfilled(&id)) || !self.holds(source) {
            self.begin(event, source, None);
            return;
        }
        let stopped = {
            let mut state = self.traffic().state.lock();
            let stopped = state.stopped.remove(&id);
            if stopped.is_none() {
                state.announced.insert(id, (event.clone(), source.clone()));
            }
            stopped
        };
        if let Some((stopped, at)) = stopped {
            self.begin(event, source, Some((stopped, at)));
        }
    }

    fn on_request_paused(&self, event: &RawEvent, source: &Source) {
        let Some(event) = event.read::<RequestPaused>() else { return };
        let Some(id) = event
            .network_id
            .clone()
            .filter(|_| !(event.resource_type == "Other" && is_icon_url(&event.request.url)))
        else {
            // Handlers do not see this request, so nothing else would continue it.
            resume(source, event.request_id);
            return;
        };
        if event.redirected_request_id.is_some() && !self.is_fulfilled(&id) {
            let known =
                self.traffic().state.lock().known.get(&id).and_then(|known| known.hops.first().cloned());
            let is_tab = known.as_ref().is_some_and(Request::is_main_frame_navigation);
            if !is_tab && self.blocks(&event.request.url, &event.resource_type) {
                refuse(source, event.request_id);
                return;
            }
            follow(source, &event, known.as_ref());
            return;
        }
        let announced = {
            let mut state = self.traffic().state.lock();
            let announced = state.announced.remove(&id);
            let known = state.known.get(&id).and_then(Known::current);
            let begun = known.is_some_and(|request| !request.is_fulfilled());
            if announced.is_none() && !begun {
                state.stopped.insert(id, (event.clone(), source.clone()));
                return;
            }
            announced
        };
        match announced {
            Some((announced, by)) => self.begin(announced, &by, Some((event, source.clone()))),
            // The request was announced before interception began, or is being repeated with credentials.
            None => resume(source, event.request_id),
        }
    }

    fn is_fulfilled(&self, id: &str) -> bool {
        self.request_by_id(id).is_some_and(|request| request.is_fulfilled())
    }

    /// Handles a request that the cache answers. Such requests are not intercepted.
    fn on_served_from_cache(&self, id: &str) {
        let announced = self.traffic().state.lock().announced.remove(id);
        if let Some((announced, source)) = announced {
            self.begin(announced, &source, None);
        }
    }

    fn begin(&self, event: RequestWillBeSent, source: &Source, stopped: Option<(RequestPaused, Source)>) {
        let id = event.request_id.clone();
        let redirected_from = event.redirect_response.as_ref().and_then(|response| {
            self.redirected(&id, response.clone(), event.redirect_has_extra_info, event.timestamp)
        });
        let request = Request::new(
            source.session.clone(),
            id.clone(),
            sent(&event, stopped.as_ref().map(|(stopped, _)| &stopped.request)),
            self.origin(&event, source, redirected_from.as_ref()),
            redirected_from,
        );
        self.keep(&id, request.clone());
        self.emit(&NetworkEvent::Request(request.clone()));
        let Some((stopped, at)) = stopped else { return };
        let route = Route::new(request.clone(), at.session.clone(), stopped.request_id);
        if !request.is_main_frame_navigation() && self.blocks(request.url(), &request.resource_type()) {
            route.refuse_at_once();
        } else if !self.is_routed_url(&at, request.url()) {
            route.continue_unchanged();
        } else if request.method() == "OPTIONS" {
            // The browser itself sends a CORS preflight. Permit it: a handler decides on the actual request.
            route.fulfill_at_once(&preflight_answer(request.headers()));
        } else {
            request.set_held(true);
            self.emit(&NetworkEvent::Route(route));
        }
    }

    fn origin(&self, event: &RequestWillBeSent, source: &Source, before: Option<&Request>) -> RequestOrigin {
        if let Some(before) = before {
            return before.origin().clone();
        }
        let service = source.worker.clone().filter(|worker| worker.kind() == WorkerKind::Service);
        let named = event.frame_id.as_deref().filter(|_| service.is_none());
        let frame = named.and_then(|id| {
            let own = source.page.as_ref().and_then(|page| page.frame_by_id(id));
            own.or_else(|| self.pages().iter().find_map(|page| page.frame_by_id(id)))
        });
        let frame = frame.or_else(|| source.page.as_ref().map(|page| page.main_frame().clone()));
        let page = frame.as_ref().and_then(|frame| frame.page().ok());
        RequestOrigin { page, frame, service_worker: service }
    }

    /// Handles the redirect response of a request. Returns the request that was redirected.
    fn redirected(&self, id: &str, response: wire::Response, has_more: bool, at: f64) -> Option<Request> {
        let before = self.request_by_id(id)?;
        let encoded_bytes = response.encoded_data_length;
        before.answered(response, has_more);
        before.ended(at, encoded_bytes);
        if let Some(response) = before.response_so_far() {
            self.emit(&NetworkEvent::Response(response));
        }
        self.emit(&NetworkEvent::RequestFinished(before.clone()));
        Some(before)
    }

    fn keep(&self, id: &str, request: Request) {
        let mut state = self.traffic().state.lock();
        let known = state.known.entry(id.to_owned()).or_insert_with(Known::empty);
        if let Some(headers) = known.early_sent.pop_front() {
            request.sent_headers(headers);
        }
        if let Some(headers) = known.early_received.pop_front() {
            request.received_headers(headers);
        }
        known.hops.push(request.clone());
        if let Some(page) = request.page() {
            let newest = state.newest.entry(page.instance_id()).or_default();
            if newest.len() == NEWEST {
                newest.pop_front();
            }
            newest.push_back(request);
        }
    }

    pub(in crate::browser) fn newest_requests(&self, page: &Page) -> Vec<Request> {
        self.traffic()
            .state
            .lock()
            .newest
            .get(&page.instance_id())
            .map(|all| all.iter().cloned().collect())
            .unwrap_or_default()
    }

    fn on_response(&self, event: &RawEvent, source: &Source) {
        let Some(event) = event.read::<ResponseReceived>() else { return };
        self.on_served_from_cache(&event.request_id);
        let Some(request) = self.request_by_id(&event.request_id) else { return };
        if request.has_response() {
            return;
        }
        // If the document is loaded in another process, that process has the body.
        request.set_session(source.session.clone());
        request.answered(event.response, event.has_extra_info);
        if let Some(response) = request.response_so_far() {
            self.emit(&NetworkEvent::Response(response));
        }
    }

    fn on_request_ended(&self, event: &RawEvent) {
        if let Some(event) = event.read::<LoadingFinished>() {
            self.on_served_from_cache(&event.request_id);
            let Some(request) = self.request_by_id(&event.request_id) else { return };
            if request.is_done() {
                return;
            }
            request.ended(event.timestamp, event.encoded_data_length);
            self.done(&event.request_id);
            self.emit(&NetworkEvent::RequestFinished(request));
        } else if let Some(event) = event.read::<LoadingFailed>() {
            self.on_served_from_cache(&event.request_id);
            let Some(request) = self.request_by_id(&event.request_id) else { return };
            if request.is_done() {
                return;
            }
            let reason = match (event.error_text.as_str(), event.blocked_reason) {
                ("", Some(blocked)) => blocked,
                (text, _) => text.to_owned(),
            };
            request.failed(event.timestamp, reason);
            self.done(&event.request_id);
            self.emit(&NetworkEvent::RequestFailed(request));
        }
    }

    fn done(&self, id: &str) {
        let mut state = self.traffic().state.lock();
        state.done.push_back(id.to_owned());
        if state.done.len() > REMEMBERED
            && let Some(oldest) = state.done.pop_front()
        {
            state.known.remove(&oldest);
        }
    }

    fn on_sent_headers(&self, id: &str, headers: HeaderList) {
        let mut state = self.traffic().state.lock();
        let known = state.known.entry(id.to_owned()).or_insert_with(Known::empty);
        match known.hops.iter().find(|hop| hop.needs_sent_headers()) {
            Some(hop) => hop.sent_headers(headers),
            None => known.early_sent.push_back(headers),
        }
    }

    fn on_received_headers(&self, id: &str, headers: HeaderList) {
        let mut state = self.traffic().state.lock();
        let known = state.known.entry(id.to_owned()).or_insert_with(Known::empty);
        match known.hops.iter().find(|hop| hop.needs_received_headers()) {
            Some(hop) => hop.received_headers(headers),
            None => known.early_received.push_back(headers),
        }
    }

    fn worker_ended(&self, worker: &Worker) {
        let (was_there, abandoned) = {
            let mut state = self.traffic().state.lock();
            state.held.remove(worker.session().id());
            let before = state.workers.len();
            state.workers.retain(|known| known != worker);
            let abandoned = state.abandon(|request| request.session().id() == worker.session().id());
            (state.workers.len() < before, abandoned)
        };
        for request in abandoned {
            request.abandoned();
        }
        if was_there {
            worker.ended();
            self.emit(&NetworkEvent::WorkerClosed(worker.clone()));
        }
    }

    /// Ends all pending requests of a page that was closed.
    fn end_traffic_of(&self, page: &Page) {
        let (workers, sockets, abandoned) = {
            let mut state = self.traffic().state.lock();
            state.newest.remove(&page.instance_id());
            for session in page.sessions() {
                state.held.remove(session.id());
            }
            state.announced.retain(|_, (_, source)| source.page.as_ref() != Some(page));
            state.stopped.retain(|_, (_, source)| source.page.as_ref() != Some(page));
            let sockets: Vec<_> = state
                .sockets
                .extract_if(|_, socket| socket.page() == page)
                .map(|(_, socket)| socket)
                .collect();
            let workers: Vec<_> =
                state.workers.extract_if(.., |worker| worker.page() == Some(page)).collect();
            (workers, sockets, state.abandon(|request| request.page() == Some(page)))
        };
        for request in abandoned {
            request.abandoned();
        }
        for socket in sockets {
            self.emit(&NetworkEvent::Socket(socket, WebSocketEvent::Closed));
        }
        for worker in workers {
            worker.ended();
            self.emit(&NetworkEvent::WorkerClosed(worker));
        }
    }
}

impl State {
    /// Removes and returns the pending requests that match; the browser will not report their end.
    fn abandon(&mut self, of: impl Fn(&Request) -> bool) -> Vec<Request> {
        let gone = self.known.extract_if(|_, known| known.current().is_some_and(&of));
        let gone: Vec<_> = gone.flat_map(|(_, known)| known.hops).collect();
        let known = &self.known;
        self.done.retain(|id| known.contains_key(id));
        gone
    }
}

impl Known {
    fn empty() -> Self {
        Self { hops: Vec::new(), early_sent: VecDeque::new(), early_received: VecDeque::new() }
    }
}

/// Whether the request is the browser's own request for a tab icon, which the page cannot see.
fn is_icon(event: &RequestWillBeSent) -> bool {
    event.kind.as_deref() == Some("Other") && is_icon_url(&event.request.url)
}

pub(in crate::browser) fn is_icon_url(url: &str) -> bool {
    url.ends_with("/favicon.ico")
}

fn sent(event: &RequestWillBeSent, stopped: Option<&wire::Request>) -> SentRequest {
    let body = body_of(&event.request).0.or_else(|| body_of(stopped?).0);
    SentRequest {
        url: event.request.url.clone(),
        method: event.request.method.clone(),
        headers: stopped.map_or_else(|| event.request.headers.clone(), |stopped| stopped.headers.clone()),
        body,
        kind: event.kind.clone().unwrap_or_default(),
        is_navigation: event.request_id == event.loader_id && event.kind.as_deref() == Some("Document"),
        started: event.timestamp,
        wall_time: event.wall_time,
    }
}

/// Passes the CDP events of a session on to its context.
struct TrafficObserver {
    context: Weak<ContextInner>,
    source: Source,
}

impl Observer for TrafficObserver {
    fn on_event(&self, event: RawEvent) {
        if let Some(inner) = self.context.upgrade() {
            BrowserContext::from_inner(inner).on_event(&event, &self.source);
        }
    }

    fn ended(&self) {
        if let (Some(inner), Some(worker)) = (self.context.upgrade(), &self.source.worker) {
            BrowserContext::from_inner(inner).worker_ended(worker);
        }
    }
}
