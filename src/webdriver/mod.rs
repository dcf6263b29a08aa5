//! WebKit, driven over W3C WebDriver: a client, and a driver and browser process for each session.
//!
//! WebDriver has no events, no network log and no isolated worlds, so this module does not use `browser`.
//! Tools that need those features return an error, and each call passes the engine's JavaScript into the page
//! as a function.
mod client;
mod downloads;
#[cfg(unix)]
mod group;
#[cfg_attr(not(unix), path = "unsupported.rs")]
mod launch;
mod nodes;
mod options;
mod webkit_session;
mod tab;
mod look;
mod act;

pub use act::ClickOptions;
pub use downloads::DownloadEntry;
pub use nodes::Element;
pub use options::{Options, find_driver, find_virtual_display_server};
pub use tab::{PageInfo, WebkitPage};
pub use webkit_session::{LockedPage, WebkitSession};

/// A notice for users of WebKit, printed when it starts.
pub const WEBKIT_NOTICE: &str = "WebKit is driven over WebDriver: navigator.webdriver is true, pages can notice what is done in them, and no status \
                          of a response is reported";
