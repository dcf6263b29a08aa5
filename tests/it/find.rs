//! Which browser is found. Other machines are described by a folder and a few variables.
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use patchright_mcp::browser::find::{BrowserQuery, Channel, Platform, SearchEnvironment, find};
use patchright_mcp::error::Error;
use strum::IntoEnumIterator as _;

/// A machine on which nothing is installed yet.
struct Machine {
    root: tempfile::TempDir,
    here: SearchEnvironment,
}

impl Machine {
    fn new(platform: Platform) -> Self {
        let root = tempfile::tempdir().unwrap();
        let variables = HashMap::from([
            ("PATH".into(), root.path().join("usr/bin").into()),
            ("HOME".into(), root.path().join("home/me").into()),
            ("LOCALAPPDATA".into(), root.path().join("me/AppData/Local").into()),
            ("PROGRAMFILES".into(), root.path().join("Program Files").into()),
            ("PROGRAMFILES(X86)".into(), root.path().join("Program Files (x86)").into()),
        ]);
        let here = SearchEnvironment { platform, root: root.path().to_owned(), variables };
        Self { root, here }
    }

    fn set(&mut self, name: &str, value: &Path) {
        self.here.variables.insert(name.into(), value.into());
    }

    /// Puts a program there, and says where that is.
    fn program(&self, path: impl AsRef<Path>) -> PathBuf {
        self.file(path, "\x7fELF", 0o755)
    }

    fn script(&self, path: &str, text: &str) -> PathBuf {
        self.file(path, text, 0o755)
    }

