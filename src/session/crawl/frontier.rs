//! The state of a crawl: what is known, what comes next, and what becomes of a page.
use std::collections::{HashMap, HashSet, VecDeque};

use url::Url;

use super::journal::{CrawlFolder, CrawlIdentity, IndexLine, JournalStep, Recovered, digest, url_key};
use super::options::{CrawlOptions, CrawlReport, SkipReason, StopReason, globs};
use super::urls::{TrapDetector, clean, key};
use crate::browser::{PageLinks, UrlGlob, iso_timestamp};
use crate::error::Result;
use crate::session::pacing::is_web;
use crate::sync::unix_time;

/// Endings of files that no page has; they are not opened.
const FILES: &str = "7z aac apk avi avif bin bmp bz2 css csv deb dmg doc docx eot epub exe flac gif gz ico iso jar jpeg \
                     jpg js json m4a m4v mkv mov mp3 mp4 mpeg msi odp ods odt ogg ogv otf png ppt pptx rar rpm rss svg tar \
                     tgz tif tiff ttf wav webm webp woff woff2 xls xlsx xml xz zip";

/// A URL to visit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Job {
    pub url: Url,
    pub depth: u32,
}

/// The outcome of a visit.
#[derive(Debug)]
pub(super) enum Visit {
    Loaded(Box<LoadedPage>),
    Skipped(SkipReason),
    Failed { status: Option<i64>, reason: String },
}

/// A page that was read.
#[derive(Debug)]
pub(super) struct LoadedPage {
    pub url: Url,
    pub title: String,
    pub text: String,
    pub status: Option<i64>,
    pub links: PageLinks,
    /// The `X-Robots-Tag` header.
    pub robots_header: String,
}

/// What a tab does next.
#[derive(Debug)]
pub(super) enum NextJob {
    Visit(Job),
    /// Wait until another visit has ended.
    Wait,
    Finished,
}

#[derive(Debug)]
pub(super) struct Frontier {
    folder: CrawlFolder,
    start: Url,
    rules: Rules,
    /// The hosts of the site: that of the start, and the one to which the start page redirects.
    hosts: HashSet<String>,
    /// The keys of all URLs that were found.
    known: HashSet<String>,
    /// The keys of URLs that are done, with the URL of their page.
    done: HashMap<String, String>,
    /// The digests of pages, with their URLs.
    contents: HashMap<String, String>,
    traps: TrapDetector,
    queue: VecDeque<Job>,
    /// The depths of the pages that are being visited.
    in_flight: Vec<u32>,
    visited: usize,
    report: CrawlReport,
}

/// The options that decide which URLs are visited.
#[derive(Debug)]
struct Rules {
    max_depth: Option<u32>,
    max_pages: usize,
    include: Vec<UrlGlob>,
    exclude: Vec<UrlGlob>,
    respect_robots: bool,
}

impl Frontier {
    /// Opens the folder, and continues an earlier run there.
    pub(super) fn open(options: &CrawlOptions) -> Result<Self> {
        let CrawlOptions { url, max_depth, max_pages, respect_robots, .. } = options.clone();
        let (include, exclude) = (globs(&options.include)?, globs(&options.exclude)?);
        let start = clean(&url);
        let identity = CrawlIdentity {
            url: start.to_string(),
            max_depth,
            include: options.include.clone(),
            exclude: options.exclude.clone(),
            respect_robots,
        };
        let (folder, recovered) = CrawlFolder::open(&options.folder, &identity)?;
        let report = CrawlReport { index: folder.index_path(), ..CrawlReport::default() };
        let mut frontier = Self {
            folder,
            hosts: HashSet::from([host_of(&start)]),
            start,
            rules: Rules { max_depth, max_pages, include, exclude, respect_robots },
            known: HashSet::new(),
            done: HashMap::new(),
            contents: HashMap::new(),
            traps: TrapDetector::default(),
            queue: VecDeque::new(),
            in_flight: Vec::new(),
            visited: 0,
            report,
        };
        frontier.restore(recovered);
        Ok(frontier)
    }

