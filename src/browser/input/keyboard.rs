use std::time::Duration;

use tokio::time::{Instant, sleep, sleep_until};

use super::Input;
use super::keys::{self, Chord, Key, Keystroke, modifier};
use crate::cdp::PendingReply;
use crate::cdp::types::Empty;
use crate::cdp::types::input::{DispatchKeyEvent, InsertText};
use crate::error::Result;

/// The time from one key press to the next, in milliseconds: minimum and maximum.
const BETWEEN_KEYS_MS: (f64, f64) = (27.0, 60.0);
/// How long a key is down, as a fraction of the time until the next key press: minimum and maximum.
const HELD_SHARE: (f64, f64) = (0.45, 0.75);
/// The time between releasing the keys of a chord, in milliseconds.
const BETWEEN_RELEASES_MS: (f64, f64) = (3.0, 14.0);

/// The number of presses of one key above which the key is held down and auto-repeats instead.
const MOST_STROKES: usize = 8;
/// The time between the repeats of a held key.
const BETWEEN_REPEATS: Duration = Duration::from_millis(8);

/// The keyboard of a page.
#[derive(Debug, Clone)]
pub struct Keyboard {
    input: Input,
}

impl Keyboard {
    pub(super) fn new(input: Input) -> Self {
        Self { input }
    }

    /// Checks that the text names a key, such as `Enter`, or a chord, such as `Control+a`.
    ///
    /// # Errors `invalid_arguments` for any other text.
    pub fn check(&self, chord: &str) -> Result<()> {
        Chord::read(chord, self.input.devices.mac).map(drop)
    }

    /// Presses and releases a key or a chord, such as `Enter` or `Control+a`.
    pub async fn press(&self, chord: &str) -> Result<()> {
        self.press_for(chord, None).await
    }

    /// Presses a key or a chord. Holds the last key for `hold`, or as [`press`](Self::press) does if `None`.
    pub async fn press_for(&self, chord: &str, hold: Option<Duration>) -> Result<()> {
        let Chord { held, last } = Chord::read(chord, self.input.devices.mac)?;
        let mut rhythm = Rhythm::of(&self.input, None);
        let mut delivery = self.input.watch();
        let mut replies = Vec::new();
        let modifiers: Vec<_> = held.into_iter().filter(|key| !self.is_held(key)).collect();
        for key in &modifiers {
            replies.extend(self.input.key_down(key, false));
            rhythm.led().await;
        }
        replies.extend(self.stroke(last, &mut rhythm, hold).await);
        for key in modifiers.iter().rev() {
            rhythm.followed().await;
            replies.push(self.input.key_up(key));
        }
        delivery.done(replies).await
    }

    /// Presses a key without releasing it.
    pub async fn down(&self, key: &str) -> Result<()> {
        let stroke = Chord::read(key, self.input.devices.mac)?.last;
        let mut delivery = self.input.watch();
        let replies = self.input.stroke_down(stroke, false);
        delivery.done(replies).await
    }

    /// Releases a key.
    pub async fn up(&self, key: &str) -> Result<()> {
        let stroke = Chord::read(key, self.input.devices.mac)?.last;
        let mut delivery = self.input.watch();
        let reply = self.input.stroke_up(stroke);
        delivery.done(vec![reply]).await
    }

    /// Presses a key repeatedly. Above 8 times, holds the key down with auto-repeat, as a person does.
    pub async fn repeat(&self, key: &str, times: usize) -> Result<()> {
        let last = Chord::read(key, self.input.devices.mac)?.last;
        let mut delivery = self.input.watch();
        let mut rhythm = Rhythm::of(&self.input, None);
        let mut replies = Vec::new();
        if times <= MOST_STROKES {
            for _ in 0..times {
                replies.extend(self.stroke(last, &mut rhythm, None).await);
                rhythm.next().await;
            }
        } else {
            for time in 0..times {
                replies.extend(self.input.key_down(last.key, time > 0));
                if self.input.is_natural() && self.input.listened.keys {
                    sleep(BETWEEN_REPEATS).await;
                }
            }
            replies.push(self.input.key_up(last.key));
        }
        delivery.done(replies).await
    }

