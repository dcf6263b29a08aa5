//! Politeness towards sites: obeys `robots.txt`, and limits the rate of navigations to each site.
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use parking_lot::Mutex;
use robotxt::Robots;
use tokio::sync::OnceCell;
use tokio::time::{Instant, sleep_until};
use url::Url;

use crate::browser::{ApiContext, ApiOptions, ApiRequest, ApiResponse, BrowserContext};
use crate::error::{Error, Result};
use crate::fleet::Replica;

/// The user agent whose `robots.txt` rules apply to this program.
const AGENT: &str = "patchright-mcp";
const ROBOTS_LIMIT: Duration = Duration::from_secs(5);
/// A `robots.txt` with more bytes than this is not loaded.
const LARGEST_ROBOTS: usize = 16 << 20;
/// The longest `Crawl-delay` that is obeyed.
const LONGEST_DELAY: Duration = Duration::from_secs(60);
/// How long a `robots.txt` is cached.
const ROBOTS_AGE: Duration = Duration::from_secs(24 * 60 * 60);
/// The number of sites whose rules and last visits are remembered.
const MOST_ORIGINS: usize = 1000;

/// Options for politeness.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PacingOptions {
    /// The least time between two navigations to one origin.
    pub min_interval: Duration,
    pub respect_robots: bool,
}

/// The last visits to sites, and their `robots.txt` rules. Cheap to clone; clones share everything.
#[derive(Debug, Clone, Default)]
pub struct Pacing {
    politeness: PacingOptions,
    sites: Arc<Mutex<HashMap<String, Site>>>,
    /// The group of servers with which the rate limit is shared; unset for a single server.
    replica: Arc<OnceLock<Arc<Replica>>>,
}

#[derive(Debug, Clone)]
struct Site {
    /// When the next navigation may begin.
    free_at: Instant,
    rules: Arc<OnceCell<Robots>>,
    since: Instant,
}

impl Pacing {
    pub fn new(politeness: PacingOptions) -> Self {
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
        if self.politeness == PacingOptions::default() || !is_web(url) {
            return Ok(());
        }
        if self.politeness.respect_robots {
            self.check_robots(context, url).await?;
        }
        self.keep_distance(url.origin().ascii_serialization(), self.politeness.min_interval).await;
        Ok(())
    }

    /// Waits until a crawl may open `url`. With `respect_robots`, also obeys `robots.txt` and its `Crawl-delay`,
    /// of which at most [`LONGEST_DELAY`].
    ///
    /// # Errors `robots_disallow` if `robots.txt` is respected and disallows the URL.
    pub async fn wait_to_crawl(
        &self,
        context: &BrowserContext,
        url: &Url,
        respect_robots: bool,
    ) -> Result<()> {
        let mut interval = self.politeness.min_interval;
        if respect_robots || self.politeness.respect_robots {
            let delay = self.check_robots(context, url).await?;
            interval = interval.max(delay.min(LONGEST_DELAY));
        }
        if !interval.is_zero() {
            self.keep_distance(url.origin().ascii_serialization(), interval).await;
        }
        Ok(())
    }

    /// Checks that `robots.txt` allows a URL. Returns its `Crawl-delay`.
    ///
    /// # Errors `robots_disallow` if it does not.
    pub async fn check_robots(&self, context: &BrowserContext, url: &Url) -> Result<Duration> {
        let origin = url.origin().ascii_serialization();
        let rules = self.site(&origin).rules;
        let rules = rules.get_or_init(|| fetch_rules(context, &origin)).await;
        let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
        if !rules.is_allowed(path) {
            return Err(Error::RobotsDisallow);
        }
        Ok(rules.crawl_delay().unwrap_or_default())
    }

