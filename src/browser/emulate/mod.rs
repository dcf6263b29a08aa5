//! Emulation of a page's environment: device, geolocation, clock, passkeys, storage and local files.
pub(super) mod clock;
pub(super) mod overrides;
pub(super) mod local_files;
pub(super) mod passkey;
pub(super) mod storage;
pub(super) mod ip_location;
