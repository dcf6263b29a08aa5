//! Runs tool calls for MCP clients and for Python.
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use rmcp::model::Tool as Listing;
use serde_json::{Map, Value};
use tokio::time::{Duration, timeout};
use tokio_util::sync::CancellationToken;

use crate::Result;
use crate::error::Error;
use crate::fleet::{PeerClient, Replica};
use crate::folders::make_private;
use crate::live::{CallHistory, LiveView};
use crate::mcp::audit::AuditLog;
use crate::mcp::call::{Call, Services};
use crate::mcp::client::Client;
use crate::mcp::describe::{CallBaseline, describe};
use crate::mcp::expected;
use crate::mcp::failure;
use crate::mcp::grant::{OwnerPermissions, RecentCalls};
use crate::mcp::kept::SessionMemory;
use crate::mcp::memory::IdleTrim;
use crate::mcp::metrics::Metrics;
use crate::mcp::progress::Progress;
use crate::mcp::reply::Reply;
use crate::mcp::resources::FileResources;
use crate::mcp::roots::ClientRoots;
use crate::mcp::settings::Settings;
use crate::mcp::tool::{AnyTool, Capability, Registry, SESSION_ARGUMENT, Tool as _, ToolEffect, UnknownTool};
use crate::mcp::tools::{sessions, webmcp};
#[cfg(feature = "otlp")]
use crate::mcp::traces::{Span, SpanExporter};
use crate::mcp::webkit;
use crate::secrets::Secrets;
use crate::session::cooldown::Cooldown;
use crate::session::pacing::Pacing;
use crate::session::registry::{Session, Sessions};
use crate::session::{Engine, LoadedPageLimit, Roots, Workspace};

use shared::{RoutedCall, lost};

mod shared;

/// The time limit for saving cookies after a call.
const REMEMBER_LIMIT: Duration = Duration::from_secs(1);

/// The tools and the state of all clients. There is one dispatcher for the whole process.
#[derive(Debug)]
pub struct Dispatcher {
    pub services: Services,
    pub settings: Settings,
    /// The sessions of clients without an API key.
    pub sessions: Sessions,
    cooldown: Arc<Cooldown>,
    /// The cooldown of each owner, by owner name.
    cooldowns: Mutex<HashMap<String, Arc<Cooldown>>>,
    /// The recent calls of each owner, by owner name, for the rate limit.
    recent_calls: Mutex<HashMap<String, Arc<RecentCalls>>>,
    /// The state between calls of each session, by session id.
    kept: Mutex<HashMap<Arc<str>, Arc<SessionMemory>>>,
    /// The group of servers that share state; `None` for a single server.
    replica: Option<Arc<Replica>>,
    /// The HTTP client for requests to other servers of the group.
    peers: PeerClient,
    pub metrics: Metrics,
    /// Files that tools have written, for clients to read.
    pub(super) files: FileResources,
    rest: IdleTrim,
    /// The audit log of calls; `None` if it is off.
    audit: Option<AuditLog>,
    /// The exporter of tracing spans; `None` if tracing is off.
    #[cfg(feature = "otlp")]
    traces: Option<Arc<SpanExporter>>,
}

impl Dispatcher {
    pub fn new(registry: Registry, engine: Engine, settings: Settings) -> Self {
        Self {
            sessions: Sessions::new(engine.clone(), settings.sessions),
            cooldown: Arc::default(),
            cooldowns: Mutex::default(),
            recent_calls: Mutex::default(),
            services: Services {
                pacing: Pacing::new(settings.politeness),
                turns: Arc::default(),
                live_pages: LoadedPageLimit::new(engine.options().limits.live_pages),
                live: None,
                registry,
                engine,
            },
            settings,
            kept: Mutex::default(),
            replica: None,
            peers: PeerClient::default(),
            metrics: Metrics::default(),
            files: FileResources::default(),
            rest: IdleTrim::default(),
            audit: None,
            #[cfg(feature = "otlp")]
            traces: None,
        }
    }

    /// Enables the live view.
    #[must_use]
    pub fn with_live(mut self, live: LiveView) -> Self {
        self.services.live = Some(live);
        self
    }

    /// The live view, if it is on.
    pub fn live(&self) -> Option<&LiveView> {
        self.services.live.as_ref()
    }

    /// Enables the audit log of calls.
    #[must_use]
    pub fn with_audit(self, audit: Option<AuditLog>) -> Self {
        Self { audit, ..self }
    }

    /// Enables the export of tracing spans.
    #[cfg(feature = "otlp")]
    #[must_use]
    pub fn with_span_exporter(self, traces: Arc<SpanExporter>) -> Self {
        Self { traces: Some(traces), ..self }
    }

