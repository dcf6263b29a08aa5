//! The client side of verbs: finds or starts the background server of a folder, and sends it a request.
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt as _;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use super::log_line;
use super::program::Program;
use super::project::Project;
use super::wire::{Line, Outcome, Request, Work};

/// How often a request is tried if the server exits before running it.
const TRIES: usize = 3;
/// How long a server may take to exit after its last session was closed.
const EXIT_LIMIT: Duration = Duration::from_secs(10);
/// How long a server may be silent before it counts as stuck. If busy, it sends [`Line::Working`] every 5 s.
const SILENCE_LIMIT: Duration = Duration::from_secs(20);
/// How long a server may take to start.
const START_LIMIT: Duration = Duration::from_secs(60);

/// Why a command failed before it had an outcome.
#[derive(Debug)]
pub(super) enum CommandFailure {
    NoServer,
    Io(io::Error),
    /// The server did not start. Contains the server's log.
    NotStarted(String),
    /// The server exited during the command.
    ServerExited,
    /// The server does not answer. Contains its process id, if known.
    Silent(Option<u32>),
}

impl std::fmt::Display for CommandFailure {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoServer => formatter.write_str("nothing is open in this folder"),
            Self::Io(error) => write!(formatter, "the server of this folder cannot be reached: {error}"),
            Self::NotStarted(log) => write!(formatter, "the server of this folder did not start: {log}"),
            Self::ServerExited => formatter.write_str(
                "the server of this folder ended during the command; see .patchright-mcp/server.log",
            ),
            Self::Silent(process) => {
                let seconds = SILENCE_LIMIT.as_secs();
                let end = process.map_or_else(
                    || "end its process, `patchright-mcp background`".to_owned(),
                    |process| format!("end it with `kill -9 {process}`"),
                );
                write!(
                    formatter,
                    "the server of this folder has not answered for {seconds} s; {end}, and open the page again"
                )
            }
        }
    }
}

impl From<io::Error> for CommandFailure {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Sends a request to the background server of a folder. If none runs, starts one with `starting`, or returns
/// [`CommandFailure::NoServer`] if that is `None`.
pub(super) fn ask(
    project: &Project,
    starting: Option<&Program>,
    request: &Request,
) -> Result<Outcome, CommandFailure> {
    for _ in 0..TRIES {
        let stream = match (connect(project)?, starting) {
            (Some(stream), _) => stream,
            (None, Some(program)) => start(project, program, &request.options)?,
            (None, None) => return Err(CommandFailure::NoServer),
        };
        if let Some(outcome) = exchange(&stream, request)? {
            return Ok(outcome);
        }
    }
    Err(CommandFailure::ServerExited)
}

fn connect(project: &Project) -> io::Result<Option<UnixStream>> {
    match UnixStream::connect(&project.socket) {
        Ok(stream) => Ok(Some(stream)),
        // `ConnectionRefused`: a killed server left its socket behind.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn start(project: &Project, program: &Program, options: &[String]) -> Result<UnixStream, CommandFailure> {
    let _lock = project.lock()?;
    // Another command may have started a server before this one got the lock.
    if let Some(stream) = connect(project)? {
        return Ok(stream);
    }
    let _ = std::fs::remove_file(&project.socket);
    let log = project.folder()?.join("server.log");
    let mut command = program.command();
    close_inherited_descriptors(&mut command);
    let mut server = command
        .arg("background")
        .arg(&project.socket)
        .args(options)
        .current_dir(&project.root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(File::create(&log)?)
        .spawn()?;
    let ready = server.stdout.take().is_some_and(wait_until_ready);
    match connect(project)? {
        Some(stream) if ready => Ok(stream),
        _ => {
            let _ = server.kill();
            let _ = server.wait();
            Err(CommandFailure::NotStarted(
                std::fs::read_to_string(&log).unwrap_or_default().trim().to_owned(),
            ))
        }
    }
}

/// Closes inherited file descriptors in the server: it would keep pipes and locks of the caller open.
#[allow(unsafe_code, reason = "the standard library has no safe way to keep descriptors from a child")]
fn close_inherited_descriptors(command: &mut Command) {
    const MOST: i32 = 65_536;
    let limit = rustix::process::getrlimit(rustix::process::Resource::Nofile).current;
    let end = limit.and_then(|limit| i32::try_from(limit).ok()).unwrap_or(MOST).min(MOST);
    let set_up = move || {
        for descriptor in 3..end {
            // SAFETY: this only marks a descriptor to be closed by exec; a number without a descriptor is an error.
            unsafe { libc::fcntl(descriptor, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
        Ok(())
    };
    // SAFETY: between fork and exec, only fcntl is called, a system call that neither locks nor allocates.
    unsafe { command.pre_exec(set_up) };
}

/// Waits for the starting server's `ready` line. Returns false if the server exits or takes too long.
fn wait_until_ready(stdout: ChildStdout) -> bool {
    let (ready, readily) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(stdout).read_line(&mut line);
        let _ = ready.send(read.is_ok_and(|bytes| bytes > 0));
    });
    readily.recv_timeout(START_LIMIT).unwrap_or(false)
}

/// Returns the process id of the server that the socket connects to; `None` on systems other than Linux.
fn peer_process_id(stream: &UnixStream) -> Option<u32> {
    #[cfg(target_os = "linux")]
    return u32::try_from(rustix::net::sockopt::socket_peercred(stream).ok()?.pid.as_raw_pid()).ok();
    #[cfg(not(target_os = "linux"))]
    return None;
}

/// Sends a request and returns its outcome; `None` if the server exited before running it.
fn exchange(mut stream: &UnixStream, request: &Request) -> Result<Option<Outcome>, CommandFailure> {
    let mut line = serde_json::to_vec(request).map_err(io::Error::from)?;
    line.push(b'\n');
    let _ = stream.set_write_timeout(Some(SILENCE_LIMIT));
    let _ = stream.set_read_timeout(Some(SILENCE_LIMIT));
    // Ignores write errors: an exiting server may have closed its end, but its response can still be read.
    let _ = stream.write_all(&line);
    let mut begun = false;
    let mut waiting = String::new();
    for line in BufReader::new(stream).lines() {
        let line = match line {
            Ok(line) => line,
            Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {
                return Err(CommandFailure::Silent(peer_process_id(stream)));
            }
            Err(_) => break,
        };
        match serde_json::from_str(&line).map_err(io::Error::from)? {
            Line::Begun => begun = true,
            Line::Working => {}
            Line::Waiting(text) => {
                if waiting.is_empty() {
                    log_line(&text);
                }
                waiting = text;
            }
            Line::Done(outcome) => {
                if matches!(request.work, Work::Close { .. }) {
                    wait_until_server_exits(stream);
                }
                return Ok(Some(outcome));
            }
        }
    }
    if begun { Err(CommandFailure::ServerExited) } else { Ok(None) }
}

/// Waits until a server that exits after its last session closes the connection, at most [`EXIT_LIMIT`].
fn wait_until_server_exits(mut stream: &UnixStream) {
    let _ = stream.set_read_timeout(Some(EXIT_LIMIT));
    let _ = stream.read(&mut [0]);
}
