//! Toolsets and their differences, in a table.

/// The toolsets that `--toolsets` can name.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum, strum::Display, strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Toolset {
    /// The `browser_*` tools.
    Browser,
    /// The `patchright_*` tools.
    Patchright,
    /// `create_session`, `navigate`, `click` and the like.
    Sessions,
    /// Programs only: `browser_run` and `browser_handle_dialog`, which are `browser_*` tools as well.
    Code,
    /// The tools of Claude's `browser_toolset_20260801`, under their own names; only on request.
    Claude,
}

/// The argument of `browser_*` tools that names a tab. The dispatcher takes it out.
pub const TAB: &str = "tab";

/// The properties of a toolset.
#[derive(Debug)]
pub struct ToolsetTraits {
    /// The argument that names a tab. Without one, its tools do not work in the client's tabs, and their
    /// answers do not describe the page.
    pub tab_argument: Option<&'static str>,
    /// Whether only tools that need a page have that argument.
    pub tabs_of_pages_only: bool,
    /// Whether dialogs are dismissed around a call, since no tool answers them.
    pub dismisses_dialogs: bool,
    /// Whether answers without data contain the list of tabs as data.
    pub answers_with_tabs: bool,
    /// Whether answers contain the session of the call.
    pub names_session: bool,
    /// Tool names in our texts, with their names in this toolset.
    pub names: &'static [(&'static str, &'static str)],
    /// Why none of its tools works in WebKit, if so.
    pub lacks_webkit: Option<&'static str>,
}

/// A toolset without tabs.
const WITHOUT_TABS: ToolsetTraits = ToolsetTraits {
    tab_argument: None,
    tabs_of_pages_only: false,
    dismisses_dialogs: false,
    answers_with_tabs: false,
    names_session: true,
    names: &[],
    lacks_webkit: None,
};

static BROWSER: ToolsetTraits = ToolsetTraits { tab_argument: Some(TAB), ..WITHOUT_TABS };
static PATCHRIGHT: ToolsetTraits = WITHOUT_TABS;
static SESSIONS: ToolsetTraits = ToolsetTraits { names_session: false, ..WITHOUT_TABS };
static CLAUDE: ToolsetTraits = ToolsetTraits {
    tab_argument: Some("tab_id"),
    tabs_of_pages_only: true,
    dismisses_dialogs: true,
    answers_with_tabs: true,
    names: &CLAUDES_NAMES,
    lacks_webkit: Some("these tools work in tabs, and a session has only one page there"),
    ..WITHOUT_TABS
};

const CLAUDES_NAMES: [(&str, &str); 9] = [
    ("browser_snapshot", "read_page"),
    ("browser_file_upload", "file_upload"),
    ("browser_find", "find"),
    ("browser_read", "get_page_text"),
    ("browser_navigate", "navigate"),
    ("browser_tabs", "list_tabs"),
    ("browser_evaluate", "javascript_exec"),
    ("browser_scroll_into_view", "scroll_to"),
    ("browser_wait_for", "wait"),
];

impl Toolset {
    /// The default toolsets.
    pub const USUAL: [Self; 3] = [Self::Browser, Self::Patchright, Self::Sessions];

    /// The properties of this toolset.
    pub fn family(self) -> &'static ToolsetTraits {
        match self {
            Self::Browser | Self::Code => &BROWSER,
            Self::Patchright => &PATCHRIGHT,
            Self::Sessions => &SESSIONS,
            Self::Claude => &CLAUDE,
        }
    }
}
