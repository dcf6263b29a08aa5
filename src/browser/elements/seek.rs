//! Waiting for an element by a selector.
use std::time::Duration;

use futures_util::future::join_all;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep};

use super::closed_roots::look_through;
use super::element::ElementHandle;
use super::locator::root_argument;
use super::selector::{Chain, Selector};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::value_argument;
use crate::error::{Error, Result};
use crate::snapshot::Ref;

/// What of an element is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sight {
    /// That it is there.
    Attached,
    /// That it can be seen.
    Visible,
}

const FIRST_PAUSE: Duration = Duration::from_millis(20);
const LONGEST_PAUSE: Duration = Duration::from_millis(200);

impl Frame {
    /// The first element that `selector` finds, as soon as there is one.
    ///
    /// # Errors
    /// `element_not_found` after `limit`.
    pub async fn find(&self, selector: &str, sight: Sight, limit: Duration) -> Result<ElementHandle> {
        let selector = Selector::parse(selector)?;
        let [chain] = selector.chains() else {
            return Err(Error::Unsupported {
                what: "a selector here",
                reason: "it enters a frame".to_owned(),
            });
        };
        let deadline = Instant::now() + limit;
        let mut pause = FIRST_PAUSE;
        loop {
            if let Some(found) = self.find_now(chain, sight).await? {
                return Ok(found);
            }
            if Instant::now() >= deadline {
                return Err(Error::ElementNotFound { waited: limit });
            }
            sleep(pause.min(deadline - Instant::now())).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn find_now(&self, chain: &Chain, sight: Sight) -> Result<Option<ElementHandle>> {
        let look = async {
            let world = self.utility().await?;
            let node = world.call_handle("first", vec![value_argument(chain), value_argument(&json!(null))]);
            let Some(node) = node.await? else { return Ok(None) };
            let element = ElementHandle::new(world, node);
            let seen = sight == Sight::Attached || element.is_visible().await?;
            Ok(seen.then_some(element))
        };
        match look.await {
            // A page that is just changing is looked at again.
            Err(Error::DocumentGone) => Ok(None),
            other => other.map_err(Selector::refused),
        }
    }
}

/// An element that a selector found, by the number that stands for it.
#[derive(Debug, Clone)]
pub struct Match {
    pub frame: Frame,
    pub number: u32,
    /// Its role and its name.
    pub role: String,
    pub name: String,
}

/// What one frame tells of the elements that a selector finds there.
#[derive(Debug, Default, Deserialize)]
struct Matches {
    /// How many there are, and how many of them can be seen.
    all: usize,
    seen: usize,
    /// The first of those that can be seen; of all where none can.
    first: Vec<(u32, String, String)>,
}

impl Page {
    /// The elements that `selector` finds in the page and the frames in it, as soon as there are any: how many, and the
    /// first of them. Those that cannot be seen count only where none can.
    ///
    /// # Errors
    /// `element_not_found` after `limit`.
    pub async fn matches(&self, selector: &str, limit: Duration) -> Result<(usize, Vec<Match>)> {
        Selector::parse(selector)?;
        let deadline = Instant::now() + limit;
        let mut pause = FIRST_PAUSE;
        loop {
            let (count, found) = self.unless_dialog(self.matches_now(selector)).await?;
            if count > 0 {
                return Ok((count, found));
            }
            if Instant::now() >= deadline {
                return Err(Error::ElementNotFound { waited: limit });
            }
            sleep(pause.min(deadline - Instant::now())).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Whether `selector` finds anything that can be seen, in the page and the frames in it.
    pub async fn sees(&self, selector: &str) -> Result<bool> {
        Selector::parse(selector)?;
        let frames = self.frames();
        let asked = join_all(frames.iter().map(|frame| frame.matches(selector))).await;
        if let Some(Err(error @ Error::InvalidSelector { .. })) = asked.first() {
            return Err(error.clone());
        }
        Ok(asked.into_iter().filter_map(Result::unwrap_or_default).any(|(_, answer)| answer.seen > 0))
    }

    /// The frame in which the element of a ref is.
    ///
    /// # Errors
    /// `unknown_ref` when it belongs to another tab or was never shown; `frame_detached` when its frame is gone.
    pub fn frame_of_ref(&self, reference: &Ref) -> Result<Frame> {
        let unknown =
            |reason: &str| Error::UnknownRef { target: reference.to_string(), reason: reason.to_owned() };
        if reference.page.is_some_and(|number| number != self.index()) {
            return Err(unknown("it belongs to another tab"));
        }
        if let Some(number) = reference.frame {
            return match self.frame_by_number(number) {
                Some(frame) if frame.knows_ref(reference.element) => Ok(frame),
                None if number < self.frames_ever() => Err(Error::FrameDetached),
                _ => Err(unknown("no snapshot has shown it")),
            };
        }
        let mut frames = self.frames().into_iter().filter(|frame| frame.knows_ref(reference.element));
        match (frames.next(), frames.next()) {
            (Some(frame), None) => Ok(frame),
            (None, _) => Err(unknown("no snapshot has shown it")),
            (Some(_), Some(_)) => {
                Err(unknown("several frames have one; write the whole ref, such as c0p0f0e12"))
            }
        }
    }

    async fn matches_now(&self, selector: &str) -> Result<(usize, Vec<Match>)> {
        let frames = self.frames();
        let asked = join_all(frames.iter().map(|frame| frame.matches(selector))).await;
        // A selector that cannot be read is none in any frame; a frame that does not answer has nothing to show.
        if let Some(Err(error @ Error::InvalidSelector { .. })) = asked.first() {
            return Err(error.clone());
        }
        let answers: Vec<_> = asked.into_iter().filter_map(Result::unwrap_or_default).collect();
        let is_seen = answers.iter().any(|(_, answer)| answer.seen > 0);
        let of_those = |answer: &Matches| if is_seen { answer.seen } else { answer.all };
        let count = answers.iter().map(|(_, answer)| of_those(answer)).sum();
        let told = answers.into_iter().filter(|(_, answer)| of_those(answer) > 0);
        let found = told.flat_map(|(frame, answer)| {
            let element = move |(number, role, name)| Match { frame: frame.clone(), number, role, name };
            answer.first.into_iter().map(element)
        });
        Ok((count, found.collect()))
    }
}

impl Frame {
    /// What a selector finds, with the frame that it is in: another one where the selector enters it.
    async fn matches(&self, selector: &str) -> Result<Option<(Frame, Matches)>> {
        let locator = self.locator(selector, false)?;
        let Some((world, chain, root)) = locator.innermost().await? else { return Ok(None) };
        let ask = || async {
            let arguments = vec![value_argument(chain), root_argument(root.as_ref())];
            world.call_with::<Matches>("matches", arguments).await.map_err(Selector::refused)
        };
        let found = look_through(&world, true, ask, |found| found.all == 0).await?;
        for (number, ..) in &found.first {
            world.frame().refs_used_up_to(*number);
        }
        Ok(Some((world.frame().clone(), found)))
    }
}
