//! Snapshots: a page as text. Pure functions from a tree to lines, without I/O.
//!
//! [`Frame::parse`] reads the result of the injected walk for one frame, [`Tree::assemble`] inserts child
//! frames, and `render`, `diff` and `find` produce text. Page content can never imitate a line or a ref, and
//! the text never exceeds its budget.
mod compact;
mod replacement_lookup;
mod diff;
mod find;
mod front;
mod gone;
mod in_view;
mod left_out;
mod links;
mod looks;
mod marks;
mod outline;
mod prose;
mod rank;
mod redrawn;
mod reference;
mod render;
mod repeated;
mod roles;
mod runs;
mod section;
mod shapes;
mod share;
mod side;
pub mod text;
mod tidy;
mod tree;
mod paper;
mod walked;

pub use compact::quoted_segments;
pub use diff::{Changes, ComparisonBase, NumericChange, diff, diff_with_base};
pub use find::{Pattern, find};
pub use left_out::Omission;
pub use looks::{DrawingCounts, TextSelection};
pub use rank::rank;
pub use redrawn::{ElementReplacement, replaced_elements};
pub use reference::{ParseRefError, Ref, target_in_line};
pub use render::{Options, RenderedSnapshot, render, render_from_offset};
pub use replacement_lookup::find_replacement;
pub use side::NodeKey;
pub use text::quoted;
pub use tree::{Node, Tree};
pub use walked::{Frame, NodeDetails, WalkParseError};
