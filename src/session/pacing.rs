//! Politeness towards sites: obeys `robots.txt`, and limits the rate of navigations to each site.
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep_until};
use url::Url;

use crate::browser::{ApiContext, ApiOptions, ApiRequest, BrowserContext};
use crate::error::{Error, Result};
use crate::fleet::Replica;

/// The user agent whose `robots.txt` rules apply to this program.
const AGENT: &str = "patchright-mcp";
const ROBOTS_LIMIT: Duration = Duration::from_secs(5);
/// The number of bytes of a `robots.txt` that are parsed; RFC 9309 allows ignoring the rest.
const LONGEST_ROBOTS: usize = 512 * 1024;
/// A `robots.txt` with more bytes than this is not loaded.
const LARGEST_ROBOTS: usize = 16 << 20;
/// How long a `robots.txt` is cached.
const ROBOTS_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// The number of sites whose rules and last visits are remembered.
const MOST_ORIGINS: usize = 1000;

/// Options for politeness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Politeness {
    /// The least time between two navigations to one origin.
    pub min_interval: Duration,
    pub respect_robots: bool,
}

/// The last visits to sites, and their `robots.txt` rules. Cheap to clone; clones share everything.
#[derive(Debug, Clone, Default)]
pub struct Pacing {
    politeness: Politeness,
    sites: Arc<Mutex<HashMap<String, Site>>>,
    /// The group of servers with which the rate limit is shared; unset for a single server.
    replica: Arc<OnceLock<Arc<Replica>>>,
}

#[derive(Debug, Clone)]
struct Site {
    /// When the next navigation may begin.
    free_at: Instant,
    rules: Arc<OnceCell<Rules>>,
    since: Instant,
}

impl Pacing {
    pub fn new(politeness: Politeness) -> Self {
        Self { politeness, ..Self::default() }
    }

    /// Shares the rate limit with the other servers of a group from now on.
    pub fn set_replica(&self, replica: Arc<Replica>) {
        let _ = self.replica.set(replica);
    }

    /// Waits until a page of this context may navigate to `url`.
    ///
    /// # Errors `robots_disallow` if `robots.txt` is respected and disallows the URL.
    pub async fn wait_to_navigate(&self, context: &BrowserContext, url: &Url) -> Result<()> {
        if self.politeness == Politeness::default() || !matches!(url.scheme(), "http" | "https") {
            return Ok(());
        }
        let origin = url.origin().ascii_serialization();
        if self.politeness.respect_robots {
            let rules = self.site(&origin).rules;
            let rules = rules.get_or_init(|| fetch_rules(context, &origin)).await;
            let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
            if !rules.allow(path) {
                return Err(Error::RobotsDisallow);
            }
        }
        self.keep_distance(origin).await;
        Ok(())
    }

    async fn keep_distance(&self, origin: String) {
        if let Some(replica) = self.replica.get()
            && !self.politeness.min_interval.is_zero()
            && replica.is_alive()
            // If the shared state fails, only this server's own limit applies, see below.
            && let Ok(wait) = replica.reserve_navigation(&origin, self.politeness.min_interval).await
        {
            return tokio::time::sleep(wait).await;
        }
        let turn = {
            let mut sites = self.sites.lock();
            let now = Instant::now();
            match sites.get_mut(&origin) {
                Some(site) => {
                    let turn = site.free_at.max(now);
                    site.free_at = turn + self.politeness.min_interval;
                    turn
                }
                None => {
                    let fresh = Site::new(now + self.politeness.min_interval);
                    remember(&mut sites, origin, fresh);
                    now
                }
            }
        };
        sleep_until(turn).await;
    }

    fn site(&self, origin: &str) -> Site {
        let mut sites = self.sites.lock();
        let now = Instant::now();
        match sites.get_mut(origin) {
            Some(site) => {
                if now.duration_since(site.since) > ROBOTS_AGE {
                    *site = Site::new(site.free_at);
                }
                site.clone()
            }
            None => {
                let fresh = Site::new(now);
                remember(&mut sites, origin.to_owned(), fresh.clone());
                fresh
            }
        }
    }
}

impl Site {
    fn new(free_at: Instant) -> Self {
        Self { free_at, rules: Arc::default(), since: Instant::now() }
    }
}

fn remember(sites: &mut HashMap<String, Site>, origin: String, site: Site) {
    if sites.len() >= MOST_ORIGINS {
        let now = Instant::now();
        sites.retain(|_, site| site.free_at > now);
    }
    sites.insert(origin, site);
}

/// The rules of a site's `robots.txt` that apply to us (RFC 9309).
#[derive(Debug, Default, Clone, PartialEq, Eq)]
struct Rules {
    /// Patterns of paths: `true` for `Allow`, `false` for `Disallow`.
    patterns: Vec<(bool, String)>,
}

impl Rules {
    fn nothing() -> Self {
        Self { patterns: vec![(false, "/".to_owned())] }
    }

