//! The list of modules with hooks, and functions that open browsers with them.
use std::path::Path;
use std::time::Duration;

use super::Browser;
use super::console::ConsoleHooks;
use super::elements::captions::CaptionHooks;
use super::elements::locator_handler::LocatorHandlerHooks;
use super::elements::record::RecordHooks;
use super::elements::upload::UploadHooks;
use super::emulate::clock::ClockHooks;
use super::emulate::local_files::FileGuard;
use super::emulate::passkey::PasskeyHooks;
use super::emulate::storage::StorageHooks;
use super::objects::front::FocusHooks;
use super::objects::hooks::HookList;
use super::options::ContextOptions;
use super::program::launch::LaunchOptions;
use super::scripts::init_script::ScriptHooks;
use super::scripts::offered::OfferedToolHooks;
use super::traffic::observer::TrafficHooks;
use super::traffic::vouched::RelayCertificateHooks;
use super::view::overlay::OverlayHooks;
use super::view::screencast::ScreencastHooks;
use crate::error::Result;

/// The hooks, in the order in which a new page's commands are sent.
const HOOKS: HookList = &[
    &FocusHooks,
    &FileGuard,
    &TrafficHooks,
    &RelayCertificateHooks,
    &ConsoleHooks,
    &ClockHooks,
    &ScriptHooks,
    &OfferedToolHooks,
    &PasskeyHooks,
    &StorageHooks,
    &UploadHooks,
    &LocatorHandlerHooks,
    &RecordHooks,
    &CaptionHooks,
    &ScreencastHooks,
    &OverlayHooks,
];

impl Browser {
    /// Starts a browser. `warn` receives warnings for the user, one line at a time.
    pub async fn launch(
        options: &LaunchOptions,
        default_context: ContextOptions,
        warn: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Self> {
        Self::launch_with(HOOKS, options, default_context, warn).await
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
        Self::connect_with(HOOKS, endpoint, headers, default_context, limit, false).await
    }

    /// Connects to a browser that other servers use as well, each in contexts of its own. Never closes it.
    pub async fn share(
        endpoint: &str,
        headers: &[(String, String)],
        default_context: ContextOptions,
        limit: Duration,
    ) -> Result<Self> {
        Self::connect_with(HOOKS, endpoint, headers, default_context, limit, true).await
    }

    /// Connects to the browser that a person runs with this profile folder; it may ask the person first. Only
    /// tabs that we open, and their popups, are used; they are closed when we disconnect.
    ///
    /// # Errors `no_guests` if it does not run or refuses connections.
    pub async fn join(folder: &Path, default_context: ContextOptions, limit: Duration) -> Result<Self> {
        Self::join_with(HOOKS, folder, default_context, limit).await
    }
}
