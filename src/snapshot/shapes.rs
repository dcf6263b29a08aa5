//! Summarises long runs of identical shapes, such as the grid lines of a chart.
use std::fmt::Write as _;

use super::outline::{Line, NOWHERE};
use super::tree::Tree;

const SHORTEST_RUN: usize = 8;

/// Summarises each run of identical shapes on its first line, unless the run is the whole snapshot.
pub(super) fn fold(tree: &Tree, lines: Vec<Line>) -> Vec<Line> {
    if lines.len() == run(tree, &lines, 0) {
        return lines;
    }
    let mut folded: Vec<Line> = Vec::with_capacity(lines.len());
    let mut moved = vec![NOWHERE; lines.len()];
    let mut index = 0;
    while index < lines.len() {
        let run = run(tree, &lines, index);
        let line = &lines[index];
        let parent = if line.parent == NOWHERE { NOWHERE } else { moved[line.parent] };
        moved[index] = folded.len();
        let mut line = Line { parent, ..line.clone() };
        if run >= SHORTEST_RUN {
            let [first, last] = [index, index + run - 1].map(|index| tree.nodes[lines[index].node].number);
            let _ = write!(line.text, " and {} like it: e{first}-e{last}", run - 1);
            line.acts = lines[index..index + run].iter().map(|line| line.acts).sum();
            index += run;
        } else {
            index += 1;
        }
        folded.push(line);
    }
    folded
}

/// Returns the number of lines from `start` whose shapes differ only in refs and positions.
fn run(tree: &Tree, lines: &[Line], start: usize) -> usize {
    let Some(first) = lines.get(start) else { return 0 };
    let kind = |line: &Line| {
        let node = &tree.nodes[line.node];
        let is_shape = node.details.as_ref().is_some_and(|details| details.extra.is_some());
        (is_shape && node.name.is_empty())
            .then(|| (line.parent, node.frame, node.role, node.fallback_label()))
    };
    let of_first = kind(first);
    match of_first {
        None => 0,
        Some(_) => lines[start..].iter().take_while(|line| kind(line) == of_first).count(),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::render::{Options, render};
    use super::super::walked::Frame;
    use super::Tree;

    fn grid(lines: usize) -> String {
        let shape = |number| format!(r#"[1,"generic",{number},"",{{"z":1,"w":"line, #eee"}}]"#);
        let lines: Vec<_> = (2..2 + lines).map(shape).collect();
        let last = r#"[1,"generic",900,"",{"z":1,"w":"rect, node"}]"#;
        let text = format!(r#"{{"first":1,"nodes":[[0,"region",1,"Flow"],{},{last}]}}"#, lines.join(","));
        let tree = Tree::assemble(0, 0, 0, 0, HashMap::from([(0, Frame::parse(&text).unwrap())]));
        render(&tree, &Options { all_refs: true, ..Options::default() }).text
    }

    #[test]
    fn the_lines_of_a_grid_are_reported_once_and_what_stands_among_them_apart() {
        let text = grid(241);
        assert!(text.contains("[hint=\"line, #eee\"] and 240 like it: e2-e242\n"), "{text}");
        assert!(text.contains("e900] [hint=\"rect, node\"]"), "{text}");
        assert_eq!(text.lines().count(), 3);
        assert_eq!(grid(7).lines().count(), 9);
    }
}
