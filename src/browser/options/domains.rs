//! Domain lists for blocking ads and trackers.
use std::collections::HashSet;

use url::Url;

/// The most common servers of ads and trackers. Deliberately short; longer lists can be read from files.
const ADS: [&str; 64] = [
    "2mdn.net",
    "3lift.com",
    "adform.net",
    "adnxs.com",
    "adroll.com",
    "adsafeprotected.com",
    "adsrvr.org",
    "agkn.com",
    "amazon-adsystem.com",
    "amplitude.com",
    "analytics.google.com",
    "analytics.tiktok.com",
    "analytics.yahoo.com",
    "app-measurement.com",
    "bat.bing.com",
    "bidswitch.net",
    "bluekai.com",
    "branch.io",
    "browser.sentry-cdn.com",
    "casalemedia.com",
    "chartbeat.com",
    "chartbeat.net",
    "clarity.ms",
    "connect.facebook.net",
    "contextweb.com",
    "criteo.com",
    "criteo.net",
    "crwdcntrl.net",
    "demdex.net",
    "doubleclick.net",
    "doubleverify.com",
    "everesttech.net",
    "exelator.com",
    "flashtalking.com",
    "fullstory.com",
    "google-analytics.com",
    "googleadservices.com",
    "googlesyndication.com",
    "googletagmanager.com",
    "googletagservices.com",
    "heapanalytics.com",
    "hotjar.com",
    "indexww.com",
    "krxd.net",
    "mathtag.com",
    "mixpanel.com",
    "moatads.com",
    "mouseflow.com",
    "newrelic.com",
    "nr-data.net",
    "omtrdc.net",
    "openx.net",
    "outbrain.com",
    "permutive.com",
    "pubmatic.com",
    "quantserve.com",
    "rlcdn.com",
    "rubiconproject.com",
    "scorecardresearch.com",
    "segment.io",
    "sharethrough.com",
    "smartadserver.com",
    "taboola.com",
    "yieldmo.com",
];

/// A set of domains, which includes all their subdomains.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DomainList {
    named: HashSet<String>,
    /// The number of lines in the parsed list that contain no supported domain and are ignored.
    pub left_out: usize,
}

impl DomainList {
    /// Returns the built-in list of ad and tracker domains.
    pub fn ad_domains() -> Self {
        Self { named: ADS.iter().map(|&name| name.to_owned()).collect(), left_out: 0 }
    }

    /// Parses names, hosts file lines, and rules such as `||ads.example^` or exceptions `@@||ads.example^`.
    pub fn parse(text: &str) -> Self {
        let mut domains = Self::default();
        let mut excepted = Vec::new();
        for line in text.lines().map(str::trim) {
            if line.is_empty() || line.starts_with(['!', '#', '[']) {
                continue;
            }
            if let Some(rule) = line.strip_prefix("@@") {
                excepted.extend(ruled(rule));
                continue;
            }
            let line = line.split(" #").next().unwrap_or(line);
            let mut words = line.split_whitespace();
            let first = words.next().unwrap_or_default();
            let is_address = first.parse::<std::net::IpAddr>().is_ok();
            let names: Vec<String> = match is_address {
                true => words.filter_map(name).filter(|name| !is_own(name)).collect(),
                false => ruled(line).or_else(|| name(line)).into_iter().collect(),
            };
            if names.is_empty() && !(is_address && line.split_whitespace().skip(1).any(is_own)) {
                domains.left_out += 1;
            }
            domains.named.extend(names);
        }
        for name in excepted {
            domains.named.remove(&name);
        }
        domains
    }

    /// Returns the domains of both lists.
    #[must_use]
    pub fn union(mut self, other: Self) -> Self {
        self.named.extend(other.named);
        self.left_out += other.left_out;
        self
    }

    pub fn len(&self) -> usize {
        self.named.len()
    }

    pub fn is_empty(&self) -> bool {
        self.named.is_empty()
    }

    /// Whether the host of a URL is one of these domains or one of their subdomains.
    pub fn contains_url(&self, url: &str) -> bool {
        let Some(host) = Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned)) else {
            return false;
        };
        let mut rest = host.trim_end_matches('.');
        loop {
            if self.named.contains(rest) {
                return true;
            }
            match rest.split_once('.') {
                Some((_, above)) => rest = above,
                None => return false,
            }
        }
    }
}

/// Returns the domain that a rule blocks entirely. Ignores third-party conditions: ad servers host no pages.
fn ruled(rule: &str) -> Option<String> {
    let rest = rule.strip_prefix("||")?;
    let (domain, options) = rest.split_once('^')?;
    let whole = options.is_empty() || matches!(options, "$third-party" | "$3p" | "$important" | "$all");
    whole.then(|| name(domain)).flatten()
}

/// Returns the name in lower case if it is an ASCII domain name with a dot; otherwise `None`.
fn name(text: &str) -> Option<String> {
    let lower = text.trim_end_matches('.').to_ascii_lowercase();
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
    };
    (lower.contains('.') && lower.split('.').all(is_label)).then_some(lower)
}

/// Whether the name is one that hosts files define for the machine itself, such as `localhost`.
fn is_own(name: &str) -> bool {
    matches!(
        name,
        "localhost"
            | "localhost.localdomain"
            | "local"
            | "broadcasthost"
            | "ip6-localhost"
            | "ip6-loopback"
            | "0.0.0.0"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_as_people_have_them() {
        let list = "! a comment\n[Adblock Plus 2.0]\n# another\n0.0.0.0 ads.example tracker.example # why\n\
                    127.0.0.1 localhost\n||banner.example^\n||third.example^$third-party\nplain.example\n\
                    @@||tracker.example^\nnews.example##.advert\n/banner/*.gif\n";
        let domains = DomainList::parse(list);
        assert_eq!((domains.len(), domains.left_out), (4, 2), "{domains:?}");
        for url in ["https://ads.example/a.js", "http://deep.banner.example/", "https://plain.example:8443/x"]
        {
            assert!(domains.contains_url(url), "{url}");
        }
        for url in [
            "https://tracker.example/",
            "https://notads.example/",
            "https://news.example/",
            "data:,ads.example",
        ] {
            assert!(!domains.contains_url(url), "{url}");
        }
    }

    #[test]
    fn our_own_list_is_in_order_and_has_names_only() {
        assert!(ADS.is_sorted() && ADS.iter().all(|ad| name(ad).as_deref() == Some(*ad)));
        assert!(DomainList::ad_domains().contains_url("https://stats.g.doubleclick.net/j/collect"));
    }
}
