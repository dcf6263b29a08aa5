//! OAuth 2.1 access tokens: this server is a resource server as the MCP specification defines it.
//!
//! A token is a JWT for this server (`aud`), signed with a key that the issuer publishes. Its scopes
//! determine which tools its owner may use.
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::num::NonZeroU32;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use axum::http::HeaderValue;
use jsonwebtoken::errors::ErrorKind;
use jsonwebtoken::jwk::{Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Header, Validation, decode, decode_header};
use serde::Deserialize;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::sync::Mutex;
use tokio::time::Instant;
use url::{Host, Url};

use super::key_file::{ToolLists, every_tool, read_toml};
use super::owner::Owner;
use crate::hex::hex;
use crate::mcp::grant::{OwnerPermissions, RecentCalls};
use crate::mcp::tool::{Capability, ToolEffect};

/// The path of this server's OAuth metadata (RFC 9728). The path of the resource may follow.
const METADATA: &str = "/.well-known/oauth-protected-resource";
/// The accepted signature algorithms. All are asymmetric: the issuer's published keys cannot sign tokens.
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::ES256, Algorithm::EdDSA];
/// The tolerated difference between the clocks of issuer and server, in seconds.
const LEEWAY_S: u64 = 30;
/// How long the issuer's keys are cached.
const KEYS_LIFETIME: Duration = Duration::from_secs(600);
/// The maximum number of times per minute that the issuer's keys are fetched for unknown key ids.
const MOST_REFRESHES: NonZeroU32 = NonZeroU32::new(6).unwrap();
const FETCH_LIMIT: Duration = Duration::from_secs(5);
const LARGEST_DOCUMENT: usize = 1 << 20;
/// The default scopes: for all tools, and for tools that only read.
const SCOPES: [&str; 2] = ["browser", "browser:read"];
/// Tools that the reading scope includes although they do not only read: they open and close pages.
const NAVIGATION_TOOLS: [&str; 4] =
    ["browser_navigate", "browser_navigate_back", "browser_tabs", "browser_close"];

/// An authorization server, and the permissions of its scopes.
#[derive(Debug)]
pub struct OAuth {
    issuer: String,
    /// The identifier of this server, which the `aud` claim of a token must contain.
    audience: String,
    /// The `audience`, parsed as a URL.
    resource: Url,
    scopes: BTreeMap<String, Option<BTreeSet<&'static str>>>,
    http: reqwest::Client,
    keys: Mutex<IssuerKeys>,
    refreshes: RecentCalls,
}

#[derive(Debug, Default)]
struct IssuerKeys {
    set: Option<JwkSet>,
    fetched: Option<Instant>,
}

/// The reason why a token is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Denied {
    /// The token is not valid for this server.
    Invalid(&'static str),
    /// None of the token's scopes is configured here.
    Scope,
    /// The issuer's keys cannot be fetched now.
    Unavailable,
}

/// The claims of a token that this module reads. The JWT library checks the others.
#[derive(Debug, Deserialize)]
struct Claims {
    sub: String,
    #[serde(default, alias = "scp")]
    scope: Value,
}

