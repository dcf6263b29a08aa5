//! A browser that agents and scripts can drive: a CDP engine, sessions, and an MCP server.
//!
//! Modules stand in reading order. Each may name only the ones above it.
mod sync;
mod folders;
mod json;
pub mod error;
pub mod messages;
pub mod snapshot;
pub mod cdp;
pub mod bidi;
pub mod browser;
pub mod webdriver;
pub mod fleet;
pub mod secrets;
pub mod session;
pub mod live;
pub mod mcp;
pub mod cli;
#[cfg(any(test, fuzzing))]
pub mod fuzzing;
#[cfg(feature = "python")]
mod python;

pub use error::{Error, Result};
