//! The browser's processes: starting, communicating over pipes, and ending them.
use std::collections::VecDeque;
use std::fmt;
use std::fs::{self, File};
use std::io;
use std::os::fd::{AsRawFd as _, OwnedFd};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{ExitStatus, Stdio};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::fs::Mode;
use rustix::io::fcntl_dupfd_cloexec;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, getrlimit, kill_process, kill_process_group, setrlimit,
};
use serde::Deserialize;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStderr, Command};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::log::{LogReader, UncaughtErrors};
use super::profile::{self, Folder};
use super::version::{self, Version};
use super::{LaunchOptions, Plan, absolute, diagnosis, firefox, flags, lasting, memory, native};
use crate::error::{Error, Result};
use crate::folders::make_private;

/// The pipe that carries messages from the browser.
pub type PipeReceiver = tokio::net::unix::pipe::Receiver;
/// The pipe that carries messages to the browser.
pub type PipeSender = tokio::net::unix::pipe::Sender;

type Pipes = (PipeReceiver, PipeSender);

/// How long the browser may take to exit after SIGTERM, which is sent if it did not save its profile in time.
const TERMINATION: Duration = Duration::from_secs(1);
/// The time limit for killed processes to disappear.
const REAP_LIMIT: Duration = Duration::from_secs(2);
/// How long to wait for the last log lines of a browser that exited.
const LAST_WORDS: Duration = Duration::from_millis(300);
/// The number of lines of the browser's standard error that are kept.
const TAIL_LINES: usize = 40;
/// The maximum number of characters kept of each line.
const TAIL_LINE: usize = 500;

/// A browser process that we started. It is killed on drop, and in any case ends when this process ends.
pub struct BrowserProcess {
    pipes: Mutex<Option<Pipes>>,
    /// The WebSocket URL, if the browser uses WebDriver BiDi.
    address: Option<String>,
    pid: Pid,
    headless: bool,
    has_user_agent_argument: bool,
    has_configured_user_agent: bool,
    restricts_webrtc: bool,
    blocks_external_protocols: bool,
    brand: Option<String>,
    profile: PathBuf,
    temporary: bool,
    /// Whether the browser is sandboxed with a different file system than this process, as a snap is.
    has_own_file_system: bool,
    version: Version,
    tail: Tail,
    uncaught: UncaughtErrors,
    ended: watch::Receiver<Option<Exit>>,
    folder: Arc<Mutex<Option<Folder>>>,
}

/// How a browser process ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Exit {
    pub status: Option<i32>,
    pub signal: Option<i32>,
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { signal: Some(signal), .. } => match Signal::from_named_raw(signal) {
                Some(Signal::KILL) => write!(formatter, "it was killed, by hand or for want of memory"),
                Some(Signal::SEGV | Signal::ABORT | Signal::ILL | Signal::TRAP | Signal::BUS) => {
                    write!(formatter, "it crashed with signal {signal}")
                }
                _ => write!(formatter, "it was ended by signal {signal}"),
            },
            Self { status: Some(0), .. } => write!(formatter, "it ended by itself"),
            Self { status: Some(status), .. } => write!(formatter, "it ended with status {status}"),
            Self { .. } => write!(formatter, "it ended"),
        }
    }
}

impl From<ExitStatus> for Exit {
    fn from(status: ExitStatus) -> Self {
        Self { status: status.code(), signal: status.signal() }
    }
}

