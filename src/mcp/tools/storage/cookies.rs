//! The cookie tool, and parsers for the formats in which cookies are commonly exported.
use std::iter::Peekable;
use std::str::Chars;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use url::Url;

use super::{StorageAction, wrong};
use crate::Result;
use crate::browser::{BrowserContext, SameSite, StoredCookie, parse_set_cookie};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Capability, Tool, ToolEffect};
use crate::sync::unix_time;

/// List, set, delete or clear the cookies of the context.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Cookies {
    pub action: StorageAction,
    /// Cookie name.
    pub name: Option<String>,
    /// list, clear: the site. set: domain of cookies without one.
    pub domain: Option<String>,
    /// To set: exported JSON, a Cookie header (a=1; b=2), Set-Cookie, or a cURL command.
    #[schemars(length(min = 1))]
    pub cookies: Option<String>,
}

impl Tool for Cookies {
    const NAME: &'static str = "browser_cookies";
    const TITLE: &'static str = "Cookies";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const CAPABILITY: Capability = Capability::Storage;
    const FILE: Option<&'static str> = Some("json");

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        self.check()?;
        let context = call.acquire_or_open_page().await?.context().clone();
        match self.action {
            StorageAction::List => {
                let found = self.found(&context).await?;
                reply.say(page_text::json(&found));
            }
            StorageAction::Set => reply.say(set(&context, &self.given()?).await?),
            StorageAction::Clear if self.name.is_none() && self.domain.is_none() => {
                let cleared = context.cookies().await?.len();
                context.clear_cookies().await?;
                reply.say(format!("Cleared all cookies of the context ({cleared})"));
            }
            StorageAction::Delete | StorageAction::Clear => {
                let found = self.found(&context).await?;
                context.remove_cookies(&found).await?;
                // A page may set a cookie again at once, and partitioned cookies may not be deleted.
                let mut left = self.found(&context).await?;
                left.retain(|cookie| found.iter().any(|gone| is_same(gone, cookie)));
                let deleted = counted(found.len() - left.len());
                reply.say(match left.as_slice() {
                    [] => format!("Deleted {deleted}"),
                    left => format!("Deleted {deleted}; still there: {}", names(left)),
                });
            }
        }
        Ok(())
    }
}

impl Cookies {
    /// Refuses arguments that do not belong to the action, so that they are not silently ignored.
    pub(in crate::mcp) fn check(&self) -> Result<()> {
        match self.action {
            StorageAction::Set if self.name.is_some() => {
                Err(wrong("`name` does not go with set: `cookies` has the names"))
            }
            StorageAction::List | StorageAction::Delete | StorageAction::Clear if self.cookies.is_some() => {
                Err(wrong("`cookies` goes with set only; say with `name` and `domain` which are meant"))
            }
            StorageAction::Delete if self.name.is_none() && self.domain.is_none() => {
                Err(wrong("Give `name` or `domain` of what to delete; or clear all"))
            }
            _ => Ok(()),
        }
    }

    /// Returns the host in the argument `domain`, which may be a host name or a URL.
    pub(in crate::mcp) fn site(&self) -> Result<Option<String>> {
        self.domain.as_deref().map(host_of).transpose()
    }

    async fn found(&self, context: &BrowserContext) -> Result<Vec<StoredCookie>> {
        let site = self.site()?;
        let mut cookies = context.cookies().await?;
        let is_of = |cookie: &StoredCookie, site: &str| {
            let (domain, site) = (cookie.domain.trim_start_matches('.'), site.trim_start_matches('.'));
            domain == site || domain.ends_with(&format!(".{site}"))
        };
        cookies.retain(|cookie| {
            self.name.as_ref().is_none_or(|name| cookie.name == *name)
                && site.as_ref().is_none_or(|site| is_of(cookie, site))
        });
        Ok(cookies)
    }

