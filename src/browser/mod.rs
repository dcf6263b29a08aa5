//! The objects a person sees: Browser, BrowserContext, Page, Frame, ElementHandle.