    /// Types every character with its key. Inserts characters without a key, as an input method does. `delay`
    /// is the time between keys. Default: depends on the input style.
    pub async fn type_text(&self, text: &str, delay: Option<Duration>) -> Result<()> {
        let mut rhythm = Rhythm::of(&self.input, delay);
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let mut delivery = self.input.watch();
            let mut replies = Vec::new();
            // Without pauses, all keys are sent at once, and their replies are awaited together.
            let mut first = Some(first);
            while let Some(character) = first {
                if let Some(stroke) = keys::keystroke_for_character(character) {
                    rest = &rest[character.len_utf8()..];
                    replies.extend(self.stroke(stroke, &mut rhythm, None).await);
                } else {
                    let end = rest
                        .find(|other| keys::keystroke_for_character(other).is_some())
                        .unwrap_or(rest.len());
                    let end = if rhythm.is_none() { end } else { whole_character(rest) };
                    replies.push(self.input.session().send(InsertText { text: rest[..end].to_owned() }));
                    rhythm.begin();
                    rest = &rest[end..];
                }
                rhythm.next().await;
                first = if rhythm.is_none() { rest.chars().next() } else { None };
            }
            delivery.done(replies).await?;
        }
        Ok(())
    }

    /// Inserts text as a whole, as by pasting or an input method.
    pub async fn insert_text(&self, text: &str) -> Result<()> {
        let mut delivery = self.input.watch();
        let reply = self.input.session().send(InsertText { text: text.to_owned() });
        delivery.done(vec![reply]).await
    }

    /// Inserts text between a key press and its release, as an input method does.
    pub async fn commit(&self, text: &str) -> Result<()> {
        let mut delivery = self.input.watch();
        let session = self.input.session();
        let replies = vec![
            session.send(taken_key("rawKeyDown", self.input.modifiers())),
            session.send(InsertText { text: text.to_owned() }),
            session.send(taken_key("keyUp", self.input.modifiers())),
        ];
        delivery.done(replies).await
    }

    /// Types a short text; inserts a long text or one with line breaks, which could submit a form when typed.
    /// Inserts any text if input is instant or the page does not listen to keys.
    pub async fn write(&self, text: &str) -> Result<()> {
        if !self.input.is_natural() {
            self.insert_text(text).await
        } else if !self.input.listened.keys {
            self.commit(text).await
        } else if self.input.types_by_key(text) {
            self.type_text(text, None).await
        } else {
            self.insert_text(text).await
        }
    }

    fn is_held(&self, key: &Key) -> bool {
        key.modifier().is_some_and(|bit| self.input.modifiers() & bit != 0)
    }

    /// Presses and releases one key, together with Shift if the key needs it.
    async fn stroke(
        &self,
        stroke: Keystroke,
        rhythm: &mut Rhythm,
        hold: Option<Duration>,
    ) -> Vec<PendingReply<Empty>> {
        let shift = keys::keystroke_named("Shift", false).map(|shift| shift.key);
        // With Control, Alt or Meta, an upper-case character does not imply Shift: `Control+A` equals `Control+a`.
        let shortcut = self.input.modifiers() & !modifier::SHIFT != 0;
        let held = stroke.shift && !shortcut && !self.input.is_bare();
        let shift = shift.filter(|key| held && !self.is_held(key));
        let mut replies = Vec::new();
        if let Some(shift) = shift {
            replies.extend(self.input.key_down(shift, false));
            rhythm.led().await;
        }
        replies.extend(match self.input.is_bare() {
            true => self.input.stroke_down(stroke, false),
            false => self.input.key_down(stroke.key, false),
        });
        rhythm.begin();
        match hold {
            Some(hold) => sleep(hold).await,
            None => rhythm.held().await,
        }
        replies.push(match self.input.is_bare() {
            true => self.input.stroke_up(stroke),
            false => self.input.key_up(stroke.key),
        });
        if let Some(shift) = shift {
            rhythm.followed().await;
            replies.push(self.input.key_up(shift));
        }
        replies
    }
}

