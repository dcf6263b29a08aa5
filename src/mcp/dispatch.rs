//! Runs tools: the wire and the Python face both come through here.
use std::collections::HashMap;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::OwnedMutexGuard;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::Result;
use crate::browser::{ActionOptions, ActsOn, Ending, PATIENCE, Page, SettleOptions};
use crate::error::Error;
use crate::mcp::describe::{Before, Told, describe};
use crate::mcp::failure;
use crate::mcp::files;
use crate::mcp::progress::Progress;
use crate::mcp::reply::{Reply, one_line};
use crate::mcp::roots::ClientRoots;
use crate::mcp::settings::Settings;
use crate::mcp::tool::{AnyTool, Patience, Registry, SESSION, Tool, Toolset, UnknownTool};
use crate::mcp::tools::sessions::CloseSession;
use crate::mcp::turns::Turns;
use crate::messages::{Language, wall as texts};
use crate::session::cooldown::Cooldown;
use crate::session::handoff::{Answer, Person};
use crate::session::pacing::Pacing;
use crate::session::registry::{NoSession, Session, Sessions};
use crate::session::wall::Wall;
use crate::session::{Engine, Roots, Workspace};

/// How long a call waits for others that work on the same page.
const LONGEST_QUEUE: Duration = Duration::from_secs(60);

/// How long noting the cookies after a call may take.
const REMEMBER_LIMIT: Duration = Duration::from_secs(1);

/// The tools and what they work on; one for the whole process.
#[derive(Debug)]
pub struct Dispatcher {
    pub registry: Registry,
    pub engine: Engine,
    pub settings: Settings,
    /// Those of whoever does not come with one of several keys.
    pub sessions: Sessions,
    cooldown: Arc<Cooldown>,
    pacing: Pacing,
    turns: Turns,
    /// What was told of each session.
    told: Mutex<HashMap<Arc<str>, Arc<Mutex<Told>>>>,
}

/// One client of the server.
#[derive(Debug)]
pub struct Client {
    pub workspace: Workspace,
    /// Where errands are done that have a page of their own.
    scratch: Workspace,
    /// Those that it can reach.
    sessions: Sessions,
    settings: Settings,
    /// The folders whose files it may name.
    pub roots: ClientRoots,
    told: Arc<Mutex<Told>>,
}

impl Client {
    /// Closes all that the client opened.
    pub async fn close(&self) {
        self.workspace.close().await;
        self.scratch.close().await;
    }
}

/// One call of a tool, as the tool sees it.
#[derive(Debug)]
pub struct Call<'a> {
    pub workspace: &'a Workspace,
    pub scratch: &'a Workspace,
    /// The session that the call names.
    pub session: Option<&'a Session>,
    pub sessions: &'a Sessions,
    pub pacing: &'a Pacing,
    pub settings: &'a Settings,
    roots: &'a ClientRoots,
    pub progress: &'a Progress,
    /// What the client has been shown.
    pub(super) told: &'a Mutex<Told>,
    /// What happened meanwhile, to be told under Events.
    pub(super) events: Mutex<Vec<String>>,
    registry: &'a Registry,
    turns: &'a Turns,
    /// The page whose turn it has.
    turn: Mutex<Option<(Page, OwnedMutexGuard<()>)>>,
    met_dialog: AtomicBool,
}

impl Dispatcher {
    pub fn new(registry: Registry, engine: Engine, settings: Settings) -> Self {
        Self {
            sessions: Sessions::new(engine.clone(), settings.sessions),
            pacing: Pacing::new(settings.politeness),
            cooldown: Arc::default(),
            registry,
            engine,
            settings,
            turns: Turns::default(),
            told: Mutex::default(),
        }
    }

    /// Pauses with whoever shares this state, instead of alone.
    #[must_use]
    pub fn with_cooldown(self, cooldown: &Arc<Cooldown>) -> Self {
        Self { cooldown: Arc::clone(cooldown), ..self }
    }

