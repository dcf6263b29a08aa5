//! API requests: HTTP requests by the client, not a page, with a browser context's cookies or their own.
mod body;
mod lost;
mod way;

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parking_lot::Mutex;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Method, Response};
use tokio::time::timeout;
use url::{Origin, Url, form_urlencoded};

use body::{unpacked, write};
use lost::{ExchangeError, failed, lost};
use way::NetworkRoute;

use super::cookies;
use crate::browser::egress::client_certificate::ClientCertificate;
use crate::browser::egress::proxy::Proxy;
use crate::browser::objects::context::BrowserContext;
use crate::browser::options::HttpCredentials;
use crate::browser::options::storage_state::{StorageState, StorageStateOptions, StoredCookie};
use crate::error::{Error, Result};
use crate::sync::unix_time;

/// The options of an [`ApiContext`]. An [`ApiRequest`] can override some of them.
#[derive(Debug, Clone)]
pub struct ApiOptions {
    pub base_url: Option<String>,
    pub headers: Vec<(String, String)>,
    pub user_agent: Option<String>,
    pub ignore_https_errors: bool,
    pub client_certificates: Vec<ClientCertificate>,
    pub http_credentials: Vec<HttpCredentials>,
    pub proxy: Option<Proxy>,
    pub max_redirects: usize,
    pub fail_on_status: bool,
    /// The time limit of a request, including redirects and reading the body.
    pub limit: Duration,
    /// The maximum size of a response body in bytes, both before and after decompression.
    pub largest_body: usize,
}

impl Default for ApiOptions {
    fn default() -> Self {
        Self {
            base_url: None,
            headers: Vec::new(),
            user_agent: None,
            ignore_https_errors: false,
            client_certificates: Vec::new(),
            http_credentials: Vec::new(),
            proxy: None,
            max_redirects: 20,
            fail_on_status: false,
            limit: Duration::from_secs(30),
            largest_body: 1 << 30,
        }
    }
}

/// An API request. A setting that is `None` has the value from [`ApiOptions`].
#[derive(Debug, Clone, Default)]
pub struct ApiRequest {
    pub url: String,
    pub method: String,
    /// Query parameters to add to the URL. They replace parameters with the same names.
    pub parameters: Vec<(String, String)>,
    /// A query string that replaces the URL's query unchanged.
    pub query: Option<String>,
    pub headers: Vec<(String, String)>,
    pub body: Option<ApiBody>,
    pub limit: Option<Duration>,
    pub fail_on_status: Option<bool>,
    pub ignore_https_errors: Option<bool>,
    pub max_redirects: Option<usize>,
    /// How often the request is retried after a connection reset.
    pub max_retries: usize,
}

/// The body of a request.
#[derive(Debug, Clone)]
pub enum ApiBody {
    Bytes(Vec<u8>),
    /// Serialized JSON.
    Json(String),
    Form(Vec<(String, String)>),
    Multipart(Vec<MultipartField>),
}

/// A part of a multipart body: a form field or a file.
#[derive(Debug, Clone)]
pub struct MultipartField {
    pub name: String,
    pub content: Vec<u8>,
    /// The name and MIME type of a file; `None` for a form field.
    pub file: Option<(String, String)>,
}

/// An HTTP response with its complete body.
#[derive(Debug, Clone)]
pub struct ApiResponse {
    pub url: String,
    pub status: u16,
    pub status_text: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    pub address: Option<SocketAddr>,
    /// When the last request of the redirect chain was sent, in milliseconds since 1970.
    pub started_ms: f64,
    /// The milliseconds from `started_ms` until the response headers arrived.
    pub head_ms: f64,
    /// The milliseconds from `started_ms` until the response was complete.
    pub end_ms: f64,
}

/// Sends API requests. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ApiContext {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    options: ApiOptions,
    way: NetworkRoute,
    jar: Jar,
    /// HTTP clients, by whether they ignore certificate errors and by the index of their client certificate.
    clients: Mutex<HashMap<(bool, Option<usize>), Client>>,
    /// The servers whose connections can be reused: none was reset since the last response.
    kept: Mutex<HashSet<Origin>>,
    disposed: AtomicBool,
}

#[derive(Debug)]
enum Jar {
    /// The cookies of a browser context. The context and API requests see each other's changes.
    Shared(BrowserContext),
    Own(Mutex<StorageState>),
}

