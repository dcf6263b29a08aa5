//! The tool that inspects the page for developers (`browser_inspect`).
use std::collections::BTreeMap;
use std::fmt::Write as _;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use crate::Result;
use crate::browser::{AccessibilityViolation, CodeUsage, Vitals};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::target;
use crate::mcp::tool::{Capability, StallPolicy, Tool, ToolEffect};
use crate::snapshot::Ref;

mod axe;

/// The maximum number of CSS rules or accessibility findings in an answer. A file has no limit.
const MOST_LINES: usize = 40;
/// The maximum number of scripts and style sheets in a coverage report.
const FEW_LINES: usize = 15;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Inspection {
    Vitals,
    Accessibility,
    Styles,
    Coverage,
    Performance,
}

/// Inspect the page: Core Web Vitals, accessibility, CSS rules of an element, coverage or performance.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Inspect {
    /// coverage and performance: the first call starts measuring, the second reports.
    pub what: Inspection,
    /// styles: ref or selector.
    pub r#ref: Option<String>,
}

impl Tool for Inspect {
    const NAME: &'static str = "browser_inspect";
    const TITLE: &'static str = "Examine as a developer";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const CAPABILITY: Capability = Capability::Devtools;
    const FILE: Option<&'static str> = Some("txt");
    const STALL_POLICY: StallPolicy = StallPolicy::GiveUpIfSilent;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        if (self.what == Inspection::Styles) != self.r#ref.is_some() {
            let problems = vec!["`ref` goes with styles, and styles need it".to_owned()];
            return Err(Error::InvalidArguments { problems });
        }
        let page = call.acquire_page().await?;
        match self.what {
            Inspection::Vitals => reply.say(vitals(&page.vitals().await?)),
            Inspection::Accessibility => {
                let (found, looked) = page.audit_accessibility().await?;
                let frame = |number: u32| page.frame_by_number(number);
                let describe = |finding: &AccessibilityViolation| {
                    let number = finding.number.zip(frame(finding.frame));
                    number.map(|(number, frame)| target::element_ref(call, &page, &frame, number))
                };
                reply.say(audit(&found, looked, describe, call.has_output_file()));
                if let Some(rules) = &call.settings.axe {
                    call.progress.set_message("running the rules of axe");
                    reply.say(page_text::fenced(&axe::audit(&page, rules).await?, "what axe finds"));
                }
            }
            Inspection::Styles => {
                let text = self.r#ref.as_deref().unwrap_or_default();
                let styles = target::find_element(call, &page, text).await?.styles().await?;
                let mut lines: Vec<_> =
                    styles.rules.iter().map(|(place, rule)| format!("{place} {{ {rule} }}")).collect();
                if lines.is_empty() {
                    lines.push("No rule of the page is about it".to_owned());
                }
                let computed: Vec<_> =
                    styles.computed.iter().map(|(name, value)| format!("{name}: {value}")).collect();
                lines.push(format!("Computed: {}", computed.join("; ")));
                let text = shortened(&lines, call.has_output_file());
                reply.say(page_text::fenced(&text, "styles, the strongest first"));
            }
            Inspection::Coverage => {
                let begun = call.kept.coverage.lock().take();
                match begun.filter(|begun| *begun.page() == page) {
                    Some(begun) => reply.say(coverage(&begun.end().await?, call.has_output_file())),
                    None => {
                        let begun = page.start_coverage().await?;
                        *call.kept.coverage.lock() = Some(begun);
                        reply.say("Noting which code is used; reload or act, then call again");
                    }
                }
            }
            Inspection::Performance => {
                let begun = call.kept.performance.lock().take();
                match begun.filter(|begun| *begun.page() == page) {
                    Some(begun) => {
                        let events = begun.end().await?;
                        match call.has_output_file() {
                            true => reply.say(Value::from(events).to_string()),
                            false => reply.say(performance(&events)),
                        }
                    }
                    None => {
                        let begun = page.start_trace().await?;
                        *call.kept.performance.lock() = Some(begun);
                        reply.say("Tracing; reload or act, then call again");
                    }
                }
            }
        }
        Ok(())
    }
}

/// Rates a measurement as good, needs improvement or poor, by the two thresholds of a Core Web Vital.
fn rated(value: f64, good: f64, poor: f64) -> &'static str {
    match value {
        value if value <= good => "good",
        value if value <= poor => "needs improvement",
        _ => "poor",
    }
}

