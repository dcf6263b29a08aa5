//! The answer of a tool: collected while the tool runs, and formatted once at the end.
//!
//! The text is Markdown with sections in a fixed order; empty sections are omitted. Text of pages, such as
//! titles, comes through `page_text`, so that a page cannot forge a line of the answer.
mod parts;

use std::fmt::Write;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Resource};
use serde_json::{Map, Value, json};

pub use parts::{FileLink, Image, PageState, Paragraph, TabLine};

use crate::error::Error;
use crate::mcp::{budget, page_text};
use crate::secrets::Secrets;
use crate::snapshot::{self, Omission, RenderedSnapshot};

/// The maximum number of characters between two words when a text is searched for in a snapshot.
const BETWEEN_WORDS: usize = 80;

/// The maximum number of events in an answer.
const MOST_EVENTS: usize = 50;

/// How much of the page an answer shows. Each variant includes the ones before it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum PageDetail {
    /// Nothing, because the tool has no page, or its answer is complete without one.
    #[default]
    Nothing,
    /// The URL and the title.
    Page,
    /// The effects of an action, or the full page if it has a new document.
    Changes,
    /// The full page.
    Whole,
}

/// The answer of a tool.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    view: PageDetail,
    plain: Option<String>,
    failure: Option<Failure>,
    result: Vec<Paragraph>,
    wants_tabs: bool,
    shows_changes: bool,
    tabs: Vec<TabLine>,
    page: Option<PageState>,
    modal: Vec<String>,
    snapshot: Option<String>,
    /// Whether the snapshot shows only a part that the caller requested.
    is_part: bool,
    left_out: Option<Omission>,
    in_view: Option<RenderedSnapshot>,
    events: Vec<String>,
    images: Vec<Image>,
    files: Vec<FileLink>,
    shared: Vec<Resource>,
    is_remote: bool,
    structured: Option<Value>,
    session: Option<String>,
    /// The complete answer of another server, if the call was forwarded there.
    forwarded: Option<Box<CallToolResult>>,
    /// The raw content for the file that the caller named, if the tool provides it.
    content: Option<Vec<u8>>,
    /// The number of characters that the answer may have beyond the default limit.
    allowed: usize,
}

#[derive(Debug, Clone)]
struct Failure {
    code: &'static str,
    text: String,
}

impl Reply {
    /// Adds a paragraph to the `Result` section.
    pub fn say(&mut self, text: impl Into<String>) {
        self.result.push(Paragraph { text: text.into(), names_tools: false });
    }

    /// Adds a paragraph that contains tool names, which [`rename_tools`](Self::rename_tools) replaces.
    pub fn say_with_tool_names(&mut self, text: impl Into<String>) {
        self.result.push(Paragraph { text: text.into(), names_tools: true });
    }

    /// Adds a snapshot to the `Result` section, with a note about what it omits.
    fn say_outline(&mut self, outline: &str, left_out: Option<Omission>) {
        self.say(fenced(outline));
        if let Some(left_out) = left_out {
            self.say_with_tool_names(left_out.to_string());
        }
    }

    /// Adds text of a page to the `Result` section; as a JSON string if it could pass for the server's text.
    pub fn say_page_text(&mut self, text: &str) {
        self.say(page_text::text_or_json(text));
    }

    /// Sets a text that replaces all sections of the answer.
    pub fn set_plain_text(&mut self, text: impl Into<String>) {
        self.plain = Some(text.into());
    }

    /// Requests that the answer shows at least this much of the page.
    pub fn show_at_least(&mut self, view: PageDetail) {
        self.view = self.view.max(view);
    }

    /// Returns how much of the page the answer shows.
    pub fn view(&self) -> PageDetail {
        self.view
    }

    /// Requests the changes of the page since the client last saw it, if there are any.
    pub fn show_changes(&mut self) {
        self.shows_changes = true;
    }

    /// Whether the changes of the page were requested.
    pub fn shows_changes(&self) -> bool {
        self.shows_changes
    }

