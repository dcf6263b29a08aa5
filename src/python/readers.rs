//! Scraping features that Playwright does not have.
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;
use url::Url;

use super::bridge::{Operation, operation, operation_with};
use super::browser::BrowserContext;
use super::convert::{Plain, options};
use super::frame::Frame;
use super::network::{Pairs, Request};
use super::pacing::Pacing;
use crate::browser::locator::WaitForState;
use crate::browser::{
    BlockId, BlockRules, DEFAULT_GEOLOCATION_SERVICE, DomainList, ResponseStoreOptions, UrlGlob, locator,
};
use crate::error::{Error, Result};
use crate::secrets;
use crate::session::crawl::{CrawlOptions, Crawler, TabOpener};

/// A rule that blocks requests of a context until it is removed.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Block {
    context: crate::browser::BrowserContext,
    id: BlockId,
}

#[pymethods]
impl Block {
    fn remove(&self) -> Operation {
        let (context, id) = (self.context.clone(), self.id);
        operation(async move { context.unblock(id).await })
    }
}

fn wrong(problem: String) -> Error {
    Error::InvalidArguments { problems: vec![problem] }
}

fn glob_of(text: &str) -> Result<UrlGlob> {
    UrlGlob::new(text).ok_or_else(|| wrong(format!("the braces of {text:?} do not match")))
}

/// Returns the union of `named`, the domains in the files `lists`, and if `ads`, the built-in ad servers.
fn domains_of(ads: bool, lists: Vec<PathBuf>, named: &[String]) -> Result<DomainList> {
    let is_none = |name: &&String| DomainList::parse(name).left_out > 0;
    if let Some(name) = named.iter().find(is_none) {
        let reason =
            format!("domains: {name:?} is not a name such as \"ads.example\"; `urls` blocks by address");
        return Err(wrong(reason));
    }
    let mut domains = DomainList::parse(&named.join("\n"));
    if ads {
        domains = domains.union(DomainList::ad_domains());
    }
    for path in lists {
        let to_error = |error: std::io::Error| Error::File {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        let list = DomainList::parse(&std::fs::read_to_string(&path).map_err(to_error)?);
        if list.is_empty() {
            let name = path.display();
            return Err(wrong(format!(
                "lists: {name} contains no domain; write one on each line, as in a hosts file"
            )));
        }
        domains = domains.union(list);
    }
    Ok(domains)
}

/// Blocks requests by resource type, domain and URL pattern. `ads`: built-in list; `lists`: files of domains.
#[pyfunction]
pub(super) fn block(
    context: &BrowserContext,
    kinds: Vec<String>,
    domains: Vec<String>,
    ads: bool,
    lists: Vec<PathBuf>,
    addresses: Vec<String>,
) -> Operation {
    let context = context.0.clone();
    operation(async move {
        let blocking = BlockRules::new(kinds, domains_of(ads, lists, &domains)?, &addresses)?;
        let id = context.block(blocking).await?;
        Ok(Block { context, id })
    })
}

/// Stores the matching responses that a context's pages receive from now on.
#[pyfunction]
pub(super) fn keep_answers(
    context: &BrowserContext,
    address: Option<String>,
    kinds: Vec<String>,
    most_bytes: usize,
) -> Result<KeptAnswers> {
    let address = address.as_deref().map(glob_of).transpose()?;
    Ok(KeptAnswers(context.0.store_responses(ResponseStoreOptions { address, kinds, most_bytes })))
}

/// Sets a context's time zone, locale and geolocation to those of its public IP address. `service` is the URL
/// of the web service that reports them.
#[pyfunction]
pub(super) fn match_proxy_location(context: &BrowserContext, service: Option<String>) -> Operation {
    let context = context.0.clone();
    operation(async move {
        context
            .match_proxy_location(service.as_deref().unwrap_or(DEFAULT_GEOLOCATION_SERVICE))
            .await
            .map(drop)
    })
}

/// Stored responses of a context; discarded when this object is dropped.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct KeptAnswers(crate::browser::ResponseStore);

#[pymethods]
impl KeptAnswers {
    /// Returns the stored responses whose URL matches `address` and whose body contains `text`, oldest first.
    /// Each is a tuple of request, status, headers and body.
    fn find(&self, address: Option<String>, text: Option<String>) -> Operation {
        let kept = self.0.clone();
        let work = async move {
            let address = address.as_deref().map(glob_of).transpose()?;
            Ok(kept.find(address.as_ref(), text.as_deref()).await)
        };
        operation_with(work, |py, answers| {
            let found = answers.iter().map(|answer| {
                let headers: Pairs = answer.headers.clone();
                (Request(answer.request.clone()), answer.status, headers, PyBytes::new(py, &answer.body))
            });
            let found: Vec<_> = found.collect();
            Ok(found.into_pyobject(py)?.into_any().unbind())
        })
    }

    fn clear(&self) {
        self.0.clear();
    }
}

/// Options of a crawl, as passed from Python.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CrawlArguments {
    url: String,
    folder: PathBuf,
    max_depth: Option<u32>,
    max_pages: usize,
    include: Vec<String>,
    exclude: Vec<String>,
    time_limit_s: f64,
    concurrency: usize,
    respect_robots: bool,
    page_limit_ms: f64,
}