fn vitals(measured: &Vitals) -> String {
    let mut lines = Vec::new();
    let mut time = |name: &str, value: Option<f64>, good: f64, poor: f64, more: String| match value {
        Some(ms) => lines.push(format!("{name}: {ms:.0} ms ({}){more}", rated(ms, good, poor))),
        None => lines.push(format!("{name}: none yet")),
    };
    let largest = [&measured.lcp_element, &measured.lcp_url]
        .into_iter()
        .flatten()
        .map(|text| page_text::line_or_json(text));
    let largest = largest.collect::<Vec<_>>().join(" ");
    let largest = if largest.is_empty() { largest } else { format!(" {largest}") };
    time("LCP (largest contentful paint)", measured.lcp, 2_500.0, 4_000.0, largest);
    let interactions = format!(" of {} interactions", measured.interactions);
    time("INP (interaction to next paint)", measured.inp, 200.0, 500.0, interactions);
    time("FCP (first contentful paint)", measured.fcp, 1_800.0, 3_000.0, String::new());
    time("TTFB (time to first byte)", measured.ttfb, 800.0, 1_800.0, String::new());
    let moved =
        measured.shifted.as_ref().map(|moved| format!(", most by {}", page_text::line_or_json(moved)));
    lines.push(match measured.cls {
        Some(cls) => {
            format!("CLS (layout shift): {cls:.3} ({}){}", rated(cls, 0.1, 0.25), moved.unwrap_or_default())
        }
        None => "CLS (layout shift): not reported by this browser".to_owned(),
    });
    lines.push(match measured.long_tasks {
        Some(count) => format!("Long tasks: {count}, which blocked for {:.0} ms", measured.blocked),
        None => "Long tasks: this browser does not tell".to_owned(),
    });
    lines.push(format!(
        "Requests: {}, {:.0} kB over the network",
        measured.requests,
        measured.bytes / 1000.0
    ));
    lines.join("\n")
}

/// Describes the problem that an accessibility rule has found.
fn meaning(rule: &str) -> &'static str {
    match rule {
        "language" => "the document does not say its language",
        "title" => "the document has no title",
        "missing-id" => "it refers to an id that is not there",
        "double-id" => "several elements have the id that the label is for",
        "tab-order" => "a positive tabindex breaks the order of Tab",
        "hidden-focus" => "it takes the focus, but is hidden from assistive technology",
        "control-name" => "the control has no name",
        "image-name" => "the picture has no text; give alt, empty for mere decoration",
        "frame-name" => "the frame has no title",
        "empty-heading" => "the heading is empty",
        "heading-order" => "a level of headings is left out",
        "contrast" => "the contrast is too low",
        "no-zoom" => "people cannot zoom",
        _ => "",
    }
}

fn audit(
    found: &[AccessibilityViolation],
    looked: usize,
    reference: impl Fn(&AccessibilityViolation) -> Option<Ref>,
    is_whole: bool,
) -> String {
    let mut by_rule: BTreeMap<&str, Vec<&AccessibilityViolation>> = BTreeMap::new();
    for finding in found {
        by_rule.entry(&finding.rule).or_default().push(finding);
    }
    let mut text = match found.len() {
        0 => format!("Nothing found in {looked} elements; a person still has to look"),
        count => format!("{count} findings in {looked} elements"),
    };
    let most = if is_whole { usize::MAX } else { (MOST_LINES / by_rule.len().max(1)).max(3) };
    for (rule, findings) in by_rule {
        let _ = write!(text, "\n{rule} ({}): {}", findings.len(), meaning(rule));
        for finding in findings.iter().take(most) {
            let reference = reference(finding).map(|reference| format!(" [ref={reference}]"));
            let what = page_text::line_or_json(&finding.what);
            let _ = write!(
                text,
                "\n  <{}> {what}{}",
                page_text::line_or_json(&finding.tag),
                reference.unwrap_or_default()
            );
        }
        if findings.len() > most {
            let _ = write!(text, "\n  and {} more; give filename for all", findings.len() - most);
        }
    }
    text
}

fn shortened(lines: &[String], is_whole: bool) -> String {
    if is_whole || lines.len() <= MOST_LINES {
        return lines.join("\n");
    }
    let (first, last) = (&lines[..MOST_LINES - 1], &lines[lines.len() - 1..]);
    let left_out = format!("[{} weaker rules are left out; give filename]", lines.len() - MOST_LINES);
    [first, &[left_out], last].concat().join("\n")
}

#[expect(clippy::cast_precision_loss, reason = "it is shown as a percentage")]
fn percent(part: u64, all: u64) -> f64 {
    if all == 0 { 100.0 } else { part as f64 * 100.0 / all as f64 }
}

