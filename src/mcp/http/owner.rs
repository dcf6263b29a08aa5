//! The owners of API keys, and the digests by which keys are compared.
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

use crate::error::{Error, Result};
use crate::mcp::grant::OwnerPermissions;

/// The owner of an API key. Owners are isolated from each other.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Owner {
    /// The owner's name in logs.
    pub(super) name: Arc<str>,
    /// The name of the owner's folder for files; `None` if there is only one owner.
    pub(super) folder: Option<Arc<str>>,
    pub(super) grant: Arc<OwnerPermissions>,
}

/// The SHA-256 digest of an API key.
pub(super) type Fingerprint = [u8; 32];

pub(super) fn fingerprint(key: &[u8]) -> Fingerprint {
    Sha256::digest(key).into()
}

/// Compares two digests in constant time, so that the duration reveals nothing.
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

/// Returns the folder name of a key's owner. It depends only on the key, and is too short to reveal it.
pub(super) fn folder_of(digest: &Fingerprint) -> String {
    format!("key-{:02x}{:02x}{:02x}{:02x}", digest[0], digest[1], digest[2], digest[3])
}
