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
use crate::browser::{ActionOptions, ActsOn, Ending, Found, Moved, PATIENCE, Page, SettleOptions, Watch};
use crate::error::{Error, PersonLink};
use crate::fleet::{Peers, Replica};
use crate::live::{Calls, Handover, Live, Mode, Wish};
use crate::mcp::describe::{Before, Told, describe};
use crate::mcp::failure;
use crate::mcp::kept::Kept;
use crate::mcp::metrics::Metrics;
use crate::mcp::page_text::one_line;
use crate::mcp::program::Gate;
use crate::mcp::progress::Progress;
use crate::mcp::questions::Asking;
use crate::mcp::reply::Reply;
use crate::mcp::roots::ClientRoots;
use crate::mcp::settings::Settings;
use crate::mcp::tool::{AnyTool, Effect, Patience, Registry, Tool, Toolset, UnknownTool};
use crate::mcp::tools::navigate::still_loading;
use crate::mcp::tools::person::AskPerson;
use crate::mcp::tools::testing::ExportScript;
use crate::messages::{Language, wall as texts};
use crate::secrets::Secrets;
use crate::session::cooldown::Cooldown;
use crate::session::handoff::{Answer, Invitation, Person};
use crate::session::pacing::Pacing;
use crate::session::registry::{Session, Sessions};
use crate::session::wall::{Wall, WallKind};
use crate::session::{Engine, Roots, TabId, Turns, Workspace, make_private};
use crate::snapshot::Tree;

use shared::{Reached, lost};
use to_file::ToFile;

mod shared;
mod tabs;
mod to_file;

/// How long a call waits for others that work on the same page.
const LONGEST_QUEUE: Duration = Duration::from_secs(60);

/// How long a call waits for a person who works on the page.
const LONGEST_HOLD: Duration = Duration::from_secs(10);

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
    /// Those of owners who share nothing, by their names.
    cooldowns: Mutex<HashMap<String, Arc<Cooldown>>>,
    pacing: Pacing,
    turns: Turns,
    /// Where pages are handed over to people, if they are.
    live: Option<Live>,
    /// What was told of each session.
    told: Mutex<HashMap<Arc<str>, Arc<Mutex<Told>>>>,
    /// What each session keeps.
    kept: Mutex<HashMap<Arc<str>, Arc<Kept>>>,
    /// This server among others, if there are any, and the way to them.
    replica: Option<Arc<Replica>>,
    peers: Peers,
    pub metrics: Metrics,
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
    /// The pause of whoever it belongs to.
    cooldown: Arc<Cooldown>,
    told: Arc<Mutex<Told>>,
    /// What it keeps from call to call.
    kept: Arc<Kept>,
    /// Whose it is, where there are several.
    owner: Option<Arc<str>>,
    /// What it did, for a person to see.
    calls: Calls,
}

impl Client {
    /// The current page, as it was last read for this client.
    pub fn last_shown(&self) -> Option<Arc<Tree>> {
        let page = self.workspace.active_page()?;
        self.told.lock().tree(&page)
    }

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
    /// What the client may have typed and never sees.
    pub secrets: &'a Secrets,
    roots: &'a ClientRoots,
    pub live: Option<&'a Live>,
    owner: Option<&'a Arc<str>>,
    calls: &'a Calls,
    pub progress: &'a Progress,
    /// What the session keeps from call to call.
    pub kept: &'a Kept,
    /// What the client has been shown.
    pub(super) told: &'a Mutex<Told>,
    /// What happened meanwhile, to be told under Events.
    pub(super) events: Mutex<Vec<String>>,
    /// What the page announced meanwhile.
    pub(super) said: Mutex<Vec<String>>,
    /// What stands elsewhere now.
    pub(super) moved: Mutex<Vec<Moved>>,
    registry: &'a Registry,
    turns: &'a Turns,
    /// The page whose turn it has.
    turn: Mutex<Option<(Page, OwnedMutexGuard<()>)>>,
    met_dialog: AtomicBool,
    /// The tab that the call names; without one it works in the current tab.
    tab: Mutex<Option<TabId>>,
    /// Whether what it says has room without end.
    whole: AtomicBool,
    /// The name of the file that it goes to, if it goes to one.
    file: Mutex<String>,
    /// How scripts find the elements that it named, by what it called them.
    pub(super) found: Mutex<HashMap<String, Found>>,
}

