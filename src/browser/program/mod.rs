//! The browser program: finding, downloading, starting, identifying and connecting to it.
pub(super) mod endpoint;
pub mod find;
pub(super) mod identity;
#[cfg(feature = "install")]
pub mod install;
pub mod launch;
