//! Screencasts. BiDi has none, so a task takes screenshots repeatedly and reports each that differs from the
//! previous one. Pages cannot notice this.
use std::sync::Arc;
use std::time::Duration;

use parking_lot::MutexGuard;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, timeout, timeout_at};

use super::answers::{Answer, Command};
use super::commands::CaptureScreencastFrame;
use super::driver::Driver;
use super::errors::Refusal;
use super::pictures::kind_of;
use super::runtime::ask_page;
use super::state::tab_of;
use crate::cdp::Command as _;

/// The interval between screenshots while the tab changes.
const QUICK: Duration = Duration::from_millis(120);
/// The interval between screenshots while the tab does not change.
const CALM: Duration = Duration::from_millis(500);
/// How long after a change or an action the tab counts as changing.
const LIVELY: Duration = Duration::from_secs(1);
/// How long to wait for a busy page to report its size; after that, the previous size is used.
const MEASURING: Duration = Duration::from_millis(300);

/// Script that returns the viewport size and the scroll position, in CSS pixels.
const SEEN: &str = "() => [innerWidth, innerHeight, scrollX, scrollY]";

/// A running screencast, which stops when this is dropped.
#[derive(Debug)]
pub(super) struct Screencast {
    progress: watch::Sender<Progress>,
    taken: watch::Receiver<CapturedFrames>,
}

/// Requests to the task of a screencast, written by commands.
#[derive(Debug, Clone, Copy, Default)]
struct Progress {
    /// The number of the newest frame that the viewer has acknowledged.
    acknowledged: i64,
    /// The number of actions on the tab.
    actions: u64,
    /// How many frames `Firefox.lookNow` has requested.
    wanted: u64,
}

/// How many requested frames the task has captured, and the number of the newest reported frame.
#[derive(Debug, Clone, Copy, Default)]
struct CapturedFrames {
    wanted: u64,
    number: i64,
}

pub(super) fn is_screencast_command(method: &str) -> bool {
    ["Page.startScreencast", "Page.stopScreencast", "Page.screencastFrameAck", CaptureScreencastFrame::METHOD]
        .contains(&method)
}

pub(super) async fn answer(command: Command<'_>, session: &str, method: &str) -> Answer {
    let screencasts = || MutexGuard::map(command.driver.state(), |state| &mut state.screencasts);
    match method {
        "Page.startScreencast" => {
            start(command, session);
            Ok(json!({}))
        }
        "Page.screencastFrameAck" => {
            let number = command.params["sessionId"].as_i64().unwrap_or_default();
            if let Some(film) = screencasts().get(session) {
                film.progress
                    .send_modify(|progress| progress.acknowledged = progress.acknowledged.max(number));
            }
            Ok(json!({}))
        }
        CaptureScreencastFrame::METHOD => {
            let film = screencasts().get(session).map(|film| {
                film.progress.send_modify(|progress| progress.wanted += 1);
                (film.progress.borrow().wanted, film.taken.clone())
            });
            let (wanted, mut taken) = film.ok_or_else(|| Refusal::new("There is no film"))?;
            let taken = taken.wait_for(|taken| taken.wanted >= wanted).await.map(|taken| taken.number);
            taken.map(|number| json!({"number": number})).map_err(|_| Refusal::new("The film is over"))
        }
        _ => {
            screencasts().remove(session);
            Ok(json!({}))
        }
    }
}

/// Takes screenshots at the short interval after an action on the tab, since the page is likely to change.
pub(super) fn speed_up(driver: &Driver, tab: &str) {
    for (_, film) in driver.state().screencasts.iter().filter(|(session, _)| tab_of(session) == tab) {
        film.progress.send_modify(|progress| progress.actions += 1);
    }
}

fn start(command: Command<'_>, session: &str) {
    let (telling, progress) = watch::channel(Progress::default());
    let (taking, taken) = watch::channel(CapturedFrames::default());
    // Replaces and thereby stops an earlier screencast of the session.
    command.driver.state().screencasts.insert(session.to_owned(), Screencast { progress: telling, taken });
    let filming = ScreencastTask {
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

struct ScreencastTask {
    driver: Arc<Driver>,
    session: String,
    ask: Value,
    /// The last reported screenshot, in Base64.
    last: String,
    /// The last measured viewport size and scroll position.
    size: Option<Value>,
    progress: watch::Receiver<Progress>,
    taken: watch::Sender<CapturedFrames>,
}

impl ScreencastTask {
    async fn go_on(mut self) {
        let mut ended = self.progress.clone();
        tokio::select! {
            biased;
            // Completes when the [`Screencast`] is dropped.
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
                *taken = CapturedFrames { wanted: before.wanted, number: number.unwrap_or(taken.number) };
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

    /// Takes a screenshot and reports it if it differs from the last one. Returns the new frame's number.
    async fn look(&mut self) -> Option<i64> {
        // Fails while a document is being replaced; the next attempt draws the new document.
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
