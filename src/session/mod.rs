//! What one client works in: a workspace of contexts and tabs, in a browser that all clients share.
//!
//! A [`registry`] gives workspaces an id and an expiry. [`cooldown`] is the pause after nobody responded to a
//! challenge; [`handoff`] waits for a person at a [`challenge`]; [`visit`] opens a page, does one task there
//! and returns the result; [`pacing`] respects the rules of sites.
mod engine;
mod live_pages;
mod place;
mod quota;
mod shared;
mod roots;
mod turns;
mod uses;
mod workspace;
pub mod cooldown;
pub mod pacing;
pub mod challenge;
pub mod handoff;
pub mod visit;
pub mod registry;

pub use engine::{Engine, EngineOptions, Source};
pub use live_pages::LivePages;
pub use place::{Kind, Place};
pub use quota::Limits;
pub use roots::Roots;
#[cfg(feature = "mcp")]
pub(crate) use turns::Turns;
pub use uses::InUse;
pub use workspace::{Answered, ContextEntry, Does, LeftContext, RequestFilter, Rule, Tab, TabId, Workspace};