    async fn keep_distance(&self, origin: String, interval: Duration) {
        if let Some(replica) = self.replica.get()
            && !interval.is_zero()
            && replica.is_alive()
            // If the shared state fails, only this server's own limit applies, see below.
            && let Ok(wait) = replica.reserve_navigation_slot(&origin, interval).await
        {
            return tokio::time::sleep(wait).await;
        }
        let turn = {
            let mut sites = self.sites.lock();
            let now = Instant::now();
            match sites.get_mut(&origin) {
                Some(site) => {
                    let turn = site.free_at.max(now);
                    site.free_at = turn + interval;
                    turn
                }
                None => {
                    let fresh = Site::new(now + interval);
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

pub(super) fn is_web(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https")
}

/// For fuzzing: parses arbitrary rules and checks a path.
#[cfg(any(test, fuzzing))]
pub(crate) fn fuzz(text: &str, path: &str) {
    let rules = Robots::parse(text.as_bytes(), AGENT);
    assert!(rules.is_allowed("/robots.txt"));
    if rules.rules().iter().all(robotxt::Rule::is_allow) {
        assert!(rules.is_allowed(path));
    }
}

/// Loads the rules of a site. A site without a `robots.txt` allows everything. If the file cannot be read,
/// nothing is allowed (RFC 9309), unless the site is unreachable: then the navigation reports why. The
/// request uses the proxy and network limits of the page's context.
async fn fetch_rules(context: &BrowserContext, origin: &str) -> Robots {
    match fetch_as_crawler(context, &format!("{origin}/robots.txt"), ROBOTS_LIMIT, LARGEST_ROBOTS).await {
        Ok(answer) if (200..300).contains(&answer.status) => Robots::parse(&answer.body, AGENT),
        Ok(answer) if answer.status >= 500 => Robots::disallow_all(),
        Ok(_) | Err(_) => Robots::allow_all(),
    }
}

/// Requests a file for crawlers, such as `robots.txt`, under this program's own name.
pub(super) async fn fetch_as_crawler(
    context: &BrowserContext,
    url: &str,
    limit: Duration,
    largest_body: usize,
) -> Result<ApiResponse> {
    let options = ApiOptions {
        user_agent: Some(AGENT.to_owned()),
        limit,
        largest_body,
        ignore_https_errors: context.options().ignore_https_errors,
        ..ApiOptions::default()
    };
    let request = ApiRequest { url: url.to_owned(), ..ApiRequest::default() };
    ApiContext::with_network_of(context, options).fetch(&request).await
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn read(text: &str) -> Robots {
        Robots::parse(text.as_bytes(), AGENT)
    }

    #[test]
    fn the_rules_for_us_win_over_those_for_everybody() {
        let rules = read(
            "User-agent: *\nDisallow: /\n\nUser-agent: other\nUser-agent: Patchright-MCP\nDisallow: /private # no\nAllow: /private/open\n",
        );
        assert!(rules.is_allowed("/"));
        assert!(rules.is_allowed("/x?y"));
        assert!(!rules.is_allowed("/private/x"));
        assert!(rules.is_allowed("/private/open/x"));
    }

    #[test]
    fn without_rules_for_us_those_for_everybody_hold() {
        let rules = read("Sitemap: x\nUser-agent: *\nDisallow:\nDisallow: /*.pdf$\nDisallow: /a*/b\n");
        for (path, allowed) in [
            ("/", true),
            ("/x.pdf", false),
            ("/x.pdf?y", true),
            ("/a1/b2", false),
            ("/a/c", true),
            ("/robots.txt", true),
        ] {
            assert_eq!(rules.is_allowed(path), allowed, "{path}");
        }
        assert!(read("").is_allowed("/x"));
        assert!(!Robots::disallow_all().is_allowed("/x"));
    }

    #[test]
    fn of_two_patterns_as_long_the_one_that_allows_decides() {
        assert!(read("User-agent: *\nDisallow: /ab\nAllow: /ab").is_allowed("/ab"));
    }

    proptest! {
        #[test]
        fn a_pattern_fits_what_begins_with_it(start in "/[a-z/]{1,20}", rest in "[a-z/]{0,20}") {
            let path = start.clone() + &rest;
            let allows = |pattern: &str| read(&format!("User-agent: *\nDisallow: {pattern}")).is_allowed(&path);
            prop_assert!(!allows(&start));
            prop_assert_eq!(!allows(&format!("{start}$")), rest.is_empty());
            prop_assert!(!allows("/*"));
        }

        #[test]
        fn no_rules_break_the_reader(text in any::<String>(), path in any::<String>()) {
            let _ = read(&text).is_allowed(&path);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn navigations_to_one_origin_keep_their_distance() {
        let min_interval = Duration::from_secs(3);
        let pacing = Pacing::new(PacingOptions { min_interval, respect_robots: false });
        let start = Instant::now();
        pacing.keep_distance("http://a.example".to_owned(), min_interval).await;
        pacing.keep_distance("http://b.example".to_owned(), min_interval).await;
        assert_eq!(start.elapsed(), Duration::ZERO, "other origins are not waited for");
        let again = async || {
            pacing.keep_distance("http://a.example".to_owned(), min_interval).await;
            start.elapsed().as_secs()
        };
        let (second, third) = tokio::join!(again(), again());
        let mut at = [second, third];
        at.sort_unstable();
        assert_eq!(at, [3, 6]);
    }
}
