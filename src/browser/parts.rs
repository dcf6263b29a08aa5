//! The rooms that have a part in every page, and browsers that are opened with them.
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

/// In the order in which a new page's commands go out.
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
    /// Starts a browser. `warn` hears what the user should know, one line at a time.
    pub async fn launch(
        options: &LaunchOptions,
        default_context: ContextOptions,
        warn: &(dyn Fn(&str) + Send + Sync),
    ) -> Result<Self> {
        Self::launch_with(PARTS, options, default_context, warn).await
    }

    /// Attaches to a browser that somebody else runs. It is never closed by us.
    ///
    /// `endpoint` is a `ws://` address, or the `http://` address that tells it; `limit` is for both steps.
    pub async fn connect(
        endpoint: &str,
        headers: &[(String, String)],
        default_context: ContextOptions,
        limit: Duration,
    ) -> Result<Self> {
        Self::connect_with(PARTS, endpoint, headers, default_context, limit, false).await
    }

    /// Attaches to a browser in which others work beside us, each in contexts of their own. It is never closed by us.
    pub async fn share(
        endpoint: &str,
        headers: &[(String, String)],
        default_context: ContextOptions,
        limit: Duration,
    ) -> Result<Self> {
        Self::connect_with(PARTS, endpoint, headers, default_context, limit, true).await
    }

    /// Comes as a guest into the browser that a person runs with this folder, which may ask that person first. Only tabs
    /// that we open, or that come of these, are touched; they are closed when we leave.
    ///
    /// # Errors
    /// `no_guests`, where it does not run or lets nobody in.
    pub async fn join(folder: &Path, default_context: ContextOptions, limit: Duration) -> Result<Self> {
        Self::join_with(PARTS, folder, default_context, limit).await
    }
}
