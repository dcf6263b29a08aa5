//! Interception of requests and of HTTP authentication.
use std::sync::Arc;

use super::{REMEMBERED, Request, Source, entries};
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::page::{Page, unless_closed};
use crate::browser::objects::worker::WorkerKind;
use crate::browser::options::HttpCredentials;
use crate::browser::options::routing::InterceptedUrls;
use crate::cdp::types::Empty;
use crate::cdp::types::network::{
    AuthChallengeResponse, AuthRequired, ContinueRequest, ContinueWithAuth, FailRequest, FetchDisable,
    FetchEnable, HeaderList, RequestPattern, RequestPaused, SetCacheDisabled,
};
use crate::cdp::{PendingReply, RawEvent};
use crate::error::Result;

impl BrowserContext {
    /// Adds credentials for HTTP authentication. They replace earlier ones for the same origin.
    pub async fn add_http_credentials(&self, credentials: HttpCredentials) -> Result<()> {
        self.change_options(|options| {
            options.http_credentials.retain(|known| known.origin != credentials.origin);
            options.http_credentials.push(credentials);
        });
        self.listen_for_challenges().await
    }

    /// Starts to intercept HTTP authentication challenges.
    pub(super) async fn listen_for_challenges(&self) -> Result<()> {
        if !self.is_followed() {
            self.listen_to_network(Arc::new(|_| ()));
        }
        let routed = self.traffic().state.lock().routed.clone();
        self.set_interception(routed).await
    }

    /// Sets which requests of the context are intercepted, replacing the earlier setting. They are reported
    /// as `NetworkEvent::Route`. Returns when the browser has confirmed the change.
    pub async fn set_interception(&self, routed: impl Into<InterceptedUrls>) -> Result<()> {
        self.traffic().state.lock().routed = routed.into();
        self.update_holds().await
    }

    pub(super) async fn update_holds(&self) -> Result<()> {
        for page in self.pages() {
            unless_closed(page.update_hold().await)?;
        }
        for worker in self.workers() {
            if worker.kind() == WorkerKind::Service {
                let source = Source { session: worker.session().clone(), page: None, worker: Some(worker) };
                for command in self.update_hold(&source) {
                    let _ = command.await;
                }
            }
        }
        Ok(())
    }

    /// Whether there are configured credentials for this URL, not merely ones that a person entered.
    pub fn has_credentials_for(&self, url: &str) -> bool {
        self.http_credentials_for(url).is_some_and(|credentials| !credentials.entered_by_person)
    }

    /// Replaces the credentials for HTTP authentication. They take effect only with a network listener.
    pub async fn set_http_credentials(&self, credentials: Vec<HttpCredentials>) -> Result<()> {
        self.change_options(|options| options.http_credentials = credentials);
        for page in self.pages() {
            unless_closed(page.update_hold().await)?;
        }
        Ok(())
    }

    /// Whether another session reports the request: a service worker has one for the browser, one per page.
    pub(super) fn is_reported_elsewhere(&self, id: &str, source: &Source) -> bool {
        let state = self.traffic().state.lock();
        let announced = state.announced.get(id).map(|(_, by)| by.session.id().to_owned());
        let begun = || Some(state.known.get(id)?.current()?.session().id().to_owned());
        source.worker.as_ref().is_some_and(|worker| worker.kind() == WorkerKind::Service)
            && announced.or_else(begun).is_some_and(|by| by != source.session.id())
    }

    pub(super) fn is_routed(&self, source: &Source) -> bool {
        !self.traffic().state.lock().routed.is_none() || source.page.as_ref().is_some_and(Page::is_routed)
    }

    /// Whether a handler of the context or the page wants to intercept requests to this URL.
    pub(super) fn is_routed_url(&self, source: &Source, url: &str) -> bool {
        self.traffic().state.lock().routed.holds(url)
            || source.page.as_ref().is_some_and(|page| page.routes(url))
    }

    pub(super) fn update_hold(&self, source: &Source) -> Vec<PendingReply<Empty>> {
        let id = source.session.id();
        let is_routed_url = self.is_routed(source) || self.has_http_credentials();
        let wanted = (is_routed_url || self.has_blocks()).then_some(is_routed_url);
        let before = {
            let held = &mut self.traffic().state.lock().held;
            match wanted {
                Some(is_routed_url) => held.insert(id.to_owned(), is_routed_url),
                None => held.remove(id),
            }
        };
        hold(source, before, wanted)
    }

    pub(super) fn holds(&self, source: &Source) -> bool {
        self.is_routed(source) || self.has_http_credentials() || self.has_blocks()
    }

    pub(super) fn on_auth_required(&self, event: &RawEvent, source: &Source) {
        let Some(event) = event.read::<AuthRequired>() else { return };
        let credentials = self.http_credentials_for(&event.request.url);
        let refused = {
            let mut state = self.traffic().state.lock();
            let refused = state.challenged.contains(&event.request_id);
            state.challenged.push_back(event.request_id.clone());
            if state.challenged.len() > REMEMBERED {
                state.challenged.pop_front();
            }
            refused
        };
        let (response, credentials) = match credentials {
            _ if refused => ("CancelAuth", None),
            Some(credentials) => ("ProvideCredentials", Some(credentials)),
            None => ("Default", None),
        };
        let answer = AuthChallengeResponse {
            response: response.to_owned(),
            username: credentials.as_ref().map(|credentials| credentials.username.clone()),
            password: credentials.map(|credentials| credentials.password),
        };
        let answer = ContinueWithAuth { request_id: event.request_id, auth_challenge_response: answer };
        source.session.send(answer).ignore();
    }
}