    /// Replaces the cooldown by one that is shared with others.
    #[must_use]
    pub fn with_cooldown(self, cooldown: &Arc<Cooldown>) -> Self {
        Self { cooldown: Arc::clone(cooldown), ..self }
    }

    /// Creates a client with its own contexts and tabs.
    pub fn new_client(&self) -> Client {
        let cooldown = Arc::clone(&self.cooldown);
        let (settings, sessions) = (self.settings.clone(), self.sessions.clone());
        let workspace = self.services.engine.new_workspace();
        self.client_with(settings, workspace, sessions, cooldown, None, Arc::default())
    }

    /// Creates a client of an owner who shares neither sessions nor the profile with others. The client can
    /// use only files in folders with the owner's name.
    pub fn new_client_for_owner(&self, owner: &str, grant: &Arc<OwnerPermissions>) -> Client {
        let mut settings = self.settings.clone();
        for place in [&mut settings.files.output_dir, &mut settings.files.screenshot_dir] {
            place.push(owner);
            // A failure is reported when a tool writes a file there.
            let _ = make_private(place);
        }
        settings.files.roots =
            Roots::with_base(settings.files.output_dir.clone(), [settings.files.screenshot_dir.clone()]);
        settings.files.client_roots = false;
        let mut context = self.services.engine.options().context.clone();
        context.policy = grant.within(&context.policy);
        context.local_files = settings.files.allow_urls.then(|| settings.files.roots.to_local_files());
        if let Some(downloads) = &mut context.downloads {
            downloads.push(owner);
        }
        let workspace = self.services.engine.isolated_workspace(owner, context);
        let mut cooldowns = self.cooldowns.lock();
        let cooldown =
            cooldowns.entry(owner.to_owned()).or_insert_with(|| self.cooldown.for_owner(owner).into());
        let cooldown = Arc::clone(cooldown);
        drop(cooldowns);
        let sessions = self.sessions.for_owner(owner.into());
        let limit =
            grant.max_sessions.map_or(settings.sessions.limit, |limit| limit.min(settings.sessions.limit));
        let sessions = sessions.with_limit(limit);
        self.client_with(settings, workspace, sessions, cooldown, Some(owner.into()), Arc::clone(grant))
    }

    /// Closes the sessions and browsers of an owner who is no longer admitted.
    pub(super) async fn end_owner(&self, owner: &str) {
        self.services.engine.close_owner_browsers(owner).await;
        self.sessions.for_owner(owner.into()).close_all().await;
    }

    fn client_with(
        &self,
        settings: Settings,
        workspace: Workspace,
        sessions: Sessions,
        cooldown: Arc<Cooldown>,
        owner: Option<Arc<str>>,
        grant: Arc<OwnerPermissions>,
    ) -> Client {
        let mut recent_calls = self.recent_calls.lock();
        let recent_calls =
            Arc::clone(recent_calls.entry(owner.as_deref().unwrap_or_default().to_owned()).or_default());
        let roots = ClientRoots::new(settings.files.roots.clone(), settings.files.client_roots);
        let scratch = workspace.new_for_same_owner();
        Client {
            workspace,
            scratch,
            sessions,
            settings,
            roots,
            cooldown,
            kept: Arc::default(),
            owner,
            grant,
            recent_calls,
            key: None,
            revoked: CancellationToken::new(),
            calls: CallHistory::default(),
        }
    }

    /// Returns the metrics in `OpenMetrics` format. `clients` is the number of connected clients.
    pub(super) fn written_metrics(&self, clients: usize) -> String {
        let (browsers, pages) = self.services.engine.browser_and_page_counts();
        let mut gauges = vec![
            ("calls_running", "Calls that are under way.", self.metrics.running_calls()),
            ("clients", "Clients that are connected or have not been forgotten.", clients),
            ("sessions", "Sessions of this server.", self.sessions.count_for_all_owners()),
            ("browsers", "Browsers that this server drives.", browsers),
            ("pages", "Pages that are open in them.", pages),
        ];
        if let Some(pool) = self.services.engine.pool() {
            let (known, taking) = pool.node_counts();
            gauges.push(("pool_browsers", "Browsers of the pool.", known));
            gauges.push(("pool_browsers_taking", "Those of them that take sessions now.", taking));
        }
        if let Some(replica) = self.replica() {
            let help = "Whether the shared state knows that this server lives.";
            gauges.push(("state_reached", help, replica.is_alive().into()));
        }
        self.metrics.written(&gauges)
    }

