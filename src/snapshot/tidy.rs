//! Removes duplicate nodes: wrappers that are clickable only because of their content, links in tabs with the
//! same name, a combobox inside another.
use super::roles;
use super::tree::Node;
use super::walked::NodeDetails;

/// Removes nodes that only repeat their content or their parent.
pub(super) fn tidy(nodes: &mut Vec<Node>) {
    let ends = ends(nodes);
    let insides: Vec<Inside> = insides(nodes, &ends);
    let all_refs = nodes.iter().any(|node| node.is_text() && node.number > 0);
    for (index, inside) in insides.iter().enumerate() {
        if is_hollow(nodes, index, inside) {
            forget_clickable(&mut nodes[index], all_refs);
        }
    }
    let mut repeats = vec![false; nodes.len()];
    for (index, inside) in insides.iter().enumerate() {
        if let Some((kept, repeated)) = repeated(nodes, inside, index) {
            repeats[repeated] = true;
            take_over(nodes, kept, repeated);
        }
    }
    dissolve(nodes, &repeats, &ends);
}

/// Counts for the content of a node.
#[derive(Debug, Clone, Copy, Default)]
struct Inside {
    /// The number of controls in the node.
    acts: usize,
    /// The index of the last control.
    acting: usize,
    /// The number of texts and images that are not part of a control.
    says: usize,
}

fn ends(nodes: &[Node]) -> Vec<usize> {
    let mut ends = vec![nodes.len(); nodes.len()];
    let mut open: Vec<usize> = Vec::new();
    for (index, node) in nodes.iter().enumerate() {
        while open.last().is_some_and(|&last| nodes[last].depth >= node.depth) {
            ends[open.pop().expect("just seen")] = index;
        }
        open.push(index);
    }
    ends
}

fn insides(nodes: &[Node], ends: &[usize]) -> Vec<Inside> {
    let mut insides = vec![Inside::default(); nodes.len()];
    for index in (0..nodes.len()).rev() {
        let mut inside = Inside::default();
        let mut child = index + 1;
        while child < ends[index] {
            let node = &nodes[child];
            if node.is_control() {
                inside.acts += 1 + insides[child].acts;
                inside.acting = child;
            } else {
                inside.acts += insides[child].acts;
                inside.acting = inside.acting.max(insides[child].acting);
                inside.says += insides[child].says + usize::from(says(node));
            }
            child = ends[child];
        }
        insides[index] = inside;
    }
    insides
}

fn says(node: &Node) -> bool {
    let shows = matches!(node.role, "img" | "canvas" | "video" | "iframe" | "progressbar" | "meter");
    shows || !node.name.trim().is_empty()
}

/// Whether a node is clickable only because it contains controls: its cursor or listener is for them.
fn is_hollow(nodes: &[Node], index: usize, inside: &Inside) -> bool {
    let node = &nodes[index];
    if !node.is_clickable() || roles::is_interactive(node.role) || inside.acts == 0 || inside.says > 0 {
        return false;
    }
    if repeated(nodes, inside, index).is_some() {
        return false;
    }
    roles::holds_items(node.role) || (node.role == "generic" && node.name.is_empty())
}

fn forget_clickable(node: &mut Node, all_refs: bool) {
    if let Some(details) = &mut node.details {
        (details.clickable, details.hint) = (None, None);
        (details.mark, details.cover) = (None, None);
    }
    node.details.take_if(|details| **details == NodeDetails::default());
    if node.is_group() && !all_refs {
        node.number = 0;
    }
}

/// Returns the indexes `(kept, repeated)` if a node and the only control in it are duplicates.
fn repeated(nodes: &[Node], inside: &Inside, index: usize) -> Option<(usize, usize)> {
    let node = &nodes[index];
    if !node.is_control() || inside.acts != 1 {
        return None;
    }
    let inner = &nodes[inside.acting];
    let same = inner.name == node.name;
    let nameless = inner.name.is_empty();
    let read_only = inner.details.as_ref().is_some_and(|details| details.read_only.is_some());
    match (node.role, inner.role) {
        ("tab" | "menuitem" | "option" | "treeitem", "link") if same => Some((index, inside.acting)),
        ("combobox", "combobox") if nameless => Some((index, inside.acting)),
        ("combobox", "combobox") if node.name.is_empty() => Some((inside.acting, index)),
        ("combobox", "textbox") if same && read_only => Some((index, inside.acting)),
        // A container that has the same name as its only control.
        ("generic", _) if same && !nameless && inside.says == 0 => Some((inside.acting, index)),
        // Both are clickable, but only the outer one has a role.
        (outer, "generic") if outer != "generic" && nameless && inside.says == 0 && node.is_clickable() => {
            Some((index, inside.acting))
        }
        _ => None,
    }
}

