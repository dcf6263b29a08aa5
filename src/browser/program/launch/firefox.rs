//! How Firefox is started: its arguments, its settings, and a home of its own.
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use super::{FIREFOX_SCRIPT_LIMIT, IgnoreDefaults, LaunchOptions, Plan, languages};

/// What Firefox says when it listens, before its address.
pub(super) const LISTENS: &str = "WebDriver BiDi listening on ";

/// The screen of a Firefox without a window: as large as that of a Chromium of ours.
const SCREEN: (u32, u32) = (1920, 1080);

/// The setting for [`FIREFOX_SCRIPT_LIMIT`], in seconds.
const LONGEST_SCRIPT: &str = "dom.max_script_run_time";

/// Settings with their values and their reasons.
const SETTINGS: &[(&str, &str, &str)] = &[
    ("browser.sessionhistory.max_total_viewers", "0", "a return to a document that was kept is not told of"),
    (
        "browser.link.open_newwindow",
        "2",
        "what is behind another tab is not drawn, so each page has its window",
    ),
    ("browser.link.open_newwindow.restriction", "0", "the same for those that name a size"),
    ("browser.newtab.preload", "false", "it makes no tab that nobody sees: such a one is told of as a page"),
    ("browser.startup.page", "0", "nothing is loaded that nobody asked for"),
    ("browser.startup.homepage_override.mstone", "\"ignore\"", "no page that tells of an update"),
    ("browser.aboutwelcome.enabled", "false", "no welcome page"),
    ("browser.shell.checkDefaultBrowser", "false", "no question that would wait for a person"),
    ("browser.warnOnQuit", "false", "no question at the end"),
    ("browser.sessionstore.resume_from_crash", "false", "a browser that was ended begins empty"),
    (
        "remote.bidi.dismiss_file_pickers.enabled",
        "true",
        "a chooser of files is told of, and never stands in the way",
    ),
    ("browser.download.panel.shown", "true", "no window that tells of a download"),
    ("browser.download.always_ask_before_handling_new_types", "false", "no question at a download"),
    ("datareporting.policy.dataSubmissionEnabled", "false", "its maker is told nothing"),
    ("toolkit.telemetry.reportingpolicy.firstRun", "false", "the same"),
    ("app.normandy.enabled", "false", "its maker changes nothing while it runs"),
    ("app.update.disabledForTesting", "true", "it does not replace itself while it runs"),
    ("extensions.getAddons.cache.enabled", "false", "nothing is asked of its maker's servers"),
    ("network.captive-portal-service.enabled", "false", "the same"),
    ("network.connectivity-service.enabled", "false", "the same"),
    ("browser.safebrowsing.update.enabled", "false", "the same"),
    ("services.settings.server", "\"data:,#remote-settings-dummy/v1\"", "the same"),
    ("browser.newtabpage.activity-stream.feeds.topsites", "false", "the same"),
    ("network.proxy.allow_hijacking_localhost", "true", "a proxy is asked for this machine's own pages too"),
    (
        "focusmanager.testmode",
        "true",
        "each page believes that it has the focus, as it does in a window of its own",
    ),
    (
        "dom.disable_open_during_load",
        "false",
        "a page may open windows: so its remote agent has it in any case",
    ),
    ("dom.min_background_timeout_value", "4", "timers of a page are not slowed because another is in front"),
    ("widget.windows.window_occlusion_tracking.enabled", "false", "the same for what is drawn"),
    ("ui.primaryPointerCapabilities", "6", "without a window it claims that there is no mouse"),
    ("ui.allPointerCapabilities", "6", "the same"),
    ("ui.dragThresholdX", "100000", "a drag of the browser's own is begun by its protocol and never ended"),
    ("ui.dragThresholdY", "100000", "the same"),
    ("dom.always_stop_slow_scripts", "true", "nobody is asked whether a script is to go on: it ends"),
    (
        "dom.max_script_run_time.require_critical_input",
        "false",
        "whether somebody presses keys meanwhile or not",
    ),
    ("dom.global_stop_script", "false", "the other scripts of its page go on"),
    ("print.enabled", "false", "a page that prints would wait for a person, and could not be left"),
    ("signon.rememberSignons", "false", "no question whether a password is to be kept"),
    (
        "security.certerrors.mitm.auto_enable_enterprise_roots",
        "false",
        "no change of what is trusted on its own",
    ),
];

