//! What a context pretends: another place, another screen, another way of drawing.
use serde::Deserialize;

use super::console::Hearing;
use super::context::BrowserContext;
use super::exposed::Exposure;
use super::page::Page;
use crate::cdp::CdpSession;
use crate::cdp::types::emulation::{
    MediaFeature, SetDeviceMetricsOverride, SetEmulatedMedia, SetGeolocationOverride,
    SetScriptExecutionDisabled,
};
use crate::cdp::types::network::{EmulateNetworkConditions, Headers, SetExtraHttpHeaders};
use crate::cdp::types::page::{AddScriptToEvaluateOnNewDocument, SetBypassCsp};
use crate::error::Result;

/// A place on Earth, in degrees; the accuracy is in metres.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Geolocation {
    pub latitude: f64,
    pub longitude: f64,
    #[serde(default)]
    pub accuracy: f64,
}

/// How documents are told to be drawn. `None` leaves it to the system.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Media {
    /// `screen` or `print`.
    pub media: Option<String>,
    pub color_scheme: Option<String>,
    pub reduced_motion: Option<String>,
    pub forced_colors: Option<String>,
    pub contrast: Option<String>,
}

/// What pages of a context are made to believe.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Emulation {
    pub geolocation: Option<Geolocation>,
    pub offline: bool,
    pub scripts_disabled: bool,
    pub bypass_csp: bool,
    pub media: Media,
    /// Width and height of the screen; as large as the viewport unless told.
    pub screen: Option<(u32, u32)>,
    /// Whether a page believes that it has the focus while it is worked on.
    pub focus: bool,
}

impl Emulation {
    /// Sends what a page or a frame process needs before it runs.
    pub(super) fn set_up(&self, session: &CdpSession, is_page: bool) {
        if self.geolocation.is_some() && is_page {
            session.send(place(self.geolocation)).ignore();
        }
        if self.offline {
            session.send(conditions(true)).ignore();
        }
        if self.scripts_disabled {
            session.send(SetScriptExecutionDisabled { value: true }).ignore();
        }
        if self.bypass_csp {
            session.send(SetBypassCsp { enabled: true }).ignore();
        }
        if self.media != Media::default() {
            session.send(self.media.command()).ignore();
        }
    }
}

impl Media {
    fn command(&self) -> SetEmulatedMedia {
        let features = [
            ("prefers-color-scheme", &self.color_scheme),
            ("prefers-reduced-motion", &self.reduced_motion),
            ("forced-colors", &self.forced_colors),
            ("prefers-contrast", &self.contrast),
        ];
        let feature = |(name, value): (&str, &Option<String>)| MediaFeature {
            name: name.to_owned(),
            value: value.clone().unwrap_or_default(),
        };
        SetEmulatedMedia {
            media: Some(self.media.clone().unwrap_or_default()),
            features: Some(features.into_iter().map(feature).collect()),
        }
    }
}

fn place(geolocation: Option<Geolocation>) -> SetGeolocationOverride {
    SetGeolocationOverride {
        latitude: geolocation.map(|place| place.latitude),
        longitude: geolocation.map(|place| place.longitude),
        accuracy: geolocation.map(|place| place.accuracy),
    }
}

fn conditions(offline: bool) -> EmulateNetworkConditions {
    EmulateNetworkConditions { offline, latency: 0.0, download_throughput: -1.0, upload_throughput: -1.0 }
}

impl BrowserContext {
    /// Moves the context elsewhere, or back to where it is.
    pub async fn set_geolocation(&self, geolocation: Option<Geolocation>) -> Result<()> {
        self.change_emulation(|emulation| emulation.geolocation = geolocation);
        for page in self.pages() {
            page.session().call(place(geolocation)).await?;
        }
        Ok(())
    }

    /// Takes the network away from the context, or gives it back.
    pub async fn set_offline(&self, offline: bool) -> Result<()> {
        self.change_emulation(|emulation| emulation.offline = offline);
        for session in self.pages().iter().flat_map(Page::sessions) {
            session.call(conditions(offline)).await?;
        }
        Ok(())
    }

    /// Sends these headers with each request from now on, beside those of a page itself.
    pub async fn set_extra_headers(&self, headers: Headers) -> Result<()> {
        self.change_options(|options| options.extra_headers = headers);
        for page in self.pages() {
            page.send_extra_headers().await?;
        }
        Ok(())
    }
}

