//! Profiling: code coverage and performance traces.
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::time::timeout;

use super::audit::RAW_LIMIT;
use crate::browser::objects::page::{KeepPageLoadedGuard, Page};
use crate::browser::objects::raw::RawSession;
use crate::error::{Error, Result};

/// A running measurement with a separate CDP session. The page stays loaded meanwhile.
#[derive(Debug)]
pub struct ProfilingSession {
    session: RawSession,
    page: Page,
    _kept: KeepPageLoadedGuard,
}

/// A running measurement of code coverage.
#[derive(Debug)]
pub struct CoverageRecording {
    profile: ProfilingSession,
    /// The URL and length of each style sheet, by CDP style sheet id.
    sheets: Arc<Mutex<HashMap<String, (String, u64)>>>,
}

/// The numbers of used and of all characters in a script or style sheet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeUsage {
    pub url: String,
    pub is_style: bool,
    pub used: u64,
    pub all: u64,
}

/// A running performance trace of a page.
#[derive(Debug)]
pub struct PerformanceTrace {
    profile: ProfilingSession,
    events: Arc<Mutex<Vec<Value>>>,
    ended: Arc<Notify>,
}

/// The maximum number of events in a trace. Further events are dropped.
const MOST_EVENTS: usize = 400_000;
const TRACE_LIMIT: Duration = Duration::from_secs(30);

impl Page {
    async fn profile(&self) -> Result<ProfilingSession> {
        let session = self.context().attach_raw(self.main_frame()).await?;
        Ok(ProfilingSession { session, page: self.clone(), _kept: self.keep_loaded() })
    }

    /// Starts measuring code coverage.
    pub async fn start_coverage(&self) -> Result<CoverageRecording> {
        let profile = self.profile().await?;
        let sheets = Arc::<Mutex<HashMap<String, (String, u64)>>>::default();
        let received = Arc::clone(&sheets);
        profile.session.forward_events(Arc::new(move |method, message| {
            if method == "CSS.styleSheetAdded"
                && let Ok(event_json) = serde_json::from_slice::<Value>(message)
            {
                let header = &event_json.get("params").unwrap_or(&event_json)["header"];
                let text = |name: &str| header[name].as_str().unwrap_or_default().to_owned();
                let length = header["length"].as_f64().map_or(0, whole);
                received.lock().insert(text("styleSheetId"), (text("sourceURL"), length));
            }
        }));
        for (method, parameters) in [
            ("Profiler.enable", json!({})),
            ("Profiler.startPreciseCoverage", json!({ "callCount": false, "detailed": true })),
            ("DOM.enable", json!({})),
            ("CSS.enable", json!({})),
            ("CSS.startRuleUsageTracking", json!({})),
        ] {
            profile.send(method, parameters).await?;
        }
        Ok(CoverageRecording { profile, sheets })
    }

    /// Starts a performance trace.
    pub async fn start_trace(&self) -> Result<PerformanceTrace> {
        let profile = self.profile().await?;
        let (events, ended) = (Arc::<Mutex<Vec<Value>>>::default(), Arc::<Notify>::default());
        let (received, over) = (Arc::clone(&events), Arc::clone(&ended));
        profile.session.forward_events(Arc::new(move |method, message| match method {
            "Tracing.dataCollected" => {
                let Ok(mut event_json) = serde_json::from_slice::<Value>(message) else { return };
                let event_json =
                    if event_json.get("params").is_some() { event_json["params"].take() } else { event_json };
                let Value::Array(more) = event_json["value"].clone() else { return };
                let mut events = received.lock();
                let room = MOST_EVENTS.saturating_sub(events.len());
                events.extend(more.into_iter().take(room));
            }
            "Tracing.tracingComplete" => over.notify_one(),
            _ => {}
        }));
        let categories = ["devtools.timeline", "toplevel", "loading", "blink.user_timing", "v8.execute"];
        let config =
            json!({ "transferMode": "ReportEvents", "traceConfig": { "includedCategories": categories } });
        profile.send("Tracing.start", config).await?;
        Ok(PerformanceTrace { profile, events, ended })
    }
}

impl ProfilingSession {
    async fn send(&self, method: &str, parameters: Value) -> Result<Value> {
        self.session.send(method, &parameters, RAW_LIMIT).await
    }
}

impl CoverageRecording {
    pub fn page(&self) -> &Page {
        &self.profile.page
    }

