//! The tool that crawls a site (`browser_crawl`).
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::files::{self, Destination};
use crate::mcp::page_text;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Capability, StallPolicy, Tool, ToolEffect};
use crate::session::crawl::{CrawlOptions, CrawlReport, Crawler, StopReason, TabOpener};

/// The longest URL in an answer, in characters.
const LONGEST_EXAMPLE: usize = 48;

/// Crawl a site from a page or sitemap: writes each page as Markdown and an index.jsonl to a folder. Stays on the host and
/// obeys robots.txt. The same call again resumes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Crawl {
    #[schemars(length(min = 1))]
    pub url: String,
    /// Where to save: a name, or a path below the working directory.
    #[schemars(length(min = 1))]
    pub folder: String,
    /// Most links away from the start.
    #[schemars(range(min = 0, max = 1000))]
    pub max_depth: Option<u32>,
    /// Most pages. Default: 100.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub max_pages: Option<usize>,
    /// URLs to open, such as `https://a.example/docs/**`. Default: all of the host.
    #[serde(default)]
    pub include: Vec<String>,
    /// URLs to skip, such as `**/logout*`.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// In s. Default: 3600.
    #[schemars(range(min = 1, max = 86_400))]
    pub time_limit: Option<f64>,
    /// Number of tabs. Default: 4.
    #[schemars(range(min = 1, max = 16))]
    pub concurrency: Option<usize>,
    /// Only if the user asks for it.
    #[serde(default)]
    pub ignore_robots: bool,
}

impl Tool for Crawl {
    const NAME: &'static str = "browser_crawl";
    const TITLE: &'static str = "Crawl a site";
    const EFFECT: ToolEffect = ToolEffect::Adds;
    const CAPABILITY: Capability = Capability::Extract;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let options = self.options(call).await?;
        let most = options.max_pages;
        let workspace = call.workspace.clone();
        let open_tab: TabOpener = Arc::new(move || {
            let workspace = workspace.clone();
            Box::pin(async move { workspace.new_background_tab().await })
        });
        #[expect(clippy::cast_precision_loss, reason = "it counts pages")]
        let on_progress = |visited: usize| {
            call.progress.set_counted_step(format!("{visited} pages"), visited as f64, most as f64)
        };
        let crawler = Crawler {
            context: call.workspace.get_or_create_active_context().await?,
            open_tab,
            pacing: &call.services.pacing,
            secrets: call.services.secrets(),
            page_limit: call.settings.timeouts.navigation,
            on_progress: &on_progress,
        };
        let report = Box::pin(crawler.run(options)).await?;
        reply.say(answer(&report, most));
        Ok(())
    }
}

impl Crawl {
    async fn options(&self, call: &Call<'_>) -> Result<CrawlOptions> {
        let url = call.parse_url(&self.url)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(Error::UrlRefused { reason: "only http and https are crawled".to_owned() });
        }
        let allowed = if Destination::is_path(Some(&self.folder)) { Some(call.roots().await) } else { None };
        let output = call.settings.files.output_dir.clone();
        let folder = files::create_output_folder(&self.folder, output, allowed).await?;
        let mut options = CrawlOptions::new(url, folder);
        options.max_depth = self.max_depth;
        options.max_pages = self.max_pages.unwrap_or(options.max_pages);
        options.include.clone_from(&self.include);
        options.exclude.clone_from(&self.exclude);
        options.time_limit = self.time_limit.map_or(options.time_limit, Duration::from_secs_f64);
        options.concurrency = self.concurrency.unwrap_or(options.concurrency);
        options.respect_robots = !self.ignore_robots;
        Ok(options)
    }
}

/// Formats the result in less than 1,000 characters.
fn answer(report: &CrawlReport, most: usize) -> String {
    let mut text = format!("{} pages", report.pages);
    if report.resumed > 0 {
        let _ = write!(text, " (resumed: {} were there before)", report.resumed);
    }
    let _ = write!(text, ", {} duplicates, {} failed", report.duplicates, report.failed);
    if let Some((url, reason)) = &report.failure {
        let reason: String = page_text::one_line(reason).chars().take(100).collect();
        let _ = write!(text, " (such as {}: {reason})", example(url));
    }
    let _ = writeln!(text, ". Index: {}", files::display_path(&report.index));
    if !report.skipped.is_empty() {
        let skipped = report.skipped.iter();
        let skipped: Vec<_> =
            skipped.map(|(reason, (count, url))| format!("{count} {reason} ({})", example(url))).collect();
        let _ = writeln!(text, "Skipped: {}.", skipped.join(", "));
    }
    let waiting = report.waiting;
    let _ = match report.stopped {
        Some(StopReason::MaxPages) => {
            write!(
                text,
                "Stopped at maxPages ({most}); {waiting} URLs wait. To continue, call again with more."
            )
        }
        Some(StopReason::TimeLimit) => {
            write!(text, "Stopped at timeLimit; {waiting} URLs wait. To continue, call again.")
        }
        None if report.failed > 0 => write!(text, "The same call again tries those that failed once more."),
        None => Ok(()),
    };
    text.trim_end().to_owned()
}

/// Shortens a URL to its path.
fn example(url: &str) -> String {
    let shown = page_text::inline_url(url);
    let path = shown.splitn(4, '/').nth(3).map_or(shown.clone(), |path| format!("/{path}"));
    match path.char_indices().nth(LONGEST_EXAMPLE) {
        Some((end, _)) => format!("{}…", &path[..end]),
        None => path,
    }
}
