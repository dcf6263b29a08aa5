//! Orderly shutdown of the server, within a few seconds.
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// The time limit of the whole shutdown: running calls, the browser, its profile.
pub const TIMEOUT: Duration = Duration::from_secs(5);
/// The part of [`TIMEOUT`] in which the browser must close.
pub const BROWSER_CLOSE_TIMEOUT: Duration = Duration::from_secs(4);

/// The reason why the server shuts down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShutdownReason {
    /// The client closed standard input.
    ClientLeft,
    /// A person pressed Ctrl+C.
    Interrupted,
    /// A supervisor ended the server, or its terminal was closed.
    Terminated,
}

impl ShutdownReason {
    /// Returns the exit status of the process: 0, or 130 after Ctrl+C, as shells expect.
    pub fn exit_status(self) -> i32 {
        match self {
            Self::ClientLeft | Self::Terminated => 0,
            Self::Interrupted => 130,
        }
    }
}

/// A signal that the server is shutting down, for all its parts. Clones share their state.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    token: CancellationToken,
    reason: Arc<OnceLock<ShutdownReason>>,
}

impl Shutdown {
    /// Begins the shutdown for this reason. Later calls do not change the reason.
    pub fn begin(&self, reason: ShutdownReason) {
        if self.reason.set(reason).is_ok() {
            tracing::info!(?reason, "ending");
        }
        self.token.cancel();
    }

    /// Waits until the shutdown begins, and returns the reason.
    pub async fn wait_for_begin(&self) -> ShutdownReason {
        self.token.cancelled().await;
        self.reason()
    }

    /// Returns the reason of the shutdown.
    pub fn reason(&self) -> ShutdownReason {
        self.reason.get().copied().unwrap_or(ShutdownReason::ClientLeft)
    }

    /// Returns a token that is cancelled when the shutdown begins.
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Listens for signals. The first one begins the shutdown. The returned future completes at the second
    /// one, upon which the process should exit immediately.
    #[cfg(unix)]
    pub fn listen_for_signals(&self) -> std::io::Result<impl Future<Output = ()> + use<>> {
        use tokio::signal::unix::{SignalKind, signal};

        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        // A server that was started with nohup must outlive its terminal.
        let mut hang_up = if ignores_hang_up() { None } else { Some(signal(SignalKind::hangup())?) };
        let shutdown = self.clone();
        Ok(async move {
            loop {
                let terminal_gone = async {
                    match &mut hang_up {
                        Some(hang_up) => hang_up.recv().await,
                        None => std::future::pending().await,
                    }
                };
                let reason = tokio::select! {
                    _ = interrupt.recv() => ShutdownReason::Interrupted,
                    _ = terminate.recv() => ShutdownReason::Terminated,
                    _ = terminal_gone => ShutdownReason::Terminated,
                };
                if shutdown.token.is_cancelled() {
                    return;
                }
                shutdown.begin(reason);
            }
        })
    }

    /// Listens for Ctrl+C. The first one begins the shutdown. The returned future completes at the second
    /// one, upon which the process should exit immediately.
    #[cfg(not(unix))]
    pub fn listen_for_signals(&self) -> std::io::Result<impl Future<Output = ()> + use<>> {
        let shutdown = self.clone();
        Ok(async move {
            while tokio::signal::ctrl_c().await.is_ok() {
                if shutdown.token.is_cancelled() {
                    return;
                }
                shutdown.begin(ShutdownReason::Interrupted);
            }
            std::future::pending().await
        })
    }
}

/// Whether SIGHUP was ignored when this process started, as under nohup. False if that is unknown.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 1)
}
