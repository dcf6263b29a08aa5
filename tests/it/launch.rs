//! How a real browser starts and ends, and what is said when it does not.
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use patchright_mcp::browser::find::{BrowserQuery, find};
use patchright_mcp::browser::launch::{
    BrowserProcess, IgnoreDefaultArguments, LaunchOptions, PipeReceiver, PipeSender, Proxy, launch,
};
use patchright_mcp::error::{Error, Result};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

/// A folder for temporary profiles that no other test looks at.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn options(&self) -> LaunchOptions {
        LaunchOptions {
            headless: Some(true),
            sandbox: Some(false),
            temporary_folder: Some(self.0.path().to_owned()),
            launch_limit: Duration::from_secs(20),
            ..LaunchOptions::default()
        }
    }

    /// An executable file.
    fn program(&self, text: &str) -> PathBuf {
        let path = self.path("program");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn entries(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    /// The live processes whose command line names this folder.
    fn processes(&self) -> Vec<String> {
        let ours = self.0.path().to_str().unwrap();
        let commands = fs::read_dir("/proc")
            .unwrap()
            .filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok());
        commands
            .map(|command| String::from_utf8_lossy(&command).into_owned())
            .filter(|command| command.contains(ours))
            .collect()
    }

    async fn is_left_clean(&self) {
        eventually("no process is left", || self.processes().is_empty()).await;
        eventually("no profile is left", || self.entries().is_empty()).await;
    }
}