    /// Requests the list of tabs, even if only one is open.
    pub fn show_tabs(&mut self) {
        self.wants_tabs = true;
    }

    /// Whether the list of tabs was requested.
    pub fn wants_tabs(&self) -> bool {
        self.wants_tabs
    }

    pub fn set_tabs(&mut self, tabs: Vec<TabLine>) {
        self.tabs = tabs;
    }

    /// Returns the listed tabs; empty if the list is not shown.
    pub fn tabs(&self) -> &[TabLine] {
        &self.tabs
    }

    /// Shows only the changes of the page since the client last saw it, never the full page.
    pub fn show_changes_only(&mut self) {
        self.view = self.view.min(PageDetail::Page);
        self.shows_changes = true;
    }

    /// Replaces tool names in the server's own texts, given as (from, to).
    pub fn rename_tools(&mut self, names: &[(&str, &str)]) {
        let failed = self.failure.iter_mut().map(|failure| &mut failure.text);
        let lists = [&mut self.modal, &mut self.events].into_iter().flatten();
        let left_out = self
            .left_out
            .iter_mut()
            .flat_map(|left_out| [&mut left_out.what].into_iter().chain(&mut left_out.how));
        for text in failed.chain(left_out).chain(lists) {
            for (old, new) in names {
                if text.contains(old) {
                    *text = text.replace(old, new);
                }
            }
        }
    }

    pub fn set_page(&mut self, page: PageState) {
        self.page = Some(page);
    }

    pub fn set_snapshot(&mut self, snapshot: impl Into<String>) {
        self.snapshot = Some(snapshot.into());
    }

    /// Marks the snapshot as a part of the page, which does not replace the last full snapshot.
    pub fn mark_as_partial(&mut self) {
        self.is_part = true;
    }

    /// Sets the note about what the snapshot omits.
    pub fn set_omission(&mut self, left_out: Omission) {
        self.left_out = Some(left_out);
    }

    /// Returns the note about what the snapshot omits.
    pub fn omission(&self) -> Option<&Omission> {
        self.left_out.as_ref()
    }

    /// Returns the snapshot of the page or of a part of it.
    pub fn snapshot(&self) -> Option<&str> {
        self.snapshot.as_deref()
    }

    /// Sets the part of the page that scrolling has brought into view.
    pub fn set_newly_visible(&mut self, rendered: RenderedSnapshot) {
        self.in_view = Some(rendered);
    }

    /// Returns the part of the page that scrolling has brought into view.
    pub fn newly_visible(&self) -> Option<&RenderedSnapshot> {
        self.in_view.as_ref()
    }

