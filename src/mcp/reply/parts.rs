//! The parts of an answer.

/// The state of the current page.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageState {
    pub url: String,
    pub title: String,
    /// Status code and reason of the document's response.
    pub status: Option<(u16, String)>,
    pub console_errors: usize,
    /// The text of the newest console error.
    pub console_error: Option<String>,
    pub crashed: bool,
}

/// A line in the list of tabs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TabLine {
    pub index: usize,
    /// The permanent name of the tab.
    pub id: String,
    pub title: String,
    pub url: String,
    pub active: bool,
    pub crashed: bool,
    /// Whether it is unloaded from memory until its next use.
    pub discarded: bool,
    /// Whether a dialog is open in it.
    pub asks: bool,
}

/// An image in an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    pub base64: String,
    pub mime_type: &'static str,
}

/// A file that the tool has written.
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
    /// Whether it contains tool names, which differ between toolsets. Text of pages and scripts never does.
    pub names_tools: bool,
}
