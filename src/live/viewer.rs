//! The connection to a person's browser: sends frames and state to it, and receives input from it.
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::future::join_all;
use futures_util::{SinkExt, StreamExt};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::task::JoinSet;
use tokio::time::{Instant, MissedTickBehavior, interval, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::cast::PageStream;
use super::handover::Handover;
use super::input::{Finger, KeyInput, PersonInput, PointerInput, TouchPhase};
use super::opened::{NativePopup, OpenSelect};
use super::view::LiveViewMode;
use crate::browser::{
    ActionOptions, ElementHandle, HttpCredentials, NavigateOptions, OpenedFile, Page, WaitUntil,
};
use crate::session::handoff::HandoverOutcome;

/// How often to check whether the state has changed.
const RHYTHM: Duration = Duration::from_millis(400);
/// How often to ping the viewer.
const TRIAL: Duration = Duration::from_secs(5);
const LONGEST_SILENCE: Duration = Duration::from_secs(20);
/// How long to wait for a tab's title.
const TITLE_LIMIT: Duration = Duration::from_secs(1);
/// The time limit for filling in a field.
const FILL_LIMIT: Duration = Duration::from_secs(5);
/// How long to wait for the site's response after the person has submitted HTTP credentials.
const LOGIN_LIMIT: Duration = Duration::from_secs(10);
const MOST_TABS: usize = 20;
const LONGEST_TEXT: usize = 100_000;

/// A message from the viewer.
#[derive(Debug, Deserialize)]
#[serde(tag = "t", rename_all = "camelCase")]
enum ViewerMessage {
    /// The viewer has displayed the frame with this number.
    Shown {
        n: u32,
    },
    Move(PointerInput),
    Press(PointerInput),
    Release(PointerInput),
    Wheel(PointerInput),
    /// The current positions of all fingers, for a page with touch events.
    Touch {
        what: TouchPhase,
        fingers: Vec<Finger>,
        /// Whether this was a tap: a short touch without movement.
        tap: bool,
    },
    Down(KeyInput),
    Up(KeyInput),
    Compose {
        text: String,
    },
    /// Text that was pasted, or typed without a key event.
    Text {
        text: String,
    },
    /// The person chose the option with this index in the displayed list.
    Choose {
        index: i64,
    },
    /// The person's value for the field whose picker or suggestions are displayed.
    Fill {
        text: String,
    },
    Dialog {
        accept: bool,
        text: Option<String>,
    },
    /// The names of uploaded files to choose; empty to cancel.
    Files {
        names: Vec<String>,
    },
    Login {
        user: String,
        password: String,
    },
    Tab {
        index: usize,
    },
    /// Whether the viewer's tab is visible.
    Visible {
        visible: bool,
    },
    Take,
    GiveBack,
    Done,
    NotMe,
}

/// The connection of one viewer.
struct Viewer {
    handover: Arc<Handover>,
    number: u64,
    page: Page,
    cast: Option<PageStream>,
    choice: Option<OpenSelect>,
    /// Tasks that look for a list or picker opened by a press or tap.
    looking: JoinSet<Option<NativePopup>>,
    /// The last known titles of tabs, by page id. Some tabs are slow to return their title.
    titles: HashMap<String, String>,
    naming: JoinSet<HashMap<String, String>>,
    /// The field whose picker or suggestions are displayed.
    field: Option<ElementHandle>,
    visible: bool,
    /// The state that was last sent to the viewer.
    said: Value,
}

/// Serves a viewer until it disconnects, another viewer replaces it, or the hand-over ends.
pub async fn serve<S>(handover: Arc<Handover>, socket: WebSocketStream<S>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let mut viewer = Viewer::enter(handover);
    let (mut out, mut incoming) = socket.split();
    let mut state = viewer.handover.state.subscribe();
    let mut ticks = interval(RHYTHM);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut trials = interval(TRIAL);
    trials.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut received = Instant::now();
    loop {
        let messages = tokio::select! {
            biased;
            message = incoming.next() => {
                received = Instant::now();
                let Some(Ok(message)) = message else { break };
                match message {
                    Message::Text(text) => match serde_json::from_str(text.as_str()) {
                        Ok(incoming) => viewer.hear(incoming).await,
                        Err(_) => Vec::new(),
                    },
                    Message::Close(_) => break,
                    _ => Vec::new(),
                }
            }
            changed = state.changed() => {
                if changed.is_err() || viewer.is_over() {
                    break;
                }
                viewer.report().await
            }
            Some(()) = picture(&mut viewer.cast) => Vec::new(),
            Some(Ok(opened)) = viewer.looking.join_next() => viewer.offer(opened),
            Some(Ok(titles)) = viewer.naming.join_next() => {
                viewer.titles = titles;
                Vec::new()
            }
            _ = ticks.tick() => viewer.report().await,
            _ = trials.tick() => {
                let tried = timeout(TRIAL, out.send(Message::Ping(Vec::new().into()))).await;
                if received.elapsed() > LONGEST_SILENCE || !matches!(tried, Ok(Ok(()))) {
                    break;
                }
                Vec::new()
            }
        };
        let picture =
            viewer.cast.as_mut().and_then(PageStream::take).map(|picture| Message::Binary(picture.into()));
        for message in
            messages.into_iter().map(|value: Value| Message::Text(value.to_string().into())).chain(picture)
        {
            if !matches!(timeout(LONGEST_SILENCE, out.send(message)).await, Ok(Ok(()))) {
                return;
            }
        }
    }
    let goodbye = viewer.goodbye();
    let last = async {
        let _ = out.send(Message::Text(goodbye.to_string().into())).await;
        let _ = out.close().await;
    };
    let _ = timeout(TRIAL, last).await;
}

async fn picture(cast: &mut Option<PageStream>) -> Option<()> {
    match cast {
        Some(cast) => cast.next().await,
        None => std::future::pending().await,
    }
}

impl Viewer {
    fn enter(handover: Arc<Handover>) -> Self {
        let mut number = 0;
        handover.state.send_modify(|state| {
            state.viewers_ever += 1;
            number = state.viewers_ever;
            state.viewer = Some(number);
        });
        handover.set_control(handover.mode == LiveViewMode::Control);
        let page = handover.page.clone();
        Self {
            handover,
            number,
            page,
            cast: None,
            choice: None,
            looking: JoinSet::new(),
            titles: HashMap::new(),
            naming: JoinSet::new(),
            field: None,
            visible: true,
            said: Value::Null,
        }
    }

    /// Returns whether the hand-over has ended or another viewer has replaced this one.
    fn is_over(&self) -> bool {
        let state = self.handover.state.borrow();
        state.outcome.is_some() || state.viewer != Some(self.number)
    }

    fn goodbye(&self) -> Value {
        let outcome: &str = match self.handover.state.borrow().outcome {
            Some(HandoverOutcome::Done) => "done",
            Some(HandoverOutcome::NotMe) => "notMe",
            Some(HandoverOutcome::Over) => "over",
            Some(HandoverOutcome::Closed) => "closed",
            Some(HandoverOutcome::Crashed) => "crashed",
            Some(HandoverOutcome::Unawaited) => "unawaited",
            Some(HandoverOutcome::Left) | None => "left",
        };
        json!({ "t": "end", "how": outcome })
    }

    fn may_act(&self) -> bool {
        self.handover.person_has_control() && !self.is_over()
    }

    /// Returns the person's input devices; `None` if the person can only watch.
    fn hand(&self) -> Option<PersonInput> {
        let size = self.cast.as_ref()?.size;
        (self.may_act() && size.0 > 0.0).then(|| PersonInput::on(&self.page, size))
    }

    async fn hear(&mut self, message: ViewerMessage) -> Vec<Value> {
        match message {
            ViewerMessage::Shown { n } => {
                if let Some(cast) = &mut self.cast {
                    cast.shown(n);
                }
            }
            ViewerMessage::Visible { visible } => {
                self.visible = visible;
                if !visible {
                    self.cast = None;
                }
            }
            ViewerMessage::Take => self.handover.set_control(self.handover.mode == LiveViewMode::Control),
            ViewerMessage::GiveBack => self.handover.set_control(false),
            // A viewer that can only watch cannot confirm that the person is done.
            ViewerMessage::Done if self.handover.mode == LiveViewMode::Control => {
                self.handover.finish(HandoverOutcome::Done)
            }
            ViewerMessage::NotMe => self.handover.finish(HandoverOutcome::NotMe),
            _ if !self.may_act() => {}
            ViewerMessage::Tab { index } => self.go_to_tab(index).await,
            ViewerMessage::Press(at) => self.press(at),
            ViewerMessage::Touch { what, fingers, tap } => self.touch(what, &fingers, tap),
            ViewerMessage::Fill { text } if text.len() <= LONGEST_TEXT => self.fill(&text).await,
            ViewerMessage::Dialog { accept, text } => drop(self.page.answer_dialog(accept, text).await),
            ViewerMessage::Files { names } => self.give_files(&names).await,
            ViewerMessage::Login { user, password } => self.log_in(user, password).await,
            other => self.act(other),
        }
        Vec::new()
    }

    /// Handles a message that needs no reply.
    fn act(&mut self, message: ViewerMessage) {
        let Some(hand) = self.hand() else { return };
        match message {
            ViewerMessage::Move(at) => hand.move_to(at),
            ViewerMessage::Release(at) => hand.release(at),
            ViewerMessage::Wheel(at) => hand.wheel(at),
            ViewerMessage::Down(key) => hand.key_down(&key),
            ViewerMessage::Up(key) => hand.key_up(&key),
            ViewerMessage::Compose { text } if text.len() <= LONGEST_TEXT => hand.compose(&text),
            ViewerMessage::Text { text } if text.len() <= LONGEST_TEXT => hand.insert(&text),
            ViewerMessage::Choose { index } => {
                if let Some(choice) = self.choice.take() {
                    choice.choose(index, &hand);
                }
            }
            _ => {}
        }
    }

    /// Presses a mouse button. A task detects a list or picker that opens, so that frames are not delayed.
    fn press(&mut self, at: PointerInput) {
        let Some(hand) = self.hand() else { return };
        self.looking.abort_all();
        self.looking.spawn(NativePopup::after(self.page.clone(), hand.press(at)));
    }

    /// Sends touches to the page. A task detects a list or picker that a tap opens.
    fn touch(&mut self, what: TouchPhase, fingers: &[Finger], tap: bool) {
        let Some(hand) = self.hand() else { return };
        let touched = hand.touch(what, fingers);
        if tap && what == TouchPhase::End {
            self.looking.abort_all();
            self.looking.spawn(NativePopup::soon(self.page.clone(), touched));
        } else {
            touched.ignore();
        }
    }

    /// Returns the messages that display the opened list or picker, or that hide an earlier list.
    fn offer(&mut self, opened: Option<NativePopup>) -> Vec<Value> {
        let had = self.choice.take().is_some();
        match opened {
            Some(NativePopup::OpenSelect(choice)) => {
                let message = json!({ "t": "choice", "choice": choice });
                self.choice = Some(choice);
                vec![message]
            }
            Some(NativePopup::Field(field, help)) => {
                self.field = Some(field);
                vec![json!({ "t": "field", "field": help })]
            }
            None if had => vec![json!({ "t": "choice", "choice": null })],
            None => Vec::new(),
        }
    }

    async fn fill(&mut self, text: &str) {
        if let Some(field) = self.field.take() {
            let _ = field.fill(text, &ActionOptions::within(FILL_LIMIT)).await;
        }
    }

    async fn go_to_tab(&mut self, index: usize) {
        let Some(page) = self.handover.tabs().into_iter().nth(index) else { return };
        let _ = page.bring_to_front().await;
        page.emulate_focus(true);
        self.show(page);
    }

    fn show(&mut self, page: Page) {
        self.looking.abort_all();
        (self.cast, self.choice, self.field) = (None, None, None);
        self.page = page;
    }

    async fn give_files(&self, names: &[String]) {
        let Some(chooser) = self.page.take_file_chooser() else { return };
        let (Some(node), Ok(folder)) = (chooser.backend_node_id, self.handover.upload_folder()) else {
            return;
        };
        let opened = names.iter().filter_map(|name| {
            let path = folder.join(std::path::Path::new(name).file_name()?);
            Some(OpenedFile { file: std::fs::File::open(&path).ok()?, path })
        });
        let opened: Vec<_> = opened.take(if chooser.multiple { 50 } else { 1 }).collect();
        if opened.is_empty() {
            return;
        }
        if let Ok(input) = ElementHandle::by_backend_node_id(&chooser.frame, node).await {
            let _ = input.set_opened_files(opened).await;
        }
    }

    /// Sets the HTTP credentials entered by the person, and loads the page again.
    async fn log_in(&self, username: String, password: String) {
        let asked = self.handover.login.clone().unwrap_or_else(|| self.page.attempted_url());
        let origin = url::Url::parse(&asked).map(|url| url.origin().ascii_serialization());
        let Ok(origin) = origin else { return };
        let origin = Some(origin);
        let credentials =
            HttpCredentials { username, password, origin, unasked: false, entered_by_person: true };
        let _ = self.page.context().add_http_credentials(credentials).await;
        let options =
            NavigateOptions { until: WaitUntil::Commit, limit: LOGIN_LIMIT, ..NavigateOptions::default() };
        let _ = self.page.goto(&asked, &options).await;
        self.handover.logins.fetch_add(1, Ordering::Relaxed);
    }

    /// Returns the number of the next login attempt, from 1; `None` if HTTP authentication is not required.
    fn login(&self) -> Option<u32> {
        let refused = self.page.document_response().is_none_or(|response| response.status == 401);
        let elsewhere = self.handover.login.is_some() && refused;
        (elsewhere || asks_for_login(&self.page)).then(|| self.handover.logins.load(Ordering::Relaxed) + 1)
    }

    /// Returns the state if it has changed. Restarts the screencast for a viewer that was hidden.
    async fn report(&mut self) -> Vec<Value> {
        if self.page != self.handover.page && (self.page.is_closed() || self.page.is_crashed()) {
            // When a tab closes, its opener comes to the front, as in a browser window.
            let opener = self.page.opener().filter(|opener| !opener.is_closed());
            self.show(opener.unwrap_or_else(|| self.handover.page.clone()));
        }
        if self.cast.is_none() && self.visible && !self.page.is_closed() {
            let _ = self.page.bring_to_front().await;
            self.cast = Some(PageStream::start(&self.page, (Arc::clone(&self.handover), self.number)));
        }
        let now = self.standing();
        if now == self.said {
            return Vec::new();
        }
        self.said = now.clone();
        vec![now]
    }

    fn standing(&mut self) -> Value {
        let handover = &self.handover;
        let pages: Vec<_> = handover.tabs().into_iter().take(MOST_TABS).collect();
        let tab = |page: &Page| {
            let title = self.titles.get(page.id()).map(String::as_str).unwrap_or_default();
            json!({ "title": title, "url": page.attempted_url(), "here": *page == self.page })
        };
        let tabs: Vec<_> = pages.iter().map(tab).collect();
        if tabs.len() > 1 && self.naming.is_empty() {
            self.naming.spawn(titles_of(pages));
        }
        let dialog = self.page.dialog().map(
            |dialog| json!({ "kind": dialog.kind, "message": dialog.message, "text": dialog.default_prompt }),
        );
        let calls: Vec<_> = handover.calls.newest();
        let calls: Vec<_> = calls
            .iter()
            .map(|call| json!({ "tool": call.tool, "failure": call.failure, "at": call.at }))
            .collect();
        let left = handover.ends.saturating_duration_since(Instant::now()).as_secs();
        json!({
            "t": "state",
            "url": self.page.attempted_url(),
            "who": handover.who,
            "why": handover.why,
            // Rounded up to 15 s, so that the state rarely changes. The viewer itself counts down.
            "left": left.div_ceil(15) * 15,
            "control": handover.person_has_control(),
            "mayControl": handover.mode == LiveViewMode::Control,
            "touch": self.page.context().options().has_touch,
            "tabs": tabs,
            "calls": calls,
            "dialog": dialog,
            "chooser": self.page.file_chooser().map(|chooser| json!({ "multiple": chooser.multiple })),
            "login": self.login(),
        })
    }
}

/// Returns the titles of pages, by page id.
async fn titles_of(pages: Vec<Page>) -> HashMap<String, String> {
    let title = async |page: Page| {
        let title = timeout(TITLE_LIMIT, page.title()).await.unwrap_or_default();
        (page.id().to_owned(), title)
    };
    join_all(pages.into_iter().map(title)).await.into_iter().collect()
}

/// Returns whether the document's response requires HTTP Basic authentication.
fn asks_for_login(page: &Page) -> bool {
    page.document_response().is_some_and(|response| {
        let basic = response.headers.iter().any(|(name, value)| {
            name.eq_ignore_ascii_case("www-authenticate") && value.to_ascii_lowercase().starts_with("basic")
        });
        response.status == 401 && basic
    })
}

impl Drop for Viewer {
    fn drop(&mut self) {
        let number = self.number;
        self.handover.state.send_if_modified(|state| {
            let last = state.viewer == Some(number);
            if last {
                state.viewer = None;
                state.left = Some(Instant::now());
            }
            last
        });
    }
}