impl Dispatcher {
    pub fn new(registry: Registry, engine: Engine, settings: Settings) -> Self {
        Self {
            sessions: Sessions::new(engine.clone(), settings.sessions),
            pacing: Pacing::new(settings.politeness),
            cooldown: Arc::default(),
            cooldowns: Mutex::default(),
            registry,
            engine,
            settings,
            turns: Turns::default(),
            live: None,
            told: Mutex::default(),
            kept: Mutex::default(),
            replica: None,
            peers: Peers::default(),
            metrics: Metrics::default(),
        }
    }

    /// Hands pages over to people.
    #[must_use]
    pub fn with_live(self, live: Live) -> Self {
        Self { live: Some(live), ..self }
    }

    /// Where pages are handed over to people, if they are.
    pub fn live(&self) -> Option<&Live> {
        self.live.as_ref()
    }

    /// Pauses with whoever shares this state, instead of alone.
    #[must_use]
    pub fn with_cooldown(self, cooldown: &Arc<Cooldown>) -> Self {
        Self { cooldown: Arc::clone(cooldown), ..self }
    }

    /// A client with contexts and tabs of its own.
    pub fn client(&self) -> Client {
        let cooldown = Arc::clone(&self.cooldown);
        let (settings, sessions) = (self.settings.clone(), self.sessions.clone());
        self.client_with(settings, self.engine.workspace(), sessions, cooldown, None)
    }

    /// A client of an owner who shares nothing with others: neither sessions nor the profile. Its files lie in folders
    /// of the owner's name, and it can name no others.
    pub fn client_apart(&self, owner: &str) -> Client {
        let mut settings = self.settings.clone();
        for place in [&mut settings.output_dir, &mut settings.screenshot_dir] {
            place.push(owner);
            // If this fails, so will writing there, which says why.
            let _ = make_private(place);
        }
        settings.roots = Roots::only(settings.output_dir.clone(), [settings.screenshot_dir.clone()]);
        settings.client_roots = false;
        let mut context = self.engine.options().context.clone();
        context.local_files = settings.allow_files.then(|| settings.roots.as_local_files());
        if let Some(downloads) = &mut context.downloads {
            downloads.push(owner);
        }
        let workspace = self.engine.workspace_apart(owner, context);
        let mut cooldowns = self.cooldowns.lock();
        let cooldown =
            cooldowns.entry(owner.to_owned()).or_insert_with(|| self.cooldown.of_owner(owner).into());
        let cooldown = Arc::clone(cooldown);
        drop(cooldowns);
        self.client_with(settings, workspace, self.sessions.of(owner.into()), cooldown, Some(owner.into()))
    }

    fn client_with(
        &self,
        settings: Settings,
        workspace: Workspace,
        sessions: Sessions,
        cooldown: Arc<Cooldown>,
        owner: Option<Arc<str>>,
    ) -> Client {
        let roots = ClientRoots::new(settings.roots.clone(), settings.client_roots);
        let scratch = workspace.sibling();
        let (told, kept, calls) = (Arc::default(), Arc::default(), Calls::default());
        Client { workspace, scratch, sessions, settings, roots, cooldown, told, kept, owner, calls }
    }

    /// What clients may have typed and never see.
    pub fn secrets(&self) -> &Secrets {
        &self.engine.options().secrets
    }

    /// Runs a tool to its end, or until it is cancelled. A failure of the tool is a reply like any other. This is the door
    /// through which every answer goes, and secrets stay behind it.
    pub async fn call(
        &self,
        client: &Client,
        name: &str,
        arguments: Map<String, Value>,
        progress: &Progress,
        cancelled: &CancellationToken,
    ) -> Result<Reply, UnknownTool> {
        let counted = self.metrics.begin();
        let mut reply = self.answer(client, name, arguments, progress, cancelled).await;
        if let Ok(reply) = &mut reply {
            reply.strike(self.secrets());
        }
        counted.end(reply.as_ref().ok().and_then(|reply| Some((self.registry.find(name).ok()?.name, reply))));
        reply
    }