    /// Parses the rules for this program's user agent, or else those for `*`.
    fn read(text: &str) -> Self {
        let mut ours = None::<Vec<_>>;
        let mut everybodys = Vec::new();
        let (mut for_us, mut for_all, mut in_rules) = (false, false, false);
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "user-agent" => {
                    if std::mem::take(&mut in_rules) {
                        (for_us, for_all) = (false, false);
                    }
                    for_all |= value == "*";
                    if value.eq_ignore_ascii_case(AGENT) {
                        for_us = true;
                        ours.get_or_insert_default();
                    }
                }
                key @ ("allow" | "disallow") => {
                    in_rules = true;
                    if value.is_empty() {
                        continue;
                    }
                    let pattern = (key == "allow", value.to_owned());
                    if for_us {
                        ours.get_or_insert_default().push(pattern.clone());
                    }
                    if for_all {
                        everybodys.push(pattern);
                    }
                }
                _ => {}
            }
        }
        Self { patterns: ours.unwrap_or(everybodys) }
    }

    /// Whether the rules allow a path. The longest matching pattern decides; between equals, `Allow` wins.
    fn allow(&self, path: &str) -> bool {
        if path == "/robots.txt" {
            return true;
        }
        let fitting = self.patterns.iter().filter(|(_, pattern)| fits(pattern, path));
        fitting.max_by_key(|(allows, pattern)| (pattern.len(), *allows)).is_none_or(|(allows, _)| *allows)
    }
}

/// For fuzzing: parses arbitrary rules and checks a path.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(text: &str, path: &str) {
    let rules = Rules::read(text);
    assert!(rules.patterns.iter().all(|(_, pattern)| !pattern.is_empty()));
    assert!(rules.allow("/robots.txt"));
    if rules.patterns.iter().all(|(allows, _)| *allows) {
        assert!(rules.allow(path));
    }
}

/// Whether a pattern matches the beginning of a path. `*` matches any text; a final `$`, the end of the path.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, to_the_end) = pattern.strip_suffix('$').map_or((pattern, false), |pattern| (pattern, true));
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| path.strip_prefix(first)) else { return false };
    let parts = parts.collect::<Vec<_>>();
    for (index, part) in parts.iter().enumerate() {
        if to_the_end && index == parts.len() - 1 {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    !to_the_end || rest.is_empty()
}

/// Loads the rules of a site. A site without a `robots.txt` allows everything. If the file cannot be read,
/// nothing is allowed (RFC 9309), unless the site is unreachable: then the navigation reports why. The
/// request uses the proxy and network limits of the page's context.
async fn fetch_rules(context: &BrowserContext, origin: &str) -> Rules {
    let options = ApiOptions {
        user_agent: Some(AGENT.to_owned()),
        limit: ROBOTS_LIMIT,
        largest_body: LARGEST_ROBOTS,
        ignore_https_errors: context.options().ignore_https_errors,
        ..ApiOptions::default()
    };
    let request = ApiRequest { url: format!("{origin}/robots.txt"), ..ApiRequest::default() };
    match ApiContext::with_network_of(context, options).fetch(&request).await {
        Ok(answer) if (200..300).contains(&answer.status) => {
            let text = &answer.body[..answer.body.len().min(LONGEST_ROBOTS)];
            Rules::read(&String::from_utf8_lossy(text))
        }
        Ok(answer) if answer.status >= 500 => Rules::nothing(),
        Ok(_) | Err(_) => Rules::default(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_rules_for_us_win_over_those_for_everybody() {
        let rules = Rules::read(
            "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: Patchright-MCP\nDisallow: /private # no\nAllow: /private/open\n",
        );
        assert!(rules.allow("/"));
        assert!(rules.allow("/x?y"));
        assert!(!rules.allow("/private/x"));
        assert!(rules.allow("/private/open/x"));
    }

    #[test]
    fn without_rules_for_us_those_for_everybody_hold() {
        let rules = Rules::read("Sitemap: x\nUser-agent: *\nDisallow:\nDisallow: /*.pdf$\nDisallow: /a*/b\n");
        for (path, allowed) in [
            ("/", true),
            ("/x.pdf", false),
            ("/x.pdf?y", true),
            ("/a1/b2", false),
            ("/a/c", true),
            ("/robots.txt", true),
        ] {
            assert_eq!(rules.allow(path), allowed, "{path}");
        }
        assert!(Rules::read("").allow("/x"));
        assert!(!Rules::nothing().allow("/x"));
    }

    #[test]
    fn of_two_patterns_as_long_the_one_that_allows_decides() {
        assert!(Rules::read("User-agent: *\nDisallow: /ab\nAllow: /ab").allow("/ab"));
    }

    proptest! {
        #[test]
        fn a_pattern_fits_what_begins_with_it(start in "/[a-z/]{0,20}", rest in "[a-z/]{0,20}") {
            let path = start.clone() + &rest;
            prop_assert!(fits(&start, &path));
            prop_assert_eq!(fits(&format!("{start}$"), &path), rest.is_empty());
            prop_assert!(fits("/*", &path));
        }

        #[test]
        fn no_rules_break_the_reader(text in any::<String>(), path in any::<String>()) {
            Rules::read(&text).allow(&path);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn navigations_to_one_origin_keep_their_distance() {
        let min_interval = Duration::from_secs(3);
        let pacing = Pacing::new(Politeness { min_interval, respect_robots: false });
        let start = Instant::now();
        pacing.keep_distance("http://a.example".to_owned()).await;
        pacing.keep_distance("http://b.example".to_owned()).await;
        assert_eq!(start.elapsed(), Duration::ZERO, "other origins are not waited for");
        let again = async || {
            pacing.keep_distance("http://a.example".to_owned()).await;
            start.elapsed().as_secs()
        };
        let (second, third) = tokio::join!(again(), again());
        let mut at = [second, third];
        at.sort_unstable();
        assert_eq!(at, [3, 6]);
    }
}
