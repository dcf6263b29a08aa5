//! A browser that agents and scripts can drive without leaving traces: a DevTools protocol engine, sessions, and an
//! MCP server.
//!
//! # A tour
//!
//! | to do | use | example |
//! |---|---|---|
//! | launch a browser, open a page | [`browser::Browser::launch`], [`browser::Page::goto`] | `examples/title.rs` |
//! | find elements, act on them, wait | [`browser::Frame::locator`], [`browser::locator::Locator`] | `examples/form.rs` |
//! | read a page as text with refs | [`browser::Page::outline`], [`browser::Page::content`] | `examples/outline.rs` |
//! | answer or change requests | [`browser::BrowserContext::set_interception`], [`browser::Route`] | `examples/intercept.rs` |
//! | read many pages at once | [`browser::BrowserContext::new_page`] | `examples/parallel.rs` |
//! | keep clients apart in one browser | [`session::Engine`], [`session::Workspace`] | `examples/session.rs` |
//!
//! ```no_run
//! use patchright_mcp::browser::launch::LaunchOptions;
//! use patchright_mcp::browser::{Browser, ContextOptions, NavigateOptions};
//!
//! # async fn tour() -> patchright_mcp::Result<()> {
//! let options = LaunchOptions { headless: Some(true), ..LaunchOptions::default() };
//! let browser = Browser::launch(&options, ContextOptions::default(), &|line| eprintln!("{line}")).await?;
//! let page = browser.new_context(ContextOptions::default()).await?.new_page().await?;
//! page.goto("https://example.com", &NavigateOptions::default()).await?;
//! println!("{}", page.title().await);
//! browser.close().await
//! # }
//! ```
//!
//! Every call has a deadline, and every failure is an [`Error`] with a [stable code](Error::code) and a
//! [next step](Error::suggestion).
//!
//! # Features
//!
//! | feature | adds |
//! |---|---|
//! | `engine` | the modules up to [`session`], without the dependencies of the server |
//! | `install` | download a browser where the machine has none |
//! | `mcp` | the tools, the MCP server and the live view |
//! | `cli` (default) | the program |
//! | `fleet` (default) | sessions that several servers share, in Redis or Valkey |
//! | `otlp` (default) | spans of calls, for an OpenTelemetry collector |
//! | `python` | the Python extension |
//!
//! For the engine alone: `patchright-mcp = { version = "0.1", default-features = false, features = ["engine"] }`.
//!
//! # Layers
//!
//! `lib.rs` declares the modules in reading order; each uses only those above it. Modules that this page does not list
//! are public for the program and the tests, and may change in any version.
// Without the `mcp` feature, items that only the server uses are dead code.
#![cfg_attr(not(feature = "mcp"), allow(dead_code))]
#![cfg_attr(not(test), warn(unused_crate_dependencies))]
#![warn(missing_docs)]
mod sync;
mod folders;
mod hex;
mod json;
#[doc(hidden)]
pub mod pdf;
#[allow(missing_docs, reason = "the sentence of each variant describes it")]
pub mod error;
#[doc(hidden)]
pub mod messages;
#[doc(hidden)]
pub mod snapshot;
pub mod cdp;
#[doc(hidden)]
pub mod bidi;
#[allow(missing_docs, reason = "fields, variants and plain accessors are named after Playwright's")]
pub mod browser;
#[doc(hidden)]
pub mod webdriver;
#[doc(hidden)]
pub mod fleet;
#[doc(hidden)]
pub mod secrets;
pub mod session;
#[cfg(feature = "mcp")]
#[doc(hidden)]
pub mod live;
#[cfg(feature = "mcp")]
#[doc(hidden)]
pub mod trace;
#[cfg(feature = "mcp")]
#[doc(hidden)]
pub mod mcp;
#[cfg(feature = "cli")]
#[doc(hidden)]
pub mod cli;
#[cfg(any(all(test, feature = "mcp"), fuzzing))]
#[doc(hidden)]
pub mod fuzzing;
#[cfg(feature = "python")]
mod python;

pub use error::{Error, Result};
