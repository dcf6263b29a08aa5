//! Chromium's command-line arguments: as few as possible, each with its reason.
use std::path::Path;

use super::{IgnoreDefaultArguments, LaunchOptions, Plan};
use crate::error::{Error, Result};

/// A command-line argument for the browser.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    pub text: &'static str,
    pub when: FlagCondition,
    pub why: &'static str,
    /// How a page can detect this argument.
    pub page_sees: &'static str,
}

/// The condition under which an argument is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FlagCondition {
    Always,
    Headless,
    Linux,
    Mac,
}

/// All constant arguments. Not listed: `--remote-debugging-pipe`, `--user-data-dir` and those set by options.
pub const FLAGS: &[Flag] = &[
    Flag {
        text: "--no-first-run",
        when: FlagCondition::Always,
        why: "no welcome page, no import of another browser's data",
        page_sees: "nothing",
    },
    Flag {
        text: "--no-default-browser-check",
        when: FlagCondition::Always,
        why: "no question above the page, which would also make it shorter",
        page_sees: "nothing",
    },
    Flag {
        text: "--no-startup-window",
        when: FlagCondition::Always,
        why: "the first answer comes earlier, and no page is open that nobody asked for",
        page_sees: "nothing",
    },
    Flag {
        text: "--disable-blink-features=AutomationControlled",
        when: FlagCondition::Always,
        why: "the pipe alone makes navigator.webdriver true; this gives back the browser's own false",
        page_sees: "nothing",
    },
    Flag {
        text: "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AutofillServerCommunication",
        when: FlagCondition::Always,
        why: "without the first two each window runs one more renderer for its address bar, 45 MB and 0.7 s of processor \
            time; without the third, the browser sends each form it sees to a server of its maker",
        page_sees: "nothing",
    },
    Flag {
        text: "--enable-features=CDPScreenshotNewSurface",
        when: FlagCondition::Always,
        why: "a picture of what is visible comes a frame sooner: after two in place of three",
        page_sees: "nothing",
    },
    Flag {
        text: "--enable-logging=stderr",
        when: FlagCondition::Always,
        why: "the browser tells us the texts of errors that nobody caught, which no quiet command does",
        page_sees: "nothing",
    },
    Flag {
        text: "--auto-reject-capture",
        when: FlagCondition::Always,
        why: "the picker of what to share lies over the page and takes all its input; it is cancelled",
        page_sees: "that its user shares no screen",
    },
    Flag {
        text: "--password-store=basic",
        when: FlagCondition::Linux,
        why: "no question for the key ring's password, which would wait for a person",
        page_sees: "nothing",
    },
    Flag {
        text: "--use-mock-keychain",
        when: FlagCondition::Mac,
        why: "no question for the key chain's password, which would wait for a person",
        page_sees: "nothing",
    },
    Flag {
        text: HEADLESS,
        when: FlagCondition::Headless,
        why: "the whole browser without a window",
        page_sees: "a user agent, a screen and a pointer of their own kind: the arguments below answer for those",
    },
    Flag {
        text: "--screen-info={1920x1080 workAreaBottom=40}",
        when: FlagCondition::Headless,
        why: "a common screen with a task bar, where headless has 800 by 600",
        page_sees: "the screen of a desktop",
    },
    Flag {
        text: "--blink-settings=primaryHoverType=2,availableHoverTypes=2,primaryPointerType=4,availablePointerTypes=4",
        when: FlagCondition::Headless,
        why: "headless claims that there is no mouse",
        page_sees: "the pointer of a desktop",
    },
];

const HEADLESS: &str = "--headless=new";

/// The screen size of a headless browser in pixels. An argument in [`FLAGS`] sets it.
pub(in crate::browser) const HEADLESS_SCREEN: (u32, u32) = (1920, 1080);

/// The window size of a headless browser in pixels: smaller than the screen, as usual, and small enough that
/// screenshots need not be scaled down for a model.
const HEADLESS_WINDOW: (u32, u32) = (1280, 800);

/// Arguments whose list values are merged with the user's.
const LISTS: &[&str] = &[
    "--disable-features",
    "--enable-features",
    "--disable-blink-features",
    "--enable-blink-features",
    "--blink-settings",
];

/// Arguments that are rejected, each with the option to use instead.
const RESERVED: &[(&str, &str)] = &[
    ("--user-data-dir", "user_data_dir"),
    ("--headless", "headless"),
    ("--remote-debugging-pipe", "a browser over the pipe is what is started anyway"),
];

/// Returns an error if an argument or option is invalid.
pub(super) fn check(options: &LaunchOptions) -> Result<()> {
    let mut problems = Vec::new();
    for argument in &options.arguments {
        let name = name_of(argument);
        if let Some((_, instead)) = RESERVED.iter().find(|(reserved, _)| *reserved == name) {
            problems.push(format!("{name} cannot be given as an argument; use {instead}"));
        }
        if name == "--proxy-server" && !values_of(argument).all(is_proxy) {
            problems.push(
                "--proxy-server: expected host:port, or http://, https://, socks5:// or socks4:// before it"
                    .to_owned(),
            );
        }
        if argument.contains('\0') {
            problems.push("an argument holds a NUL character".to_owned());
        }
    }
    if let Some(proxy) = &options.proxy
        && proxy.server.contains('@')
    {
        problems.push("the proxy's user name and password cannot stand in its address".to_owned());
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::InvalidArguments { problems }) }
}

