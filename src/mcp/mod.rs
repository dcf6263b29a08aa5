//! The MCP face. Nothing below this module knows that MCP exists.
//!
//! [`tool`] says what a tool is, [`tools`] holds them, [`dispatch`] runs one, [`reply`] writes what it answers,
//! [`server`] and [`stdio`] speak the protocol.
pub mod consent;
pub mod page_text;
pub mod reply;
pub mod arguments;
pub mod questions;
pub mod progress;
pub mod settings;
pub mod roots;
pub mod files;
mod describe;
pub mod target;
pub mod program;
pub mod script;
pub mod kept;
pub mod tool;
pub mod tools;
pub mod failure;
pub mod dispatch;
pub mod metrics;
mod rounds;
pub mod shutdown;
pub(crate) mod strict_json;
pub mod stdio;
pub mod server;
pub mod http;
