//! Finds the single element that a selector matches in a page and all its frames.
use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use tokio::time::Instant;

use super::actionability::rest_before;
use super::closed_roots::look_through;
use super::element::ElementHandle;
use super::locator::{Locator, is_passing, pauses, root_argument};
use super::selector::Selector;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::value_argument;
use crate::error::{Error, Result};
use crate::snapshot::{Ref, quoted};

/// A match of a selector. `number` is the element's ref number in `frame`.
#[derive(Debug, Clone)]
pub struct Match {
    pub frame: Frame,
    pub number: u32,
    /// The element's role; `name` is its accessible name.
    pub role: String,
    pub name: String,
}

impl Match {
    /// Formats the element's role and name, such as `button "Save"`.
    pub fn description(&self) -> String {
        element_in_words(&self.role, &self.name)
    }

    /// Returns a handle of the element. `name` is the element's name in error messages.
    ///
    /// # Errors `stale_ref` if the element is gone.
    pub async fn element(&self, name: &str) -> Result<ElementHandle> {
        let element = ElementHandle::by_ref(&self.frame, self.number).await?;
        let gone = || Error::StaleRef { target: name.to_owned(), again: None };
        element.map(|element| element.named(name)).ok_or_else(gone)
    }
}

/// The matches of a selector.
#[derive(Debug, Clone)]
pub enum MatchResult {
    One(Match),
    /// The number of matches, and the first ones.
    Several(usize, Vec<Match>),
}

/// The matches of a selector in one frame.
#[derive(Debug, Default, Deserialize)]
struct Matches {
    /// The number of all matches, and in `seen` the number of visible ones.
    all: usize,
    seen: usize,
    /// The first visible matches, or the first of all if none is visible: ref number, role and name.
    first: Vec<(u32, String, String)>,
}

impl Page {
    /// Waits for matches of `selector` in the page and its frames. Hidden matches count only if none is
    /// visible. Among several matches of a text, one with exactly that text is preferred.
    ///
    /// # Errors `element_not_found` after `limit`.
    pub async fn find_matches(&self, selector: &str, limit: Duration) -> Result<MatchResult> {
        Selector::parse(selector)?;
        let deadline = Instant::now() + limit;
        for pause in pauses() {
            rest_before(deadline, pause).await;
            match self.fail_on_dialog(self.matches_now(selector)).await? {
                Some(MatchResult::Several(count, several)) => {
                    return Ok(match self.says_exactly(selector).await {
                        Some(only) => MatchResult::One(only),
                        None => MatchResult::Several(count, several),
                    });
                }
                Some(one) => return Ok(one),
                None if Instant::now() >= deadline => break,
                None => {}
            }
        }
        Err(Error::ElementNotFound { waited: limit })
    }

    /// Waits for the single match of `selector` and calls `act` with it and the time left. Retries if the
    /// element is replaced. For a hidden field, uses the custom control that is shown instead.
    ///
    /// # Errors `element_not_found` after `limit`, `several_match` for several matches.
    pub async fn with_match<T, Doing: Future<Output = Result<T>>>(
        &self,
        selector: &str,
        limit: Duration,
        mut act: impl FnMut(ElementHandle, Duration) -> Doing,
    ) -> Result<T> {
        let deadline = Instant::now() + limit;
        let left = || deadline.saturating_duration_since(Instant::now());
        loop {
            let element = match self.find_matches(selector, left()).await {
                Ok(MatchResult::One(found)) => found.element(&found.description()).await,
                Ok(MatchResult::Several(count, several)) => {
                    let matches = several.iter().map(Match::description).collect();
                    return Err(Error::SeveralMatch { count, matches });
                }
                Err(Error::ElementNotFound { .. }) => return Err(Error::ElementNotFound { waited: limit }),
                Err(error) => Err(error),
            };
            let done = async {
                let element = element?;
                let drawn = element.custom_replacement().await?;
                let element = match drawn {
                    Some(drawn) => drawn.element(&drawn.description()).await?,
                    None => element,
                };
                act(element, left()).await
            };
            match done.await {
                Err(error) if is_passing(&error) && Instant::now() < deadline => {}
                done => return done,
            }
        }
    }

    /// Returns the only match whose text equals that of a `text=` selector exactly, if there is one.
    async fn says_exactly(&self, selector: &str) -> Option<Match> {
        match self.matches_now(&exactly(selector)?).await {
            Ok(Some(MatchResult::One(only))) => Some(only),
            _ => None,
        }
    }

    /// Whether `selector` has a visible match in the page and its frames.
    pub async fn has_visible(&self, selector: &str) -> Result<bool> {
        Selector::parse(selector)?;
        let frames = self.frames();
        let asked = join_all(frames.iter().map(|frame| frame.matches(selector))).await;
        if let Some(Err(error @ Error::InvalidSelector { .. })) = asked.first() {
            return Err(error.clone());
        }
        Ok(asked.into_iter().filter_map(Result::unwrap_or_default).any(|(_, answer)| answer.seen > 0))
    }

