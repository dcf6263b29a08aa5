//! Starts Firefox: arguments, preferences, and a temporary home directory.
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::Path;

use super::{FIREFOX_SCRIPT_LIMIT, IgnoreDefaultArguments, LaunchOptions, Plan, languages};

/// The text that Firefox prints before its WebSocket URL.
pub(super) const LISTENS: &str = "WebDriver BiDi listening on ";

/// The screen size of a headless Firefox, in pixels. Headless Chromium has the same.
const SCREEN: (u32, u32) = (1920, 1080);

/// The Firefox preference that [`FIREFOX_SCRIPT_LIMIT`] sets, in seconds.
const LONGEST_SCRIPT: &str = "dom.max_script_run_time";

/// The preference for the popup blocker. The argument `OPENS_WINDOWS` disables it, as in Chromium.
const BLOCKS_WINDOWS: &str = "dom.disable_open_during_load";
const OPENS_WINDOWS: &str = "--disable-popup-blocking";

/// Preferences: name, value, and the reason.
const SETTINGS: &[(&str, &str, &str)] = &[
    (
        "remote.prefs.recommended",
        "false",
        "its remote agent would set what pages notice: windows open by themselves, histories grow without limit",
    ),
    ("permissions.isolateBy.userContext", "true", "what one context is granted no other is"),
    (
        "dom.input_events.security.minNumTicks",
        "0",
        "a new page takes what is pressed from its first frame on",
    ),
    ("dom.input_events.security.minTimeElapsedInMS", "0", "the same"),
    ("security.notification_enable_delay", "0", "the same for what asks beside the page"),
    ("dom.successive_dialog_time_limit", "0", "a page may ask as often as it likes, since somebody answers"),
    ("dom.file.createInChild", "true", "files can be given to a page"),
    ("dom.permissions.testing.enabled", "true", "what a page is granted does not depend on the system"),
    ("apz.content_response_timeout", "60000", "a busy page is scrolled when it answers, and not before"),
    ("apz.axis_lock.mode", "0", "a page is scrolled as far in both directions as asked"),
    ("mousewheel.allow_scrolling_more_than_one_page", "true", "the same for more than its window shows"),
    (
        "browser.http.blank_page_with_error_response.enabled",
        "true",
        "an error without words is a page all the same",
    ),
    ("network.http.prompt-temp-redirect", "false", "no question at a redirection"),
    ("network.manage-offline-status", "false", "whether there is a network is not guessed"),
    (
        "dom.max_chrome_script_run_time",
        "0",
        "nobody is asked whether a script of the browser's own is to go on",
    ),
    ("dom.ipc.processPriorityManager.enabled", "false", "a page behind another is not slower"),
    ("threads.lower_mainthread_priority_in_background.enabled", "false", "the same"),
    ("browser.tabs.unloadOnLowMemory", "false", "no page is put out of memory"),
    ("browser.tabs.remote.unloadDelayMs", "0", "a page that is closed is gone at once"),
    ("browser.tabs.warnOnClose", "false", "no question when a window is closed"),
    ("browser.tabs.warnOnCloseOtherTabs", "false", "the same"),
    ("browser.startup.couldRestoreSession.count", "-1", "no offer of what was open before"),
    ("toolkit.startup.max_resumed_crashes", "-1", "it starts as usual also after it was killed"),
    ("browser.toolbars.bookmarks.visibility", "\"never\"", "every page has a window of the same height"),
    ("privacy.popups.showBrowserMessage", "false", "the same where a window is kept from opening"),
    ("browser.contentblocking.introCount", "99", "no window that explains the browser"),
    ("termsofuse.bypassNotification", "true", "no question before the first page"),
    ("datareporting.policy.dataSubmissionPolicyBypassNotification", "true", "the same"),
    ("startup.homepage_welcome_url", "\"about:blank\"", "no page before the first"),
    ("startup.homepage_welcome_url.additional", "\"\"", "the same"),
    ("browser.translations.enable", "false", "no offer to translate"),
    ("extensions.formautofill.addresses.enabled", "false", "no question whether an address is to be kept"),
    ("extensions.formautofill.creditCards.enabled", "false", "the same for cards"),
    ("signon.autofillForms", "false", "no field gets a value that nobody gave it"),
    ("browser.pagethumbnails.capturing_disabled", "true", "no picture of a page is kept"),
    ("browser.backup.enabled", "false", "no copy of the profile is made"),
    ("browser.ml.enable", "false", "no model is fetched"),
    ("places.semanticHistory.featureGate", "false", "the same"),
    ("geo.provider.testing", "true", "the location is what the client sets, and nothing else"),
    ("geo.provider.network.url", "\"\"", "the same"),
    ("geo.wifi.scan", "false", "the same"),
    ("dom.push.connection.enabled", "false", "its maker's servers are not connected to"),
    ("app.normandy.api_url", "\"\"", "the same"),
    ("browser.discovery.enabled", "false", "the same"),
    ("browser.region.network.url", "\"\"", "the same"),
    ("browser.safebrowsing.blockedURIs.enabled", "false", "the same"),
    ("browser.safebrowsing.downloads.enabled", "false", "the same"),
    ("browser.safebrowsing.malware.enabled", "false", "the same"),
    ("browser.safebrowsing.phishing.enabled", "false", "the same"),
    ("browser.search.update", "false", "the same"),
    ("browser.topsites.contile.enabled", "false", "the same"),
    ("browser.urlbar.merino.endpointURL", "\"\"", "the same"),
    ("browser.urlbar.suggest.searches", "false", "the same"),
    ("browser.newtabpage.activity-stream.showSponsoredTopSites", "false", "the same"),
    ("browser.newtabpage.activity-stream.testing.shouldInitializeFeeds", "false", "the same"),
    ("datareporting.healthreport.uploadEnabled", "false", "the same"),
    ("datareporting.usage.uploadEnabled", "false", "the same"),
    ("telemetry.fog.test.localhost_port", "-1", "the same"),
    ("toolkit.telemetry.server", "\"\"", "the same"),
    ("extensions.update.enabled", "false", "the same"),
    ("extensions.systemAddon.update.enabled", "false", "the same"),
    ("network.sntp.pools", "\"\"", "the same"),
    ("security.certerrors.mitm.priming.enabled", "false", "the same"),
    ("security.remote_settings.intermediates.enabled", "false", "the same"),
    ("signon.management.page.breach-alerts.enabled", "false", "the same"),
    ("services.settings.loglevel", "\"off\"", "it says nothing of that"),
    ("browser.sessionhistory.max_total_viewers", "0", "a return to a cached document is not reported"),
    (
        "browser.link.open_newwindow",
        "2",
        "what is behind another tab is not drawn, so each page has its window",
    ),
    ("browser.link.open_newwindow.restriction", "0", "the same for those that name a size"),
    ("browser.newtab.preload", "false", "it makes no tab that nobody sees: the browser reports it as a page"),
    ("browser.startup.page", "0", "nothing is loaded that nobody asked for"),
    ("browser.startup.homepage_override.mstone", "\"ignore\"", "no page that tells of an update"),
    ("browser.aboutwelcome.enabled", "false", "no welcome page"),
    ("browser.shell.checkDefaultBrowser", "false", "no question that would wait for a person"),
    ("browser.warnOnQuit", "false", "no question at the end"),
    ("browser.sessionstore.resume_from_crash", "false", "a browser that was ended begins empty"),
    (
        "remote.bidi.dismiss_file_pickers.enabled",
        "true",
        "a file chooser is reported, and never blocks the page",
    ),
    ("browser.download.panel.shown", "true", "no window that tells of a download"),
    ("browser.download.always_ask_before_handling_new_types", "false", "no question at a download"),
    ("datareporting.policy.dataSubmissionEnabled", "false", "no data goes to Mozilla"),
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

/// Returns Firefox's command-line arguments, without the program's name.
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
    arguments.extend(options.arguments.iter().filter(|argument| *argument != OPENS_WINDOWS).cloned());
    arguments
}

