//! Waiting for the person at the screen to do what only a person can do.
use std::future::pending;
use std::pin::{Pin, pin};
use std::time::Duration;

use tokio::time::{Instant, sleep};
use url::Url;

use super::wall::{Purpose, Wall, WallKind, recognise};
use crate::browser::{Page, WaitUntil};
use crate::error::{Error, Result};

/// How often to look whether the wall is gone, and to tell how long it has been.
const EVERY: Duration = Duration::from_secs(1);
/// How long a page that comes after a wall may take to load before it is looked at.
const LOAD_LIMIT: Duration = Duration::from_secs(5);

/// What a person answers when asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    Finished,
    Cancelled,
    /// There is no way to ask.
    Unasked,
}

/// The person on the other side, as far as the caller can reach one.
pub trait Person: Send + Sync {
    /// Tells what is waited for, and how long already, of how long.
    fn tell(&self, wall: &Wall, waited: Duration, limit: Duration);

    /// Asks to deal with the wall and say when it is done.
    fn ask<'a>(&'a self, wall: &'a Wall) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>>;
}

/// Nobody to tell and nobody to ask; somebody may still sit at the screen.
#[derive(Debug, Clone, Copy, Default)]
pub struct Stranger;

impl Person for Stranger {
    fn tell(&self, _wall: &Wall, _waited: Duration, _limit: Duration) {}

    fn ask<'a>(&'a self, _wall: &'a Wall) -> Pin<Box<dyn Future<Output = Answer> + Send + 'a>> {
        Box::pin(std::future::ready(Answer::Unasked))
    }
}

/// What was met on the way to a page.
#[derive(Debug, Clone)]
pub struct Passed {
    pub wall: Wall,
    pub waited: Duration,
}

/// Looks whether a wall stands on the page; where a person can see it, waits until it is gone.
///
/// # Errors
/// `person_needed` at once where nobody can see the page, `person_away` when `patience` runs out, `cancelled` when the
/// person says so.
pub async fn pass(
    page: &Page,
    asked: &Url,
    purpose: Purpose,
    patience: Duration,
    person: &dyn Person,
) -> Result<Option<Passed>> {
    let Some(wall) = recognise(page, asked, purpose).await? else { return Ok(None) };
    if patience.is_zero() || page.context().browser()?.is_headless() {
        return Err(needed(&wall));
    }
    page.bring_to_front().await?;
    let started = Instant::now();
    let shown = wall.clone();
    let mut asking = pin!(person.ask(&shown));
    let mut asked_already = false;
    loop {
        let waited = started.elapsed();
        let rest = patience.saturating_sub(waited);
        if rest.is_zero() {
            return Err(Error::PersonAway { kind: wall.kind.into(), waited: patience });
        }
        person.tell(&wall, waited, patience);
        let answer = async { if asked_already { pending().await } else { asking.as_mut().await } };
        tokio::select! {
            answer = answer => {
                asked_already = true;
                if answer == Answer::Cancelled {
                    return Err(Error::Cancelled);
                }
            }
            () = sleep(EVERY.min(rest)) => {}
            () = page.until_closed() => return Err(Error::PageClosed),
        }
        if is_gone(page, asked, purpose).await {
            return Ok(Some(Passed { waited: started.elapsed(), wall }));
        }
    }
}

/// Between two pages there is a moment without a wall, so what comes next is looked at as well.
async fn is_gone(page: &Page, asked: &Url, purpose: Purpose) -> bool {
    for _ in 0..2 {
        if page.is_closed() || !matches!(recognise(page, asked, purpose).await, Ok(None)) {
            return false;
        }
        let _ = page.until_reached(WaitUntil::Load, LOAD_LIMIT).await;
    }
    true
}

/// The failure that tells of a wall.
pub fn needed(wall: &Wall) -> Error {
    let what = match wall.kind {
        WallKind::Login => "to log in",
        WallKind::Captcha => "to show that a person is there",
        WallKind::UnusualTraffic => "to show that the traffic is a person's",
        WallKind::Challenge => "to pass a check",
    };
    Error::PersonNeeded { kind: wall.kind.into(), what, wall: wall.what.clone(), url: wall.url.clone() }
}