    pub(in crate::mcp) fn given(&self) -> Result<Vec<StoredCookie>> {
        let text = self.cookies.as_deref().unwrap_or_default().trim();
        let site = self.site()?;
        let cookies = if text.starts_with(['[', '{']) {
            self.read_json(text)?
        } else if text.starts_with("curl ") {
            let (header, host) = from_curl(text).ok_or_else(|| wrong("the command has no cookies"))?;
            from_header(&header, site.as_deref().or(host.as_deref()))?
        } else if is_set_cookie(text) {
            from_set_cookie(text, site.as_deref())?
        } else {
            from_header(text, site.as_deref())?
        };
        if cookies.is_empty() { Err(wrong("`cookies` has none")) } else { Ok(cookies) }
    }

    /// Parses a list of cookies, or an object with one, as exported by Playwright and browser extensions.
    fn read_json(&self, text: &str) -> Result<Vec<StoredCookie>> {
        let unreadable = |error: serde_json::Error| wrong(&format!("`cookies` cannot be read: {error}"));
        let value: Value = serde_json::from_str(text).map_err(unreadable)?;
        let list = match value {
            Value::Array(list) => list,
            Value::Object(mut object) => match object.remove("cookies") {
                Some(Value::Array(list)) => list,
                Some(_) => return Err(wrong("`cookies` has no list")),
                None => vec![Value::Object(object)],
            },
            _ => return Err(wrong("`cookies` has no list")),
        };
        list.into_iter()
            .map(|entry| {
                let mut cookie: StoredCookie = serde_json::from_value(as_ours(entry)).map_err(unreadable)?;
                if !cookie.domain.is_empty() {
                    cookie.domain = host_of(&cookie.domain)?;
                } else if cookie.url.is_none() {
                    cookie.domain = self.site()?.ok_or_else(needs_domain)?;
                }
                if cookie.path.is_empty() && cookie.url.is_none() {
                    "/".clone_into(&mut cookie.path);
                }
                Ok(cookie)
            })
            .collect()
    }
}

/// For fuzzing: parses cookies in any format, and asserts that each has a domain or URL.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(text: &str) {
    let given = Cookies {
        action: StorageAction::Set,
        name: None,
        domain: Some("a.example".to_owned()),
        cookies: Some(text.to_owned()),
    };
    let Ok(cookies) = given.given() else { return };
    assert!(!cookies.is_empty());
    assert!(cookies.iter().all(|cookie| !cookie.domain.is_empty() || cookie.url.is_some()), "{cookies:?}");
}

/// Converts a cookie that a browser extension exported to the fields of [`StoredCookie`].
fn as_ours(mut entry: Value) -> Value {
    let Some(object) = entry.as_object_mut() else { return entry };
    if let Some(expires) = object.remove("expirationDate") {
        object.entry("expires").or_insert(expires);
    }
    let same_site = object.remove("sameSite").and_then(|value| value.as_str().map(str::to_ascii_lowercase));
    let same_site = match same_site.as_deref() {
        Some("strict") => Some("Strict"),
        Some("lax") => Some("Lax"),
        Some("none" | "no_restriction") => Some("None"),
        _ => None,
    };
    if let Some(same_site) = same_site {
        object.insert("sameSite".to_owned(), same_site.into());
    }
    object.retain(|_, value| !value.is_null());
    entry
}

