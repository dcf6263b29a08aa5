//! Waiting until elements are as a script expects them.
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::actionability::rest_before;
use super::locator::{Locator, is_passing, not_unique, pauses, root_argument, test_id_argument};
use super::selector::Selector;
use crate::browser::objects::world::value_argument;
use crate::error::{Error, Result};

/// What came of an expectation.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ExpectOutcome {
    /// Whether the elements are as was expected.
    pub matches: bool,
    /// What they are like.
    pub received: Value,
    /// Whether there is no element to look at.
    pub missing: bool,
}

/// How long the first look may take.
const FIRST_LOOK: Duration = Duration::from_secs(5);

impl Locator {
    /// Looks until the elements are as `what` and `expected` say, or are not when `is_not`. Gives the last verdict, which
    /// tells whether it came so: `matches` differs from `is_not`.
    pub async fn expect(
        &self,
        what: &str,
        expected: &Value,
        is_not: bool,
        limit: Duration,
    ) -> Result<ExpectOutcome> {
        let deadline = Instant::now() + limit;
        let mut last = Ok(ExpectOutcome { matches: is_not, missing: true, ..ExpectOutcome::default() });
        // However short the limit is, there is one whole look.
        let mut end = deadline.max(Instant::now() + FIRST_LOOK);
        for pause in pauses() {
            rest_before(deadline, pause).await;
            match timeout_at(std::mem::replace(&mut end, deadline), self.look(what, expected, is_not)).await {
                Ok(Ok(verdict)) if verdict.matches != is_not => return Ok(verdict),
                Ok(Err(error)) if is_passing(&error) => {}
                Ok(verdict) => last = verdict,
                Err(_) => break,
            }
            if Instant::now() >= deadline
                || matches!(last, Err(Error::PageClosed | Error::InvalidSelector { .. }))
            {
                break;
            }
        }
        last
    }

    async fn look(&self, what: &str, expected: &Value, is_not: bool) -> Result<ExpectOutcome> {
        let Some((world, chain, root)) = self.innermost().await? else {
            let gone = matches!(what, "hidden" | "detached");
            return Ok(decided(
                ExpectOutcome { matches: gone, missing: true, ..ExpectOutcome::default() },
                what,
                is_not,
            ));
        };
        let arguments = vec![
            value_argument(chain),
            root_argument(root.as_ref()),
            value_argument(&what),
            value_argument(expected),
            test_id_argument(),
        ];
        let verdict = world.call_with::<ExpectOutcome>("expect", arguments).await;
        let verdict = verdict.map_err(|error| not_unique(Selector::refused(error)))?;
        Ok(decided(verdict, what, is_not))
    }
}

/// Of a missing element nothing is true, and nothing is false: only that it is there or is seen can be denied.
fn decided(verdict: ExpectOutcome, what: &str, is_not: bool) -> ExpectOutcome {
    let said = matches!(what, "hidden" | "detached" | "visible" | "attached" | "inViewport");
    if verdict.missing && !said { ExpectOutcome { matches: is_not, ..verdict } } else { verdict }
}
