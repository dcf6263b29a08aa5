//! One binary for all tests that are not beside the code, so that it links once.
mod find;
mod launch;
