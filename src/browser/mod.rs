//! The objects a person sees: Browser, BrowserContext, Page, Frame, ElementHandle.
mod actionability;
mod browser;
mod context;
mod element;
mod evaluate;
mod fill;
pub mod find;
mod frame;
pub mod injected;
pub mod input;
mod journal;
pub mod launch;
mod navigation;
mod network;
mod page;
mod world;

pub use actionability::{ACTION_LIMIT, ActionOptions};
pub use browser::Browser;
pub use context::{BrowserContext, ContextOptions};
pub use element::{ElementHandle, ElementState, OptionChoice};
pub use evaluate::json_value;
pub use frame::{Frame, Moments};
pub use journal::{Mark, Pending};
pub use navigation::{Arrival, NavigateOptions, WaitUntil};
pub use network::{NetworkLog, RequestEntry};
pub use page::{Dialog, FileChooser, Page};
pub use world::{RemoteHandle, Scope, World, value_argument};
