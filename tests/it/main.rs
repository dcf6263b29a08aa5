//! All integration tests are one binary, so that it links once.
mod cdp;
