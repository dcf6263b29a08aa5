//! Visits the pages of a crawl in a few tabs.
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{BoxFuture, join_all, try_join_all};
use parking_lot::Mutex;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::spawn_blocking;
use tokio::time::{Instant, timeout, timeout_at};
use url::Url;

use super::frontier::{Frontier, Job, LoadedPage, NextJob, Visit};
use super::options::{CrawlOptions, CrawlReport, SkipReason, StopReason};
use super::sitemap::{listed_pages, may_be_sitemap};
use super::urls::{clean, key};
use crate::browser::{BrowserContext, ContentFormat, Page, PageLinks};
use crate::error::{Error, Result};
use crate::secrets::Secrets;
use crate::session::handoff::NoPersonContact;
use crate::session::pacing::Pacing;
use crate::session::visit::{self, VisitOptions, VisitTask};

/// Opens a tab for a crawl.
pub type TabOpener = Arc<dyn Fn() -> BoxFuture<'static, Result<Page>> + Send + Sync>;

/// What a crawl works with.
pub struct Crawler<'a> {
    pub context: BrowserContext,
    pub open_tab: TabOpener,
    pub pacing: &'a Pacing,
    pub secrets: &'a Secrets,
    /// The time limit for loading a page.
    pub page_limit: Duration,
    /// Is called with the number of visits so far.
    pub on_progress: &'a (dyn Fn(usize) + Send + Sync),
}

impl fmt::Debug for Crawler<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Crawler").field("context", &self.context).finish_non_exhaustive()
    }
}

/// The state that the tabs of one crawl share.
struct Run {
    frontier: Arc<tokio::sync::Mutex<Frontier>>,
    /// Wakes tabs that wait for the result of another.
    changed: Notify,
    tabs: Tabs,
    start: String,
    respect_robots: bool,
    /// Why the start could not be visited.
    start_error: Mutex<Option<Error>>,
}

/// The open tabs of a crawl. They are closed when it ends, also if it is cancelled.
#[derive(Default)]
struct Tabs(Mutex<Vec<Page>>);

impl Tabs {
    async fn close(&self, page: &Page) {
        self.0.lock().retain(|open| open != page);
        let _ = page.close().await;
    }

    async fn close_all(&self) {
        let pages = std::mem::take(&mut *self.0.lock());
        join_all(pages.iter().map(Page::close)).await;
    }
}

impl Drop for Tabs {
    fn drop(&mut self) {
        let pages = std::mem::take(self.0.get_mut());
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn(async move { join_all(pages.iter().map(Page::close)).await });
        }
    }
}