/// Sets cookies, one by one if the browser rejects the list. Reports rejected and silently dropped ones.
async fn set(context: &BrowserContext, cookies: &[StoredCookie]) -> Result<String> {
    if let Err(refused) = context.add_cookies(cookies).await {
        let Error::InvalidArguments { .. } = refused else { return Err(refused) };
        for cookie in cookies {
            match context.add_cookies(std::slice::from_ref(cookie)).await {
                Ok(()) | Err(Error::InvalidArguments { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }
    let there = context.cookies().await?;
    let missing: Vec<_> =
        cookies.iter().filter(|cookie| !there.iter().any(|known| is_kept_as(cookie, known))).collect();
    let lines: Vec<_> = missing
        .iter()
        .map(|cookie| format!("{}: {}", page_text::line_or_json(&cookie.name), why_not(cookie)))
        .collect();
    let set = cookies.len() - missing.len();
    match (set, lines.is_empty()) {
        (_, true) => Ok(format!("Set {}", counted(set))),
        (0, false) => Err(Error::InvalidArguments {
            problems: lines
                .into_iter()
                .map(|lines| format!("the browser did not take the cookie {lines}"))
                .collect(),
        }),
        (_, false) => Ok(format!("Set {set} of {}; not taken: {}", counted(cookies.len()), lines.join("; "))),
    }
}

fn counted(cookies: usize) -> String {
    if cookies == 1 { "1 cookie".to_owned() } else { format!("{cookies} cookies") }
}

fn names(cookies: &[StoredCookie]) -> String {
    cookies.iter().map(|cookie| page_text::line_or_json(&cookie.name)).collect::<Vec<_>>().join(", ")
}

fn is_same(one: &StoredCookie, other: &StoredCookie) -> bool {
    let place = |cookie: &StoredCookie| (cookie.name.clone(), cookie.domain.clone(), cookie.path.clone());
    place(one) == place(other) && one.partition_key == other.partition_key
}

/// Whether the browser's cookie `known` is the form in which the browser stores `given`.
fn is_kept_as(given: &StoredCookie, known: &StoredCookie) -> bool {
    let url = given.url.as_deref().and_then(|url| Url::parse(url).ok());
    let host = url.as_ref().and_then(Url::host_str).unwrap_or(&given.domain);
    let same_site = given.same_site.is_none_or(|same_site| known.same_site == Some(same_site));
    given.name == known.name
        && given.value == known.value
        && host.trim_start_matches('.') == known.domain.trim_start_matches('.')
        && same_site
}

/// Returns the cookie rule that a rejected cookie violates, if known.
fn why_not(cookie: &StoredCookie) -> &'static str {
    let has_prefix = |prefix: &str| {
        cookie.name.get(..prefix.len()).is_some_and(|begin| begin.eq_ignore_ascii_case(prefix))
    };
    let (is_host, is_secure) = (has_prefix("__Host-"), has_prefix("__Secure-"));
    if cookie.same_site == Some(SameSite::None) && !cookie.secure {
        "SameSite=None needs Secure"
    } else if (is_host || is_secure) && !cookie.secure {
        "its name needs Secure"
    } else if is_host && (cookie.domain.starts_with('.') || cookie.url.is_none() && cookie.path != "/") {
        "its name needs the path / and a domain without a dot in front"
    } else if cookie.expires >= 0.0 && cookie.expires <= unix_time().as_secs_f64() {
        "it has expired"
    } else {
        "the browser does not keep it"
    }
}

/// Returns the canonical host of a domain or URL. Keeps a leading dot.
fn host_of(text: &str) -> Result<String> {
    let text = text.trim();
    let unnamed = || wrong(&format!("`domain` names no host: {text:?}"));
    let (dot, rest) = text.strip_prefix('.').map_or(("", text), |rest| (".", rest));
    let url = if rest.contains("://") { Url::parse(rest) } else { Url::parse(&format!("http://{rest}")) };
    let url = url.map_err(|_| unnamed())?;
    Ok(format!("{dot}{}", url.host_str().filter(|host| !host.is_empty()).ok_or_else(unnamed)?))
}

/// Parses a `Cookie` header such as `a=1; b=2`, with or without the header's name.
fn from_header(text: &str, domain: Option<&str>) -> Result<Vec<StoredCookie>> {
    let domain = domain.ok_or_else(needs_domain)?;
    let bare = without_name(text, "cookie:").unwrap_or(text);
    let cookie = |pair: &str| {
        let (name, value) = pair.trim().split_once('=')?;
        Some(StoredCookie {
            name: name.trim().to_owned(),
            value: value.trim().to_owned(),
            domain: domain.to_owned(),
            path: "/".to_owned(),
            expires: -1.0,
            same_site: Some(SameSite::Lax),
            ..StoredCookie::default()
        })
    };
    Ok(bare.split(';').filter_map(cookie).collect())
}

/// Removes the name of a header, such as `cookie:`. `None` if the text does not begin with that name.
fn without_name<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let begin = text.get(..name.len())?;
    begin.eq_ignore_ascii_case(name).then(|| text[name.len()..].trim())
}

/// Whether a text is a `Set-Cookie` header: by its name, or because only attributes follow the first pair.
fn is_set_cookie(text: &str) -> bool {
    const ATTRIBUTES: [&str; 9] =
        ["domain", "path", "expires", "max-age", "secure", "httponly", "samesite", "priority", "partitioned"];
    let is_attribute = |part: &str| {
        let name = part.split('=').next().unwrap_or_default().trim();
        ATTRIBUTES.iter().any(|known| known.eq_ignore_ascii_case(name))
    };
    let mut attributes = text.split(';').skip(1).filter(|part| !part.trim().is_empty()).peekable();
    without_name(text, "set-cookie:").is_some() || attributes.peek().is_some() && attributes.all(is_attribute)
}

/// Parses `Set-Cookie` headers with their attributes.
fn from_set_cookie(text: &str, domain: Option<&str>) -> Result<Vec<StoredCookie>> {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .map(|line| {
            let header = without_name(line, "set-cookie:").unwrap_or(line);
            let named = header.split(';').find_map(|part| without_name(part.trim(), "domain="));
            let host = match domain.or(named) {
                Some(domain) => host_of(domain.trim_start_matches('.'))?,
                None => return Err(needs_domain()),
            };
            let url = Url::parse(&format!("https://{host}/")).map_err(|_| needs_domain())?;
            let unreadable =
                || wrong("a Set-Cookie line needs NAME=VALUE, and a Domain that `domain` is within");
            parse_set_cookie(header, &url).ok_or_else(unreadable)
        })
        .collect()
}

/// Returns the cookies in a cURL command that was copied from a browser, and the host of its URL.
fn from_curl(command: &str) -> Option<(String, Option<String>)> {
    let words = words(command);
    let host = words.iter().find_map(|word| Url::parse(word).ok()?.host_str().map(str::to_owned));
    let header = |header: &str| without_name(header, "cookie:").map(str::to_owned);
    let mut found = Vec::new();
    let mut rest = words.iter();
    while let Some(word) = rest.next() {
        found.extend(match word.as_str() {
            "-b" | "--cookie" => rest.next().cloned(),
            "-H" | "--header" => rest.next().and_then(|next| header(next)),
            word => match (word.strip_prefix("-b"), word.strip_prefix("-H")) {
                (Some(cookies), _) => Some(cookies.to_owned()),
                (_, Some(given)) => header(given),
                _ => None,
            },
        });
    }
    (!found.is_empty()).then(|| (found.join("; "), host))
}

/// Splits a command into words as a shell does, with quotes and line continuations.
fn words(command: &str) -> Vec<String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = command.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (_, Some(end)) if letter == end => quote = None,
            ('$', None) if letters.peek() == Some(&'\'') => {
                letters.next();
                word.get_or_insert_default().push_str(&escaped(&mut letters));
            }
            ('\\', None | Some('"')) => match letters.next() {
                Some('\n') | None => {}
                Some(next) => word.get_or_insert_default().push(next),
            },
            ('\'' | '"', None) => {
                quote = Some(letter);
                word.get_or_insert_default();
            }
            (_, None) if letter.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(letter),
        }
    }
    words.extend(word);
    words
}

