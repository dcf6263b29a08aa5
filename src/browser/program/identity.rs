//! The browser's identity: user agent, client hints, platform and languages.
//!
//! Setting only the user agent, as an argument or through CDP, empties the client hints. Real browsers always
//! have client hints, so an override sets all parts of the identity, for every page, frame and worker.
use crate::cdp::types::emulation::{BrandVersion, SetUserAgentOverride, UserAgentMetadata};

/// The identity of a browser.
#[derive(Debug, Clone)]
pub(in crate::browser) struct Identity {
    /// The brand besides Chromium, such as `Google Chrome`; `None` for Chromium.
    pub brand: Option<String>,
    /// The full version, such as `156.0.8078.79`.
    pub version: String,
    /// The default user agent for pages.
    pub user_agent: String,
    /// Whether the user agent was passed to the browser as an argument.
    pub has_user_agent_argument: bool,
    /// Whether the user agent is the browser's real one.
    pub is_genuine: bool,
}

impl Identity {
    /// Returns the CDP override that makes user agent, client hints and languages consistent. An omitted
    /// argument keeps the browser's own value. `None` if no override is needed.
    pub(in crate::browser) fn claim(
        &self,
        user_agent: Option<&str>,
        languages: Option<String>,
    ) -> Option<SetUserAgentOverride> {
        if user_agent.is_none() && languages.is_none() && !self.has_user_agent_argument {
            return None;
        }
        let user_agent = user_agent.unwrap_or(&self.user_agent);
        Some(SetUserAgentOverride {
            user_agent: user_agent.to_owned(),
            accept_language: languages,
            platform: platform(user_agent).filter(|_| !self.is_own(user_agent)).map(str::to_owned),
            user_agent_metadata: self.metadata(user_agent),
        })
    }

    fn is_own(&self, user_agent: &str) -> bool {
        self.is_genuine && user_agent == self.user_agent
    }

    /// Returns the client hints for a user agent; `None` if it is not Chromium's: other browsers send none.
    fn metadata(&self, user_agent: &str) -> Option<UserAgentMetadata> {
        let major = user_agent.split(" Chrome/").nth(1)?.split(['.', ' ']).next()?;
        let full = if self.version.split('.').next() == Some(major) {
            self.version.clone()
        } else {
            format!("{major}.0.0.0")
        };
        let mut system = system(user_agent);
        if self.is_own(user_agent) && cfg!(target_os = "macos") {
            // On macOS, user agents always contain version 10.15.7, but the client hint is the real version.
            system.version = version_of_macos().unwrap_or(system.version);
        }
        let is_mobile = user_agent.contains(" Mobile ");
        let is_desktop = system.name != "Android";
        let form_factor = if is_desktop { "Desktop" } else { ["Tablet", "Mobile"][usize::from(is_mobile)] };
        let own = if is_desktop { ARCHITECTURE } else { ("", "") };
        Some(UserAgentMetadata {
            brands: self.brands(major, major),
            full_version_list: self.brands(major, &full),
            full_version: full,
            platform: system.name.to_owned(),
            platform_version: system.version,
            architecture: own.0.to_owned(),
            bitness: own.1.to_owned(),
            model: system.model,
            mobile: is_mobile,
            wow64: false,
            form_factors: vec![form_factor.to_owned()],
        })
    }

    /// Returns the brand list with `version`. It includes Chromium's made-up brand (GREASE), whose name,
    /// version and position depend on the major version.
    fn brands(&self, major: &str, version: &str) -> Vec<BrandVersion> {
        const MARKS: [char; 11] = [' ', '(', ':', '-', '.', '/', ')', ';', '=', '?', '_'];
        const NUMBERS: [&str; 3] = ["8", "99", "24"];
        /// The positions of the made-up brand, Chromium and the real brand.
        const ORDERS: [[usize; 3]; 6] = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        let seed: usize = major.parse().unwrap_or_default();
        let (first, second) = (MARKS[seed % MARKS.len()], MARKS[(seed + 1) % MARKS.len()]);
        let number = NUMBERS[seed % NUMBERS.len()];
        let zeros = if version == major { "" } else { ".0.0.0" };
        let made_up = (format!("Not{first}A{second}Brand"), format!("{number}{zeros}"));
        let chromium = ("Chromium".to_owned(), version.to_owned());
        let named = |(brand, version): (String, String)| BrandVersion { brand, version };
        match &self.brand {
            Some(brand) => {
                let mut list = vec![BrandVersion::default(); 3];
                let brand = (brand.clone(), version.to_owned());
                for (at, brand) in ORDERS[seed % ORDERS.len()].into_iter().zip([made_up, chromium, brand]) {
                    list[at] = named(brand);
                }
                list
            }
            None if seed.is_multiple_of(2) => vec![named(made_up), named(chromium)],
            None => vec![named(chromium), named(made_up)],
        }
    }
}

/// The architecture and bitness of this machine, in the format of client hints.
const ARCHITECTURE: (&str, &str) = (
    if cfg!(any(target_arch = "x86", target_arch = "x86_64")) { "x86" } else { "arm" },
    if cfg!(target_pointer_width = "64") { "64" } else { "32" },
);

/// An operating system, in the format of client hints.
struct System {
    name: &'static str,
    version: String,
    model: String,
}

