//! The browser program: finding, downloading, starting, identifying and connecting.
pub(super) mod endpoint;
pub mod find;
pub(super) mod identity;
#[cfg(feature = "install")]
pub mod install;
pub mod launch;
