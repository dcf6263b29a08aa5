//! What one client works in: a workspace of contexts and tabs, on a browser that all clients share.
//!
//! A [`registry`] gives workspaces an id and an end. [`cooldown`] is the pause after nobody came; [`handoff`] waits for
//! somebody at a [`wall`]; [`errand`] goes to a page, does one thing there, and tells; [`pacing`] keeps it polite.
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