    /// Whether the snapshot contains a text.
    pub fn snapshot_has(&self, text: &str) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.contains(text))
    }

    /// Whether the snapshot contains the words of a text in this order, possibly on several lines.
    pub fn snapshot_has_words(&self, text: &str) -> bool {
        let Some(snapshot) = &self.snapshot else { return false };
        let mut words = text.split_whitespace();
        let Some(first) = words.next() else { return true };
        snapshot.match_indices(first).any(|(at, _)| {
            let mut rest = &snapshot[at + first.len()..];
            words.clone().all(|word| match rest.find(word) {
                Some(next) if rest[..next].chars().count() <= BETWEEN_WORDS => {
                    rest = &rest[next + word.len()..];
                    true
                }
                _ => false,
            })
        })
    }

    /// Whether the tool has added no text of its own.
    pub fn is_silent(&self) -> bool {
        self.result.is_empty() && self.plain.is_none()
    }

    /// Whether a snapshot has been set.
    pub fn has_snapshot(&self) -> bool {
        self.snapshot.is_some()
    }

    /// Adds something that must be answered before anything else, such as an open dialog.
    pub fn add_modal(&mut self, line: impl Into<String>) {
        self.modal.push(line.into());
    }

    /// Adds an event, such as a started download.
    pub fn add_event(&mut self, line: impl Into<String>) {
        self.events.push(line.into());
    }

    pub fn add_image(&mut self, image: Image) {
        self.images.push(image);
    }

    pub fn add_file(&mut self, file: FileLink) {
        self.files.push(file);
    }

    /// Takes the files that the tool has written, so that the server can share them.
    pub(super) fn take_files(&mut self) -> Vec<FileLink> {
        std::mem::take(&mut self.files)
    }

    /// Adds the resources of shared files; also to the text if the client is on another machine.
    pub(super) fn share(&mut self, files: Vec<Resource>, is_remote: bool) {
        (self.shared, self.is_remote) = (files, is_remote);
    }

    /// Sets the structured content of the answer.
    pub fn set_structured(&mut self, content: Value) {
        self.structured = Some(content);
    }

    /// Takes the tool's text and snapshot, so that they can be written to a file.
    pub fn take_text(&mut self) -> String {
        let mut parts: Vec<_> = std::mem::take(&mut self.result).into_iter().map(|part| part.text).collect();
        parts.extend(self.snapshot.take());
        parts.extend(self.left_out.take().map(|left_out| left_out.to_string()));
        parts.join("\n\n")
    }

    /// Sets the raw content for the file that the caller named. The text of the answer stays.
    pub fn set_file_content(&mut self, content: Vec<u8>) {
        self.content = Some(content);
    }

    /// Takes the raw content for the file that the caller named.
    pub fn take_file_content(&mut self) -> Option<Vec<u8>> {
        self.content.take()
    }

    /// Adds the answer of step `number` of a call that runs several tools. Keeps the step's snapshot, unless
    /// it shows the final state of the page, which the answer shows once.
    pub fn merge_step(&mut self, number: usize, tool: &str, step: Self) {
        self.allowed = self.allowed.saturating_add(step.allowed);
        let acts = step.view >= PageDetail::Changes || step.shows_changes;
        if let Some(outdated) = self.snapshot.take_if(|_| acts) {
            let left_out = self.left_out.take();
            self.say_outline(&outdated, left_out);
        }
        let said = step.plain.unwrap_or_else(|| joined(&step.result));
        match said.as_str() {
            "" => self.say_with_tool_names(format!("{number}. {tool}")),
            "null" => self.say_with_tool_names(format!("{number}. {tool}: no result")),
            _ => self.say(format!("{number}. {said}")),
        }
        self.show_at_least(step.view);
        self.wants_tabs |= step.wants_tabs;
        self.shows_changes |= step.shows_changes;
        match step.snapshot {
            Some(part) if step.is_part => {
                self.say_outline(&part, step.left_out);
            }
            Some(page) => (self.snapshot, self.left_out) = (Some(page), step.left_out),
            None => {}
        }
        if step.in_view.is_some() {
            self.in_view = step.in_view;
        }
        self.events.extend(step.events);
        self.images.extend(step.images);
        self.files.extend(step.files);
    }

    /// Sets the list of tabs as structured content, unless there is some already.
    pub(in crate::mcp) fn answer_with_tabs(&mut self) {
        if self.structured().is_some() || self.tabs().is_empty() {
            return;
        }
        let tab = |tab: &TabLine| json!({ "tab_id": tab.id, "title": tab.title, "url": tab.url, "active": tab.active });
        let tabs: Vec<_> = self.tabs().iter().map(tab).collect();
        self.set_structured(json!({ "tabs": tabs }));
    }

    /// Turns the answer into an error. Text that was added before stays.
    pub fn fail(&mut self, error: &Error) {
        let mut text = match error {
            Error::InvalidArguments { problems } => {
                let list =
                    problems.iter().map(|problem| format!("- {}", page_text::blank_invisible_chars(problem)));
                format!("These arguments cannot be used:\n{}", list.collect::<Vec<_>>().join("\n"))
            }
            Error::Script { message } | Error::Program { message } => page_text::exception(message),
            // These errors contain output of the browser process, but no text of a page.
            Error::BrowserLaunch { .. } | Error::BrowserInstall { .. } | Error::BrowserGone { .. } => {
                sentence(&error.to_string())
            }
            other => sentence(&page_text::blank_invisible_chars(&other.to_string())),
        };
        if let Some(hint) = error.suggestion() {
            let _ = write!(text, "\n{}", sentence(hint));
        }
        self.failure = Some(Failure { code: error.code(), text });
    }

    /// Redacts secrets. Lists every field, so that no new field with text of a page or person is forgotten.
    pub(super) fn redact(&mut self, secrets: &Secrets) {
        if secrets.is_empty() {
            return;
        }
        let Self {
            view: _,
            plain,
            failure,
            result,
            wants_tabs: _,
            shows_changes: _,
            tabs,
            page,
            modal,
            snapshot,
            is_part: _,
            // Contains only numbers and refs.
            left_out: _,
            in_view,
            events,
            // Secrets are masked where screenshots are taken.
            images: _,
            files,
            // Derived later from `files`.
            shared: _,
            is_remote: _,
            structured,
            session: _,
            forwarded,
            // Redacted where it is written to the file.
            content: _,
            allowed: _,
        } = self;
        let failed = failure.iter_mut().map(|failure| &mut failure.text);
        let tabs = tabs.iter_mut().flat_map(|tab| [&mut tab.title, &mut tab.url]);
        let page = page.iter_mut().flat_map(|page| {
            let status = page.status.iter_mut().map(|(_, reason)| reason);
            [&mut page.url, &mut page.title].into_iter().chain(status).chain(&mut page.console_error)
        });
        let files = files.iter_mut().flat_map(|file| [&mut file.uri, &mut file.name]);
        let result = result.iter_mut().map(|part| &mut part.text);
        let lists = [modal, events].into_iter().flatten();
        let in_view = in_view.iter_mut().map(|part| &mut part.text);
        let texts = [plain, snapshot].into_iter().flatten().chain(in_view).chain(result);
        texts.chain(failed).chain(lists).chain(tabs).chain(page).chain(files).for_each(|text| {
            secrets.redact_text(text);
        });
        if let Some(content) = structured {
            secrets.redact_json(content);
        }
        if let Some(result) = forwarded {
            **result = struck(result, secrets).unwrap_or_else(|| Self::broken().into_result());
        }
    }

    /// Allows at least this number of characters beyond the default limit.
    pub fn raise_char_limit(&mut self, characters: usize) {
        self.allowed = self.allowed.max(characters);
    }

    /// Cuts each part of the answer to its limit, with a note. Snapshots are limited when they are rendered.
    pub(super) fn bound(&mut self) {
        let most = budget::MAX_REPLY_CHARS.saturating_add(self.allowed);
        if let Some(failure) = &mut self.failure {
            shorten(&mut failure.text, budget::MAX_ERROR_CHARS);
        }
        if let Some(plain) = &mut self.plain {
            let program = serde_json::from_str(plain).ok().filter(|_| plain.chars().count() > most);
            match program.and_then(|value| budget::shortened_to_fit(&value, most)) {
                Some(value) => *plain = page_text::json_line(&value),
                None => shorten(plain, most),
            }
        }
        let mut room = most;
        for part in &mut self.result {
            shorten(&mut part.text, room.max(budget::MAX_EVENT_CHARS));
            room = room.saturating_sub(part.text.chars().count());
        }
        for list in [&mut self.modal, &mut self.events] {
            let left = list.len().saturating_sub(MOST_EVENTS);
            list.truncate(MOST_EVENTS);
            for line in list.iter_mut() {
                shorten(line, budget::MAX_EVENT_CHARS);
            }
            if left > 0 {
                list.push(format!("and {left} more"));
            }
        }
        if let Some(value) =
            self.structured.as_ref().and_then(|value| budget::shortened_to_fit(value, 2 * most))
        {
            self.structured = Some(value);
        }
    }

    /// Returns the answer to a call that failed because of a bug in this server.
    pub(super) fn broken() -> Self {
        let mut reply = Self::default();
        reply.fail(&Error::Broken);
        reply
    }

    /// Turns the answer into an error that consists of this code and text only.
    pub fn fail_with_text(&mut self, code: &'static str, text: impl Into<String>) {
        self.failure = Some(Failure { code, text: String::new() });
        self.set_plain_text(text);
    }

    /// Creates the reply from the answer of another server to the same call.
    pub(super) fn forwarded(result: CallToolResult) -> Self {
        Self { forwarded: Some(Box::new(result)), ..Self::default() }
    }

    /// Whether another server ran the call and the tool failed there.
    #[cfg(feature = "otlp")]
    pub(super) fn failed_elsewhere(&self) -> bool {
        self.forwarded.as_ref().is_some_and(|result| result.is_error == Some(true))
    }

    /// Sets the id of the session in which the call ran.
    pub fn set_session(&mut self, id: impl Into<String>) {
        self.session = Some(id.into());
    }

    /// Whether the answer is an error.
    pub fn is_error(&self) -> bool {
        self.failure.is_some()
    }

    /// Returns the error code; `None` if the tool succeeded.
    pub fn error_code(&self) -> Option<&'static str> {
        self.failure.as_ref().map(|failure| failure.code)
    }

    /// Returns the text of the answer, as Markdown.
    pub fn text(&self) -> String {
        if let Some(plain) = &self.plain {
            return plain.clone();
        }
        let written = self.sections().into_iter();
        written
            .map(|(name, lines)| format!("### {name}\n{}", lines.join("\n")))
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// Returns the sections as (heading, lines). A plain text is one `Result` section.
    pub fn sections(&self) -> Vec<(&'static str, Vec<String>)> {
        if let Some(plain) = &self.plain {
            return vec![("Result", vec![plain.clone()])];
        }
        let sections = [
            ("Error", self.failure.iter().map(|failure| failure.text.clone()).collect()),
            ("Result", self.result.iter().map(|part| part.text.clone()).collect()),
            ("Session", self.session.iter().cloned().collect()),
            ("Open tabs", self.tabs.iter().map(tab_line).collect()),
            ("Page", self.page.iter().map(page_lines).collect()),
            ("Modal state", self.modal.iter().map(|line| listed(line)).collect()),
            (
                "Came into view",
                self.in_view.iter().flat_map(|part| outlined(&part.text, part.cut.as_ref())).collect(),
            ),
            (
                "Snapshot",
                self.snapshot.iter().flat_map(|text| outlined(text, self.left_out.as_ref())).collect(),
            ),
            ("Events", self.events.iter().map(|line| listed(line)).collect::<Vec<_>>()),
            (
                "Files to read with resources/read",
                self.shared.iter().filter(|_| self.is_remote).map(file_line).collect(),
            ),
        ];
        sections.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
    }

    /// Returns the paragraphs of the `Result` section.
    pub fn result_paragraphs(&self) -> Vec<Paragraph> {
        match &self.plain {
            Some(plain) => vec![Paragraph { text: plain.clone(), names_tools: false }],
            None => self.result.clone(),
        }
    }

    /// Returns the state of the current page; `None` if the answer does not show it.
    pub fn page(&self) -> Option<&PageState> {
        self.page.as_ref()
    }

    /// Returns the structured content of the answer, if any.
    pub fn structured(&self) -> Option<&Value> {
        self.structured.as_ref()
    }

    /// Whether the snapshot omits something.
    pub fn has_omission(&self) -> bool {
        self.left_out.is_some()
    }

    /// Converts the answer to an MCP result: text, then images. Files are listed in `_meta`, since many
    /// clients turn links to files into content that models do not accept.
    pub fn into_result(self) -> CallToolResult {
        if let Some(result) = self.forwarded {
            return *result;
        }
        let mut content = vec![ContentBlock::text(self.text())];
        content
            .extend(self.images.into_iter().map(|image| ContentBlock::image(image.base64, image.mime_type)));
        let mut result = CallToolResult::success(content);
        result.is_error = self.failure.is_some().then_some(true);
        result.structured_content = self.structured;
        let code = self.failure.map(|failure| ("errorCode".to_owned(), Value::from(failure.code)));
        let files = (!self.shared.is_empty()).then(|| ("files".to_owned(), json!(self.shared)));
        let meta: Map<_, _> = code.into_iter().chain(files).collect();
        result.meta = (!meta.is_empty()).then_some(MetaObject(meta));
        result
    }
}

