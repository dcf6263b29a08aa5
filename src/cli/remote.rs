//! The near end: finds the server of a folder, starts it where there is none, asks it, and shows what it says.
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::net::UnixStream;
use std::process::Stdio;
use std::time::Duration;

use super::program::Program;
use super::project::Project;
use super::tell;
use super::wire::{Line, Outcome, Request, Work};

/// How often a server may end under our hands before it has begun: once because it was just ending, once more for luck.
const TRIES: usize = 3;
/// How long a server may take to be gone after its last session was closed.
const LAST_BREATH: Duration = Duration::from_secs(10);

/// What keeps a command from being done at all.
#[derive(Debug)]
pub(super) enum Trouble {
    NoServer,
    Io(io::Error),
    /// It did not come up; what it wrote.
    NotStarted(String),
    /// It ended in the middle.
    BrokeOff,
}

impl std::fmt::Display for Trouble {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoServer => formatter.write_str("nothing is open in this folder"),
            Self::Io(error) => write!(formatter, "the server of this folder cannot be reached: {error}"),
            Self::NotStarted(log) => write!(formatter, "the server of this folder did not start: {log}"),
            Self::BrokeOff => formatter.write_str(
                "the server of this folder ended during the command; see .patchright-mcp/server.log",
            ),
        }
    }
}

impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Asks the server of a folder; `starting` is how to start it, where it may be started.
pub(super) fn ask(
    project: &Project,
    starting: Option<&Program>,
    request: &Request,
) -> Result<Outcome, Trouble> {
    for _ in 0..TRIES {
        let stream = match (connect(project)?, starting) {
            (Some(stream), _) => stream,
            (None, Some(program)) => start(project, program, &request.options)?,
            (None, None) => return Err(Trouble::NoServer),
        };
        if let Some(outcome) = converse(&stream, request)? {
            return Ok(outcome);
        }
    }
    Err(Trouble::BrokeOff)
}

fn connect(project: &Project) -> io::Result<Option<UnixStream>> {
    match UnixStream::connect(&project.socket) {
        Ok(stream) => Ok(Some(stream)),
        // The other one is a socket that a killed server left.
        Err(error) if matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::ConnectionRefused) => {
            Ok(None)
        }
        Err(error) => Err(error),
    }
}

fn start(project: &Project, program: &Program, options: &[String]) -> Result<UnixStream, Trouble> {
    let _lock = project.lock()?;
    // Somebody may have been quicker.
    if let Some(stream) = connect(project)? {
        return Ok(stream);
    }
    let _ = std::fs::remove_file(&project.socket);
    let log = project.folder()?.join("server.log");
    let mut server = program
        .command()
        .arg("background")
        .arg(&project.socket)
        .args(options)
        .current_dir(&project.root)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(File::create(&log)?)
        .spawn()?;
    let mut ready = String::new();
    if let Some(stdout) = server.stdout.take() {
        BufReader::new(stdout).read_line(&mut ready)?;
    }
    match connect(project)? {
        Some(stream) if !ready.is_empty() => Ok(stream),
        _ => {
            let _ = server.wait();
            Err(Trouble::NotStarted(std::fs::read_to_string(&log).unwrap_or_default().trim().to_owned()))
        }
    }
}

/// One request and its outcome; none where the server had ended before it began.
fn converse(mut stream: &UnixStream, request: &Request) -> Result<Option<Outcome>, Trouble> {
    let mut line = serde_json::to_vec(request).map_err(io::Error::from)?;
    line.push(b'\n');
    // One that ends reads no more; what it said before is read all the same.
    let _ = stream.write_all(&line);
    let mut begun = false;
    let mut waiting = String::new();
    for line in BufReader::new(stream).lines() {
        let Ok(line) = line else { break };
        match serde_json::from_str(&line).map_err(io::Error::from)? {
            Line::Begun => begun = true,
            Line::Waiting(text) => {
                if waiting.is_empty() {
                    tell(&text);
                }
                waiting = text;
            }
            Line::Done(outcome) => {
                if matches!(request.work, Work::Close { .. }) {
                    until_gone(stream);
                }
                return Ok(Some(outcome));
            }
        }
    }
    if begun { Err(Trouble::BrokeOff) } else { Ok(None) }
}

/// A server that ends with its last session holds the line until it has let go of everything.
fn until_gone(mut stream: &UnixStream) {
    let _ = stream.set_read_timeout(Some(LAST_BREATH));
    let _ = stream.read(&mut [0]);
}
