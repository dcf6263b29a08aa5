//! An append-only audit log of tool calls: who called which tool, on which origin, and the outcome.
//!
//! Each line is a JSON object that contains the digest of the previous line, so that [`verify`] detects lines
//! that were changed, removed, inserted or reordered. The log contains no arguments, answers or paths.
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::Path;
use std::time::Instant;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

use crate::browser::iso_timestamp;
use crate::hex::hex;
use crate::mcp::client::Client;
use crate::mcp::progress::Progress;
use crate::sync::unix_time;

/// The maximum length of a line in bytes when a log is read. Lines that this server writes are far shorter.
const LONGEST_LINE: u64 = 64 << 10;
/// The text between the content of a line and its digest.
const SEAL: &str = ",\"digest\":\"";

/// A running call. Dropping this value writes the call to the log, however the call ended.
#[derive(Debug)]
pub(super) struct AuditedCall<'a> {
    log: &'a AuditLog,
    client: &'a Client,
    progress: &'a Progress,
    tool: Option<&'static str>,
    session: Option<String>,
    begun: Instant,
    outcome: &'static str,
}

impl AuditedCall<'_> {
    /// Ends the call with this outcome: `ok`, or an error code.
    pub(super) fn end(mut self, outcome: &'static str) {
        self.outcome = outcome;
    }
}

impl Drop for AuditedCall<'_> {
    fn drop(&mut self) {
        self.log.add(&Entry {
            key: self.client.key.as_deref(),
            client: self.progress.client_name(),
            session: self.session.as_deref(),
            tool: self.tool,
            origin: self.progress.origin().as_deref(),
            outcome: self.outcome,
            duration_ms: u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        });
    }
}

/// A call that has ended.
#[derive(Debug, Clone, Serialize)]
struct Entry<'a> {
    /// The name of the client's API key; `None` if the client uses stdio.
    key: Option<&'a str>,
    /// The name that the client reports for itself.
    client: Option<&'a str>,
    /// The id of the session in which the call runs; `None` if the call names no session.
    session: Option<&'a str>,
    tool: Option<&'a str>,
    /// The origin of the page when the call ended.
    origin: Option<&'a str>,
    /// `ok`, or an error code.
    outcome: &'a str,
    duration_ms: u64,
}

#[derive(Debug, Serialize)]
struct Line<'a> {
    number: u64,
    time: String,
    #[serde(flatten)]
    entry: &'a Entry<'a>,
    previous: &'a str,
}

/// The fields of a line that [`verify`] reads.
#[derive(Debug, Deserialize)]
struct Link {
    number: u64,
    previous: String,
    digest: String,
}

/// The end of a log: its last line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogHead {
    /// The number of lines.
    pub lines: u64,
    /// The digest of the last line.
    pub digest: String,
}

impl Default for LogHead {
    /// Returns the head of an empty log.
    fn default() -> Self {
        Self { lines: 0, digest: "0".repeat(64) }
    }
}

/// An audit log that is open for appending. The file is locked: no other server can open the log meanwhile.
#[derive(Debug)]
pub struct AuditLog {
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    file: File,
    head: LogHead,
}

impl AuditLog {
    /// Opens an audit log for appending. Creates it, readable only by its owner, if it does not exist.
    ///
    /// # Errors Returns a message if another server uses the file, or it does not end with a valid line.
    pub fn open(path: &Path) -> Result<Self, String> {
        let shown = path.display();
        let failed = |error: io::Error| format!("{shown}: {error}");
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                return Err(format!("{shown} is in use by another server; each needs its own"));
            }
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let head = last_line(&mut file).map_err(failed)?;
        let head = head.ok_or_else(|| {
            format!(
                "{shown} does not end with a line of an audit log; check it with patchright-mcp audit verify, and move it away"
            )
        })?;
        Ok(Self { state: Mutex::new(State { file, head }) })
    }

    /// Returns the end of the log. If you store it elsewhere, [`verify`] can detect missing lines at the end.
    pub fn head(&self) -> LogHead {
        self.state.lock().head.clone()
    }

    /// Begins a call. `tool` is `None` for an unknown tool name; `session` is recorded only if it is a UUID.
    pub(super) fn begin<'a>(
        &'a self,
        client: &'a Client,
        tool: Option<&'static str>,
        session: Option<&Value>,
        progress: &'a Progress,
    ) -> AuditedCall<'a> {
        let session = session.and_then(Value::as_str).filter(|id| Uuid::parse_str(id).is_ok());
        AuditedCall {
            log: self,
            client,
            progress,
            tool,
            session: session.map(str::to_owned),
            begun: Instant::now(),
            outcome: "abandoned",
        }
    }

    fn add(&self, entry: &Entry<'_>) {
        let mut state = self.state.lock();
        if let Err(error) = state.add(entry) {
            tracing::error!(%error, "a call could not be written to the audit log");
        }
    }
}