impl ApiContext {
    /// Creates an API context with its own cookies.
    pub fn new(options: ApiOptions, state: StorageState) -> Self {
        Self::with_jar(options, None, Jar::Own(Mutex::new(state)))
    }

    /// Creates an API context that uses a browser context's network route, but shares no cookies with it.
    pub fn with_network_of(context: &BrowserContext, options: ApiOptions) -> Self {
        Self::with_jar(options, Some(context), Jar::Own(Mutex::default()))
    }

    /// Creates an API context that shares the cookies and network route of a browser context.
    pub fn with_cookies_of(context: &BrowserContext, mut options: ApiOptions) -> Self {
        let own = || context.browser().ok().map(|browser| browser.version().user_agent.clone());
        options.client_certificates = context.options().client_certificates;
        options.user_agent = options.user_agent.or_else(|| context.options().user_agent).or_else(own);
        Self::with_jar(options, Some(context), Jar::Shared(context.clone()))
    }

    /// Creates an API context. Without its own proxy, it uses the network route and policy of `context`.
    fn with_jar(options: ApiOptions, context: Option<&BrowserContext>, jar: Jar) -> Self {
        let disposed = AtomicBool::new(false);
        let way = NetworkRoute::new(context, options.proxy.clone());
        Self {
            inner: Arc::new(Inner {
                options,
                way,
                jar,
                clients: Mutex::default(),
                kept: Mutex::default(),
                disposed,
            }),
        }
    }

    /// Disposes the context: later requests fail with `Error::PageClosed`.
    pub fn dispose(&self) {
        self.inner.disposed.store(true, Ordering::Release);
        self.inner.clients.lock().clear();
    }

    /// Returns cookies and storage: the browser context's, otherwise the initial state with later cookies.
    pub async fn storage_state(&self, also: StorageStateOptions) -> Result<StorageState> {
        match &self.inner.jar {
            Jar::Shared(context) => context.storage_state(also).await,
            Jar::Own(state) => {
                let mut state = state.lock();
                cookies::drop_expired(&mut state.cookies);
                Ok(state.clone())
            }
        }
    }

    /// Returns the cookies that are sent to these URLs; all cookies if `urls` is empty.
    pub async fn cookies(&self, urls: &[String]) -> Result<Vec<StoredCookie>> {
        let held = match &self.inner.jar {
            Jar::Shared(context) => context.cookies().await?,
            Jar::Own(state) => {
                let mut state = state.lock();
                cookies::drop_expired(&mut state.cookies);
                state.cookies.clone()
            }
        };
        if urls.is_empty() { Ok(held) } else { cookies::cookies_for_urls(held, urls) }
    }

    /// Adds cookies. A cookie replaces another with the same name, domain and path.
    pub async fn add_cookies(&self, new: &[StoredCookie]) -> Result<()> {
        match &self.inner.jar {
            Jar::Shared(context) => context.add_cookies(new).await,
            Jar::Own(state) => {
                let placed = new.iter().map(cookies::placed).collect::<Result<Vec<_>>>()?;
                cookies::merge(&mut state.lock().cookies, placed);
                Ok(())
            }
        }
    }

    /// Deletes the cookies in `gone` and leaves all others untouched.
    pub async fn remove_cookies(&self, gone: &[StoredCookie]) -> Result<()> {
        match &self.inner.jar {
            Jar::Shared(context) => context.remove_cookies(gone).await,
            Jar::Own(state) => {
                state.lock().cookies.retain(|cookie| !gone.contains(cookie));
                Ok(())
            }
        }
    }

    /// Deletes all cookies.
    pub async fn clear_cookies(&self) -> Result<()> {
        match &self.inner.jar {
            Jar::Shared(context) => context.clear_cookies().await,
            Jar::Own(state) => {
                state.lock().cookies.clear();
                Ok(())
            }
        }
    }

    /// Sends a request and reads the whole response. Returns `Error::AnswerLate` at the time limit, and
    /// `Error::RequestFailed` without a response, after too many redirects, or if `fail_on_status` applies.
    pub async fn fetch(&self, request: &ApiRequest) -> Result<ApiResponse> {
        if self.inner.disposed.load(Ordering::Acquire) {
            return Err(Error::PageClosed);
        }
        let limit = request.limit.unwrap_or(self.inner.options.limit);
        timeout(limit, self.send(request)).await.unwrap_or(Err(Error::AnswerLate { waited: limit }))
    }

