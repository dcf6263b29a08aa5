//! A fake clock for the documents of a context. Installed only on request, since pages can detect it.
use std::sync::Arc;

use futures_util::future::join_all;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::browser::injected::as_function;
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::hooks::{Extensions, Hooks};
use crate::browser::objects::page::Page;
use crate::browser::objects::world::ScriptWorld;
use crate::browser::scripts::value::JsValue;
use crate::error::{Error, Result};
use crate::sync::unix_time;

const CLOCK: &str = include_str!("../injected/clock.js");

/// A command to the fake clock. Durations are in milliseconds, times are Unix times in milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum ClockCommand {
    /// Installs the clock with this time (default: now). The time then advances normally.
    Install { time: Option<f64> },
    /// Jumps ahead. Each timer that is due runs once, after the jump.
    FastForward { by: f64 },
    /// Advances the time, and runs all timers that are due.
    RunFor { by: f64 },
    /// Jumps to a time and stops there.
    PauseAt { time: f64 },
    /// Lets a paused clock run again.
    Resume,
    /// Makes `Date` always return this time, while timers continue.
    SetFixedTime { time: f64 },
    /// Changes the time that `Date` returns, without affecting timers.
    SetSystemTime { time: f64 },
}

/// The hooks that reserve state for a clock in each context.
pub(in crate::browser) struct ClockHooks;

impl Hooks for ClockHooks {
    fn extend_context(&self, extensions: &mut Extensions) {
        extensions.add::<Mutex<Option<Clock>>>();
    }
}

/// The clock of a context. Cheap to clone.
#[derive(Debug, Clone)]
struct Clock {
    /// The secret argument by which the fake `Date.now` recognises a call of the engine.
    token: Arc<str>,
    /// The time that the clock showed when it was installed, as a Unix time in milliseconds.
    origin: f64,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
struct State {
    /// The real time at which this state was computed, as a Unix time in milliseconds.
    at: f64,
    /// The fake time that has passed since the installation, in milliseconds.
    ticks: f64,
    flows: bool,
    fixed: Option<f64>,
    /// The difference between the time of `Date` and `ticks`, in milliseconds.
    offset: f64,
}

impl Clock {
    fn begun(turn: ClockCommand, at: f64) -> Self {
        let origin = match turn {
            ClockCommand::Install { time } => time.unwrap_or(at),
            _ => at,
        };
        let state = State { at, ticks: 0.0, flows: true, fixed: None, offset: origin };
        Self { token: uuid::Uuid::new_v4().to_string().into(), origin, state }
    }

    /// Returns the script that installs the clock in a new document.
    fn script(&self) -> String {
        let given = json!({ "origin": self.origin, "state": self.state });
        // A new document may inherit the globals, and thus the clock, of the initial empty document.
        format!(
            "typeof {} === 'number' && ({})({}, {given})",
            self.correction(),
            as_function(CLOCK),
            json!(self.token)
        )
    }

    /// Returns the script that updates a clock which a new document has installed with an outdated state.
    fn correction(&self) -> String {
        format!("Date.now({}, {})", json!(self.token), json!({ "state": self.state }))
    }