impl State {
    fn add(&mut self, entry: &Entry<'_>) -> io::Result<()> {
        let number = self.head.lines + 1;
        let line = Line { number, time: iso_timestamp(unix_time()), entry, previous: &self.head.digest };
        let mut text = serde_json::to_string(&line)?;
        text.pop();
        let digest = digest_of(&text);
        text += &[SEAL, &digest, "\"}\n"].concat();
        let before = self.file.metadata()?.len();
        if let Err(error) = self.file.write_all(text.as_bytes()) {
            // A partial line would make the next one unreadable.
            let _ = self.file.set_len(before);
            return Err(error);
        }
        self.head = LogHead { lines: number, digest };
        Ok(())
    }
}

fn digest_of(content: &str) -> String {
    hex(&Sha256::digest(content))
}

/// Reads the last line of a file; `None` if that is not a valid line of an audit log.
fn last_line(file: &mut File) -> io::Result<Option<LogHead>> {
    let length = file.metadata()?.len();
    if length == 0 {
        return Ok(Some(LogHead::default()));
    }
    file.seek(SeekFrom::Start(length.saturating_sub(LONGEST_LINE)))?;
    let mut end = Vec::new();
    file.read_to_end(&mut end)?;
    let Some(lines) = end.strip_suffix(b"\n") else { return Ok(None) };
    let line = lines.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
    let link = std::str::from_utf8(line).ok().and_then(sealed);
    Ok(link.map(|link| LogHead { lines: link.number, digest: link.digest }))
}

/// Parses a line; `None` if its digest does not match its content.
fn sealed(line: &str) -> Option<Link> {
    let link: Link = serde_json::from_str(line).ok()?;
    let content = line.strip_suffix("\"}")?.strip_suffix(link.digest.as_str())?.strip_suffix(SEAL)?;
    (digest_of(content) == link.digest).then_some(link)
}

/// The reason why [`verify`] rejects a log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AuditError {
    /// The first invalid line, counted from 1.
    #[error("line {line}: {reason}")]
    Line { line: u64, reason: &'static str },
    #[error(
        "no line has the digest of --head: the end was cut after line {last}, or the log was written anew"
    )]
    Cut { last: u64 },
    #[error("it cannot be read: {0}")]
    Unreadable(String),
}

