//! Finding elements, acting on them, and waiting for what that causes.
pub(super) mod actionability;
pub(super) mod building;
pub(super) mod choose;
pub(super) mod control;
pub(super) mod drag;
pub(super) mod element;
pub(super) mod expect;
pub(super) mod fill;
pub mod locator;
pub(super) mod scroll;
pub(super) mod seek;
pub mod selector;
pub(super) mod settle;
pub(super) mod slider;
pub(super) mod upload;
pub(super) mod way;
pub(super) mod written;
