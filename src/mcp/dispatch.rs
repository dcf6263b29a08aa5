//! Runs tools: the wire and the Python face both come through here.
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::sync::OwnedMutexGuard;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::Result;
use crate::browser::{ActionOptions, ElementHandle, Page, SettleOptions};
use crate::error::Error;
use crate::mcp::describe::{Before, Told, describe};
use crate::mcp::progress::Progress;
use crate::mcp::reply::Reply;
use crate::mcp::settings::Settings;
use crate::mcp::tool::{AnyTool, Registry, UnknownTool};
use crate::mcp::turns::Turns;
use crate::session::{Engine, Workspace};

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
    turns: Turns,
}

/// One client of the server.
#[derive(Debug)]
pub struct Client {
    pub workspace: Workspace,
    told: Mutex<Told>,
}

/// One call of a tool, as the tool sees it.
#[derive(Debug)]
pub struct Call<'a> {
    pub workspace: &'a Workspace,
    pub settings: &'a Settings,
    pub progress: &'a Progress,
    /// What the client has been shown.
    pub(super) told: &'a Mutex<Told>,
    /// What happened meanwhile, to be told under Events.
    pub(super) events: Mutex<Vec<String>>,
    turns: &'a Turns,
    turn: Mutex<Option<OwnedMutexGuard<()>>>,
    met_dialog: AtomicBool,
}

impl Dispatcher {
    pub fn new(registry: Registry, engine: Engine, settings: Settings) -> Self {
        Self { registry, engine, settings, turns: Turns::default() }
    }

    /// A client with contexts and tabs of its own.
    pub fn client(&self) -> Client {
        Client { workspace: self.engine.workspace(), told: Mutex::default() }
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
        let tool = self.registry.find(name)?;
        let mut reply = Reply::default();
        if let Err(error) = tool.check(&mut arguments) {
            reply.fail(&error);
            return Ok(reply);
        }
        let outcome = tokio::select! {
            biased;
            () = cancelled.cancelled() => Err(Error::Cancelled),
            outcome = self.run(tool, arguments, client, progress, &mut reply) => outcome,
        };
        if let Err(error) = outcome {
            tracing::debug!(tool = name, code = error.code(), "tool failed");
            reply.fail(&error);
        }
        Ok(reply)
    }

    async fn run(
        &self,
        tool: &AnyTool,
        arguments: Map<String, Value>,
        client: &Client,
        progress: &Progress,
        reply: &mut Reply,
    ) -> Result<()> {
        let call = Call {
            workspace: &client.workspace,
            told: &client.told,
            settings: &self.settings,
            progress,
            events: Mutex::default(),
            turns: &self.turns,
            turn: Mutex::default(),
            met_dialog: AtomicBool::new(false),
        };
        let _in_use = self.engine.in_use();
        if self.engine.attaches() && self.engine.running().is_none() {
            // Whoever needs the browser will say why it cannot be had.
            let _ = client.workspace.context().await;
        }
        let before = Before::note(&client.workspace);
        let outcome = unless_it_panics(tool.run(arguments, &call, reply)).await;
        // What a call does can open a dialog. That is an effect to be told, not a failure.
        let outcome = match outcome {
            Err(Error::DialogOpen { .. }) if !call.met_dialog.load(Ordering::Relaxed) => Ok(()),
            outcome => outcome,
        };
        describe(&call, &before, outcome.is_ok(), reply).await;
        if self.engine.options().restore {
            let _ = timeout(REMEMBER_LIMIT, client.workspace.remember()).await;
        }
        outcome
    }
}

impl Call<'_> {
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
        target: Option<&ElementHandle>,
        action: impl Future<Output = Result<()>>,
    ) -> Result<()> {
        let watch = page.watch(target).await;
        match action.await {
            Ok(()) | Err(Error::DialogOpen { .. }) => {}
            Err(error) => return Err(error),
        }
        self.progress.say("waiting for what the action caused");
        let Settings { settle: window, navigation_limit, .. } = *self.settings;
        let settled = watch.settle(&SettleOptions { window, navigation_limit }).await;
        if settled.unfinished {
            self.note("The page is still loading.");
        }
        if settled.gone && page.is_closed() {
            self.note("The page closed.");
        }
        Ok(())
    }

    async fn take_turn(&self, mut page: Page) -> Result<Page> {
        let turn = loop {
            let turn = timeout(LONGEST_QUEUE, self.turns.take(&page)).await.map_err(|_| Error::PageBusy)?;
            // What had its turn before may have closed the page or gone to another.
            let active = self.workspace.open_page()?;
            if active == page {
                break turn;
            }
            page = active;
        };
        *self.turn.lock() = Some(turn);
        if let Some(dialog) = page.dialog() {
            self.met_dialog.store(true, Ordering::Relaxed);
            return Err(Error::DialogOpen { kind: dialog.kind, message: dialog.message });
        }
        Ok(page)
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
