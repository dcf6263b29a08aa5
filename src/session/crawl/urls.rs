//! The normal form of URLs, and endless sets of them ("traps"): calendars, repeated paths, combined parameters.
use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::LazyLock;

use regex::Regex;
use url::Url;

use super::options::SkipReason;

/// The number of URLs that are visited which differ only in their dates.
pub(super) const MOST_DATES: u32 = 100;
/// The number of URLs that are visited which differ only in the value of one parameter, such as a page number.
pub(super) const MOST_VALUES: u32 = 1_000;
/// The number of URLs of one path that are visited which have two or more parameters.
pub(super) const MOST_COMBINATIONS: u32 = 100;
/// The number of segments that a path may have.
pub(super) const MOST_SEGMENTS: usize = 16;
/// How often segments of a path may repeat one after the other.
pub(super) const MOST_REPEATS: usize = 2;
/// The longest URL that is visited, in bytes.
const LONGEST_URL: usize = 2_000;
/// The least length of a `sid` that is taken for a session id: shorter ones number articles.
const LEAST_SID: usize = 16;

/// Names of parameters, in lower case, that identify a visitor or a campaign instead of a page.
const VISITOR_PARAMETERS: [&str; 16] = [
    "phpsessid",
    "jsessionid",
    "sessionid",
    "session_id",
    "sessid",
    "cfid",
    "cftoken",
    "gclid",
    "dclid",
    "fbclid",
    "msclkid",
    "yclid",
    "mc_cid",
    "mc_eid",
    "_ga",
    "_gl",
];

/// Parameters with these names contain a date or a part of one, if their value is a number.
const DATE_PARAMETERS: [&str; 9] = ["year", "yr", "month", "mon", "day", "week", "date", "cal", "calendar"];

/// Returns the URL to open: without fragment, credentials, and what identifies a visitor.
pub(super) fn clean(url: &Url) -> Url {
    let mut cleaned = url.clone();
    cleaned.set_fragment(None);
    let _ = cleaned.set_username("");
    let _ = cleaned.set_password(None);
    if url.path().contains([';', '(']) {
        let segments = url.path().split('/').filter(|segment| !is_session_segment(segment));
        let segments: Vec<_> = segments.map(without_session).collect();
        cleaned.set_path(&segments.join("/"));
    }
    if let Some(query) = url.query() {
        let kept = query.split('&').filter(|pair| !pair.is_empty() && !identifies_visitor(pair));
        let kept = kept.collect::<Vec<_>>().join("&");
        cleaned.set_query(Some(kept.as_str()).filter(|kept| !kept.is_empty()));
    }
    cleaned
}

/// Returns the text by which URLs are compared: also with sorted parameters and one form of escapes.
pub(super) fn key(url: &Url) -> String {
    let mut cleaned = clean(url);
    let path = one_escape(cleaned.path()).into_owned();
    cleaned.set_path(&path);
    let pairs = cleaned.query().map(|query| {
        let mut pairs: Vec<_> = query.split('&').map(one_escape).collect();
        pairs.sort_unstable();
        pairs.join("&")
    });
    cleaned.set_query(pairs.as_deref());
    cleaned.into()
}

