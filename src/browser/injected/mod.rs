//! The JavaScript that runs in a page's isolated world: one function, made of the files beside this one.
//!
//! The page cannot see any of it: nothing is written to the document, and only members of this world's own
//! prototypes are called. The value of [`engine_script`] is the engine, the same one each time. Methods are
//! called with `function(method, ...rest) { return this[method](...rest) }` on the engine's object id.
//!
//! # Reading a frame
//!
//! `engine.walk({root, boxes, allRefs})` returns one JSON string for [`crate::snapshot::Frame::parse`]. Some facts are
//! known only to the browser. They are passed to the engine, and the walk is repeated:
//!
//! 1. **Child frames.** `engine.adoptFrame(owner, number)` for each `<iframe>` element that owns a frame
//!    (`DOM.getFrameOwner`, then `DOM.resolveNode` into this world). The walk then contains the number, at the place
//!    where [`crate::snapshot::Tree::assemble`] inserts that frame's own walk. The number is kept with the document.
//! 2. **Closed shadow roots.** The walk returns `suspects`, the number of elements that may have one and were not
//!    checked. When it is above zero:
//!    - call `engine.suspects()` **by handle** (not by value): the array of those elements, handed out once;
//!    - few of them: `Runtime.getProperties` on the array, then `DOM.describeNode {objectId, depth: 1, pierce: true}`
//!      on each, all in one write; many: one `DOM.describeNode {depth: -1, pierce: true}` on the document;
//!    - for each `shadowRoots` entry whose `shadowRootType` is `closed`:
//!      `DOM.resolveNode {backendNodeId, executionContextId}` and `engine.adoptClosedRoot(null, root)` (the root knows
//!      its host);
//!    - if any was adopted, walk again and repeat, since a closed root may contain other hosts; if none was, the first
//!      walk is complete.
//!
//!    An element is a suspect once in the life of a document, and once more if it later looks hollow (its children
//!    are not drawn, or it is drawn and empty). Documents of up to 2,000 elements have every possible host checked;
//!    in larger ones only custom elements and hollow hosts are.
//!
//! 3. **Element internals.** The walk returns `customs`, the number of custom elements whose role and states only the
//!    browser may know. When it is above zero: `engine.customs()` by handle, `Accessibility.getPartialAXTree` for
//!    each, and `engine.adoptInternals(elements, attributes)`; if that returns true, walk again.
//! 4. **Listeners.** `engine.adoptHearers(...elements)` for elements with pointer listeners, which only the browser
//!    can list. Walk again if any of them are new.
//!
//! `engine.tells(text)` returns whether a walk would contain a text, and the numbers of the child frames in the walk.
//!
//! `engine.byRef(number)` returns the node by handle, or null when it has left the document.
//!
//! # Finding elements
//!
//! `engine.select(chain, root)` returns the array of elements that a `selector::SelectorChain` finds below `root`
//! (null: the document); `first` returns the first one or null, and `count` their number. `Selector::refused`
//! converts their exceptions. Closed shadow roots are searched once they were adopted.

use std::sync::LazyLock;

use crate::error::{CoveringElement, Obstacle};

/// The obstacle that a probe reports. `None` for a node that is gone, and will not come back.
pub fn parse_obstacle(blocked: &str, by: Option<CoveringElement>) -> Option<Obstacle> {
    match blocked {
        "missing" => None,
        "hidden" => Some(Obstacle::Hidden),
        "moving" => Some(Obstacle::Moving),
        "disabled" => Some(Obstacle::Disabled),
        "readonly" => Some(Obstacle::ReadOnly),
        "inert" => Some(Obstacle::Inert),
        "clipped" => Some(Obstacle::Clipped),
        "pointerless" => Some(Obstacle::Pointerless),
        "locked" => Some(Obstacle::PointerLocked),
        "covered" => Some(Obstacle::CoveredBy(Box::new(by.unwrap_or_default()))),
        _ => Some(Obstacle::OutsideViewport),
    }
}

