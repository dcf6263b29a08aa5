//! One binary for all tests that are not beside the code, so that it links once.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a failed unwrap is a failed test; nobody links a test"
)]
mod actionability;
mod api_request;
mod attached;
mod browser;
mod calls;
mod capture;
mod cdp;
mod cli;
mod examples;
mod find;
#[cfg(feature = "fleet")]
mod fleet;
mod fuzz;
mod http;
mod input;
mod install;
mod launch;
mod layers;
mod oracle;
mod patchright;
mod proxy;
mod quiet;
mod selector;
mod server;
mod sessions;
mod settle;
mod snapshot;
mod storage;
mod support;
mod tools;
mod traffic;