impl OAuth {
    /// Accepts tokens of this issuer for this audience. `scopes` is a TOML file with a table for each scope.
    ///
    /// # Errors Returns a message if a URL is not secure, or the file of scopes is invalid.
    pub fn new(issuer: &str, audience: &str, scopes: Option<&Path>) -> Result<Self, String> {
        let is_secure = |text: &str| Url::parse(text).is_ok_and(|url| is_secure(&url));
        if !is_secure(issuer) {
            return Err(format!("{issuer:?}: the issuer needs an https:// address"));
        }
        let resource =
            Url::parse(audience).ok().filter(|url| is_secure(url.as_str()) && url.fragment().is_none());
        let resource =
            resource.ok_or("the audience is the https:// address of this server's /mcp, for clients")?;
        let http =
            reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).timeout(FETCH_LIMIT);
        Ok(Self {
            issuer: issuer.to_owned(),
            audience: audience.to_owned(),
            resource,
            scopes: scopes.map_or_else(|| Ok(usual_scopes()), read_scopes)?,
            http: http.build().map_err(|error| error.to_string())?,
            keys: Mutex::default(),
            refreshes: RecentCalls::default(),
        })
    }

    /// Verifies a token, and returns the owner to whom it belongs.
    pub(super) async fn owner_of(&self, token: &[u8]) -> Result<Owner, Denied> {
        let header = decode_header(token).map_err(|_| Denied::Invalid("it cannot be read"))?;
        if !ALGORITHMS.contains(&header.alg) {
            return Err(Denied::Invalid("its algorithm is not accepted"));
        }
        let key = self.key_of(&header).await?;
        let mut validation = Validation::new(header.alg);
        validation.set_required_spec_claims(&["exp", "iss", "aud", "sub"]);
        validation.set_issuer(&[&self.issuer]);
        validation.set_audience(&[&self.audience]);
        validation.validate_nbf = true;
        validation.leeway = LEEWAY_S;
        let claims = decode::<Claims>(token, &key, &validation).map_err(|error| denied(error.kind()))?.claims;
        let granted = words(&claims.scope).filter_map(|scope| self.scopes.get(scope)).collect::<Vec<_>>();
        if granted.is_empty() {
            return Err(Denied::Scope);
        }
        let some = granted.iter().copied().map(Option::as_ref).collect::<Option<Vec<_>>>();
        let tools = some.map(|sets| sets.into_iter().flatten().copied().collect());
        Ok(self.owner(&claims.sub, OwnerPermissions { tools, ..OwnerPermissions::default() }))
    }

    fn owner(&self, subject: &str, grant: OwnerPermissions) -> Owner {
        let digest =
            Sha256::new().chain_update(&self.issuer).chain_update([0]).chain_update(subject).finalize();
        let folder = format!("user-{}", hex(&digest[..16]));
        let name: String = subject.chars().filter(|c| !c.is_control()).take(100).collect();
        Owner { name: name.into(), folder: Some(folder.into()), grant: Arc::new(grant) }
    }

    /// Returns the narrowest scope that permits a tool which the message calls and the owner may not use.
    pub(super) fn scope_for(&self, owner: &Owner, message: &[u8]) -> Option<&str> {
        let message: Value = serde_json::from_slice(message).ok()?;
        let messages = message.as_array().map_or(std::slice::from_ref(&message), Vec::as_slice);
        let calls = messages.iter().filter(|message| message["method"] == "tools/call");
        let mut names = calls.filter_map(|call| call["params"]["name"].as_str());
        let missing = names.find(|name| !owner.grant.permits(name))?;
        let permits = |tools: &Option<BTreeSet<&'static str>>| {
            tools.as_ref().is_none_or(|tools| tools.contains(missing))
        };
        let permitting = self.scopes.iter().filter(|(_, tools)| permits(tools));
        let narrowest = permitting.min_by_key(|(_, tools)| tools.as_ref().map_or(usize::MAX, BTreeSet::len));
        narrowest.map(|(scope, _)| scope.as_str())
    }

    /// Returns this server's OAuth metadata (RFC 9728), if `path` is that of the metadata.
    pub(super) fn metadata(&self, path: &str) -> Option<Value> {
        let rest = path.strip_prefix(METADATA)?;
        if !["", "/", "/mcp", self.resource.path()].contains(&rest) {
            return None;
        }
        Some(json!({
            "resource": self.audience,
            "authorization_servers": [self.issuer],
            "scopes_supported": self.scopes.keys().collect::<Vec<_>>(),
            "bearer_methods_supported": ["header"],
            "resource_name": "Patchright MCP",
        }))
    }

    /// Returns the `WWW-Authenticate` header for a refused client: metadata URL, error and required scope.
    pub(super) fn challenge(&self, error: Option<(&str, &str)>, scope: Option<&str>) -> HeaderValue {
        let mut text = "Bearer realm=\"patchright-mcp\"".to_owned();
        if let Some((code, description)) = error {
            let _ = write!(text, ", error=\"{code}\", error_description=\"{description}\"");
        }
        if let Some(scope) = scope {
            let _ = write!(text, ", scope=\"{scope}\"");
        }
        let mut metadata = self.resource.clone();
        metadata.set_path(&format!("{METADATA}{}", self.resource.path().trim_end_matches('/')));
        metadata.set_query(None);
        let _ = write!(text, ", resource_metadata=\"{metadata}\"");
        HeaderValue::try_from(text).unwrap_or(HeaderValue::from_static("Bearer"))
    }

    /// Returns all configured scopes, separated by spaces.
    pub(super) fn all_scopes(&self) -> String {
        self.scopes.keys().map(String::as_str).collect::<Vec<_>>().join(" ")
    }

    /// Returns the issuer's key for a token. If the key id is unknown, fetches the keys again: it may be new.
    async fn key_of(&self, header: &Header) -> Result<DecodingKey, Denied> {
        let mut keys = self.keys.lock().await;
        let is_fresh = keys.fetched.is_some_and(|fetched| fetched.elapsed() < KEYS_LIFETIME);
        if let Some(key) = keys.find(header).filter(|_| is_fresh) {
            return Ok(key);
        }
        if self.refreshes.take(MOST_REFRESHES).is_ok() {
            match self.fetch_keys().await {
                Ok(set) => *keys = IssuerKeys { set: Some(set), fetched: Some(Instant::now()) },
                Err(reason) => tracing::warn!(reason, "the keys of --oauth-issuer could not be fetched"),
            }
        }
        match (keys.find(header), &keys.set) {
            (Some(key), _) => Ok(key),
            (None, Some(_)) => Err(Denied::Invalid("its key is none of the issuer's")),
            (None, None) => Err(Denied::Unavailable),
        }
    }

    async fn fetch_keys(&self) -> Result<JwkSet, String> {
        let mut reason = Cow::from("the issuer has no metadata");
        for url in metadata_urls(&self.issuer) {
            match self.fetch(url).await {
                // The metadata must have the issuer that was requested (RFC 8414, section 3.3).
                Ok(metadata) if metadata["issuer"] != *self.issuer => {
                    reason = Cow::from("its metadata name another issuer");
                }
                Ok(metadata) => {
                    let url = metadata["jwks_uri"].as_str().and_then(|url| Url::parse(url).ok());
                    let url = url.filter(is_secure).ok_or("its jwks_uri is no https:// address")?;
                    return serde_json::from_value(self.fetch(url).await?).map_err(|error| error.to_string());
                }
                Err(error) => reason = error.into(),
            }
        }
        Err(reason.into_owned())
    }

    async fn fetch(&self, url: Url) -> Result<Value, String> {
        let failed = |error: reqwest::Error| error.without_url().to_string();
        let response = self.http.get(url).send().await.map_err(failed)?;
        let mut response = response.error_for_status().map_err(failed)?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(failed)? {
            body.extend_from_slice(&chunk);
            if body.len() > LARGEST_DOCUMENT {
                return Err("the answer is too large".to_owned());
            }
        }
        serde_json::from_slice(&body).map_err(|error| error.to_string())
    }
}