impl BrowserProcess {
    /// Returns our ends of both pipes; `None` after the first call. Messages end with a zero byte. When the
    /// ends are dropped, the browser saves its profile and exits.
    pub fn take_pipes(&self) -> Option<Pipes> {
        self.pipes.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    /// Returns the WebDriver BiDi URL of a Firefox; `None` for Chromium.
    pub fn bidi_address(&self) -> Option<&str> {
        self.address.as_deref()
    }

    pub fn pid(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    pub fn is_headless(&self) -> bool {
        self.headless
    }

    /// Whether the browser's user agent was given as an argument.
    pub fn has_user_agent_argument(&self) -> bool {
        self.has_user_agent_argument
    }

    /// Whether the user set the user agent, which may be that of another browser.
    pub fn has_configured_user_agent(&self) -> bool {
        self.has_configured_user_agent
    }

    /// Whether WebRTC may send traffic only through proxies.
    pub fn restricts_webrtc(&self) -> bool {
        self.restricts_webrtc
    }

    /// Whether the browser blocks links to external programs without a prompt.
    pub fn blocks_external_protocols(&self) -> bool {
        self.blocks_external_protocols
    }

    /// The brand besides Chromium, such as `Google Chrome`; `None` for Chromium.
    pub fn brand(&self) -> Option<&str> {
        self.brand.as_deref()
    }

    /// Returns the private memory of the browser's renderers, in bytes; 0 if unknown.
    pub fn renderer_memory_bytes(&self) -> u64 {
        memory::of_renderers(self.pid())
    }

    /// The profile folder.
    pub fn profile(&self) -> &Path {
        &self.profile
    }

    /// Whether the profile is removed after the browser has exited.
    pub fn has_temporary_profile(&self) -> bool {
        self.temporary
    }

    /// Returns a temporary folder. `None` if the browser's file system differs, so that it cannot read it.
    pub fn scratch_folder(&self) -> Option<PathBuf> {
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner);
        folder.as_ref().filter(|_| !self.has_own_file_system).map(Folder::scratch)
    }

    pub fn version(&self) -> &Version {
        &self.version
    }

    /// Returns the uncaught errors that the browser's pages logged.
    pub fn uncaught_script_errors(&self) -> &UncaughtErrors {
        &self.uncaught
    }

    /// Waits until the browser has exited.
    pub fn wait_for_exit(&self) -> impl Future<Output = Exit> + Send + use<> {
        ended(self.ended.clone())
    }

    /// Ends the browser and removes its temporary files.
    ///
    /// For a permanent profile, close the pipe or send `Browser.close` first; the browser then has `limit` to
    /// save the profile. After a signal, it would exit without saving the newest cookies.
    pub async fn terminate(&self, limit: Duration) {
        if self.temporary {
            // If the pipe closed first, the kill could come after the browser removed only the socket's link.
            self.kill();
        }
        drop(self.take_pipes());
        if !self.temporary && timeout(limit, self.wait_for_exit()).await.is_err() && self.is_running() {
            let _ = kill_process(self.pid, Signal::TERM);
            let _ = timeout(TERMINATION, self.wait_for_exit()).await;
        }
        self.kill();
        // Killed processes take a while to release their memory. Their files are removed meanwhile.
        let files = self.folder.lock().unwrap_or_else(PoisonError::into_inner).as_ref().map(Folder::files);
        let cleared =
            tokio::task::spawn_blocking(move || files.into_iter().flatten().for_each(profile::clear));
        let gone = async {
            let _ = timeout(REAP_LIMIT, self.wait_for_exit()).await;
            self.tail.complete(REAP_LIMIT).await;
        };
        let _ = tokio::join!(gone, cleared);
        let folder = self.folder.lock().unwrap_or_else(PoisonError::into_inner).take();
        let _ = tokio::task::spawn_blocking(move || drop(folder)).await;
    }

    fn is_running(&self) -> bool {
        self.ended.borrow().is_none()
    }

    fn kill(&self) {
        // After the exit, the process id may belong to another process.
        if self.is_running() {
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
    }
}

impl Drop for BrowserProcess {
    fn drop(&mut self) {
        self.kill();
    }
}

impl fmt::Debug for BrowserProcess {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("BrowserProcess").field("pid", &self.pid()).finish_non_exhaustive()
    }
}

/// Starts the browser process and waits for its first reply.
pub(super) async fn start(options: &LaunchOptions, plan: &Plan, deadline: Instant) -> Result<BrowserProcess> {
    diagnosis::check_program(&plan.found.executable)?;
    let parent = temporary_folder(options, plan);
    let folder = Folder::make(&parent).map_err(|error| diagnosis::unwritable(&parent, &error))?;
    let (profile, _turn) = match &options.user_data_dir {
        Some(named_folder) => kept_profile(named_folder).map(|(profile, turn)| (profile, Some(turn)))?,
        None => (folder.profile(), None),
    };
    let speaks_bidi = plan.found.channel.speaks_bidi();
    if speaks_bidi {
        firefox::prepare(options, &profile, &folder.scratch())
            .map_err(|error| diagnosis::unwritable(&profile, &error))?;
    }
    let (mut process, mut pipes) = spawn(options, plan, profile, folder)?;
    tokio::task::spawn_blocking(move || {
        profile::sweep(&parent);
        profile::sweep_sockets(Path::new("/tmp"));
        profile::sweep_sockets(&std::env::temp_dir());
    });

    let first = async {
        match speaks_bidi {
            true => process.tail.address().await.map(First::Address),
            false => first_answer(&mut pipes).await.map(First::Version),
        }
    };
    let answer = tokio::select! {
        answer = timeout_at(deadline, first) => answer,
        _ = process.wait_for_exit() => Ok(Err(io::ErrorKind::BrokenPipe.into())),
    };
    match answer {
        Ok(Ok(first)) => {
            match first {
                First::Version(version) => process.version = version,
                First::Address(address) => process.address = Some(address),
            }
            process.pipes = Mutex::new(Some(pipes));
            Ok(process)
        }
        Ok(Err(_)) => {
            // The browser ended or closed the pipe. Its last output on standard error may arrive a little later.
            let exit = timeout(Duration::from_secs(1), process.wait_for_exit()).await.ok();
            process.tail.complete(LAST_WORDS).await;
            let error = diagnosis::explain(exit, &process.tail.text(), options, plan, &process.profile);
            process.terminate(Duration::ZERO).await;
            Err(error)
        }
        Err(_) => {
            let error = diagnosis::silent(options.launch_limit, &process.tail.text(), plan);
            process.terminate(Duration::ZERO).await;
            Err(error)
        }
    }
}

/// The first reply of a browser: Chromium's version, or Firefox's BiDi URL.
enum First {
    Version(Version),
    Address(String),
}

fn temporary_folder(options: &LaunchOptions, plan: &Plan) -> PathBuf {
    if let Some(folder) = &options.temporary_folder {
        return absolute(folder);
    }
    match std::env::home_dir().filter(|_| plan.found.is_snap()) {
        // A snap has its own /tmp, and cannot write to hidden folders of the home directory.
        Some(home) => home.join("snap/chromium/common"),
        None => absolute(&std::env::temp_dir()),
    }
}

/// Locks a permanent profile while a browser starts, because the browser's own lock appears only later.
fn kept_profile(folder: &Path) -> Result<(PathBuf, File)> {
    let path = absolute(folder);
    let unwritable = |error| diagnosis::unwritable(&path, &error);
    let profile = make_private(&path).and_then(|()| fs::canonicalize(&path)).map_err(unwritable)?;
    let turn = profile::lock_for_start(&profile).map_err(unwritable)?;
    match profile::profile_holder(&profile) {
        Some(holder) => Err(Error::ProfileInUse { holder }),
        None => turn
            .map(|turn| (profile, turn))
            .ok_or_else(|| Error::ProfileInUse { holder: "a browser that is just being started".to_owned() }),
    }
}

fn restricts_webrtc(arguments: &[String]) -> bool {
    arguments.iter().any(|argument| {
        argument.strip_prefix("--force-").or_else(|| argument.strip_prefix("--"))
            == Some("webrtc-ip-handling-policy=disable_non_proxied_udp")
    })
}

fn spawn(
    options: &LaunchOptions,
    plan: &Plan,
    profile: PathBuf,
    folder: Folder,
) -> Result<(BrowserProcess, Pipes)> {
    let mut command = Command::new(&plan.found.executable);
    let speaks_bidi = plan.found.channel.speaks_bidi();
    command.args(match speaks_bidi {
        true => firefox::arguments(options, plan, &profile),
        false => flags::arguments(options, plan, &profile),
    });
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).kill_on_drop(true);
    for (name, _) in std::env::vars_os() {
        // Our own settings may contain keys, and any process of this user can read the browser's environment.
        if name.to_string_lossy().starts_with("PATCHRIGHT_MCP_") {
            command.env_remove(name);
        }
    }
    // A killed browser leaves crash dumps and temporary files behind, so they go into our temporary folder.
    command.env("BREAKPAD_DUMP_LOCATION", folder.scratch().join("crashes"));
    if cfg!(target_os = "linux") {
        if fits_a_socket(&folder.scratch()) {
            command.env("TMPDIR", folder.scratch());
        } else if !fits_a_socket(&std::env::temp_dir()) {
            command.env("TMPDIR", "/tmp"); // If the path were too long, it would not start.
        }
    }
    if let Some(locale) = &options.locale {
        command.env("LANGUAGE", locale.replace('-', "_"));
    }
    if speaks_bidi {
        command.envs(firefox::environment(options, plan, &folder.scratch()));
    }
    command.envs(options.environment.iter().map(|(name, value)| (name, value)));
    let blocks_external_protocols =
        !speaks_bidi && native::suppress_native_windows(&mut command, options, &folder);

