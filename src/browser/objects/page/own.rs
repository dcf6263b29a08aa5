//! Settings of a single page that override or extend those of its context.
use super::Page;
use crate::browser::options::emulation::{MediaEmulation, metrics};
use crate::browser::program::launch::HEADLESS_SCREEN;
use crate::cdp::CdpSession;
use crate::cdp::types::network::Headers;

#[derive(Debug, Default)]
pub(in crate::browser) struct PageSettings {
    pub(in crate::browser) headers: Headers,
    pub(in crate::browser) media: Option<MediaEmulation>,
    pub(in crate::browser) viewport: Option<(u32, u32)>,
    /// The viewport size of the page's window when it opened, in CSS pixels.
    pub(super) window: Option<(u32, u32)>,
}

impl PageSettings {
    /// Sends the media emulation of the page to a new frame process.
    pub(super) fn set_up(&self, session: &CdpSession) {
        if let Some(media) = &self.media {
            session.send(media.command()).ignore();
        }
    }
}

impl Page {
    /// Calls `change` with the settings of this page, to read or change them.
    pub(in crate::browser) fn own<T>(&self, change: impl FnOnce(&mut PageSettings) -> T) -> T {
        change(&mut self.inner.own.lock())
    }

    /// The viewport in CSS pixels: the page's, else the context's, else the window's (`window_is_viewport`).
    pub fn viewport(&self) -> Option<(u32, u32)> {
        let (own, window) = self.own(|own| (own.viewport, own.window));
        own.or(self.context().options().viewport).or(window)
    }

    /// The extra headers of the context, overridden by those of this page.
    pub(in crate::browser) fn extra_headers(&self) -> Headers {
        let mut headers = self.context().options().extra_headers;
        self.own(|own| {
            for (name, value) in &own.headers {
                headers.retain(|known, _| !known.eq_ignore_ascii_case(name));
                headers.insert(name.clone(), value.clone());
            }
        });
        headers
    }

    /// Whether the extra headers contain a `Referer` other than `referrer`.
    pub(in crate::browser) fn sends_other_referrer(&self, referrer: &str) -> bool {
        let headers = self.extra_headers();
        headers.iter().any(|(name, value)| name.eq_ignore_ascii_case("referer") && value != referrer)
    }

    /// Resizes a popup to the size that its opener requested, if the browser does not do so itself.
    pub(super) fn resize_popup(&self, size: (u32, u32)) {
        let options = self.context().options();
        let has_no_window = self.context().browser().is_ok_and(|browser| browser.is_headless());
        if options.viewport.is_some() || options.window_is_viewport && has_no_window {
            let mut metrics = metrics(&options, size);
            if options.viewport.is_none() && options.emulation.screen.is_none() {
                // Otherwise, the browser reports the window's size as the screen size.
                let (width, height) = HEADLESS_SCREEN;
                (metrics.screen_width, metrics.screen_height) = (Some(width), Some(height));
            }
            self.session().send(metrics).ignore();
            self.own(|own| own.viewport = Some(size));
        }
    }
}

/// Parses the size from `window.open` features such as `width=400`. `None` unless both sides are given.
pub(super) fn requested_size(features: &[String]) -> Option<(u32, u32)> {
    let side = |name: &str| {
        let pairs = features.iter().filter_map(|feature| feature.split_once('='));
        let mut sides = pairs.filter(|(pairs, _)| pairs.trim() == name);
        sides.next().and_then(|(_, side)| side.trim().parse().ok())
    };
    Some((side("width")?, side("height")?))
}