    async fn answer(
        &self,
        client: &Client,
        name: &str,
        mut arguments: Map<String, Value>,
        progress: &Progress,
        cancelled: &CancellationToken,
    ) -> Result<Reply, UnknownTool> {
        let pause = self.learn_pause(client).await;
        // Before anything else is looked at: who is paused shall not be told to mend arguments first.
        if let Some(paused) = failure::paused(name, &client.cooldown, &self.settings) {
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
            failure::tell(error, tool, &asked, &client.cooldown, &self.settings, reply);
        };
        if let Err(error) = checked {
            failure::tell(&error, tool, &arguments, &client.cooldown, &self.settings, &mut reply);
            return Ok(reply);
        }
        let reached = tokio::select! {
            biased;
            () = cancelled.cancelled() => {
                tell(&Error::Cancelled, &mut reply);
                return Ok(reply);
            }
            reached = self.reach(tool, &mut arguments, client) => reached,
        };
        let session = match reached {
            Reached::Here(session) => session,
            Reached::Answered(answer) => return Ok(*answer),
            Reached::Not(id, error) => {
                failure::tell_no_session(&error, &id, &mut reply);
                return Ok(reply);
            }
        };
        let _fenced = session.as_ref().and_then(shared::Fenced::begin);
        let outcome = tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(Error::Cancelled),
            () = lost(session.as_ref()) => Err(Error::LeaseLost),
            outcome = self.run(tool, arguments, client, session.as_ref(), progress, &mut reply) => outcome,
        };
        if let Some(session) = &session
            && tool.toolset != Toolset::Sessions
        {
            reply.set_session(&*session.id);
        }
        client.calls.note(name, outcome.as_ref().err().map(Error::code));
        let outcome = shared::saved(session.as_ref(), outcome).await;
        if let Err(error) = outcome {
            match session.map(|session| (client.sessions.get(&session.id), session.id)) {
                // What the session's end broke is told as that.
                Some((Err(gone), id)) if !matches!(error, Error::Cancelled) => {
                    failure::tell_no_session(&gone, &id, &mut reply);
                }
                _ => tell(&error, &mut reply),
            }
        }
        self.share_pause(client, pause).await;
        Ok(reply)
    }

    fn told(&self, client: &Client, session: Option<&Session>) -> Arc<Mutex<Told>> {
        let Some(session) = session else { return Arc::clone(&client.told) };
        let mut told = self.told.lock();
        told.retain(|id, _| self.sessions.is_live(id));
        Arc::clone(told.entry(Arc::clone(&session.id)).or_default())
    }

    fn kept(&self, client: &Client, session: Option<&Session>) -> Arc<Kept> {
        let Some(session) = session else { return Arc::clone(&client.kept) };
        let mut kept = self.kept.lock();
        kept.retain(|id, _| self.sessions.is_live(id));
        Arc::clone(kept.entry(Arc::clone(&session.id)).or_default())
    }

    async fn run(
        &self,
        tool: &AnyTool,
        mut arguments: Map<String, Value>,
        client: &Client,
        session: Option<&Session>,
        progress: &Progress,
        reply: &mut Reply,
    ) -> Result<()> {
        let (told, kept) = (self.told(client, session), self.kept(client, session));
        let call = Call {
            workspace: session.map_or(&client.workspace, |session| &session.workspace),
            scratch: &client.scratch,
            session,
            sessions: &client.sessions,
            pacing: &self.pacing,
            kept: &kept,
            told: &told,
            settings: &client.settings,
            secrets: self.secrets(),
            roots: &client.roots,
            live: self.live.as_ref(),
            owner: client.owner.as_ref(),
            calls: &client.calls,
            progress,
            events: Mutex::default(),
            said: Mutex::default(),
            moved: Mutex::default(),
            registry: &self.registry,
            turns: &self.turns,
            turn: Mutex::default(),
            met_dialog: AtomicBool::new(false),
            tab: Mutex::default(),
            whole: AtomicBool::new(false),
            file: Mutex::default(),
            found: Mutex::default(),
        };
        let engine = call.workspace.engine();
        let _in_use = engine.in_use();
        if tool.toolset != Toolset::Browser {
            call.until_released(tool).await?;
            call.confirm_call(tool, arguments.get("url").and_then(Value::as_str)).await?;
            let outcome = call.unless_stuck(tool, tool.run(arguments, &call, reply)).await;
            call.confirm_downloads().await;
            return outcome;
        }
        if engine.attaches() && engine.running().is_none() {
            // Whoever needs the browser will say why it cannot be had.
            let _ = call.workspace.context().await;
        }
        if let Some(name) = tabs::take(tool, &mut arguments) {
            *call.tab.lock() = Some(call.workspace.tab(&name)?.id);
        }
        call.until_released(tool).await?;
        call.confirm_call(tool, None).await?;
        let before = Before::note(&call).await;
        let outcome = call.run(tool, arguments, reply).await;
        call.confirm_downloads().await;
        if outcome.is_err() && tool.effect == Effect::Acts {
            reply.show_effects();
        }
        describe(&call, &before, outcome.as_ref().err(), reply).await;
        if engine.options().restore {
            let _ = timeout(REMEMBER_LIMIT, call.workspace.remember()).await;
        }
        outcome
    }
}

