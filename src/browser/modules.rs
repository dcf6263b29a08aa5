//! The list of modules that hook into contexts and pages, and the functions that open a [`Browser`] with them.
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
use super::traffic::relay_certificates::RelayCertificateHooks;
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

    /// Connects to a running browser. [`close`](Self::close) disconnects and leaves the browser running.
    ///
    /// `endpoint` is a `ws://` URL, or an `http://` URL that returns one. `limit` is the time limit for connecting.
    pub async fn connect(
        endpoint: &str,
        headers: &[(String, String)],
        default_context: ContextOptions,
        limit: Duration,
    ) -> Result<Self> {
        Self::connect_with(HOOKS, endpoint, headers, default_context, limit, false).await
    }

    /// Connects to a browser that other servers use too. Ignores their contexts, and never closes the browser.
    pub async fn connect_shared(
        endpoint: &str,
        headers: &[(String, String)],
        default_context: ContextOptions,
        limit: Duration,
    ) -> Result<Self> {
        Self::connect_with(HOOKS, endpoint, headers, default_context, limit, true).await
    }

    /// Connects to the browser that a person runs with this profile folder; it may ask for permission.
    /// Uses only tabs that this process opens, and their popups. [`close`](Self::close) closes these tabs.
    ///
    /// # Errors `no_guests` if the browser does not run or refuses the connection.
    pub async fn connect_to_profile(
        folder: &Path,
        default_context: ContextOptions,
        limit: Duration,
    ) -> Result<Self> {
        Self::join_with(HOOKS, folder, default_context, limit).await
    }
}