/// Returns the key event that a page receives when an input method handles a key.
fn taken_key(kind: &'static str, modifiers: u32) -> DispatchKeyEvent {
    DispatchKeyEvent {
        kind,
        modifiers: Some(modifiers),
        key: Some("Process".to_owned()),
        code: Some("Space".to_owned()),
        windows_virtual_key_code: Some(229),
        ..DispatchKeyEvent::default()
    }
}

/// Returns the length in bytes of the first grapheme cluster (user-perceived character).
fn whole_character(text: &str) -> usize {
    let joins = |character: char| matches!(character, '\u{200D}' | '\u{FE0E}'..='\u{FE0F}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{0300}'..='\u{036F}');
    let mut end = 0;
    let mut joined = true;
    for character in text.chars() {
        if !(joined || joins(character)) {
            break;
        }
        joined = character == '\u{200D}' || (end == 0 && is_flag_half(character));
        end += character.len_utf8();
    }
    end
}

/// Whether the character is a regional indicator: two of them form the emoji of a flag.
fn is_flag_half(character: char) -> bool {
    ('\u{1F1E6}'..='\u{1F1FF}').contains(&character)
}

/// The timing of key presses.
struct Rhythm {
    randomness: Option<Input>,
    delay: Option<Duration>,
    /// When the current key went down.
    began: Instant,
    /// When the next key goes down.
    ends: Instant,
}

impl Rhythm {
    fn of(input: &Input, delay: Option<Duration>) -> Self {
        let natural = delay.is_none() && input.is_natural() && input.listened.keys;
        let now = Instant::now();
        Self { randomness: natural.then(|| input.clone()), delay, began: now, ends: now }
    }

    /// Whether keys are sent without pauses.
    fn is_none(&self) -> bool {
        self.randomness.is_none() && self.delay.is_none_or(|delay| delay.is_zero())
    }

    /// Records that a key went down.
    fn begin(&mut self) {
        let length = match (&self.randomness, self.delay) {
            (Some(input), _) => input.randomness().random_duration(BETWEEN_KEYS_MS.0, BETWEEN_KEYS_MS.1),
            (None, delay) => delay.unwrap_or_default(),
        };
        self.began = Instant::now();
        self.ends = self.began + length;
    }

    /// Waits until it is time to release the current key.
    async fn held(&self) {
        if !self.is_none() {
            let share = self
                .randomness
                .as_ref()
                .map_or(0.5, |input| input.randomness().between(HELD_SHARE.0, HELD_SHARE.1));
            sleep_until(self.began + (self.ends - self.began).mul_f64(share)).await;
        }
    }

    /// Waits between pressing a modifier and pressing the next key of the chord.
    async fn led(&mut self) {
        if self.randomness.is_some() {
            self.begin();
            self.held().await;
        }
    }

    /// Waits until it is time to release a modifier.
    async fn followed(&self) {
        if let Some(input) = &self.randomness {
            sleep(input.randomness().random_duration(BETWEEN_RELEASES_MS.0, BETWEEN_RELEASES_MS.1)).await;
        }
    }

    /// Waits until it is time to press the next key.
    async fn next(&self) {
        if !self.is_none() {
            sleep_until(self.ends).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joined_characters_stay_together() {
        for text in ["é", "e\u{0301}", "👍🏽", "👨‍👩‍👧", "🇩🇪", "日"] {
            assert_eq!(whole_character(&format!("{text}x")), text.len(), "{text}");
            assert_eq!(whole_character(&format!("{text}日")), text.len(), "{text}");
        }
    }
}