impl IssuerKeys {
    /// Returns the key that a token names. A token without a key id is accepted only if one key fits.
    fn find(&self, header: &Header) -> Option<DecodingKey> {
        let fits = |key: &&Jwk| {
            let common = &key.common;
            let is_named = header.kid.is_none() || common.key_id == header.kid;
            let signs =
                common.public_key_use.as_ref().is_none_or(|purpose| *purpose == PublicKeyUse::Signature);
            is_named && signs && common.key_algorithm.is_none_or(|own| own == header.alg.into())
        };
        let keys = self.set.iter().flat_map(|set| &set.keys).filter(fits);
        let keys = keys.filter_map(|key| DecodingKey::from_jwk(key).ok());
        let mut keys = keys.filter(|key| key.family() == header.alg.family());
        let key = keys.next()?;
        keys.next().is_none().then_some(key)
    }
}

/// Whether nobody on the network can change responses from a URL: it uses `https`, or is on this machine.
fn is_secure(url: &Url) -> bool {
    let is_here = match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    };
    url.scheme() == "https" || (url.scheme() == "http" && is_here)
}

/// Returns the URLs at which an issuer may publish its metadata, in the order of the MCP specification.
fn metadata_urls(issuer: &str) -> Vec<Url> {
    let Ok(issuer) = Url::parse(issuer) else { return Vec::new() };
    let path = issuer.path().trim_end_matches('/');
    let (oauth, openid) = ("/.well-known/oauth-authorization-server", "/.well-known/openid-configuration");
    let mut paths = vec![format!("{oauth}{path}"), format!("{openid}{path}"), format!("{path}{openid}")];
    paths.dedup();
    let at = |path: String| {
        let mut url = issuer.clone();
        url.set_path(&path);
        url
    };
    paths.into_iter().map(at).collect()
}

