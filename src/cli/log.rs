//! Logs to standard error on a separate thread, so that a blocked standard error blocks nothing else.
use std::io::Write;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;

use tracing::Subscriber;
use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::{DefaultFields, Format};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{fmt, registry::LookupSpan};

use super::flags::{LogFormat, LogLevel};
use crate::secrets::Secrets;

/// The maximum number of queued lines; further lines are dropped and counted.
const MOST_WAITING: usize = 1000;
/// How long [`finish`] waits for the queued lines to be written.
const LAST_WRITE: Duration = Duration::from_millis(300);

static QUEUE: OnceLock<SyncSender<Entry>> = OnceLock::new();
/// The number of lines dropped since the last written line, because the queue was full.
static LEFT_OUT: AtomicUsize = AtomicUsize::new(0);

enum Entry {
    Line(Vec<u8>),
    /// Makes the writer notify the sender once all earlier lines are written.
    End(SyncSender<()>),
}

/// Writes one line to standard error.
pub(super) fn log_line(line: &str) {
    write(format!("patchright-mcp: {line}\n").into_bytes());
}

/// Starts logging. Logs of other crates could contain typed text, so only their errors are kept.
pub(super) fn start(level: LogLevel, format: LogFormat, secrets: Secrets) {
    let (queue, waiting) = sync_channel(MOST_WAITING);
    let writing = std::thread::Builder::new().name("log".to_owned());
    // If the thread does not start, `write` keeps writing lines on the calling thread.
    if QUEUE.get().is_none() && writing.spawn(move || write_all(&waiting)).is_ok() {
        let _ = QUEUE.set(queue);
    }
    let level = match level {
        LogLevel::Off => LevelFilter::OFF,
        LogLevel::Error => LevelFilter::ERROR,
        LogLevel::Warn => LevelFilter::WARN,
        LogLevel::Info => LevelFilter::INFO,
        LogLevel::Debug => LevelFilter::DEBUG,
        LogLevel::Trace => LevelFilter::TRACE,
    };
    let filter =
        Targets::new().with_target("patchright_mcp", level).with_default(level.min(LevelFilter::ERROR));
    let all = tracing_subscriber::registry().with(filter);
    // Fails if logging was started before in this process; the first configuration stays.
    let _ = match format {
        LogFormat::Text => tracing::subscriber::set_global_default(all.with(lines(secrets))),
        LogFormat::Json => tracing::subscriber::set_global_default(all.with(lines(secrets).json())),
    };
}

/// Waits until all queued lines are written, at most [`LAST_WRITE`].
pub(super) fn finish() {
    let (written, done) = sync_channel(1);
    if QUEUE.get().is_some_and(|queue| queue.try_send(Entry::End(written)).is_ok()) {
        let _ = done.recv_timeout(LAST_WRITE);
    }
}

fn write(line: Vec<u8>) {
    let Some(queue) = QUEUE.get() else { return write_now(&line) };
    match queue.try_send(Entry::Line(line)) {
        Err(TrySendError::Full(_)) => drop(LEFT_OUT.fetch_add(1, Ordering::Relaxed)),
        Ok(()) | Err(TrySendError::Disconnected(_)) => {}
    }
}

fn write_all(waiting: &Receiver<Entry>) {
    for entry in waiting {
        match entry {
            Entry::Line(line) => write_now(&line),
            Entry::End(written) => drop(written.send(())),
        }
        let left_out = LEFT_OUT.swap(0, Ordering::Relaxed);
        if left_out > 0 {
            let text = format!("patchright-mcp: {left_out} lines of the log were left out; nobody read it\n");
            write_now(text.as_bytes());
        }
    }
}

/// Writes a line with a single call, ignoring errors.
fn write_now(line: &[u8]) {
    let _ = std::io::stderr().write_all(line);
}

fn lines<S: Subscriber + for<'span> LookupSpan<'span>>(
    secrets: Secrets,
) -> fmt::Layer<S, DefaultFields, Format, impl for<'line> MakeWriter<'line> + 'static> {
    fmt::layer().with_writer(move || RedactingWriter { secrets: secrets.clone() }).log_internal_errors(false)
}

/// A writer to standard error that removes secrets from each line.
struct RedactingWriter {
    secrets: Secrets,
}

impl Write for RedactingWriter {
    fn write(&mut self, line: &[u8]) -> std::io::Result<usize> {
        let text = String::from_utf8_lossy(line);
        write(self.secrets.redact(&text).into_owned().into_bytes());
        Ok(line.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
