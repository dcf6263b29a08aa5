//! The tool that presses keys (`browser_press_key`).
use schemars::JsonSchema;
use serde::Deserialize;

use super::milliseconds;
use crate::Result;
use crate::browser::ActionTarget;
use crate::browser::input::Keyboard;
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect};

/// What to do with a key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum KeyAction {
    #[default]
    Press,
    Down,
    Up,
}

/// Press a key or key combination on the focused element; with keys, several in order.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PressKey {
    /// For example Enter, a, Control+a, Shift+ArrowLeft.
    #[schemars(length(min = 1))]
    pub key: Option<String>,
    #[serde(default)]
    #[schemars(length(max = 100))]
    pub keys: Vec<String>,
    #[schemars(range(min = 1, max = 100))]
    pub times: Option<u32>,
    /// Hold time of each key, in ms.
    #[schemars(range(min = 1, max = 30_000))]
    pub hold: Option<f64>,
    /// down: hold the key until a call with up.
    #[serde(default)]
    pub action: KeyAction,
}

impl Tool for PressKey {
    const NAME: &'static str = "browser_press_key";
    const TITLE: &'static str = "Press keys";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const STALL_POLICY: StallPolicy = StallPolicy::GiveUpIfSilent;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let keys = self.keys()?;
        let page = call.acquire_page().await?;
        if keys.iter().any(|key| presses(key)) {
            call.confirm_anything(&page, &keys.join(" ")).await?;
        }
        let keyboard = page.input().keyboard();
        let types =
            self.action == KeyAction::Press && keys.last().is_some_and(|key| key.chars().count() == 1);
        let acts_on = if types { ActionTarget::Typed } else { ActionTarget::Page };
        call.act_and_settle(&page, acts_on, Box::pin(self.redact(&keyboard, &keys))).await?;
        reply.say(self.describe(&keys));
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }
}

/// Whether a key combination can activate the focused element, as Enter does.
fn presses(chord: &str) -> bool {
    matches!(chord.rsplit('+').next(), Some("Enter" | "NumpadEnter" | "Space" | " "))
}

impl PressKey {
    fn keys(&self) -> Result<Vec<String>> {
        let wrong = |problem: &str| Err(Error::InvalidArguments { problems: vec![problem.to_owned()] });
        let apart = self.action != KeyAction::Press;
        match (&self.key, &self.keys[..]) {
            _ if apart && (self.times.is_some() || self.hold.is_some()) => {
                wrong("`times` and `hold` go with the action press only")
            }
            (Some(key), []) => Ok(vec![key.clone()]),
            (None, [_, ..]) => Ok(self.keys.clone()),
            _ => wrong("Give one of `key` and `keys`"),
        }
    }

    async fn redact(&self, keyboard: &Keyboard, keys: &[String]) -> Result<()> {
        for key in keys {
            // Checks all key names before any key is pressed.
            keyboard.check(key)?;
        }
        let hold = self.hold.map(milliseconds);
        for _ in 0..self.times.unwrap_or(1) {
            for key in keys {
                match self.action {
                    KeyAction::Press => keyboard.press_for(key, hold).await?,
                    KeyAction::Down => keyboard.down(key).await?,
                    KeyAction::Up => keyboard.up(key).await?,
                }
            }
        }
        Ok(())
    }

    fn describe(&self, keys: &[String]) -> String {
        let what = match keys {
            [key] => format!("key '{key}'"),
            keys => format!("keys {}", keys.join(", ")),
        };
        let verb = match self.action {
            KeyAction::Press => "Pressed",
            KeyAction::Down => "Holding down",
            KeyAction::Up => "Let go of",
        };
        let times = self.times.filter(|times| *times > 1).map(|times| format!(" {times} times"));
        let hold = self.hold.map(|hold| format!(", each for {hold} ms"));
        format!("{verb} {what}{}{}", times.unwrap_or_default(), hold.unwrap_or_default())
    }
}
