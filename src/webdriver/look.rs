//! Reads WebKit pages: snapshots, selectors and actionability checks.
use std::collections::HashMap;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::client::{element, handle_of};
use super::nodes::{Element, ReadFrame};
use super::tab::WebkitPage;
use crate::browser::selector::Selector;
use crate::browser::{SnapshotTreeOptions, injected};
use crate::error::{CoveringElement, Error, Obstacle, Result};
use crate::snapshot::{self, Ref, Tree};

const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);
/// The maximum number of frames in a snapshot.
const MOST_FRAMES: usize = 50;
/// How many matches of an ambiguous selector an error lists.
const MOST_MATCHES: usize = 3;

/// Script that reads a frame: returns `[json, nodes, owners, root]`. `owners` are the child frames' elements.
const WALK: &str = "(options, root) => {
  const owners = Array.from(document.querySelectorAll('iframe, frame'));
  owners.forEach((owner, at) => engine.adoptFrame(owner, at + 1));
  const walk = engine.walk(root ? { ...options, root: engine.refOf(root) } : options);
  const nodes = [];
  for (let number = 1; number <= engine.lastRef; number++) nodes.push(engine.byRef(number));
  return [walk, nodes, owners, document.documentElement];
}";

/// Script that resolves a selector: counts its visible matches, or all if none, and describes the first.
const FIND: &str = "(chain, most) => {
  const found = engine.select(chain, null);
  const seen = found.filter(engine.isVisible);
  const meant = seen.length ? seen : found;
  return [meant.length, meant.slice(0, most), meant.slice(0, most).map((node) => engine.preview(node)), found[0] ?? null];
}";

const PROBE: &str = "(node, need, scroll) => engine.probe(node, { need, scroll })";
const PROBE_OWNER: &str = "(owner, point, hit, scroll) => engine.probeOwner(owner, point, { hit, scroll })";

/// The conditions that an action requires of its element.
#[derive(Debug, Clone, Copy, Serialize)]
pub(super) struct Need {
    visible: bool,
    enabled: bool,
    editable: bool,
    stable: bool,
    hit: bool,
    label: bool,
}

impl Need {
    /// The conditions for a click.
    pub(super) const PRESSED: Self =
        Self { visible: true, enabled: true, editable: false, stable: true, hit: true, label: false };
    /// The conditions for a click without actionability checks: only a position.
    pub(super) const FORCED: Self =
        Self { visible: false, enabled: false, editable: false, stable: false, hit: false, label: false };
}

/// The result of an actionability check.
#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    blocked: Option<String>,
    by: Option<CoveringElement>,
    point: Option<Point>,
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize, Serialize)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Answer {
    pub(super) fn read(value: Value) -> Result<Self> {
        let unreadable = |error: serde_json::Error| Error::Unreadable {
            method: "a look at an element",
            reason: error.to_string(),
        };
        serde_json::from_value(value).map_err(unreadable)
    }

    /// Returns the obstacle, if any. A detached element is an error.
    pub(super) fn obstacle(&self, element: &Element) -> Result<Option<Obstacle>> {
        let Some(blocked) = &self.blocked else { return Ok(None) };
        let stale = || Error::StaleRef { target: element.target.clone(), again: None };
        injected::parse_obstacle(blocked, self.by.clone()).map(Some).ok_or_else(stale)
    }
}

/// The pauses between actionability checks, each twice as long as the last up to a maximum.
pub(super) fn pauses() -> impl Iterator<Item = Duration> {
    std::iter::successors(Some(FIRST_PAUSE), |pause| Some((*pause * 2).min(LONGEST_PAUSE)))
}

impl WebkitPage {
    /// Reads a snapshot of the page or of one element, including frames.
    pub async fn capture(&self, options: SnapshotTreeOptions, root: Option<&Element>) -> Result<Tree> {
        let top = root.map_or(0, |root| root.frame);
        let mut frames = HashMap::new();
        let mut rest = vec![top];
        while let Some(number) = rest.pop() {
            let root = root.filter(|_| number == top);
            match self.walk(number, options, root).await {
                Ok(ReadFrame { frame, children }) => {
                    frames.insert(number, frame);
                    rest.extend(
                        children.into_iter().take(MOST_FRAMES.saturating_sub(frames.len() + rest.len())),
                    );
                }
                Err(error) if number == top => {
                    return Err(root.map_or(error.clone(), |root| root.named(error)));
                }
                Err(error @ (Error::BrowserGone { .. } | Error::DialogOpen { .. })) => return Err(error),
                // Omits a frame that is being replaced.
                Err(_) => {}
            }
        }
        Ok(Tree::assemble(0, 0, 0, top, frames))
    }

