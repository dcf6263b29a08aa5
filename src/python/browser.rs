//! Browsers and browser contexts.
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use pyo3::prelude::*;
use serde::Deserialize;
use serde_json::json;

use super::api_request::Credentials;
use super::bridge::{Dispatcher, Operation, operation};
use super::convert::{Plain, options};
use super::events::{follow_browser, follow_context};
use super::frame::Frame;
use super::network::routed;
use super::page::Page;
use super::raw::CdpSession;
use crate::browser::emulation::{Emulation, Geolocation, MediaEmulation};
use crate::browser::find::{BrowserQuery, Channel, find};
use crate::browser::input::InputStyle;
use crate::browser::launch::{IgnoreDefaultArguments, LaunchOptions};
use crate::browser::locator;
use crate::browser::proxy::Proxy;
use crate::browser::selector;
use crate::browser::{
    ClientCertificate, ClockCommand, ConsoleFilter, ContextOptions, Passkey, StorageState,
    StorageStateOptions, StoredCookie,
};
use crate::cdp::types::network::Headers;
use crate::error::{Error, Result};

/// A running browser.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Browser(pub(super) crate::browser::Browser);

/// A server that lets other clients connect to a browser. Closed when this object is dropped.
#[pyclass(frozen, module = "patchright_mcp._core", name = "Bound")]
pub(super) struct BoundBrowser(crate::browser::BrowserServer);

#[pymethods]
impl BoundBrowser {
    #[getter]
    fn endpoint(&self) -> String {
        self.0.endpoint()
    }
}

/// A browser context.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct BrowserContext(pub(super) crate::browser::BrowserContext);

/// A script that runs in every new document; kept to remove it again.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct InitScript(pub(super) Arc<crate::browser::InitScript>);

#[pymethods]
impl InitScript {
    fn remove(&self) -> Operation {
        let script = self.0.clone();
        operation(async move {
            script.remove().await;
            Ok(())
        })
    }
}

/// Launch options, as passed from Python.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Launch {
    executable_path: Option<PathBuf>,
    channel: Option<String>,
    args: Vec<String>,
    devtools: bool,
    ignore_default_args: Vec<String>,
    ignore_all_default_args: bool,
    headless: Option<bool>,
    timeout: Option<f64>,
    env: BTreeMap<String, String>,
    proxy: Option<ProxySettings>,
    chromium_sandbox: Option<bool>,
    firefox_user_prefs: BTreeMap<String, serde_json::Value>,
    user_data_dir: Option<PathBuf>,
    window_size: Option<(u32, u32)>,
    /// Options of the default context.
    context: Context,
}

#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ProxySettings {
    server: String,
    bypass: Option<String>,
    username: Option<String>,
    password: Option<String>,
}

impl ProxySettings {
    pub(super) fn read(&self) -> Result<Proxy> {
        Proxy::new(&self.server, self.username.clone(), self.password.clone(), self.bypass.clone())
    }
}

/// A client certificate for one origin; certificate and key are in PEM format.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ClientCertificateOptions {
    origin: String,
    certificate: String,
    key: String,
}

impl ClientCertificateOptions {
    pub(super) fn read(&self) -> Result<ClientCertificate> {
        ClientCertificate::new(&self.origin, self.certificate.as_bytes(), self.key.as_bytes())
    }
}

/// Context options, as passed from Python.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Context {
    viewport: Option<Size>,
    window_is_viewport: bool,
    screen: Option<Size>,
    user_agent: Option<String>,
    locale: Option<String>,
    single_language: bool,
    timezone_id: Option<String>,
    extra_http_headers: Headers,
    ignore_https_errors: bool,
    client_certificates: Vec<ClientCertificateOptions>,
    permissions: Vec<String>,
    storage_state: Option<serde_json::Value>,
    device_scale_factor: Option<f64>,
    is_mobile: bool,
    has_touch: bool,
    proxy: Option<ProxySettings>,
    geolocation: Option<Geolocation>,
    offline: bool,
    java_script_enabled: Option<bool>,
    bypass_csp: bool,
    color_scheme: Option<String>,
    reduced_motion: Option<String>,
    forced_colors: Option<String>,
    contrast: Option<String>,
    downloads: Option<PathBuf>,
    accept_downloads: Option<bool>,
    service_workers: Option<String>,
    http_credentials: Credentials,
    focus: bool,
    focus_everywhere: bool,
    input: Option<String>,
}