    /// Returns the script that applies the state in a document, and installs the clock if necessary.
    fn turn(&self, skips: bool) -> String {
        let (token, turn) = (json!(self.token), json!({ "state": self.state, "skips": skips }));
        let install = self.script();
        format!(
            "async () => {{ const turned = Date.now({token}, {turn}); \
             if (typeof turned === 'number') {{ {install}; }} else await turned; }}"
        )
    }
}

impl State {
    fn turned(self, turn: ClockCommand, at: f64) -> Result<Self> {
        let passed = if self.flows { (at - self.at).max(0.0) } else { 0.0 };
        let now = Self { at, ticks: self.ticks + passed, ..self };
        let dated = |time: f64| Self { offset: time - now.ticks, fixed: None, ..now };
        Ok(match turn {
            ClockCommand::Install { time } => Self { flows: true, ..dated(time.unwrap_or(at)) },
            ClockCommand::FastForward { by } | ClockCommand::RunFor { by } => {
                Self { ticks: now.ticks + by, ..now }
            }
            ClockCommand::PauseAt { time } if time < (now.ticks + now.offset).floor() => {
                let problem = "Cannot fast-forward to the past".to_owned();
                return Err(Error::InvalidArguments { problems: vec![problem] });
            }
            ClockCommand::PauseAt { time } => Self { ticks: time - now.offset, flows: false, ..now },
            ClockCommand::Resume => Self { flows: true, ..now },
            ClockCommand::SetFixedTime { time } => Self { fixed: Some(time), ..now },
            ClockCommand::SetSystemTime { time } => dated(time),
        })
    }
}

impl BrowserContext {
    /// Applies a command to the clock of all current and future documents; installs it first if necessary.
    ///
    /// # Errors Returns the exception that a timer of a page threw, after all other timers have run.
    pub async fn control_clock(&self, turn: ClockCommand) -> Result<()> {
        let at = (unix_time().as_secs_f64() * 1e3).floor();
        let known = self.extension::<Mutex<Option<Clock>>>();
        let mut clock = known.lock().clone().unwrap_or_else(|| Clock::begun(turn, at));
        clock.state = clock.state.turned(turn, at)?;
        let skips = matches!(turn, ClockCommand::FastForward { .. } | ClockCommand::PauseAt { .. });
        let script = clock.turn(skips);
        let (opening, correction) = (clock.script(), clock.correction());
        *known.lock() = Some(clock);
        self.open_documents_with(opening, correction).await?;
        let frames: Vec<_> = self.pages().iter().flat_map(Page::frames).collect();
        let turned = join_all(frames.iter().map(|frame| frame.control_clock(&script))).await;
        turned.into_iter().collect()
    }
}

impl Frame {
    async fn control_clock(&self, script: &str) -> Result<()> {
        let turned = async {
            let realm = self.realm(ScriptWorld::Main).await?;
            realm.evaluate_despite_dialog(script, &JsValue::Undefined).await
        };
        match turned.await {
            Ok(_) => self.flush_exposed_calls().await,
            // The document that replaces this one starts with the current state of the clock.
            Err(Error::DocumentGone | Error::FrameDetached | Error::PageClosed) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the time that `Date` shows at the real time `at`, in whole milliseconds.
    fn shown(state: State, at: f64) -> String {
        let passed = if state.flows { at - state.at } else { 0.0 };
        format!("{:.0}", state.fixed.unwrap_or(state.ticks + passed + state.offset))
    }

    #[test]
    fn time_flows_until_it_is_paused_and_never_goes_back() {
        let begun = Clock::begun(ClockCommand::Install { time: Some(5_000.0) }, 100.0).state;
        assert_eq!(shown(begun, 300.0), "5200");
        let jumped = begun.turned(ClockCommand::FastForward { by: 1_000.0 }, 300.0).unwrap();
        assert_eq!(shown(jumped, 400.0), "6300");
        let paused = jumped.turned(ClockCommand::PauseAt { time: 9_000.0 }, 400.0).unwrap();
        assert_eq!(shown(paused, 99_999.0), "9000");
        assert!(paused.turned(ClockCommand::PauseAt { time: 8_999.0 }, 500.0).is_err());
        let resumed = paused.turned(ClockCommand::Resume, 1_000.0).unwrap();
        assert_eq!(shown(resumed, 1_010.0), "9010");
    }

    #[test]
    fn dates_can_be_changed_apart_from_timers() {
        let begun = Clock::begun(ClockCommand::SetFixedTime { time: 7.0 }, 100.0).state;
        let fixed = begun.turned(ClockCommand::SetFixedTime { time: 7.0 }, 100.0).unwrap();
        assert_eq!(shown(fixed.turned(ClockCommand::RunFor { by: 50.0 }, 100.0).unwrap(), 999.0), "7");
        let moved = fixed.turned(ClockCommand::SetSystemTime { time: 20.0 }, 200.0).unwrap();
        assert_eq!((shown(moved, 205.0), format!("{:.0}", moved.ticks)), ("25".to_owned(), "100".to_owned()));
    }
}
