//! A log of the protocol messages, for debugging.
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The environment variable with a folder: each connection writes a log there. Logs contain everything that is
/// typed and everything that pages contain.
const FOLDER: &str = "PATCHRIGHT_MCP_PROTOCOL_LOG";

/// The number of bytes of a message that are written.
const LONGEST: usize = 2_000;

/// A file with a line for each message: `0.123 > {…}` for sent and `<` for received ones, with the time in
/// seconds.
#[derive(Debug)]
pub(super) struct ProtocolLog {
    file: File,
    began: Instant,
}

impl ProtocolLog {
    /// Opens the log of a new connection, if logging is on. Continues without a log if the file cannot be
    /// created.
    pub(super) fn open() -> Option<Self> {
        static CONNECTIONS: AtomicU64 = AtomicU64::new(0);
        let folder = PathBuf::from(std::env::var_os(FOLDER).filter(|folder| !folder.is_empty())?);
        let number = CONNECTIONS.fetch_add(1, Ordering::Relaxed);
        let path = folder.join(format!("{}-{number}.log", std::process::id()));
        let mut options = OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let opened = options.open(&path);
        let file =
            opened.inspect_err(|error| tracing::warn!(path = %path.display(), %error, "no protocol log"));
        file.ok().map(|file| Self { file, began: Instant::now() })
    }

    pub(super) fn sent(&self, message: &[u8]) {
        self.write('>', message);
    }

    pub(super) fn received(&self, message: &[u8]) {
        self.write('<', message);
    }

    fn write(&self, sign: char, message: &[u8]) {
        let part = String::from_utf8_lossy(&message[..message.len().min(LONGEST)]);
        let rest =
            if message.len() > LONGEST { format!("… {} bytes", message.len()) } else { String::new() };
        let line = format!("{:.3} {sign} {part}{rest}\n", self.began.elapsed().as_secs_f64());
        // A full disk does not keep the browser from working.
        let _ = (&self.file).write_all(line.as_bytes());
    }
}