    /// A client with contexts and tabs of its own.
    pub fn client(&self) -> Client {
        self.client_with(self.settings.clone(), self.engine.workspace(), self.sessions.clone())
    }

    /// A client of an owner who shares nothing with others: neither sessions nor the profile. Its files lie in folders
    /// of the owner's name, and it can name no others.
    pub fn client_apart(&self, owner: &str) -> Client {
        let mut settings = self.settings.clone();
        for place in [&mut settings.output_dir, &mut settings.screenshot_dir] {
            place.push(owner);
            // If this fails, so will writing there, which says why.
            let _ = files::make_private(place);
        }
        settings.roots = Roots::only(settings.output_dir.clone(), [settings.screenshot_dir.clone()]);
        settings.client_roots = false;
        let mut context = self.engine.options().context.clone();
        context.local_files = settings.allow_files.then(|| settings.roots.as_local_files());
        if let Some(downloads) = &mut context.downloads {
            downloads.push(owner);
        }
        let workspace = self.engine.workspace_apart(context);
        self.client_with(settings, workspace, self.sessions.of(owner.into()))
    }

    fn client_with(&self, settings: Settings, workspace: Workspace, sessions: Sessions) -> Client {
        let roots = ClientRoots::new(settings.roots.clone(), settings.client_roots);
        Client { scratch: workspace.sibling(), workspace, sessions, settings, roots, told: Arc::default() }
    }

    /// Runs a tool to its end, or until it is cancelled. A failure of the tool is a reply like any other.
    pub async fn call(
        &self,
        client: &Client,
        name: &str,
        mut arguments: Map<String, Value>,
        progress: &Progress,
        cancelled: &CancellationToken,
    ) -> Result<Reply, UnknownTool> {
        // Before anything else is looked at: who is paused shall not be told to mend arguments first.
        if let Some(paused) = failure::paused(name, &self.cooldown, &self.settings) {
            return Ok(paused);
        }
        let tool = self.registry.find(name)?;
        let mut reply = Reply::default();
        let checked = tool.check(&mut arguments);
        // What failed is told with what was asked for, but not with what was to be typed.
        let mut asked = arguments.clone();
        asked.remove("fields");
        let tell = |error: &Error, reply: &mut Reply| {
            tracing::debug!(tool = name, code = error.code(), "tool failed");
            failure::tell(error, tool, &asked, &self.cooldown, &self.settings, reply);
        };
        if let Err(error) = checked {
            failure::tell(&error, tool, &arguments, &self.cooldown, &self.settings, &mut reply);
            return Ok(reply);
        }
        let session = match session(tool, &mut arguments, &client.sessions) {
            Ok(session) => session,
            Err((id, error)) => {
                failure::tell_no_session(&error, &id, &mut reply);
                return Ok(reply);
            }
        };
        let outcome = tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(Error::Cancelled),
            outcome = self.run(tool, arguments, client, session.as_ref(), progress, &mut reply) => outcome,
        };
        if let Some(session) = &session
            && tool.toolset != Toolset::Sessions
        {
            reply.set_session(&*session.id);
        }
        if let Err(error) = outcome {
            match session.map(|session| (client.sessions.get(&session.id), session.id)) {
                // What the session's end broke is told as that.
                Some((Err(gone), id)) if !matches!(error, Error::Cancelled) => {
                    failure::tell_no_session(&gone, &id, &mut reply);
                }
                _ => tell(&error, &mut reply),
            }
        }
        Ok(reply)
    }

    fn told(&self, client: &Client, session: Option<&Session>) -> Arc<Mutex<Told>> {
        let Some(session) = session else { return Arc::clone(&client.told) };
        let mut told = self.told.lock();
        told.retain(|id, _| self.sessions.is_live(id));
        Arc::clone(told.entry(Arc::clone(&session.id)).or_default())
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
        let told = self.told(client, session);
        let call = Call {
            workspace: session.map_or(&client.workspace, |session| &session.workspace),
            scratch: &client.scratch,
            session,
            sessions: &client.sessions,
            pacing: &self.pacing,
            told: &told,
            settings: &client.settings,
            roots: &client.roots,
            progress,
            events: Mutex::default(),
            registry: &self.registry,
            turns: &self.turns,
            turn: Mutex::default(),
            met_dialog: AtomicBool::new(false),
        };
        let _in_use = self.engine.in_use();
        if tool.toolset != Toolset::Browser {
            return call.unless_stuck(tool, tool.run(arguments, &call, reply)).await;
        }
        if self.engine.attaches() && self.engine.running().is_none() {
            // Whoever needs the browser will say why it cannot be had.
            let _ = call.workspace.context().await;
        }
        let before = Before::note(call.workspace);
        let outcome = call.run(tool, arguments, reply).await;
        describe(&call, &before, outcome.as_ref().err(), reply).await;
        if self.engine.options().restore {
            let _ = timeout(REMEMBER_LIMIT, client.workspace.remember()).await;
        }
        outcome
    }
}

