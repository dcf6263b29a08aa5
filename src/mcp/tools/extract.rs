//! The tool that extracts rows from pages, lists, grids and tables (`browser_extract`).
use std::collections::HashSet;
use std::fmt::Write as _;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::time::{Instant, sleep};

use super::input::{By, press_found};
use super::navigate;
use crate::Result;
use crate::browser::input::ClickOptions;
use crate::browser::{ElementHandle, ExtractQuery, ExtractedRows, Page, Row, Schema};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Capability, StallPolicy, Tool, ToolEffect};

const MOST_PAGES: u32 = 100;
const MOST_ROWS: usize = 100_000;
/// How long to wait for rows to appear or change.
const CHANGE_LIMIT: Duration = Duration::from_secs(1);
/// The interval between checks for new or changed rows.
const CHANGE_PAUSE: Duration = Duration::from_millis(50);
/// The maximum number of characters of rows in an answer.
const MOST_CHARS: usize = 6_000;
/// The value of the argument `more` that loads rows by scrolling.
const SCROLL: &str = "scroll";

/// Extract typed rows by a schema, or a table by its header, from one page, many pages, long lists and grids.
/// filename: .csv, .json, otherwise JSON Lines.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Extract {
    /// Selector of the items, one row each. Without `fields`: selector of a table.
    #[schemars(length(min = 1))]
    pub each: Option<String>,
    /// Name: "selector", "selector@attribute", or {selector, attribute, type, list, optional, fields}. Types: string, integer,
    /// number, decimal, boolean, date, datetime, url.
    pub fields: Option<Map<String, Value>>,
    /// Pages to open, in order.
    #[serde(default)]
    pub urls: Vec<String>,
    /// Selector of the link to the next page.
    #[schemars(length(min = 1))]
    pub next: Option<String>,
    /// Selector of a "load more" button, or "scroll" for endless or virtual lists.
    #[schemars(length(min = 1))]
    pub more: Option<String>,
    /// Most pages. Default: 100.
    #[schemars(range(min = 1, max = 10_000))]
    pub max_pages: Option<u32>,
    /// Default: 100000.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_rows: Option<usize>,
}

impl Tool for Extract {
    const NAME: &'static str = "browser_extract";
    const TITLE: &'static str = "Extract rows";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const CAPABILITY: Capability = Capability::Extract;
    const FILE: Option<&'static str> = Some("jsonl");
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let fields = self.fields.as_ref().map(Schema::read).transpose()?;
        let wanted = ExtractQuery { each: self.each.clone(), fields };
        let mut all = Collected::default();
        match self.collect(call, &wanted, &mut all).await {
            // Rows that were extracted before the error are still returned.
            Err(error) if !all.rows.is_empty() && !matches!(error, Error::Cancelled) => {
                all.stopped = Some(format!("Stopped after page {}: {error}.", all.pages));
            }
            outcome => outcome?,
        }
        all.answer(call, reply);
        Ok(())
    }
}

/// The rows that a call has extracted so far, from all pages.
#[derive(Debug, Default)]
struct Collected {
    rows: Vec<Row>,
    pages: u32,
    total: Option<usize>,
    tables: usize,
    /// Why the extraction stopped early; `None` if it has not.
    stopped: Option<String>,
    /// The URL of the last page; `None` if the call is still on the page where it began.
    last: Option<String>,
}

impl Extract {
    fn most_pages(&self) -> u32 {
        self.max_pages.unwrap_or(MOST_PAGES)
    }

    fn most_rows(&self) -> usize {
        self.max_rows.unwrap_or(MOST_ROWS)
    }

    async fn collect(&self, call: &Call<'_>, wanted: &ExtractQuery, all: &mut Collected) -> Result<()> {
        if self.urls.is_empty() {
            let page = call.acquire_page().await?;
            return self.follow(call, &page, wanted, all).await;
        }
        let urls: Vec<_> = self.urls.iter().map(|url| call.parse_url(url)).collect::<Result<_>>()?;
        for url in urls {
            if self.is_full(all) {
                break;
            }
            let page = call.acquire_page_for_navigation().await?;
            navigate::open(call, &page, &url, &mut Reply::default()).await?;
            self.follow(call, &page, wanted, all).await?;
        }
        Ok(())
    }

