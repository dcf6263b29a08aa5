//! An init process for containers. As process 1, the program starts itself as a child, forwards signals to
//! the child, and reaps orphaned processes, of which browsers leave several.
use std::ffi::OsString;
use std::io;
use std::os::unix::process::ExitStatusExt as _;

use rustix::process::{Pid, Signal, WaitOptions, getpid, kill_process, wait};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

use super::log_line;
use super::program::Program;

/// The signals that are forwarded to the child: those that request a process to exit.
const FORWARDED_SIGNALS: [(SignalKind, Signal); 4] = [
    (SignalKind::terminate(), Signal::TERM),
    (SignalKind::interrupt(), Signal::INT),
    (SignalKind::hangup(), Signal::HUP),
    (SignalKind::quit(), Signal::QUIT),
];

/// Runs the program as a child if this is process 1, and returns the child's exit status; otherwise `None`.
pub(super) fn run(program: &Program, arguments: &[OsString]) -> Option<i32> {
    if getpid() != Pid::INIT {
        return None;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    match runtime.and_then(|runtime| runtime.block_on(keep(program, arguments))) {
        Ok(status) => Some(status),
        Err(error) => {
            log_line(&format!("running as the first process without a second: {error}"));
            None
        }
    }
}

async fn keep(program: &Program, arguments: &[OsString]) -> io::Result<i32> {
    let mut ends = signal(SignalKind::child())?;
    let (received, mut hear) = mpsc::unbounded_channel();
    for (kind, number) in FORWARDED_SIGNALS {
        let (mut signals, received) = (signal(kind)?, received.clone());
        tokio::spawn(async move { while signals.recv().await.is_some() && received.send(number).is_ok() {} });
    }
    let child = program.command().args(arguments).spawn()?;
    let child = i32::try_from(child.id()).ok().and_then(Pid::from_raw).ok_or(io::ErrorKind::NotFound)?;
    loop {
        tokio::select! {
            Some(number) = hear.recv() => {
                let _ = kill_process(child, number);
            }
            _ = ends.recv() => {
                // Signals are merged: one SIGCHLD can announce the end of several children.
                while let Ok(Some((ended, status))) = wait(WaitOptions::NOHANG) {
                    if ended == child {
                        let status = std::process::ExitStatus::from_raw(status.as_raw());
                        return Ok(status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or_default()));
                    }
                }
            }
        }
    }
}
