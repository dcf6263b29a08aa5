//! Extracts typed rows from a document: by a schema of selectors, or from a table by its header.
mod moments;
mod numbers;
mod rolled;
mod schema;
mod values;

use serde::Deserialize;
use serde_json::{Map, Value, json};

pub use self::schema::Schema;
use crate::browser::elements::locator::root_argument;
use crate::browser::elements::selector::Selector;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::world::{UtilityWorld, value_argument};
use crate::cdp::types::runtime::CallArgument;
use crate::error::Result;

const SCRIPT: &str = concat!(
    "function (task, ...rest) {\nconst engine = this;\nconst tasks = {};\n",
    include_str!("../../injected/extract.js"),
    "\nreturn tasks[task](...rest);\n}"
);

/// An extracted row: values by field or column name, in order.
pub type Row = Map<String, Value>;

/// What to extract from a document.
#[derive(Debug, Clone, Default)]
pub struct ExtractQuery {
    /// The selector of the items, one row each. `None`: the document; without `fields`, its first table.
    pub each: Option<String>,
    /// The fields of a row. `None`: the columns of the table.
    pub fields: Option<Schema>,
}

/// The result of an extraction.
#[derive(Debug, Clone, Default)]
pub struct ExtractedRows {
    pub rows: Vec<Row>,
    /// The number of rows in the whole list, if the page declares it.
    pub total: Option<usize>,
    /// The number of matching tables, of which the first was read; 0 if the query has fields.
    pub tables: usize,
    /// Whether the extraction stopped early because it lost track of which rows were in view.
    pub is_cut: bool,
}

/// Untyped rows, as the injected script returns them.
#[derive(Debug, Default, Deserialize)]
struct Found<R> {
    rows: Vec<R>,
    /// The column names of a table.
    names: Option<Vec<String>>,
    #[serde(default)]
    count: usize,
    total: Option<usize>,
}

impl Frame {
    /// Extracts the rows that the document contains now.
    ///
    /// # Errors `not_extracted` if a value is missing or has another type.
    pub async fn extract(&self, wanted: &ExtractQuery) -> Result<ExtractedRows> {
        let Some(found) = self.rows_now(wanted).await? else { return Ok(ExtractedRows::default()) };
        let Found { rows, names, count, total } = found;
        let numbered = rows.into_iter().enumerate();
        let typed = numbered.map(|(at, row)| wanted.row(row, names.as_deref(), at + 1));
        let rows = typed.collect::<Result<_>>()?;
        Ok(ExtractedRows { rows, total, tables: count, is_cut: false })
    }

    /// Returns the number of rows that the document contains now.
    pub async fn count_rows(&self, wanted: &ExtractQuery) -> Result<usize> {
        Ok(self.rows_now(wanted).await?.map_or(0, |found| found.rows.len()))
    }

    async fn rows_now(&self, wanted: &ExtractQuery) -> Result<Option<Found<Vec<Value>>>> {
        let Some((world, arguments)) = self.query_target(wanted).await? else { return Ok(None) };
        call(&world, "rows", arguments).await.map(Some)
    }

    /// Returns the world in which the extraction runs, and its arguments: selector, fields and root. `None`
    /// if a frame that the selector enters does not exist.
    async fn query_target(&self, wanted: &ExtractQuery) -> Result<Option<(UtilityWorld, Vec<CallArgument>)>> {
        let fields = value_argument(&wanted.fields.as_ref().map(Schema::question));
        let Some(each) = &wanted.each else {
            let null = || value_argument(&Value::Null);
            return Ok(Some((self.utility_world().await?, vec![null(), fields, null()])));
        };
        let locator = self.locator(each, false)?;
        let Some((world, chain, root)) = locator.innermost().await? else { return Ok(None) };
        Ok(Some((world, vec![value_argument(chain), fields, root_argument(root.as_ref())])))
    }
}

impl ExtractQuery {
    /// Converts a row to typed values. `item` is its number, counted from 1, for error messages.
    fn row(&self, found: Vec<Value>, names: Option<&[String]>, item: usize) -> Result<Row> {
        match &self.fields {
            Some(schema) => schema.row(found, item),
            None => Ok(names.unwrap_or_default().iter().cloned().zip(found).collect()),
        }
    }
}

async fn call<T: serde::de::DeserializeOwned>(
    world: &UtilityWorld,
    task: &str,
    mut arguments: Vec<CallArgument>,
) -> Result<T> {
    arguments.insert(0, value_argument(&json!(task)));
    world.call_apart_with(SCRIPT, arguments).await.map_err(Selector::from_script_error)
}
