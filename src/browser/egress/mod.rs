//! The way out of the browser, and where it may lead.
pub(super) mod client_certificate;
pub mod policy;
pub mod proxy;
pub(super) mod relay;
