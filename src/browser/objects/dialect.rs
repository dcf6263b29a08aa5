//! What a browser speaks, for the little that cannot be said to all of them in the same words.
use std::time::Duration;

use crate::bidi::lacks;
use crate::browser::options::ContextOptions;
use crate::browser::options::emulation::Media;
use crate::browser::program::launch::FIREFOX_SCRIPT_LIMIT;
use crate::error::Result;

/// The protocol behind the one that we speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Dialect {
    /// The DevTools protocol itself.
    Chromium,
    /// WebDriver BiDi, of which the `bidi` module makes the same.
    Firefox,
}

impl Dialect {
    /// What a browser speaks that calls itself so, such as `Firefox/153.7.0`.
    pub(in crate::browser) fn of(product: &str) -> Self {
        if product.starts_with("Firefox/") { Self::Firefox } else { Self::Chromium }
    }

    /// Whether the page tells where a double click ends and the next begins: then it must hear of all clicks at once.
    pub(in crate::browser) fn chains_clicks(self) -> bool {
        self == Self::Firefox
    }

    /// Whether scripts run in the order in which they are sent. Firefox looks for the world of each in all documents first.
    pub(in crate::browser) fn runs_in_order(self) -> bool {
        self == Self::Chromium
    }

    /// Whether it takes time stamps for input.
    pub(in crate::browser) fn takes_times(self) -> bool {
        self == Self::Chromium
    }

    /// Whether a drag that a page has begun can be carried on, and ended by a drop.
    pub(in crate::browser) fn hands_over_drags(self) -> bool {
        self == Self::Chromium
    }

    /// Whether scripts beside a page's own see dates, maps and the like that the page's world has made as what they are.
    pub(in crate::browser) fn knows_kinds_of_pages(self) -> bool {
        self == Self::Chromium
    }

    /// Whether a film is made of pictures that are taken one after the other: the last change may be in none of them.
    pub(in crate::browser) fn films_in_pictures(self) -> bool {
        self == Self::Firefox
    }

    /// Whether a document can be let in without its scripts. Where not, one that replaces itself while it arrives is cut off.
    pub(in crate::browser) fn leaves_scripts_out(self) -> bool {
        self == Self::Chromium
    }

    /// After how long it ends scripts that run without end, where it does so by itself and on no command.
    pub(in crate::browser) fn ends_scripts_after(self) -> Option<Duration> {
        // It looks at the clock now and then, and again before it ends one.
        const AT_LATEST: u32 = 2;
        (self == Self::Firefox).then_some(AT_LATEST * FIREFOX_SCRIPT_LIMIT)
    }

    /// Refuses what this browser cannot do for a context, instead of leaving it out without a word.
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
