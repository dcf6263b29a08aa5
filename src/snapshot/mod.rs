//! A page as text: pure functions from a walked tree to lines. No I/O.
//!
//! [`Frame::parse`] reads what the injected walk answers for one frame, [`Tree::assemble`] puts child frames where they
//! stand, and [`render`], [`diff`] and [`find`] make text of trees. Whatever a page writes, it cannot make a line or a
//! ref that is not there, and the text never exceeds its budget.
mod compact;
mod drawn_anew;
mod diff;
mod find;
mod front;
mod gone;
mod in_view;
mod left_out;
mod links;
mod outline;
mod prose;
mod rank;
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

pub use compact::{compact, quotations};
pub use diff::{Changes, Since, Tick, compare, diff};
pub use drawn_anew::drawn_anew;
pub use find::{Pattern, find};
pub use left_out::Omission;
pub use rank::rank;
pub use reference::{NotARef, Ref};
pub use render::{Options, Rendered, render};
pub use side::Key;
pub use text::quoted;
pub use tree::{Node, Tree};
pub use walked::{Details, Frame, Malformed};