    /// Stops measuring, and returns the usage of all scripts and style sheets, largest unused amount first.
    pub async fn end(self) -> Result<Vec<CodeUsage>> {
        let taken = self.profile.send("Profiler.takePreciseCoverage", json!({})).await?;
        let rules = self.profile.send("CSS.stopRuleUsageTracking", json!({})).await?;
        let _ = self.profile.session.detach().await;
        let mut all = Vec::new();
        for script in taken["result"].as_array().into_iter().flatten() {
            let url = script["url"].as_str().unwrap_or_default();
            if !url.is_empty() {
                let (used, length) = used_of(script);
                all.push(CodeUsage { url: url.to_owned(), is_style: false, used, all: length });
            }
        }
        let mut by_sheet: HashMap<&str, u64> = HashMap::new();
        for rule in rules["ruleUsage"].as_array().into_iter().flatten().filter(|rule| rule["used"] == true) {
            let length =
                rule["endOffset"].as_f64().unwrap_or(0.0) - rule["startOffset"].as_f64().unwrap_or(0.0);
            *by_sheet.entry(rule["styleSheetId"].as_str().unwrap_or_default()).or_default() += whole(length);
        }
        for (id, (url, length)) in self.sheets.lock().iter() {
            let used = by_sheet.get(id.as_str()).copied().unwrap_or(0);
            all.push(CodeUsage { url: url.clone(), is_style: true, used: used.min(*length), all: *length });
        }
        // After a reload, each script and style sheet is listed twice: keep the entry with more used code.
        all.sort_by(|one, two| (&one.url, one.is_style, two.used).cmp(&(&two.url, two.is_style, one.used)));
        all.dedup_by(|next, kept| {
            next.url == kept.url && next.is_style == kept.is_style && next.all == kept.all
        });
        all.sort_by_key(|used| std::cmp::Reverse((used.all - used.used, used.url.clone())));
        Ok(all)
    }
}

/// Returns the used and total characters of a script. Nested ranges override the ranges around them.
fn used_of(script: &Value) -> (u64, u64) {
    let mut ranges: Vec<(u64, u64, bool)> = Vec::new();
    for function in script["functions"].as_array().into_iter().flatten() {
        for range in function["ranges"].as_array().into_iter().flatten() {
            let at = |name: &str| range[name].as_f64().map_or(0, whole);
            ranges.push((at("startOffset"), at("endOffset"), range["count"].as_f64().unwrap_or(0.0) > 0.0));
        }
    }
    let length = ranges.iter().map(|(_, end, _)| *end).max().unwrap_or(0);
    // Outer ranges come before inner ones: at each position, the innermost open range counts.
    ranges.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    let (mut used, mut at, mut open) = (0, 0, Vec::<(u64, bool)>::new());
    let mut advance = |to: u64, open: &[(u64, bool)]| {
        if open.last().is_some_and(|(_, ran)| *ran) {
            used += to.saturating_sub(at);
        }
        at = to.max(at);
    };
    for (start, end, ran) in ranges {
        while let Some((close, _)) = open.last().copied().filter(|(close, _)| *close <= start) {
            advance(close, &open);
            open.pop();
        }
        advance(start, &open);
        open.push((end, ran));
    }
    while let Some((close, _)) = open.last().copied() {
        advance(close, &open);
        open.pop();
    }
    (used, length)
}

impl PerformanceTrace {
    pub fn page(&self) -> &Page {
        &self.profile.page
    }

    /// Stops the trace, and returns its events in the format of Chrome DevTools.
    pub async fn end(self) -> Result<Vec<Value>> {
        self.profile.send("Tracing.end", json!({})).await?;
        let ended = timeout(TRACE_LIMIT, self.ended.notified()).await;
        let _ = self.profile.session.detach().await;
        ended.map_err(|_| Error::WaitRanOut {
            what: "the end of the trace".to_owned(),
            waited: TRACE_LIMIT,
        })?;
        Ok(std::mem::take(&mut *self.events.lock()))
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "it is not below 0, and a length"
)]
fn whole(number: f64) -> u64 {
    number.max(0.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inner_ranges_say_more_than_those_around_them() {
        let range = |start: u64, end: u64, count: u64| json!({ "startOffset": start, "endOffset": end, "count": count });
        let script = json!({ "functions": [
            { "ranges": [range(0, 100, 1)] },
            { "ranges": [range(10, 40, 0)] },
            { "ranges": [range(50, 90, 3), range(60, 70, 0)] },
        ] });
        assert_eq!(used_of(&script), (60, 100));
        assert_eq!(used_of(&json!({ "functions": [] })), (0, 0));
    }
}
