//! What a tool says back: gathered while it works, written once at the end.
//!
//! The text is Markdown in sections of a fixed order, each present only when it has something to say. Whatever a page
//! can write (titles, dialog messages) comes through `page_text`, so that no page can forge a line.
use std::fmt::Write;

use rmcp::model::{CallToolResult, ContentBlock, MetaObject, Resource};
use serde_json::Value;

use crate::error::Error;
use crate::mcp::page_text;

/// How much of the page an answer shows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum View {
    /// Nothing: the tool has no page, or its answer is complete without.
    #[default]
    Nothing,
    /// Address and title.
    Page,
    /// What an action changed; the whole page when its document is new.
    Changes,
    /// The whole page.
    Whole,
}

/// Where the current page stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageState {
    pub url: String,
    pub title: String,
    /// Code and reason of the document's response.
    pub status: Option<(u16, String)>,
    pub console_errors: usize,
    pub console_warnings: usize,
    pub crashed: bool,
}

/// One line of the list of tabs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TabLine {
    pub index: usize,
    pub title: String,
    pub url: String,
    pub active: bool,
    pub crashed: bool,
}

/// A picture that goes with the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub base64: String,
    pub mime_type: &'static str,
}

/// A file that the tool wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLink {
    pub uri: String,
    pub name: String,
    pub mime_type: &'static str,
    pub size: Option<u64>,
}

/// What a tool says back.
#[derive(Debug, Clone, Default)]
pub struct Reply {
    view: View,
    plain: Option<String>,
    failure: Option<Failure>,
    result: Vec<String>,
    wants_tabs: bool,
    shows_effects: bool,
    tabs: Vec<TabLine>,
    page: Option<PageState>,
    modal: Vec<String>,
    snapshot: Option<String>,
    left_out: Option<String>,
    events: Vec<String>,
    images: Vec<Image>,
    files: Vec<FileLink>,
    structured: Option<Value>,
    session: Option<String>,
}

#[derive(Debug, Clone)]
struct Failure {
    code: &'static str,
    text: String,
}

impl Reply {
    /// Adds a paragraph to the result.
    pub fn say(&mut self, text: impl Into<String>) {
        self.result.push(text.into());
    }

    /// Adds a text that a page wrote. Where it could be taken for words of ours, it is shown as a JSON string.
    pub fn quote(&mut self, text: &str) {
        self.say(page_text::quoted(text));
    }

    /// Answers with this text alone, without sections.
    pub fn say_only(&mut self, text: impl Into<String>) {
        self.plain = Some(text.into());
    }

    /// Asks for the page to be shown, at least this much of it.
    pub fn show(&mut self, view: View) {
        self.view = self.view.max(view);
    }

    /// How much of the page is to be shown.
    pub fn view(&self) -> View {
        self.view
    }

    /// Asks for what changed on the page, if anything did.
    pub fn show_effects(&mut self) {
        self.shows_effects = true;
    }

    /// Whether to tell what changed on the page, if anything did.
    pub fn shows_effects(&self) -> bool {
        self.shows_effects
    }

    /// Asks for the list of tabs, however many there are.
    pub fn show_tabs(&mut self) {
        self.wants_tabs = true;
    }

    /// Whether the list of tabs is asked for.
    pub fn wants_tabs(&self) -> bool {
        self.wants_tabs
    }

    pub fn set_tabs(&mut self, tabs: Vec<TabLine>) {
        self.tabs = tabs;
    }

    pub fn set_page(&mut self, page: PageState) {
        self.page = Some(page);
    }

    pub fn set_snapshot(&mut self, snapshot: impl Into<String>) {
        self.snapshot = Some(snapshot.into());
    }

    /// Tells what the snapshot leaves out, and how to see it.
    pub fn set_left_out(&mut self, note: impl Into<String>) {
        self.left_out = Some(note.into());
    }

    /// Whether the snapshot contains a text.
    pub fn shows(&self, text: &str) -> bool {
        self.snapshot.as_ref().is_some_and(|snapshot| snapshot.contains(text))
    }

    /// Whether the page, or a part of it, is shown already.
    pub fn has_snapshot(&self) -> bool {
        self.snapshot.is_some()
    }

    /// Adds something that waits for an answer, such as a dialog.
    pub fn add_modal(&mut self, line: impl Into<String>) {
        self.modal.push(line.into());
    }

    /// Adds something that happened meanwhile, such as a download.
    pub fn add_event(&mut self, line: impl Into<String>) {
        self.events.push(line.into());
    }

    pub fn add_image(&mut self, image: Image) {
        self.images.push(image);
    }

    pub fn add_file(&mut self, file: FileLink) {
        self.files.push(file);
    }

    /// Leaves out the links to files; the text names the files as well.
    pub fn drop_file_links(&mut self) {
        self.files.clear();
    }

    /// The same answer for programs.
    pub fn set_structured(&mut self, content: Value) {
        self.structured = Some(content);
    }