fn coverage(used: &[CodeUsage], is_whole: bool) -> String {
    let sum = |is_style: bool| {
        let of_kind = used.iter().filter(|one| one.is_style == is_style);
        of_kind.fold((0, 0), |(used, all), one| (used + one.used, all + one.all))
    };
    let ((scripts, all_scripts), (styles, all_styles)) = (sum(false), sum(true));
    let mut text = format!(
        "Scripts: {:.0} % of {all_scripts} characters were used; styles: {:.0} % of {all_styles}",
        percent(scripts, all_scripts),
        percent(styles, all_styles)
    );
    let most = if is_whole { usize::MAX } else { FEW_LINES };
    for one in used.iter().take(most) {
        let kind = if one.is_style { "style" } else { "script" };
        let url = page_text::inline_url(&one.url);
        let _ = write!(text, "\n{:.0} % of {} {kind} {url}", percent(one.used, one.all), one.all);
    }
    if used.len() > most {
        let _ = write!(text, "\nand {} more; give filename for all", used.len() - most);
    }
    text
}

/// Summarizes a performance trace.
fn performance(events: &[Value]) -> String {
    let micros = |event: &Value, name: &str| event[name].as_f64().unwrap_or(0.0);
    // The page's main thread is assumed to be the one with the most time in scripts and layout.
    let mut threads: BTreeMap<(u64, u64), f64> = BTreeMap::new();
    let thread = |event: &Value| (event["pid"].as_u64().unwrap_or(0), event["tid"].as_u64().unwrap_or(0));
    let is_work = |name: &str| {
        matches!(
            name,
            "EvaluateScript" | "FunctionCall" | "UpdateLayoutTree" | "Layout" | "ParseHTML" | "EventDispatch"
        )
    };
    for event in
        events.iter().filter(|event| event["ph"] == "X" && event["name"].as_str().is_some_and(is_work))
    {
        *threads.entry(thread(event)).or_default() += micros(event, "dur");
    }
    let Some(main) = threads.iter().max_by(|one, two| one.1.total_cmp(two.1)).map(|(thread, _)| *thread)
    else {
        return format!("The page did nothing ({} events)", events.len());
    };
    let own: Vec<_> = events.iter().filter(|event| thread(event) == main && event["ph"] == "X").collect();
    let begin = own.iter().map(|event| micros(event, "ts")).fold(f64::INFINITY, f64::min);
    let end = own.iter().map(|event| micros(event, "ts") + micros(event, "dur")).fold(begin, f64::max);
    let total = |names: &[&str]| {
        let of = own.iter().filter(|event| event["name"].as_str().is_some_and(|name| names.contains(&name)));
        of.fold((0_u32, 0.0), |(count, sum), event| (count + 1, sum + micros(event, "dur") / 1000.0))
    };
    let tasks: Vec<_> = own
        .iter()
        .filter(|event| matches!(event["name"].as_str(), Some("RunTask" | "ThreadControllerImpl::RunTask")))
        .map(|event| (micros(event, "dur") / 1000.0, (micros(event, "ts") - begin) / 1000.0))
        .collect();
    let busy: f64 = tasks.iter().map(|(ms, _)| ms).sum();
    let long: Vec<_> = tasks.iter().filter(|(ms, _)| *ms > 50.0).collect();
    let mut scripts: BTreeMap<&str, f64> = BTreeMap::new();
    for event in
        own.iter().filter(|event| matches!(event["name"].as_str(), Some("EvaluateScript" | "FunctionCall")))
    {
        let url = event["args"]["data"]["url"].as_str().filter(|url| !url.is_empty()).unwrap_or("inline");
        *scripts.entry(url).or_default() += micros(event, "dur") / 1000.0;
    }
    let mut scripts: Vec<_> = scripts.into_iter().collect();
    scripts.sort_by(|one, two| two.1.total_cmp(&one.1));
    let requests = events.iter().filter(|event| event["name"] == "ResourceSendRequest").count();
    let mut lines = vec![format!(
        "{:.1} s traced, {} events; the main thread was busy for {busy:.0} ms",
        (end - begin) / 1_000_000.0,
        events.len()
    )];
    let worst = long.iter().copied().max_by(|one, two| one.0.total_cmp(&two.0));
    lines.push(match worst {
        Some((ms, at)) => {
            format!("Long tasks (over 50 ms): {}, the longest {ms:.0} ms at {at:.0} ms", long.len())
        }
        None => "Long tasks (over 50 ms): none".to_owned(),
    });
    for (what, names) in [
        ("Scripts", &["EvaluateScript", "FunctionCall"][..]),
        ("Style", &["UpdateLayoutTree"]),
        ("Layout", &["Layout"]),
        ("Painting", &["Paint", "PrePaint", "Layerize", "Commit"]),
        ("Garbage collection", &["MajorGC", "MinorGC"]),
    ] {
        let (count, ms) = total(names);
        lines.push(format!("{what}: {ms:.0} ms, {count} times"));
    }
    let costly: Vec<_> = scripts
        .iter()
        .take(3)
        .map(|(url, ms)| format!("{} {ms:.0} ms", page_text::inline_url(url)))
        .collect();
    lines.push(format!("Costliest scripts: {}", costly.join(", ")));
    lines.push(format!("Requests: {requests}"));
    lines.join("\n")
}
