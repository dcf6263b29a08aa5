//! One binary for all Rust integration tests: it links once.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod cli;
mod server;
mod tools;