    /// Takes over what one of several tools in the same call said, as number `number` of them.
    pub fn absorb(&mut self, number: usize, step: Self) {
        let said = step.plain.unwrap_or_else(|| step.result.join("\n"));
        let said = if said.is_empty() { "Done".to_owned() } else { said };
        self.say(format!("{number}. {said}"));
        self.show(step.view);
        self.wants_tabs |= step.wants_tabs;
        self.shows_effects |= step.shows_effects;
        if step.snapshot.is_some() {
            (self.snapshot, self.left_out) = (step.snapshot, step.left_out);
        }
        self.events.extend(step.events);
        self.images.extend(step.images);
        self.files.extend(step.files);
    }

    /// Turns the answer into a failure. What was said before stays.
    pub fn fail(&mut self, error: &Error) {
        let mut text = match error {
            Error::InvalidArguments { problems } => {
                let list = problems.iter().map(|problem| format!("- {}", page_text::told(problem)));
                format!("These arguments cannot be used:\n{}", list.collect::<Vec<_>>().join("\n"))
            }
            Error::Script { message } => page_text::quoted(message),
            // These hold what the browser's process wrote, and nothing of a page.
            Error::BrowserLaunch { .. } | Error::BrowserInstall { .. } | Error::BrowserGone { .. } => {
                sentence(&error.to_string())
            }
            other => sentence(&page_text::told(&other.to_string())),
        };
        if let Some(hint) = error.hint() {
            let _ = write!(text, "\n{}", sentence(hint));
        }
        self.failure = Some(Failure { code: error.code(), text });
    }

    /// Turns the answer into a failure that is told by this text alone.
    pub fn refuse(&mut self, code: &'static str, text: impl Into<String>) {
        self.failure = Some(Failure { code, text: String::new() });
        self.say_only(text);
    }

    /// Names the session in which it was done.
    pub fn set_session(&mut self, id: impl Into<String>) {
        self.session = Some(id.into());
    }

    /// Whether the tool failed.
    pub fn is_error(&self) -> bool {
        self.failure.is_some()
    }

    /// The stable name of the failure, if the tool failed.
    pub fn error_code(&self) -> Option<&'static str> {
        self.failure.as_ref().map(|failure| failure.code)
    }

    /// The text of the answer.
    pub fn text(&self) -> String {
        if let Some(plain) = &self.plain {
            return plain.clone();
        }
        let sections = [
            ("Error", self.failure.iter().map(|failure| failure.text.clone()).collect()),
            ("Result", self.result.clone()),
            ("Session", self.session.iter().cloned().collect()),
            ("Open tabs", self.tabs.iter().map(tab_line).collect()),
            ("Page", self.page.iter().map(page_lines).collect()),
            ("Modal state", self.modal.iter().map(|line| listed(line)).collect()),
            (
                "Snapshot",
                self.snapshot.iter().map(|text| fenced(text)).chain(self.left_out.clone()).collect(),
            ),
            ("Events", self.events.iter().map(|line| listed(line)).collect::<Vec<_>>()),
        ];
        let written = sections.into_iter().filter(|(_, lines)| !lines.is_empty());
        written
            .map(|(name, lines)| format!("### {name}\n{}", lines.join("\n")))
            .collect::<Vec<_>>()
            .join("\n")
    }

    /// The answer as the protocol wants it: the text first, then images, then links to files.
    pub fn into_result(self) -> CallToolResult {
        let mut content = vec![ContentBlock::text(self.text())];
        content
            .extend(self.images.into_iter().map(|image| ContentBlock::image(image.base64, image.mime_type)));
        content.extend(self.files.into_iter().map(|file| {
            let mut resource = Resource::new(file.uri, file.name).with_mime_type(file.mime_type);
            resource.size = file.size;
            ContentBlock::resource_link(resource)
        }));
        let mut result = CallToolResult::success(content);
        result.is_error = self.failure.is_some().then_some(true);
        result.structured_content = self.structured;
        if let Some(failure) = self.failure {
            let code = ("errorCode".to_owned(), Value::from(failure.code));
            result.meta = Some(MetaObject([code].into_iter().collect()));
        }
        result
    }
}

fn page_lines(page: &PageState) -> String {
    let mut lines = vec![format!("- Page URL: {}", page_text::address(&page.url))];
    let title = page_text::inline(&page.title);
    if !title.is_empty() {
        lines.push(format!("- Page Title: {title}"));
    }
    if page.crashed {
        lines.push("- Page status: crashed".to_owned());
    }
    if let Some((code, reason)) = &page.status
        && !(200..300).contains(code)
    {
        lines.push(format!("- HTTP status: {code} {}", page_text::inline(reason)));
    }
    if page.console_errors + page.console_warnings > 0 {
        let (errors, warnings) = (page.console_errors, page.console_warnings);
        lines.push(format!("- Console: {errors} errors, {warnings} warnings"));
    }
    lines.join("\n")
}

fn tab_line(tab: &TabLine) -> String {
    let current = if tab.active { "(current) " } else { "" };
    let crashed = if tab.crashed { " [crashed]" } else { "" };
    let title = page_text::inline_beside(&tab.title, &['[', ']', '(', ')']);
    format!("- {}: {current}[{title}]({}){crashed}", tab.index, page_text::address(&tab.url))
}

fn listed(line: &str) -> String {
    format!("- {}", page_text::one_line(line))
}

fn fenced(snapshot: &str) -> String {
    format!("```yaml\n{}\n```", snapshot.trim_end())
}

/// Begins with a capital, unless with a name such as `c0p0f0e1`, and ends with a full stop.
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