    fn restore(&mut self, recovered: Recovered) {
        for line in &recovered.lines {
            self.count(line);
            self.remember(line);
            self.visited += 1;
        }
        self.report.resumed = recovered.lines.len();
        let mut settled = HashSet::new();
        for step in &recovered.steps {
            self.hosts.extend(step.host.clone());
            for (reason, url) in &step.skipped {
                let is_own = *url == step.from;
                if !is_own {
                    self.known.insert(skipped_key(*reason, url));
                } else if settled.insert(url_key(url)) {
                    self.visited += usize::from(*reason != SkipReason::Robots);
                } else {
                    continue;
                }
                self.count_skipped(*reason, url.clone());
            }
        }
        for (url, depth) in recovered.steps.into_iter().flat_map(|step| step.found) {
            let Ok(url) = Url::parse(&url) else { continue };
            let key = key(&url);
            if self.known.insert(key.clone()) {
                self.traps.admit(&url);
                if !self.done.contains_key(&key) && !settled.contains(&key) {
                    self.queue.push_back(Job { url, depth });
                }
            }
        }
        self.queue.make_contiguous().sort_by_key(|job| job.depth);
    }

    /// Whether the crawl has not begun: nothing was found yet.
    pub(super) fn is_new(&self) -> bool {
        self.known.is_empty()
    }

    /// Begins with the start page, or with the pages of a sitemap.
    pub(super) fn begin(&mut self, listed: Option<&[String]>) -> Result<()> {
        let mut step = JournalStep::default();
        match listed {
            Some(pages) => pages.iter().for_each(|page| self.consider(page, 0, &mut step)),
            None => {
                self.known.insert(key(&self.start));
                step.found.push((self.start.to_string(), 0));
                self.queue.push_back(Job { url: self.start.clone(), depth: 0 });
            }
        }
        self.folder.record(&step, None, None)
    }

    /// Takes the next URL to visit.
    pub(super) fn next(&mut self) -> NextJob {
        let is_full = self.visited + self.in_flight.len() >= self.rules.max_pages;
        let Some(job) = self.queue.front().filter(|_| !is_full) else {
            if is_full && !self.queue.is_empty() {
                self.report.stopped = Some(StopReason::MaxPages);
            }
            return if self.in_flight.is_empty() { NextJob::Finished } else { NextJob::Wait };
        };
        // With a depth limit, each page needs its least depth: one level ends before the next begins.
        if self.rules.max_depth.is_some() && self.in_flight.iter().any(|depth| *depth < job.depth) {
            return NextJob::Wait;
        }
        let job = self.queue.pop_front();
        self.report.stopped = None;
        job.map_or(NextJob::Finished, |job| {
            self.in_flight.push(job.depth);
            NextJob::Visit(job)
        })
    }

    /// Gives a URL back that could not be visited.
    pub(super) fn put_back(&mut self, job: Job) {
        self.leave(job.depth);
        self.queue.push_front(job);
    }

    fn leave(&mut self, depth: u32) {
        if let Some(at) = self.in_flight.iter().position(|other| *other == depth) {
            self.in_flight.swap_remove(at);
        }
    }

    /// Returns the number of visits so far.
    pub(super) fn visited(&self) -> usize {
        self.visited
    }

    /// Writes the outcome of a visit.
    pub(super) fn record(&mut self, job: &Job, visit: Visit) -> Result<()> {
        let mut step = JournalStep { from: job.url.to_string(), ..JournalStep::default() };
        let mut line = IndexLine {
            url: job.url.to_string(),
            depth: job.depth,
            fetched: iso_timestamp(unix_time()),
            ..IndexLine::default()
        };
        let mut text = None;
        let is_written = match visit {
            Visit::Skipped(reason) => {
                self.skip(reason, &job.url, &mut step);
                self.visited += usize::from(reason != SkipReason::Robots);
                false
            }
            Visit::Failed { status, reason } => {
                (line.status, line.error) = (status, Some(reason));
                true
            }
            Visit::Loaded(page) => match self.judge(job, &page, &mut line, &mut step) {
                PageFate::Skipped => {
                    self.visited += 1;
                    false
                }
                PageFate::Merged => false,
                PageFate::Duplicate => true,
                PageFate::Written => {
                    text = Some(page.text);
                    true
                }
            },
        };
        let written = is_written.then_some(&mut line);
        self.folder.record(&step, written, text.as_deref())?;
        if is_written {
            self.count(&line);
            self.remember(&line);
            self.visited += 1;
        }
        self.leave(job.depth);
        Ok(())
    }