    /// Extracts the rows of a page, and of the pages that its `next` link leads to.
    async fn follow(
        &self,
        call: &Call<'_>,
        page: &Page,
        wanted: &ExtractQuery,
        all: &mut Collected,
    ) -> Result<()> {
        let mut seen = HashSet::new();
        loop {
            let left = self.most_rows().saturating_sub(all.rows.len());
            let found = self.rows(call, page, wanted, left, &seen).await?;
            let is_first = seen.is_empty();
            if !seen.insert(written(&found.rows)) {
                return Ok(());
            }
            all.add(found, left);
            call.progress.set_message(format!("{} rows from {} pages", all.rows.len(), all.pages));
            if !is_first || !self.urls.is_empty() {
                all.last = Some(page.url());
            }
            if self.is_full(all) {
                return Ok(());
            }
            let Some(next) = &self.next else { return Ok(()) };
            if !press(call, page, next).await? {
                return Ok(());
            }
        }
    }

    /// Whether the limit of rows or pages is reached. If so, notes that in `all.stopped`.
    fn is_full(&self, all: &mut Collected) -> bool {
        let limit = match all.rows.len() >= self.most_rows() {
            true => format!("maxRows ({})", grouped(self.most_rows())),
            false if all.pages >= self.most_pages() => format!("maxPages ({})", self.most_pages()),
            false => return false,
        };
        all.stopped = Some(format!("Stopped at {limit}; there may be more."));
        true
    }

    /// Extracts the rows of a page. Waits for rows that differ from those of earlier pages (`seen`).
    async fn rows(
        &self,
        call: &Call<'_>,
        page: &Page,
        wanted: &ExtractQuery,
        most: usize,
        seen: &HashSet<String>,
    ) -> Result<ExtractedRows> {
        let frame = page.main_frame();
        match self.more.as_deref() {
            Some(SCROLL) => {
                let report = |rows| call.progress.set_message(format!("{rows} rows"));
                return frame.extract_scrolling(wanted, most, report).await;
            }
            Some(button) => self.load_more(call, page, wanted, button, most).await?,
            None => {}
        }
        let deadline = Instant::now() + CHANGE_LIMIT;
        loop {
            let found = frame.extract(wanted).await;
            let is_new = match &found {
                Ok(found) => !found.rows.is_empty() && !seen.contains(&written(&found.rows)),
                // Retries while a newly opened page may still fill in values, and while a document is being replaced.
                Err(Error::NotExtracted { .. }) => seen.is_empty() && self.urls.is_empty(),
                Err(error) => !matches!(error, Error::DocumentGone),
            };
            if is_new || Instant::now() >= deadline {
                return found;
            }
            sleep(CHANGE_PAUSE).await;
        }
    }

    /// Clicks the "load more" button as long as this adds rows.
    async fn load_more(
        &self,
        call: &Call<'_>,
        page: &Page,
        wanted: &ExtractQuery,
        button: &str,
        most: usize,
    ) -> Result<()> {
        let frame = page.main_frame();
        let mut count = frame.count_rows(wanted).await?;
        for _ in 1..self.most_pages() {
            if count >= most || !press(call, page, button).await? {
                return Ok(());
            }
            let deadline = Instant::now() + CHANGE_LIMIT;
            let before = count;
            while count <= before {
                if Instant::now() >= deadline {
                    return Ok(());
                }
                sleep(CHANGE_PAUSE).await;
                count = frame.count_rows(wanted).await?;
            }
        }
        Ok(())
    }
}

/// Clicks the first match of a selector that is visible and enabled. Returns false if there is none.
async fn press(call: &Call<'_>, page: &Page, selector: &str) -> Result<bool> {
    let Some(element) = usable(page, selector).await? else { return Ok(false) };
    let click = ClickOptions::default();
    let options = call.action_options();
    Box::pin(press_found(call, page, (selector, &element), &click, By::Pointer, &options)).await?;
    Ok(true)
}

async fn usable(page: &Page, selector: &str) -> Result<Option<ElementHandle>> {
    for element in page.main_frame().locator(selector, false)?.all().await? {
        let state = element.state().await?;
        if state.visible && state.enabled {
            return Ok(Some(element));
        }
    }
    Ok(None)
}

