//! Waiting for an element by a selector.
use std::time::Duration;

use serde_json::json;
use tokio::time::{Instant, sleep};

use super::element::ElementHandle;
use super::frame::Frame;
use super::selector::{Chain, Selector};
use super::world::value_argument;
use crate::error::{Error, Result};

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
