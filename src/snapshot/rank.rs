//! Ranks elements by how well they match a description in words.
use super::tree::{Node, Tree};

/// Words in a query that do not describe an element.
const EMPTY: [&str; 22] = [
    "the", "a", "an", "to", "of", "for", "in", "on", "at", "with", "that", "which", "this", "and", "or",
    "is", "it", "page", "element", "elements", "all", "any",
];

/// Words for kinds of elements, with the roles that each group of words means.
const KINDS: [(&[&str], &[&str]); 14] = [
    (&["button", "buttons"], &["button"]),
    (&["link", "links"], &["link"]),
    (
        &["field", "fields", "input", "inputs", "box", "bar", "textbox", "text"],
        &["textbox", "searchbox", "combobox", "spinbutton"],
    ),
    (&["search"], &["searchbox"]),
    (&["checkbox", "checkboxes", "tick"], &["checkbox"]),
    (&["dropdown", "select", "list", "combobox", "picker"], &["combobox", "listbox", "list"]),
    (&["menu", "menus"], &["menu", "menubar", "navigation"]),
    (&["option", "options"], &["option", "menuitem", "radio"]),
    (&["radio", "choice"], &["radio"]),
    (&["toggle", "switch"], &["switch", "checkbox"]),
    (&["tab", "tabs"], &["tab"]),
    (&["image", "images", "picture", "icon", "logo", "photo"], &["img"]),
    (&["heading", "headings", "title", "headline"], &["heading"]),
    (&["slider", "range"], &["slider"]),
];

/// The score for a word that the element contains.
const WORD: f64 = 3.0;
/// The score for a word of the query that is a prefix of a word in the element, or has such a word as its prefix.
const BEGINNING: f64 = 2.0;
/// The score for a word that names the role of the element.
const ROLE: f64 = 1.5;
/// The additional score of a control.
const ACTS: f64 = 0.5;
/// The minimum score of a result, relative to the best result.
const LEAST_SHARE: f64 = 0.6;

/// Returns the elements that match a description, best first, at most `most`.
pub fn rank<'a>(tree: &'a Tree, query: &str, most: usize) -> Vec<&'a Node> {
    let wanted: Vec<String> = words(query).filter(|word| !EMPTY.contains(&word.as_str())).collect();
    let mut scored: Vec<(f64, &Node)> = tree
        .nodes()
        .iter()
        .filter(|node| node.number > 0)
        .map(|node| (score(node, &wanted), node))
        .filter(|(score, _)| *score > 0.0)
        .collect();
    // The sort is stable: elements with the same score stay in page order.
    scored.sort_by(|one, other| other.0.total_cmp(&one.0));
    let best = scored.first().map_or(0.0, |(score, _)| *score);
    scored
        .into_iter()
        .take_while(|(score, _)| *score >= best * LEAST_SHARE)
        .take(most)
        .map(|(_, node)| node)
        .collect()
}

fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn score(node: &Node, wanted: &[String]) -> f64 {
    let details = node.details.as_deref();
    let said =
        [Some(&node.name), details.and_then(|d| d.hint.as_ref()), details.and_then(|d| d.value.as_ref())];
    let own: Vec<String> =
        said.into_iter().flatten().flat_map(|text| words(text).collect::<Vec<_>>()).collect();
    let (mut score, mut named, mut asks_name) = (0.0, false, false);
    for word in wanted {
        let by_name = own.iter().map(|own| likeness(own, word)).fold(0.0, f64::max);
        let kinds = KINDS.iter().filter(|(names, _)| names.contains(&word.as_str()));
        let by_role = kinds.clone().any(|(_, roles)| roles.contains(&node.role));
        asks_name |= kinds.count() == 0;
        named |= by_name > 0.0;
        score += by_name.max(if by_role { ROLE } else { 0.0 });
    }
    // If the description says more than a kind of element, matching only the kind is not enough.
    if score <= 0.0 || (asks_name && !named) {
        return 0.0;
    }
    // Of two elements that contain the same words, the one with less other text ranks higher.
    let length = f64::from(u32::try_from(own.len()).unwrap_or(u32::MAX));
    score / (1.0 + length / 20.0) + if node.is_control() { ACTS } else { 0.0 }
}

fn likeness(own: &str, word: &str) -> f64 {
    let shorter = own.chars().count().min(word.chars().count());
    match own == word {
        true => WORD,
        false if shorter >= 3 && (own.starts_with(word) || word.starts_with(own)) => BEGINNING,
        false => 0.0,
    }
}