fn denied(kind: &ErrorKind) -> Denied {
    Denied::Invalid(match kind {
        ErrorKind::ExpiredSignature => "it has expired",
        ErrorKind::ImmatureSignature => "it is not valid yet",
        ErrorKind::InvalidAudience => "it is meant for another server",
        ErrorKind::InvalidIssuer => "it is of another issuer",
        ErrorKind::MissingRequiredClaim(_) => "it lacks exp, iss, aud or sub",
        _ => "it cannot be verified",
    })
}

/// Returns the scopes in a claim, which is a text with spaces or a list.
fn words(scope: &Value) -> impl Iterator<Item = &str> {
    let listed = scope.as_array().into_iter().flatten().filter_map(Value::as_str);
    scope.as_str().unwrap_or_default().split_whitespace().chain(listed)
}

fn usual_scopes() -> BTreeMap<String, Option<BTreeSet<&'static str>>> {
    let looks =
        every_tool().filter(|tool| tool.effect == ToolEffect::Reads && tool.capability == Capability::Core);
    let looks = looks.map(|tool| tool.name).chain(NAVIGATION_TOOLS).collect();
    let [all, read] = SCOPES.map(str::to_owned);
    BTreeMap::from([(all, None), (read, Some(looks))])
}

/// Reads a TOML file with a table for each scope. The table has the same lists of tools as that of a key.
fn read_scopes(path: &Path) -> Result<BTreeMap<String, Option<BTreeSet<&'static str>>>, String> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
    let scopes =
        read_toml::<BTreeMap<String, ToolLists>>(&text).map_err(|reason| format!("{shown}: {reason}"))?;
    let is_token = |c: char| c.is_ascii_graphic() && c != '"' && c != '\\';
    if let Some(wrong) = scopes.keys().find(|scope| scope.is_empty() || !scope.chars().all(is_token)) {
        return Err(format!("{shown}: {wrong:?} is not a scope"));
    }
    if scopes.is_empty() {
        return Err(format!("{shown}: there is no scope"));
    }
    Ok(scopes.into_iter().map(|(scope, lists)| (scope, lists.names())).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_are_where_the_resource_is() {
        let oauth = OAuth::new("https://issuer.example", "https://view.example/below/mcp", None).unwrap();
        for path in ["", "/mcp", "/below/mcp"] {
            let metadata = oauth.metadata(&format!("{METADATA}{path}")).unwrap();
            assert_eq!(metadata["resource"], "https://view.example/below/mcp");
        }
        assert_eq!(oauth.metadata(&format!("{METADATA}/other")), None);
        let challenge = oauth.challenge(None, None);
        let expected =
            "resource_metadata=\"https://view.example/.well-known/oauth-protected-resource/below/mcp\"";
        assert!(challenge.to_str().unwrap().ends_with(expected), "{challenge:?}");
        let urls = metadata_urls("https://issuer.example/a");
        let urls: Vec<_> = urls.iter().map(Url::path).collect();
        assert_eq!(
            urls,
            [
                "/.well-known/oauth-authorization-server/a",
                "/.well-known/openid-configuration/a",
                "/a/.well-known/openid-configuration"
            ]
        );
    }

    #[test]
    fn addresses_must_be_secure_or_of_this_machine() {
        for (issuer, audience, good) in [
            ("https://issuer.example", "https://view.example/mcp", true),
            ("http://127.0.0.1:9", "http://localhost:8931/mcp", true),
            ("http://issuer.example", "https://view.example/mcp", false),
            ("https://issuer.example", "http://view.example/mcp", false),
            ("https://issuer.example", "https://view.example/mcp#x", false),
            ("https://issuer.example", "mcp", false),
        ] {
            assert_eq!(OAuth::new(issuer, audience, None).is_ok(), good, "{issuer} {audience}");
        }
    }
}
