//! MCP over HTTP: authentication, limits, and the client to which each request belongs.
//!
//! Checks a request in this order: `Host` and `Origin`, key, size, format. Only then passes it on to the SDK.
mod clients;
mod entrance;
mod guard;
mod key_file;
mod keys;
mod oauth;
mod owner;
pub mod live;
mod replicas;
mod serve;
pub mod trace;
mod visitors;

pub use clients::ClientLimits;
pub use guard::RequestGuard;
#[cfg(any(test, fuzzing))]
pub(crate) use guard::fuzz as fuzz_guard;
pub use key_file::{KeyFile, NamedKey, digest_of, parse as parse_key_file};
pub use keys::ApiKeys;
pub use oauth::OAuth;
pub use owner::random_key;
pub use serve::{HttpOptions, HttpServer};