    /// Returns the frame that contains the element of a ref.
    ///
    /// # Errors `unknown_ref` if the ref belongs to another tab or was in no snapshot; `frame_detached` if
    /// its frame is gone.
    pub fn frame_of_ref(&self, reference: &Ref) -> Result<Frame> {
        let unknown =
            |reason: &str| Error::UnknownRef { target: reference.to_string(), reason: reason.to_owned() };
        if reference.page.is_some_and(|number| number != self.number()) {
            return Err(unknown("it belongs to another tab"));
        }
        if let Some(number) = reference.frame {
            return match self.frame_by_number(number) {
                Some(frame) if frame.had_ref(reference.element) => Ok(frame),
                None if number < self.next_frame_number() => Err(Error::FrameDetached),
                _ => Err(unknown("no snapshot has shown it")),
            };
        }
        if self.main_frame().had_ref(reference.element) {
            return Ok(self.main_frame().clone());
        }
        let mut frames = self.frames().into_iter().filter(|frame| frame.had_ref(reference.element));
        match (frames.next(), frames.next()) {
            (Some(frame), None) => Ok(frame),
            (None, _)
                if self.context().pages().iter().any(|page| page.main_frame().had_ref(reference.element)) =>
            {
                Err(unknown("it belongs to another tab"))
            }
            (None, _) => Err(unknown("no snapshot has shown it")),
            (Some(_), Some(_)) => Err(unknown("several frames have one; write its frame, too: f1e12")),
        }
    }

    async fn matches_now(&self, selector: &str) -> Result<Option<MatchResult>> {
        let frames = self.frames();
        let asked = join_all(frames.iter().map(|frame| frame.matches(selector))).await;
        // An invalid selector is invalid in every frame. A frame that does not answer has no matches.
        if let Some(Err(error @ Error::InvalidSelector { .. })) = asked.first() {
            return Err(error.clone());
        }
        let answers: Vec<_> = asked.into_iter().filter_map(Result::unwrap_or_default).collect();
        let is_seen = answers.iter().any(|(_, answer)| answer.seen > 0);
        let of_those = |answer: &Matches| if is_seen { answer.seen } else { answer.all };
        let count = answers.iter().map(|(_, answer)| of_those(answer)).sum();
        let with_matches = answers.into_iter().filter(|(_, answer)| of_those(answer) > 0);
        let found = with_matches.flat_map(|(frame, answer)| {
            let element = move |(number, role, name)| Match { frame: frame.clone(), number, role, name };
            answer.first.into_iter().map(element)
        });
        let mut found: Vec<_> = found.collect();
        Ok(match (count, found.len()) {
            (0, _) => None,
            (1, 1) => found.pop().map(MatchResult::One),
            _ => Some(MatchResult::Several(count, found)),
        })
    }
}

impl Frame {
    /// Locates elements as snapshots show them: visible `aria-hidden` ones match if no other has the role.
    pub fn locator_as_in_snapshot(&self, selector: &str, strict: bool) -> Result<Locator> {
        self.locator(&format!("internal:control=painted >> {selector}"), strict)
    }

    /// Returns the matches with their frame, which differs from this frame if the selector enters one.
    async fn matches(&self, selector: &str) -> Result<Option<(Frame, Matches)>> {
        let locator = self.locator_as_in_snapshot(selector, false)?;
        let Some((world, chain, root)) = locator.innermost().await? else { return Ok(None) };
        let ask = || async {
            let arguments = vec![value_argument(chain), root_argument(root.as_ref())];
            world.call_with::<Matches>("matches", arguments).await.map_err(Selector::from_script_error)
        };
        let found = look_through(&world, true, ask, |found| found.all == 0).await?;
        for (number, ..) in &found.first {
            world.frame().set_last_ref(*number);
        }
        Ok(Some((world.frame().clone(), found)))
    }
}

/// Returns the exact form of a text selector: `text="Save"` for `text=Save`. `None` for other selectors.
fn exactly(selector: &str) -> Option<String> {
    let text = selector.trim().strip_prefix("text=")?.trim();
    let is_plain = !text.is_empty() && !text.starts_with(['"', '\'', '/']) && !text.contains(">>");
    is_plain.then(|| format!("text={}", serde_json::Value::from(text)))
}

/// Formats a role and a name, such as `button "Save"`.
pub(super) fn element_in_words(role: &str, name: &str) -> String {
    match (role, name.is_empty()) {
        ("generic" | "none", true) => "the element".to_owned(),
        ("generic" | "none", false) => quoted(name),
        (_, true) => format!("the {role}"),
        (_, false) => format!("{role} {}", quoted(name)),
    }
}
