//! Outgoing connections: proxies, client certificates and the network policy.
pub(super) mod client_certificate;
pub mod policy;
pub mod proxy;
pub(super) mod relay;