/// Parses the operating system from a user agent.
fn system(user_agent: &str) -> System {
    let inside = user_agent.split(['(', ')']).nth(1).unwrap_or_default();
    let after = |name: &str| {
        let version = inside.split(name).nth(1)?.split(';').next()?.trim().replace('_', ".");
        let missing = 3_usize.saturating_sub(version.split('.').count());
        Some(version + &".0".repeat(missing))
    };
    let nameless = |name, version: Option<String>| System {
        name,
        version: version.unwrap_or_default(),
        model: String::new(),
    };
    if let Some(version) = after("Android ") {
        // A reduced user agent contains `K` in place of the device model.
        let model = inside.rsplit("; ").next().filter(|model| *model != "K" && !model.starts_with("Android"));
        return System { name: "Android", version, model: model.unwrap_or_default().to_owned() };
    }
    match inside {
        _ if inside.contains("Windows") => nameless("Windows", after("Windows NT ")),
        _ if inside.contains("Mac OS X") => nameless("macOS", after("Mac OS X ")),
        _ if inside.contains("CrOS") => nameless("Chrome OS", None),
        // Chromium reports no version for Linux.
        _ => nameless("Linux", None),
    }
}

/// The macOS version of this machine.
fn version_of_macos() -> Option<String> {
    let list = std::fs::read_to_string("/System/Library/CoreServices/SystemVersion.plist").ok()?;
    let version = list.split("<key>ProductVersion</key>").nth(1)?.split(['>', '<']).nth(2)?;
    Some(version.trim().to_owned())
}

/// Returns the `navigator.platform` that fits a user agent.
fn platform(user_agent: &str) -> Option<&'static str> {
    const PLATFORMS: [(&str, &str); 7] = [
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Linux armv81"),
        ("Windows", "Win32"),
        ("Macintosh", "MacIntel"),
        ("CrOS", "Linux x86_64"),
        ("Linux x86_64", "Linux x86_64"),
    ];
    PLATFORMS.iter().find(|(name, _)| user_agent.contains(name)).map(|(_, platform)| *platform)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::browser::program::launch::languages;

    fn identity(brand: Option<&str>, major: u32) -> Identity {
        let user_agent =
            format!("Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/{major}.0.0.0 Safari/537.36");
        let version = format!("{major}.0.6778.85");
        Identity {
            brand: brand.map(str::to_owned),
            version,
            user_agent,
            has_user_agent_argument: true,
            is_genuine: true,
        }
    }

    fn metadata(identity: &Identity, user_agent: Option<&str>) -> UserAgentMetadata {
        identity.claim(user_agent, None).unwrap().user_agent_metadata.unwrap()
    }

    /// The brand lists are the same as those of real browsers with these versions.
    #[test]
    fn brands_stand_as_the_version_has_them() {
        for (brand, major, expected) in [
            (
                Some("Google Chrome"),
                131,
                "Google Chrome 131.0.6778.85, Chromium 131.0.6778.85, Not_A Brand 24.0.0.0",
            ),
            (
                Some("Google Chrome"),
                124,
                "Chromium 124.0.6778.85, Google Chrome 124.0.6778.85, Not-A.Brand 99.0.0.0",
            ),
            (None, 156, "Not:A-Brand 8.0.0.0, Chromium 156.0.6778.85"),
            (None, 131, "Chromium 131.0.6778.85, Not_A Brand 24.0.0.0"),
        ] {
            let list = metadata(&identity(brand, major), None).full_version_list;
            let list: Vec<_> =
                list.iter().map(|brand| format!("{} {}", brand.brand, brand.version)).collect();
            assert_eq!(list.join(", "), expected);
        }
    }

    #[test]
    fn a_claimed_user_agent_is_reported_whole() {
        let windows = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36";
        let phone = "Mozilla/5.0 (Linux; Android 14; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Mobile Safari/537.36";
        let mac = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/131.0.0.0 Safari/537.36";
        for (user_agent, expected) in [
            (windows, ["Windows", "10.0.0", "", "120.0.0.0", "Desktop", "Win32"]),
            (phone, ["Android", "14.0.0", "Pixel 8", "131.0.6778.85", "Mobile", "Linux armv81"]),
            (mac, ["macOS", "10.15.7", "", "131.0.6778.85", "Desktop", "MacIntel"]),
        ] {
            let identity = identity(Some("Google Chrome"), 131);
            let claim = identity.claim(Some(user_agent), None).unwrap();
            let hints = metadata(&identity, Some(user_agent));
            let (full, form) = (hints.full_version, hints.form_factors.concat());
            let platform = claim.platform.unwrap();
            assert_eq!(
                [&hints.platform, &hints.platform_version, &hints.model, &full, &form, &platform],
                expected
            );
            assert_eq!(hints.mobile, form == "Mobile");
        }
    }

    #[test]
    fn a_browser_that_speaks_for_itself_is_not_spoken_for() {
        let undisguised = Identity { has_user_agent_argument: false, ..identity(None, 131) };
        assert!(undisguised.claim(None, None).is_none());
        let german = undisguised.claim(None, Some(languages("de-DE"))).unwrap();
        assert_eq!((german.user_agent, german.platform), (undisguised.user_agent.clone(), None));
        assert_eq!(german.accept_language.as_deref(), Some("de-DE,de,en-US,en"));
        let firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0";
        assert!(undisguised.claim(Some(firefox), None).unwrap().user_agent_metadata.is_none());
    }
}
