//! The browser as a program: found, fetched, started, recognised and reached.
pub(super) mod endpoint;
pub mod find;
pub(super) mod identity;
#[cfg(feature = "install")]
pub mod install;
pub mod launch;
