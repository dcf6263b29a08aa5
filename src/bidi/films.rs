//! Screencasts. BiDi has none, so screenshots are taken repeatedly, and those that differ from the previous one
//! are reported. A page cannot notice them.
use std::sync::Arc;
use std::time::Duration;

use parking_lot::MutexGuard;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::answers::{Answer, Command};
use super::commands::CapturePicture;
use super::driver::Driver;
use super::errors::Refusal;
use super::pictures::kind_of;
use super::runtime::ask_page;
use super::state::tab_of;
use crate::cdp::Command as _;

/// The shortest interval between pictures: while the tab changes, and while it does not.
const QUICK: Duration = Duration::from_millis(120);
const CALM: Duration = Duration::from_millis(500);
/// How long after a change or an action the next change is likely.
const LIVELY: Duration = Duration::from_secs(1);
/// How long a busy page may take to report its size. After that, the previous size is used.
const MEASURING: Duration = Duration::from_millis(300);

/// The visible part of the document.
const SEEN: &str = "() => [innerWidth, innerHeight, scrollX, scrollY]";

/// A running screencast; dropping it stops it.
#[derive(Debug)]
pub(super) struct Screencast {
    progress: watch::Sender<Progress>,
    taken: watch::Receiver<Taken>,
}

/// The state of a screencast that its task watches.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// The newest picture that the viewer has acknowledged.
    acknowledged: i64,
    /// The number of actions on the tab.
    actions: u64,
    /// The number of pictures that were requested at once.
    wanted: u64,
}

/// The progress of a screencast: requested pictures taken, and the number of the last reported picture.
#[derive(Debug, Clone, Copy, Default)]
struct Taken {
    wanted: u64,
    number: i64,
}

pub(super) fn is_screencast_command(method: &str) -> bool {
    ["Page.startScreencast", "Page.stopScreencast", "Page.screencastFrameAck", CapturePicture::METHOD]
        .contains(&method)
}

pub(super) async fn answer(command: Command<'_>, session: &str, method: &str) -> Answer {
    let films = || MutexGuard::map(command.driver.state(), |state| &mut state.films);
    match method {
        "Page.startScreencast" => {
            start(command, session);
            Ok(json!({}))
        }
        "Page.screencastFrameAck" => {
            let number = command.params["sessionId"].as_i64().unwrap_or_default();
            if let Some(film) = films().get(session) {
                film.progress
                    .send_modify(|progress| progress.acknowledged = progress.acknowledged.max(number));
            }
            Ok(json!({}))
        }
        CapturePicture::METHOD => {
            let film = films().get(session).map(|film| {
                film.progress.send_modify(|progress| progress.wanted += 1);
                (film.progress.borrow().wanted, film.taken.clone())
            });
            let (wanted, mut taken) = film.ok_or_else(|| Refusal::new("There is no film"))?;
            let taken = taken.wait_for(|taken| taken.wanted >= wanted).await.map(|taken| taken.number);
            taken.map(|number| json!({"number": number})).map_err(|_| Refusal::new("The film is over"))
        }
        _ => {
            films().remove(session);
            Ok(json!({}))
        }
    }
}

/// Speeds up a tab's screencast after an action, since the page is likely to change.
pub(super) fn speed_up(driver: &Driver, tab: &str) {
    for (_, film) in driver.state().films.iter().filter(|(session, _)| tab_of(session) == tab) {
        film.progress.send_modify(|progress| progress.actions += 1);
    }
}

fn start(command: Command<'_>, session: &str) {
    let (telling, progress) = watch::channel(Progress::default());
    let (taking, taken) = watch::channel(Taken::default());
    // The one before, if there is one, ends with that.
    command.driver.state().films.insert(session.to_owned(), Screencast { progress: telling, taken });
    let filming = Filming {
        driver: command.driver.clone(),
        session: session.to_owned(),
        ask: json!({
            "context": command.tab,
            "origin": "viewport",
            "format": kind_of(command.params),
        }),
        last: String::new(),
        size: None,
        progress,
        taken: taking,
    };
    command.driver.spawn(filming.go_on());
}

struct Filming {
    driver: Arc<Driver>,
    session: String,
    ask: Value,
    /// The last reported picture.
    last: String,
    /// The last measured visible part of the document.
    size: Option<Value>,
    progress: watch::Receiver<Progress>,
    taken: watch::Sender<Taken>,
}

impl Filming {
    async fn go_on(mut self) {
        let mut ended = self.progress.clone();
        tokio::select! {
            biased;
            // Nobody keeps the film any more.
            _ = ended.wait_for(|_| false) => {}
            () = self.pictures() => {}
        }
    }

    async fn pictures(&mut self) {
        let mut lively = Instant::now() + LIVELY;
        loop {
            let (begun, before) = (Instant::now(), *self.progress.borrow());
            let number = self.look().await;
            self.taken.send_modify(|taken| {
                *taken = Taken { wanted: before.wanted, number: number.unwrap_or(taken.number) };
            });
            if let Some(number) = number {
                let _ = self.progress.wait_for(|progress| progress.acknowledged >= number).await;
            }
            if number.is_some() || self.progress.borrow().actions != before.actions {
                lively = Instant::now() + LIVELY;
            }
            if Instant::now() >= lively {
                let is_calm = |progress: &Progress| {
                    (progress.actions, progress.wanted) == (before.actions, before.wanted)
                };
                let _ = timeout_at(begun + CALM, self.progress.wait_for(|progress| !is_calm(progress))).await;
            }
            let _ = timeout_at(
                begun + QUICK,
                self.progress.wait_for(|progress| progress.wanted != before.wanted),
            )
            .await;
        }
    }

    /// Takes a picture and reports it if it differs from the last one. Returns the number of the newest.
    async fn look(&mut self) -> Option<i64> {
        // A document that goes in that moment cannot be drawn: the next one will be.
        let taken = self.driver.ask("browsingContext.captureScreenshot", self.ask.clone()).await.ok()?;
        let data = taken["data"].as_str().filter(|data| !data.is_empty() && *data != self.last)?;
        let tab = tab_of(&self.session);
        let measured = timeout(MEASURING, ask_page(&self.driver, tab, SEEN, Vec::new())).await;
        if let Ok(Ok(size)) = measured {
            self.size = Some(size);
        }
        let size = self.size.as_ref()?;
        let number = {
            let mut state = self.driver.state();
            state.pictures += 1;
            state.pictures
        };
        let params = json!({
            "data": data,
            "metadata": {
                "offsetTop": 0,
                "pageScaleFactor": 1,
                "deviceWidth": size[0],
                "deviceHeight": size[1],
                "scrollOffsetX": size[2],
                "scrollOffsetY": size[3],
                "timestamp": crate::sync::unix_time().as_secs_f64(),
            },
            "sessionId": number,
        });
        data.clone_into(&mut self.last);
        self.driver.emit(&self.session, "Page.screencastFrame", params);
        Some(number)
    }
}