impl Page {
    /// Sends these headers with each request of this page from now on; they win over those of its context.
    pub async fn set_extra_headers(&self, headers: Headers) -> Result<()> {
        self.own(|own| own.headers = headers);
        self.send_extra_headers().await
    }

    async fn send_extra_headers(&self) -> Result<()> {
        let headers = self.extra_headers();
        for session in self.sessions() {
            session.call(SetExtraHttpHeaders { headers: headers.clone() }).await?;
        }
        Ok(())
    }

    /// What this page sends beside what the browser sends by itself.
    pub(super) fn extra_headers(&self) -> Headers {
        let mut headers = self.context().options().extra_headers;
        self.own(|own| {
            for (name, value) in &own.headers {
                headers.retain(|known, _| !known.eq_ignore_ascii_case(name));
                headers.insert(name.clone(), value.clone());
            }
        });
        headers
    }

    /// Has documents drawn in another way.
    pub async fn emulate_media(&self, media: Media) -> Result<()> {
        self.own(|own| own.media = Some(media.clone()));
        for session in self.sessions() {
            session.call(media.command()).await?;
        }
        Ok(())
    }

    /// Makes the page this large, with the context's pixels and screen.
    pub async fn resize_viewport(&self, width: u32, height: u32) -> Result<()> {
        let options = self.context().options();
        let metrics = metrics(&options, (width, height));
        self.session().call(metrics).await?;
        self.own(|own| own.viewport = Some((width, height)));
        Ok(())
    }

    /// Makes a window that a script opened as large as it asked for, where the browser itself does not.
    pub(super) fn open_as_large(&self, size: (u32, u32)) {
        let options = self.context().options();
        let has_no_window = self.context().browser().is_ok_and(|browser| browser.is_headless());
        if options.viewport.is_some() || options.window_is_viewport && has_no_window {
            self.session().send(metrics(&options, size)).ignore();
            self.own(|own| own.viewport = Some(size));
        }
    }
}

/// What `window.open` was told of a size: `width=400` and `height=300`.
pub(super) fn asked_size(features: &[String]) -> Option<(u32, u32)> {
    let side = |name: &str| {
        let told = features.iter().filter_map(|feature| feature.split_once('='));
        let mut sides = told.filter(|(told, _)| told.trim() == name);
        sides.next().and_then(|(_, side)| side.trim().parse().ok())
    };
    Some((side("width")?, side("height")?))
}

/// What a page has been told for itself alone.
#[derive(Debug, Default)]
pub(super) struct Own {
    pub(super) headers: Headers,
    pub(super) media: Option<Media>,
    pub(super) viewport: Option<(u32, u32)>,
    /// What its window had room for when it opened.
    pub(super) window: Option<(u32, u32)>,
    pub(super) init_scripts: Vec<String>,
    pub(super) exposures: Vec<Exposure>,
    pub(super) hearing: Hearing,
}

impl Own {
    /// Sends what a frame process that comes later needs of it.
    pub(super) fn set_up(&self, session: &CdpSession) {
        if let Some(media) = &self.media {
            session.send(media.command()).ignore();
        }
        // A page has nothing of its own when it is set up: this is a frame of another process.
        let functions = self.exposures.iter().filter_map(|exposure| exposure.script_for(false));
        for source in functions.chain(self.init_scripts.iter().cloned()) {
            let script = AddScriptToEvaluateOnNewDocument { source, ..Default::default() };
            session.send(script).ignore();
        }
    }
}

pub(super) fn metrics(
    options: &super::context::ContextOptions,
    (width, height): (u32, u32),
) -> SetDeviceMetricsOverride {
    let screen = options.emulation.screen.or((options.emulation.focus).then_some((width, height)));
    let orientation = options.is_mobile.then(|| match width > height {
        true => serde_json::json!({ "type": "landscapePrimary", "angle": 90 }),
        false => serde_json::json!({ "type": "portraitPrimary", "angle": 0 }),
    });
    SetDeviceMetricsOverride {
        width,
        height,
        device_scale_factor: options.device_scale_factor.unwrap_or_default(),
        mobile: options.is_mobile,
        screen_width: screen.map(|(width, _)| width),
        screen_height: screen.map(|(_, height)| height),
        screen_orientation: orientation,
        ..SetDeviceMetricsOverride::default()
    }
}
