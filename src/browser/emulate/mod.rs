//! Emulation of a page's environment: device, clock, passkeys, storage, focus.
pub(super) mod clock;
pub(super) mod overrides;
pub(super) mod local_files;
pub(super) mod passkey;
pub(super) mod storage;
pub(super) mod whereabouts;
