//! The browser's own accessibility tree is the judge of what the walk says: roles, names and states agree, and
//! nothing that matters is missing. Where we tell otherwise on purpose, `told_otherwise` says why.
use std::collections::{HashMap, HashSet};
use std::fs;

use patchright_mcp::browser::{BrowserContext, NavigateOptions, Page, SnapshotTreeOptions, value_argument};
use patchright_mcp::cdp::Command;
use patchright_mcp::cdp::types::dom::DescribeNode;
use patchright_mcp::snapshot::{Node, Options, Tree, render};
use serde::Serialize;
use serde_json::Value;

use crate::support::{Site, drive};

#[derive(Serialize)]
struct GetFullTree {}

impl Command for GetFullTree {
    const METHOD: &'static str = "Accessibility.getFullAXTree";
    type Reply = Value;
}

/// A node as the browser tells it.
#[derive(Debug)]
struct Judged {
    role: String,
    name: String,
    properties: HashMap<String, Value>,
    /// The roles around it, innermost first.
    around: Vec<String>,
}

#[test]
fn roles_names_and_states_agree_with_the_browsers_own() {
    drive(async |context, site| {
        let mut compared = 0;
        let mut differences = Vec::new();
        for name in ["forms", "graphics", "hidden", "landmarks", "modal", "shadow", "tables", "widgets"] {
            let page = open(&context, &site, name).await;
            let tree = page.snapshot_tree(0, SnapshotTreeOptions::default()).await.unwrap();
            let ours = backend_ids(&page, &tree).await;
            let judged = judge(&page).await;
            compared += ours.len();
            differences.extend(compare(&ours, &judged).into_iter().map(|text| format!("{name}: {text}")));
            page.close().await.unwrap();
        }
        assert!(differences.is_empty(), "{}", differences.join("\n"));
        assert!(compared > 200, "only {compared} elements were compared");
    });
}

/// Text that is hidden by whatever trick is not told; controls that are hidden but work are.
#[test]
fn what_no_one_can_see_is_left_out() {
    drive(async |context, site| {
        let page = open(&context, &site, "hidden").await;
        let tree = page.snapshot_tree(0, SnapshotTreeOptions::default()).await.unwrap();
        insta::assert_snapshot!(render(&tree, &Options::default()).text);
        let page = open(&context, &site, "modal").await;
        let tree = page.snapshot_tree(0, SnapshotTreeOptions::default()).await.unwrap();
        insta::assert_snapshot!(render(&tree, &Options::default()).text);
    });
}

/// Pages whose texts say themselves whether a person sees them.
#[test]
fn what_a_person_sees_is_reported_and_nothing_else() {
    drive(async |context, site| {
        for (name, seen, unseen) in [("application", 5, 0), ("clipped", 13, 13)] {
            let page = open(&context, &site, name).await;
            let tree = page.snapshot_tree(0, SnapshotTreeOptions::default()).await.unwrap();
            let outline = render(&tree, &Options::default()).text;
            let html = fs::read_to_string(format!("tests/pages/oracle/{name}.html")).unwrap();
            let texts: HashSet<&str> = html
                .split(['>', '<'])
                .map(str::trim)
                .filter(|text| text.starts_with("Seen:") || text.starts_with("Unseen:"))
                .collect();
            let (shown, hidden): (Vec<&str>, Vec<&str>) =
                texts.iter().partition(|text| text.starts_with("Seen:"));
            assert_eq!((shown.len(), hidden.len()), (seen, unseen), "{name}");
            let missing: Vec<_> = shown.iter().filter(|text| !outline.contains(**text)).collect();
            let forged: Vec<_> = hidden.iter().filter(|text| outline.contains(**text)).collect();
            assert!(
                missing.is_empty() && forged.is_empty(),
                "{name}: left out {missing:?}, told {forged:?} in\n{outline}"
            );
            page.close().await.unwrap();
        }
    });
}

