//! Devices to emulate. The browser stays Chromium, so devices with other browsers are approximations.
use std::fmt;

use super::look::DeviceProfile;

/// A device to emulate, in portrait or landscape orientation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Device {
    model: &'static Model,
    is_landscape: bool,
}

/// A row in the table of devices.
#[derive(Debug, PartialEq)]
struct Model {
    name: &'static str,
    family: Family,
    /// Width and height of the viewport in CSS pixels, in portrait orientation.
    viewport: (u32, u32),
    /// Device pixels for each CSS pixel.
    scale: f64,
    /// The screen size in CSS pixels, if it differs from the viewport, which excludes browser toolbars.
    screen: Option<(u32, u32)>,
}

/// The category of a device. Determines its user agent, browser engine and touch support.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    IPhone,
    IPad,
    Phone,
    Tablet,
    Chrome,
    Edge,
    Safari,
    Firefox,
}

use Family::{Chrome, Edge, Firefox, IPad, IPhone, Phone, Safari, Tablet};

const fn model(name: &'static str, family: Family, viewport: (u32, u32), scale: f64) -> Model {
    Model { name, family, viewport, scale, screen: None }
}

impl Model {
    const fn with_screen(self, width: u32, height: u32) -> Self {
        Self { screen: Some((width, height)), ..self }
    }
}

const MODELS: &[Model] = &[
    model("Desktop Chrome", Chrome, (1280, 720), 1.0),
    model("Desktop Chrome HiDPI", Chrome, (1280, 720), 2.0),
    model("Desktop Edge", Edge, (1280, 720), 1.0),
    model("Desktop Firefox", Firefox, (1280, 720), 1.0),
    model("Desktop Safari", Safari, (1280, 720), 2.0),
    model("Galaxy S8", Phone, (360, 740), 3.0),
    model("Galaxy S9+", Phone, (320, 658), 4.5),
    model("Galaxy S24", Phone, (360, 780), 3.0),
    model("Galaxy Tab S9", Tablet, (640, 1024), 2.5),
    model("Moto G4", Phone, (360, 640), 3.0),
    model("Nexus 5", Phone, (360, 640), 3.0),
    model("Nexus 6P", Phone, (412, 732), 3.5),
    model("Pixel 2", Phone, (411, 731), 2.625),
    model("Pixel 2 XL", Phone, (411, 823), 3.5),
    model("Pixel 3", Phone, (393, 786), 2.75),
    model("Pixel 4", Phone, (353, 745), 3.0),
    model("Pixel 5", Phone, (393, 727), 2.75).with_screen(393, 851),
    model("Pixel 7", Phone, (412, 839), 2.625).with_screen(412, 915),
    model("Pixel 9", Phone, (412, 923), 2.625),
    model("iPad (gen 7)", IPad, (810, 1080), 2.0),
    model("iPad Mini", IPad, (768, 1024), 2.0),
    model("iPad Pro 11", IPad, (834, 1194), 2.0),
    model("iPhone 6", IPhone, (375, 667), 2.0),
    model("iPhone 6 Plus", IPhone, (414, 736), 3.0),
    model("iPhone 7", IPhone, (375, 667), 2.0),
    model("iPhone 7 Plus", IPhone, (414, 736), 3.0),
    model("iPhone 8", IPhone, (375, 667), 2.0),
    model("iPhone 8 Plus", IPhone, (414, 736), 3.0),
    model("iPhone SE", IPhone, (375, 667), 2.0),
    model("iPhone X", IPhone, (375, 812), 3.0),
    model("iPhone XR", IPhone, (414, 896), 2.0),
    model("iPhone 11", IPhone, (414, 715), 2.0).with_screen(414, 896),
    model("iPhone 11 Pro", IPhone, (375, 635), 3.0).with_screen(375, 812),
    model("iPhone 12", IPhone, (390, 664), 3.0).with_screen(390, 844),
    model("iPhone 12 Mini", IPhone, (375, 629), 3.0).with_screen(375, 812),
    model("iPhone 12 Pro", IPhone, (390, 664), 3.0).with_screen(390, 844),
    model("iPhone 13", IPhone, (390, 664), 3.0).with_screen(390, 844),
    model("iPhone 13 Mini", IPhone, (375, 629), 3.0).with_screen(375, 812),
    model("iPhone 13 Pro", IPhone, (390, 664), 3.0).with_screen(390, 844),
    model("iPhone 14", IPhone, (390, 664), 3.0).with_screen(390, 844),
    model("iPhone 14 Plus", IPhone, (428, 746), 3.0).with_screen(428, 926),
    model("iPhone 14 Pro Max", IPhone, (430, 740), 3.0).with_screen(430, 932),
    model("iPhone 15", IPhone, (393, 659), 3.0).with_screen(393, 852),
    model("iPhone 15 Pro", IPhone, (393, 659), 3.0).with_screen(393, 852),
    model("iPhone 15 Pro Max", IPhone, (430, 739), 3.0).with_screen(430, 932),
];

