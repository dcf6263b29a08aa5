//! Searching in a snapshot.
use super::outline::{Detail, NOWHERE, outline};
use super::render::{Rendered, write};
use super::tree::Tree;

/// Shows the lines that contain `pattern`, whatever its case, with what holds them and `around` lines on either side.
/// `None` when there are none. At most `max_chars` characters are written, whole matches only.
pub fn find(tree: &Tree, pattern: &str, around: usize, max_chars: usize) -> Option<Rendered> {
    let detail = Detail { all_refs: true, ..Detail::FULL };
    let lines = outline(tree, 0, tree.nodes.len(), &detail);
    let pattern = pattern.to_lowercase();
    let matches: Vec<usize> =
        (0..lines.len()).filter(|&index| lines[index].text.to_lowercase().contains(&pattern)).collect();
    if matches.is_empty() {
        return None;
    }
    let mut shown = vec![false; lines.len()];
    let mut told = 0;
    let mut room = max_chars.saturating_sub(120);
    for &found in &matches {
        let near = found.saturating_sub(around)..lines.len().min(found + around + 1);
        let holders =
            std::iter::successors(Some(found), |&line| Some(lines[line].parent).filter(|&up| up != NOWHERE));
        let fresh: Vec<usize> = near.clone().chain(holders).filter(|&line| !shown[line]).collect();
        let price: usize =
            fresh.iter().map(|&line| lines[line].depth * 2 + lines[line].text.chars().count() + 4).sum();
        let Some(rest) = room.checked_sub(price) else { break };
        room = rest;
        told += 1;
        for line in fresh {
            shown[line] = true;
        }
    }
    let text = write(&lines, &shown, |_| "");
    let left = matches.len() - told;
    let cut = (left > 0).then(|| format!("{left} more matches are left out; search for something rarer."));
    let acts = lines.iter().zip(&shown).filter(|(_, shown)| **shown).map(|(line, _)| line.acts).sum();
    Some(Rendered { text, shown: acts, cut })
}