/// Cuts a text to `most` characters, and notes how long it was.
fn shorten(text: &mut String, most: usize) {
    let Some(all) = budget::truncate_chars(text, most) else { return };
    let _ = write!(text, "\n[cut: these are the first {most} of {all} characters]");
}

/// Redacts secrets in the answer of another server. `None` if the answer cannot be parsed any more.
fn struck(result: &CallToolResult, secrets: &Secrets) -> Option<CallToolResult> {
    let mut result_json = serde_json::to_value(result).ok()?;
    for block in result_json.get_mut("content").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(Value::String(text)) = block.get_mut("text") {
            secrets.redact_text(text);
        }
    }
    if let Some(content) = result_json.get_mut("structuredContent") {
        secrets.redact_json(content);
    }
    serde_json::from_value(result_json).ok()
}

fn page_lines(page: &PageState) -> String {
    let mut lines = vec![format!("- Page URL: {}", page_text::inline_url(&page.url))];
    let title = page_text::line_or_json(&page.title);
    if !title.is_empty() {
        lines.push(format!("- Page Title: {title}"));
    }
    if page.crashed {
        lines.push("- Page status: crashed".to_owned());
    }
    if let Some((code, reason)) = &page.status
        && !(200..300).contains(code)
    {
        lines.push(format!("- HTTP status: {code} {}", page_text::line_or_json(reason)));
    }
    if let Some(error) = &page.console_error {
        let of = if page.console_errors > 1 {
            format!(", the last of {}", page.console_errors)
        } else {
            String::new()
        };
        lines.push(format!("- Console error{of}: {}", snapshot::quoted(error)));
    }
    lines.join("\n")
}