/// The session that a call names, if it names one. Only the session tools keep the argument.
fn session(
    tool: &AnyTool,
    arguments: &mut Map<String, Value>,
    sessions: &Sessions,
) -> Result<Option<Session>, (String, NoSession)> {
    let id = match tool.toolset {
        // This one finds the session itself, to end it.
        Toolset::Sessions if tool.name == CloseSession::NAME => None,
        Toolset::Sessions => arguments.get(SESSION).cloned(),
        Toolset::Browser | Toolset::Patchright => arguments.remove(SESSION),
    };
    let Some(Value::String(id)) = id else { return Ok(None) };
    sessions.get(&id).map(Some).map_err(|error| (id, error))
}

impl Call<'_> {
    /// The person behind the client.
    pub fn person(&self) -> impl Person {
        ClientsPerson { progress: self.progress, language: self.settings.language }
    }

    /// The folders whose files the caller may name.
    pub async fn roots(&self) -> Roots {
        self.roots.get(&self.progress.questions).await
    }

    /// The enabled tool of this name.
    pub fn tool(&self, name: &str) -> Result<&'static AnyTool, UnknownTool> {
        self.registry.find(name)
    }

    /// Runs a tool as a part of this call.
    pub async fn run(&self, tool: &AnyTool, arguments: Map<String, Value>, reply: &mut Reply) -> Result<()> {
        self.met_dialog.store(false, Ordering::Relaxed);
        match self.unless_stuck(tool, tool.run(arguments, self, reply)).await {
            // What a call does can open a dialog. That is an effect to be told, not a failure.
            Err(Error::DialogOpen { .. }) if !self.met_dialog.load(Ordering::Relaxed) => Ok(()),
            outcome => outcome,
        }
    }

    /// Waits for `work`, a tool at work, unless the page stops answering and the tool has no patience with that.
    async fn unless_stuck(&self, tool: &AnyTool, work: impl Future<Output = Result<()>>) -> Result<()> {
        let work = unless_it_panics(work);
        let patience = match tool.patience {
            Patience::Little => Some(PATIENCE),
            Patience::Long => None,
            Patience::Endless => return work.await,
        };
        match self.workspace.active_page() {
            Some(page) => page.unless_stuck(patience, work).await,
            None => work.await,
        }
    }

    /// Closes the active page, and opens another one in its stead.
    pub async fn replace_page(&self) -> Result<Page> {
        self.workspace.close_tab(None).await?;
        self.take_turn(self.workspace.new_tab().await?).await
    }

    /// The active page, to go elsewhere from it: an open dialog is dismissed then. Made now if there is none.
    pub async fn page_to_leave(&self) -> Result<Page> {
        match self.page().await {
            Err(Error::DialogOpen { .. }) => {
                self.met_dialog.store(false, Ordering::Relaxed);
                let page = self.workspace.open_page()?;
                if let Some(dialog) = page.dialog() {
                    let message = one_line(&dialog.message);
                    self.note(format!("The {} {message:?} was dismissed, to leave the page.", dialog.kind));
                }
                Ok(page)
            }
            page => page,
        }
    }

    /// The active page, made now if there is none. Until the call ends, no other call works on it.
    pub async fn page(&self) -> Result<Page> {
        if self.workspace.engine().running().is_none() {
            self.progress.say("starting the browser");
        }
        self.take_turn(self.workspace.page().await?).await
    }

    /// The active page. Until the call ends, no other call works on it.
    ///
    /// # Errors
    /// `no_page` when none is open, `dialog_open` when the page waits for an answer.
    pub async fn open_page(&self) -> Result<Page> {
        if self.workspace.engine().attaches() {
            // The pages are there already, also before the first call.
            self.workspace.context().await?;
        }
        self.take_turn(self.workspace.open_page()?).await
    }

    /// Remembers something that happened meanwhile, to be told under Events.
    pub fn note(&self, event: impl Into<String>) {
        self.events.lock().push(event.into());
    }

    /// How actions go about their elements.
    pub fn action_options(&self) -> ActionOptions {
        ActionOptions::within(self.settings.action_limit)
    }

    /// Acts on the page, and waits for what that causes. A dialog that opens meanwhile is an effect, too.
    pub async fn act(
        &self,
        page: &Page,
        acts_on: ActsOn<'_>,
        action: impl Future<Output = Result<()>>,
    ) -> Result<()> {
        let watch = page.watch(acts_on).await;
        match action.await {
            Ok(()) | Err(Error::DialogOpen { .. }) => {}
            Err(error) => return Err(error),
        }
        self.progress.say("waiting for what the action caused");
        let Settings { settle: window, navigation_limit, .. } = *self.settings;
        match watch.settle(&SettleOptions { window, navigation_limit }).await.ending {
            Ending::Unfinished => self.note("The page is still loading."),
            Ending::Gone if page.is_closed() => self.note("The page closed."),
            _ => {}
        }
        Ok(())
    }

    fn has_turn(&self, page: &Page) -> bool {
        self.turn.lock().as_ref().is_some_and(|(held, _)| held == page)
    }

    async fn take_turn(&self, mut page: Page) -> Result<Page> {
        while !self.has_turn(&page) {
            self.turn.lock().take();
            let turn = timeout(LONGEST_QUEUE, self.turns.take(&page)).await.map_err(|_| Error::PageBusy)?;
            // What had its turn before may have closed the page or gone to another.
            let active = self.workspace.open_page()?;
            if active == page {
                *self.turn.lock() = Some((page.clone(), turn));
            }
            page = active;
        }
        if let Some(dialog) = page.dialog() {
            self.met_dialog.store(true, Ordering::Relaxed);
            return Err(Error::DialogOpen { kind: dialog.kind, message: dialog.message });
        }
        Ok(page)
    }
}

/// A person who reads the progress and answers the questions of a call.
struct ClientsPerson<'a> {
    progress: &'a Progress,
    language: Language,
}

impl Person for ClientsPerson<'_> {
    fn tell(&self, wall: &Wall, waited: Duration, limit: Duration) {
        let rest = limit.saturating_sub(waited).as_secs();
        let text = texts::waiting(self.language, &wall.what, rest);
        self.progress.count(text, waited.as_secs_f64(), limit.as_secs_f64());
    }

    fn ask<'a>(&'a self, wall: &'a Wall) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        Box::pin(self.progress.questions.ask(texts::question(self.language, &wall.what, &wall.url)))
    }
}

/// A panic in a tool is a mistake of ours. It ends this call with an answer, and no other.
async fn unless_it_panics(tool: impl Future<Output = Result<()>>) -> Result<()> {
    let mut tool = pin!(tool);
    poll_fn(|context| {
        let polled = catch_unwind(AssertUnwindSafe(|| tool.as_mut().poll(context)));
        polled.unwrap_or(Poll::Ready(Err(Error::Broken)))
    })
    .await
}