async fn eventually(what: &str, condition: impl Fn() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "not in ten seconds: {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

async fn quietly(options: &LaunchOptions) -> Result<BrowserProcess> {
    launch(options, &|line| panic!("warned: {line}")).await
}

async fn refusal(options: &LaunchOptions) -> String {
    let error = quietly(options).await.unwrap_err();
    assert_eq!(error.code(), "browser_launch", "{error}");
    error.to_string()
}

async fn ask((receiver, sender): &mut (PipeReceiver, PipeSender), question: &str) -> serde_json::Value {
    sender.write_all(format!("{question}\0").as_bytes()).await.unwrap();
    let mut answer = Vec::new();
    while answer.last() != Some(&0) {
        assert_ne!(receiver.read_buf(&mut answer).await.unwrap(), 0, "the browser closed the pipe");
    }
    answer.pop();
    serde_json::from_slice(&answer).unwrap()
}

/// What the user agent of a page says, and the screen it sees.
async fn seen_by_a_page(process: &BrowserProcess, script: &str) -> String {
    let mut pipes = process.take_pipes().unwrap();
    let target =
        ask(&mut pipes, r#"{"id":1,"method":"Target.createTarget","params":{"url":"about:blank"}}"#).await;
    let target = target["result"]["targetId"].as_str().unwrap().to_owned();
    // The event about the attachment comes first, in the same answer: only the session's id is wanted of both.
    let (receiver, sender) = &mut pipes;
    let attach = format!(
        "{{\"id\":2,\"method\":\"Target.attachToTarget\",\"params\":{{\"targetId\":\"{target}\",\"flatten\":true}}}}\0"
    );
    sender.write_all(attach.as_bytes()).await.unwrap();
    let session = message_with(receiver, "/result/sessionId").await;
    let evaluate = serde_json::json!({"id": 3, "sessionId": session, "method": "Runtime.evaluate",
        "params": {"expression": script, "returnByValue": true}});
    sender.write_all(format!("{evaluate}\0").as_bytes()).await.unwrap();
    message_with(receiver, "/result/result/value").await
}

/// The text at `pointer` in the next message that has one.
async fn message_with(receiver: &mut PipeReceiver, pointer: &str) -> String {
    let mut bytes = Vec::new();
    loop {
        assert_ne!(receiver.read_buf(&mut bytes).await.unwrap(), 0, "the browser closed the pipe");
        while let Some(end) = bytes.iter().position(|byte| *byte == 0) {
            let message: Vec<u8> = bytes.drain(..=end).collect();
            let message: serde_json::Value = serde_json::from_slice(&message[..end]).unwrap();
            if let Some(text) = message.pointer(pointer) {
                return text.as_str().unwrap().to_owned();
            }
        }
    }
}

#[tokio::test]
async fn a_browser_answers_over_the_pipe_and_leaves_nothing() {
    let place = Place::new();
    let process = quietly(&place.options()).await.unwrap();
    assert!(process.is_headless());
    assert!(process.profile().starts_with(place.0.path()));
    let socket = fs::read_link(process.profile().join("SingletonSocket")).unwrap();
    assert!(socket.starts_with(place.0.path()), "{}", socket.display());
    let mut pipes = process.take_pipes().unwrap();
    let answer = ask(&mut pipes, r#"{"id":1,"method":"Browser.getVersion"}"#).await;
    assert_eq!(answer["result"]["product"], process.version().product);
    process.terminate(Duration::from_secs(5)).await;
    assert_eq!((place.processes(), place.entries()), (vec![], vec![]));
}

#[tokio::test]
async fn in_a_folder_too_deep_for_a_socket_a_browser_leaves_nothing_either() {
    let place = Place::new();
    let deep = place.path("x".repeat(100).as_str());
    fs::create_dir(&deep).unwrap();
    let process =
        quietly(&LaunchOptions { temporary_folder: Some(deep.clone()), ..place.options() }).await.unwrap();
    let socket = fs::read_link(process.profile().join("SingletonSocket")).unwrap();
    assert!(socket.exists());
    process.terminate(Duration::ZERO).await;
    assert!(!socket.parent().unwrap().exists());
    assert_eq!(fs::read_dir(&deep).unwrap().count(), 0);
}

#[tokio::test]
async fn a_dropped_browser_leaves_nothing() {
    let place = Place::new();
    drop(quietly(&place.options()).await.unwrap());
    place.is_left_clean().await;
}

#[tokio::test]
async fn a_launch_that_nobody_waits_for_any_more_leaves_nothing() {
    let place = Place::new();
    let options = place.options();
    let pending = quietly(&options);
    tokio::select! {
        _ = pending => panic!("the browser was quicker than a look at the folder"),
        () = eventually("a profile is made", || !place.entries().is_empty()) => {}
    }
    place.is_left_clean().await;
}

#[tokio::test]
async fn a_killed_browser_says_so() {
    let place = Place::new();
    let process = quietly(&place.options()).await.unwrap();
    let pid = rustix::process::Pid::from_raw(process.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    assert_eq!(process.wait_for_exit().await.signal, Some(9));
    process.terminate(Duration::ZERO).await;
    assert_eq!((place.processes(), place.entries()), (vec![], vec![]));
}

/// Not a test by itself: the process that other tests kill.
#[tokio::test]
#[ignore = "runs as a process of its own, started by other tests"]
async fn helper() {
    let place = std::env::var_os("LAUNCH_HELPER_PLACE").expect("set by the test that starts this");
    let options = LaunchOptions {
        headless: Some(true),
        sandbox: Some(false),
        temporary_folder: Some(place.clone().into()),
        ..LaunchOptions::default()
    };
    let process = quietly(&options).await.unwrap();
    fs::write(Path::new(&place).join("pid"), process.pid().to_string()).unwrap();
    std::future::pending::<()>().await;
}

/// A process that does not outlive its test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// Another process that has launched a browser, with its pid.
async fn helper_with_browser(place: &Place) -> (Running, u32) {
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["launch::helper", "--exact", "--ignored"])
        .env("LAUNCH_HELPER_PLACE", place.0.path())
        .env("PATCHRIGHT_MCP_API_KEY", "swordfish")
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let child = Running(child);
    let pid = || fs::read_to_string(place.path("pid")).ok()?.parse().ok();
    eventually("the other process has launched", || pid().is_some()).await;
    let pid = pid().unwrap();
    fs::remove_file(place.path("pid")).unwrap();
    (child, pid)
}

#[tokio::test]
async fn a_browser_ends_with_its_killed_owner_and_the_next_start_removes_its_profile() {
    let place = Place::new();
    let (owner, _) = helper_with_browser(&place).await;
    assert!(!place.processes().is_empty());
    drop(owner);
    eventually("the browser ends", || place.processes().is_empty()).await;
    assert_eq!(place.entries().len(), 1, "the profile of the killed owner");

    let process = quietly(&place.options()).await.unwrap();
    let only = [process.profile().parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned()];
    eventually("only the new profile is left", || place.entries() == only).await;
    process.terminate(Duration::ZERO).await;
}

/// While it runs, the browser keeps its folder from being taken for stale, also without its owner.
#[tokio::test]
async fn a_browser_that_outlives_its_owner_for_a_moment_holds_the_lock_of_its_profile() {
    let place = Place::new();
    let (owner, pid) = helper_with_browser(&place).await;
    let lock = fs::File::open(place.path(&place.entries()[0]).join("lock")).unwrap();
    let is_free = || rustix::fs::flock(&lock, rustix::fs::FlockOperation::NonBlockingLockShared).is_ok();
    let pid = rustix::process::Pid::from_raw(pid.cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::STOP).unwrap();
    drop(owner);
    assert!(!is_free());
    rustix::process::kill_process(pid, rustix::process::Signal::CONT).unwrap();
    eventually("the browser ends", || place.processes().is_empty()).await;
    // A process has lost its command line before its files are closed.
    eventually("the lock is free", is_free).await;
}

#[tokio::test]
async fn the_browser_does_not_get_our_settings() {
    let place = Place::new();
    let (owner, pid) = helper_with_browser(&place).await;
    let environment = fs::read(format!("/proc/{pid}/environ")).unwrap();
    let environment = String::from_utf8_lossy(&environment).into_owned();
    assert!(environment.contains("LAUNCH_HELPER_PLACE=") && !environment.contains("swordfish"));
    drop(owner);
    eventually("the browser ends", || place.processes().is_empty()).await;
}

#[tokio::test]
async fn a_kept_profile_has_one_browser_at_a_time_and_the_others_are_reported_which() {
    let place = Place::new();
    let options = LaunchOptions { user_data_dir: Some(place.path("kept")), ..place.options() };
    let first = quietly(&options).await.unwrap();
    match quietly(&options).await.unwrap_err() {
        Error::ProfileInUse { holder } => {
            assert!(holder.starts_with(&format!("process {} (", first.pid())), "{holder}");
        }
        other => panic!("{other:?}"),
    }
    first.terminate(Duration::from_secs(5)).await;
    assert_eq!((place.processes(), place.entries()), (vec![], vec!["kept".to_owned()]));
    let second = quietly(&options).await.unwrap();
    second.terminate(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_kept_profile_keeps_what_a_page_stored_a_moment_before_the_end() {
    let place = Place::new();
    let options = LaunchOptions { user_data_dir: Some(place.path("kept")), ..place.options() };
    let process = quietly(&options).await.unwrap();
    let mut pipes = process.take_pipes().unwrap();
    let cookie = serde_json::json!({"id": 1, "method": "Storage.setCookies", "params": {"cookies": [
        {"name": "a", "value": "b", "domain": "a.example", "path": "/", "expires": 4_000_000_000_u32}]}});
    ask(&mut pipes, &cookie.to_string()).await;
    drop(pipes);
    process.terminate(Duration::from_secs(10)).await;

    let process = quietly(&options).await.unwrap();
    let mut pipes = process.take_pipes().unwrap();
    let answer = ask(&mut pipes, r#"{"id":1,"method":"Storage.getCookies"}"#).await;
    assert_eq!(answer["result"]["cookies"][0]["value"], "b");
    drop(pipes);
    process.terminate(Duration::from_secs(10)).await;
}

#[tokio::test]
async fn of_two_starts_at_once_on_one_profile_one_succeeds() {
    let place = Place::new();
    let options = LaunchOptions { user_data_dir: Some(place.path("kept")), ..place.options() };
    let (left, right) = tokio::join!(quietly(&options), quietly(&options));
    let (process, error) = match (left, right) {
        (Ok(process), Err(error)) | (Err(error), Ok(process)) => (process, error),
        both => panic!("{both:?}"),
    };
    assert_eq!(error.code(), "profile_in_use", "{error}");
    process.terminate(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn a_profile_on_another_computer_is_left_alone() {
    let place = Place::new();
    let options = LaunchOptions { user_data_dir: Some(place.path("kept")), ..place.options() };
    fs::create_dir(place.path("kept")).unwrap();
    symlink("elsewhere.example-12", place.path("kept/SingletonLock")).unwrap();
    let error = quietly(&options).await.unwrap_err();
    assert!(error.to_string().contains("process 12 on another computer, elsewhere.example"), "{error}");
}

#[tokio::test]
async fn the_lock_of_a_dead_browser_does_not_count() {
    let place = Place::new();
    let options = LaunchOptions { user_data_dir: Some(place.path("kept")), ..place.options() };
    let process = quietly(&options).await.unwrap();
    let pid = rustix::process::Pid::from_raw(process.pid().cast_signed()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
    process.terminate(Duration::ZERO).await;
    assert!(place.path("kept/SingletonLock").is_symlink());
    quietly(&options).await.unwrap().terminate(Duration::from_secs(5)).await;
}

#[tokio::test]
async fn what_is_no_browser_is_reported_in_time() {
    let place = Place::new();
    let with = |executable: PathBuf| LaunchOptions { executable: Some(executable), ..place.options() };
    assert!(refusal(&with(place.program("hello"))).await.contains("is not a program"));
    assert!(refusal(&with(place.program("#!/no/such/interpreter\n"))).await.contains("interpreter"));
    assert!(refusal(&with("/bin/false".into())).await.contains("it ended with status 1"));
    let talks = place.program(
        "#!/bin/sh\necho 'the timeout is at https://a.example/' >&2\necho '[1:1:1122/0:ERROR:dbus/bus.cc:405] no bus' >&2\necho '[1:1:1122/0:ERROR:main.cc:1] my last words' >&2\nexit 3\n",
    );
    let answer = refusal(&with(talks)).await;
    assert!(answer.ends_with("it ended with status 3; its last words: my last words"), "{answer}");
    let library = place.program(
        "#!/bin/sh\necho 'x: error while loading shared libraries: libnss3.so: cannot open' >&2\nexit 127\n",
    );
    assert!(refusal(&with(library)).await.contains("the library libnss3.so is not installed"));
    let crashes = place.program("#!/bin/sh\nkill -SEGV $$\n");
    assert!(refusal(&with(crashes)).await.contains("it crashed with signal 11"));
    let missing = quietly(&with(place.path("missing"))).await.unwrap_err();
    assert_eq!(missing.code(), "browser_not_found");
    fs::remove_file(place.path("program")).unwrap();
    place.is_left_clean().await;
}

#[tokio::test]
async fn a_program_that_says_nothing_is_ended_at_the_limit_with_its_children() {
    let place = Place::new();
    // The child's command line says where it belongs, so that it is seen should it be left.
    let silent = place.program("#!/bin/sh\nsh -c 'sleep 1000; exit' \"$0\" &\nwait\n");
    let options = LaunchOptions {
        executable: Some(silent),
        launch_limit: Duration::from_millis(300),
        ..place.options()
    };
    assert!(refusal(&options).await.contains("gave no answer within 300 ms"));
    fs::remove_file(place.path("program")).unwrap();
    place.is_left_clean().await;
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_named() {
    let place = Place::new();
    fs::write(place.path("file"), "").unwrap();
    let profile = LaunchOptions { user_data_dir: Some(place.path("file/profile")), ..place.options() };
    assert!(refusal(&profile).await.contains("its profile cannot be made in "));
    let temporary = LaunchOptions { temporary_folder: Some(place.path("missing")), ..place.options() };
    assert!(refusal(&temporary).await.contains("its profile cannot be made in "));
}

#[tokio::test]
async fn a_headless_browser_looks_like_one_with_a_window() {
    let place = Place::new();
    let process = quietly(&place.options()).await.unwrap();
    let script = "JSON.stringify([navigator.userAgent.replace(/\\d+/g, 0), navigator.webdriver, screen.width, screen.height,
        screen.availHeight, innerWidth, outerHeight > innerHeight, matchMedia('(hover: hover) and (pointer: fine)').matches])";
    assert_eq!(
        seen_by_a_page(&process, script).await,
        r#"["Mozilla/0.0 (X0; Linux x0_0) AppleWebKit/0.0 (KHTML, like Gecko) Chrome/0.0.0.0 Safari/0.0",false,1920,1080,1040,1280,true,true]"#
    );
    process.terminate(Duration::ZERO).await;
}

#[tokio::test]
async fn a_headless_browser_behind_a_script_claims_the_version_that_it_has() {
    let place = Place::new();
    let browser = find(&BrowserQuery::default()).unwrap().executable;
    let updated = place.program(&format!(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo Chromium 1.2.3.4 && exit\nexec {} \"$@\"\n",
        browser.display()
    ));
    let process = quietly(&LaunchOptions { executable: Some(updated), ..place.options() }).await.unwrap();
    let major = process.version().number().split('.').next().unwrap().to_owned();
    assert_ne!(major, "1");
    let claimed = seen_by_a_page(&process, "navigator.userAgent").await;
    assert!(claimed.contains(&format!(" Chrome/{major}.0.0.0 ")), "{claimed}");
    process.terminate(Duration::ZERO).await;
}

#[tokio::test]
async fn a_locale_is_what_pages_are_reported() {
    let place = Place::new();
    let process =
        quietly(&LaunchOptions { locale: Some("de-DE".to_owned()), ..place.options() }).await.unwrap();
    assert_eq!(seen_by_a_page(&process, "navigator.languages.join()").await, "de-DE,de,en-US,en");
    process.terminate(Duration::ZERO).await;
}

#[tokio::test]
async fn lists_of_features_are_merged_and_other_arguments_win_over_ours() {
    let place = Place::new();
    let options = LaunchOptions {
        arguments: [
            "--disable-features=Translate",
            "--enable-features=WebUIOmniboxPopup",
            "--window-size=800,700",
        ]
        .map(str::to_owned)
        .to_vec(),
        ignore_default_arguments: IgnoreDefaultArguments::These(vec!["--no-first-run".to_owned()]),
        proxy: Some(Proxy { server: "http://127.0.0.1:9".to_owned(), bypass: Some("*.example".to_owned()) }),
        ..place.options()
    };
    let process = quietly(&options).await.unwrap();
    let command = fs::read(format!("/proc/{}/cmdline", process.pid())).unwrap();
    let command = String::from_utf8(command).unwrap();
    let arguments: Vec<&str> = command.split('\0').collect();
    for expected in [
        "--remote-debugging-pipe",
        "--disable-features=WebUIOmniboxAimPopup,AutofillServerCommunication,Translate",
        "--proxy-server=http://127.0.0.1:9",
        "--proxy-bypass-list=*.example",
    ] {
        assert!(arguments.contains(&expected), "{expected} in {arguments:?}");
    }
    assert!(!arguments.contains(&"--no-first-run"));
    let last = arguments.iter().rfind(|argument| argument.starts_with("--window-size=")).unwrap();
    assert_eq!(*last, "--window-size=800,700");
    process.terminate(Duration::ZERO).await;
}

#[tokio::test]
async fn arguments_that_cannot_work_are_refused() {
    let place = Place::new();
    let options = LaunchOptions {
        arguments: vec!["--user-data-dir=/tmp/x".to_owned(), "--headless".to_owned()],
        proxy: Some(Proxy { server: "http://me:swordfish@proxy".to_owned(), bypass: None }),
        ..place.options()
    };
    match quietly(&options).await.unwrap_err() {
        Error::InvalidArguments { problems } => {
            assert_eq!(problems.len(), 3, "{problems:?}");
            assert!(!problems.concat().contains("swordfish"));
        }
        other => panic!("{other:?}"),
    }
}

/// Without any display, and without root's missing sandbox.
fn without_display(place: &Place) -> LaunchOptions {
    let nothing = |name: &str| (name.to_owned(), String::new());
    LaunchOptions { environment: vec![nothing("DISPLAY"), nothing("WAYLAND_DISPLAY")], ..place.options() }
}

#[tokio::test]
async fn without_a_display_a_browser_is_headless_and_says_so_once() {
    let place = Place::new();
    let warnings = Mutex::new(Vec::new());
    let options = LaunchOptions { headless: None, ..without_display(&place) };
    let process = launch(&options, &|line| warnings.lock().unwrap().push(line.to_owned())).await.unwrap();
    assert!(process.is_headless());
    let warnings = warnings.into_inner().unwrap();
    assert!(
        warnings.len() == 1 && warnings[0].contains("DISPLAY") && !warnings[0].contains('\n'),
        "{warnings:?}"
    );
    process.terminate(Duration::ZERO).await;
}

#[tokio::test]
async fn a_window_without_a_display_is_refused() {
    let place = Place::new();
    let options = LaunchOptions { headless: Some(false), ..without_display(&place) };
    let error = quietly(&options).await.unwrap_err();
    assert_eq!(error.code(), "no_display");
    assert!(error.suggestion().unwrap().contains("xvfb-run"));
}

#[tokio::test]
async fn a_display_that_does_not_answer_is_reported() {
    let place = Place::new();
    let environment =
        vec![("DISPLAY".to_owned(), ":4242".to_owned()), ("WAYLAND_DISPLAY".to_owned(), String::new())];
    let options = LaunchOptions { headless: Some(false), environment, ..place.options() };
    assert!(refusal(&options).await.contains("the display that DISPLAY names does not answer"));
    place.is_left_clean().await;
}

#[tokio::test]
async fn with_a_display_a_browser_has_a_window() {
    let server = Command::new("Xvfb")
        .args(["-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "1600x900x24"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("Xvfb is installed");
    let mut server = Running(server);
    let mut number = String::new();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(server.0.stdout.take().unwrap()), &mut number)
        .unwrap();
    let place = Place::new();
    let environment = vec![("DISPLAY".to_owned(), format!(":{}", number.trim()))];
    let process = quietly(&LaunchOptions { headless: None, environment, ..place.options() }).await.unwrap();
    assert!(!process.is_headless());
    let seen =
        seen_by_a_page(&process, "[screen.width, navigator.webdriver, outerHeight - innerHeight].join()")
            .await;
    process.terminate(Duration::from_secs(5)).await;
    drop(server);
    // The height of tabs and address without any bar that warns of something.
    assert_eq!(seen, "1600,false,87");
    assert_eq!((place.processes(), place.entries()), (vec![], vec![]));
}

#[tokio::test]
async fn root_runs_without_the_sandbox_and_is_reported() {
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let place = Place::new();
    let warnings = Mutex::new(Vec::new());
    let options = LaunchOptions { sandbox: None, ..place.options() };
    let process = launch(&options, &|line| warnings.lock().unwrap().push(line.to_owned())).await.unwrap();
    process.terminate(Duration::ZERO).await;
    let warnings = warnings.into_inner().unwrap();
    assert!(warnings.len() == 1 && warnings[0].contains("sandbox"), "{warnings:?}");
    let insists = LaunchOptions { sandbox: Some(true), ..place.options() };
    assert!(refusal(&insists).await.contains("as root it runs only with --no-sandbox"));
}
