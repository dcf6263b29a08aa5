//! Extracts rows of lists and grids that load more rows at the end, or render only the rows in view.
use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::sleep;

use super::{ExtractQuery, ExtractedRows, Found, Schema, call};
use crate::browser::elements::scroll::{Growth, MORE_PAUSE};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::world::value_argument;
use crate::error::Result;

/// The rows that one call of the injected script read. It scrolls for about a second.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ScrollBatch {
    #[serde(flatten)]
    found: Found<(i64, Vec<Value>)>,
    /// Whether the list is virtualized: it reuses elements for other rows.
    recycles: bool,
    /// Whether the end of the list is in view.
    ended: bool,
    /// Whether the script lost track of which rows are in view.
    is_lost: bool,
}

impl Frame {
    /// Extracts at most `most` rows of a list while scrolling through it from its beginning. `report`
    /// receives the number of rows so far. Stops early, with `is_cut`, if it loses track of the rows.
    ///
    /// # Errors `not_extracted` if a value is missing or has another type.
    pub async fn extract_scrolling(
        &self,
        wanted: &ExtractQuery,
        most: usize,
        report: impl Fn(usize),
    ) -> Result<ExtractedRows> {
        let page = self.page()?;
        let needed = wanted.fields.as_ref().map(Schema::needed).unwrap_or_default();
        let mut all = Collected::default();
        let (mut mark, mut growth) = (page.mark(), None);
        loop {
            let Some((world, mut arguments)) = self.query_target(wanted).await? else { break };
            arguments.extend([value_argument(&json!(!all.has_begun)), value_argument(&needed)]);
            let rolled: ScrollBatch = call(&world, "roll", arguments).await?;
            let (ended, count) = (rolled.ended, all.rows());
            all.add(rolled);
            report(all.rows());
            if all.is_lost || all.rows() >= most {
                break;
            }
            if !ended || all.rows() > count {
                (mark, growth) = (page.mark(), None);
                if !ended {
                    continue;
                }
            }
            let growth = growth.get_or_insert_with(|| Growth::begin(&page, mark));
            growth.look();
            if growth.is_over() {
                break;
            }
            sleep(MORE_PAUSE).await;
        }
        all.extracted(wanted, most)
    }
}

/// The rows collected so far.
#[derive(Debug, Default)]
struct Collected {
    has_begun: bool,
    recycles: bool,
    /// The rows in reading order, with their numbers, unless the list reuses elements.
    in_order: Vec<(i64, Vec<Value>)>,
    /// The rows by number, if the list reuses elements.
    by_number: BTreeMap<i64, Vec<Value>>,
    names: Option<Vec<String>>,
    count: usize,
    total: Option<usize>,
    is_lost: bool,
}

impl Collected {
    fn rows(&self) -> usize {
        self.in_order.len() + self.by_number.len()
    }

    fn add(&mut self, rolled: ScrollBatch) {
        self.has_begun = true;
        let Found { rows, names, count, total } = rolled.found;
        (self.count, self.total) = (count, total.or(self.total));
        // The names are empty if this batch found no table: keep the earlier names.
        self.names = names.filter(|names| !names.is_empty()).or(self.names.take());
        self.recycles |= rolled.recycles;
        self.is_lost = rolled.is_lost;
        if self.recycles {
            self.by_number.extend(self.in_order.drain(..));
            self.by_number.extend(rows);
        } else {
            self.in_order.extend(rows);
        }
    }

    fn extracted(self, wanted: &ExtractQuery, most: usize) -> Result<ExtractedRows> {
        let ordered = self.in_order.into_iter().chain(self.by_number);
        let numbered = ordered.take(most).enumerate();
        let typed = numbered.map(|(at, (_, row))| wanted.row(row, self.names.as_deref(), at + 1));
        let rows = typed.collect::<Result<_>>()?;
        Ok(ExtractedRows { rows, total: self.total, tables: self.count, is_cut: self.is_lost })
    }
}