/// Returns Firefox's environment variables. Files outside its profile go into a temporary home directory.
pub(super) fn environment(options: &LaunchOptions, plan: &Plan, scratch: &Path) -> Vec<(String, String)> {
    let below = |name: &str| scratch.join(name).display().to_string();
    let mut variables = vec![
        ("HOME".to_owned(), below("home")),
        ("XDG_CACHE_HOME".to_owned(), below("home/.cache")),
        ("XDG_CONFIG_HOME".to_owned(), below("home/.config")),
        ("XDG_DATA_HOME".to_owned(), below("home/.local/share")),
        ("MOZ_CRASHREPORTER_DISABLE".to_owned(), "1".to_owned()),
        // Without this, release builds contact Mozilla's settings server despite `services.settings.server`.
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

/// Creates the temporary home directory, and writes the preferences into the profile.
pub(super) fn prepare(options: &LaunchOptions, profile: &Path, scratch: &Path) -> io::Result<()> {
    fs::create_dir_all(scratch.join("home"))?;
    fs::write(profile.join("user.js"), settings(options))
}

fn settings(options: &LaunchOptions) -> String {
    let left_out = |name: &str| match &options.ignore_default_arguments {
        IgnoreDefaultArguments::These(names) => names.iter().any(|ignored| ignored == name),
        _ => false,
    };
    let mut written = String::new();
    for (name, value, _) in SETTINGS.iter().filter(|(name, ..)| !left_out(name)) {
        let _ = writeln!(written, "user_pref(\"{name}\", {value});");
    }
    if options.arguments.iter().any(|argument| argument == OPENS_WINDOWS) {
        let _ = writeln!(written, "user_pref(\"{BLOCKS_WINDOWS}\", false);");
    }
    if !left_out(LONGEST_SCRIPT) {
        let _ = writeln!(written, "user_pref(\"{LONGEST_SCRIPT}\", {});", FIREFOX_SCRIPT_LIMIT.as_secs());
    }
    for (name, value) in &options.firefox_settings {
        // Firefox's numeric preferences are integers: other numbers are written as strings.
        let value = if value.is_f64() { value.to_string().into() } else { value.clone() };
        let _ = writeln!(written, "user_pref({}, {value});", serde_json::Value::from(name.as_str()));
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