/// Returns all command-line arguments, without the program's name.
pub(super) fn arguments(options: &LaunchOptions, plan: &Plan, profile: &Path) -> Vec<String> {
    let everything = options.ignore_default_arguments == IgnoreDefaultArguments::Everything;
    let mut ours: Vec<String> = FLAGS
        .iter()
        .filter(|flag| applies(flag.when, plan.headless) && (!everything || flag.text == HEADLESS))
        .map(|flag| flag.text.to_owned())
        .collect();
    if let Some((width, height)) = options.window_size.or(plan.headless.then_some(HEADLESS_WINDOW)) {
        ours.push(format!("--window-size={width},{height}"));
    }
    if let Some(user_agent) = &plan.user_agent {
        ours.push(format!("--user-agent={user_agent}"));
    }
    if let Some(proxy) = &options.proxy {
        ours.push(format!("--proxy-server={}", proxy.server));
        ours.extend(proxy.bypass.iter().map(|bypass| format!("--proxy-bypass-list={bypass}")));
    }
    if let Some(locale) = &options.locale {
        if !cfg!(target_os = "linux") {
            // On Linux, the environment variable LANGUAGE sets the locale.
            ours.push(format!("--lang={locale}"));
        }
        ours.push(format!("--accept-lang={}", languages(locale)));
    }
    if !plan.sandbox {
        ours.push("--no-sandbox".to_owned());
    }
    if shared_memory_is_short() {
        ours.push("--disable-dev-shm-usage".to_owned());
    }
    if let IgnoreDefaultArguments::These(names) = &options.ignore_default_arguments {
        let named = |argument: &str| names.iter().any(|name| name == argument || name == name_of(argument));
        ours.retain(|argument| argument == HEADLESS || !named(argument));
    }
    let mut arguments = merged(&ours, &options.arguments);
    arguments.insert(0, "--remote-debugging-pipe".to_owned());
    arguments.insert(1, format!("--user-data-dir={}", profile.display()));
    arguments
}

fn applies(when: FlagCondition, headless: bool) -> bool {
    match when {
        FlagCondition::Always => true,
        FlagCondition::Headless => headless,
        FlagCondition::Linux => cfg!(target_os = "linux"),
        FlagCondition::Mac => cfg!(target_os = "macos"),
    }
}

/// Returns the `Accept-Language` list of a browser with this locale: `de-DE,de,en-US,en` for `de-DE`.
pub(in crate::browser) fn languages(locale: &str) -> String {
    let language = locale.split('-').next().filter(|language| *language != "en");
    let mut languages = vec![locale];
    for next in language.into_iter().chain(["en-US", "en"]) {
        if !languages.contains(&next) {
            languages.push(next);
        }
    }
    languages.join(",")
}

/// Merges our arguments with the user's. Of two with the same name, the browser would use only the last.
fn merged(ours: &[String], theirs: &[String]) -> Vec<String> {
    let enabled: Vec<&str> = theirs
        .iter()
        .filter(|argument| name_of(argument) == "--enable-features")
        .flat_map(|argument| values_of(argument))
        .collect();
    let mut merged: Vec<String> = Vec::new();
    for argument in ours.iter().chain(theirs) {
        let name = name_of(argument);
        let before =
            merged.iter().position(|before| name_of(before) == name).filter(|_| LISTS.contains(&name));
        match before {
            Some(at) => {
                let values: Vec<&str> = values_of(argument).collect();
                merged[at] = format!("{},{}", merged[at], values.join(","));
            }
            None if ours.contains(argument) && name == "--disable-features" => {
                let kept: Vec<_> = values_of(argument).filter(|value| !enabled.contains(value)).collect();
                merged.push(format!("{name}={}", kept.join(",")));
            }
            None => merged.push(argument.clone()),
        }
    }
    merged
}

fn name_of(argument: &str) -> &str {
    argument.split_once('=').map_or(argument, |(name, _)| name)
}

/// Whether the browser understands a proxy setting. With an invalid one, it would silently use no proxy.
fn is_proxy(server: &str) -> bool {
    const SCHEMES: [&str; 7] = ["http", "https", "socks", "socks4", "socks5", "quic", "direct"];
    let server = server.trim();
    server.split([';', ' ']).filter(|part| !part.is_empty()).all(|part| {
        // `http=foo:80` is a proxy only for URLs with the scheme `http`.
        let part = part.split_once('=').map_or(part, |(_, part)| part);
        match part.split_once("://") {
            Some((scheme, rest)) => SCHEMES.contains(&scheme) && (scheme == "direct") == rest.is_empty(),
            None => !part.is_empty(),
        }
    }) && !server.is_empty()
}

fn values_of(argument: &str) -> impl Iterator<Item = &str> {
    argument.split_once('=').map_or("", |(_, values)| values).split(',')
}

/// Whether `/dev/shm` is too small. Containers often have 64 MB, with which image-heavy pages crash.
#[cfg(target_os = "linux")]
fn shared_memory_is_short() -> bool {
    const ENOUGH: u64 = 1 << 30;
    rustix::fs::statvfs("/dev/shm").is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < ENOUGH)
}

#[cfg(not(target_os = "linux"))]
fn shared_memory_is_short() -> bool {
    false
}