    /// Decides what becomes of a page, and finds its links.
    fn judge(
        &mut self,
        job: &Job,
        page: &LoadedPage,
        line: &mut IndexLine,
        step: &mut JournalStep,
    ) -> PageFate {
        let url = clean(&page.url);
        if !self.is_of_site(&url) {
            if key(&job.url) != key(&self.start) {
                self.skip(SkipReason::OtherSite, &job.url, step);
                return PageFate::Skipped;
            }
            self.hosts.insert(host_of(&url));
            step.host = Some(host_of(&url));
        }
        let (final_key, requested_key) = (key(&url), key(&job.url));
        if self.done.contains_key(&requested_key) {
            // Another URL redirected here meanwhile, and its line is that of this page, too.
            return PageFate::Merged;
        }
        line.status = page.status;
        if let Some(known) = self.done.get(&final_key) {
            line.duplicate_of = Some(known.clone());
            return PageFate::Duplicate;
        }
        let [noindex, nofollow] = self.directives(page);
        let text = page.text.trim();
        let hash = digest(text.as_bytes());
        if !noindex && let Some(same) = self.contents.get(&hash).filter(|_| !text.is_empty()) {
            // The same text has the same links: following them again would not end in a trap.
            line.duplicate_of = Some(same.clone());
            return PageFate::Duplicate;
        }
        let canonical = self.canonical_of(page, &final_key);
        self.follow_links(page, job.depth + 1, nofollow, canonical.as_ref(), step);
        if noindex {
            self.skip(SkipReason::Noindex, &job.url, step);
            return PageFate::Skipped;
        }
        line.links = Some(page.links.links.len());
        if let Some(known) = canonical.as_ref().and_then(|canonical| self.done.get(&key(canonical))) {
            line.duplicate_of = Some(known.clone());
            return PageFate::Duplicate;
        }
        line.requested = (final_key != requested_key).then(|| job.url.to_string());
        line.url = url.to_string();
        line.title = Some(page.title.clone());
        line.canonical = canonical.map(String::from);
        line.hash = (!text.is_empty()).then_some(hash);
        PageFate::Written
    }

    /// Returns the canonical URL that a page names, if it is another one of the site.
    fn canonical_of(&self, page: &LoadedPage, key_of_page: &str) -> Option<Url> {
        let canonical = clean(&Url::parse(page.links.canonical.as_deref()?).ok()?);
        // A site whose pages all name the front page as canonical is misconfigured.
        let is_sound = self.is_of_site(&canonical) && canonical.path() != "/";
        (is_sound && key(&canonical) != key_of_page).then_some(canonical)
    }

    fn follow_links(
        &mut self,
        page: &LoadedPage,
        depth: u32,
        nofollow: bool,
        canonical: Option<&Url>,
        step: &mut JournalStep,
    ) {
        for (link, is_nofollow) in &page.links.links {
            if self.rules.respect_robots && (nofollow || *is_nofollow) {
                self.note_nofollow(link, step);
            } else {
                self.consider(link, depth, step);
            }
        }
        if let Some(canonical) = canonical {
            self.consider(canonical.as_str(), depth, step);
        }
    }

    /// Returns whether the page forbids to store it (`noindex`), and to follow its links (`nofollow`).
    fn directives(&self, page: &LoadedPage) -> [bool; 2] {
        let all = format!("{},{}", page.links.robots, page.robots_header).to_ascii_lowercase();
        let forbids = |name: &str| {
            let named = all
                .split([',', '\n'])
                .map(str::trim)
                .map(|text| text.strip_prefix("patchright-mcp:").unwrap_or(text));
            self.rules.respect_robots && named.map(str::trim).any(|text| text == name || text == "none")
        };
        [forbids("noindex"), forbids("nofollow")]
    }

    fn is_of_site(&self, url: &Url) -> bool {
        self.hosts.contains(&host_of(url))
    }