    async fn send(&self, request: &ApiRequest) -> Result<ApiResponse> {
        let options = &self.inner.options;
        let mut hop = Hop::first(request, options)?;
        let most = request.max_redirects.unwrap_or(options.max_redirects);
        let mut redirects = 0;
        let known = &options.http_credentials;
        let mut introduced = hop.credentials(known).is_some_and(|credentials| credentials.unasked);
        if introduced {
            hop.introduce(known);
        }
        loop {
            let response = self.hop(&hop, request.max_retries).await?;
            let challenge = response.header("www-authenticate").unwrap_or_default();
            let is_basic = challenge.get(..5).is_some_and(|kind| kind.eq_ignore_ascii_case("basic"));
            if response.status == 401 && is_basic && !introduced {
                introduced = true;
                if hop.introduce(known) {
                    continue;
                }
            }
            if let Some(next) = response.header("location").filter(|_| response.redirects())
                && most > 0
            {
                if redirects == most {
                    return Err(failed("Max redirect count exceeded"));
                }
                redirects += 1;
                hop.redirect(response.status, next)?;
                continue;
            }
            if request.fail_on_status.unwrap_or(options.fail_on_status) && response.status >= 400 {
                let text = String::from_utf8_lossy(&response.body);
                let said = if text.is_empty() { String::new() } else { format!("\nResponse text:\n{text}") };
                return Err(failed(&format!("{} {}{said}", response.status, response.status_text)));
            }
            return Ok(response);
        }
    }

    /// Sends one request of a redirect chain. Retries it up to `retries` times after a connection reset.
    async fn hop(&self, hop: &Hop, retries: usize) -> Result<ApiResponse> {
        let mut left = retries;
        let mut pause = Duration::from_millis(100);
        let begun = Instant::now();
        loop {
            match self.exchange(hop).await {
                Err(ExchangeError::Reset(_)) if left > 0 => {
                    left -= 1;
                    tokio::time::sleep(pause).await;
                    pause *= 2;
                }
                Err(ExchangeError::Reset(error) | ExchangeError::For(error)) => {
                    return Err(self.inner.way.explain(begun).unwrap_or(error));
                }
                Ok(response) => return Ok(response),
            }
        }
    }

    async fn exchange(&self, hop: &Hop) -> std::result::Result<ApiResponse, ExchangeError> {
        let mut headers = hop.headers.clone();
        if !headers.contains_key("cookie")
            && let Some(cookies) = self.cookies_for(&hop.url).await?
        {
            let value = HeaderValue::from_bytes(cookies.as_bytes());
            headers
                .insert("cookie", value.map_err(|_| failed("a cookie has a character that cannot be sent"))?);
        }
        let started = Instant::now();
        let started_ms = unix_time().as_secs_f64() * 1e3;
        let mut received = self.answer(hop, &headers).await?;
        let head_ms = started.elapsed().as_secs_f64() * 1e3;
        self.keep_cookies(&hop.url, received.headers()).await?;
        let status = received.status();
        let status_text = received.extensions().get::<hyper::ext::ReasonPhrase>().map_or_else(
            || status.canonical_reason().unwrap_or_default().to_owned(),
            |phrase| String::from_utf8_lossy(phrase.as_bytes()).into_owned(),
        );
        let headers = received.headers().iter();
        let headers: Vec<_> = headers
            .map(|(name, value)| {
                (name.to_string(), value.as_bytes().iter().map(|byte| *byte as char).collect())
            })
            .collect();
        let (url, address) = (received.url().to_string(), received.remote_addr());
        let mut response = ApiResponse {
            url,
            status: status.as_u16(),
            status_text,
            headers,
            body: Vec::new(),
            address,
            started_ms,
            head_ms,
            end_ms: 0.0,
        };
        let most = self.inner.options.largest_body;
        let mut body = Vec::new();
        while let Some(chunk) = received.chunk().await.map_err(|error| lost(&error, &hop.url))? {
            if body.len() + chunk.len() > most {
                return Err(too_large(most).into());
            }
            body.extend_from_slice(&chunk);
        }
        response.end_ms = started.elapsed().as_secs_f64() * 1e3;
        response.body = unpacked(body, response.header("content-encoding").unwrap_or_default(), most)?;
        Ok(response)
    }

