//! API keys, and the owners to whom they belong.
use std::fmt;
use std::path::Path;
use std::sync::Arc;

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

use super::key_file::KeyFile;
use super::oauth::OAuth;
use super::owner::{Fingerprint, Owner, fingerprint, folder_of, random_key};
use crate::error::{Error, Result};

/// The accepted API keys, stored as digests, and other ways to authenticate.
#[derive(Clone, Default)]
pub struct ApiKeys {
    digests: Vec<Fingerprint>,
    generated: Option<String>,
    file: Option<Arc<KeyFile>>,
    oauth: Option<Arc<OAuth>>,
}

/// The result of checking the `Authorization` headers of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum KeyCheck {
    Known(Owner),
    /// There is no usable header, for this reason.
    Missing(&'static str),
    Wrong,
}

impl fmt::Debug for ApiKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Keys({})", self.count())
    }
}

impl ApiKeys {
    /// Creates the set of API keys that the user supplied.
    ///
    /// # Errors `invalid_arguments` for a key that a header cannot contain.
    pub fn new(keys: impl IntoIterator<Item = String>) -> Result<Self> {
        let mut digests = Vec::new();
        for key in keys {
            let key = key.trim().to_owned();
            if key.is_empty() || !key.bytes().all(|byte| byte.is_ascii_graphic()) {
                let problem =
                    "a key is made of letters, digits and signs of ASCII, without spaces".to_owned();
                return Err(Error::InvalidArguments { problems: vec![problem] });
            }
            let digest = fingerprint(key.as_bytes());
            if !digests.contains(&digest) {
                digests.push(digest);
            }
        }
        Ok(Self { digests, ..Self::default() })
    }