#[derive(Clone, Copy, Deserialize)]
struct Size {
    width: u32,
    height: u32,
}

impl Context {
    fn read(self) -> Result<ContextOptions> {
        let storage_state = self.storage_state.map(|state| {
            let state = StorageState::parse(&state.to_string());
            state.map_err(|reason| Error::InvalidArguments {
                problems: vec![format!("storage_state: {reason}")],
            })
        });
        let media = MediaEmulation {
            media: None,
            color_scheme: self.color_scheme,
            reduced_motion: self.reduced_motion,
            forced_colors: self.forced_colors,
            contrast: self.contrast,
        };
        Ok(ContextOptions {
            viewport: self.viewport.map(|size| (size.width, size.height)),
            window_is_viewport: self.window_is_viewport,
            user_agent: self.user_agent,
            locale: self.locale,
            single_language: self.single_language,
            timezone: self.timezone_id,
            extra_headers: self.extra_http_headers,
            ignore_https_errors: self.ignore_https_errors,
            client_certificates: self
                .client_certificates
                .iter()
                .map(ClientCertificateOptions::read)
                .collect::<Result<_>>()?,
            proxy: self.proxy.map(|proxy| proxy.read()).transpose()?,
            permissions: self.permissions,
            storage_state: storage_state.transpose()?.map(Arc::new),
            device_scale_factor: self.device_scale_factor,
            is_mobile: self.is_mobile,
            has_touch: self.has_touch,
            input: input_style(self.input.as_deref())?,
            downloads: self.downloads,
            downloads_by_id: true,
            refuses_downloads: self.accept_downloads == Some(false),
            refuses_service_workers: self.service_workers.as_deref() == Some("block"),
            http_credentials: self.http_credentials.read(),
            has_dialog_listener: true,
            emulation: Emulation {
                geolocation: self.geolocation,
                offline: self.offline,
                throttle: None,
                scripts_disabled: self.java_script_enabled == Some(false),
                bypass_csp: self.bypass_csp,
                media,
                screen: self.screen.map(|size| (size.width, size.height)),
                focus: self.focus,
                focus_everywhere: self.focus_everywhere,
                usual: None,
            },
            ..ContextOptions::default()
        })
    }
}

fn input_style(name: Option<&str>) -> Result<InputStyle> {
    // The error omits the additional style that only `playwright_compatible` uses.
    let Some(name) = name else { return Ok(InputStyle::default()) };
    name.parse().map_err(|_| Error::InvalidArguments {
        problems: vec!["input: expected one of (natural|instant)".to_owned()],
    })
}

impl Launch {
    fn read(self) -> Result<(LaunchOptions, ContextOptions)> {
        let mut context = self.context.read()?;
        if let Some(proxy) = &self.proxy {
            context.proxy = Some(proxy.read()?);
        }
        let ignored = match (self.ignore_all_default_args, self.ignore_default_args) {
            (true, _) => IgnoreDefaultArguments::Everything,
            (false, names) if names.is_empty() => IgnoreDefaultArguments::Nothing,
            (false, names) => IgnoreDefaultArguments::These(names),
        };
        let is_headless = |argument: &String| argument.split('=').next() == Some("--headless");
        let mut arguments = self.args;
        let headless = match (self.devtools, arguments.iter().any(is_headless)) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => self.headless,
        };
        context.collects_page_tools = arguments.iter().any(|argument| offers_tools(argument));
        arguments.retain(|argument| !is_headless(argument));
        arguments.extend(self.devtools.then(|| "--auto-open-devtools-for-tabs".to_owned()));
        let mut launch = LaunchOptions {
            executable: self.executable_path,
            channel: self.channel.as_deref().map_or(Ok(Channel::default()), named)?,
            headless,
            user_data_dir: self.user_data_dir,
            arguments,
            ignore_default_arguments: ignored,
            sandbox: self.chromium_sandbox,
            window_size: self.window_size,
            environment: self.env.into_iter().collect(),
            firefox_settings: self.firefox_user_prefs,
            ..LaunchOptions::default()
        };
        if let Some(timeout_ms) = self.timeout {
            launch.launch_limit = locator::timeout_from_ms(timeout_ms);
        }
        Ok((launch, context))
    }
}

