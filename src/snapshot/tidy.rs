//! Removes duplicate nodes: wrappers that are clickable only because of their content, links in tabs with the
//! same name, a combobox inside another. Also removes nodes of which nothing is drawn.
use super::roles;
use super::tree::Node;
use super::walked::{NodeDetails, PointerObstacle};

/// Removes nodes that only repeat their content or their parent.
pub(super) fn tidy(nodes: &mut Vec<Node>) {
    let ends = ends(nodes);
    let insides: Vec<Inside> = insides(nodes, &ends);
    let all_refs = nodes.iter().any(|node| node.is_text() && node.number > 0);
    for index in 0..insides.len() {
        if is_hollow(nodes, &insides, index) {
            forget_clickable(&mut nodes[index], all_refs);
        }
    }
    if !all_refs {
        pass_to_holders(nodes, &ends);
    }
    let mut repeats = vec![false; nodes.len()];
    for index in 0..insides.len() {
        if let Some((kept, repeated)) = repeated(nodes, &insides, index) {
            repeats[repeated] = true;
            take_over(nodes, kept, repeated);
        }
    }
    for index in (0..nodes.len()).filter(|_| !all_refs) {
        let is_leaf = ends[index] == index + 1;
        repeats[index] |=
            is_leaf && (is_of_no_use(&nodes[index]) || is_icon_of_next(nodes, index, ends[index]));
    }
    dissolve(nodes, &repeats, &ends);
}

