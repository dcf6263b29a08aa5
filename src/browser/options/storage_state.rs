//! The stored data of a context as a file, in Playwright's format.
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;
use url::Url;

use super::number::json_number;
use crate::error::{Error, Result};

/// Cookies and storage of a context, in Playwright's format.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct StorageState {
    #[serde(default)]
    pub cookies: Vec<StoredCookie>,
    #[serde(default)]
    pub origins: Vec<StoredOrigin>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<Passkey>,
}

/// The kinds of storage that a storage state includes besides cookies and local storage.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct StorageStateOptions {
    pub databases: bool,
    /// Whether to include the origin private file systems (OPFS).
    pub private_files: bool,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredCookie {
    pub name: String,
    pub value: String,
    /// The cookie's domain. A leading dot includes subdomains.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub domain: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub path: String,
    /// A URL that determines domain and path, instead of these two fields.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The expiry as a Unix time in seconds; -1 for a session cookie.
    #[serde(default = "session_only", serialize_with = "as_whole_number")]
    pub expires: f64,
    #[serde(default)]
    pub http_only: bool,
    #[serde(default)]
    pub secure: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub same_site: Option<SameSite>,
    /// The top-level site of a partitioned cookie.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub partition_key: Option<String>,
    #[serde(
        default,
        rename = "_crHasCrossSiteAncestor",
        alias = "hasCrossSiteAncestor",
        skip_serializing_if = "Option::is_none"
    )]
    pub has_cross_site_ancestor: Option<bool>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::IntoStaticStr)]
pub enum SameSite {
    Strict,
    Lax,
    None,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StoredOrigin {
    pub origin: String,
    #[serde(default)]
    pub local_storage: Vec<WebStorageItem>,
    /// `IndexedDB` databases, in the format of `emulate/storage/script.js`.
    #[serde(default, rename = "indexedDB", skip_serializing_if = "Vec::is_empty")]
    pub indexed_db: Vec<Value>,
    /// The entries of the origin private file system. A folder comes before its content.
    #[serde(default, rename = "opfs", skip_serializing_if = "Vec::is_empty")]
    pub private_files: Vec<OpfsEntry>,
}

/// A file or folder in an origin private file system.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase")]
pub enum OpfsEntry {
    File {
        path: String,
        /// The content of the file, Base64-encoded.
        #[serde(default)]
        base64: String,
    },
    Directory {
        path: String,
    },
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WebStorageItem {
    pub name: String,
    pub value: String,
}

pub(in crate::browser) fn session_only() -> f64 {
    -1.0
}

impl StorageState {
    /// Reads a storage state from a file in Playwright's format.
    ///
    /// # Errors `file`, with the line that cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(|error| file(path, &error.to_string()))?;
        Self::parse(&text).map_err(|reason| file(path, &reason))
    }

    /// Parses a storage state. The error names the problem and the line.
    pub fn parse(text: &str) -> Result<Self, String> {
        let state: Self = serde_json::from_str(text).map_err(|error| {
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or_default();
            format!("line {}: {reason}", error.line())
        })?;
        // Serde would accept an empty array as an object without fields.
        if !text.trim_start().starts_with('{') {
            return Err("line 1: expected an object with cookies and origins".to_owned());
        }
        for origin in &state.origins {
            if origin_of(&origin.origin).is_none() {
                let line = text.lines().position(|line| line.contains(&origin.origin));
                return Err(format!(
                    "line {}: this origin is not one of http or https",
                    line.map_or(1, |line| line + 1)
                ));
            }
        }
        Ok(state)
    }

    /// Returns the storage state as formatted JSON.
    pub fn to_json(&self) -> Result<String> {
        let broken = |error: serde_json::Error| file(Path::new("the state"), &error.to_string());
        Ok(serde_json::to_string_pretty(self).map_err(broken)? + "\n")
    }
}

/// Serializes whole numbers without a decimal point, as other tools do: -1, not -1.0.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn as_whole_number<S: Serializer>(number: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    json_number(*number).serialize(serializer)
}

/// A passkey in Playwright's format. Fields that are empty when it is added are generated.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Passkey {
    /// The credential id. Like all binary fields, it is encoded in base64url.
    pub id: String,
    /// The relying party id: the domain of the site.
    pub rp_id: String,
    pub user_handle: String,
    /// The private key in PKCS #8.
    pub private_key: String,
    /// The public key in X.509 format, derived from the private key.
    pub public_key: String,
    /// The signature counter.
    pub sign_count: u32,
}

/// Returns the origin of an HTTP(S) URL, such as `https://host:port`; `None` for other URLs.
pub(in crate::browser) fn origin_of(url: &str) -> Option<String> {
    let url = Url::parse(url).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}

fn file(path: &Path, reason: &str) -> Error {
    Error::File { path: path.display().to_string(), reason: reason.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_file_names_the_line() {
        for (text, line) in [
            ("{\n  \"cookies\": [\n    {\"name\": 5}\n  ]\n}", "line 3"),
            ("{\n\"cookies\": [],\n", "line 3"),
            ("", "line 1"),
            ("[]\n", "line 1"),
            ("{\"origins\":[\n{\"origin\":\"file:///etc\"}]}", "line 2"),
            ("{\"cookies\":[\n{\"name\":\"a\",\"value\":\"b\",\"sameSite\":\"lax\"}]}", "line 2"),
        ] {
            let error = StorageState::parse(text).unwrap_err();
            assert!(error.starts_with(line), "{text:?} → {error}");
        }
    }
}
