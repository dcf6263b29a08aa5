//! Crawls: the pages of a site as Markdown files with an index, from a start page or a sitemap.
mod crawler;
mod frontier;
mod journal;
mod options;
mod sitemap;
mod urls;

pub use crawler::{Crawler, TabOpener};
pub use options::{CrawlOptions, CrawlReport, SkipReason, StopReason};
