//! Emulation options of a context: geolocation, screen, media.
use serde::Deserialize;

use super::ContextOptions;
use super::look::DeviceProfile;
use crate::cdp::CdpSession;
use crate::cdp::types::emulation::{
    MediaFeature, SetDeviceMetricsOverride, SetEmulatedMedia, SetGeolocationOverride,
    SetScriptExecutionDisabled,
};
use crate::cdp::types::network::EmulateNetworkConditions;
use crate::cdp::types::page::SetBypassCsp;

/// A geolocation: latitude and longitude in degrees, accuracy in metres.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Geolocation {
    pub latitude: f64,
    pub longitude: f64,
    #[serde(default)]
    pub accuracy: f64,
}

/// Emulated media features. A feature that is `None` keeps the system's value.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct MediaEmulation {
    /// `screen` or `print`.
    pub media: Option<String>,
    pub color_scheme: Option<String>,
    pub reduced_motion: Option<String>,
    pub forced_colors: Option<String>,
    pub contrast: Option<String>,
}

/// Network throttling: latency in milliseconds, download and upload throughput in bytes per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NetworkThrottle {
    pub latency: f64,
    pub down: f64,
    pub up: f64,
}

/// The emulation settings of a context.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Emulation {
    pub geolocation: Option<Geolocation>,
    pub offline: bool,
    pub throttle: Option<NetworkThrottle>,
    pub scripts_disabled: bool,
    pub bypass_csp: bool,
    pub media: MediaEmulation,
    /// Screen width and height in CSS pixels. Default: those of the viewport.
    pub screen: Option<(u32, u32)>,
    /// Whether a page behaves as focused while it is in use.
    pub focus: bool,
    /// Whether all pages always behave as focused.
    pub focus_everywhere: bool,
    /// The device, locale and time zone that the context had before they were changed; `None` if unchanged.
    pub usual: Option<DeviceProfile>,
}

impl Emulation {
    /// Sends the emulation commands to a page or frame process before it runs.
    pub(in crate::browser) fn set_up(&self, session: &CdpSession, is_page: bool) {
        if self.geolocation.is_some() && is_page {
            session.send(place(self.geolocation)).ignore();
        }
        if self.offline || self.throttle.is_some() {
            session.send(conditions(self.offline, self.throttle)).ignore();
        }
        if self.scripts_disabled {
            session.send(SetScriptExecutionDisabled { value: true }).ignore();
        }
        if self.bypass_csp {
            session.send(SetBypassCsp { enabled: true }).ignore();
        }
        if self.media != MediaEmulation::default() {
            session.send(self.media.command()).ignore();
        }
    }
}

impl MediaEmulation {
    pub(in crate::browser) fn command(&self) -> SetEmulatedMedia {
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

pub(in crate::browser) fn place(geolocation: Option<Geolocation>) -> SetGeolocationOverride {
    SetGeolocationOverride {
        latitude: geolocation.map(|place| place.latitude),
        longitude: geolocation.map(|place| place.longitude),
        accuracy: geolocation.map(|place| place.accuracy),
    }
}

pub(in crate::browser) fn conditions(
    offline: bool,
    throttle: Option<NetworkThrottle>,
) -> EmulateNetworkConditions {
    let NetworkThrottle { latency, down, up } =
        throttle.unwrap_or(NetworkThrottle { latency: 0.0, down: -1.0, up: -1.0 });
    EmulateNetworkConditions { offline, latency, download_throughput: down, upload_throughput: up }
}

pub(in crate::browser) fn metrics(
    options: &ContextOptions,
    (width, height): (u32, u32),
) -> SetDeviceMetricsOverride {
    let is_reported = options.emulation.focus || options.emulation.focus_everywhere;
    let screen = options.emulation.screen.or(is_reported.then_some((width, height)));
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