impl Crawler<'_> {
    /// Crawls until nothing is left or a limit is reached. Continues an earlier run in the same folder.
    ///
    /// # Errors `file` if the folder contains something else or cannot be written; the error of the start page
    /// if that cannot be opened and there is no other page.
    pub async fn run(&self, options: CrawlOptions) -> Result<CrawlReport> {
        let deadline = Instant::now() + options.time_limit;
        let chosen = options.clone();
        let opened = spawn_blocking(move || Frontier::open(&chosen)).await;
        let mut frontier = opened.unwrap_or(Err(Error::Broken))?;
        if frontier.is_new() {
            let is_candidate = may_be_sitemap(&options.url);
            let listed = match is_candidate {
                true => listed_pages(&self.context, self.pacing, &options.url).await?,
                false => None,
            };
            frontier.begin(listed.as_deref())?;
        }
        (self.on_progress)(frontier.visited());
        let run = Run {
            frontier: Arc::new(tokio::sync::Mutex::new(frontier)),
            changed: Notify::new(),
            tabs: Tabs::default(),
            start: key(&options.url),
            respect_robots: options.respect_robots,
            start_error: Mutex::default(),
        };
        let working = try_join_all((0..options.concurrency.max(1)).map(|_| self.work(&run)));
        let ended = timeout_at(deadline, working).await;
        run.tabs.close_all().await;
        let stopped = match ended {
            Ok(worked) => worked.map(|_| None)?,
            Err(_) => Some(StopReason::TimeLimit),
        };
        let report = run.frontier.lock().await.report(stopped);
        match run.start_error.lock().take() {
            Some(error) if report.pages == 0 => Err(error),
            _ => Ok(report),
        }
    }

    /// Visits pages in one tab until none is left.
    async fn work(&self, run: &Run) -> Result<()> {
        let mut tab = None;
        loop {
            let mut changed = std::pin::pin!(run.changed.notified());
            changed.as_mut().enable();
            let next = run.frontier.lock().await.next();
            let job = match next {
                NextJob::Visit(job) => job,
                NextJob::Wait => {
                    changed.await;
                    continue;
                }
                NextJob::Finished => return Ok(()),
            };
            let page = match tab.take() {
                Some(page) => page,
                None => match self.open_tab(run).await {
                    Ok(page) => page,
                    Err(error) => {
                        run.frontier.lock().await.put_back(job);
                        run.changed.notify_waiters();
                        // Fewer tabs than asked for are enough.
                        return if run.tabs.0.lock().is_empty() { Err(error) } else { Ok(()) };
                    }
                },
            };
            let (visit, is_usable) = self.visit(&page, &job, run).await?;
            if is_usable {
                tab = Some(page);
            } else {
                run.tabs.close(&page).await;
            }
            let mut frontier = Arc::clone(&run.frontier).lock_owned().await;
            let recording = spawn_blocking(move || {
                frontier.record(&job, visit)?;
                Ok(frontier.visited())
            });
            (self.on_progress)(recording.await.unwrap_or(Err(Error::Broken))?);
            run.changed.notify_waiters();
        }
    }

    async fn open_tab(&self, run: &Run) -> Result<Page> {
        let page = (self.open_tab)().await?;
        run.tabs.0.lock().push(page.clone());
        page.emulate_focus(true);
        Ok(page)
    }

    /// Visits a URL. Also returns whether the tab can be used again.
    ///
    /// # Errors What ends the crawl: the end of the browser or of the context.
    async fn visit(&self, page: &Page, job: &Job, run: &Run) -> Result<(Visit, bool)> {
        let most = self.page_limit * 2;
        let loaded = match self.pacing.wait_to_crawl(&self.context, &job.url, run.respect_robots).await {
            Ok(()) => {
                let loading = Box::pin(self.load(page, &job.url, run.respect_robots));
                timeout(most, loading).await.unwrap_or(Err(Error::NavigationSlow { waited: most }))
            }
            Err(error) => Err(error),
        };
        let error = match loaded {
            Ok(visit) => return Ok((visit, true)),
            Err(error) => error,
        };
        let is_over =
            matches!(error, Error::BrowserGone { .. } | Error::BrowserNotListening | Error::Cancelled);
        if is_over || self.context.is_closed() {
            return Err(error);
        }
        if key(&job.url) == run.start {
            *run.start_error.lock() = Some(error.clone());
        }
        let is_usable = matches!(error, Error::NavigationFailed { .. } | Error::RobotsDisallow);
        let visit = match error {
            Error::RobotsDisallow => Visit::Skipped(SkipReason::Robots),
            error if visit::is_file(&error) => Visit::Skipped(SkipReason::Content),
            error => Visit::Failed { status: None, reason: error.to_string() },
        };
        Ok((visit, is_usable))
    }

    /// Opens a URL and reads the page.
    async fn load(&self, page: &Page, url: &Url, respect_robots: bool) -> Result<Visit> {
        let before = page.main_frame().loader_id();
        let options = VisitOptions {
            limit: self.page_limit,
            settle: Duration::ZERO,
            patience: Duration::ZERO,
            formats: &[ContentFormat::Markdown],
            // The pace was kept before the visit.
            pacing: &Pacing::default(),
            secrets: self.secrets,
        };
        let read = VisitTask::Read { wait_for: None };
        let mut result = visit::run(page, url, &read, options, &NoPersonContact).await?;
        let mut text = result.contents.pop().unwrap_or_default();
        let url = Url::parse(&result.url).unwrap_or_else(|_| url.clone());
        self.secrets.redact_text(&mut text);
        self.secrets.redact_text(&mut result.title);
        let mut loaded = LoadedPage {
            url: clean(&url),
            title: result.title,
            text,
            status: None,
            links: PageLinks::default(),
            robots_header: String::new(),
        };
        // A PDF that was downloaded leaves the tab's document as it was.
        if page.main_frame().loader_id() != before {
            if let Some(response) = page.document_response() {
                if response.status >= 400 {
                    let reason = format!("HTTP status {}", response.status);
                    return Ok(Visit::Failed { status: Some(response.status), reason });
                }
                loaded.status = Some(response.status);
                loaded.robots_header =
                    response.headers.get("x-robots-tag").map(str::to_owned).unwrap_or_default();
            }
            loaded.links = page.links().await?;
            if !is_text(&loaded.links.content_type) {
                return Ok(Visit::Skipped(SkipReason::Content));
            }
        }
        if respect_robots {
            self.pacing.check_robots(&self.context, &loaded.url).await?;
        }
        Ok(Visit::Loaded(Box::new(loaded)))
    }
}

/// Whether documents of a content type are pages to keep.
fn is_text(content_type: &str) -> bool {
    matches!(
        content_type,
        "text/html" | "application/xhtml+xml" | "text/plain" | "text/markdown" | "application/pdf"
    )
}