    /// Sends the request. If a reused connection is reset, as a server may close an idle one, an idempotent
    /// request is repeated once. <https://www.rfc-editor.org/rfc/rfc9110.html#section-9.2.2>
    async fn answer(&self, hop: &Hop, headers: &HeaderMap) -> std::result::Result<Response, ExchangeError> {
        let origin = hop.url.origin();
        let mut client = self.client(hop, false).await?;
        let mut may_reuse = hop.method.is_idempotent();
        loop {
            let sending = client.request(hop.method.clone(), hop.url.clone()).headers(headers.clone());
            let sending = match &hop.body {
                Some(body) => sending.body(body.clone()),
                None => sending,
            };
            match sending.send().await.map_err(|error| lost(&error, &hop.url)) {
                Err(ExchangeError::Reset(_)) if may_reuse && self.inner.kept.lock().contains(&origin) => {
                    // The server may have closed other idle connections too.
                    client = self.client(hop, true).await?;
                    may_reuse = false;
                }
                Err(lost) => {
                    self.inner.kept.lock().remove(&origin);
                    return Err(lost);
                }
                Ok(response) => {
                    self.inner.kept.lock().insert(origin);
                    return Ok(response);
                }
            }
        }
    }

    async fn cookies_for(&self, url: &Url) -> Result<Option<String>> {
        let held: Vec<StoredCookie> = match &self.inner.jar {
            Jar::Shared(context) => context.cookies().await?,
            Jar::Own(state) => state.lock().cookies.clone(),
        };
        Ok(cookies::header_for(&held, url))
    }

    async fn keep_cookies(&self, url: &Url, headers: &HeaderMap) -> Result<()> {
        let set_cookies = headers.get_all("set-cookie").iter();
        let set_cookies: Vec<_> = set_cookies
            .filter_map(|value| cookies::parse(&String::from_utf8_lossy(value.as_bytes()), url))
            .collect();
        match &self.inner.jar {
            Jar::Shared(context) => {
                for cookie in set_cookies {
                    // A cookie that the browser rejects is dropped.
                    let _ = context.add_cookies(&[cookie]).await;
                }
            }
            Jar::Own(state) => cookies::merge(&mut state.lock().cookies, set_cookies),
        }
        Ok(())
    }

    /// Returns the HTTP client for a request. With `fresh`, the client has no open connections.
    async fn client(&self, hop: &Hop, fresh: bool) -> Result<Client> {
        let certificates = &self.inner.options.client_certificates;
        let shown = certificates.iter().position(|certificate| certificate.is_for(&hop.url));
        let kind = (hop.ignore_https_errors, shown);
        if let Some(client) = self.inner.clients.lock().get(&kind).filter(|_| !fresh) {
            return Ok(client.clone());
        }
        let mut builder = Client::builder()
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .danger_accept_invalid_certs(hop.ignore_https_errors)
            .danger_accept_invalid_hostnames(hop.ignore_https_errors);
        if let Some(shown) = shown {
            let identity = reqwest::Identity::from_pem(certificates[shown].pem());
            builder = builder.identity(identity.map_err(|error| failed(&error.to_string()))?);
        }
        if let Some(proxy) = self.inner.way.proxy().await? {
            builder = builder.proxy(proxy);
        }
        let client = builder.build().map_err(|error| failed(&error.to_string()))?;
        self.inner.clients.lock().insert(kind, client.clone());
        Ok(client)
    }
}

/// One request of a redirect chain.
#[derive(Debug)]
struct Hop {
    url: Url,
    method: Method,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
    ignore_https_errors: bool,
}

impl Hop {
    fn first(request: &ApiRequest, options: &ApiOptions) -> Result<Self> {
        let mut url = resolve(&request.url, options.base_url.as_deref())?;
        add_parameters(&mut url, request);
        let method = if request.method.is_empty() { "GET".to_owned() } else { request.method.to_uppercase() };
        let method =
            Method::from_bytes(method.as_bytes()).map_err(|_| failed("the HTTP method is invalid"))?;
        let mut headers = HeaderMap::new();
        let agent =
            options.user_agent.as_deref().unwrap_or(concat!("patchright_mcp/", env!("CARGO_PKG_VERSION")));
        set(&mut headers, "user-agent", agent)?;
        set(&mut headers, "accept", "*/*")?;
        set(&mut headers, "accept-encoding", "gzip,deflate,br")?;
        for (name, value) in options.headers.iter().chain(&request.headers) {
            set(&mut headers, name, value)?;
        }
        let body = match &request.body {
            None => {
                // Browsers send this header too, and some servers require it.
                if matches!(method, Method::POST | Method::PUT | Method::PATCH)
                    && !["content-length", "transfer-encoding"].iter().any(|name| headers.contains_key(*name))
                {
                    set(&mut headers, "content-length", "0")?;
                }
                None
            }
            Some(body) => {
                let (bytes, kind) = write(body, headers.get("content-type").is_some());
                if !headers.contains_key("content-type") {
                    set(&mut headers, "content-type", &kind)?;
                }
                Some(bytes)
            }
        };
        let ignore_https_errors = request.ignore_https_errors.unwrap_or(options.ignore_https_errors);
        Ok(Self { url, method, headers, body, ignore_https_errors })
    }