/// Launches a browser and sends its events to `dispatcher`.
#[pyfunction]
pub(super) fn launch(dispatcher: &Dispatcher, chosen: &Bound<'_, PyAny>) -> PyResult<Operation> {
    let chosen = options::<Launch>(chosen)?;
    let queue = dispatcher.queue();
    Ok(operation(async move {
        let (launch, context) = chosen.read()?;
        let browser =
            crate::browser::Browser::launch(&launch, context, &|line| tracing::warn!("{line}")).await?;
        browser.default_context().apply_options().await?;
        follow_context(browser.default_context(), &queue);
        follow_browser(&browser, &queue);
        Ok(Browser(browser))
    }))
}

/// Connects to a running browser. With `apart`, creates new contexts and leaves those of other clients alone.
#[pyfunction]
pub(super) fn connect(
    dispatcher: &Dispatcher,
    endpoint: String,
    headers: Vec<(String, String)>,
    timeout_ms: f64,
    chosen: &Bound<'_, PyAny>,
    apart: bool,
) -> PyResult<Operation> {
    let chosen = options::<Context>(chosen)?;
    let (queue, limit) = (dispatcher.queue(), locator::timeout_from_ms(timeout_ms));
    Ok(operation(async move {
        let context = chosen.read()?;
        let browser = match apart {
            true => crate::browser::Browser::connect_shared(&endpoint, &headers, context, limit).await?,
            false => crate::browser::Browser::connect(&endpoint, &headers, context, limit).await?,
        };
        follow_context(browser.default_context(), &queue);
        follow_browser(&browser, &queue);
        Ok(Browser(browser))
    }))
}

/// Returns whether a browser argument enables `WebMCP`, with which pages offer tools to agents.
fn offers_tools(argument: &str) -> bool {
    let features = argument.strip_prefix("--enable-features=").unwrap_or_default();
    features.split(',').any(|feature| feature.starts_with("WebMCP"))
}

fn named(channel: &str) -> Result<Channel> {
    Channel::from_name(channel).map_err(|_| Error::InvalidArguments {
        problems: vec![format!("Unsupported chromium channel {channel:?}")],
    })
}

/// Returns the path of the installed browser for a channel; `None` if none is installed.
#[pyfunction]
pub(super) fn find_browser(name: &str) -> Option<PathBuf> {
    let wanted = BrowserQuery { channel: Channel::from_name(name).ok()?, ..BrowserQuery::default() };
    find(&wanted).ok().map(|found| found.executable)
}

/// Registers a custom selector engine. Returns false if the name is already in use.
#[pyfunction]
pub(super) fn register_selector(name: &str, source: &str) -> bool {
    selector::register(name, source)
}

/// Returns the name of the attribute with test ids. Default: `data-testid`.
#[pyfunction]
pub(super) fn test_id_attribute() -> Cow<'static, str> {
    selector::test_id_attribute()
}

/// Sets the name of the attribute with test ids, for the whole process.
#[pyfunction]
pub(super) fn set_test_id_attribute(name: &str) {
    selector::set_test_id_attribute(name);
}

#[pymethods]
impl Browser {
    /// Whether the browser runs without a window.
    #[getter]
    fn is_headless(&self) -> bool {
        self.0.is_headless()
    }