    async fn walk(
        &self,
        frame: u32,
        options: SnapshotTreeOptions,
        root: Option<&Element>,
    ) -> Result<ReadFrame> {
        let how = json!({ "boxes": options.boxes, "allRefs": options.all_refs });
        let root = root.map_or(Value::Null, |root| element(&root.handle));
        let answer = self.ask(frame, WALK, vec![how, root]).await?;
        self.nodes.lock().read(frame, &answer)
    }

    /// Returns the element of a ref, or waits for the only match of a selector.
    pub async fn find_element(&self, text: &str, limit: Duration) -> Result<Element> {
        if let Ok(reference) = text.parse::<Ref>() {
            return self.nodes.lock().element(&reference);
        }
        match self.matches(text, limit).await {
            Ok(found) => match &found.nodes[..] {
                [only] if found.count == 1 => Ok(only.clone()),
                _ => Err(Error::SeveralMatch { count: found.count, matches: found.descriptions }),
            },
            // The text may be a selector, and errors do not quote selectors.
            Err(Error::ElementNotFound { .. }) => {
                Err(Error::NoTarget { which: "", reason: "matches nothing".to_owned() })
            }
            Err(Error::InvalidSelector { reason, .. }) => {
                Err(Error::NoTarget { which: "", reason: format!("is invalid: {reason}") })
            }
            Err(error) => Err(error),
        }
    }

    /// Waits for an element that matches a selector. Returns the first match.
    pub async fn find(&self, selector: &str, limit: Duration) -> Result<Element> {
        let found = self.matches(selector, limit).await?;
        found.first.ok_or(Error::ElementNotFound { waited: limit })
    }

    async fn matches(&self, selector: &str, limit: Duration) -> Result<Matches> {
        let selector = Selector::parse(selector)?;
        let [chain] = selector.chains() else {
            return Err(Error::NotInWebkit {
                what: "a selector that enters a frame".to_owned(),
                reason: "selectors cannot enter frames there",
            });
        };
        let deadline = Instant::now() + limit;
        for pause in pauses() {
            let asked = self.ask(0, FIND, vec![json!(chain), json!(MOST_MATCHES)]).await;
            let answer = asked.map_err(Selector::from_script_error)?;
            let found = Matches::read(&answer);
            if found.count > 0 {
                return Ok(found);
            }
            if Instant::now() >= deadline {
                break;
            }
            sleep(pause.min(deadline - Instant::now())).await;
        }
        Err(Error::ElementNotFound { waited: limit })
    }

    /// Waits until the element is actionable. Returns the point to click, in viewport coordinates.
    pub(super) async fn point_of(&self, on: &Element, need: Need, limit: Duration) -> Result<Point> {
        let deadline = Instant::now() + limit;
        let mut by = Obstacle::Silent;
        for (attempt, pause) in pauses().enumerate() {
            match self.look(on, need, attempt).await.map_err(|error| on.named(error))? {
                Ok(point) => return Ok(point),
                Err(obstacle) => by = obstacle,
            }
            if Instant::now() >= deadline {
                break;
            }
            sleep(pause.min(deadline - Instant::now())).await;
        }
        Err(Error::NotActionable { obstacle: by, waited: limit })
    }

    /// Checks once whether the element is actionable, in its frame and in all ancestor frames.
    async fn look(&self, on: &Element, need: Need, attempt: usize) -> Result<Result<Point, Obstacle>> {
        let asked = vec![element(&on.handle), json!(need), json!(attempt)];
        let mut answer = Answer::read(self.ask(on.frame, PROBE, asked).await?)?;
        let mut frame = on.frame;
        loop {
            if let Some(obstacle) = answer.obstacle(on)? {
                return Ok(Err(obstacle));
            }
            let Some(point) = answer.point else { return Ok(Err(Obstacle::Silent)) };
            let around = self.nodes.lock().parent_of(frame);
            let Some((parent, owner)) = around else { return Ok(Ok(point)) };
            let asked = vec![element(&owner), json!(point), json!(need.hit), json!(attempt)];
            answer = Answer::read(self.ask(parent, PROBE_OWNER, asked).await?)?;
            frame = parent;
        }
    }
}

/// The elements that a selector matches.
#[derive(Debug)]
struct Matches {
    count: usize,
    nodes: Vec<Element>,
    descriptions: Vec<String>,
    first: Option<Element>,
}

impl Matches {
    fn read(answer: &Value) -> Self {
        let one = |node: &Value| {
            let handle = handle_of(node)?.to_owned();
            Some(Element { handle, frame: 0, target: "the element".to_owned() })
        };
        let list = |at: usize| answer[at].as_array().map(Vec::as_slice).unwrap_or_default();
        let descriptions = list(2).iter().filter_map(Value::as_str).map(snapshot::quoted);
        Self {
            count: answer[0].as_u64().and_then(|count| usize::try_from(count).ok()).unwrap_or(0),
            nodes: list(1).iter().filter_map(one).collect(),
            descriptions: descriptions.collect(),
            first: one(&answer[3]),
        }
    }
}
