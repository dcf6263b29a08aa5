//! The families of tools, and what is particular about each: a table, so that whoever runs a tool names no family.

/// The families of tools; `--toolsets` chooses among them.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, clap::ValueEnum, strum::Display, strum::VariantArray,
)]
#[strum(serialize_all = "lowercase")]
pub enum Toolset {
    /// The `browser_*` tools.
    Browser,
    /// The `patchright_*` tools.
    Patchright,
    /// `create_session` and its kin.
    Sessions,
    /// The members of Claude's `browser_toolset_20260801`, under their own names; only where it is asked for.
    Claude,
}

/// The argument that says in which tab a `browser_*` tool works, instead of the current one. The dispatcher takes
/// it out.
pub const TAB: &str = "tab";

/// What is particular about a family of tools.
#[derive(Debug)]
pub struct Family {
    /// The argument that names the tab in which a tool works. Without one, its tools work in no tab that a client knows, and
    /// their answers say nothing of the page.
    pub tab_argument: Option<&'static str>,
    /// Whether only tools that work on a page list that argument.
    pub tabs_of_pages_only: bool,
    /// Whether dialogs are dismissed before and after a call, since no tool answers them.
    pub dismisses_dialogs: bool,
    /// Whether an answer without data of its own has the tabs as data.
    pub answers_with_tabs: bool,
    /// Whether answers name the session of the call.
    pub names_session: bool,
    /// What our words call tools by, and what they are called in this family.
    pub names: &'static [(&'static str, &'static str)],
    /// Why none of its tools works in WebKit, if that is so.
    pub lacks_webkit: Option<&'static str>,
}

/// A family that speaks of no tab.
const WITHOUT_TABS: Family = Family {
    tab_argument: None,
    tabs_of_pages_only: false,
    dismisses_dialogs: false,
    answers_with_tabs: false,
    names_session: true,
    names: &[],
    lacks_webkit: None,
};

static BROWSER: Family = Family { tab_argument: Some(TAB), ..WITHOUT_TABS };
static PATCHRIGHT: Family = WITHOUT_TABS;
static SESSIONS: Family = Family { names_session: false, ..WITHOUT_TABS };
static CLAUDE: Family = Family {
    tab_argument: Some("tab_id"),
    tabs_of_pages_only: true,
    dismisses_dialogs: true,
    answers_with_tabs: true,
    names: &CLAUDES_NAMES,
    lacks_webkit: Some("these tools work in tabs, and a session has one page there"),
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
    /// The families that are offered unless others are asked for.
    pub const USUAL: [Self; 3] = [Self::Browser, Self::Patchright, Self::Sessions];

    /// What is particular about it.
    pub fn family(self) -> &'static Family {
        match self {
            Self::Browser => &BROWSER,
            Self::Patchright => &PATCHRIGHT,
            Self::Sessions => &SESSIONS,
            Self::Claude => &CLAUDE,
        }
    }
}
