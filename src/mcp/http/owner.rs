//! Owners of keys, and the digests by which keys are known.
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::error::{Error, Result};
use crate::mcp::grant::Grant;

/// The owner of a key. Owners are isolated from each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Owner {
    /// The name in logs.
    pub(super) name: Arc<str>,
    /// The folder for files, if there are other owners.
    pub(super) folder: Option<Arc<str>>,
    pub(super) grant: Arc<Grant>,
}

/// The digest of a key.
pub(super) type Fingerprint = [u8; 32];

pub(super) fn fingerprint(key: &[u8]) -> Fingerprint {
    Sha256::digest(key).into()
}

/// Whether two digests are the same. The duration reveals nothing.
pub(super) fn is_same(digest: &Fingerprint, given: &Fingerprint) -> bool {
    digest.ct_eq(given).into()
}

/// Generates a key of 256 random bits.
pub fn random_key() -> Result<String> {
    let mut bits = [0; 32];
    getrandom::fill(&mut bits)
        .map_err(|error| Error::Unsupported { what: "making a key", reason: error.to_string() })?;
    Ok(URL_SAFE_NO_PAD.encode(bits))
}

/// Returns the folder name of a key, which does not depend on the order of keys. It is too short to reveal the key.
pub(super) fn folder_of(digest: &Fingerprint) -> String {
    format!("key-{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3])
}
