//! Differences between browser protocols.
use std::time::Duration;

use crate::bidi::lacks;
use crate::browser::options::ContextOptions;
use crate::browser::options::emulation::Media;
use crate::browser::program::launch::FIREFOX_SCRIPT_LIMIT;
use crate::error::Result;

/// The protocol of a browser, behind the CDP interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The DevTools protocol itself.
    Chromium,
    /// WebDriver BiDi, which the `bidi` module translates.
    Firefox,
}

impl Dialect {
    /// The protocol of a product, such as `Firefox/153.7.0`.
    pub(in crate::browser) fn of(product: &str) -> Self {
        if product.starts_with("Firefox/") { Self::Firefox } else { Self::Chromium }
    }

    /// Whether double clicks are recognised only if all clicks are sent at once.
    pub(in crate::browser) fn chains_clicks(self) -> bool {
        self == Self::Firefox
    }

    /// Whether scripts run in the order of sending. Firefox first looks up the world of each script in all documents.
    pub(in crate::browser) fn runs_in_order(self) -> bool {
        self == Self::Chromium
    }

    /// Whether input events accept time stamps.
    pub(in crate::browser) fn accepts_event_times(self) -> bool {
        self == Self::Chromium
    }

    /// Whether a native drag can be continued and dropped.
    pub(in crate::browser) fn supports_native_drags(self) -> bool {
        self == Self::Chromium
    }

    /// Whether isolated worlds recognise dates, maps and similar objects of the main world.
    pub(in crate::browser) fn recognises_main_world_types(self) -> bool {
        self == Self::Chromium
    }

    /// Whether screencasts consist of repeated screenshots, which can miss the last change.
    pub(in crate::browser) fn captures_screencasts_itself(self) -> bool {
        self == Self::Firefox
    }

    /// Whether a document can be loaded without its scripts. Otherwise, a document that replaces itself while loading is stopped.
    pub(in crate::browser) fn can_skip_scripts(self) -> bool {
        self == Self::Chromium
    }

    /// The time after which the browser itself stops an endless script, if it does so and cannot be asked to.
    pub(in crate::browser) fn script_time_limit(self) -> Option<Duration> {
        // It looks at the clock now and then, and again before it ends one.
        const AT_LATEST: u32 = 2;
        (self == Self::Firefox).then_some(AT_LATEST * FIREFOX_SCRIPT_LIMIT)
    }

    /// Refuses options that this browser does not support.
    pub(in crate::browser) fn check(self, options: &ContextOptions) -> Result<()> {
        if self == Self::Chromium {
            return Ok(());
        }
        let emulation = &options.emulation;
        let missing = [
            (lacks::MOBILE, options.is_mobile),
            (lacks::TOUCH, options.has_touch),
            (lacks::NO_SCRIPTS, emulation.scripts_disabled),
            (lacks::BYPASSED_CSP, emulation.bypass_csp),
            (lacks::MEDIA, emulation.media != Media::default()),
        ];
        match missing.into_iter().find(|(_, asked)| *asked) {
            Some((lack, _)) => Err(lack.into()),
            None => Ok(()),
        }
    }
}
