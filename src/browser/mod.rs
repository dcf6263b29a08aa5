//! The objects a person sees: Browser, BrowserContext, Page, Frame, ElementHandle.
mod actionability;
mod browser;
mod capture;
mod console;
mod context;
mod download;
mod element;
mod evaluate;
mod fill;
pub mod find;
mod frame;
pub mod injected;
pub mod input;
pub mod install;
mod journal;
pub mod launch;
mod navigation;
mod network;
mod page;
mod pdf;
pub mod policy;
pub mod proxy;
mod screenshot;
<<<<<<< HEAD
mod settle;
=======
mod storage;
>>>>>>> main
mod world;

pub use actionability::{ACTION_LIMIT, ActionOptions};
pub use browser::Browser;
pub use capture::CaptureOptions;
pub use console::{ConsoleLevel, ConsoleMessage};
pub use context::{BrowserContext, ContextOptions, PERMISSIONS};
pub use download::{Download, DownloadState};
pub use element::{ElementHandle, ElementState, OptionChoice};
pub use evaluate::json_value;
pub use frame::{Frame, Moments};
pub use journal::{Mark, Pending};
pub use navigation::{Arrival, NavigateOptions, WaitUntil};
pub use network::{NetworkLog, RequestEntry};
pub use page::{Dialog, FileChooser, Page};
pub use pdf::PdfOptions;
pub use screenshot::{Area, ImageFormat, Screenshot, ScreenshotOptions};
<<<<<<< HEAD
pub use settle::{SettleOptions, Settled, Watch};
=======
pub use storage::{SameSite, StorageState, StoredCookie, StoredItem, StoredOrigin};
>>>>>>> main
pub use world::{RemoteHandle, Scope, World, value_argument};