    /// The secrets that clients can type by name.
    pub fn secrets(&self) -> &Secrets {
        self.services.secrets()
    }

    /// Runs a tool until it ends or is cancelled. A tool error is also a reply. Redacts secrets, since every
    /// answer passes through here.
    pub async fn call(
        &self,
        client: &Client,
        name: &str,
        arguments: Map<String, Value>,
        progress: &Progress,
        cancelled: &CancellationToken,
    ) -> Result<Reply, UnknownTool> {
        let (name, arguments) = self.translated(name, arguments);
        let counted = self.metrics.begin();
        let known = self.services.registry.find(name).ok().map(|tool| tool.name);
        let audited = self
            .audit
            .as_ref()
            .map(|log| log.begin(client, known, arguments.get(SESSION_ARGUMENT), progress));
        #[cfg(feature = "otlp")]
        let span = self.begin_span(progress);
        let mut reply = self.answer(client, name, arguments, progress, cancelled).await;
        if let Ok(reply) = &mut reply {
            reply.redact(self.secrets());
            reply.bound();
        }
        if let Some(audited) = audited {
            audited.end(match &reply {
                Ok(reply) if reply.failed_elsewhere() => "failed_elsewhere",
                Ok(reply) => reply.error_code().unwrap_or("ok"),
                Err(_) if known.is_some() => "not_permitted",
                Err(_) => "unknown_tool",
            });
        }
        let answered = known.zip(reply.as_ref().ok());
        #[cfg(feature = "otlp")]
        if let (Some((traces, span)), Some((tool, reply))) = (span, answered) {
            traces.end(&span, tool, reply);
        }
        counted.end(answered);
        self.rest.on_call_ended();
        reply
    }

    /// Starts a tracing span for the call, which becomes the parent of the requests that the call sends.
    #[cfg(feature = "otlp")]
    fn begin_span(&self, progress: &Progress) -> Option<(&SpanExporter, Span)> {
        let traces = self.traces.as_deref()?;
        let span = Span::begin(progress.traceparent().as_deref());
        progress.move_within(span.traceparent());
        Some((traces, span))
    }

