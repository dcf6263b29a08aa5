//! A page as text: pure functions from a walked tree to lines. No I/O.
