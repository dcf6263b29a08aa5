//! HAR 1.2 entries for requests. See <http://www.softwareishard.com/blog/har-12-spec/>.
use std::time::Duration;

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Map, Value, json};
use url::Url;

use super::cookies;
use super::request::RequestTiming;
use crate::hex::hex;

/// Where an archive stores response bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HarContentMode {
    /// In the HAR entry itself.
    Embed,
    /// In separate files, each named by a hash of its content.
    Attach,
    /// Nowhere: bodies are dropped.
    Omit,
}

/// A finished request to write as a HAR entry. Times are in milliseconds.
#[derive(Debug)]
pub struct HarRequest<'a> {
    /// When the request began, in milliseconds since 1970.
    pub started: f64,
    /// The duration in milliseconds; -1 if unknown.
    pub duration: f64,
    pub timings: HarTimings,
    pub method: &'a str,
    pub url: &'a str,
    pub http_version: &'a str,
    pub headers: &'a [(String, String)],
    pub body: Option<&'a [u8]>,
    /// The response; `None` if the request got none.
    pub response: Option<HarResponse<'a>>,
    /// The browser's error text, if the request failed.
    pub failure: Option<&'a str>,
}

/// The response for a HAR entry.
#[derive(Debug)]
pub struct HarResponse<'a> {
    pub status: i64,
    pub status_text: &'a str,
    pub headers: &'a [(String, String)],
    pub mime_type: &'a str,
    /// The body; `None` if the browser has dropped it.
    pub body: Option<&'a [u8]>,
}

/// The durations of a request's phases, in milliseconds; -1 for a phase that did not occur or is unknown.
#[derive(Debug, Clone, Copy)]
pub struct HarTimings {
    pub dns: f64,
    pub connect: f64,
    pub ssl: f64,
    pub wait: f64,
    pub receive: f64,
}

impl HarTimings {
    /// Computes the durations of the phases from their start and end times.
    pub fn of(timing: &RequestTiming) -> Self {
        let between = |start: f64, end: f64| if start >= 0.0 && end >= 0.0 { end - start } else { -1.0 };
        Self {
            dns: between(timing.domain_lookup_start, timing.domain_lookup_end),
            connect: between(timing.connect_start, timing.connect_end),
            ssl: between(timing.secure_connection_start, timing.connect_end),
            wait: between(timing.request_start, timing.response_start),
            receive: between(timing.response_start, timing.response_end),
        }
    }
}

/// A HAR entry, and the body files (name and content) that it refers to.
#[derive(Debug)]
pub struct HarEntry {
    pub entry: Value,
    pub files: Vec<(String, Vec<u8>)>,
}

impl HarRequest<'_> {
    /// Converts the request to a HAR entry.
    pub fn entry(&self, bodies: HarContentMode) -> HarEntry {
        let mut files = Vec::new();
        let HarTimings { dns, connect, ssl, wait, receive } = self.timings;
        let entry = json!({
            "startedDateTime": iso_timestamp(Duration::from_secs_f64((self.started / 1000.0).max(0.0))),
            "time": self.duration.max(-1.0),
            "request": self.sent(bodies, &mut files),
            "response": self.received(bodies, &mut files),
            "cache": {},
            "timings": {
                "dns": dns, "connect": connect, "ssl": ssl, "send": 0, "wait": wait, "receive": receive,
            },
        });
        HarEntry { entry, files }
    }

    fn sent(&self, bodies: HarContentMode, files: &mut Vec<(String, Vec<u8>)>) -> Value {
        let query = Url::parse(self.url).map(|url| {
            url.query_pairs().map(|(name, value)| json!({ "name": name, "value": value })).collect::<Vec<_>>()
        });
        let mut sent = json!({
            "method": self.method, "url": self.url, "httpVersion": self.http_version,
            "cookies": sent_cookies(self.headers), "headers": headers(self.headers),
            "queryString": query.unwrap_or_default(), "headersSize": -1,
            "bodySize": self.body.map_or(0, <[u8]>::len),
        });
        if let Some(body) = self.body {
            let mime_type = value(self.headers, "content-type").unwrap_or("application/octet-stream");
            let mut data = json!({ "mimeType": mime_type, "text": "", "params": [] });
            match bodies {
                HarContentMode::Embed => data["text"] = String::from_utf8_lossy(body).into(),
                HarContentMode::Attach => data["_file"] = attach(body, mime_type, files).into(),
                HarContentMode::Omit => {}
            }
            sent["postData"] = data;
        }
        sent
    }

    fn received(&self, bodies: HarContentMode, files: &mut Vec<(String, Vec<u8>)>) -> Value {
        let none =
            HarResponse { status: -1, status_text: "", headers: &[], mime_type: "x-unknown", body: None };
        let response = self.response.as_ref().unwrap_or(&none);
        let is_redirect = matches!(response.status, 301 | 302 | 303 | 307 | 308);
        let target = value(response.headers, "location").filter(|_| is_redirect).unwrap_or_default();
        let mut received = json!({
            "status": response.status, "statusText": response.status_text, "httpVersion": self.http_version,
            "cookies": received_cookies(response.headers), "headers": headers(response.headers),
            "content": response.content(bodies, files), "headersSize": -1, "bodySize": -1,
            "redirectURL": target,
        });
        if let Some(failure) = self.failure {
            received["_failureText"] = failure.into();
        }
        received
    }
}

