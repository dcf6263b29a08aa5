//! The emulated device, language and time zone.
use super::ContextOptions;
use crate::browser::program::launch::languages;

/// The emulated screen, language and time zone. A field that is `None` keeps the browser's own value.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeviceProfile {
    pub viewport: Option<(u32, u32)>,
    pub device_scale_factor: Option<f64>,
    pub is_mobile: bool,
    pub has_touch: bool,
    pub user_agent: Option<String>,
    pub locale: Option<String>,
    pub timezone: Option<String>,
}

impl ContextOptions {
    /// Returns the languages for the locale, comma-separated, preferred first. `None` without a locale.
    pub(in crate::browser) fn languages(&self) -> Option<String> {
        let locale = self.locale.as_deref()?;
        Some(if self.single_language { locale.to_owned() } else { languages(locale) })
    }

    pub fn device_profile(&self) -> DeviceProfile {
        DeviceProfile {
            viewport: self.viewport,
            device_scale_factor: self.device_scale_factor,
            is_mobile: self.is_mobile,
            has_touch: self.has_touch,
            user_agent: self.user_agent.clone(),
            locale: self.locale.clone(),
            timezone: self.timezone.clone(),
        }
    }

    pub fn set_device_profile(&mut self, look: DeviceProfile) {
        let DeviceProfile {
            viewport,
            device_scale_factor,
            is_mobile,
            has_touch,
            user_agent,
            locale,
            timezone,
        } = look;
        (self.viewport, self.device_scale_factor) = (viewport, device_scale_factor);
        (self.is_mobile, self.has_touch) = (is_mobile, has_touch);
        (self.user_agent, self.locale, self.timezone) = (user_agent, locale, timezone);
    }
}
