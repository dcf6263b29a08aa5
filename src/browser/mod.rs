//! The objects a person sees: Browser, BrowserContext, Page, Frame, ElementHandle.
pub mod find;
pub mod launch;