impl Call<'_> {
    /// The person behind the client.
    pub fn person(&self) -> impl Person {
        ClientsPerson { call: self, link: Mutex::default() }
    }

    /// Where the person can look at the page, if that is all that they may do.
    pub async fn watching(&self, page: &Page, why: &str) -> Option<PersonLink> {
        self.live.filter(|live| live.mode_for(page) == Mode::Watch)?;
        let wall = Wall { kind: WallKind::Asked, url: page.asked_url(), what: why.to_owned() };
        let person = ClientsPerson { call: self, link: Mutex::default() };
        person.opened(page, &wall).await.map(|(link, ..)| link)
    }

    /// Waits while a person works on the page. Whoever asked for that person is not kept waiting.
    async fn until_released(&self, tool: &AnyTool) -> Result<()> {
        let works_on_page = tool.toolset != Toolset::Patchright || self.session.is_some();
        let page = self.current_page().ok().filter(|_| works_on_page && tool.name != AskPerson::NAME);
        let held = page.and_then(|page| self.live?.holder_of(&page));
        let Some(held) = held else { return Ok(()) };
        self.progress.say("waiting for the user, who works on the page");
        timeout(LONGEST_HOLD, held.until_released()).await.map_err(|_| Error::PersonHasControl)
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
    pub async fn run(
        &self,
        tool: &AnyTool,
        mut arguments: Map<String, Value>,
        reply: &mut Reply,
    ) -> Result<()> {
        self.met_dialog.store(false, Ordering::Relaxed);
        let file = ToFile::take(self, tool, &mut arguments).await?;
        let asked = self.writes_script().then(|| arguments.clone());
        let opened_dialog = match self.unless_stuck(tool, tool.run(arguments, self, reply)).await {
            // What a call does can open a dialog. That is an effect to be told, not a failure.
            Err(Error::DialogOpen { .. }) if !self.met_dialog.load(Ordering::Relaxed) => true,
            outcome => outcome.map(|()| false)?,
        };
        if let Some(asked) = asked {
            let found = std::mem::take(&mut *self.found.lock());
            self.kept.script.lock().add(tool.name, tool.effect, &asked, &found);
        }
        match file {
            Some(file) if !opened_dialog => file.write(reply, self.secrets).await,
            _ => Ok(()),
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
        match self.current_page() {
            Ok(page) => page.unless_stuck(patience, work).await,
            Err(_) => work.await,
        }
    }

    /// Whether what is done is written down, to be exported as a test.
    pub fn writes_script(&self) -> bool {
        self.registry.find(ExportScript::NAME).is_ok()
    }

    /// The active page, to go elsewhere from it: an open dialog is dismissed then. Made now if there is none.
    pub async fn page_to_leave(&self) -> Result<Page> {
        match self.page().await {
            Err(Error::DialogOpen { .. }) => {
                self.met_dialog.store(false, Ordering::Relaxed);
                let page = self.current_page()?;
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
        let page = match self.tab() {
            Some(_) => self.current_page()?,
            None => self.workspace.page().await?,
        };
        self.take_turn(page).await
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
        self.take_turn(self.current_page()?).await
    }

    /// What programs go through to open addresses, as tools do.
    pub fn gate(&self) -> Gate {
        Gate::new(self.settings.clone(), self.pacing.clone(), self.workspace.clone())
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
        let outcome = action.await;
        self.progress.say("waiting for what the action caused");
        self.settle(page, watch).await;
        match outcome {
            Err(Error::DialogOpen { .. }) => Ok(()),
            outcome => outcome,
        }
    }

    /// Waits for what was caused on the page, and notes what is to be told of it.
    pub async fn settle(&self, page: &Page, watch: Watch) {
        let Settings { settle: window, navigation_limit, .. } = *self.settings;
        let settled = watch.settle(&SettleOptions { window, navigation_limit }).await;
        self.said.lock().extend(settled.said);
        self.moved.lock().extend(settled.moved);
        match settled.ending {
            Ending::Gone if page.is_closed() => self.note("The page closed."),
            Ending::Unfinished => self.note(still_loading(&settled.still)),
            _ if !settled.still.is_empty() => self.note(still_loading(&settled.still)),
            _ => {}
        }
    }

    fn has_turn(&self, page: &Page) -> bool {
        self.turn.lock().as_ref().is_some_and(|(held, _)| held == page)
    }

    async fn take_turn(&self, mut page: Page) -> Result<Page> {
        while !self.has_turn(&page) {
            self.turn.lock().take();
            let turn =
                timeout(LONGEST_QUEUE, self.turns.take(page.id())).await.map_err(|_| Error::PageBusy)?;
            // What had its turn before may have closed the page or gone to another.
            let active = self.current_page()?;
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
    call: &'a Call<'a>,
    /// Where the person was told to come.
    link: Mutex<Option<String>>,
}

impl ClientsPerson<'_> {
    fn language(&self) -> Language {
        self.call.settings.language
    }

    fn caller(&self) -> String {
        let caller = self.call.progress.caller().map(one_line);
        caller.unwrap_or_else(|| texts::somebody(self.language()).to_owned())
    }

    /// Opens a way to the page, and says whether there was one.
    async fn opened(&self, page: &Page, wall: &Wall) -> Option<(PersonLink, Arc<Handover>, bool)> {
        let live = self.call.live?;
        let calls = self.call.calls.clone();
        let (owner, who, why) = (self.call.owner.cloned(), self.caller(), wall.what.clone());
        let login = (wall.kind == WallKind::Challenge && page.url() != wall.url).then(|| wall.url.clone());
        let known = live.open_for(page).is_some();
        let coming = live.invite(Wish { page, owner, who, why, login, calls }).await?;
        let (code, seconds) = (coming.door.code(), coming.link_left().as_secs());
        let link = PersonLink { url: coming.link().to_owned(), code, seconds };
        Some((link, coming, known))
    }

    async fn invitation(&self, page: &Page, wall: &Wall) -> Option<Invitation> {
        self.call.live.filter(|live| live.mode_for(page) == Mode::Control)?;
        let (link, coming, known) = self.opened(page, wall).await?;
        if !known {
            tracing::warn!(link = link.url, "a person is needed");
        }
        *self.link.lock() = Some(link.url.clone());
        // Who was told of it before comes back to wait.
        let asks = self.call.progress.questions.reach_person() || known;
        Some(Invitation { link, asks, coming })
    }
}

impl Person for ClientsPerson<'_> {
    fn tell(&self, wall: &Wall, waited: Duration, limit: Duration) {
        let rest = limit.saturating_sub(waited).as_secs();
        let text = match &*self.link.lock() {
            Some(link) => texts::waiting_at(self.language(), &wall.what, link, rest),
            None => texts::waiting(self.language(), &wall.what, rest),
        };
        self.call.progress.wait_for_person(true);
        self.call.progress.count(text, waited.as_secs_f64(), limit.as_secs_f64());
    }

    fn ask<'a>(
        &'a self,
        wall: &'a Wall,
        link: Option<&'a PersonLink>,
    ) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        let language = self.language();
        let message = match link {
            Some(link) => texts::invitation(language, &wall.what, &wall.url, &link.url, link.code.as_deref()),
            None => texts::question(language, &wall.what, &wall.url),
        };
        let asking = Asking { message, link: link.map(|link| link.url.clone()) };
        Box::pin(self.call.progress.questions.ask(asking))
    }

    fn invite<'a>(
        &'a self,
        page: &'a Page,
        wall: &'a Wall,
    ) -> Pin<Box<dyn Future<Output = Option<Invitation>> + Send + 'a>> {
        Box::pin(self.invitation(page, wall))
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
