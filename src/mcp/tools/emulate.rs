//! The tool for emulation (`browser_emulate`).
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::emulation::{Geolocation, MediaEmulation, NetworkThrottle};
use crate::browser::{Device, DeviceProfile};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{Capability, Tool, ToolEffect};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum ColorScheme {
    Light,
    Dark,
}

/// Network profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum NetworkProfile {
    #[serde(rename = "offline")]
    Offline,
    #[serde(rename = "slow-3g")]
    Slow3g,
    #[serde(rename = "fast-3g")]
    Fast3g,
    #[serde(rename = "4g")]
    FourG,
}

/// Emulate a color scheme, device, locale, location, network or CPU speed. Omitted settings are reset.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Emulate {
    pub color_scheme: Option<ColorScheme>,
    #[serde(default)]
    pub reduced_motion: bool,
    /// Emulate print media.
    #[serde(default)]
    pub print: bool,
    #[serde(default)]
    pub forced_colors: bool,
    /// Needs the permission from `browser_access`.
    #[schemars(range(min = -90, max = 90))]
    pub latitude: Option<f64>,
    #[schemars(range(min = -180, max = 180))]
    pub longitude: Option<f64>,
    pub network: Option<NetworkProfile>,
    /// CPU slowdown factor.
    #[schemars(range(min = 1, max = 50))]
    pub cpu: Option<f64>,
    /// For example Pixel 9 or iPhone 15. Applies after a reload.
    #[schemars(length(min = 1))]
    pub device: Option<String>,
    /// For example de-DE.
    #[schemars(length(min = 1))]
    pub locale: Option<String>,
    /// For example Europe/Berlin.
    #[schemars(length(min = 1))]
    pub timezone: Option<String>,
}

impl Tool for Emulate {
    const NAME: &'static str = "browser_emulate";
    const TITLE: &'static str = "Emulate";
    const EFFECT: ToolEffect = ToolEffect::Sets;
    const CAPABILITY: Capability = Capability::Emulation;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let geolocation = match (self.latitude, self.longitude) {
            (Some(latitude), Some(longitude)) => Some(Geolocation { latitude, longitude, accuracy: 10.0 }),
            (None, None) => None,
            _ => {
                let problems = vec!["`latitude` and `longitude` go together".to_owned()];
                return Err(Error::InvalidArguments { problems });
            }
        };
        let device = self.device.as_deref().map(Device::named).transpose();
        let device = device.map_err(|problem| Error::InvalidArguments { problems: vec![problem] })?;
        let page = call.acquire_or_open_page().await?;
        let context = page.context();
        let change = context.update_emulation(|look| self.change(device, look));
        change.await?;
        page.emulate_media(self.media()).await?;
        context.set_geolocation(geolocation).await?;
        context
            .set_network(self.network == Some(NetworkProfile::Offline), self.network.and_then(throttle))
            .await?;
        page.throttle_cpu(self.cpu.unwrap_or(1.0)).await?;
        let changes = self.describe();
        reply.say(match changes.is_empty() {
            true => "Everything is as usual again".to_owned(),
            false => format!("Pretending: {}", changes.join(", ")),
        });
        reply.show_at_least(PageDetail::Page);
        Ok(())
    }
}

impl Emulate {
    /// Applies the arguments to `look`. A device replaces all of `look` except locale and time zone.
    fn change(&self, device: Option<Device>, look: &mut DeviceProfile) {
        if let Some(device) = device {
            *look = DeviceProfile {
                locale: look.locale.take(),
                timezone: look.timezone.take(),
                ..DeviceProfile::default()
            };
            device.apply(look);
        }
        if self.locale.is_some() {
            look.locale.clone_from(&self.locale);
        }
        if self.timezone.is_some() {
            look.timezone.clone_from(&self.timezone);
        }
    }

    fn media(&self) -> MediaEmulation {
        MediaEmulation {
            media: self.print.then(|| "print".to_owned()),
            color_scheme: self.color_scheme.map(|scheme| <&str>::from(scheme).to_owned()),
            reduced_motion: self.reduced_motion.then(|| "reduce".to_owned()),
            forced_colors: self.forced_colors.then(|| "active".to_owned()),
            contrast: None,
        }
    }

    fn describe(&self) -> Vec<String> {
        let scheme = self.color_scheme.map(|scheme| format!("{} colours", <&str>::from(scheme)));
        let flags = [
            (self.reduced_motion, "reduced motion"),
            (self.print, "print"),
            (self.forced_colors, "forced colours"),
        ];
        let flags = flags.into_iter().filter(|(on, _)| *on).map(|(_, name)| name.to_owned());
        let place = self
            .latitude
            .zip(self.longitude)
            .map(|(latitude, longitude)| format!("at {latitude}, {longitude}"));
        let network = self.network.map(|network| match network {
            NetworkProfile::Offline => "no network".to_owned(),
            NetworkProfile::Slow3g => "slow 3G".to_owned(),
            NetworkProfile::Fast3g => "fast 3G".to_owned(),
            NetworkProfile::FourG => "4G".to_owned(),
        });
        let cpu = self.cpu.map(|cpu| format!("a processor {cpu} times slower"));
        let given = |what: &str, name: &Option<String>| name.as_ref().map(|name| format!("{what}{name}"));
        let device = given("on a ", &self.device).into_iter().chain(given("in ", &self.locale));
        let device = device.chain(given("at the time of ", &self.timezone));
        scheme.into_iter().chain(flags).chain(place).chain(network).chain(cpu).chain(device).collect()
    }
}

/// Returns a network profile's throttling, as in Chrome DevTools. `None` for [`NetworkProfile::Offline`].
fn throttle(network: NetworkProfile) -> Option<NetworkThrottle> {
    let (latency, down, up) = match network {
        NetworkProfile::Offline => return None,
        NetworkProfile::Slow3g => (2_000.0, 50_000.0, 50_000.0),
        NetworkProfile::Fast3g => (562.5, 180_000.0, 84_375.0),
        NetworkProfile::FourG => (165.0, 1_012_500.0, 168_750.0),
    };
    Some(NetworkThrottle { latency, down, up })
}
