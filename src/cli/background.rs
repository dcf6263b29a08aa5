//! The background server that runs command-line verbs: one process per project folder. It exits after its
//! last session, after an hour without commands, or on request, and removes its socket.
use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Map, Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::time::{Instant, interval, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::brief::{self, PageFile};
use super::project::{self, FOLDER};
use super::run::{self, BackgroundConfig};
use super::verbs::{self, replace_tool_names};
use super::wire::{Line, Outcome, Request, Work};
use crate::folders::make_private;
use crate::mcp::client::Client;
use crate::mcp::dispatch::Dispatcher;
use crate::mcp::progress::Progress;
use crate::mcp::reply::{PageState, Reply};
use crate::mcp::shutdown::{self, Shutdown, ShutdownReason};
use crate::secrets::Secrets;
use crate::snapshot::{self, Tree};

/// How long a connected client may take to send its request.
const REQUEST_LIMIT: Duration = Duration::from_secs(5);
/// How often the server sends [`Line::Working`] to a client whose command is still running.
const WORKING_INTERVAL: Duration = Duration::from_secs(5);
/// How often to check whether the socket file still exists.
const SOCKET_CHECK_INTERVAL: Duration = Duration::from_secs(15);
/// Tools that always report the page's URL and title, even if the previous answer had the same.
const TOOLS_WITH_PAGE_STATE: [&str; 3] = ["browser_navigate", "browser_snapshot", "browser_tabs"];

/// Serves the commands of one project folder until the last session ends or the server is stopped.
pub(super) async fn serve(config: BackgroundConfig, shutdown: Shutdown) -> io::Result<()> {
    let listener = UnixListener::bind(&config.socket)?;
    let keeper = Arc::new(BackgroundServer {
        dispatcher: Arc::new(run::audited(config.server).map_err(io::Error::other)?),
        options: config.options,
        sessions: Mutex::default(),
        uses: watch::Sender::new((0, Instant::now())),
        has_browsed: AtomicBool::new(false),
        shutdown,
    });
    // The client that started this process waits for this line, see `remote::wait_until_ready`.
    io::stdout().write_all(b"ready\n")?;
    keeper.listen(&listener, &config.socket, config.idle_limit).await;
    // Before the listener is dropped: until then, no other server can have bound a socket at this path.
    project::leave(&config.socket);
    drop(listener);
    keeper.until_quiet().await;
    if timeout(shutdown::BROWSER_CLOSE_TIMEOUT, keeper.dispatcher.services.engine.close()).await.is_err() {
        tracing::warn!("the browser did not close in time");
    }
    Ok(())
}

struct BackgroundServer {
    dispatcher: Arc<Dispatcher>,
    /// The command-line options that this server was started with.
    options: Vec<String>,
    sessions: Mutex<BTreeMap<String, Arc<ShellSession>>>,
    /// The number of running requests, and when the last one ended.
    uses: watch::Sender<(usize, Instant)>,
    has_browsed: AtomicBool,
    shutdown: Shutdown,
}

/// A named session: its MCP client state, its page file, and the page state that was last reported.
struct ShellSession {
    client: Client,
    written: Mutex<Option<PageFileState>>,
    /// The page's URL and title in the last answer; the next answer omits them if they are unchanged.
    reported: Mutex<Option<PageState>>,
}

#[derive(Clone)]
struct PageFileState {
    tree: Arc<Tree>,
    path: PathBuf,
    lines: usize,
}

impl BackgroundServer {
    async fn listen(self: &Arc<Self>, listener: &UnixListener, socket: &Path, idle_limit: Duration) {
        let mut uses = self.uses.subscribe();
        loop {
            let (running, last) = *uses.borrow_and_update();
            let idle = async {
                match running {
                    0 => sleep_until(last + idle_limit).await,
                    _ => std::future::pending().await,
                }
            };
            tokio::select! {
                _ = self.shutdown.wait_for_begin() => return,
                () = idle => return self.shutdown.begin(ShutdownReason::ClientLeft),
                // If a cleanup of temporary files has removed the socket, no client can connect any more.
                () = tokio::time::sleep(SOCKET_CHECK_INTERVAL) => if !socket.exists() {
                    return self.shutdown.begin(ShutdownReason::ClientLeft);
                },
                _ = uses.changed() => {}
                accepted = listener.accept() => if let Ok((stream, _)) = accepted {
                    self.uses.send_modify(|(running, _)| *running += 1);
                    let keeper = Arc::clone(self);
                    tokio::spawn(async move {
                        if let Err(error) = keeper.serve_command(stream).await {
                            tracing::debug!(%error, "a command left");
                        }
                        keeper.uses.send_modify(|(running, last)| (*running, *last) = (*running - 1, Instant::now()));
                    });
                },
            }
        }
    }

    async fn until_quiet(&self) {
        let mut uses = self.uses.subscribe();
        let _ = timeout(shutdown::TIMEOUT, uses.wait_for(|(running, _)| *running == 0)).await;
    }

    /// Reads one request from a client, runs it, and writes the response lines.
    async fn serve_command(&self, stream: UnixStream) -> io::Result<()> {
        let (reader, mut writer) = stream.into_split();
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        timeout(REQUEST_LIMIT, reader.read_until(b'\n', &mut line)).await??;
        let request: Request = serde_json::from_slice(&line)?;
        writer.write_all(&written(&Line::Begun)?).await?;
        let cancelled = self.shutdown.token().child_token();
        let progress = Progress::default();
        let (waits, mut waiting) = tokio::sync::mpsc::unbounded_channel();
        let mut outcome = std::pin::pin!(self.outcome(&request, &progress, &cancelled));
        let telling = progress.send_updates(|_, step| {
            let progress_text = step.part.and(step.message);
            drop(progress_text.map(|text| waits.send(text)));
            std::future::ready(())
        });
        let mut telling = std::pin::pin!(telling);
        let mut beat = interval(WORKING_INTERVAL);
        let outcome = loop {
            let mut byte = [0];
            tokio::select! {
                outcome = &mut outcome => break outcome,
                () = &mut telling => {}
                _ = beat.tick() => writer.write_all(&written(&Line::Working)?).await?,
                Some(text) = waiting.recv() => writer.write_all(&written(&Line::Waiting(text))?).await?,
                // The client sends nothing after its request, so this read ends only when it disconnects.
                _ = reader.read(&mut byte), if !cancelled.is_cancelled() => cancelled.cancel(),
            }
        };
        let closes = matches!(request.work, Work::Close { .. });
        let ends = self.is_over(closes);
        if ends {
            self.shutdown.begin(ShutdownReason::ClientLeft);
        }
        let said = writer.write_all(&written(&Line::Done(outcome))?).await;
        if ends && closes {
            // Left open until this process exits: the client waits for the stream to end.
            std::mem::forget(writer);
        }
        said
    }

    /// Returns whether the server can exit after a request: it `closed` the last session, or no browser ever started.
    fn is_over(&self, closed: bool) -> bool {
        let engine = &self.dispatcher.services.engine;
        let has_browsed = engine.browser_and_page_counts().0 > 0 || engine.is_remote();
        let ever = self.has_browsed.fetch_or(has_browsed, Ordering::Relaxed) || has_browsed;
        let alone = self.uses.borrow().0 <= 1;
        alone && if closed { self.sessions.lock().is_empty() } else { !ever }
    }

    async fn outcome(
        &self,
        request: &Request,
        progress: &Progress,
        cancelled: &CancellationToken,
    ) -> Outcome {
        if !request.options.is_empty() && request.options != self.options {
            return self.options_differ(request.json);
        }
        match &request.work {
            Work::Call { tool, arguments } => {
                self.call(request, tool, arguments.clone(), progress, cancelled).await
            }
            Work::Close { all } => self.close(request, *all).await,
            Work::Sessions => self.list(request.json),
        }
    }

    async fn call(
        &self,
        request: &Request,
        tool: &str,
        arguments: Map<String, Value>,
        progress: &Progress,
        cancelled: &CancellationToken,
    ) -> Outcome {
        let visit = self.visit(&request.session);
        let reply = self.dispatcher.call(&visit.client, tool, arguments, progress, cancelled).await;
        let reply = match reply {
            Ok(reply) => reply,
            Err(unknown) => {
                let unknown = replace_tool_names(&unknown.to_string());
                let text = format!(
                    "{unknown}\nSuch options count in the command that begins the server: close it, and give them with the next one."
                );
                return said(request.json, "unknown_tool", &text);
            }
        };
        let secrets = self.dispatcher.secrets();
        let file = visit.write_page(&request.session, &reply, Path::new(&request.here), secrets);
        let mut text = match request.json {
            true => brief::object(&reply, file.as_ref()).to_string(),
            false => brief::text(&reply, file.as_ref(), visit.is_page_state_unchanged(tool, &reply)),
        };
        if reply.error_code() == Some("invalid_arguments")
            && let Some(verb) = verbs::find(tool)
        {
            text = verb.replace_argument_names(&text);
        }
        Outcome { text, failed: reply.is_error() }
    }

    /// Returns the session with this name, creating it if necessary.
    fn visit(&self, name: &str) -> Arc<ShellSession> {
        let mut sessions = self.sessions.lock();
        let made = || ShellSession {
            client: self.dispatcher.new_client(),
            written: Mutex::default(),
            reported: Mutex::default(),
        };
        Arc::clone(sessions.entry(name.to_owned()).or_insert_with(|| Arc::new(made())))
    }

    async fn close(&self, request: &Request, all: bool) -> Outcome {
        let closed: Vec<_> = {
            let mut sessions = self.sessions.lock();
            match all {
                true => std::mem::take(&mut *sessions).into_iter().collect(),
                false => sessions.remove_entry(&request.session).into_iter().collect(),
            }
        };
        for (_, visit) in &closed {
            visit.client.close().await;
            if let Some(written) = visit.written.lock().take() {
                let _ = std::fs::remove_file(&written.path);
                // A named session has its own folder. `remove_dir` removes it only if it is empty.
                let _ = written
                    .path
                    .parent()
                    .filter(|folder| *folder != Path::new(FOLDER))
                    .map(std::fs::remove_dir);
            }
        }
        let names: Vec<_> = closed.iter().map(|(name, _)| name.as_str()).collect();
        if names.is_empty() {
            let text = format!("there is no session {:?} in this folder", request.session);
            return said(request.json, "no_session", &text);
        }
        if self.sessions.lock().is_empty() {
            let _ = timeout(shutdown::BROWSER_CLOSE_TIMEOUT, self.dispatcher.services.engine.close()).await;
        }
        let text = match request.json {
            true => json!({ "ok": true, "closed": names }).to_string(),
            false => format!("Closed {}", names.join(", ")),
        };
        Outcome { text, failed: false }
    }

    fn list(&self, json: bool) -> Outcome {
        let sessions = self.sessions.lock();
        let lines = sessions.iter().map(|(name, visit)| {
            let url = visit.client.url();
            (name, url.map(|url| self.dispatcher.secrets().redact(&url).into_owned()))
        });
        let text = match json {
            true => {
                let list = lines.map(|(name, url)| json!({ "name": name, "url": url }));
                json!({ "ok": true, "sessions": list.collect::<Vec<_>>() }).to_string()
            }
            false => {
                let line = |(name, url): (&String, Option<String>)| {
                    format!("{name}: {}", url.unwrap_or_else(|| "no page".to_owned()))
                };
                lines.map(line).collect::<Vec<_>>().join("\n")
            }
        };
        Outcome { text, failed: false }
    }

    fn options_differ(&self, json: bool) -> Outcome {
        let how = match self.options.as_slice() {
            [] => "without options".to_owned(),
            options => format!("with {}", options.join(" ")),
        };
        let text = format!(
            "the browser of this folder was started {how}; to start it otherwise, close it first: patchright-mcp close --all"
        );
        said(json, "runs_otherwise", &text)
    }
}

impl ShellSession {
    /// Returns whether the answer can omit URL and title: both are unchanged, and `tool` is not an exception.
    fn is_page_state_unchanged(&self, tool: &str, reply: &Reply) -> bool {
        let Some(page) = reply.page() else { return false };
        let before = self.reported.lock().replace(page.clone());
        !TOOLS_WITH_PAGE_STATE.contains(&tool) && before.as_ref() == Some(page)
    }

    /// Writes the full last snapshot to the session's page file, where the user can search it.
    fn write_page(&self, session: &str, reply: &Reply, here: &Path, secrets: &Secrets) -> Option<PageFile> {
        let mut last = self.written.lock();
        let Some(tree) = self.client.last_snapshot() else {
            if let Some(written) = last.take() {
                let _ = std::fs::remove_file(written.path);
            }
            return None;
        };
        if last.as_ref().is_none_or(|last| !Arc::ptr_eq(&last.tree, &tree)) {
            *last = write_outline(session, &tree, secrets).ok();
        }
        let last = last.as_ref()?;
        let path = std::path::absolute(&last.path).unwrap_or_else(|_| last.path.clone());
        let path = path.strip_prefix(here).unwrap_or(&path).display().to_string();
        Some(PageFile { path, lines: last.lines, holds_more: reply.has_omission() })
    }
}

fn write_outline(session: &str, tree: &Arc<Tree>, secrets: &Secrets) -> io::Result<PageFileState> {
    let everything = snapshot::Options {
        max_chars: usize::MAX / 4,
        usual_chars: usize::MAX / 4,
        ..snapshot::Options::default()
    };
    let mut text = brief::outline(&snapshot::render(tree, &everything).text);
    secrets.redact_text(&mut text);
    let mut path = PathBuf::from(FOLDER);
    if session != super::command::DEFAULT_SESSION {
        path.push(session);
    }
    make_private(&path)?;
    path.push("page.yml");
    // Replaced atomically: a concurrent reader gets the old page or the new one, never a part.
    let mut file = tempfile::NamedTempFile::new_in(path.parent().unwrap_or(Path::new(".")))?;
    file.write_all(format!("{}\n", text.trim_end()).as_bytes())?;
    file.persist(&path).map_err(|error| error.error)?;
    Ok(PageFileState { tree: Arc::clone(tree), path, lines: text.lines().count() })
}

fn said(json: bool, code: &str, text: &str) -> Outcome {
    let text = match json {
        true => json!({ "ok": false, "error": { "code": code, "message": text } }).to_string(),
        false => format!("Error ({code}): {text}"),
    };
    Outcome { text, failed: true }
}

fn written(line: &Line) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    Ok(bytes)
}
