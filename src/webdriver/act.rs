//! Actions on a WebKit page: click, fill, type, and wait until the page is stable.
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::client::element;
use super::look::{Answer, Need, pauses};
use super::nodes::Element;
use super::tab::WebkitPage;
use crate::browser::input::{Button, Modifier};
use crate::browser::{ControlValue, ElementState};
use crate::error::{ElementKind, Error, Obstacle, RequiredElementKind, Result};

/// Two clicks at the same point within this time count as a double click.
const APART: Duration = Duration::from_millis(500);
/// How long to wait at most for a page that keeps changing after an action.
const LONGEST_REST: Duration = Duration::from_secs(2);

/// Script that sets a field's value. Returns `{field}` if the field is not ready, otherwise `{field, shown}`.
const FILL: &str = "async (node, value) => {
  // WebDriver has no isolated world: what this stores would stay in the page.
  engine.noteText = () => {};
  const field = engine.openField(node, value, { force: false, select: true });
  if (field.wrong || field.blocked) return { field };
  if (field.kind === 'date' || field.kind === 'range' || field.kind === 'color') engine.setValue(node, field.value);
  else {
    engine.focus(engine.controlOf(node));
    if (!field.empty) engine.selectAll(engine.controlOf(node));
    if (field.value !== '') document.execCommand('insertText', false, field.value);
    else if (!field.empty) document.execCommand('delete');
  }
  await engine.frames(1);
  return { field, shown: engine.shownBy(node) };
}";

const STATE: &str = "(node) => engine.state(node)";
const SHOWN: &str = "(node) => engine.shownBy(node)";
const FOCUS: &str =
    "(node) => { engine.focus(engine.controlOf(node)); engine.caretToEnd(engine.controlOf(node)); }";
const INSERT: &str = "document.execCommand('insertText', false, arguments[0])";

/// Script that waits until the document has not changed for a given time, at most up to a limit.
const REST: &str = "return new Promise((done) => {
  const end = () => { observer.disconnect(); clearTimeout(quiet); clearTimeout(last); done(null); };
  const observer = new MutationObserver(() => { clearTimeout(quiet); quiet = setTimeout(end, arguments[0]); });
  observer.observe(document, { attributes: true, characterData: true, childList: true, subtree: true });
  let quiet = setTimeout(end, arguments[0]);
  const last = setTimeout(end, arguments[1]);
});";

/// Options of a click.
#[derive(Debug, Clone)]
pub struct ClickOptions {
    pub button: Button,
    pub count: u32,
    pub modifiers: Vec<Modifier>,
    /// Whether to skip the actionability checks.
    pub force: bool,
}

/// The result of setting a field's value.
#[derive(Debug, Deserialize)]
struct Filled {
    field: Field,
    shown: Option<ControlValue>,
}

#[derive(Debug, Deserialize)]
struct Field {
    wrong: Option<ElementKind>,
    needed: Option<String>,
    #[serde(flatten)]
    look: Answer,
}

impl WebkitPage {
    /// Waits until an element is actionable and clicks it.
    pub async fn click(&self, on: &Element, press: &ClickOptions, limit: Duration) -> Result<()> {
        let need = if press.force { Need::FORCED } else { Need::PRESSED };
        let point = self.point_of(on, need, limit).await?;
        #[expect(clippy::cast_possible_truncation, reason = "places in a viewport")]
        let at = [point.x.round() as i64, point.y.round() as i64];
        self.avoid_double_click(at).await;
        let button = match press.button {
            Button::Left => 0,
            Button::Middle => 1,
            Button::Right => 2,
            Button::Back => 3,
            Button::Forward => 4,
        };
        let mut pointer = vec![json!({ "type": "pointerMove", "duration": 0, "x": at[0], "y": at[1] })];
        for _ in 0..press.count {
            pointer.push(json!({ "type": "pointerDown", "button": button }));
            pointer.push(json!({ "type": "pointerUp", "button": button }));
        }
        // The point is given in the main frame's coordinates.
        self.go_to(0).await?;
        let held: Vec<_> = press.modifiers.iter().map(|modifier| code_of(*modifier)).collect();
        self.keys(&held, "keyDown").await?;
        let pressed = self.perform(json!([{
            "type": "pointer", "id": "mouse", "parameters": { "pointerType": "mouse" }, "actions": pointer,
        }]));
        let pressed = pressed.await;
        self.keys(&held, "keyUp").await?;
        *self.pressed.lock() = Some((Instant::now(), at));
        pressed
    }

    /// Waits until a click at this point would not form a double click with the previous click.
    async fn avoid_double_click(&self, at: [i64; 2]) {
        let before = *self.pressed.lock();
        if let Some((when, _)) = before.filter(|(_, place)| *place == at) {
            sleep(APART.saturating_sub(when.elapsed())).await;
        }
    }

    async fn perform(&self, actions: Value) -> Result<()> {
        self.post("Perform Actions", "/actions", json!({ "actions": actions })).await.map(drop)
    }

    async fn keys(&self, keys: &[char], kind: &str) -> Result<()> {
        if keys.is_empty() {
            return Ok(());
        }
        let actions: Vec<_> = keys.iter().map(|key| json!({ "type": kind, "value": key })).collect();
        self.perform(json!([{ "type": "key", "id": "keys", "actions": actions }])).await
    }

