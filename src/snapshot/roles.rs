//! ARIA roles and their properties.

/// All roles that the walk can report, in alphabetical order. Any other role is read as `generic`.
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

/// Returns the static string of a role; `generic` for an unknown one.
pub(super) fn known(name: &str) -> &'static str {
    ROLES.binary_search(&name).map_or("generic", |found| ROLES[found])
}

/// Whether this is the name of a role.
pub(super) fn is_role(name: &str) -> bool {
    ROLES.binary_search(&name).is_ok()
}

/// Whether elements of a role are controls.
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

/// Whether elements of a role open over the page.
pub(super) fn opens(role: &str) -> bool {
    matches!(role, "alertdialog" | "dialog" | "listbox" | "menu" | "tooltip")
}

/// Whether elements of a role accept text.
pub(super) fn is_field(role: &str) -> bool {
    matches!(role, "combobox" | "searchbox" | "spinbutton" | "textbox")
}

/// Whether elements of a role get a ref although they are no controls, as useful roots of a snapshot.
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

/// Whether elements of a role get the priority of announcements, after controls and before other texts.
pub(super) fn is_announcement(role: &str) -> bool {
    matches!(role, "alert" | "alertdialog" | "dialog" | "heading" | "log" | "status" | "timer")
}

pub(super) fn is_live(role: &str) -> bool {
    matches!(role, "alert" | "log" | "status")
}

/// Whether elements of a role add nothing to their only child.
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

/// Whether elements of a role often contain controls; they are then no controls themselves.
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
