//! The server over HTTP: who may speak to it, within which limits, and which client a request belongs to.
//!
//! A request is checked from the outside in: `Host` and `Origin`, then the key, then size and form. Only what has passed
//! reaches the SDK.
mod clients;
mod entrance;
mod guard;
mod keys;
pub mod live;
mod replicas;
mod serve;
mod visitors;

pub use clients::ClientLimits;
pub use guard::Guard;
#[cfg(any(test, fuzzing))]
pub(crate) use guard::fuzz as fuzz_guard;
pub use keys::Keys;
pub use serve::{HttpOptions, HttpServer};