/// An expression that returns the engine. Files come after those that they use. The first node number is read from
/// the world, so that the text is the same for each document and the browser compiles it once.
const ENGINE: &str = concat!(
    "(function (firstRef) {\n\"use strict\";\nif (globalThis.engine) return globalThis.engine.from(firstRef);\n",
    "const engine = (globalThis.engine = {});\n",
    include_str!("timers.js"),
    "{\n",
    include_str!("dom.js"),
    "}\n{\n",
    include_str!("hover.js"),
    "}\n{\n",
    include_str!("refs.js"),
    "}\n{\n",
    include_str!("sight.js"),
    "}\n{\n",
    include_str!("hint.js"),
    "}\n{\n",
    include_str!("look.js"),
    "}\n{\n",
    include_str!("walk.js"),
    "}\n{\n",
    include_str!("probe.js"),
    "}\n{\n",
    include_str!("reach.js"),
    "}\n{\n",
    include_str!("calm.js"),
    "}\n{\n",
    include_str!("act.js"),
    "}\n{\n",
    include_str!("control.js"),
    "}\n{\n",
    include_str!("typed.js"),
    "}\n{\n",
    include_str!("drag.js"),
    "}\n{\n",
    include_str!("watch.js"),
    "}\n{\n",
    include_str!("reached.js"),
    "}\n{\n",
    include_str!("select.js"),
    "}\n{\n",
    include_str!("expect.js"),
    "}\n{\n",
    include_str!("picture.js"),
    "}\n{\n",
    include_str!("unseen.js"),
    "}\n{\n",
    include_str!("consent.js"),
    "}\n{\n",
    include_str!("scroll.js"),
    "}\nreturn engine;\n})(globalThis.firstRef)"
);

/// The script that is sent, without comments and indentation, which are a fifth of it.
static SENT: LazyLock<String> = LazyLock::new(|| without_notes(ENGINE));

/// An expression that returns the engine, in a world where [`first_ref_script`] was evaluated.
pub fn engine_script() -> String {
    SENT.clone()
}

/// A script that sets the first node number of the world's document.
pub fn first_ref_script(first_ref: u32) -> String {
    format!("globalThis.firstRef = {first_ref}")
}

/// A function body that calls `function` with an engine of its own and leaves nothing behind, for browsers
/// without isolated worlds. Node numbers start at 1.
pub fn function_with_injected_script(function: &str) -> String {
    let engine = &*SENT;
    format!(
        "const globalThis = Object.create(window, {{ engine: {{ value: undefined, writable: true }}, \
         firstRef: {{ value: 1 }} }});\nconst engine = {engine};\nreturn ({function})(...arguments);"
    )
}

/// Removes indentation and comment lines from a script, whose multi-line strings must not depend on either.
fn without_notes(script: &str) -> String {
    let mut in_comment = false;
    let mut lines = Vec::new();
    for line in script.lines().map(str::trim) {
        let begins = line.starts_with("/*");
        if !in_comment && !begins && !line.is_empty() && !line.starts_with("//") {
            lines.push(line);
        }
        in_comment = (in_comment || begins) && !line.ends_with("*/");
    }
    lines.join("\n")
}

/// A script as a callable expression: without the trailing semicolon of a file.
pub(super) fn as_function(script: &str) -> &str {
    script.trim().trim_end_matches(';')
}

#[cfg(test)]
mod tests {
    use super::{ENGINE, SENT, without_notes};

    #[test]
    fn what_only_readers_need_is_not_sent() {
        let script =
            "/** Says it. */\nconst a = 1; // one\n\n  /*\n  It is\n   two. */\n  // three\n  b(a * 2);\n";
        assert_eq!(without_notes(script), "const a = 1; // one\nb(a * 2);");
    }

    #[test]
    fn what_begins_with_a_comment_holds_nothing_else() {
        // Code after a comment on the same line would not be sent.
        let ends = |line: &str| line.find("*/").is_some_and(|at| at + 2 < line.trim_end().len());
        let notes = |line: &&str| line.trim_start().starts_with("/*") || line.trim_start().starts_with("* ");
        assert_eq!(ENGINE.lines().filter(notes).find(|line| ends(line)), None);
        assert!(SENT.len() < ENGINE.len() * 9 / 10, "{} of {}", SENT.len(), ENGINE.len());
    }
}