    let ends = if speaks_bidi { ExitTrigger::ParentDeath } else { ExitTrigger::PipeClosed };
    let pid_of = |child: &Child| child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
    let (mut child, pipes) = folder
        .start(|| spawn_with_pipes(command, &folder, ends), |(child, _)| pid_of(child))
        .map_err(|error| diagnosis::not_started(&plan.found.executable, &error))?;
    let (Some(pid), Some(stderr)) = (pid_of(&child), child.stderr.take()) else {
        return Err(Error::BrowserLaunch { reason: "it was gone at once".to_owned() });
    };
    let folder = Arc::new(Mutex::new(Some(folder)));
    let uncaught = UncaughtErrors::default();
    let process = BrowserProcess {
        pipes: Mutex::new(None),
        address: None,
        pid,
        headless: plan.headless,
        has_user_agent_argument: plan.user_agent.is_some(),
        has_configured_user_agent: options.user_agent.is_some(),
        restricts_webrtc: restricts_webrtc(&options.arguments),
        blocks_external_protocols,
        brand: version::brand(&plan.found),
        profile,
        temporary: options.user_data_dir.is_none(),
        has_own_file_system: plan.found.is_snap(),
        version: Version::default(),
        tail: Tail::of(stderr, &uncaught),
        uncaught,
        ended: reap(child, pid, folder.clone()),
        folder,
    };
    Ok((process, pipes))
}