impl Collected {
    fn add(&mut self, found: ExtractedRows, most: usize) {
        self.pages += 1;
        self.total = found.total;
        self.tables = found.tables;
        let is_cut = found.is_cut;
        self.rows.extend(found.rows.into_iter().take(most));
        if is_cut {
            self.stopped = Some(format!(
                "Stopped after row {}: the rows that follow could not be distinguished from those before. There may be more; \
                 read the data that the page loads instead.",
                grouped(self.rows.len())
            ));
        }
    }

    fn answer(self, call: &Call<'_>, reply: &mut Reply) {
        let count = self.rows.len();
        if count == 0 {
            reply.say("No rows: the page has nothing that matches.");
            return;
        }
        if call.has_output_file() {
            reply.say(format!("{} {}{}.", grouped(count), plural(count, "row"), self.origin()));
            reply.set_file_content(self.content(call).into_bytes());
        } else {
            self.show(call, reply);
        }
        if let Some(total) = self.total.filter(|total| *total > count && self.pages == 1) {
            reply.say(format!("The page says that there are {}.", grouped(total)));
        }
        if self.tables > 1 {
            reply.say(format!("This is the first of {} tables; name another with each.", self.tables));
        }
        if let Some(note) = self.stopped {
            reply.say(note);
        }
        if let Some(last) = self.last {
            reply.say(format!("The tab is at {}.", page_text::inline_url(&last)));
        }
    }

    /// Adds as many rows to the answer as fit into [`MOST_CHARS`].
    fn show(&self, call: &Call<'_>, reply: &mut Reply) {
        let all = self.rows.len();
        let (mut text, mut shown) = (String::new(), 0);
        for row in &self.rows {
            let line = call.services.secrets().redact(&page_text::json_line(row)).into_owned();
            if shown > 0 && text.chars().count() + line.chars().count() > MOST_CHARS {
                break;
            }
            text.push_str(&line);
            text.push('\n');
            shown += 1;
        }
        reply.raise_char_limit(text.chars().count());
        reply.say(match shown == all {
            true => format!("{} {}{}:", grouped(all), plural(all, "row"), self.origin()),
            false => {
                let (shown, all) = (grouped(shown), grouped(all));
                format!("Rows 1-{shown} of {all}{}; give filename to have all in a file:", self.origin())
            }
        });
        reply.say(page_text::fenced(text.trim_end(), "rows of the page"));
    }

    fn origin(&self) -> String {
        if self.pages > 1 { format!(" from {} pages", self.pages) } else { String::new() }
    }

    /// Formats the rows for a file, as CSV or JSON by its extension, or else as JSON Lines.
    fn content(&self, call: &Call<'_>) -> String {
        if call.file_ends_with(".csv") {
            return csv(&self.rows);
        }
        if call.file_ends_with(".json") {
            return page_text::json(&self.rows);
        }
        self.rows.iter().map(|row| page_text::json_line(row) + "\n").collect()
    }
}

/// Serialises rows, so that pages with the same rows can be detected.
fn written(rows: &[Row]) -> String {
    serde_json::to_string(rows).unwrap_or_default()
}

/// Formats rows as CSV with a header of all column names. Lists and objects are written as JSON.
fn csv(rows: &[Row]) -> String {
    let mut names: Vec<&String> = Vec::new();
    let mut known = HashSet::new();
    names.extend(rows.iter().flat_map(Map::keys).filter(|name| known.insert(*name)));
    let mut text = String::new();
    let header: Vec<_> = names.iter().map(|name| cell(name)).collect();
    let _ = writeln!(text, "{}", header.join(","));
    for row in rows {
        let cells = names.iter().map(|name| match row.get(*name) {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => cell(text),
            Some(other) => cell(&other.to_string()),
        });
        let _ = writeln!(text, "{}", cells.collect::<Vec<_>>().join(","));
    }
    text
}

fn cell(text: &str) -> String {
    match text.contains(['"', ',', '\n', '\r']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

/// Formats a number with thousands separators: `4,000`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let separated = |(at, digit): (usize, char)| {
        let comma = (at > 0 && (digits.len() - at).is_multiple_of(3)).then_some(',');
        comma.into_iter().chain([digit])
    };
    digits.chars().enumerate().flat_map(separated).collect()
}

fn plural(count: usize, word: &str) -> String {
    if count == 1 { word.to_owned() } else { format!("{word}s") }
}