/// Parses the rest of a bash string `$'…'` with its escapes, after the opening quote.
fn escaped(letters: &mut Peekable<Chars<'_>>) -> String {
    let mut text = String::new();
    while let Some(letter) = letters.next() {
        match letter {
            '\'' => break,
            '\\' => text.extend(match letters.next() {
                Some('n') => Some('\n'),
                Some('r') => Some('\r'),
                Some('t') => Some('\t'),
                Some('x') => numbered(letters, 16, 2),
                Some('u') => numbered(letters, 16, 4),
                Some('U') => numbered(letters, 16, 8),
                other => other,
            }),
            _ => text.push(letter),
        }
    }
    text
}

/// Parses a character code in this base, with at most `most` digits.
fn numbered(letters: &mut Peekable<Chars<'_>>, base: u32, most: usize) -> Option<char> {
    let mut number = 0;
    for _ in 0..most {
        let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(base)) else { break };
        number = number * base + digit;
        letters.next();
    }
    char::from_u32(number)
}

fn needs_domain() -> Error {
    wrong("`domain` is needed to say whose cookies they are")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(cookies: &[StoredCookie]) -> Vec<(&str, &str, &str)> {
        cookies.iter().map(|one| (one.name.as_str(), one.value.as_str(), one.domain.as_str())).collect()
    }

    #[test]
    fn cookies_are_read_as_people_have_them() {
        let of = |text: &str, domain: Option<&str>| {
            let cookies = Some(text.to_owned());
            Cookies { action: StorageAction::Set, name: None, domain: domain.map(str::to_owned), cookies }
                .given()
        };
        let two = [("a", "1", "a.example"), ("b", "x=y", "a.example")];
        assert_eq!(names(&of("a=1; b=x=y", Some("a.example")).unwrap()), two);
        assert_eq!(names(&of("Cookie: a=1; b=x=y", Some("a.example")).unwrap()), two);
        let curl = "curl 'https://a.example/x' \\\n  -H 'accept: */*' \\\n  -b 'a=1; b=x=y' --compressed";
        assert_eq!(names(&of(curl, None).unwrap()), two);
        let curl = r#"curl "https://a.example/x" -H "cookie: a=1; b=x=y""#;
        assert_eq!(names(&of(curl, None).unwrap()), two);
        let exported = r#"[{"name": "a", "value": "1", "domain": "a.example", "expirationDate": 1999999999.5,
            "sameSite": "no_restriction", "hostOnly": true, "storeId": null, "secure": true}]"#;
        let read = of(exported, None).unwrap();
        assert_eq!(
            (read[0].expires, read[0].same_site, read[0].secure),
            (1_999_999_999.5, Some(SameSite::None), true)
        );
        assert_eq!(
            names(&of(r#"{"cookies": [{"name": "a", "value": "1"}]}"#, Some("b.example")).unwrap()),
            [("a", "1", "b.example")]
        );
        let curl = r"curl 'https://a.example/x' -H $'cookie: a=1; b=it\'s\u0021' -bc=3 -b 'd=4'";
        assert_eq!(
            names(&of(curl, None).unwrap()),
            [
                ("a", "1", "a.example"),
                ("b", "it's!", "a.example"),
                ("c", "3", "a.example"),
                ("d", "4", "a.example")
            ]
        );
        for text in ["Set-Cookie: a=1; Path=/c; Secure; Max-Age=100", "a=1; path=/c; secure; max-age=100"] {
            let set = &of(text, Some("a.example")).unwrap()[..];
            assert_eq!(names(set), [("a", "1", "a.example")]);
            assert_eq!((set[0].path.as_str(), set[0].secure, set[0].expires > 0.0), ("/c", true, true));
        }
        let two_lines = "Set-Cookie: a=1; Domain=.a.example\nSet-Cookie: b=2; Domain=a.example; HttpOnly";
        assert_eq!(
            names(&of(two_lines, None).unwrap()),
            [("a", "1", ".a.example"), ("b", "2", ".a.example")]
        );
        assert_eq!(names(&of("a=1; path=x; b=2", Some("a.example")).unwrap()).len(), 3);
        for domain in ["http://a.example:80", "A.example", "https://a.example/x?y=1", "a.example:8080"] {
            assert_eq!(names(&of("a=1", Some(domain)).unwrap()), [("a", "1", "a.example")], "{domain}");
        }
        for domain in ["", "a b", "http://", "."] {
            assert!(of("a=1", Some(domain)).is_err(), "{domain}");
        }
        for text in
            ["a=1", "[{\"name\": \"a\", \"value\": \"1\"}]", "[1]", "{", "curl https://a.example", "nothing"]
        {
            assert!(of(text, None).is_err(), "{text}");
        }
    }
}