/// The suffix of a device's name in landscape orientation.
const LANDSCAPE_SUFFIX: &str = " landscape";
/// The number of similar device names that an error message lists.
const MOST_NAMES: usize = 5;

impl Family {
    fn is_handheld(self) -> bool {
        matches!(self, IPhone | IPad | Phone | Tablet)
    }

    /// Returns the user agent; `None` for the browser's own. Since 2023, Chrome on Android names no model.
    fn user_agent(self) -> Option<&'static str> {
        match self {
            Phone => Some(
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Mobile Safari/537.36",
            ),
            Tablet => Some(
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36",
            ),
            IPhone => Some(
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
            ),
            IPad => Some(
                "Mozilla/5.0 (iPad; CPU OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1",
            ),
            Chrome => None,
            Edge => Some(
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/156.0.0.0 Safari/537.36 Edg/156.0.0.0",
            ),
            Safari => Some(
                "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15",
            ),
            Firefox => {
                Some("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0")
            }
        }
    }
}

impl Device {
    /// All devices; handheld ones in both orientations.
    pub fn all() -> impl Iterator<Item = Self> {
        let upright = MODELS.iter().map(|model| Self { model, is_landscape: false });
        upright.flat_map(|device| {
            let lying = device.is_handheld().then_some(Self { is_landscape: true, ..device });
            [Some(device), lying].into_iter().flatten()
        })
    }

    /// Returns the device with this name, ignoring case.
    ///
    /// # Errors Returns a message with similar names if there is no such device.
    pub fn named(name: &str) -> Result<Self, String> {
        let asked = name.trim();
        Self::all().find(|device| device.to_string().eq_ignore_ascii_case(asked)).ok_or_else(|| {
            let mut names: Vec<_> = MODELS.iter().map(|model| model.name).collect();
            let likeness = |name: &str| strsim::normalized_damerau_levenshtein(name, asked);
            names.sort_by(|one, other| likeness(other).total_cmp(&likeness(one)));
            let near = names[..MOST_NAMES].join(", ");
            format!(
                "there is no device {name:?}; similar names are {near}, and handheld ones also with \"landscape\""
            )
        })
    }

    /// Width and height of the viewport in CSS pixels.
    pub fn viewport(&self) -> (u32, u32) {
        self.turned(self.model.viewport)
    }

    /// Screen width and height in CSS pixels, in portrait orientation. `None`: the same as the viewport.
    pub fn screen(&self) -> Option<(u32, u32)> {
        self.model.screen
    }

    /// Device pixels for each CSS pixel.
    pub fn scale(&self) -> f64 {
        self.model.scale
    }

    /// Whether the device is a phone or tablet with a touch screen.
    pub fn is_handheld(&self) -> bool {
        self.model.family.is_handheld()
    }

    /// The device's user agent; `None` for the browser's own.
    pub fn user_agent(&self) -> Option<&'static str> {
        self.model.family.user_agent()
    }

    /// The engine of the device's own browser: `chromium`, `firefox` or `webkit`.
    pub fn engine(&self) -> &'static str {
        match self.model.family {
            IPhone | IPad | Safari => "webkit",
            Firefox => "firefox",
            Phone | Tablet | Chrome | Edge => "chromium",
        }
    }

    /// Applies the device to `look`. Keeps a viewport, scale factor or user agent that is already set.
    pub fn apply(&self, look: &mut DeviceProfile) {
        look.viewport.get_or_insert(self.viewport());
        look.device_scale_factor.get_or_insert(self.scale());
        look.is_mobile = self.is_handheld();
        look.has_touch = self.is_handheld();
        if look.user_agent.is_none() {
            look.user_agent = self.user_agent().map(str::to_owned);
        }
    }

    fn turned(&self, (width, height): (u32, u32)) -> (u32, u32) {
        if self.is_landscape { (height, width) } else { (width, height) }
    }
}

impl fmt::Display for Device {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}{}", self.model.name, if self.is_landscape { LANDSCAPE_SUFFIX } else { "" })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_device_is_found_by_its_name() {
        let names: Vec<_> = Device::all().map(|device| device.to_string()).collect();
        assert_eq!(names.iter().collect::<HashSet<_>>().len(), names.len());
        for device in Device::all() {
            assert_eq!(Device::named(&device.to_string().to_uppercase()), Ok(device));
        }
    }

    #[test]
    fn a_misspelled_device_is_answered_with_those_near_it() {
        let error = Device::named("Pxel 7").unwrap_err();
        assert!(error.contains("similar names are Pixel 7, "), "{error}");
    }
}
