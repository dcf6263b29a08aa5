//! The parts of a tool's answer.

/// The state of the current page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageState {
    pub url: String,
    pub title: String,
    /// The HTTP status code and reason of the document's response.
    pub status: Option<(u16, String)>,
    pub console_errors: usize,
    /// The text of the page's newest console error.
    pub console_error: Option<String>,
    pub crashed: bool,
}

/// A line in the list of tabs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TabLine {
    pub index: usize,
    /// The permanent id of the tab, such as `t3`.
    pub id: String,
    pub title: String,
    pub url: String,
    pub active: bool,
    pub crashed: bool,
    /// Whether the page is unloaded from memory until its next use.
    pub discarded: bool,
    /// Whether the page has a dialog open.
    pub asks: bool,
}

/// An image in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub base64: String,
    pub mime_type: &'static str,
}

/// A file that a tool has written, as a link for the client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLink {
    pub uri: String,
    pub name: String,
    pub mime_type: &'static str,
    pub size: Option<u64>,
}

/// A paragraph of the result.
#[derive(Debug, Clone)]
pub struct Paragraph {
    pub text: String,
    /// Whether the text may contain tool names, which are replaced by those of the toolset. False for text of pages.
    pub names_tools: bool,
}
