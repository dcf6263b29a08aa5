//! Options for WebKit.
use std::path::PathBuf;
use std::sync::Arc;

use crate::browser::ContextOptions;
use crate::browser::launch::LaunchOptions;
use crate::browser::policy::Policy;
use crate::browser::proxy::Proxy;
use crate::error::{Error, Result};

/// Options for WebKit, and a callback for warnings to the user.
#[derive(Clone)]
pub struct Options {
    /// The launch options. `executable` is the path of the driver.
    pub launch: LaunchOptions,
    pub(super) viewport: (u32, u32),
    pub(super) user_agent: Option<String>,
    pub(super) timezone: Option<String>,
    pub(super) ignore_https_errors: bool,
    pub(super) proxy: Option<Proxy>,
    pub(super) policy: Arc<Policy>,
    /// The first given option that WebKit does not support, if any.
    refused: Option<&'static str>,
    pub(super) warn: Arc<dyn Fn(&str) + Send + Sync>,
}

/// The default viewport size in CSS pixels.
const VIEWPORT: (u32, u32) = (1280, 720);

impl Options {
    pub fn new(
        launch: LaunchOptions,
        context: &ContextOptions,
        warn: Arc<dyn Fn(&str) + Send + Sync>,
    ) -> Self {
        Self {
            viewport: context.viewport.or(launch.window_size).unwrap_or(VIEWPORT),
            user_agent: context.user_agent.clone().or_else(|| launch.user_agent.clone()),
            timezone: context.timezone.clone(),
            ignore_https_errors: context.ignore_https_errors,
            proxy: context.proxy.clone(),
            policy: Arc::clone(&context.policy),
            refused: refused(&launch, context),
            launch,
            warn,
        }
    }

    /// Returns the options for a test launch: headless if possible, and without warnings.
    #[must_use]
    pub fn for_trial_launch(&self) -> Self {
        let headless = on_path(DISPLAY).is_ok().then_some(true).or(self.launch.headless);
        let launch = LaunchOptions { headless, ..self.launch.clone() };
        Self { launch, warn: Arc::new(|_| ()), ..self.clone() }
    }

    /// Returns the same options with another network policy.
    #[must_use]
    pub fn within(&self, policy: &Arc<Policy>) -> Self {
        Self { policy: Arc::clone(policy), ..self.clone() }
    }

    /// Returns the launch options for a browser other than WebKit.
    pub fn for_other_browser(&self) -> LaunchOptions {
        LaunchOptions { executable: None, arguments: Vec::new(), ..self.launch.clone() }
    }

    /// Returns an error if an option is given that WebKit does not support.
    pub(super) fn check(&self) -> Result<()> {
        match self.refused {
            None => Ok(()),
            Some(setting) => Err(Error::NotInWebkit {
                what: setting.to_owned(),
                reason: "WebKit's driver does not support this setting",
            }),
        }
    }
}

/// The file name of WebKitGTK's driver.
pub(super) const DRIVER: &str = "WebKitWebDriver";
/// The file name of the virtual display server.
pub(super) const DISPLAY: &str = "Xvfb";

/// Returns the path of the driver: the given one, or an installed one.
pub fn find_driver(options: &Options) -> Result<PathBuf> {
    match &options.launch.executable {
        Some(path) if path.is_file() => Ok(path.clone()),
        Some(path) => Err(Error::WebkitNotFound { looked: path.display().to_string() }),
        None => on_path(DRIVER),
    }
}

fn on_path(name: &str) -> Result<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file());
    found.ok_or_else(|| Error::WebkitNotFound { looked: format!("{name} on PATH") })
}

/// Returns the path of the virtual display server; `None` if a real display is used.
pub fn find_virtual_display_server(options: &Options) -> Result<Option<PathBuf>> {
    match shows_window(options)? {
        true => Ok(None),
        false => on_path(DISPLAY).map(Some),
    }
}

/// Returns whether the browser uses a real display; an error if a window is required without a display.
fn shows_window(options: &Options) -> Result<bool> {
    let has_display = std::env::var_os("DISPLAY").is_some_and(|display| !display.is_empty());
    match options.launch.headless {
        Some(false) if !has_display => Err(Error::NoDisplay),
        Some(true) => Ok(false),
        _ => Ok(has_display),
    }
}

/// Returns the first given option that WebKit does not support.
fn refused(launch: &LaunchOptions, context: &ContextOptions) -> Option<&'static str> {
    let settings = [
        ("a profile that is kept", launch.user_data_dir.is_some()),
        ("keeping navigator.webdriver false", launch.hides_webdriver),
        ("another language", context.locale.is_some()),
        ("headers of one's own", !context.extra_headers.is_empty()),
        ("scripts that run before a page's own", !context.init_scripts.is_empty()),
        ("files of this machine as pages", context.local_files.is_some()),
        ("permissions", !context.permissions.is_empty()),
        ("a state to begin with", context.storage_state.is_some()),
        (
            "the look of a device",
            context.is_mobile || context.has_touch || context.device_scale_factor.is_some(),
        ),
        ("a name and a password for HTTP", !context.http_credentials.is_empty()),
    ];
    settings.into_iter().find_map(|(setting, is_asked)| is_asked.then_some(setting))
}

impl std::fmt::Debug for Options {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Options").field("driver", &self.launch.executable).finish_non_exhaustive()
    }
}