/// Waits for the browser's exit and kills its remaining processes. Removes the folder if nobody else uses it.
fn reap(mut child: Child, pid: Pid, folder: Arc<Mutex<Option<Folder>>>) -> watch::Receiver<Option<Exit>> {
    let (sender, receiver) = watch::channel(None);
    tokio::spawn(async move {
        let exit = child.wait().await.map(Exit::from).unwrap_or_default();
        let _ = kill_process_group(pid, Signal::KILL);
        if let Some(folder) = &*folder.lock().unwrap_or_else(PoisonError::into_inner) {
            folder.release();
        }
        sender.send_replace(Some(exit));
        if let Some(folder) = Arc::into_inner(folder) {
            tokio::task::spawn_blocking(move || drop(folder));
        }
    });
    receiver
}

async fn ended(mut ended: watch::Receiver<Option<Exit>>) -> Exit {
    match ended.wait_for(Option::is_some).await {
        Ok(exit) => exit.unwrap_or_default(),
        // The runtime is shutting down, which kills the browser.
        Err(_) => Exit::default(),
    }
}

/// Whether `scratch` is short enough for the path of the Unix socket that the browser creates in it.
fn fits_a_socket(scratch: &Path) -> bool {
    const LONGEST: usize = 107;
    scratch.as_os_str().len() + "/org.chromium.Chromium.XXXXXX/SingletonSocket".len() <= LONGEST
}

/// Starts the command in its own session. Its descriptors are 3 (input pipe), 4 (output pipe) and 5 (the lock
/// of `folder`).
fn spawn_with_pipes(mut command: Command, folder: &Folder, how: ExitTrigger) -> io::Result<(Child, Pipes)> {
    let (its_input, our_output) = io::pipe()?;
    let (our_input, its_output) = io::pipe()?;
    // While the pipe ends are open, descriptors 3, 4 and 5 are in use, so the standard library cannot get
    // these numbers for the descriptors that it opens to start a process.
    let ends = [
        fcntl_dupfd_cloexec(&its_input, FIRST_FREE)?,
        fcntl_dupfd_cloexec(&its_output, FIRST_FREE)?,
        fcntl_dupfd_cloexec(folder.lock(), FIRST_FREE)?,
    ];
    let pipes = (
        PipeReceiver::from_owned_fd(OwnedFd::from(our_input))?,
        PipeSender::from_owned_fd(OwnedFd::from(our_output))?,
    );
    inherit(&mut command, ends, how);
    let child = match how {
        ExitTrigger::PipeClosed => command.spawn()?,
        // The parent-death signal is sent when the starting thread ends, so a permanent thread is used.
        ExitTrigger::ParentDeath => {
            let runtime = tokio::runtime::Handle::current();
            let spawn = move || {
                let _runtime = runtime.enter();
                command.spawn()
            };
            lasting::run(spawn).unwrap_or_else(|| Err(io::ErrorKind::Other.into()))?
        }
    };
    drop((its_input, its_output));
    Ok((child, pipes))
}

/// What makes a browser exit when this process has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ExitTrigger {
    /// The browser exits when its pipe closes.
    PipeClosed,
    /// On Linux, the kernel kills the browser with a parent-death signal.
    ParentDeath,
}

/// The lowest number for duplicated descriptors, above the child's descriptors 3 to 5.
const FIRST_FREE: i32 = 10;

/// Returns a larger stack limit: with the usual 8 MB, the browser crashes on pages with more than about 2,500
/// levels. `None` if it cannot be raised, is large enough, or would reserve memory (no overcommit).
fn large_stack() -> Option<Rlimit> {
    const BYTES: u64 = 64 << 20;
    const STRICT: &str = "2";
    let overcommit = fs::read_to_string("/proc/sys/vm/overcommit_memory");
    let limit = getrlimit(Resource::Stack);
    let is_less = limit.current.is_some_and(|current| current < BYTES);
    let may_grow = limit.maximum.is_none_or(|maximum| maximum >= BYTES);
    let has_room = overcommit.is_ok_and(|setting| setting.trim() != STRICT);
    (is_less && may_grow && has_room).then_some(Rlimit { current: Some(BYTES), ..limit })
}