/// A page whose texts say themselves what can be acted on.
#[test]
fn what_can_be_acted_on_has_a_ref_and_only_that() {
    drive(async |context, site| {
        let page = open(&context, &site, "acting").await;
        let tree = page.snapshot_tree(0, SnapshotTreeOptions::default()).await.unwrap();
        let text = render(&tree, &Options::default()).text;
        let lines: Vec<&str> = text.lines().collect();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let holder = |index: usize| {
            lines[..index]
                .iter()
                .rev()
                .find(|line| indent(line) < indent(lines[index]))
                .copied()
                .unwrap_or_default()
        };
        let mut counted = [0, 0];
        for (index, line) in lines.iter().enumerate() {
            if line.contains("Acts: ") {
                let has_ref = line.contains("[ref=") || holder(index).contains("[ref=");
                assert!(has_ref, "no ref for {line} in\n{text}");
                counted[0] += 1;
            } else if line.contains("Only says: ") {
                assert!(!line.contains("[ref="), "a ref for {line} in\n{text}");
                counted[1] += 1;
            }
        }
        assert_eq!(counted, [15, 3], "{text}");
        let hints: Vec<&str> =
            text.split("[hint=").skip(1).map(|rest| rest.lines().next().unwrap()).collect();
        assert_eq!(hints.iter().collect::<HashSet<_>>().len(), 7, "{text}");
        for hint in ["fa-trash", "icon-archive", "flag", "#ff0000", "green", "quantity"] {
            assert!(hints.iter().any(|shown| shown.contains(hint)), "{hint} in\n{text}");
        }
        assert!(text.contains(r#"[hint="x\""#) && !text.contains("[ref=e999]"), "{text}");
    });
}

/// Asked for all refs, each line has one: texts, groups and shapes too. Nothing of that is left in what is compared later.
#[test]
fn every_line_has_a_ref_when_all_are_asked_for() {
    drive(async |context, site| {
        for name in ["acting", "widgets", "graphics", "landmarks"] {
            let page = open(&context, &site, name).await;
            let tree = page
                .snapshot_tree(0, SnapshotTreeOptions { all_refs: true, ..Default::default() })
                .await
                .unwrap();
            let text = render(&tree, &Options { all_refs: true, ..Options::default() }).text;
            for line in text.lines().filter(|line| !line.trim_start().starts_with("- /")) {
                assert!(line.contains(" [ref="), "{name}: {line} in\n{text}");
            }
            let plain = page.snapshot_tree(0, SnapshotTreeOptions::default()).await.unwrap();
            let without = render(&tree.without_all_refs_nodes(), &Options::default()).text;
            assert_eq!(without, render(&plain, &Options::default()).text, "{name}");
            if name == "acting" {
                assert!(text.contains(r#"[hint="rect, grey"]"#), "{text}");
            }
            page.close().await.unwrap();
        }
    });
}

/// A page that shows nothing though it holds something is told as such, with what it holds.
#[test]
fn a_page_that_shows_nothing_is_reported_by_what_it_holds() {
    drive(async |context, site| {
        for (style, unseen) in [("display: none", true), ("visibility: hidden", true), ("margin: 0", false)] {
            site.page("/unseen", &format!(r#"<body style="{style}"><h1>Title</h1><button>Go on</button>"#));
            let page = context.new_page().await.unwrap();
            page.goto(&site.url("/unseen"), &NavigateOptions::default()).await.unwrap();
            let tree = page.snapshot_tree(0, SnapshotTreeOptions::default()).await.unwrap();
            assert_eq!(tree.unseen, unseen, "{style}");
            let text = render(&tree, &Options::default()).text;
            assert!(
                text.contains(r#"heading "Title""#) && text.contains(r#"button "Go on" [ref="#),
                "{style}: {text}"
            );
            page.close().await.unwrap();
        }
    });
}

/// The whole of a page of shadow roots, closed ones in closed ones too, and of one of all kinds of widgets.
#[test]
fn shadow_roots_and_widgets_read_like_any_other_part() {
    drive(async |context, site| {
        for name in ["shadow", "widgets", "forms"] {
            let page = open(&context, &site, name).await;
            let tree = page.snapshot_tree(0, SnapshotTreeOptions::default()).await.unwrap();
            insta::assert_snapshot!(format!("the_page_of_{name}"), render(&tree, &Options::default()).text);
        }
    });
}

async fn open(context: &BrowserContext, site: &Site, name: &str) -> Page {
    let html = fs::read_to_string(format!("tests/pages/oracle/{name}.html")).unwrap();
    site.page(&format!("/{name}"), &html);
    let page = context.new_page().await.unwrap();
    page.goto(&site.url(&format!("/{name}")), &NavigateOptions::default()).await.unwrap();
    page
}

/// The elements of the main frame, by the browser's number for them.
async fn backend_ids<'a>(page: &Page, tree: &'a Tree) -> HashMap<i64, &'a Node> {
    let frame = page.main_frame();
    let world = frame.utility_world().await.unwrap();
    let mut ids = HashMap::new();
    for node in tree.nodes().iter().filter(|node| node.number > 0 && node.frame == frame.number()) {
        let handle = world.call_handle("byRef", vec![value_argument(&node.number)]).await.unwrap().unwrap();
        let describe = DescribeNode { object_id: Some(handle.id().to_owned()), ..DescribeNode::default() };
        ids.insert(world.session().call(describe).await.unwrap().node.backend_node_id, node);
    }
    ids
}

async fn judge(page: &Page) -> HashMap<i64, Judged> {
    let reply = page.session().call(GetFullTree {}).await.unwrap();
    let nodes = reply["nodes"].as_array().unwrap();
    let by_id: HashMap<&str, &Value> =
        nodes.iter().map(|node| (node["nodeId"].as_str().unwrap(), node)).collect();
    let role = |node: &Value| node["role"]["value"].as_str().unwrap_or_default().to_owned();
    let around = |node: &Value| {
        let up = |node: &&Value| by_id.get(node["parentId"].as_str()?).copied();
        std::iter::successors(up(&node), up).map(role).collect()
    };
    let accessible = nodes.iter().filter(|node| node["ignored"] != true);
    accessible
        .filter_map(|node| {
            let properties = node["properties"].as_array().into_iter().flatten();
            let judged = Judged {
                role: role(node),
                name: blanks_as_one(node["name"]["value"].as_str().unwrap_or_default()),
                properties: properties
                    .map(|property| {
                        (property["name"].as_str().unwrap().to_owned(), property["value"]["value"].clone())
                    })
                    .collect(),
                around: around(node),
            };
            Some((node["backendDOMNodeId"].as_i64()?, judged))
        })
        .collect()
}

fn blanks_as_one(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All that the two say differently, in sentences.
fn compare(ours: &HashMap<i64, &Node>, judged: &HashMap<i64, Judged>) -> Vec<String> {
    let mut differences = Vec::new();
    for (id, node) in ours {
        match judged.get(id) {
            // An area of an image map has no box, and the browser tells nothing of it.
            None if node.role == "link" && node.name.as_ref() == "Area" => {}
            // What is aria-hidden or inert is painted all the same.
            None if matches!(node.name.as_ref(), "and its button" | "inert button") => {}
            None if node.name.is_empty() && matches!(node.role, "paragraph" | "generic") => {}
            None => differences.push(format!("only we tell of {} {:?}", node.role, node.name)),
            Some(judged) if is_known_difference(node, judged) => {}
            Some(judged) => differences.extend(disagreements(node, judged)),
        }
    }
    for (id, judged) in judged {
        if !ours.contains_key(id) && matters(judged) {
            differences.push(format!("only the browser tells of {} {:?}", judged.role, judged.name));
        }
    }
    differences.sort();
    differences
}

/// What we say in our own way on purpose.
fn is_known_difference(node: &Node, judged: &Judged) -> bool {
    match (node.role, judged.role.as_str()) {
        // An editor is there to be typed into; the browser calls it generic unless the page says more. A label whose
        // control no one sees is what a person clicks. A video that cannot play is named by its complaint.
        ("textbox", "generic") | ("checkbox" | "radio", "LabelText") | ("video", "Video") => true,
        // Two rows of two cells are still read as rows.
        ("table" | "row" | "cell", layout) => layout.starts_with("LayoutTable") && node.name.is_empty(),
        // HTML-AAM has a figure named by its caption; this browser does not.
        ("figure", "figure") => judged.name.is_empty(),
        // Something to click that has no role.
        (_, "generic" | "none") => node.is_control() && node.role == "generic",
        _ => false,
    }
}

fn disagreements(node: &Node, judged: &Judged) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |what: &str, ours: String, theirs: String| {
        if ours != theirs {
            found.push(format!(
                "{what} of {} {:?}: {ours} for us, {theirs} for the browser",
                node.role, node.name
            ));
        }
    };
    check("the role", node.role.to_owned(), plain_role(&judged.role).to_owned());
    // Rows, cells and items are told by what they hold.
    let by_content =
        matches!(node.role, "cell" | "gridcell" | "columnheader" | "rowheader" | "row" | "listitem");
    if !(by_content && node.name.is_empty()) {
        check("the name", node.name.to_string(), judged.name.clone());
    }
    let details = node.details.as_deref().cloned().unwrap_or_default();
    let is_true = |name: &str| judged.properties.get(name) == Some(&Value::Bool(true));
    check("disabled", details.disabled.is_some().to_string(), is_true("disabled").to_string());
    check("required", details.required.is_some().to_string(), is_true("required").to_string());
    let mixed = |state: Option<u8>| ["false", "true", "mixed"][usize::from(state.unwrap_or(0))].to_owned();
    for (name, ours) in [("checked", mixed(details.checked)), ("pressed", mixed(details.pressed))] {
        let theirs = judged.properties.get(name).and_then(Value::as_str).unwrap_or("false");
        check(name, ours, theirs.to_owned());
    }
    // A drop-down is always one that opens; only one made by a page says whether it is open.
    if node.role != "combobox" {
        let theirs = judged.properties.get("expanded").and_then(Value::as_bool);
        check("expanded", format!("{:?}", details.expanded.map(|state| state == 1)), format!("{theirs:?}"));
    }
    if node.role == "heading" {
        let theirs = judged.properties.get("level").and_then(Value::as_u64);
        check("the level", format!("{:?}", details.level.map(u64::from)), format!("{theirs:?}"));
    }
    found
}

/// The browser has more words than ARIA.
fn plain_role(role: &str) -> &str {
    match role {
        "image" | "SvgRoot" => "img",
        "DisclosureTriangle" => "button",
        "Date" | "DateTime" | "InputTime" | "ColorWell" => "textbox",
        "Details" => "group",
        "Iframe" => "iframe",
        "Canvas" => "canvas",
        "MathMLMath" => "math",
        role => role,
    }
}

/// True for what may not be missing: what can be acted on, and the parts of a page.
fn matters(judged: &Judged) -> bool {
    // What the browser draws itself, inside a date field or below a film, and what is told on its owner's line.
    const OWN: [&str; 9] = [
        "Date",
        "DateTime",
        "InputTime",
        "ColorWell",
        "Video",
        "Audio",
        "spinbutton",
        "combobox",
        "MenuListPopup",
    ];
    const WORDS: [&str; 10] = [
        "StaticText",
        "InlineTextBox",
        "RootWebArea",
        "generic",
        "none",
        "paragraph",
        "LabelText",
        "SvgRoot",
        "image",
        "listitem",
    ];
    let is_own = judged.around.iter().any(|role| OWN.contains(&role.as_str()));
    // In a box of no height, or of no size at all: the browser counts them, a person cannot see or click them.
    let is_folded = judged.name == "folded button" || (judged.role == "Iframe" && judged.name.is_empty());
    let plain = plain_role(&judged.role);
    let is_known = [
        "article",
        "banner",
        "blockquote",
        "button",
        "cell",
        "checkbox",
        "columnheader",
        "combobox",
        "complementary",
        "contentinfo",
        "dialog",
        "figure",
        "form",
        "grid",
        "gridcell",
        "group",
        "heading",
        "iframe",
        "img",
        "link",
        "list",
        "listbox",
        "main",
        "menu",
        "menubar",
        "menuitem",
        "menuitemcheckbox",
        "menuitemradio",
        "meter",
        "navigation",
        "option",
        "progressbar",
        "radio",
        "radiogroup",
        "region",
        "row",
        "rowheader",
        "scrollbar",
        "search",
        "searchbox",
        "separator",
        "slider",
        "spinbutton",
        "status",
        "switch",
        "tab",
        "table",
        "tablist",
        "tabpanel",
        "textbox",
        "toolbar",
        "tooltip",
        "tree",
        "treeitem",
        "alert",
        "log",
        "note",
    ]
    .contains(&plain);
    is_known && !is_own && !is_folded && !WORDS.contains(&judged.role.as_str())
}
