//! Metrics of the server in `OpenMetrics` format. They contain no URLs or keys.
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use parking_lot::Mutex;

use super::reply::Reply;

/// Upper bounds of the histogram of call durations, in seconds.
const BUCKETS: [f64; 10] = [0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 120.0];
/// The content type of the `OpenMetrics` format.
pub const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// Counts and durations of calls by tool, and counts of errors by code.
#[derive(Debug, Default)]
pub struct Metrics {
    tools: Mutex<BTreeMap<&'static str, Timed>>,
    errors: Mutex<BTreeMap<&'static str, u64>>,
    running: AtomicUsize,
    forwarded: AtomicU64,
}

#[derive(Debug, Default)]
struct Timed {
    count: u64,
    seconds: f64,
    buckets: [u64; BUCKETS.len()],
}

/// The measurement of a running call.
pub(super) struct CallTimer<'a> {
    metrics: &'a Metrics,
    begun: Instant,
}

impl Drop for CallTimer<'_> {
    fn drop(&mut self) {
        self.metrics.running.fetch_sub(1, Ordering::Relaxed);
    }
}

impl CallTimer<'_> {
    /// Records the call's tool, duration and error code; nothing for a call without an answer (`None`).
    pub(super) fn end(self, answered: Option<(&'static str, &Reply)>) {
        let Some((tool, reply)) = answered else { return };
        let seconds = self.begun.elapsed().as_secs_f64();
        let mut tools = self.metrics.tools.lock();
        let timed = tools.entry(tool).or_default();
        timed.count += 1;
        timed.seconds += seconds;
        for (count, end) in timed.buckets.iter_mut().zip(BUCKETS) {
            *count += u64::from(seconds <= end);
        }
        drop(tools);
        if let Some(code) = reply.error_code() {
            *self.metrics.errors.lock().entry(code).or_default() += 1;
        }
    }
}

impl Metrics {
    pub(super) fn begin(&self) -> CallTimer<'_> {
        self.running.fetch_add(1, Ordering::Relaxed);
        CallTimer { metrics: self, begun: Instant::now() }
    }

    /// Counts a call that this server forwards to another one.
    pub(super) fn forwards(&self) {
        self.forwarded.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of running calls.
    pub fn running_calls(&self) -> usize {
        self.running.load(Ordering::Relaxed)
    }

    /// Formats all metrics as `OpenMetrics` text. Each of `gauges` is (name, help text, value).
    pub(super) fn written(&self, gauges: &[(&str, &str, usize)]) -> String {
        let mut text = String::new();
        for (name, help, value) in gauges {
            let name = format!("patchright_{name}");
            let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} gauge\n{name} {value}");
        }
        let forwarded = self.forwarded.load(Ordering::Relaxed);
        let _ = write!(
            text,
            "# HELP patchright_calls_forwarded Calls that went to the server which has the session.\n\
             # TYPE patchright_calls_forwarded counter\npatchright_calls_forwarded_total {forwarded}\n\
             # HELP patchright_errors Calls that failed, by the code of the error.\n# TYPE patchright_errors counter\n"
        );
        for (code, count) in &*self.errors.lock() {
            let _ = writeln!(text, "patchright_errors_total{{code=\"{code}\"}} {count}");
        }
        let name = "patchright_call_seconds";
        let _ = writeln!(
            text,
            "# HELP {name} How long calls took.\n# TYPE {name} histogram\n# UNIT {name} seconds"
        );
        for (tool, timed) in &*self.tools.lock() {
            for (count, end) in timed.buckets.iter().zip(BUCKETS) {
                let _ = writeln!(text, "{name}_bucket{{tool=\"{tool}\",le=\"{end:?}\"}} {count}");
            }
            let Timed { count, seconds, .. } = timed;
            let _ = writeln!(text, "{name}_bucket{{tool=\"{tool}\",le=\"+Inf\"}} {count}");
            let _ = writeln!(text, "{name}_sum{{tool=\"{tool}\"}} {seconds}");
            let _ = writeln!(text, "{name}_count{{tool=\"{tool}\"}} {count}");
        }
        text.push_str("# EOF\n");
        text
    }
}
