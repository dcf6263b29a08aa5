//! What one client works in: a workspace of contexts and tabs, on a browser that all clients share.
mod engine;
mod roots;
mod workspace;

pub use engine::{Engine, EngineOptions, InUse, Source};
pub use roots::Roots;
pub use workspace::{ContextEntry, Tab, Workspace};
