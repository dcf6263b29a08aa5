//! Options of contexts, as plain data.
pub(super) mod devices;
pub(super) mod domains;
pub mod emulation;
pub(super) mod look;
pub(super) mod number;
pub(super) mod paper;
pub(super) mod permissions;
pub(super) mod routing;
pub(super) mod storage_state;
pub(super) mod hidden_texts;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use url::Url;

use crate::browser::egress::client_certificate::ClientCertificate;
use crate::browser::egress::policy::Policy;
use crate::browser::egress::proxy::Proxy;
use crate::browser::input::InputStyle;
use crate::cdp::types::network::Headers;
use emulation::Emulation;
use hidden_texts::HiddenTexts;
use storage_state::{StorageState, origin_of};

/// Options of a context. Default: the browser's behaviour.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
    /// Width and height of the viewport in CSS pixels. `None`: the size of the window.
    pub viewport: Option<(u32, u32)>,
    /// Pages report the size of their windows as their viewport.
    pub window_is_viewport: bool,
    pub user_agent: Option<String>,
    pub locale: Option<String>,
    /// `navigator.languages` contains only the locale.
    pub single_language: bool,
    pub timezone: Option<String>,
    pub extra_headers: Headers,
    pub ignore_https_errors: bool,
    /// Client certificates for servers that ask for one.
    pub client_certificates: Vec<ClientCertificate>,
    /// Scripts that run in every document before its own scripts.
    pub init_scripts: Vec<String>,
    /// The proxy for all traffic of this context.
    pub proxy: Option<Proxy>,
    /// The servers that its pages may reach.
    pub policy: Arc<Policy>,
    /// The local files that its pages may load. `None`: the browser's rules.
    pub local_files: Option<LocalFiles>,
    /// Granted permissions, such as `geolocation`.
    pub permissions: Vec<String>,
    /// The initial cookies and storage.
    pub storage_state: Option<Arc<StorageState>>,
    /// Device pixels for each CSS pixel; requires a viewport.
    pub device_scale_factor: Option<f64>,
    /// Whether pages use the mobile layout; requires a viewport.
    pub is_mobile: bool,
    pub has_touch: bool,
    /// The input style of its pages.
    pub input: InputStyle,
    /// The folder for downloads. `None`: the browser's behaviour.
    pub downloads: Option<PathBuf>,
    /// Downloads keep the browser's ids as names, instead of the suggested names.
    pub downloads_by_id: bool,
    /// Downloads are cancelled at once.
    pub refuses_downloads: bool,
    /// Service workers cannot be registered.
    pub refuses_service_workers: bool,
    /// Credentials for HTTP authentication.
    pub http_credentials: Vec<HttpCredentials>,
    /// Whether file choosers are reported by `Page::file_chooser` instead of opening a window.
    pub catch_file_choosers: bool,
    /// Whether a listener answers each dialog, so that actions on the page wait for its answer.
    pub has_dialog_listener: bool,
    /// Whether the context stays open when this client disconnects, so that another one can take it over.
    pub outlives_connection: bool,
    /// Whether the tools that its pages offer to agents (WebMCP) are collected.
    pub collects_page_tools: bool,
    pub emulation: Emulation,
    /// The texts to hide in screenshots.
    pub hidden_texts: HiddenTexts,
}

/// Credentials for HTTP authentication.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpCredentials {
    pub username: String,
    pub password: String,
    /// The only origin that receives them, if given.
    pub origin: Option<String>,
    /// Whether they are sent without a challenge; only in API requests.
    pub unasked: bool,
    /// Whether a person entered them, instead of the configuration.
    pub entered_by_person: bool,
}

impl HttpCredentials {
    /// The credentials for this URL: those of its origin, or else general ones.
    pub(in crate::browser) fn matching<'a>(all: &'a [Self], url: &str) -> Option<&'a Self> {
        let own =
            all.iter().find(|one| one.origin.as_deref().is_some_and(|at| origin_of(at) == origin_of(url)));
        own.or_else(|| all.iter().find(|one| one.origin.is_none()))
    }
}

/// Decides whether a `file:` URL may be loaded. Cheap to clone.
#[derive(Clone)]
pub struct LocalFiles(Arc<dyn Fn(&Url) -> bool + Send + Sync>);

impl LocalFiles {
    pub fn new(permits: impl Fn(&Url) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(permits))
    }

    pub(in crate::browser) fn permits(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|url| (self.0)(&url))
    }
}

impl fmt::Debug for LocalFiles {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("LocalFiles")
    }
}
