//! Devices to look like. The browser stays Chromium, so those that come with another one are only as like as that goes.
use super::look::Look;

/// A device: what a page can learn of it.
#[derive(Debug, Clone, Copy)]
pub struct Device {
    pub name: &'static str,
    viewport: (u32, u32),
    scale: f64,
    is_mobile: bool,
    user_agent: Option<&'static str>,
}

const ANDROID: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36";
const ANDROID_TABLET: &str = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36";
const IPHONE: &str = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";
const IPAD: &str = "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1";

/// Those that `--device` knows.
const DEVICES: [Device; 9] = [
    Device { name: "Desktop Chrome", viewport: (1280, 720), scale: 1.0, is_mobile: false, user_agent: None },
    Device {
        name: "Desktop Chrome HiDPI",
        viewport: (1280, 720),
        scale: 2.0,
        is_mobile: false,
        user_agent: None,
    },
    Device {
        name: "Pixel 7",
        viewport: (412, 839),
        scale: 2.625,
        is_mobile: true,
        user_agent: Some(ANDROID),
    },
    Device {
        name: "Pixel 9",
        viewport: (412, 923),
        scale: 2.625,
        is_mobile: true,
        user_agent: Some(ANDROID),
    },
    Device {
        name: "Galaxy S24",
        viewport: (360, 780),
        scale: 3.0,
        is_mobile: true,
        user_agent: Some(ANDROID),
    },
    Device {
        name: "Galaxy Tab S9",
        viewport: (640, 1024),
        scale: 2.5,
        is_mobile: true,
        user_agent: Some(ANDROID_TABLET),
    },
    Device { name: "iPhone 15", viewport: (393, 659), scale: 3.0, is_mobile: true, user_agent: Some(IPHONE) },
    Device { name: "iPhone SE", viewport: (375, 667), scale: 2.0, is_mobile: true, user_agent: Some(IPHONE) },
    Device { name: "iPad Mini", viewport: (768, 1024), scale: 2.0, is_mobile: true, user_agent: Some(IPAD) },
];

impl Device {
    /// The device of this name, however it is capitalised.
    pub fn named(name: &str) -> Result<Self, String> {
        let known = DEVICES.iter().find(|device| device.name.eq_ignore_ascii_case(name.trim()));
        known.copied().ok_or_else(|| {
            format!("there is no device {name:?}; there are {}", DEVICES.map(|device| device.name).join(", "))
        })
    }

    /// Makes pages look so, where nothing else was asked for.
    pub fn apply(&self, look: &mut Look) {
        look.viewport.get_or_insert(self.viewport);
        look.device_scale_factor.get_or_insert(self.scale);
        look.is_mobile = self.is_mobile;
        look.has_touch = self.is_mobile;
        if look.user_agent.is_none() {
            look.user_agent = self.user_agent.map(str::to_owned);
        }
    }
}
