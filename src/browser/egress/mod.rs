//! Outgoing connections: proxies and network limits.
pub(super) mod client_certificate;
pub mod policy;
pub mod proxy;
pub(super) mod relay;