impl CrawlArguments {
    fn read(self) -> Result<(CrawlOptions, Duration)> {
        let Self { max_depth, max_pages, include, exclude, concurrency, respect_robots, .. } = self;
        let url = Url::parse(&self.url).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
        let url = url.ok_or_else(|| wrong(format!("url: {:?} is no http or https address", self.url)))?;
        let time_limit = Duration::try_from_secs_f64(self.time_limit_s);
        let time_limit =
            time_limit.map_err(|_| wrong("time_limit_s: expected seconds, 0 or more".to_owned()))?;
        if !(1..=16).contains(&concurrency) || max_pages == 0 {
            return Err(wrong("expected concurrency from 1 to 16, and max_pages from 1".to_owned()));
        }
        let folder = std::path::absolute(&self.folder).unwrap_or(self.folder);
        let options = CrawlOptions {
            url,
            folder,
            max_depth,
            max_pages,
            include,
            exclude,
            time_limit,
            concurrency,
            respect_robots,
        };
        Ok((options, locator::timeout_from_ms(self.page_limit_ms)))
    }
}

/// Crawls a site in tabs of a context, see `CrawlOptions`. Returns the report as a dict.
#[pyfunction]
pub(super) fn crawl(
    context: &BrowserContext,
    arguments: &Bound<'_, PyAny>,
    pacing: Option<&Pacing>,
) -> PyResult<Operation> {
    let (chosen, page_limit) = options::<CrawlArguments>(arguments)?.read()?;
    let context = context.0.clone();
    let pacing = pacing.map(|pacing| pacing.0.clone()).unwrap_or_default();
    Ok(operation(async move {
        let tabs = context.clone();
        let open_tab: TabOpener = Arc::new(move || {
            let tabs = tabs.clone();
            Box::pin(async move { tabs.new_page().await })
        });
        let secrets = secrets::Secrets::default();
        let crawler = Crawler {
            context,
            open_tab,
            pacing: &pacing,
            secrets: &secrets,
            page_limit,
            on_progress: &|_| {},
        };
        let report = crawler.run(chosen).await?;
        let skipped: BTreeMap<&str, usize> =
            report.skipped.iter().map(|(reason, (count, _))| (reason.into(), *count)).collect();
        let stopped: Option<&str> = report.stopped.map(Into::into);
        Ok(Plain(json!({
            "pages": report.pages,
            "duplicates": report.duplicates,
            "failed": report.failed,
            "resumed": report.resumed,
            "waiting": report.waiting,
            "skipped": skipped,
            "stopped": stopped,
            "index": report.index.display().to_string(),
        })))
    }))
}

/// Scrolls an element or the page to its end repeatedly, until it no longer grows. Returns how often it grew.
#[pyfunction]
pub(super) fn scroll_through(
    frame: &Frame,
    selector: Option<String>,
    most_times: Option<u32>,
    timeout_ms: f64,
) -> Operation {
    let (frame, limit) = (frame.0.clone(), locator::timeout_from_ms(timeout_ms));
    let scroll = async move {
        let page = frame.page()?;
        let element = match selector {
            Some(selector) => frame.locator(&selector, true)?.wait_for(WaitForState::Attached, limit).await?,
            None => None,
        };
        page.scroll_while_growing(element.as_ref(), most_times).await
    };
    operation(async move {
        let late = |_| Error::WaitRanOut { what: "the end of what grows".to_owned(), waited: limit };
        timeout(limit, scroll).await.map_err(late)?
    })
}

/// Returns the TOTP code of a seed at a Unix time (default: now), and for how many seconds it stays valid.
#[pyfunction]
pub(super) fn one_time_code(seed: &str, seconds: Option<u64>) -> PyResult<(String, u64)> {
    let now = || SystemTime::UNIX_EPOCH.elapsed().as_ref().map_or(0, Duration::as_secs);
    secrets::totp_code(seed, seconds.unwrap_or_else(now)).ok_or_else(|| {
        PyValueError::new_err(
            "no seed of one-time codes: base 32 of 80 bits or more, or an otpauth://totp/ address",
        )
    })
}
