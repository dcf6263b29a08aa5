//! Emulation of devices, locales, time zones and media features.
use serde_json::Value;

use super::Empty;

domain! {
    commands {
        "Emulation.setDeviceMetricsOverride" SetDeviceMetricsOverride
            { width: u32, height: u32, device_scale_factor: f64, mobile: bool }
            ? { screen_width: u32, screen_height: u32, screen_orientation: Value, dont_set_visible_size: bool } -> Empty
        "Emulation.clearDeviceMetricsOverride" ClearDeviceMetricsOverride {} -> Empty
        "Emulation.setTouchEmulationEnabled" SetTouchEmulationEnabled { enabled: bool } ? { max_touch_points: u32 } -> Empty
        "Emulation.setFocusEmulationEnabled" SetFocusEmulationEnabled { enabled: bool } -> Empty
        "Emulation.setUserAgentOverride" SetUserAgentOverride { user_agent: String }
            ? { accept_language: String, platform: String, user_agent_metadata: UserAgentMetadata } -> Empty
        "Emulation.setLocaleOverride" SetLocaleOverride {} ? { locale: String } -> Empty
        "Emulation.setTimezoneOverride" SetTimezoneOverride { timezone_id: String } -> Empty
        "Emulation.setGeolocationOverride" SetGeolocationOverride {} ? { latitude: f64, longitude: f64, accuracy: f64 } -> Empty
        "Emulation.setEmulatedMedia" SetEmulatedMedia {} ? { media: String, features: Vec<MediaFeature> } -> Empty
        "Emulation.setCPUThrottlingRate" SetCpuThrottlingRate { rate: f64 } -> Empty
        "Emulation.setScriptExecutionDisabled" SetScriptExecutionDisabled { value: bool } -> Empty
        "Emulation.setDefaultBackgroundColorOverride" SetDefaultBackgroundColorOverride {} ? { color: Value } -> Empty
        "Security.setIgnoreCertificateErrors" SetIgnoreCertificateErrors { ignore: bool } -> Empty
    }
    events {}
    objects {
        MediaFeature { name: String, value: String }
        BrandVersion { brand: String, version: String }
        /// The user agent's client hints.
        UserAgentMetadata {
            brands: Vec<BrandVersion>,
            full_version_list: Vec<BrandVersion>,
            full_version: String,
            platform: String,
            platform_version: String,
            architecture: String,
            model: String,
            mobile: bool,
            bitness: String,
            wow64: bool,
            form_factors: Vec<String>,
        }
    }
}
