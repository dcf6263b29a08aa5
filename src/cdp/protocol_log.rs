//! A log of the protocol messages, for debugging.
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// The environment variable that names the folder for log files, one per connection. Logs contain typed text,
/// including passwords, and the contents of pages.
pub(crate) const FOLDER: &str = "PATCHRIGHT_MCP_PROTOCOL_LOG";

/// How much of each message is logged, in bytes.
const LONGEST: usize = 2_000;

/// A log file with a line for each message, such as `0.123 > {…}`: seconds since the start, `>` for sent or `<` for
/// received, and the message.
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
        // Write errors are ignored: a full disk must not stop the browser.
        let _ = (&self.file).write_all(line.as_bytes());
    }
}
