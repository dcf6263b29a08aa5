//! The MCP server. Layers below, such as `browser` and `session`, do not depend on it.
//!
//! [`tool`] defines what a tool is, [`tools`] contains all tools, [`call`] is the environment of a call,
//! [`dispatch`] runs calls, [`reply`] builds answers, and [`server`] and [`stdio`] speak the protocol.
pub(crate) mod strict_json;
pub mod arguments;
pub mod consent;
pub mod page_text;
pub mod budget;
pub mod reply;
pub mod effect;
pub mod family;
pub mod questions;
pub mod progress;
pub mod settings;
pub mod roots;
pub mod files;
mod seen;
mod address;
pub mod condition;
pub mod program;
pub mod script;
pub mod kept;
pub mod grant;
pub mod client;
pub mod call;
pub mod tool;
mod resources;
mod describe;
pub mod expected;
pub mod target;
pub mod failure;
pub mod tools;
mod webkit;
pub mod metrics;
pub mod audit;
mod memory;
#[cfg(feature = "otlp")]
pub mod traces;
pub mod dispatch;
mod app;
mod rounds;
pub mod shutdown;
pub mod server;
pub mod stdio;
pub mod http;
