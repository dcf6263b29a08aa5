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
use hidden_texts::MaskedTexts;
use storage_state::{StorageState, origin_of};

/// Options of a browser context. The default keeps the browser's behaviour.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
    /// Viewport width and height in CSS pixels. `None`: the size of the window.
    pub viewport: Option<(u32, u32)>,
    /// Whether a page's window size counts as its viewport if `viewport` is `None`.
    pub window_is_viewport: bool,
    pub user_agent: Option<String>,
    pub locale: Option<String>,
    /// Whether `navigator.languages` contains only the locale.
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
    /// The servers that the context's pages may reach.
    pub policy: Arc<Policy>,
    /// The local files that the context's pages may load. `None`: the browser's own rules.
    pub local_files: Option<FileUrlPolicy>,
    /// Permissions to grant, such as `geolocation`.
    pub permissions: Vec<String>,
    /// The initial cookies and storage.
    pub storage_state: Option<Arc<StorageState>>,
    /// Device pixels for each CSS pixel; requires a viewport.
    pub device_scale_factor: Option<f64>,
    /// Whether pages use the mobile layout; requires a viewport.
    pub is_mobile: bool,
    pub has_touch: bool,
    /// The input style of the context's pages.
    pub input: InputStyle,
    /// The folder for downloads. `None`: the browser's behaviour.
    pub downloads: Option<PathBuf>,
    /// Whether downloaded files are named by the browser's download ids, instead of the suggested names.
    pub downloads_by_id: bool,
    /// Whether downloads are cancelled at once.
    pub refuses_downloads: bool,
    /// Whether pages are prevented from registering service workers.
    pub refuses_service_workers: bool,
    /// Credentials for HTTP authentication.
    pub http_credentials: Vec<HttpCredentials>,
    /// Whether file choosers are reported by `Page::file_chooser` instead of opening a window.
    pub catch_file_choosers: bool,
    /// Whether a listener answers every dialog. If so, actions on the page wait for its answer.
    pub has_dialog_listener: bool,
    /// Whether the context stays open when this client disconnects, so that another client can take it over.
    pub outlives_connection: bool,
    /// Whether to collect the tools that pages offer to agents (WebMCP).
    pub collects_page_tools: bool,
    pub emulation: Emulation,
    /// The texts to hide in screenshots.
    pub hidden_texts: MaskedTexts,
}

/// Credentials for HTTP authentication.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpCredentials {
    pub username: String,
    pub password: String,
    /// The only origin that receives the credentials. `None`: any origin.
    pub origin: Option<String>,
    /// Whether API requests send the credentials without waiting for a challenge.
    pub unasked: bool,
    /// Whether a person entered the credentials. Otherwise, they come from the configuration.
    pub entered_by_person: bool,
}

impl HttpCredentials {
    /// Returns the credentials for this URL: those of its origin, or else those without an origin.
    pub(in crate::browser) fn matching<'a>(all: &'a [Self], url: &str) -> Option<&'a Self> {
        let own =
            all.iter().find(|one| one.origin.as_deref().is_some_and(|at| origin_of(at) == origin_of(url)));
        own.or_else(|| all.iter().find(|one| one.origin.is_none()))
    }
}

/// Decides which `file:` URLs may be loaded. Cheap to clone.
#[derive(Clone)]
pub struct FileUrlPolicy(Arc<dyn Fn(&Url) -> bool + Send + Sync>);

impl FileUrlPolicy {
    pub fn new(permits: impl Fn(&Url) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(permits))
    }

    pub(in crate::browser) fn permits(&self, address: &str) -> bool {
        Url::parse(address).is_ok_and(|url| (self.0)(&url))
    }
}

impl fmt::Debug for FileUrlPolicy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("LocalFiles")
    }
}