    /// Translates a call of a page's own tool (WebMCP) into a call of the built-in tool that runs page tools.
    fn translated<'a>(&self, name: &'a str, arguments: Map<String, Value>) -> (&'a str, Map<String, Value>) {
        let is_offered =
            name.starts_with(webmcp::PAGE_TOOL_PREFIX) && self.services.registry.enables(Capability::Webmcp);
        if !is_offered {
            return (name, arguments);
        }
        let mut translation = Map::new();
        translation.insert("name".to_owned(), name.into());
        translation.insert("arguments".to_owned(), arguments.into());
        (webmcp::PageTool::NAME, translation)
    }

    /// Returns the tools that the client's current page offers (WebMCP); empty if that is disabled.
    pub(super) fn offered(&self, client: &Client) -> Vec<Listing> {
        let is_enabled = self.services.registry.enables(Capability::Webmcp);
        if !is_enabled || !client.grant.permits(webmcp::PageTool::NAME) {
            return Vec::new();
        }
        client.workspace.require_active_page().map(|page| webmcp::listed(&page)).unwrap_or_default()
    }

    async fn answer(
        &self,
        client: &Client,
        name: &str,
        mut arguments: Map<String, Value>,
        progress: &Progress,
        cancelled: &CancellationToken,
    ) -> Result<Reply, UnknownTool> {
        let pause = self.read_shared_cooldown(client).await;
        // Comes first: during a cooldown, a client need not correct its arguments.
        if let Some(paused) = failure::paused(name, &client.cooldown, &self.settings) {
            return Ok(paused);
        }
        let tool = self.services.registry.find_permitted(&client.grant, name)?;
        let mut reply = Reply::default();
        let checked = tool.check(&mut arguments);
        // Errors may repeat the arguments of the call, except the texts for form fields.
        let mut asked = arguments.clone();
        asked.remove("fields");
        let report = |error: &Error, reply: &mut Reply| {
            tracing::debug!(tool = name, code = error.code(), "tool failed");
            failure::report(error, tool, &asked, &client.cooldown, &self.settings, reply);
        };
        if let Err(error) = client.recent_calls.count(&client.grant).and(checked) {
            failure::report(&error, tool, &arguments, &client.cooldown, &self.settings, &mut reply);
            return Ok(reply);
        }
        let reached = tokio::select! {
            biased;
            () = cancelled.cancelled() => {
                report(&Error::Cancelled, &mut reply);
                return Ok(reply);
            }
            reached = self.reach(tool, &mut arguments, client, progress) => reached,
        };
        let session = match reached {
            RoutedCall::Here(session) => session,
            RoutedCall::Answered(answer) => return Ok(*answer),
            RoutedCall::Not(id, error) => {
                sessions::refuse(&error, &id, &mut reply);
                return Ok(reply);
            }
        };
        let _fenced = session.as_ref().and_then(shared::SharedCall::begin);
        let outcome = tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(Error::Cancelled),
            () = client.revoked.cancelled() => Err(Error::Cancelled),
            () = lost(session.as_ref()) => Err(Error::LeaseLost),
            outcome = self.run(tool, arguments, client, session.as_ref(), progress, &mut reply) => outcome,
        };
        self.services.live_pages.unload_excess(&self.services.engine, &self.services.turns);
        if let Some(session) = &session
            && !tool.family.is_about_sessions
        {
            reply.set_session(&*session.id);
        }
        client.calls.record(name, outcome.as_ref().err().map(Error::code));
        let outcome = shared::saved(session.as_ref(), outcome).await;
        if let Err(error) = outcome {
            match session.map(|session| (client.sessions.get(&session.id), session.id)) {
                // If the session ended during the call, reports that instead of the tool's error.
                Some((Err(gone), id)) if !matches!(error, Error::Cancelled) => {
                    sessions::refuse(&gone, &id, &mut reply);
                }
                _ => report(&error, &mut reply),
            }
        }
        self.publish_cooldown(client, pause).await;
        Ok(reply)
    }

    fn kept(&self, client: &Client, session: Option<&Session>) -> Arc<SessionMemory> {
        let Some(session) = session else { return Arc::clone(&client.kept) };
        let mut kept = self.kept.lock();
        kept.retain(|id, _| self.sessions.is_live_for_any_owner(id));
        Arc::clone(kept.entry(Arc::clone(&session.id)).or_default())
    }

    async fn run(
        &self,
        tool: &AnyTool,
        arguments: Map<String, Value>,
        client: &Client,
        session: Option<&Session>,
        progress: &Progress,
        reply: &mut Reply,
    ) -> Result<()> {
        let kept = self.kept(client, session);
        let call = Call::new(client, &self.services, session, &kept, progress);
        call.note_page(tool);
        let outcome = self.run_call(tool, arguments, &call, reply).await;
        call.note_page(tool);
        outcome
    }

    async fn run_call(
        &self,
        tool: &AnyTool,
        mut arguments: Map<String, Value>,
        call: &Call<'_>,
        reply: &mut Reply,
    ) -> Result<()> {
        if let Some(webkit_session) = call.workspace.webkit_session() {
            return Box::pin(webkit::run(webkit_session, tool, arguments, call, reply)).await;
        }
        let engine = call.workspace.engine();
        let _in_use = engine.usage_guard();
        let works_in_tab = tool.family.tab_argument.is_some();
        if works_in_tab && engine.is_remote() && engine.running_browser().is_none() {
            // An error is ignored here: a tool that needs the browser reports it.
            let _ = call.workspace.get_or_create_active_context().await;
        }
        call.take_tab(tool, &mut arguments)?;
        call.wait_for_release(tool).await?;
        call.confirm_call(tool, arguments.get("url").and_then(Value::as_str)).await?;
        if works_in_tab {
            return run_in_tab(tool, arguments, call, reply).await;
        }
        call.hide_ended_downloads(tool);
        let outcome = call.unless_hung(tool, tool.run(arguments, call, reply)).await;
        call.confirm_downloads().await;
        outcome
    }
}

/// Runs a tool in the call's tab, and adds the effects to the reply.
async fn run_in_tab(
    tool: &AnyTool,
    arguments: Map<String, Value>,
    call: &Call<'_>,
    reply: &mut Reply,
) -> Result<()> {
    let family = tool.family;
    if family.dismisses_dialogs {
        call.dismiss_dialogs().await;
    }
    let before = CallBaseline::note(call).await;
    let outcome = expected::run_with_expectation(call, tool, arguments, reply).await;
    if family.dismisses_dialogs {
        call.dismiss_dialogs().await;
    }
    call.confirm_downloads().await;
    if outcome.is_err() && tool.effect == ToolEffect::Acts && !tool.explains_failure {
        reply.show_changes();
    }
    describe(call, &before, outcome.as_ref().err(), reply).await;
    reply.rename_tools(family.names);
    if family.answers_with_tabs {
        reply.answer_with_tabs();
    }
    if call.workspace.engine().options().restore {
        let _ = timeout(REMEMBER_LIMIT, call.workspace.save_cookies()).await;
    }
    outcome
}
