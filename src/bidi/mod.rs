//! Firefox: it speaks WebDriver BiDi, and is heard here as if it spoke the DevTools protocol.
//!
//! [`Firefox`] is a [`Transport`](crate::cdp::transport::Transport): commands of the DevTools protocol go in, BiDi goes
//! out, and replies and events come back in the words that went in. So all that stands above has Firefox without knowing
//! of it. What BiDi has no word for is refused with the reason; what only Firefox needs has commands of its own, in
//! [`commands`].
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
mod films;
mod frames;
mod input;
mod keys;
pub mod lacks;
mod navigation;
mod network;
mod nodes;
mod objects;
mod pictures;
mod runtime;
mod state;
mod values;

pub use driver::{Begin, Firefox};
