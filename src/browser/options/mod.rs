//! What contexts are made with. Nothing here does anything.
pub(super) mod devices;
pub(super) mod domains;
pub mod emulation;
pub(super) mod look;
pub(super) mod number;
pub(super) mod paper;
pub(super) mod permissions;
pub(super) mod routing;
pub(super) mod storage_state;
pub(super) mod unseen;

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
use storage_state::{StorageState, origin_of};
use unseen::Unseen;

/// What a context is made with. Everything left out is as the browser has it.
#[derive(Debug, Clone, Default)]
pub struct ContextOptions {
    /// Width and height of the page in CSS pixels. `None`: as large as its window.
    pub viewport: Option<(u32, u32)>,
    /// Pages tell the room in their windows as their viewport.
    pub window_is_viewport: bool,
    pub user_agent: Option<String>,
    pub locale: Option<String>,
    /// Pages are given the language of the locale, and none beside it.
    pub locale_alone: bool,
    pub timezone: Option<String>,
    pub extra_headers: Headers,
    pub ignore_https_errors: bool,
    /// Shown to servers that ask who is there.
    pub client_certificates: Vec<ClientCertificate>,
    /// Scripts that run in every document before its own.
    pub init_scripts: Vec<String>,
    /// A proxy for all traffic of this context.
    pub proxy: Option<Proxy>,
    /// The servers that its pages may reach.
    pub policy: Arc<Policy>,
    /// The files of this machine that its pages may show. `None`: as the browser does it.
    pub local_files: Option<LocalFiles>,
    /// What pages may do without asking, such as `geolocation`.
    pub permissions: Vec<String>,
    /// Cookies and storage to begin with.
    pub storage_state: Option<Arc<StorageState>>,
    /// Device pixels to a CSS pixel; needs a viewport.
    pub device_scale_factor: Option<f64>,
    /// Whether pages are laid out as on a telephone; needs a viewport.
    pub is_mobile: bool,
    pub has_touch: bool,
    /// How the pointer and the keys of its pages move.
    pub input: InputStyle,
    /// Where files that pages send are kept. `None`: as the browser does it.
    pub downloads: Option<PathBuf>,
    /// Downloaded files stay under the browser's own ids, instead of the names that sites propose.
    pub downloads_by_id: bool,
    /// Downloads are stopped as soon as they begin.
    pub refuses_downloads: bool,
    /// The scripts of service workers fail, so that none is ever registered.
    pub refuses_service_workers: bool,
    /// For sites that ask for a name and a password by HTTP.
    pub http_credentials: Vec<HttpCredentials>,
    /// Whether file choosers are caught, to be answered by `Page::file_chooser` instead of a window.
    pub catch_file_choosers: bool,
    /// Whether somebody hears of each dialog and answers it: what a page is asked to do then waits for that.
    pub answers_dialogs: bool,
    /// Whether it stays, with its pages, when we are gone, so that somebody else can take it over.
    pub outlives_us: bool,
    /// Whether it is heard which tools its pages offer to agents.
    pub hears_offers: bool,
    pub emulation: Emulation,
    /// What no picture of its pages shows.
    pub unseen: Unseen,
}

/// A name and a password for sites that ask for them by HTTP.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HttpCredentials {
    pub username: String,
    pub password: String,
    /// Told to this origin alone, if one is named.
    pub origin: Option<String>,
    /// Told before anybody asks; only by requests that no page makes.
    pub unasked: bool,
    /// Typed by a person at the page, not set by a program.
    pub by_person: bool,
}

impl HttpCredentials {
    /// Those for this address: of its origin, or else of any.
    pub(in crate::browser) fn meant_for<'a>(all: &'a [Self], url: &str) -> Option<&'a Self> {
        let own =
            all.iter().find(|one| one.origin.as_deref().is_some_and(|at| origin_of(at) == origin_of(url)));
        own.or_else(|| all.iter().find(|one| one.origin.is_none()))
    }
}

/// Judges the address of a file. Cheap to clone.
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