/// Whether a parameter, `name=value`, identifies a visitor or a campaign.
fn identifies_visitor(pair: &str) -> bool {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let name = name.to_ascii_lowercase();
    let is_session_id = || {
        name == "sid" && value.len() >= LEAST_SID && value.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    name.starts_with("utm_")
        || name.starts_with("aspsessionid")
        || VISITOR_PARAMETERS.contains(&name.as_str())
        || is_session_id()
}

/// Whether a segment of a path is a session id as ASP.NET writes it: `(S(…))`.
fn is_session_segment(segment: &str) -> bool {
    let inner = segment.strip_prefix("(S(").and_then(|rest| rest.strip_suffix("))"));
    inner.is_some_and(|id| id.len() >= LEAST_SID && id.bytes().all(|byte| byte.is_ascii_alphanumeric()))
}

/// Removes session ids from a segment of a path: `list;jsessionid=1F` becomes `list`.
fn without_session(segment: &str) -> String {
    let mut parts = segment.split(';');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.filter(|part| !identifies_visitor(part)).fold(first, |kept, part| kept + ";" + part)
}

/// Writes escapes in upper case, and characters that need no escape without one.
fn one_escape(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut written = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('%') {
        written.push_str(&rest[..at]);
        let code = rest.get(at + 1..at + 3).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let is_escape = rest.as_bytes()[at..].iter().skip(1).take(2).all(u8::is_ascii_hexdigit);
        match code.filter(|_| is_escape) {
            Some(code) if code.is_ascii_alphanumeric() || b"-_~".contains(&code) => {
                written.push(char::from(code));
            }
            Some(code) => drop(write!(written, "%{code:02X}")),
            None => written.push('%'),
        }
        rest = &rest[if code.is_some() && is_escape { at + 3 } else { at + 1 }..];
    }
    Cow::Owned(written + rest)
}

/// Counts the URLs that were admitted, and detects endless sets of them.
#[derive(Debug, Default)]
pub(super) struct TrapDetector {
    dates: HashMap<String, u32>,
    variants: HashMap<String, u32>,
}

impl TrapDetector {
    /// Counts a URL. Returns the reason if it belongs to an endless set of which enough was admitted.
    pub(super) fn admit(&mut self, url: &Url) -> Option<SkipReason> {
        let segments: Vec<_> = url.path().split('/').filter(|segment| !segment.is_empty()).collect();
        if segments.len() > MOST_SEGMENTS || url.as_str().len() > LONGEST_URL {
            return Some(SkipReason::DeepPath);
        }
        if repeats(&segments) {
            return Some(SkipReason::RepeatedPath);
        }
        if let Some(undated) = undated(url) {
            return is_over(&mut self.dates, undated, MOST_DATES).then_some(SkipReason::Calendar);
        }
        let names: Vec<_> =
            url.query()?.split('&').map(|pair| pair.split('=').next().unwrap_or("")).collect();
        let (name, most) = match names[..] {
            [name] => (name, MOST_VALUES),
            _ => ("", MOST_COMBINATIONS),
        };
        let path = &url[..url::Position::AfterPath];
        is_over(&mut self.variants, format!("{path}?{name}"), most).then_some(SkipReason::QueryVariants)
    }
}

/// Counts one more, unless there are `most`. Returns whether there are.
fn is_over(counts: &mut HashMap<String, u32>, key: String, most: u32) -> bool {
    let count = counts.entry(key).or_default();
    let over = *count >= most;
    *count += u32::from(!over);
    over
}

/// Whether a group of segments occurs more than [`MOST_REPEATS`] times in a row, as in `/a/b/a/b/a/b`.
fn repeats(segments: &[&str]) -> bool {
    (1..=segments.len() / (MOST_REPEATS + 1)).any(|length| {
        let span = length * (MOST_REPEATS + 1);
        segments
            .windows(span)
            .any(|window| window.iter().zip(&window[length..]).all(|(one, next)| one == next))
    })
}

/// Returns the URL with its dates replaced by a mark; `None` if it contains none.
fn undated(url: &Url) -> Option<String> {
    #[expect(clippy::expect_used, reason = "the pattern is constant")]
    static DATE: LazyLock<Regex> = LazyLock::new(|| {
        let parts = r"\b(?:19|20|21)\d\d[-/_.](?:1[0-2]|0?[1-9])(?:[-/_.](?:3[01]|[12]\d|0?[1-9]))?\b";
        let digits = r"\b(?:19|20|21)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\b";
        Regex::new(&format!("{parts}|{digits}")).expect("a valid pattern")
    });
    let path = DATE.replace_all(url.path(), "{date}");
    let mut found = matches!(path, Cow::Owned(_));
    let pairs = url.query().unwrap_or_default().split('&').map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        let is_date = DATE_PARAMETERS.contains(&name.to_ascii_lowercase().as_str()) && is_number;
        if is_date || DATE.is_match(value) {
            found = true;
            return format!("{name}={{date}}");
        }
        pair.to_owned()
    });
    let pairs = pairs.collect::<Vec<_>>().join("&");
    found.then(|| format!("{}{path}?{pairs}", url.host_str().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn one_page_has_one_key() {
        for (one, other) in [
            ("http://a.example:80/x#y", "http://a.example/x"),
            ("http://a.example/?b=2&a=1", "http://a.example/?a=1&b=2"),
            ("http://a.example/x;jsessionid=1F?PHPSESSID=2&q=1", "http://a.example/x?q=1"),
            ("http://a.example/(S(abcdefghij0123456789abcd))/x", "http://a.example/x"),
            ("http://a.example/x?utm_source=y&fbclid=z&sid=0123456789abcdef", "http://a.example/x"),
            ("http://a.example/%7euser/%c3%a9?x=%2f", "http://a.example/~user/%C3%A9?x=%2F"),
            ("http://u:p@a.example/x?", "http://a.example/x"),
        ] {
            assert_eq!(key(&url(one)), key(&url(other)), "{one}");
        }
        for (one, other) in [
            ("http://a.example/x?sid=12", "http://a.example/x"),
            ("http://a.example/x/", "http://a.example/x"),
            ("http://a.example/%2f", "http://a.example/"),
            ("http://a.example/?q=%26a", "http://a.example/?q=&a"),
            ("http://a.example/x;v=2", "http://a.example/x"),
        ] {
            assert_ne!(key(&url(one)), key(&url(other)), "{one}");
        }
    }

    fn admitted(urls: impl IntoIterator<Item = String>) -> Vec<Option<SkipReason>> {
        let mut traps = TrapDetector::default();
        urls.into_iter().map(|text| traps.admit(&url(&text))).collect()
    }

    #[test]
    fn endless_sets_are_cut_and_others_are_not() {
        let days = |form: fn(u32) -> String| admitted((0..MOST_DATES + 5).map(form));
        let calendars: [fn(u32) -> String; 4] = [
            |n| format!("http://a.example/cal/{}/{}", 1950 + n, n % 12 + 1),
            |n| format!("http://a.example/cal?date={}-01-02", 1950 + n),
            |n| format!("http://a.example/cal?month={}&year={}", n % 12 + 1, 1950 + n),
            |n| format!("http://a.example/cal/{}1231", 1950 + n),
        ];
        for calendar in calendars {
            let found = days(calendar);
            assert_eq!(found.iter().flatten().count(), 5, "{}", calendar(0));
            assert_eq!(found.last(), Some(&Some(SkipReason::Calendar)));
        }
        assert!(days(|n| format!("http://a.example/2026/11/30/story-{n}")).iter().all(Option::is_none));
        assert!(days(|n| format!("http://a.example/item/{n}")).iter().all(Option::is_none));
        assert!(days(|n| format!("http://a.example/list?page={n}")).iter().all(Option::is_none));
        let combined = days(|n| format!("http://a.example/shop?colour={n}&size={n}"));
        assert_eq!(combined.last(), Some(&Some(SkipReason::QueryVariants)));
        for (path, reason) in [
            ("a/b/a/b/a/b", Some(SkipReason::RepeatedPath)),
            ("x/a/a/a", Some(SkipReason::RepeatedPath)),
            ("a/b/a/b", None),
            ("a/b/a/c/a/d", None),
            ("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16", None),
            ("1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", Some(SkipReason::DeepPath)),
        ] {
            assert_eq!(admitted([format!("http://a.example/{path}")]), [reason], "{path}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn a_key_is_its_own_key_and_ignores_order_and_visitors(
            path in "(/[a-zA-Z0-9.;=()%~é-]{0,8}){0,5}",
            pairs in prop::collection::vec("[a-zé%]{1,3}=[a-z0-9%+]{0,3}", 0..5),
            fragment in "[a-z]{0,5}",
            at in 0_usize..6,
        ) {
            let plain = url(&format!("https://a.example{path}?{}", pairs.join("&")));
            let same = key(&plain);
            prop_assert_eq!(&key(&url(&same)), &same);
            let mut pairs = pairs;
            pairs.reverse();
            pairs.insert(at.min(pairs.len()), "utm_medium=x".to_owned());
            let other = url(&format!("https://a.example:443{path}?{}#{fragment}", pairs.join("&")));
            prop_assert_eq!(key(&other), same);
        }

        /// However a site makes up URLs, an endless path ends, and so do the dates of a calendar.
        #[test]
        fn every_endless_walk_ends(step in "[a-z]{1,5}(/[a-z]{1,5}){0,3}", start in 1900_u32..2100) {
            let mut traps = TrapDetector::default();
            let mut path = String::from("http://a.example/");
            let walked = (0..20).take_while(|_| {
                path.push_str(&step);
                path.push('/');
                traps.admit(&url(&path)).is_none()
            });
            prop_assert!(walked.count() <= MOST_REPEATS);
            let years = (0..2000).filter(|n| {
                let year = start + n % 99;
                traps.admit(&url(&format!("http://a.example/?date={year}-{}-{}", n % 12 + 1, n % 28 + 1))).is_none()
            });
            prop_assert!(years.count() <= MOST_DATES as usize);
        }
    }
}
