//! A page as somebody sees it: outline, text, picture, film, paper.
pub(super) mod audit;
pub(super) mod capture;
pub(super) mod cast_frame;
pub(super) mod content;
pub(super) mod discard;
pub(super) mod dom_snapshot;
mod lay;
pub(super) mod outlined;
pub(super) mod overlay;
pub(super) mod pdf;
pub(super) mod picture;
pub(super) mod profile;
pub(super) mod retouch;
pub(super) mod screencast;
pub(super) mod screenshot;
pub(super) mod unseen;
pub(super) mod video;
pub(super) mod webm;
