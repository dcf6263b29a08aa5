//! Process groups that end when this process ends, including all descendants.
//!
//! A killed driver leaves its browser running, and Linux's parent-death signal does not reach grandchildren.
//! Therefore a shell supervises each program: it reads from a pipe of which only this process has the writing
//! end, and ends the group at end of file.
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::time::timeout;

/// How long to wait for the exit of ended processes.
const REAP_LIMIT: Duration = Duration::from_secs(2);

/// How to end a program and its descendants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EndMode {
    /// Kill the program and its descendants. If the program exits by itself, kill its descendants too.
    Together,
    /// Request the program to exit (`SIGTERM`), so that it can clean up.
    Orderly,
}

impl EndMode {
    /// Returns the shell script that starts the program and ends it when standard input closes.
    fn script(self) -> &'static str {
        match self {
            Self::Together => r#"{ "$@" < /dev/null; kill -KILL 0; } & read -r _; kill -KILL 0"#,
            Self::Orderly => r#""$@" < /dev/null & read -r _; kill -TERM $!; wait $!"#,
        }
    }
}

/// A running program and its descendants.
#[derive(Debug)]
pub(super) struct Group {
    child: Child,
    pid: Pid,
    ends: EndMode,
    /// The pipe to the supervisor. Closing it ends the program.
    life: Option<ChildStdin>,
    /// The program's standard output, if it is piped.
    pub(super) said: Option<ChildStdout>,
}

impl Group {
    /// Starts a program. Its standard error is written to the file `log`.
    pub(super) fn start(
        program: &Path,
        arguments: &[OsString],
        environment: &[(OsString, OsString)],
        log: &Path,
        ends: EndMode,
    ) -> io::Result<Self> {
        let mut command = Command::new("/bin/sh");
        command.args([OsStr::new("-c"), OsStr::new(ends.script()), OsStr::new("sh"), program.as_os_str()]);
        command.args(arguments).stdin(Stdio::piped()).stderr(std::fs::File::create(log)?).process_group(0);
        command.stdout(if ends == EndMode::Orderly { Stdio::piped() } else { Stdio::null() });
        for (name, _) in std::env::vars_os() {
            // Settings may contain keys, and any process of this user can read a browser's environment.
            if name.to_string_lossy().starts_with("PATCHRIGHT_MCP_") {
                command.env_remove(name);
            }
        }
        command.env_remove("WAYLAND_DISPLAY");
        command.envs(environment.iter().map(|(name, value)| (name, value)));
        let mut child = command.spawn()?;
        let pid = child.id().and_then(|pid| Pid::from_raw(pid.cast_signed()));
        let pid = pid.ok_or(io::ErrorKind::UnexpectedEof)?;
        let (life, said) = (child.stdin.take(), child.stdout.take());
        Ok(Self { child, pid, ends, life, said })
    }

    pub(super) fn pid(&self) -> Pid {
        self.pid
    }

    /// Returns whether the program has exited.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Ends the program, and waits up to 2 s for its exit.
    pub(super) async fn end(&mut self) {
        self.stop();
        let _ = timeout(REAP_LIMIT, self.child.wait()).await;
    }

    fn stop(&mut self) {
        self.life.take();
        // After the exit, the process group id could belong to other processes.
        if self.ends == EndMode::Together && !self.has_ended() {
            let _ = kill_process_group(self.pid, Signal::KILL);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.stop();
    }
}
