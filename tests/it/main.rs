//! One binary for all tests that are not beside the code, so that it links once.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod find;
mod launch;
mod layers;