impl HarResponse<'_> {
    fn content(&self, bodies: HarContentMode, files: &mut Vec<(String, Vec<u8>)>) -> Value {
        let mut content = json!({ "size": -1, "mimeType": self.mime_type });
        let Some(body) = self.body else { return content };
        content["size"] = body.len().into();
        match (bodies, std::str::from_utf8(body)) {
            _ if body.is_empty() => {}
            (HarContentMode::Omit, _) => {}
            (HarContentMode::Attach, _) => content["_file"] = attach(body, self.mime_type, files).into(),
            (HarContentMode::Embed, Ok(text)) => content["text"] = text.into(),
            (HarContentMode::Embed, Err(_)) => {
                content["text"] = BASE64_STANDARD.encode(body).into();
                content["encoding"] = "base64".into();
            }
        }
        content
    }
}

/// Adds a body to `files`. Returns its file name.
fn attach(body: &[u8], mime_type: &str, files: &mut Vec<(String, Vec<u8>)>) -> String {
    let plain = mime_type.split(';').next().unwrap_or_default().trim();
    let ending = match plain {
        "text/html" => "html",
        "text/css" => "css",
        "text/plain" => "txt",
        "text/javascript" | "application/javascript" => "js",
        "application/json" => "json",
        "application/xml" => "xml",
        "image/svg+xml" => "svg",
        "font/woff2" => "woff2",
        other => other.strip_prefix("image/").unwrap_or("dat"),
    };
    let name = format!("{}.{ending}", hex(digest(&SHA1_FOR_LEGACY_USE_ONLY, body).as_ref()));
    files.push((name.clone(), body.to_owned()));
    name
}

fn headers(headers: &[(String, String)]) -> Vec<Value> {
    headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect()
}

fn value<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    let found = headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value.as_str())
}

fn sent_cookies(headers: &[(String, String)]) -> Vec<Value> {
    let pairs = value(headers, "cookie").into_iter().flat_map(|cookies| cookies.split(';'));
    let pairs = pairs.map(str::trim).filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            json!({ "name": name, "value": value })
        })
        .collect()
}

/// Splits `Set-Cookie` headers, which the browser joins with line breaks, and parses the cookies.
fn received_cookies(headers: &[(String, String)]) -> Vec<Value> {
    let lines = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    lines.flat_map(|(_, lines)| lines.lines()).map(received_cookie).collect()
}

fn received_cookie(line: &str) -> Value {
    let mut parts = line.split(';').map(str::trim);
    let pair = parts.next().unwrap_or_default();
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let mut cookie = Map::new();
    cookie.insert("name".to_owned(), name.into());
    cookie.insert("value".to_owned(), value.into());
    for attribute in parts {
        let (key, value) = attribute.split_once('=').unwrap_or((attribute, ""));
        match key.to_ascii_lowercase().as_str() {
            "path" => drop(cookie.insert("path".to_owned(), value.into())),
            "domain" => drop(cookie.insert("domain".to_owned(), value.into())),
            "samesite" => drop(cookie.insert("sameSite".to_owned(), value.into())),
            "httponly" => drop(cookie.insert("httpOnly".to_owned(), true.into())),
            "secure" => drop(cookie.insert("secure".to_owned(), true.into())),
            "expires" => {
                if let Some(expires) = cookies::parse_date(value) {
                    cookie.insert(
                        "expires".to_owned(),
                        iso_timestamp(Duration::from_secs_f64(expires.max(0.0))).into(),
                    );
                }
            }
            _ => {}
        }
    }
    cookie.into()
}

/// Formats a time since 1970 as RFC 3339, such as `2026-11-22T08:15:30.123Z`.
pub fn iso_timestamp(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let (year, month, day) = date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    let milliseconds = since_1970.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milliseconds:03}Z")
}

/// Converts a number of days since 1970-01-01 to year, month and day.
fn date(mut days: u64) -> (u64, u64, u64) {
    let is_leap =
        |year: u64| year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let mut year = 1970;
    while days >= 365 + u64::from(is_leap(year)) {
        days -= 365 + u64::from(is_leap(year));
        year += 1;
    }
    let lengths = [31, 28 + u64::from(is_leap(year)), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let mut month = 1;
    for length in lengths {
        if days < length {
            break;
        }
        days -= length;
        month += 1;
    }
    (year, month, days + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_the_standard_says() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_400, "2000-02-29T00:00:00.000Z"),
            (1_767_225_599, "2025-12-31T23:59:59.000Z"),
            (1_795_335_330, "2026-11-22T08:15:30.000Z"),
            (4_107_542_400, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(iso_timestamp(Duration::from_secs(seconds)), expected);
        }
    }

    #[test]
    fn cookies_are_read_from_headers() {
        let sent = [("Cookie".to_owned(), "a=1; b=x=y; flag".to_owned())];
        let expected = json!([
            { "name": "a", "value": "1" }, { "name": "b", "value": "x=y" }, { "name": "flag", "value": "" },
        ]);
        assert_eq!(Value::from(sent_cookies(&sent)), expected);
        let received = [(
            "set-cookie".to_owned(),
            "a=1; Path=/; HttpOnly\nb=2; Secure; SameSite=Lax; Expires=Thu, 01 Jan 1970 00:00:10 GMT"
                .to_owned(),
        )];
        let expected = json!([
            { "name": "a", "value": "1", "path": "/", "httpOnly": true },
            { "name": "b", "value": "2", "secure": true, "sameSite": "Lax", "expires": "1970-01-01T00:00:10.000Z" },
        ]);
        assert_eq!(Value::from(received_cookies(&received)), expected);
    }
}