    fn redirect(&mut self, status: u16, location: &str) -> Result<()> {
        let next = self.url.join(location).map_err(|_| {
            failed(&format!("uri requested responds with an invalid redirect URL: {location}"))
        })?;
        let becomes_get = match status {
            301 | 302 => self.method == Method::POST,
            303 => self.method != Method::GET && self.method != Method::HEAD,
            _ => false,
        };
        if becomes_get {
            self.method = Method::GET;
            self.body = None;
            for name in
                ["content-encoding", "content-language", "content-length", "content-location", "content-type"]
            {
                self.headers.remove(name);
            }
        }
        if next.origin() != self.url.origin() {
            self.headers.remove("authorization");
            self.headers.remove("cookie");
        }
        self.headers.remove("host");
        self.url = next;
        Ok(())
    }

    fn credentials<'a>(&self, known: &'a [HttpCredentials]) -> Option<&'a HttpCredentials> {
        HttpCredentials::matching(known, self.url.as_str())
    }

    /// Adds credentials that match the URL. Returns whether there are any.
    fn introduce(&mut self, known: &[HttpCredentials]) -> bool {
        let Some(credentials) = self.credentials(known) else { return false };
        let pair = BASE64_STANDARD.encode(format!("{}:{}", credentials.username, credentials.password));
        set(&mut self.headers, "authorization", &format!("Basic {pair}")).is_ok()
    }
}

impl ApiResponse {
    /// Returns the value of the first header with this name, ignoring case.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    fn redirects(&self) -> bool {
        matches!(self.status, 301 | 302 | 303 | 307 | 308)
    }
}

fn resolve(url: &str, base: Option<&str>) -> Result<Url> {
    let invalid = || Error::InvalidArguments { problems: vec![format!("Invalid URL {url:?}")] };
    let resolved = match base.and_then(|base| Url::parse(base).ok()) {
        Some(base) => base.join(url).map_err(|_| invalid())?,
        None => Url::parse(url).map_err(|_| invalid())?,
    };
    if !matches!(resolved.scheme(), "http" | "https") {
        return Err(Error::InvalidArguments {
            problems: vec![format!(
                "Protocol {:?} not supported. Expected \"http:\" or \"https:\"",
                format!("{}:", resolved.scheme())
            )],
        });
    }
    Ok(resolved)
}

/// Adds the query parameters of a request. Other parameters of the URL keep their encoding.
fn add_parameters(url: &mut Url, request: &ApiRequest) {
    if let Some(query) = &request.query {
        url.set_query(Some(query));
    }
    if request.parameters.is_empty() {
        return;
    }
    let name_of =
        |pair: &str| form_urlencoded::parse(pair.as_bytes()).next().map(|(name, _)| name.into_owned());
    let is_replaced = |pair: &&str| {
        name_of(pair).is_some_and(|name| request.parameters.iter().any(|(known, _)| *known == name))
    };
    let own = url.query().unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    let mut query: Vec<_> = own.filter(|pair| !is_replaced(pair)).map(str::to_owned).collect();
    query.push(form_urlencoded::Serializer::new(String::new()).extend_pairs(&request.parameters).finish());
    url.set_query(Some(&query.join("&")));
}

fn set(headers: &mut HeaderMap, name: &str, value: &str) -> Result<()> {
    let wrong = || Error::InvalidArguments {
        problems: vec![format!("Invalid character in header content [{name:?}]")],
    };
    let key = HeaderName::from_bytes(name.as_bytes()).map_err(|_| wrong())?;
    headers.insert(key, HeaderValue::from_bytes(value.as_bytes()).map_err(|_| wrong())?);
    Ok(())
}

fn too_large(most: usize) -> Error {
    failed(&format!("the body is larger than {most} bytes"))
}