    #[getter]
    fn key(&self) -> usize {
        self.0.instance_id()
    }

    /// The version, such as `156.0.8078.79`.
    #[getter]
    fn version(&self) -> String {
        self.0.version_number().to_owned()
    }

    #[getter]
    fn is_connected(&self) -> bool {
        self.0.is_connected()
    }

    #[getter]
    fn default_context(&self) -> BrowserContext {
        BrowserContext(self.0.default_context().clone())
    }

    /// The contexts with pages that other clients of the browser created.
    #[getter]
    fn contexts_of_others(&self) -> Vec<BrowserContext> {
        let contexts = self.0.contexts().into_iter().skip(1);
        contexts.filter(|context| !context.is_owned()).map(BrowserContext).collect()
    }

    fn new_context(&self, dispatcher: &Dispatcher, chosen: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (browser, chosen) = (self.0.clone(), options::<Context>(chosen)?);
        let queue = dispatcher.queue();
        Ok(operation(async move {
            let collects_page_tools = browser.default_context().options().collects_page_tools;
            let context =
                browser.new_context(ContextOptions { collects_page_tools, ..chosen.read()? }).await?;
            follow_context(&context, &queue);
            Ok(BrowserContext(context))
        }))
    }

    /// Lets other clients connect to this browser through a port on this machine. Default: any free port.
    #[pyo3(signature = (port = None))]
    fn bind(&self, port: Option<u16>) -> Operation {
        let browser = self.0.clone();
        operation(async move { browser.bind(port).await.map(BoundBrowser) })
    }

    /// Opens a raw CDP session to the browser and sends its events to `dispatcher`.
    fn new_cdp_session(&self, dispatcher: &Dispatcher) -> Operation {
        let (browser, queue) = (self.0.clone(), dispatcher.queue());
        operation(async move { Ok(CdpSession::new(browser.attach_raw().await?, queue)) })
    }

    fn close(&self) -> Operation {
        let browser = self.0.clone();
        operation(async move { browser.close().await })
    }
}

#[pymethods]
impl BrowserContext {
    #[getter]
    fn key(&self) -> usize {
        self.0.instance_id()
    }

    /// The browser of this context.
    #[getter]
    fn browser(&self) -> Result<Browser> {
        self.0.browser().map(Browser)
    }

    /// Starts sending the context's events to `dispatcher`.
    fn follow(&self, dispatcher: &Dispatcher) {
        follow_context(&self.0, &dispatcher.queue());
    }

    /// Intercepts requests whose URL matches one of `globs`; with `None`, all requests.
    fn route(&self, globs: Option<Vec<String>>) -> Operation {
        let (context, routed) = (self.0.clone(), routed(globs));
        operation(async move { context.set_interception(routed).await })
    }

    #[getter]
    fn pages(&self) -> Vec<Page> {
        self.0.pages().into_iter().map(Page).collect()
    }

    #[getter]
    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    fn new_page(&self) -> Operation {
        let context = self.0.clone();
        operation(async move {
            let page = context.new_page().await?;
            page.main_frame().flush_exposed_calls().await;
            Ok(Page(page))
        })
    }

    fn close(&self) -> Operation {
        let context = self.0.clone();
        operation(async move { context.close().await })
    }

    /// Exposes a function to all pages; its calls become `called` events. `keeps`: argument 1 is a handle.
    fn expose(&self, name: String, all_frames: bool, keeps: bool) -> Operation {
        let context = self.0.clone();
        operation(async move { context.expose(&name, all_frames, keeps).await })
    }

    /// Routes WebSocket connections through the exposed function `name`, whose calls become `called` events.
    fn route_sockets(&self, name: String) -> Operation {
        let context = self.0.clone();
        operation(async move { context.route_web_sockets(&name).await })
    }

    fn add_init_script(&self, source: String) -> Operation {
        let context = self.0.clone();
        operation(async move { Ok(InitScript(Arc::new(context.add_init_script(source).await?))) })
    }

