//! The objects a person sees: Browser, BrowserContext, Page, Frame, ElementHandle.
mod browser;
mod context;
mod evaluate;
pub mod find;
mod frame;
pub mod injected;
pub mod input;
mod journal;
pub mod launch;
mod navigation;
mod network;
mod page;
mod screenshot;
mod world;

pub use browser::Browser;
pub use context::{BrowserContext, ContextOptions};
pub use evaluate::json_value;
pub use frame::{Frame, Moments};
pub use journal::{Mark, Pending};
pub use navigation::{Arrival, NavigateOptions, WaitUntil};
pub use network::{NetworkLog, RequestEntry};
pub use page::{Dialog, FileChooser, Page};
pub use screenshot::{Area, Framing, ImageFormat};
pub use world::{RemoteHandle, Scope, World, value_argument};