/// Makes the child inherit `ends` as descriptors 3, 4 and 5, and start its own session.
#[allow(
    unsafe_code,
    reason = "the standard library has no safe way to hand a child other descriptors than 0, 1 and 2"
)]
fn inherit(command: &mut Command, ends: [OwnedFd; 3], how: ExitTrigger) {
    let stack = large_stack();
    let set_up = move || {
        rustix::process::setsid()?;
        if let Some(stack) = stack {
            // If this fails, the browser still runs, but pages nested thousands of levels deep crash.
            let _ = setrlimit(Resource::Stack, stack);
        }
        if how == ExitTrigger::ParentDeath {
            // Firefox derives the permissions of a finished download from the umask.
            rustix::process::umask(Mode::RWXG.union(Mode::RWXO));
            #[cfg(target_os = "linux")]
            rustix::process::set_parent_process_death_signal(Some(Signal::KILL))?;
        }
        for (end, number) in ends.iter().zip(3..) {
            // SAFETY: `end` is open and at least FIRST_FREE, so it differs from `number`. The child uses no other
            // descriptor with that number: see `spawn_with_pipes`.
            if unsafe { libc::dup2(end.as_raw_fd(), number) } < 0 {
                return Err(io::Error::last_os_error());
            }
        }
        Ok(())
    };
    // SAFETY: between fork and exec only setsid, setrlimit, umask, prctl and dup2 are called: no locks, no allocations.
    unsafe { command.pre_exec(set_up) };
}

/// Requests the browser's version over the pipe, which confirms that the browser answers.
async fn first_answer((receiver, sender): &mut Pipes) -> io::Result<Version> {
    #[derive(Deserialize)]
    struct Reply {
        result: Version,
    }
    sender.write_all(b"{\"id\":0,\"method\":\"Browser.getVersion\"}\0").await?;
    let mut answer = Vec::new();
    while !answer.contains(&0) {
        if receiver.read_buf(&mut answer).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    // Remove only the zero byte: nothing else was requested, so nothing follows the reply.
    answer.pop();
    let reply: Reply = serde_json::from_slice(&answer)?;
    Ok(reply.result)
}

/// The last lines of the browser's standard error.
#[derive(Clone)]
struct Tail {
    lines: Arc<Mutex<VecDeque<String>>>,
    complete: watch::Receiver<bool>,
    address: watch::Receiver<Option<String>>,
}

impl Tail {
    fn of(stderr: ChildStderr, uncaught: &UncaughtErrors) -> Self {
        let lines = Arc::new(Mutex::new(VecDeque::new()));
        let (done, complete) = watch::channel(false);
        let (found, address) = watch::channel(None);
        let kept = lines.clone();
        let mut reader = LogReader::new(uncaught);
        tokio::spawn(async move {
            let mut stderr = BufReader::new(stderr);
            let mut line = Vec::new();
            // A line without end is read in parts, so that it cannot fill our memory.
            while let Ok(1..) = (&mut stderr).take(64 * 1024).read_until(b'\n', &mut line).await {
                let read = String::from_utf8_lossy(&line);
                let text = read.trim_end().chars().take(TAIL_LINE).collect();
                if let Some(at) = read.trim().strip_prefix(firefox::LISTENS) {
                    found.send_replace(Some(at.to_owned()));
                }
                let process_line = reader.process_line(read.trim_end_matches(['\r', '\n']));
                line.clear();
                if !process_line {
                    continue;
                }
                let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
                if kept.len() == TAIL_LINES {
                    kept.pop_front();
                }
                kept.push_back(text);
            }
            done.send_replace(true);
        });
        Self { lines, complete, address }
    }

    /// Waits for the WebSocket URL in the browser's output.
    async fn address(&self) -> io::Result<String> {
        let mut address = self.address.clone();
        let answer = address.wait_for(Option::is_some).await.map_err(|_| io::ErrorKind::UnexpectedEof)?;
        Ok(answer.clone().unwrap_or_default())
    }

    fn text(&self) -> String {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Waits at most `limit` until standard error closes, when all processes of the browser have ended.
    async fn complete(&self, limit: Duration) {
        let mut complete = self.complete.clone();
        let _ = timeout(limit, complete.wait_for(|done| *done)).await;
    }
}