impl Page {
    /// Sets which requests of the page are intercepted, replacing the earlier setting. They are reported as
    /// `NetworkEvent::Route`.
    pub async fn set_interception(&self, routed: impl Into<InterceptedUrls>) -> Result<()> {
        self.remember_routed(routed.into());
        self.update_hold().await
    }

    /// Returns the page's latest requests, oldest first, at most 100. Empty without a network listener.
    pub fn requests(&self) -> Vec<Request> {
        self.context().newest_requests(self)
    }

    pub(super) async fn update_hold(&self) -> Result<()> {
        let mut commands = Vec::new();
        for session in self.sessions() {
            let source = Source { session, page: Some(self.clone()), worker: None };
            commands.extend(self.context().update_hold(&source));
        }
        for command in commands {
            command.await?;
        }
        Ok(())
    }
}

/// Starts or stops interception of a page (with its workers) or service worker. If `wanted` is `Some(true)`,
/// disables the cache, because cached responses are never intercepted. The pattern is always `*`: with a
/// narrower one, Chromium drops the `Origin` of redirected requests that do not match it.
fn hold(source: &Source, before: Option<bool>, wanted: Option<bool>) -> Vec<PendingReply<Empty>> {
    let is_service = source.worker.as_ref().is_none_or(|worker| worker.kind() == WorkerKind::Service);
    let mut commands = Vec::new();
    let cache_disabled = wanted.unwrap_or_default();
    if before.unwrap_or_default() != cache_disabled {
        commands.push(source.session.send(SetCacheDisabled { cache_disabled }));
    }
    if is_service && before.is_some() != wanted.is_some() {
        commands.push(match wanted.is_some() {
            true => {
                let every = RequestPattern { url_pattern: Some("*".to_owned()), ..RequestPattern::default() };
                source
                    .session
                    .send(FetchEnable { patterns: Some(vec![every]), handle_auth_requests: Some(true) })
            }
            false => source.session.send(FetchDisable {}),
        });
    }
    commands
}

/// Continues a redirected request with the headers that a handler set for its first request. Chromium drops
/// the computed `Origin` of the next request unless the URL is set explicitly.
pub(super) fn follow(source: &Source, event: &RequestPaused, first: Option<&Request>) {
    let stopped = &event.request.headers;
    let origin = stopped.get("origin");
    let carried = first.and_then(|first| Some(with_origin(first.carried()?, first, origin)));
    let again = || origin.and(first).map(|first| as_browsers_do(stopped, first));
    let headers = carried.or_else(again).map(|headers| entries(headers.into_iter()));
    let url = origin.map(|_| event.request.url.clone());
    let request_id = event.request_id.clone();
    source.session.send(ContinueRequest { request_id, url, headers, ..ContinueRequest::default() }).ignore();
}

type Headers = Vec<(String, String)>;

/// Replaces the `Origin` of the `first` request in `headers` by `origin`, that of the redirected request.
fn with_origin(mut headers: Headers, first: &Request, origin: Option<&str>) -> Headers {
    let before = first.headers().get("origin");
    headers.retain(|(name, value)| !name.eq_ignore_ascii_case("origin") || before != Some(value.as_str()));
    if let Some(origin) = origin
        && headers.iter().all(|(name, _)| !name.eq_ignore_ascii_case("origin"))
    {
        headers.push(("Origin".to_owned(), origin.to_owned()));
    }
    headers
}

/// Returns all headers for a redirected request in the browser's usual order, including those that the
/// browser sets itself. Cookies are left out, because the browser adds them.
fn as_browsers_do(stopped: &HeaderList, first: &Request) -> Headers {
    const ORDER: [&str; 7] =
        ["sec-ch-ua-platform", "user-agent", "sec-ch-ua", "sec-ch-ua-mobile", "accept", "origin", "referer"];
    let is_left_out =
        |name: &str| name.to_ascii_lowercase().starts_with("sec-ch-ua") && stopped.get(name).is_none();
    let mut headers: Headers =
        stopped.iter().filter(|(name, _)| !name.eq_ignore_ascii_case("cookie")).cloned().collect();
    headers.extend(first.headers().iter().filter(|(name, _)| is_left_out(name)).cloned());
    let had_origin = first.headers().get("origin").is_some();
    headers.sort_by_key(|(name, _)| match ORDER.iter().position(|known| name.eq_ignore_ascii_case(known)) {
        Some(5) if had_origin => 0,
        Some(place @ 5..) => place + 2,
        Some(place) => place + 1,
        None => 6,
    });
    headers
}

pub(super) fn refuse(source: &Source, request_id: String) {
    let fail = FailRequest { request_id, error_reason: "BlockedByClient".to_owned() };
    source.session.send(fail).ignore();
}

pub(super) fn resume(source: &Source, request_id: String) {
    source.session.send(ContinueRequest { request_id, ..ContinueRequest::default() }).ignore();
}
