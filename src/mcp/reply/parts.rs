//! What an answer is made of.

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
    /// The name that it keeps.
    pub id: String,
    pub title: String,
    pub url: String,
    pub active: bool,
    pub crashed: bool,
    /// It is out of memory until somebody uses it.
    pub discarded: bool,
    /// A dialog is open in it.
    pub asks: bool,
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

/// A part of the result.
#[derive(Debug, Clone)]
pub struct Paragraph {
    pub text: String,
    /// It names tools, which are called otherwise elsewhere. What a page or a script wrote never does.
    pub names_tools: bool,
}
