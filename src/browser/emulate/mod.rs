//! What a page takes its surroundings for: device, clock, passkeys, storage, the tab in front.
pub(super) mod clock;
pub(super) mod overrides;
pub(super) mod local_files;
pub(super) mod passkey;
pub(super) mod storage;
pub(super) mod whereabouts;
