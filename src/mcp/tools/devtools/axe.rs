//! Accessibility audits with axe-core, if its script is configured. Runs in an isolated world.
use serde::Deserialize;

use crate::Result;
use crate::browser::{Page, ScriptWorld};
use crate::error::Error;
use crate::mcp::page_text::line_or_json;

/// The maximum number of elements that are listed for a violated rule.
const MOST_NAMED: usize = 5;
const RUN: &str = r#"async () => {
  const found = await axe.run(document, { resultTypes: ["violations"] });
  return {
    version: String(axe.version),
    passed: found.passes?.length ?? 0,
    violations: found.violations.map(({ id, impact, help, nodes }) => ({
      id, impact: impact ?? "minor", help, nodes: nodes.map(({ target }) => target.flat().join(" ")),
    })),
  };
}"#;

#[derive(Debug, Deserialize)]
struct AxeReport {
    version: String,
    passed: usize,
    violations: Vec<Violation>,
}

#[derive(Debug, Deserialize)]
struct Violation {
    id: String,
    impact: String,
    help: String,
    nodes: Vec<String>,
}

/// Runs axe-core on a page, and describes the violated rules, most severe first.
///
/// # Errors `script` if `axe` is not the script of axe-core, or fails.
pub(super) async fn audit(page: &Page, axe: &str) -> Result<String> {
    let frame = page.main_frame();
    // `void 0` replaces the script's own value, which cannot be serialized as JSON.
    let load = format!("{axe}\n;void 0");
    page.unless_hung(None, frame.evaluate(&load, Vec::new(), ScriptWorld::Isolated)).await?;
    let found = page.unless_hung(None, frame.evaluate(RUN, Vec::new(), ScriptWorld::Isolated)).await?;
    let mut found: AxeReport = serde_json::from_value(found).map_err(|error| Error::Script {
        message: format!("axe answers otherwise than expected: {error}"),
    })?;
    let grave = |violation: &Violation| {
        ["critical", "serious", "moderate"].iter().position(|name| *name == violation.impact).unwrap_or(3)
    };
    found.violations.sort_by_key(grave);
    let mut lines = vec![format!(
        "axe {}: {} rules broken, {} kept",
        line_or_json(&found.version),
        found.violations.len(),
        found.passed
    )];
    lines.extend(found.violations.iter().map(describe));
    Ok(lines.join("\n"))
}

fn describe(violation: &Violation) -> String {
    let Violation { id, impact, help, nodes } = violation;
    let named: Vec<_> = nodes.iter().take(MOST_NAMED).map(|node| line_or_json(node)).collect();
    let more = nodes.len().saturating_sub(MOST_NAMED);
    let more = if more > 0 { format!("; {more} more") } else { String::new() };
    format!(
        "{} {}: {} ({}): {}{more}",
        line_or_json(impact),
        line_or_json(id),
        line_or_json(help),
        nodes.len(),
        named.join("; ")
    )
}
