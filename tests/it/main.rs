//! One binary for all tests that are not beside the code, so that it links once.
#![allow(
    clippy::unwrap_used,
    unreachable_pub,
    reason = "a failed unwrap is a failed test; nobody links a test"
)]
mod browser;
mod capture;
mod cdp;
mod cli;
mod find;
mod launch;
mod layers;
mod selector;
mod server;
mod support;
mod tools;
