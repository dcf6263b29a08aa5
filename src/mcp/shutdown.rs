//! How the server ends: in order, and within a few seconds.
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use tokio_util::sync::CancellationToken;

/// How long all of it may take: running calls, the browser, its profile.
pub const LIMIT: Duration = Duration::from_secs(5);
/// What of it is left for the browser.
pub const BROWSER_LIMIT: Duration = Duration::from_secs(4);

/// Why the server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// The client closed our standard input.
    ClientLeft,
    /// A person pressed Ctrl+C.
    Interrupted,
    /// A supervisor or a vanished terminal asked us to.
    Terminated,
}

impl Reason {
    /// Ending when asked is a success, except for Ctrl+C, which shells want to hear of.
    pub fn exit_status(self) -> i32 {
        match self {
            Self::ClientLeft | Self::Terminated => 0,
            Self::Interrupted => 130,
        }
    }
}

/// Tells every part of the server that it is over. Clones are the same.
#[derive(Debug, Clone, Default)]
pub struct Shutdown {
    token: CancellationToken,
    reason: Arc<OnceLock<Reason>>,
}

impl Shutdown {
    /// Begins to end. Only the first reason counts.
    pub fn begin(&self, reason: Reason) {
        if self.reason.set(reason).is_ok() {
            tracing::info!(?reason, "ending");
        }
        self.token.cancel();
    }

    /// Completes when the end has begun.
    pub async fn begun(&self) -> Reason {
        self.token.cancelled().await;
        self.reason()
    }

    /// Why the server ends.
    pub fn reason(&self) -> Reason {
        self.reason.get().copied().unwrap_or(Reason::ClientLeft)
    }

    /// Cancelled when the end has begun.
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }

    /// Begins to end at the next signal. Returns at the one after that: somebody has lost patience.
    #[cfg(unix)]
    pub async fn on_signals(self) -> std::io::Result<()> {
        use tokio::signal::unix::{SignalKind, signal};

        let mut interrupt = signal(SignalKind::interrupt())?;
        let mut terminate = signal(SignalKind::terminate())?;
        let mut hang_up = signal(SignalKind::hangup())?;
        loop {
            let reason = tokio::select! {
                _ = interrupt.recv() => Reason::Interrupted,
                _ = terminate.recv() => Reason::Terminated,
                _ = hang_up.recv() => Reason::Terminated,
            };
            if self.token.is_cancelled() {
                return Ok(());
            }
            self.begin(reason);
        }
    }

    /// Begins to end at Ctrl+C. Returns at the second one: somebody has lost patience.
    #[cfg(not(unix))]
    pub async fn on_signals(self) -> std::io::Result<()> {
        tokio::signal::ctrl_c().await?;
        self.begin(Reason::Interrupted);
        tokio::signal::ctrl_c().await
    }
}
