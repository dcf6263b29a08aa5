//! The list of modules with hooks, and functions that open browsers with them.
use std::path::Path;
use std::time::Duration;

use super::Browser;
use super::console::ConsolePart;
use super::elements::captions::CaptionPart;
use super::elements::locator_handler::LocatorHandlerPart;
use super::elements::record::RecordPart;
use super::elements::upload::UploadPart;
use super::emulate::clock::ClockPart;
use super::emulate::local_files::FileGuard;
use super::emulate::passkey::PasskeyPart;
use super::emulate::storage::StoragePart;
use super::objects::front::FrontPart;
use super::objects::parts::Parts;
use super::options::ContextOptions;
use super::program::launch::LaunchOptions;
use super::scripts::init_script::ScriptPart;
use super::scripts::offered::OfferedPart;
use super::traffic::observer::TrafficPart;
use super::traffic::vouched::VouchedPart;
use super::view::overlay::OverlayPart;
use super::view::screencast::ScreencastPart;
use crate::error::Result;

/// The hooks, in the order in which a new page's commands are sent.
const PARTS: Parts = &[
    &FrontPart,
    &FileGuard,
    &TrafficPart,
    &VouchedPart,
    &ConsolePart,
    &ClockPart,
    &ScriptPart,
    &OfferedPart,
    &PasskeyPart,
    &StoragePart,
    &UploadPart,
    &LocatorHandlerPart,
    &RecordPart,
    &CaptionPart,
    &ScreencastPart,
    &OverlayPart,
];

impl Browser {
    /// Starts a browser. `warn` receives warnings for the user, one line at a time.
    pub async fn launch(
        options: &LaunchOptions,
        default_context: ContextOptions,
        warn: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Self> {
        Self::launch_with(PARTS, options, default_context, warn).await
    }

    /// Connects to a browser that somebody else runs, without ever closing it.
    ///
    /// `endpoint` is a `ws://` URL, or an `http://` URL that returns it; `limit` applies to both steps.
    pub async fn connect(
        endpoint: &str,
        headers: &[(String, String)],
        default_context: ContextOptions,
        limit: Duration,
    ) -> Result<Self> {
        Self::connect_with(PARTS, endpoint, headers, default_context, limit, false).await
    }

    /// Connects to a browser that other servers use as well, each in contexts of its own. Never closes it.
    pub async fn share(
        endpoint: &str,
        headers: &[(String, String)],
        default_context: ContextOptions,
        limit: Duration,
    ) -> Result<Self> {
        Self::connect_with(PARTS, endpoint, headers, default_context, limit, true).await
    }

    /// Connects to the browser that a person runs with this profile folder; it may ask the person first. Only
    /// tabs that we open, and their popups, are used; they are closed when we disconnect.
    ///
    /// # Errors `no_guests` if it does not run or refuses connections.
    pub async fn join(folder: &Path, default_context: ContextOptions, limit: Duration) -> Result<Self> {
        Self::join_with(PARTS, folder, default_context, limit).await
    }
}
