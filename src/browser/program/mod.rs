//! The browser as a program: found, fetched, started, recognised and reached.
pub(super) mod endpoint;
pub mod find;
pub(super) mod identity;
pub mod install;
pub mod launch;