/// Copies URL, value and states of the node `repeated` to the node `kept`.
fn take_over(nodes: &mut [Node], kept: usize, repeated: usize) {
    let given = nodes[repeated].details.take();
    // If the pointer can reach one of the two nodes, it can reach the control.
    if given.as_ref().is_none_or(|given| given.mark.is_none())
        && let Some(details) = &mut nodes[kept].details
    {
        (details.mark, details.cover) = (None, None);
    }
    let Some(given) = given else { return };
    let names = nodes[kept].name.clone();
    let details = nodes[kept].details.get_or_insert_default();
    details.url = details.url.take().or(given.url);
    details.value = details.value.take().or(given.value).filter(|value| *value != names);
    details.active = details.active.or(given.active);
    details.expanded = details.expanded.or(given.expanded);
}

/// Removes the nodes in `repeats` and puts their children in their place.
fn dissolve(nodes: &mut Vec<Node>, repeats: &[bool], ends: &[usize]) {
    if !repeats.contains(&true) {
        return;
    }
    for (index, _) in repeats.iter().enumerate().filter(|(_, repeats)| **repeats) {
        for node in &mut nodes[index + 1..ends[index]] {
            node.depth -= 1;
        }
    }
    let mut repeats = repeats.iter();
    nodes.retain(|_| !repeats.next().copied().unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::super::{Frame, Options, Tree, render};

    fn shown(nodes: &str) -> String {
        let frame = Frame::parse(&format!(r#"{{"first":1,"last":99,"nodes":{nodes}}}"#)).unwrap();
        let tree = Tree::assemble(0, 0, 0, [(0, frame)].into());
        render(&tree, &Options::default()).text
    }

    #[test]
    fn a_list_is_not_clickable_because_its_items_are() {
        let text = shown(r#"[[0,"tablist",1,"",{"c":1}],[1,"tab",2,"One"],[1,"tab",3,"Two"]]"#);
        assert_eq!(text.matches("cursor").count(), 0, "{text}");
        assert_eq!(text.matches("tab \"").count(), 2, "{text}");
    }

    #[test]
    fn a_card_that_says_something_itself_stays_clickable() {
        let text = shown(r#"[[0,"generic",1,"",{"c":1}],[1,"About a boat"],[1,"button",2,"Buy"]]"#);
        assert!(text.contains("generic [ref=e1] [cursor=pointer]"), "{text}");
    }

    #[test]
    fn a_header_that_listens_is_one_with_its_label_that_listens_too() {
        let text = shown(r#"[[0,"columnheader",1,"",{"c":2}],[1,"generic",2,"",{"c":2}],[2,"Year"]]"#);
        assert_eq!(text.trim(), "- columnheader [ref=e1]: Year");
    }

    #[test]
    fn a_box_that_is_called_what_its_button_is_called_is_left_out() {
        let text = shown(r#"[[0,"generic",1,"Save",{"c":1}],[1,"button",2,"Save"]]"#);
        assert_eq!(text.trim(), r#"- button "Save" [ref=e2]"#);
    }

    #[test]
    fn a_link_that_repeats_its_tab_is_left_out_and_its_address_kept() {
        let text = shown(r#"[[0,"tab",1,"Home"],[1,"link",2,"Home",{"u":"/home"}],[2,"img",3,"house"]]"#);
        assert!(text.contains("/url: /home") && !text.contains("link"), "{text}");
        assert!(text.contains("house"), "{text}");
    }

    #[test]
    fn a_combobox_in_a_combobox_is_one() {
        let text = shown(r#"[[0,"combobox",1,"",{"v":"City","x":0}],[1,"combobox",2,"City",{"v":"Lima"}]]"#);
        assert_eq!(text.trim(), r#"- combobox "City" [expanded=false] [ref=e2]: Lima"#);
        let text = shown(r#"[[0,"combobox",1,"City"],[1,"combobox",2,"",{"v":"Lima","a":1}]]"#);
        assert_eq!(text.trim(), r#"- combobox "City" [active] [ref=e1]: Lima"#);
    }
}