    fn file(&self, path: impl AsRef<Path>, content: &str, mode: u32) -> PathBuf {
        let path = self.root.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    fn finds(&self, channel: Channel) -> PathBuf {
        self.here.find(&BrowserQuery { channel, executable: None, browsers_dir: None }).unwrap().executable
    }

    fn misses(&self, channel: Channel) -> Vec<String> {
        match self.here.find(&BrowserQuery { channel, executable: None, browsers_dir: None }) {
            Err(Error::BrowserNotFound { looked }) => looked,
            other => panic!("{other:?}"),
        }
    }

    fn complains_about(&self, executable: &Path) -> String {
        let wanted = BrowserQuery { executable: Some(executable.to_owned()), ..BrowserQuery::default() };
        self.here.find(&wanted).unwrap_err().to_string()
    }
}

#[test]
fn every_usual_place_of_every_system_is_looked_at() {
    for (platform, channel) in
        Platform::iter().flat_map(|platform| Channel::iter().map(move |channel| (platform, channel)))
    {
        for number in 0..Machine::new(platform).here.install_paths(channel).len() {
            let machine = Machine::new(platform);
            let place = machine.program(&machine.here.install_paths(channel)[number]);
            assert_eq!(machine.finds(channel), place);
        }
    }
}

#[test]
fn a_place_below_a_folder_that_this_user_does_not_have_is_left_out() {
    let mut machine = Machine::new(Platform::Windows);
    machine.program("me/AppData/Local/Google/Chrome/Application/chrome.exe");
    machine.here.variables.remove("LOCALAPPDATA".as_ref() as &std::ffi::OsStr);
    assert!(!machine.misses(Channel::Chrome).is_empty());
}

#[test]
fn chromium_comes_before_chrome_and_chrome_before_edge() {
    let machine = Machine::new(Platform::Linux);
    let edge = machine.program("opt/microsoft/msedge/msedge");
    assert_eq!(machine.finds(Channel::Chromium), edge);
    let chrome = machine.program("opt/google/chrome/chrome");
    assert_eq!(machine.finds(Channel::Chromium), chrome);
    let downloaded = machine.program("home/me/.cache/ms-playwright/chromium-1200/chrome-linux/chrome");
    assert_eq!(machine.finds(Channel::Chromium), downloaded);
    let installed = machine.program("usr/lib/chromium/chromium");
    assert_eq!(machine.finds(Channel::Chromium), installed);
    assert_eq!(machine.finds(Channel::Edge), edge);
}

#[test]
fn who_wants_chrome_gets_nothing_else() {
    let machine = Machine::new(Platform::Linux);
    machine.program("usr/bin/chromium");
    machine.program("opt/microsoft/msedge/msedge");
    let looked = machine.misses(Channel::Chrome);
    assert!(looked.iter().any(|place| place.ends_with("opt/google/chrome/chrome")), "{looked:?}");
}

#[test]
fn the_distributions_script_is_left_out() {
    let machine = Machine::new(Platform::Linux);
    let script = machine.script("usr/bin/chromium", "#!/bin/sh\nexec /usr/lib/chromium/chromium \"$@\"\n");
    let program = machine.program("usr/lib/chromium/chromium");
    let found = machine.here.find(&BrowserQuery::default()).unwrap();
    assert_eq!((found.executable, found.wrapper), (program, Some(script)));
}

#[test]
fn chromes_script_is_left_out_behind_the_links_to_it() {
    let machine = Machine::new(Platform::Linux);
    let script =
        machine.script("opt/google/chrome/google-chrome", "#!/bin/bash\nexec \"$HERE/chrome\" \"$@\"\n");
    let program = machine.program("opt/google/chrome/chrome");
    fs::create_dir_all(machine.root.path().join("usr/bin")).unwrap();
    symlink(&script, machine.root.path().join("usr/bin/google-chrome-stable")).unwrap();
    assert_eq!(machine.finds(Channel::Chrome), program);
}

#[test]
fn a_script_of_the_users_own_is_kept() {
    let machine = Machine::new(Platform::Linux);
    machine.program("usr/lib/chromium/chromium");
    let script = machine.script("home/me/browser", "#!/bin/sh\nexec chromium --my-flag \"$@\"\n");
    let wanted = BrowserQuery { executable: Some(script.clone()), ..BrowserQuery::default() };
    assert_eq!(machine.here.find(&wanted).unwrap().executable, script);
}

#[test]
fn ubuntus_script_counts_only_with_the_snap_that_it_calls() {
    let machine = Machine::new(Platform::Linux);
    machine.script("usr/bin/chromium-browser", "#!/bin/sh\nexec /snap/bin/chromium \"$@\"\n");
    machine.misses(Channel::Chromium);
    let snap = machine.program("usr/bin/snap");
    fs::create_dir_all(machine.root.path().join("snap/bin")).unwrap();
    let link = machine.root.path().join("snap/bin/chromium");
    symlink(snap, &link).unwrap();
    assert_eq!(machine.finds(Channel::Chromium), link);
}

#[test]
fn of_playwrights_browsers_the_newest_with_windows_is_taken() {
    let machine = Machine::new(Platform::Linux);
    let cache = Path::new("home/me/.cache/ms-playwright");
    machine.program(cache.join("chromium_headless_shell-1300/chrome-linux/headless_shell"));
    machine.program(cache.join("chromium-tip-of-tree-1400/chrome-linux/chrome"));
    machine.program(cache.join("chromium-999/chrome-linux/chrome"));
    let newest = machine.program(cache.join("chromium-1208/chrome-linux64/chrome"));
    fs::create_dir_all(machine.root.path().join(cache.join("chromium-1300"))).unwrap();
    assert_eq!(machine.finds(Channel::Chromium), newest);
}

#[test]
fn a_browser_that_was_downloaded_for_us_is_found_on_every_system() {
    for (platform, path) in [
        (Platform::Linux, "home/me/.cache/patchright-mcp/browsers/linux-1566079/chrome-linux/chrome"),
        (
            Platform::Mac,
            "home/me/Library/Caches/patchright-mcp/browsers/mac-1/chrome-mac/Chromium.app/Contents/MacOS/Chromium",
        ),
        (Platform::Windows, "me/AppData/Local/patchright-mcp/browsers/win64-1/chrome-win/chrome.exe"),
    ] {
        let machine = Machine::new(platform);
        let program = machine.program(path);
        assert_eq!(machine.finds(Channel::Chromium), program);
    }
}

#[test]
fn playwrights_browsers_can_be_elsewhere() {
    let mut machine = Machine::new(Platform::Linux);
    let program = machine.program("srv/browsers/chromium-1208/chrome-linux/chrome");
    machine.set("PLAYWRIGHT_BROWSERS_PATH", &machine.root.path().join("srv/browsers"));
    assert_eq!(machine.finds(Channel::Chromium), program);
}

#[test]
fn variables_come_before_the_usual_places_and_ours_before_others() {
    let mut machine = Machine::new(Platform::Linux);
    machine.program("usr/bin/chromium");
    let theirs = machine.program("srv/theirs/chrome");
    machine.set("CHROME_PATH", &theirs);
    assert_eq!(machine.finds(Channel::Chromium), theirs);
    let ours = machine.program("srv/ours/chrome");
    machine.set("PATCHRIGHT_MCP_EXECUTABLE_PATH", &ours);
    assert_eq!(machine.finds(Channel::Chromium), ours);
}

#[test]
fn a_variable_of_others_that_leads_nowhere_is_reported_but_does_not_end_the_search() {
    let mut machine = Machine::new(Platform::Linux);
    machine.set("CHROME_PATH", Path::new("/nowhere/chrome"));
    assert!(machine.misses(Channel::Chromium).contains(&"CHROME_PATH=/nowhere/chrome".to_owned()));
    let installed = machine.program("usr/bin/chromium");
    assert_eq!(machine.finds(Channel::Chromium), installed);
}

#[test]
fn a_named_program_is_used_or_what_is_wrong_with_it_is_said() {
    let mut machine = Machine::new(Platform::Linux);
    machine.program("usr/bin/chromium");
    let root = machine.root.path().to_owned();
    let text = machine.file("notes.txt", "hello", 0o644);
    assert!(machine.complains_about(&root.join("missing")).contains("looked at: "));
    assert!(machine.complains_about(&root).contains("is a folder"));
    assert!(machine.complains_about(&text).contains("may not be executed"));
    machine.set("PATCHRIGHT_MCP_EXECUTABLE_PATH", &root.join("gone"));
    let looked = machine.misses(Channel::Chromium);
    assert_eq!(looked, [format!("PATCHRIGHT_MCP_EXECUTABLE_PATH={}", root.join("gone").display())]);
}

#[test]
fn the_make_of_a_named_program_is_reported_by_its_path() {
    let machine = Machine::new(Platform::Linux);
    for (path, channel) in [
        ("opt/google/chrome/chrome", Channel::Chrome),
        ("opt/microsoft/msedge/msedge", Channel::Edge),
        ("home/edgeworth/chrome-linux/chrome", Channel::Chromium),
    ] {
        let wanted = BrowserQuery { executable: Some(machine.program(path)), ..BrowserQuery::default() };
        assert_eq!(machine.here.find(&wanted).unwrap().channel, channel, "{path}");
    }
}

#[test]
fn the_names_of_channels_are_those_that_people_use() {
    assert_eq!(Channel::from_name("msedge").unwrap(), Channel::Edge);
    assert_eq!(Channel::from_name("Chrome").unwrap(), Channel::Chrome);
    assert_eq!(Channel::from_name("firefox").unwrap(), Channel::Firefox);
    assert_eq!(Channel::from_name("webkit").unwrap_err().code(), "unsupported_browser");
}

#[test]
fn this_machine_has_a_browser_that_is_no_script() {
    let found = find(&BrowserQuery::default()).unwrap();
    assert!(!fs::read(&found.executable).unwrap().starts_with(b"#!"), "{found:?}");
}