fn tab_line(tab: &TabLine) -> String {
    let current = if tab.active { "(current) " } else { "" };
    let crashed = if tab.crashed { " [crashed]" } else { "" };
    let discarded = if tab.discarded { " [out of memory until used]" } else { "" };
    let asks = if tab.asks { " [dialog open]" } else { "" };
    let title = page_text::line_or_json_escaping(&tab.title, &['[', ']', '(', ')']);
    let address = page_text::inline_url(&tab.url);
    format!("- {}: {current}[{title}]({address}){crashed}{discarded}{asks} [tab={}]", tab.index, tab.id)
}

fn file_line(file: &Resource) -> String {
    let size = file.size.map(|size| format!(" ({size} bytes)")).unwrap_or_default();
    format!("- {}{size}: {}", page_text::line_or_json_escaping(&file.name, &[' ', '(']), file.uri)
}

fn listed(line: &str) -> String {
    format!("- {}", page_text::one_line(line))
}

fn joined(parts: &[Paragraph]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n")
}

/// Formats a snapshot as a code block, followed by the note about what it omits.
fn outlined(outline: &str, left_out: Option<&Omission>) -> Vec<String> {
    [fenced(outline)].into_iter().chain(left_out.map(Omission::to_string)).collect()
}

fn fenced(snapshot: &str) -> String {
    format!("```yaml\n{}\n```", snapshot.trim_end())
}

/// Turns a text into a sentence: adds a full stop, and capitalises the first word unless it is a name.
fn sentence(text: &str) -> String {
    let first_word = text.split_whitespace().next().unwrap_or_default();
    let mut letters = text.chars();
    let begin = match letters.next() {
        Some(first) if first_word.chars().all(|c| c.is_alphabetic() || c == '\'') => {
            first.to_uppercase().to_string()
        }
        first => first.map(String::from).unwrap_or_default(),
    };
    let stop = if text.ends_with(['.', '!', '?', '\n', '。']) { "" } else { "." };
    format!("{begin}{}{stop}", letters.as_str())
}