    /// Waits until a field is editable and replaces its content. Returns the new content.
    pub async fn fill(&self, on: &Element, value: &str, limit: Duration) -> Result<Option<ControlValue>> {
        let deadline = Instant::now() + limit;
        let mut by = Obstacle::Silent;
        for pause in pauses() {
            let asked = self.ask(on.frame, FILL, vec![element(&on.handle), json!(value)]).await;
            let Filled { field, shown } = read(asked.map_err(|error| on.named(error))?)?;
            if let Some(found) = field.wrong {
                let needed = RequiredElementKind::for_input_type(field.needed.as_deref().unwrap_or("text"));
                return Err(Error::WrongElement { found, needed });
            }
            match field.look.obstacle(on)? {
                Some(obstacle) => by = obstacle,
                None => return Ok(shown),
            }
            if Instant::now() >= deadline {
                break;
            }
            sleep(pause.min(deadline - Instant::now())).await;
        }
        Err(Error::NotActionable { obstacle: by, waited: limit })
    }

    /// Waits until the element is editable: visible, enabled and not read-only. An error after `limit`.
    pub async fn until_editable(&self, on: &Element, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        for pause in pauses() {
            let asked = self.ask(on.frame, STATE, vec![element(&on.handle)]).await;
            let state: ElementState = read(asked.map_err(|error| on.named(error))?)?;
            let obstacle = match state {
                ElementState { editable: true, .. } => return Ok(()),
                ElementState { visible: false, .. } => Obstacle::Hidden,
                ElementState { enabled: false, .. } => Obstacle::Disabled,
                _ => Obstacle::ReadOnly,
            };
            if Instant::now() >= deadline {
                return Err(Error::NotActionable { obstacle, waited: limit });
            }
            sleep(pause.min(deadline - Instant::now())).await;
        }
        Ok(())
    }

    /// Returns the current content of a field.
    pub async fn input_value(&self, on: &Element) -> Result<ControlValue> {
        let asked = self.ask(on.frame, SHOWN, vec![element(&on.handle)]).await;
        read(asked.map_err(|error| on.named(error))?)
    }

    /// Types text at the end of an element's content, key by key. Inserts characters that have no key.
    pub async fn type_keys(&self, on: &Element, text: &str, delay: Option<Duration>) -> Result<()> {
        let focused = self.ask(on.frame, FOCUS, vec![element(&on.handle)]).await;
        focused.map_err(|error| on.named(error))?;
        let mut first = true;
        for piece in pieces(text, delay.is_some()) {
            if let Some(delay) = delay.filter(|_| !std::mem::take(&mut first)) {
                sleep(delay).await;
            }
            match piece {
                Piece::Keys(keys) => {
                    self.go_to(on.frame).await?;
                    let strokes: Vec<_> = keys
                        .chars()
                        .flat_map(|key| {
                            ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key }))
                        })
                        .collect();
                    self.perform(json!([{ "type": "key", "id": "keys", "actions": strokes }])).await?;
                }
                Piece::Other(text) => {
                    self.script(on.frame, INSERT, vec![json!(text)], LONGEST_REST).await?;
                }
            }
        }
        Ok(())
    }

    /// Waits until the page has not changed for the time `quiet`. Returns early if the page navigates, since
    /// the next command waits for that anyway.
    pub async fn wait_until_stable(&self, quiet: Duration) -> Result<()> {
        let ms = |duration: Duration| json!(u64::try_from(duration.as_millis()).unwrap_or(u64::MAX));
        let rested = self.script(0, REST, vec![ms(quiet), ms(LONGEST_REST)], 3 * LONGEST_REST).await;
        match rested {
            Err(error @ (Error::BrowserGone { .. } | Error::PageClosed | Error::DialogOpen { .. })) => {
                Err(error)
            }
            _ => Ok(()),
        }
    }
}

fn read<T: serde::de::DeserializeOwned>(value: Value) -> Result<T> {
    serde_json::from_value(value)
        .map_err(|error| Error::Unreadable { method: "a look at a field", reason: error.to_string() })
}

/// Returns WebDriver's key code for a modifier.
fn code_of(modifier: Modifier) -> char {
    match modifier {
        Modifier::Shift => '\u{e008}',
        Modifier::Control | Modifier::ControlOrMeta => '\u{e009}',
        Modifier::Alt => '\u{e00a}',
        Modifier::Meta => '\u{e03d}',
    }
}

/// A part of a text to type: keys to press, or text to insert.
#[derive(Debug, PartialEq, Eq)]
enum Piece {
    Keys(String),
    Other(String),
}

/// Splits a text into parts; with `alone`, into single characters, so that there is a delay after each.
fn pieces(text: &str, alone: bool) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let letter = match letter {
            '\r' if letters.peek() == Some(&'\n') => continue,
            '\n' | '\r' => '\u{e007}',
            '\t' => '\u{e004}',
            // For WebDriver, private-use characters are codes of special keys, so they are inserted as text.
            '\u{e000}'..='\u{f8ff}' => {
                match pieces.last_mut() {
                    Some(Piece::Other(text)) if !alone => text.push(letter),
                    _ => pieces.push(Piece::Other(letter.into())),
                }
                continue;
            }
            letter => letter,
        };
        match pieces.last_mut() {
            Some(Piece::Keys(keys)) if !alone => keys.push(letter),
            _ => pieces.push(Piece::Keys(letter.into())),
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::{Piece, pieces};

    #[test]
    fn what_is_on_no_key_is_inserted_between_what_is() {
        let keys = |text: &str| Piece::Keys(text.to_owned());
        let other = |text: &str| Piece::Other(text.to_owned());
        assert_eq!(
            pieces("a\u{e010}\u{e011}\u{1f600}\r\n", false),
            [keys("a"), other("\u{e010}\u{e011}"), keys("\u{1f600}\u{e007}")]
        );
        assert_eq!(pieces("ab", true), [keys("a"), keys("b")]);
        // As a key, a private-use character would be a special key.
        assert_eq!(pieces("\u{e007}", false), [other("\u{e007}")]);
    }
}