    /// Adds a link to the queue, unless it is known or to be skipped.
    fn consider(&mut self, link: &str, depth: u32, step: &mut JournalStep) {
        let Some(url) = web_url(link) else { return };
        if !self.known.insert(key(&url)) {
            return;
        }
        match self.reason_to_skip(&url, depth) {
            Some(reason) => self.skip(reason, &url, step),
            None => {
                step.found.push((url.to_string(), depth));
                self.queue.push_back(Job { url, depth });
            }
        }
    }

    fn reason_to_skip(&mut self, url: &Url, depth: u32) -> Option<SkipReason> {
        let is_file = || {
            let name = url.path().rsplit('/').next().unwrap_or_default();
            let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
            ending.is_some_and(|ending| FILES.split(' ').any(|file| file == ending))
        };
        let fits = |globs: &[UrlGlob]| globs.iter().any(|glob| glob.matches(url.as_str()));
        let Rules { max_depth, include, exclude, .. } = &self.rules;
        if !self.is_of_site(url) {
            Some(SkipReason::OtherSite)
        } else if (!include.is_empty() && !fits(include)) || fits(exclude) {
            Some(SkipReason::Excluded)
        } else if is_file() {
            Some(SkipReason::Content)
        } else if max_depth.is_some_and(|most| depth > most) {
            Some(SkipReason::Depth)
        } else {
            self.traps.admit(url)
        }
    }

    fn skip(&mut self, reason: SkipReason, url: &Url, step: &mut JournalStep) {
        self.known.insert(skipped_key(reason, url.as_str()));
        step.skipped.push((reason, url.to_string()));
        self.count_skipped(reason, url.to_string());
    }

    /// Counts a link that is not followed. Another page may still lead to its URL.
    fn note_nofollow(&mut self, link: &str, step: &mut JournalStep) {
        let Some(url) = web_url(link).filter(|url| self.is_of_site(url)) else { return };
        if !self.known.contains(&key(&url))
            && !self.known.contains(&skipped_key(SkipReason::Nofollow, url.as_str()))
        {
            self.skip(SkipReason::Nofollow, &url, step);
        }
    }

    fn count_skipped(&mut self, reason: SkipReason, url: String) {
        self.report.skipped.entry(reason).or_insert_with(|| (0, url)).0 += 1;
    }

    fn count(&mut self, line: &IndexLine) {
        match (&line.error, &line.duplicate_of) {
            (Some(reason), _) => {
                self.report.failed += 1;
                self.report.failure.get_or_insert_with(|| (line.url.clone(), reason.clone()));
            }
            (None, Some(_)) => self.report.duplicates += 1,
            (None, None) => self.report.pages += 1,
        }
    }

    /// Notes that the URLs of a line are done, and which content it has.
    fn remember(&mut self, line: &IndexLine) {
        let page = line.duplicate_of.as_ref().unwrap_or(&line.url);
        for url in [Some(&line.url), line.requested.as_ref()].into_iter().flatten() {
            self.done.entry(url_key(url)).or_insert_with(|| page.clone());
        }
        if let Some(hash) = &line.hash {
            self.contents.entry(hash.clone()).or_insert_with(|| line.url.clone());
        }
    }

    /// Returns what is in the folder now.
    pub(super) fn report(&self, stopped: Option<StopReason>) -> CrawlReport {
        let waiting = self.queue.len() + self.in_flight.len();
        let stopped = stopped.or(self.report.stopped).filter(|_| waiting > 0);
        CrawlReport { waiting, stopped, ..self.report.clone() }
    }
}

/// What becomes of a page that was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PageFate {
    Written,
    Duplicate,
    Skipped,
    /// It is a page that already has a line.
    Merged,
}

/// Returns the host of a URL, with its port if that is not the usual one.
fn host_of(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Parses a link that a crawl may open.
fn web_url(link: &str) -> Option<Url> {
    let url = Url::parse(link).ok()?;
    is_web(&url).then(|| clean(&url))
}

/// Returns the mark under which a skipped URL is known. `nofollow` leaves it to other pages.
fn skipped_key(reason: SkipReason, url: &str) -> String {
    match reason {
        SkipReason::Nofollow => format!("nofollow {}", url_key(url)),
        _ => url_key(url),
    }
}