/// Checks a log from its first line, and returns its end. `known_head` is the digest of a line that was once
/// the last: if no line has this digest, the end of the log is missing.
pub fn verify(log: impl io::Read, known_head: Option<&str>) -> Result<LogHead, AuditError> {
    let mut log = BufReader::new(log);
    let (mut head, mut has_known) = (LogHead::default(), known_head.is_none());
    has_known |= known_head == Some(head.digest.as_str());
    loop {
        let mut text = Vec::new();
        let read = (&mut log).take(LONGEST_LINE).read_until(b'\n', &mut text);
        let bytes = read.map_err(|error| AuditError::Unreadable(error.to_string()))?;
        if bytes == 0 {
            break;
        }
        let line = head.lines + 1;
        let bad = |reason| AuditError::Line { line, reason };
        let whole = text.strip_suffix(b"\n").ok_or_else(|| bad("it is not whole"))?;
        let link = std::str::from_utf8(whole).ok().and_then(sealed);
        let link = link.ok_or_else(|| bad("it was changed, or is no line of an audit log"))?;
        if link.number != line || link.previous != head.digest {
            return Err(bad("it does not follow the line before: lines were removed, inserted or reordered"));
        }
        has_known |= known_head == Some(link.digest.as_str());
        head = LogHead { lines: line, digest: link.digest };
    }
    if has_known { Ok(head) } else { Err(AuditError::Cut { last: head.lines }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: u64) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("audit.jsonl");
        write(&path, lines);
        (folder, path)
    }

    fn write(path: &Path, lines: u64) {
        let log = AuditLog::open(path).unwrap();
        for duration_ms in 0..lines {
            log.add(&Entry {
                key: Some("alice"),
                client: Some("a \"quoted\",\"digest\":\"name"),
                session: None,
                tool: Some("browser_click"),
                origin: Some("https://a.example"),
                outcome: "ok",
                duration_ms,
            });
        }
    }

    fn checked(lines: &[&str]) -> Result<LogHead, AuditError> {
        verify(format!("{}\n", lines.join("\n")).as_bytes(), None)
    }

    fn first_bad(lines: &[&str]) -> Option<u64> {
        match checked(lines) {
            Ok(_) => None,
            Err(AuditError::Line { line, .. }) => Some(line),
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn a_log_is_continued_and_nobody_else_writes_to_it() {
        let (_folder, path) = log(2);
        write(&path, 2);
        let text = std::fs::read_to_string(&path).unwrap();
        let open = AuditLog::open(&path).unwrap();
        assert_eq!(verify(text.as_bytes(), None), Ok(open.head()));
        assert_eq!(open.head().lines, 4);
        assert!(AuditLog::open(&path).unwrap_err().contains("in use by another server"));
        drop(open);
        std::fs::write(&path, text.trim_end()).unwrap();
        assert!(AuditLog::open(&path).unwrap_err().contains("move it away"));
    }

    #[test]
    fn the_first_line_that_is_not_as_it_was_is_found() {
        let (_folder, path) = log(5);
        let text = std::fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().collect();
        let [one, two, three, four, five] = lines[..] else { panic!("{lines:?}") };
        assert_eq!(first_bad(&lines), None);
        let changed = three.replace("browser_click", "browser_close");
        assert_eq!(first_bad(&[one, two, &changed, four, five]), Some(3));
        assert_eq!(first_bad(&[one, two, four, five]), Some(3));
        assert_eq!(first_bad(&[two, three, four, five]), Some(1));
        assert_eq!(first_bad(&[one, three, two, four, five]), Some(2));
        assert_eq!(first_bad(&[one, two, two, three, four, five]), Some(3));
        assert_eq!(first_bad(&[one, two, three, "{}", four, five]), Some(4));
        assert_eq!(first_bad(&[one, "", two, three, four, five]), Some(2));
        // A changed line with a new digest breaks the chain at the next line.
        let (content, _) = changed.rsplit_once(SEAL).unwrap();
        let resealed = format!("{content}{SEAL}{}\"}}", digest_of(content));
        assert_eq!(first_bad(&[one, two, &resealed, four, five]), Some(4));
        assert!(matches!(verify(text.trim_end().as_bytes(), None), Err(AuditError::Line { line: 5, .. })));
    }

    #[test]
    fn a_missing_end_is_found_by_the_digest_of_a_line_that_was_the_last() {
        let (_folder, path) = log(3);
        let head = verify(File::open(&path).unwrap(), None).unwrap();
        write(&path, 2);
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(verify(text.as_bytes(), Some(&head.digest)).unwrap().lines, 5);
        let cut: String = text.split_inclusive('\n').take(2).collect();
        assert_eq!(verify(cut.as_bytes(), None).unwrap().lines, 2);
        assert_eq!(verify(cut.as_bytes(), Some(&head.digest)), Err(AuditError::Cut { last: 2 }));
        assert_eq!(verify(&b""[..], Some(&head.digest)), Err(AuditError::Cut { last: 0 }));
    }
}
