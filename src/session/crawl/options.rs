//! What a crawl is asked for, and what it reports.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use url::Url;

use crate::browser::UrlGlob;
use crate::error::{Error, Result};

/// Options of a crawl.
#[derive(Debug, Clone)]
pub struct CrawlOptions {
    /// The page or the sitemap to start from.
    pub url: Url,
    /// The folder for the pages and the index. It must be new, empty, or of an earlier run of the same crawl.
    pub folder: PathBuf,
    /// How many links a page may be away from the start; `None` for no limit.
    pub max_depth: Option<u32>,
    /// The number of pages in the folder, those of earlier runs, duplicates and failures included.
    pub max_pages: usize,
    /// Globs of the URLs to open besides the start; if empty, all of the site.
    pub include: Vec<String>,
    /// Globs of the URLs not to open.
    pub exclude: Vec<String>,
    pub time_limit: Duration,
    /// The number of tabs.
    pub concurrency: usize,
    /// Whether `robots.txt`, `<meta name=robots>`, `X-Robots-Tag` and `rel=nofollow` are obeyed.
    pub respect_robots: bool,
}

impl CrawlOptions {
    pub const DEFAULT_MAX_PAGES: usize = 100;
    pub const DEFAULT_TIME_LIMIT: Duration = Duration::from_secs(3600);
    pub const DEFAULT_CONCURRENCY: usize = 4;

    /// Creates the default options.
    pub fn new(url: Url, folder: PathBuf) -> Self {
        Self {
            url,
            folder,
            max_depth: None,
            max_pages: Self::DEFAULT_MAX_PAGES,
            include: Vec::new(),
            exclude: Vec::new(),
            time_limit: Self::DEFAULT_TIME_LIMIT,
            concurrency: Self::DEFAULT_CONCURRENCY,
            respect_robots: true,
        }
    }
}

/// Parses globs for full URLs, as for routes.
pub(super) fn globs(texts: &[String]) -> Result<Vec<UrlGlob>> {
    let parse = |text: &String| {
        let problem = || format!("the braces of {text:?} do not match");
        UrlGlob::new(text).ok_or_else(|| Error::InvalidArguments { problems: vec![problem()] })
    };
    texts.iter().map(parse).collect()
}

/// The reason why a URL is not a page of the crawl.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    strum::Display,
    strum::IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum SkipReason {
    /// On another host.
    OtherSite,
    /// More links away than the depth limit.
    Depth,
    /// Excluded by the patterns `include` or `exclude`.
    Excluded,
    /// Disallowed by `robots.txt`.
    Robots,
    /// All links to it have `rel=nofollow`, or are on pages with `nofollow`.
    Nofollow,
    /// The page itself has `noindex`.
    Noindex,
    /// Neither HTML, text nor PDF.
    Content,
    /// Enough URLs that differ only in their dates were admitted.
    Calendar,
    /// Segments of the path repeat.
    RepeatedPath,
    /// Too many segments, or too long.
    DeepPath,
    /// Enough URLs of this path with other parameters were admitted.
    QueryVariants,
}

/// The limit at which a crawl stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum StopReason {
    MaxPages,
    TimeLimit,
}

/// What is in the folder after a crawl, those of earlier runs included.
#[derive(Debug, Clone, Default)]
pub struct CrawlReport {
    pub pages: usize,
    pub duplicates: usize,
    pub failed: usize,
    /// The URL of one failure, and the reason.
    pub failure: Option<(String, String)>,
    /// The number of pages and duplicates of earlier runs.
    pub resumed: usize,
    /// The number of URLs skipped for each reason, and one of them.
    pub skipped: BTreeMap<SkipReason, (usize, String)>,
    /// The number of URLs that wait for a visit.
    pub waiting: usize,
    pub stopped: Option<StopReason>,
    pub index: PathBuf,
}
