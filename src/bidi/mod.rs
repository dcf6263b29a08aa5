//! Firefox, which speaks WebDriver BiDi: this module translates it to the Chrome DevTools Protocol.
//!
//! [`Firefox`] is a [`Transport`](crate::cdp::transport::Transport): CDP commands go in, BiDi commands go out,
//! and replies and events come back as CDP. The modules above need not know about Firefox. Commands that BiDi
//! cannot express are refused with a reason; commands that only Firefox needs are in [`commands`].
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