    /// Opens a raw CDP session to a page or frame, and sends its events to `dispatcher`.
    fn new_cdp_session(&self, dispatcher: &Dispatcher, frame: &Frame) -> Operation {
        let (context, frame, queue) = (self.0.clone(), frame.0.clone(), dispatcher.queue());
        operation(async move { Ok(CdpSession::new(context.attach_raw(&frame).await?, queue)) })
    }

    /// Sets whether the context's pages and workers report console messages and uncaught errors.
    fn set_console_filter(&self, messages: bool, errors: bool) {
        self.0.set_console_filter(ConsoleFilter { messages, errors });
    }

    /// Returns the cookies that would be sent to `urls`; all cookies if `urls` is empty.
    fn cookies(&self, urls: Vec<String>) -> Operation {
        let context = self.0.clone();
        operation(async move {
            let cookies =
                if urls.is_empty() { context.cookies().await } else { context.cookies_for(&urls).await };
            Ok(Plain(json!(cookies?)))
        })
    }

    fn add_cookies(&self, cookies: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (context, cookies) = (self.0.clone(), options::<Vec<StoredCookie>>(cookies)?);
        Ok(operation(async move { context.add_cookies(&cookies).await }))
    }

    fn remove_cookies(&self, cookies: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (context, cookies) = (self.0.clone(), options::<Vec<StoredCookie>>(cookies)?);
        Ok(operation(async move { context.remove_cookies(&cookies).await }))
    }

    fn clear_cookies(&self) -> Operation {
        let context = self.0.clone();
        operation(async move { context.clear_cookies().await })
    }

    fn offer_passkeys(&self) -> Operation {
        let context = self.0.clone();
        operation(async move { context.enable_authenticator().await })
    }

    fn add_passkey(&self, given: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (context, given) = (self.0.clone(), options::<Passkey>(given)?);
        Ok(operation(async move { Ok(Plain(json!(context.add_passkey(given).await?))) }))
    }

    fn delete_passkey(&self, id: String) -> Operation {
        let context = self.0.clone();
        operation(async move { context.delete_passkey(&id).await })
    }

    fn passkeys(&self) -> Operation {
        let context = self.0.clone();
        operation(async move { Ok(Plain(json!(context.held_passkeys()))) })
    }

    fn storage_state(&self, databases: bool, private_files: bool) -> Operation {
        let also = StorageStateOptions { databases, private_files };
        let context = self.0.clone();
        operation(async move { Ok(Plain(json!(context.storage_state(also).await?))) })
    }

    /// Replaces all cookies and storage by those of a storage state.
    fn replace_storage(&self, state: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (context, state) = (self.0.clone(), options::<StorageState>(state)?);
        Ok(operation(async move { context.set_storage_state(&state).await }))
    }

    fn grant_permissions(&self, permissions: Vec<String>, origin: Option<String>) -> Operation {
        let context = self.0.clone();
        operation(async move { context.grant_permissions(&permissions, origin).await })
    }

    fn clear_permissions(&self) -> Operation {
        let context = self.0.clone();
        operation(async move { context.clear_permissions().await })
    }

    fn set_geolocation(&self, geolocation: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (context, place) = (self.0.clone(), options::<Option<Geolocation>>(geolocation)?);
        Ok(operation(async move { context.set_geolocation(place).await }))
    }

    fn set_offline(&self, offline: bool) -> Operation {
        let context = self.0.clone();
        operation(async move { context.set_offline(offline).await })
    }

    /// Controls the fake clock in all documents of the context. `turn`: see `ClockCommand`.
    fn turn_clock(&self, turn: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (context, turn) = (self.0.clone(), options::<ClockCommand>(turn)?);
        Ok(operation(async move { context.control_clock(turn).await }))
    }

    fn set_extra_headers(&self, headers: Headers) -> Operation {
        let context = self.0.clone();
        operation(async move { context.set_extra_headers(headers).await })
    }
}
