//! Differences between the browser protocols: CDP and WebDriver BiDi.
use std::time::Duration;

use crate::bidi::missing_features;
use crate::browser::options::ContextOptions;
use crate::browser::options::emulation::MediaEmulation;
use crate::browser::program::launch::FIREFOX_SCRIPT_LIMIT;
use crate::error::Result;

/// The protocol of a browser. Callers send CDP commands in either case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BrowserProtocol {
    /// The DevTools protocol (CDP).
    Chromium,
    /// WebDriver BiDi. The `bidi` module translates CDP commands to it.
    Firefox,
}

impl BrowserProtocol {
    /// Returns the protocol of a browser product, such as `Firefox/153.7.0`.
    pub(in crate::browser) fn of(product: &str) -> Self {
        if product.starts_with("Firefox/") { Self::Firefox } else { Self::Chromium }
    }

    /// Whether double clicks are recognised only if all their events are sent at once.
    pub(in crate::browser) fn chains_clicks(self) -> bool {
        self == Self::Firefox
    }

    /// Whether only one page of the browser can have the focus.
    pub(in crate::browser) fn has_one_focus(self) -> bool {
        self == Self::Firefox
    }

    /// Whether scripts run in the order in which they are sent.
    pub(in crate::browser) fn runs_in_order(self) -> bool {
        self == Self::Chromium
    }

    /// Whether input events accept time stamps.
    pub(in crate::browser) fn accepts_event_times(self) -> bool {
        self == Self::Chromium
    }

    /// Whether commands can move and drop a native drag (HTML drag and drop).
    pub(in crate::browser) fn supports_native_drags(self) -> bool {
        self == Self::Chromium
    }

    /// Whether isolated worlds recognise dates, maps and similar objects of the main world.
    pub(in crate::browser) fn recognises_main_world_types(self) -> bool {
        self == Self::Chromium
    }

    /// Whether a screencast is a series of screenshots, which can miss the last change.
    pub(in crate::browser) fn captures_screencasts_itself(self) -> bool {
        self == Self::Firefox
    }

    /// Whether scripts can be disabled while a document loads, which stops an endless reload.
    pub(in crate::browser) fn can_skip_scripts(self) -> bool {
        self == Self::Chromium
    }

    /// How long an endless script runs until the browser stops it; `None` if the browser stops it on request.
    pub(in crate::browser) fn script_time_limit(self) -> Option<Duration> {
        // Firefox checks the time at intervals, so a script can run for up to twice the limit.
        const AT_LATEST: u32 = 2;
        (self == Self::Firefox).then_some(AT_LATEST * FIREFOX_SCRIPT_LIMIT)
    }

    /// Fails if the options require a feature that this browser does not support.
    pub(in crate::browser) fn check(self, options: &ContextOptions) -> Result<()> {
        if self == Self::Chromium {
            return Ok(());
        }
        let emulation = &options.emulation;
        let missing = [
            (missing_features::MOBILE, options.is_mobile),
            (missing_features::TOUCH, options.has_touch),
            (missing_features::DISABLED_JAVASCRIPT, emulation.scripts_disabled),
            (missing_features::BYPASS_CSP, emulation.bypass_csp),
            (missing_features::MEDIA, emulation.media != MediaEmulation::default()),
        ];
        match missing.into_iter().find(|(_, asked)| *asked) {
            Some((lack, _)) => Err(lack.into()),
            None => Ok(()),
        }
    }
}
