//! Expectations: retrying assertions about elements, as in Playwright.
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::actionability::rest_before;
use super::closed_roots::learn_more_closed_roots;
use super::internals::adopt_internals;
use super::locator::{Locator, not_unique, pauses, root_argument, test_id_argument};
use super::selector::Selector;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::world::{ScriptWorld, value_argument};
use crate::browser::scripts::handle::JsHandle;
use crate::browser::scripts::value::JsValue;
use crate::error::{Error, Result};

/// The result of an expectation.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ExpectOutcome {
    /// Whether the elements match the expected value.
    pub matches: bool,
    /// The actual value.
    pub received: Value,
    /// Whether no element was found.
    pub missing: bool,
    /// Whether the result depends on `ElementInternals` that were not read yet.
    internals: bool,
}

/// The result of an expectation about a JavaScript property.
#[derive(Debug, Clone)]
pub struct ExpectPropertyOutcome {
    /// Whether the property equals the expected value.
    pub matches: bool,
    pub received: JsValue,
}

/// How long the first check may take, even if the time limit is shorter.
const FIRST_LOOK: Duration = Duration::from_secs(5);
/// How long a check that is running at the time limit may still take.
const LAST_LOOK: Duration = Duration::from_millis(500);

const PROPERTY: &str = include_str!("../injected/property.js");

impl Frame {
    /// Waits until the title matches `expected` or, if `is_not`, does not match. Returns the last result.
    pub async fn expect_title(
        &self,
        expected: &Value,
        is_not: bool,
        limit: Duration,
    ) -> Result<ExpectOutcome> {
        self.locator("html", false)?.expect("title", expected, is_not, limit).await
    }
}

impl Locator {
    /// Waits until the check `what`, such as `visible`, matches `expected` or, if `is_not`, does not match.
    /// Returns the last result. The expectation is met if its `matches` differs from `is_not`.
    pub async fn expect(
        &self,
        what: &str,
        expected: &Value,
        is_not: bool,
        limit: Duration,
    ) -> Result<ExpectOutcome> {
        let deadline = Instant::now() + limit;
        let mut last = Ok(ExpectOutcome { matches: is_not, missing: true, ..ExpectOutcome::default() });
        // Even with a short limit, the first check may take its full time.
        let mut end = deadline.max(Instant::now() + FIRST_LOOK);
        for pause in pauses() {
            rest_before(deadline, pause).await;
            match self.run_locator_handlers(limit, deadline).await {
                Err(Error::NotActionable { .. }) => break,
                cleared => cleared?,
            }
            match timeout_at(std::mem::replace(&mut end, deadline), self.look(what, expected, is_not)).await {
                Ok(Ok(verdict)) if verdict.matches != is_not => return Ok(verdict),
                Ok(Err(error)) if self.passes(&error) => {}
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

    /// Waits until the property at `path`, such as `dataset.id`, equals `expected` or, if `is_not`, differs.
    /// Reads the property in the main world. Returns the last result.
    ///
    /// # Errors `element_not_found` if no element matches the locator within `limit`.
    pub async fn expect_property(
        &self,
        path: &str,
        expected: &JsValue,
        is_not: bool,
        limit: Duration,
    ) -> Result<ExpectPropertyOutcome> {
        let path = &JsValue::Text(path.to_owned());
        let look = |left| {
            self.with_element(left, move |element, _| async move {
                JsHandle::of_element(&element).evaluate(PROPERTY, path, Some(ScriptWorld::Main)).await
            })
        };
        let received = last_seen(limit, look, |received| received.equals(expected) != is_not).await?;
        Ok(ExpectPropertyOutcome { matches: received.equals(expected), received })
    }

    async fn look(&self, what: &str, expected: &Value, is_not: bool) -> Result<ExpectOutcome> {
        let Some((world, chain, root)) = self.innermost().await? else {
            let gone = matches!(what, "hidden" | "detached");
            return Ok(final_outcome(
                ExpectOutcome { matches: gone, missing: true, ..ExpectOutcome::default() },
                what,
                is_not,
            ));
        };
        let ask = async || {
            let arguments = vec![
                value_argument(chain),
                root_argument(root.as_ref()),
                value_argument(&what),
                value_argument(expected),
                test_id_argument(),
            ];
            let verdict = world.call_with::<ExpectOutcome>("expect", arguments).await;
            verdict.map_err(|error| not_unique(Selector::from_script_error(error)))
        };
        let mut verdict = ask().await?;
        if verdict.internals && adopt_internals(&world).await.unwrap_or(false) {
            verdict = ask().await?;
        }
        if verdict.missing || verdict.received == 0 {
            let waits = final_outcome(verdict.clone(), what, is_not).matches == is_not;
            if learn_more_closed_roots(&world, waits).await? {
                verdict = ask().await?;
            }
        }
        Ok(final_outcome(verdict, what, is_not))
    }
}

/// Adjusts the outcome for a missing element: neither an expectation nor its negation is met then, except for
/// checks of presence and visibility.
fn final_outcome(verdict: ExpectOutcome, what: &str, is_not: bool) -> ExpectOutcome {
    let is_about_presence = matches!(what, "hidden" | "detached" | "visible" | "attached" | "inViewport");
    if verdict.missing && !is_about_presence { ExpectOutcome { matches: is_not, ..verdict } } else { verdict }
}

/// Calls `look` until `is_met` accepts its value, or until `limit`. Returns the last value.
pub(super) async fn last_seen<T, Looking: Future<Output = Result<T>>>(
    limit: Duration,
    mut look: impl FnMut(Duration) -> Looking,
    is_met: impl Fn(&T) -> bool,
) -> Result<T> {
    let deadline = Instant::now() + limit;
    let mut pauses = pauses();
    loop {
        rest_before(deadline, pauses.next().unwrap_or_default()).await;
        let left = deadline.saturating_duration_since(Instant::now()).max(LAST_LOOK);
        let seen = look(left).await?;
        if is_met(&seen) || Instant::now() >= deadline {
            return Ok(seen);
        }
    }
}
