//! What pages take the device, its language and its place for.
use super::ContextOptions;
use crate::browser::program::launch::languages;

/// On what pages are shown, in which language, in which time zone. `None`: as the browser has it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Look {
    pub viewport: Option<(u32, u32)>,
    pub device_scale_factor: Option<f64>,
    pub is_mobile: bool,
    pub has_touch: bool,
    pub user_agent: Option<String>,
    pub locale: Option<String>,
    pub timezone: Option<String>,
}

impl ContextOptions {
    /// The languages that go with the locale, the best first.
    pub(in crate::browser) fn languages(&self) -> Option<String> {
        let locale = self.locale.as_deref()?;
        Some(if self.locale_alone { locale.to_owned() } else { languages(locale) })
    }

    pub fn look(&self) -> Look {
        Look {
            viewport: self.viewport,
            device_scale_factor: self.device_scale_factor,
            is_mobile: self.is_mobile,
            has_touch: self.has_touch,
            user_agent: self.user_agent.clone(),
            locale: self.locale.clone(),
            timezone: self.timezone.clone(),
        }
    }

    pub fn set_look(&mut self, look: Look) {
        let Look { viewport, device_scale_factor, is_mobile, has_touch, user_agent, locale, timezone } = look;
        (self.viewport, self.device_scale_factor) = (viewport, device_scale_factor);
        (self.is_mobile, self.has_touch) = (is_mobile, has_touch);
        (self.user_agent, self.locale, self.timezone) = (user_agent, locale, timezone);
    }
}
