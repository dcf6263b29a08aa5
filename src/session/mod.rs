//! Workspaces: the contexts and tabs of one client, in a browser that all clients share.
//!
//! [`registry`] gives workspaces an id and an expiry. [`challenge`] detects logins and captchas, [`handoff`]
//! waits for a person to pass them, [`cooldown`] pauses tools after nobody did. [`visit`] opens a page for
//! one task; [`pacing`] limits the rate of navigations; [`crawl`] reads whole sites.
mod engine;
mod live_pages;
mod place;
mod quota;
mod shared;
mod roots;
mod turns;
mod uses;
mod workspace;
#[doc(hidden)]
pub mod cooldown;
#[doc(hidden)]
pub mod pacing;
#[doc(hidden)]
pub mod challenge;
#[doc(hidden)]
pub mod handoff;
#[doc(hidden)]
pub mod visit;
#[doc(hidden)]
pub mod crawl;
#[doc(hidden)]
pub mod registry;

pub use engine::{BrowserSource, Engine, EngineOptions};
pub use live_pages::LoadedPageLimit;
pub use place::{ContentKind, WriteTarget};
pub use quota::OwnerLimits;
pub use roots::Roots;
#[cfg(feature = "mcp")]
pub(crate) use turns::Turns;
pub use uses::UsageGuard;
pub use workspace::{
    ArchivedResponse, ContextEntry, DetachedContext, RequestFilter, RequestRule, RuleEffect, Tab, TabId,
    Workspace,
};
