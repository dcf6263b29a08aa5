//! User scripts, and handles of their results.
pub(super) mod document;
pub(super) mod equality;
pub(super) mod evaluate;
pub(super) mod exposed;
pub(super) mod gesture;
pub(super) mod handle;
pub(super) mod helper;
pub(super) mod init_script;
pub(super) mod offered;
pub(super) mod reading;
pub(super) mod value;
