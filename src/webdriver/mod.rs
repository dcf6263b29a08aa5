//! WebKit, by W3C WebDriver: a client of its own, a driver and a browser for each who works in one, and a thin page.
//!
//! There are no events, no list of requests and no world apart from the page's own. So nothing of `browser` stands on it: what
//! needs those is refused, and the engine's JavaScript works as a function that is given to the page for one question.
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

pub use act::Press;
pub use downloads::Sent;
pub use nodes::Element;
pub use options::{Options, find_driver, find_screen};
pub use tab::{Arrived, Tab};
pub use webkit_session::{Turn, WebkitSession};

/// A notice for users of WebKit, printed when it starts.
pub const NOTICE: &str = "WebKit is driven over WebDriver: navigator.webdriver is true, pages can notice what is done in them, and no status \
                          of a response is reported";
