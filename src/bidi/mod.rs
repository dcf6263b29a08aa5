//! Firefox: translates between the Chrome DevTools Protocol and Firefox's WebDriver BiDi.
//!
//! [`Firefox`] is a [`Transport`](crate::cdp::transport::Transport): it accepts CDP commands, sends BiDi
//! commands, and returns replies and events as CDP, so the engine need not know about Firefox. Commands that
//! BiDi cannot express fail with a reason. Commands that only Firefox needs are in [`commands`].
mod aim;
mod answers;
pub mod commands;
mod console;
mod contexts;
mod cookies;
mod dialogs;
mod downloads;
mod driver;
mod emulation;
mod errors;
mod events;
mod fetch;
mod screencasts;
mod frames;
mod input;
mod keys;
pub mod missing_features;
mod navigation;
mod network;
mod nodes;
mod objects;
mod pictures;
mod runtime;
mod state;
mod values;

pub use driver::{Firefox, FirefoxOptions};