/// The command line after the program's name.
pub(super) fn arguments(options: &LaunchOptions, plan: &Plan, profile: &Path) -> Vec<String> {
    let mut arguments = vec![
        "--remote-debugging-port=0".to_owned(),
        "--no-remote".to_owned(),
        "--profile".to_owned(),
        profile.display().to_string(),
    ];
    if plan.headless {
        arguments.push("--headless".to_owned());
    }
    if options.hides_webdriver {
        arguments.push("--remote-allow-system-access".to_owned());
    }
    if let Some((width, height)) = options.window_size {
        arguments.extend([
            "--width".to_owned(),
            width.to_string(),
            "--height".to_owned(),
            height.to_string(),
        ]);
    }
    arguments.extend(options.arguments.iter().cloned());
    arguments
}

/// Variables of its environment: what it writes beside its profile goes where it is removed again.
pub(super) fn environment(options: &LaunchOptions, plan: &Plan, scratch: &Path) -> Vec<(String, String)> {
    let below = |name: &str| scratch.join(name).display().to_string();
    let mut variables = vec![
        ("HOME".to_owned(), below("home")),
        ("XDG_CACHE_HOME".to_owned(), below("home/.cache")),
        ("XDG_CONFIG_HOME".to_owned(), below("home/.config")),
        ("XDG_DATA_HOME".to_owned(), below("home/.local/share")),
        ("MOZ_CRASHREPORTER_DISABLE".to_owned(), "1".to_owned()),
        // Without it a released Firefox goes to its maker's server of settings, whatever `services.settings.server` says.
        ("MOZ_REMOTE_SETTINGS_DEVTOOLS".to_owned(), "1".to_owned()),
    ];
    if plan.headless {
        variables.push(("MOZ_HEADLESS_WIDTH".to_owned(), SCREEN.0.to_string()));
        variables.push(("MOZ_HEADLESS_HEIGHT".to_owned(), SCREEN.1.to_string()));
    }
    if options.sandbox == Some(false) {
        variables.push(("MOZ_DISABLE_CONTENT_SANDBOX".to_owned(), "1".to_owned()));
    }
    variables
}

/// Makes its home, and writes its settings into the profile.
pub(super) fn prepare(options: &LaunchOptions, profile: &Path, scratch: &Path) -> io::Result<()> {
    fs::create_dir_all(scratch.join("home"))?;
    fs::write(profile.join("user.js"), settings(options))
}

fn settings(options: &LaunchOptions) -> String {
    let left_out = |name: &str| match &options.ignore_default_arguments {
        IgnoreDefaults::These(names) => names.iter().any(|ignored| ignored == name),
        _ => false,
    };
    let mut written = String::new();
    for (name, value, _) in SETTINGS.iter().filter(|(name, ..)| !left_out(name)) {
        let _ = writeln!(written, "user_pref(\"{name}\", {value});");
    }
    if !left_out(LONGEST_SCRIPT) {
        let _ = writeln!(written, "user_pref(\"{LONGEST_SCRIPT}\", {});", FIREFOX_SCRIPT_LIMIT.as_secs());
    }
    if let Some(locale) = &options.locale {
        let languages = serde_json::Value::from(languages(locale).replace(',', ", "));
        let _ = writeln!(written, "user_pref(\"intl.accept_languages\", {languages});");
    }
    if let Some(user_agent) = &options.user_agent {
        let user_agent = serde_json::Value::from(user_agent.as_str());
        let _ = writeln!(written, "user_pref(\"general.useragent.override\", {user_agent});");
    }
    written
}
