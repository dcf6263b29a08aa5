//! What each role is good for.

/// Every role that a walk can name, sorted: a name that is not here is read as `generic`.
const ROLES: [&str; 89] = [
    "alert",
    "alertdialog",
    "application",
    "article",
    "audio",
    "banner",
    "blockquote",
    "button",
    "canvas",
    "caption",
    "cell",
    "checkbox",
    "code",
    "columnheader",
    "combobox",
    "complementary",
    "contentinfo",
    "definition",
    "deletion",
    "dialog",
    "document",
    "embed",
    "emphasis",
    "feed",
    "figure",
    "form",
    "generic",
    "grid",
    "gridcell",
    "group",
    "heading",
    "iframe",
    "img",
    "insertion",
    "link",
    "list",
    "listbox",
    "listitem",
    "log",
    "main",
    "mark",
    "marquee",
    "math",
    "menu",
    "menubar",
    "menuitem",
    "menuitemcheckbox",
    "menuitemradio",
    "meter",
    "navigation",
    "none",
    "note",
    "object",
    "option",
    "paragraph",
    "progressbar",
    "radio",
    "radiogroup",
    "region",
    "row",
    "rowgroup",
    "rowheader",
    "scrollbar",
    "search",
    "searchbox",
    "separator",
    "slider",
    "spinbutton",
    "status",
    "strong",
    "subscript",
    "suggestion",
    "superscript",
    "switch",
    "tab",
    "table",
    "tablist",
    "tabpanel",
    "term",
    "text",
    "textbox",
    "time",
    "timer",
    "toolbar",
    "tooltip",
    "tree",
    "treegrid",
    "treeitem",
    "video",
];

/// The role of this name, which lives as long as the program.
pub(super) fn known(name: &str) -> &'static str {
    ROLES.binary_search(&name).map_or("generic", |found| ROLES[found])
}

/// True for roles that are there to be acted on.
pub(super) fn is_interactive(role: &str) -> bool {
    matches!(
        role,
        "button"
            | "checkbox"
            | "combobox"
            | "link"
            | "listbox"
            | "menuitem"
            | "menuitemcheckbox"
            | "menuitemradio"
            | "option"
            | "radio"
            | "scrollbar"
            | "searchbox"
            | "slider"
            | "spinbutton"
            | "switch"
            | "tab"
            | "textbox"
            | "treeitem"
    )
}

/// True for roles into which something is written.
pub(super) fn is_field(role: &str) -> bool {
    matches!(role, "combobox" | "searchbox" | "spinbutton" | "textbox")
}

/// True for what is worth a ref without being interactive: it can be looked at alone, or holds a part of the page.
pub(super) fn is_landmark(role: &str) -> bool {
    matches!(
        role,
        "alertdialog"
            | "article"
            | "audio"
            | "banner"
            | "canvas"
            | "complementary"
            | "contentinfo"
            | "dialog"
            | "embed"
            | "feed"
            | "figure"
            | "form"
            | "grid"
            | "heading"
            | "iframe"
            | "main"
            | "menu"
            | "navigation"
            | "object"
            | "region"
            | "search"
            | "table"
            | "tabpanel"
            | "tree"
            | "treegrid"
            | "video"
    )
}

/// True for what speaks to the person at once.
pub(super) fn is_announcement(role: &str) -> bool {
    matches!(role, "alert" | "alertdialog" | "dialog" | "heading" | "log" | "status" | "timer")
}

/// True for a part of a page that tells what just happened.
pub(super) fn is_live(role: &str) -> bool {
    matches!(role, "alert" | "log" | "status")
}

/// True for a wrapper that says nothing beside its only child.
pub(super) fn is_wrapper(role: &str) -> bool {
    matches!(
        role,
        "cell"
            | "definition"
            | "generic"
            | "gridcell"
            | "group"
            | "listitem"
            | "paragraph"
            | "rowgroup"
            | "term"
    )
}

/// True for what often holds something to act on, and then is not acted on itself.
pub(super) fn holds_items(role: &str) -> bool {
    matches!(
        role,
        "cell"
            | "columnheader"
            | "grid"
            | "gridcell"
            | "group"
            | "list"
            | "listitem"
            | "menu"
            | "menubar"
            | "navigation"
            | "radiogroup"
            | "row"
            | "rowgroup"
            | "table"
            | "tablist"
            | "toolbar"
            | "tree"
            | "treegrid"
    )
}

pub(super) fn is_cell(role: &str) -> bool {
    matches!(role, "cell" | "columnheader" | "gridcell" | "rowheader")
}