    /// Reads keys from a file, one per line. Ignores empty lines and those that begin with `#`.
    pub fn read_key_list(path: &Path) -> Result<Vec<String>> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| Error::File { path: path.display().to_string(), reason: error.to_string() })?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
        Ok(lines.map(str::to_owned).collect())
    }

    /// Generates one key of 256 random bits.
    pub fn generate() -> Result<Self> {
        let key = random_key()?;
        let digests = vec![fingerprint(key.as_bytes())];
        Ok(Self { digests, generated: Some(key), ..Self::default() })
    }

    /// Also accepts the keys of a key file.
    #[must_use]
    pub fn with_file(self, file: Option<KeyFile>) -> Self {
        Self { file: file.map(Arc::new), ..self }
    }

    /// Also accepts access tokens of an authorization server.
    #[must_use]
    pub fn with_oauth(self, oauth: Option<OAuth>) -> Self {
        Self { oauth: oauth.map(Arc::new), ..self }
    }

    /// Accepts all requests without a key. For tests, and for loopback.
    pub fn allow_anyone() -> Self {
        Self::default()
    }

    /// Whether requests need no key.
    pub fn allows_anyone(&self) -> bool {
        self.digests.is_empty() && self.file.is_none() && self.oauth.is_none()
    }

    /// Returns the number of keys, without access tokens.
    pub fn count(&self) -> usize {
        self.digests.len() + self.file.as_ref().map_or(0, |file| file.count())
    }

    /// Whether requests may come from several owners.
    pub fn has_several_owners(&self) -> bool {
        self.digests.len() > 1 || self.file.is_some() || self.oauth.is_some()
    }

    /// Returns the authorization server whose tokens are accepted, if any.
    pub fn oauth(&self) -> Option<&OAuth> {
        self.oauth.as_deref()
    }

    /// Returns the key file, if any.
    pub(super) fn file(&self) -> Option<&KeyFile> {
        self.file.as_deref()
    }

    /// Returns the generated key, which is to be printed once; `None` if the user supplied keys.
    pub fn generated_key(&self) -> Option<&str> {
        self.generated.as_deref()
    }

    /// Checks the `Authorization` headers of a request, given their values.
    pub(super) fn judge<'a>(&self, mut values: impl Iterator<Item = &'a [u8]>) -> KeyCheck {
        if self.allows_anyone() {
            return KeyCheck::Known(Owner { name: "everybody".into(), folder: None, grant: Arc::default() });
        }
        let Some(value) = values.next() else { return KeyCheck::Missing("Authentication required") };
        if values.next().is_some() {
            return KeyCheck::Missing("Authentication required: there are two Authorization headers");
        }
        let (scheme, key) = match value.iter().position(|byte| *byte == b' ') {
            Some(at) => (&value[..at], &value[at + 1..]),
            None => (value, &[][..]),
        };
        if !scheme.eq_ignore_ascii_case(b"Bearer") || key.is_empty() {
            return KeyCheck::Missing("Authentication required: use Authorization: Bearer KEY");
        }
        let owner = self.find(key).map(|index| self.owner(index));
        let named = || self.file.as_ref()?.owner_of(key);
        owner.or_else(named).map_or(KeyCheck::Wrong, KeyCheck::Known)
    }

    fn owner(&self, index: usize) -> Owner {
        let name = format!("key-{}", index + 1).into();
        let several = self.has_several_owners().then_some(&self.digests[index]);
        Owner { name, folder: several.map(|digest| folder_of(digest).into()), grant: Arc::default() }
    }

    /// Returns the index of a key. Compares with every key in constant time, so the duration reveals nothing.
    fn find(&self, given: &[u8]) -> Option<usize> {
        let given = fingerprint(given);
        let (mut found, mut at) = (Choice::from(0), 0_u64);
        for (index, digest) in (0_u64..).zip(&self.digests) {
            let same = digest.ct_eq(&given);
            at.conditional_assign(&index, same);
            found |= same;
        }
        bool::from(found).then(|| usize::try_from(at).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use base64::Engine as _;
    use base64::engine::general_purpose::URL_SAFE_NO_PAD;
    use proptest::prelude::*;

    use super::*;

    fn judge(keys: &ApiKeys, values: &[&str]) -> KeyCheck {
        keys.judge(values.iter().map(|value| value.as_bytes()))
    }

    #[test]
    fn each_key_is_an_owner_of_its_own() {
        let keys = ApiKeys::new(["one".to_owned(), " two\n".to_owned(), "one".to_owned()]).unwrap();
        assert_eq!(keys.count(), 2);
        let owner = |name: &str, folder: &str| {
            let grant = Arc::default();
            KeyCheck::Known(Owner { name: name.into(), folder: Some(folder.into()), grant })
        };
        assert_eq!(judge(&keys, &["Bearer one"]), owner("key-1", "key-7692c3ad"));
        assert_eq!(judge(&keys, &["bearer two"]), owner("key-2", "key-3fc4ccfe"));
        for near in ["Bearer on", "Bearer onee", "Bearer one ", "Bearer  one", "Bearer one\0", "Bearer ONE"] {
            assert_eq!(judge(&keys, &[near]), KeyCheck::Wrong, "{near:?}");
        }
        for missing in
            [&[][..], &["Basic one"], &["one"], &["Bearer"], &["Bearer "], &["Bearer one", "Bearer one"]]
        {
            assert!(matches!(judge(&keys, missing), KeyCheck::Missing(_)), "{missing:?}");
        }
    }

    proptest! {
        /// Comparing with every key finds the same key as stopping at the first match.
        #[test]
        fn no_other_key_is_taken_for_one(
            keys in prop::collection::vec("[a-c]{1,3}", 1..6),
            guess in "[a-c]{0,4}",
        ) {
            let mut distinct = keys.clone();
            let mut seen = HashSet::new();
            distinct.retain(|key| seen.insert(key.clone()));
            let expected = distinct.iter().position(|key| *key == guess);
            prop_assert_eq!(ApiKeys::new(keys).unwrap().find(guess.as_bytes()), expected);
        }
    }

    #[test]
    fn a_generated_key_has_256_bits_and_is_reported_once() {
        let keys = ApiKeys::generate().unwrap();
        assert_eq!(URL_SAFE_NO_PAD.decode(keys.generated_key().unwrap()).unwrap().len(), 32);
        assert_ne!(keys.generated_key(), ApiKeys::generate().unwrap().generated_key());
        assert_eq!(format!("{keys:?}"), "Keys(1)");
        assert_eq!(ApiKeys::new(["given".to_owned()]).unwrap().generated_key(), None);
    }

    #[test]
    fn a_key_that_no_header_can_carry_is_refused() {
        for key in ["", " ", "a b", "é", "a\0"] {
            assert!(ApiKeys::new([key.to_owned()]).is_err(), "{key:?}");
        }
    }
}