/// Turns controls that let the pointer through to a control around them, such as those in the preview on a card,
/// into content of that control.
fn pass_to_holders(nodes: &mut [Node], ends: &[usize]) {
    let mut within = 0;
    for index in 0..nodes.len() {
        let node = &mut nodes[index];
        let obstacle = node.pointer_obstacle();
        if node.is_control() && obstacle.is_none() {
            within = within.max(ends[index]);
        } else if index < within
            && obstacle == Some(PointerObstacle::NoPointer)
            && node.details.as_ref().is_none_or(|details| details.disabled.is_none())
            && matches!(node.role, "button" | "link" | "gridcell" | "generic" | "option" | "tab" | "menuitem")
        {
            let is_named_only = !node.name.is_empty() && ends[index] == index + 1;
            (node.role, node.details) = (if is_named_only { "text" } else { "generic" }, None);
            node.number = 0;
        }
    }
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
fn is_hollow(nodes: &[Node], insides: &[Inside], index: usize) -> bool {
    let (node, inside) = (&nodes[index], &insides[index]);
    if !node.is_clickable() || roles::is_interactive(node.role) || inside.acts == 0 || inside.says > 0 {
        return false;
    }
    if repeated(nodes, insides, index).is_some() {
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
fn repeated(nodes: &[Node], insides: &[Inside], index: usize) -> Option<(usize, usize)> {
    let (node, inside) = (&nodes[index], &insides[index]);
    if !node.is_control() || inside.acts == 0 || inside.acts > 1 + insides[inside.acting].acts {
        return None;
    }
    let inner = &nodes[inside.acting];
    let same = inner.name == node.name;
    let nameless = inner.name.is_empty();
    if same && !nameless && inside.says == 0 && inner.role == node.role && adds_nothing(inner, node) {
        return Some((index, inside.acting));
    }
    if inside.acts > 1 {
        return None;
    }
    let read_only = inner.details.as_ref().is_some_and(|details| details.read_only.is_some());
    match (node.role, inner.role) {
        ("tab" | "menuitem" | "option" | "treeitem", "link") if same => Some((index, inside.acting)),
        // The item of a menu or a link, around the button or tab that it shows.
        ("menuitem", "button") | ("link", "button" | "tab")
            if same && !nameless && inside.says == 0 && adds_nothing(node, inner) =>
        {
            Some((inside.acting, index))
        }
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

/// Whether a node that takes no press draws nothing, or is unknown by role and name.
fn is_of_no_use(node: &Node) -> bool {
    let (is_generic, is_nameless) = (node.role == "generic", node.name.is_empty());
    match node.pointer_obstacle() {
        Some(PointerObstacle::Hidden) => is_generic || is_nameless,
        obstacle => obstacle.is_some() && is_generic && is_nameless,
    }
}

/// Whether a nameless part is clickable together with the named one after it, as the icon of an entry is.
fn is_icon_of_next(nodes: &[Node], index: usize, next: usize) -> bool {
    let is_part = |node: &Node| node.role == "generic" && node.is_clickable();
    let (node, Some(next)) = (&nodes[index], nodes.get(next)) else { return false };
    is_part(node)
        && node.name.is_empty()
        && node.fallback_label().is_none()
        && is_part(next)
        && next.depth == node.depth
        && !next.name.is_empty()
}

/// Whether a node has no states that the other lacks, besides those that [`take_over`] copies.
fn adds_nothing(node: &Node, other: &Node) -> bool {
    let plain = |node: &Node| {
        let details = node.details.as_deref().map(NodeDetails::content).unwrap_or_default();
        NodeDetails { url: None, value: None, expanded: None, clickable: None, hint: None, ..details }
    };
    let own = plain(node);
    own == NodeDetails::default() || own == plain(other)
}

/// Copies URL, value and states of the node `repeated` to the node `kept`.
fn take_over(nodes: &mut [Node], kept: usize, repeated: usize) {
    let given = nodes[repeated].details.take();
    // If the pointer can reach one of the two nodes, it can reach the control, unless that is disabled.
    let is_disabled = nodes[kept].details.as_ref().is_some_and(|details| details.disabled.is_some());
    if !is_disabled
        && given.as_ref().is_none_or(|given| given.mark.is_none())
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
        let tree = Tree::assemble(0, 0, 0, 0, [(0, frame)].into());
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
    fn an_item_around_a_control_with_its_role_and_name_is_one_with_it() {
        let text = shown(
            r#"[[0,"tab",1,"Log",{"s":1}],[1,"tab",2,"Log",{"s":1,"u":"/log"}],[2,"button",3,"Close"]]"#,
        );
        assert_eq!(text.matches("tab \"Log\"").count(), 1, "{text}");
        assert!(text.contains("/url: /log") && text.contains("button \"Close\""), "{text}");
        let text = shown(r#"[[0,"menuitem",1,"Reply"],[1,"button",2,"Reply",{"d":1,"m":"no pointer"}]]"#);
        assert_eq!(text.trim(), r#"- button "Reply" [disabled] [ref=e2]"#);
        let text = shown(r#"[[0,"option",1,"A"],[1,"option",2,"A",{"d":1}]]"#);
        assert_eq!(text.matches("option").count(), 2, "{text}");
    }

    #[test]
    fn what_neither_draws_anything_nor_takes_a_press_is_left_out_with_the_click_around_it() {
        let row = r#"[[0,"row",1,""],[1,"cell",2,"",{"c":2}],[2,"generic",3,"Flag",{"c":1,"m":"hidden"}],[1,"cell",4,""],[2,"Ann"]]"#;
        let text = shown(row);
        let entry = r#"[[0,"generic",1,"",{"c":1}],[0,"generic",2,"Lamp",{"c":1}],[0,"generic",3,"",{"c":1,"m":"no pointer"}]]"#;
        assert_eq!(shown(entry).trim(), "- generic \"Lamp\" [ref=e2] [cursor=pointer]");
        assert!(text.contains("| Ann") && !text.contains("generic"), "{text}");
    }

    #[test]
    fn a_combobox_in_a_combobox_is_one() {
        let text = shown(r#"[[0,"combobox",1,"",{"v":"City","x":0}],[1,"combobox",2,"City",{"v":"Lima"}]]"#);
        assert_eq!(text.trim(), r#"- combobox "City" [expanded=false] [ref=e2]: Lima"#);
        let text = shown(r#"[[0,"combobox",1,"City"],[1,"combobox",2,"",{"v":"Lima","a":1}]]"#);
        assert_eq!(text.trim(), r#"- combobox "City" [active] [ref=e1]: Lima"#);
    }
}
