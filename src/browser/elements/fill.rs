//! Fills fields with keys and pointer where possible, so that the page receives the same events as from a person.
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde::Deserialize;
use serde_json::{Value, json};

use super::actionability::{
    ActionOptions, Answer, Attempt, CheckOptions, CheckOutcome, Clear, RequiredState,
};
use super::control::{Typed, TypingOutcome};
use super::element::{ElementHandle, OptionChoice};
use super::field::{Field, FieldKind, FillableField};
use super::hearing::ListensTo;
use super::lost::PressedElementFate;
use super::written::{self, FieldValue};
use crate::browser::input::{ClickOptions, Input, InputListeners, InputStyle, Keyboard, Modifier, Point};
use crate::browser::objects::journal::JournalMark;
use crate::browser::objects::world::value_argument;
use crate::cdp::types::dom::{DescribeNode, Node};
use crate::error::{ElementKind, Error, RequiredElementKind, Result};

/// The maximum number of arrow-key presses to reach an option of a `select`.
const MOST_ARROWS: usize = 250;
/// The maximum number of arrow-key presses to correct the value of a range input.
const MOST_CORRECTIONS: u32 = 40;
/// How long a page may take to redraw a field after a key. Keys pressed meanwhile may be lost.
const DRAWING: Duration = Duration::from_millis(100);
/// The maximum number of times to type the missing end of a text again.
const MOST_ENDS: usize = 3;

#[derive(Debug, Deserialize)]
struct Options {
    #[serde(flatten)]
    answer: Answer,
    wrong: Option<ElementKind>,
    available: Option<Vec<String>>,
    matching: Option<Vec<String>>,
    #[serde(default)]
    wanted: Vec<usize>,
    #[serde(default)]
    selected: Vec<usize>,
    #[serde(default)]
    multiple: bool,
    #[serde(default)]
    list: bool,
    steps: Option<i64>,
}

impl Options {
    /// Returns the arrow key that leads to the wanted option and how often to press it; `None` if none does.
    fn strokes(&self) -> Option<(&'static str, usize)> {
        let steps = self.steps?;
        let times = usize::try_from(steps.unsigned_abs()).unwrap_or(usize::MAX);
        let key = if steps > 0 { "ArrowDown" } else { "ArrowUp" };
        (1..=MOST_ARROWS).contains(&times).then_some((key, times))
    }
}

/// The selection of a native `select` after options were chosen.
#[derive(Debug, Deserialize)]
struct Chosen {
    values: Vec<String>,
    /// The labels of the selected options, if they are not the chosen ones.
    shows: Option<String>,
    /// Whether the list was removed before anything was chosen.
    gone: bool,
}

/// Returns the error for a value that the field does not accept.
pub(in crate::browser) fn wrong_value(
    found: ElementKind,
    kind: Option<&str>,
    written: Option<&FieldValue>,
) -> Error {
    let needed = match written {
        Some(FieldValue::Ambiguous) => RequiredElementKind::PlainDate,
        _ => RequiredElementKind::for_input_type(kind.unwrap_or("text")),
    };
    Error::WrongElement { found, needed }
}

/// How to handle several choices for a `select` that accepts only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MultipleChoicePolicy {
    Refused,
    /// Selects the chosen option that comes first in the list.
    FirstInList,
}

/// An editable part of a date or time field, such as the month.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct DatePart {
    kind: &'static str,
    /// How many digits the part accepts before the focus moves to the next part.
    digits: usize,
}

/// How a tab or a line break is entered into a field.
#[derive(Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum By {
    Text,
    Key,
    Never,
}

/// A call to the field's document that completes when a text has arrived, or fails when the document is gone.
struct TextReceipt(BoxFuture<'static, Result<()>>);

impl TextReceipt {
    /// Fails if the document is gone and has not reported before that the text has arrived.
    fn check(self) -> Result<()> {
        match self.0.now_or_never() {
            Some(Err(error @ (Error::DocumentGone | Error::FrameDetached))) => Err(error),
            _ => Ok(()),
        }
    }
}

const BREAKS: [char; 3] = ['\n', '\r', '\t'];

/// Types key by key, and inserts tabs and line breaks as text.
async fn type_parts(keyboard: &Keyboard, text: &str, delay: Option<Duration>) -> Result<()> {
    for part in text.replace("\r\n", "\n").split_inclusive(BREAKS) {
        let line = part.trim_end_matches(BREAKS);
        keyboard.type_text(line, delay).await?;
        if line.len() < part.len() {
            keyboard.insert_text(&part[line.len()..].replace('\r', "\n")).await?;
        }
    }
    Ok(())
}

impl ElementHandle {
    /// Replaces the content of the field. If characters are lost, the whole text is inserted again.
    ///
    /// # Errors `not_taken` if the field then holds another text, unless the field reformatted the value.
    pub async fn fill(&self, value: &str, options: &ActionOptions) -> Result<()> {
        self.filled(value, options).await.map(drop)
    }

    /// Like [`fill`](Self::fill), and checks the value again after the page has reacted.
    pub(super) async fn fill_for_sure(&self, value: &str, options: &ActionOptions) -> Result<()> {
        let kind = self.filled(value, options).await?;
        self.until_answered().await;
        self.judge_text(kind, true).await
    }

    async fn filled(&self, value: &str, options: &ActionOptions) -> Result<FieldKind> {
        let receipt = self.text_receipt().await?;
        let kind = self.verify_filled(value, options).await?;
        if matches!(kind, FieldKind::Text | FieldKind::Multiline | FieldKind::Editable) {
            receipt.check()?;
        }
        Ok(kind)
    }

    /// Starts to record whether the text that is entered next into this field arrives.
    async fn text_receipt(&self) -> Result<TextReceipt> {
        Ok(TextReceipt(self.begin_ask("textReceipt", Vec::new()).await?))
    }

    async fn verify_filled(&self, value: &str, options: &ActionOptions) -> Result<FieldKind> {
        let kind = self.fill_once(value, options).await?;
        let Some(mut typed) = self.typed(kind, true).await? else { return Ok(kind) };
        if typed.outcome == TypingOutcome::Lost && matches!(kind, FieldKind::Text | FieldKind::Multiline) {
            self.until_timers_ran(DRAWING).await;
            let Some(still) = self.typed(kind, true).await? else { return Ok(kind) };
            typed = still;
            if typed.outcome == TypingOutcome::Lost {
                let inserted = self.insert_again(value, options).await;
                // If another element has replaced the field, the replacement may hold the text by now.
                let is_stale = matches!(inserted, Err(Error::StaleRef { .. }));
                if !is_stale {
                    inserted?;
                }
                let Some(now) = self.typed(kind, true).await? else { return Ok(kind) };
                if is_stale && now.outcome == TypingOutcome::Lost {
                    return Err(self.stale());
                }
                typed = now;
            }
        }
        judged(kind, &typed).map(|()| kind)
    }

    /// Fails if the field does not hold the text typed last. For `strict`, see [`typed`](Self::typed).
    async fn judge_text(&self, kind: FieldKind, strict: bool) -> Result<()> {
        self.typed(kind, strict).await?.map_or(Ok(()), |typed| judged(kind, &typed))
    }

    /// Focuses the element and types. Checks that the text arrived if the element is a field for plain text.
    pub async fn type_and_verify(
        &self,
        text: &str,
        delay: Option<Duration>,
        options: &ActionOptions,
    ) -> Result<()> {
        self.focus().await?;
        let input = self.input(options)?;
        if input.is_bare() {
            return input.keyboard().type_text(text, delay).await;
        }
        let receipt = self.text_receipt().await?;
        if !self.ask::<bool>("noteKeys", vec![value_argument(&text)]).await? {
            return input.keyboard().type_text(text, delay).await;
        }
        self.type_all(&input.keyboard(), text, delay).await?;
        self.type_end_again(delay, options).await?;
        self.judge_text(FieldKind::Text, false).await?;
        receipt.check()
    }

    /// Types the missing end of a text again, since a page that is redrawing may lose keys. Stops if the
    /// field does not change.
    async fn type_end_again(&self, delay: Option<Duration>, options: &ActionOptions) -> Result<()> {
        self.until_answered().await;
        for _ in 0..MOST_ENDS {
            let end: Option<String> = match self.frame().page()?.dialog() {
                // The field may be gone together with its page.
                None => self.ask("missingEnd", Vec::new()).await.unwrap_or_default(),
                Some(_) => None,
            };
            let Some(end) = end else { return Ok(()) };
            self.until_timers_ran(DRAWING).await;
            type_parts(&self.input(options)?.keyboard(), &end, delay).await?;
            self.until_answered().await;
        }
        Ok(())
    }

    /// Returns what happened to the typed text; `None` if that is unknown. With `strict`, characters missing at the end
    /// count as lost, even if their events arrived, so that the text can be filled in again.
    async fn typed(&self, kind: FieldKind, strict: bool) -> Result<Option<Typed>> {
        let is_text = matches!(kind, FieldKind::Text | FieldKind::Multiline | FieldKind::Editable);
        if !is_text || self.frame().page()?.dialog().is_some() {
            return Ok(None);
        }
        // If the query fails, the page has probably navigated: the outcome is unknown.
        match self.ask::<Option<Typed>>("outcome", vec![value_argument(&strict)]).await {
            Ok(Some(Typed { outcome: TypingOutcome::Gone, .. })) => Err(self.stale()),
            Ok(Some(Typed { outcome: TypingOutcome::Cut, .. })) if strict => Err(self.stale()),
            typed => Ok(typed.unwrap_or(None)),
        }
    }

    /// Inserts the text as a whole, as an input method does.
    async fn insert_again(&self, value: &str, options: &ActionOptions) -> Result<()> {
        let how = json!({ "force": options.force, "select": true, "again": true });
        let opened = self.open_field(value, &how, options).await?.checked();
        let Ok(FillableField { value, empty, proxy: false, .. }) = opened else { return Ok(()) };
        let input =
            self.input(options)?.with_listeners(InputListeners { keys: false, ..InputListeners::ALL });
        replace_selected(&input, &value, empty).await
    }

    async fn fill_once(&self, value: &str, options: &ActionOptions) -> Result<FieldKind> {
        let natural = self.input(options)?.style() == InputStyle::Natural;
        let hearing = if natural { self.hearing_of_keys().await } else { ListensTo::Nothing };
        let at_once = hearing != ListensTo::Keys;
        let listened = InputListeners { keys: !at_once, ..InputListeners::ALL };
        let FillableField { kind, value, empty, proxy } = self.open_for(value, at_once, options).await?;
        let input = self.input(options)?.with_listeners(listened);
        match kind {
            FieldKind::Text | FieldKind::Multiline if at_once && !proxy => {
                // A focus listener may have added key listeners.
                let turned = hearing == ListensTo::Focus && self.hearing_of_keys().await == ListensTo::Keys;
                match turned {
                    true => self.fill_text(&value, empty, options).await,
                    false => replace_selected(&input, &value, empty).await,
                }
            }
            FieldKind::Editable => self.edit(&value, empty, &input, options).await,
            FieldKind::Multiline if proxy => self.edit(&value, false, &input, options).await,
            FieldKind::Text | FieldKind::Multiline => self.fill_text(&value, empty, options).await,
            FieldKind::Date => self.fill_date(&value, empty, &input).await,
            FieldKind::Range => self.fill_range(&value, options).await,
            FieldKind::Color => self.set_value(&value).await,
        }?;
        Ok(kind)
    }

    /// Types key by key at the end of the content. Tabs and line breaks are inserted as text, since their keys
    /// would leave the field or submit the form. A date, a time, a slider or a color gets the text as its value.
    pub async fn type_multiline(
        &self,
        text: &str,
        delay: Option<Duration>,
        options: &ActionOptions,
    ) -> Result<()> {
        if self.is_set_without_typing().await? {
            return self.fill(text, options).await;
        }
        let by = self.breaks_by(text).await?;
        if by == By::Never {
            let what = if text.contains('\t') { "tab" } else { "line break" };
            return Err(Error::TakesNoKey { what });
        }
        let receipt = self.text_receipt().await?;
        self.ask::<()>("noteTyping", vec![value_argument(&text), value_argument(&true)]).await?;
        if by == By::Key {
            self.type_text(text, delay, options).await?;
        } else {
            self.type_text("", delay, options).await?;
            type_parts(&self.input(options)?.keyboard(), text, delay).await?;
        }
        self.type_end_again(delay, options).await?;
        self.complete_text(options).await?;
        receipt.check()
    }

    /// Inserts the whole text again if the field lacks characters that the page may have lost while it was busy.
    async fn complete_text(&self, options: &ActionOptions) -> Result<()> {
        if self.frame().page()?.dialog().is_some() {
            return Ok(());
        }
        // The field may be gone together with its page.
        let text: Option<String> = self.ask("incompleteText", Vec::new()).await.unwrap_or_default();
        let Some(text) = text else { return Ok(()) };
        self.until_timers_ran(DRAWING).await;
        self.insert_again(&text, options).await
    }

    /// Clears the field and types key by key. Returns the field that received the text: this one, or its replacement.
    pub async fn clear_and_type(
        &self,
        text: &str,
        delay: Option<Duration>,
        options: &ActionOptions,
    ) -> Result<Self> {
        let mut field = self.clone();
        if !self.is_set_without_typing().await? {
            self.clear(options).await?;
            self.until_answered().await;
            field = self.handle_of("heirOf", Vec::new()).await?.unwrap_or(field);
        }
        field.type_multiline(text, delay, options).await.map(|()| field)
    }

    /// Whether the value is set as a whole instead of typed: for dates, times, sliders and colors.
    pub async fn is_set_without_typing(&self) -> Result<bool> {
        self.ask("isSetWhole", Vec::new()).await
    }

    /// Types at the caret of the focused element. Tabs and line breaks are inserted as text if the field has several
    /// lines.
    pub async fn type_at_caret(&self, text: &str, options: &ActionOptions) -> Result<()> {
        if self.breaks_by(text).await? != By::Text {
            return self.type_and_verify(text, None, options).await;
        }
        let receipt = self.text_receipt().await?;
        self.ask::<()>("noteTyping", vec![value_argument(&text), value_argument(&"caret")]).await?;
        type_parts(&self.input(options)?.keyboard(), text, None).await?;
        self.type_end_again(None, options).await?;
        self.judge_text(FieldKind::Multiline, false).await?;
        receipt.check()
    }

    async fn breaks_by(&self, text: &str) -> Result<By> {
        if text.contains(BREAKS) { self.ask("breaksBy", Vec::new()).await } else { Ok(By::Key) }
    }

    /// Returns what the page listens to when this element receives keys; `ListensTo::Keys` if that is unknown.
    async fn hearing_of_keys(&self) -> ListensTo {
        self.hearing().await.unwrap_or(ListensTo::Keys)
    }

    /// Waits until the field can be filled. Converts dates and numbers to the field's format if needed.
    async fn open_for(&self, value: &str, select: bool, options: &ActionOptions) -> Result<FillableField> {
        let how = json!({ "force": options.force, "select": select });
        let opened = self.open_field(value, &how, options).await?;
        match opened.checked() {
            Ok(opened) => Ok(opened),
            Err((wrong, needed)) => match needed.as_deref().map(|needed| written::read(needed, value)) {
                Some(FieldValue::As(held)) => {
                    let opened = self.open_field(&held, &how, options).await?.checked();
                    opened.map_err(|(wrong, needed)| wrong_value(wrong, needed.as_deref(), None))
                }
                written => Err(wrong_value(wrong, needed.as_deref(), written.as_ref())),
            },
        }
    }

    /// Waits until the field can be filled. With `select` in `how`, the check also focuses it and selects its content.
    async fn open_field(&self, value: &str, how: &Value, options: &ActionOptions) -> Result<Field> {
        let arguments = || vec![value_argument(&value), value_argument(how)];
        self.until_clear(options, |_| async move {
            let field: Field = self.ask("openField", arguments()).await?;
            Ok(match field.obstacle(self)? {
                Some(by) => Attempt::Blocked(by),
                None => Attempt::Done(field),
            })
        })
        .await
    }

    /// Focuses an editor, selects all with the keyboard shortcut, and types over the selection.
    async fn edit(&self, value: &str, empty: bool, input: &Input, options: &ActionOptions) -> Result<()> {
        let field = self.control().await?;
        field.enter(options).await?;
        if !empty {
            input.keyboard().press("ControlOrMeta+a").await?;
            if field.ask::<bool>("isUnselected", Vec::new()).await? {
                field.ask::<()>("selectAll", Vec::new()).await?;
            }
        }
        replace_selected(input, value, empty).await?;
        if value.contains('\n') {
            return match field.ask("hasRewritten", vec![value_argument(&value)]).await? {
                true => self.write_lines(value, options).await,
                false => Ok(()),
            };
        }
        if !value.is_empty() && field.ask("hasClosed", vec![value_argument(&value)]).await? {
            self.delete_to_end(options).await?;
        }
        Ok(())
    }

    /// Deletes what an editor has added after the caret.
    async fn delete_to_end(&self, options: &ActionOptions) -> Result<()> {
        let keyboard = self.input(options)?.keyboard();
        keyboard.press("ControlOrMeta+Shift+End").await?;
        keyboard.press("Delete").await
    }

    /// Types line by line into an editor that indents lines and closes brackets by itself, and removes its additions.
    async fn write_lines(&self, value: &str, options: &ActionOptions) -> Result<()> {
        let keyboard = self.input(options)?.keyboard();
        for key in ["ControlOrMeta+a", "Delete"] {
            keyboard.press(key).await?;
        }
        for (number, line) in value.split('\n').enumerate() {
            if number > 0 {
                // The key Enter could choose a suggestion of the editor.
                keyboard.insert_text("\n").await?;
                for key in ["Shift+Home", "Delete"] {
                    keyboard.press(key).await?;
                }
            }
            if !line.is_empty() {
                keyboard.insert_text(line).await?;
            }
            self.delete_to_end(options).await?;
        }
        Ok(())
    }

    /// Checks that the field accepts this value. Ignores temporary states, such as being disabled.
    pub async fn ensure_value_accepted(&self, value: &str) -> Result<()> {
        let field: Field = self.ask("fieldFor", vec![value_argument(&value)]).await?;
        let checked = field.checked();
        checked.map(drop).map_err(|(wrong, needed)| wrong_value(wrong, needed.as_deref(), None))
    }

    /// Clears the field.
    pub async fn clear(&self, options: &ActionOptions) -> Result<()> {
        self.fill("", options).await
    }

    /// Focuses the field, selects its content and types over it.
    async fn fill_text(&self, value: &str, empty: bool, options: &ActionOptions) -> Result<()> {
        let field = self.control().await?;
        field.enter(options).await?;
        if !empty {
            self.input(options)?.keyboard().press("ControlOrMeta+a").await?;
            if !field.ask::<bool>("isAllSelected", Vec::new()).await? {
                field.ask::<()>("selectAll", Vec::new()).await?;
            }
        }
        let input = self.input(options)?;
        match input.types_by_key(value) {
            true => self.type_all(&input.keyboard(), value, None).await,
            false => replace_selected(&input, value, empty).await,
        }
    }

    /// Types a date or time part by part, in the order in which the browser displays the parts.
    async fn fill_date(&self, value: &str, empty: bool, input: &Input) -> Result<()> {
        let field = self.control().await?;
        if value.is_empty() && empty {
            return Ok(());
        }
        let keyboard = input.keyboard();
        let parts = field.date_parts().await?;
        let strokes = date_strokes(&parts, value);
        field.focus().await?;
        if let Some(strokes) = strokes {
            for stroke in strokes {
                match stroke {
                    DateStroke::Digits(digits) => keyboard.type_text(&digits, None).await?,
                    DateStroke::Key(key) => keyboard.press(key).await?,
                }
            }
        }
        field.settle_value(value).await
    }

    /// Reads the parts of a date field from its user-agent shadow root. Their order depends on the language.
    async fn date_parts(&self) -> Result<Vec<DatePart>> {
        let describe = DescribeNode {
            object_id: Some(self.handle().id().to_owned()),
            depth: Some(-1),
            pierce: Some(true),
            ..DescribeNode::default()
        };
        let node = self.handle().session().call(describe).await?.node;
        let mut parts = Vec::new();
        for root in node.shadow_roots.iter().flatten() {
            collect_date_parts(root, &mut parts);
        }
        Ok(parts)
    }

    /// Clicks the range input at the value's position, and corrects the value with arrow keys.
    async fn fill_range(&self, value: &str, options: &ActionOptions) -> Result<()> {
        #[derive(Deserialize)]
        struct Slide {
            share: f64,
            steps: Option<i64>,
            backwards: bool,
            plain: bool,
        }
        let field = self.control().await?;
        let slide = async || field.ask::<Slide>("slide", vec![value_argument(&value)]).await;
        let at = slide().await?;
        if at.steps == Some(0) {
            return Ok(());
        }
        if at.plain {
            let near = field.try_approach(RequiredState::CLICKABLE, options).await?;
            if near.is_some()
                && let CheckOutcome::Clear(Clear { seen, .. }) =
                    field.check_in_page(RequiredState::CLICKABLE, &CheckOptions::default()).await?
            {
                // The thumb stays inside the track, so its centre covers less than the track's width.
                let thumb = seen.height.min(16.0).min(seen.width / 2.0);
                let x = seen.x + thumb / 2.0 + at.share * (seen.width - thumb);
                let point = Point::new(x.round(), (seen.y + seen.height / 2.0).round());
                self.input(options)?.mouse().click(point, &ClickOptions::default()).await?;
            }
        }
        field.focus().await?;
        let left = slide().await?;
        if let Some(steps) = left.steps
            && steps != 0
            && steps.unsigned_abs() <= MOST_CORRECTIONS.into()
        {
            let key = if (steps > 0) == left.backwards { "ArrowLeft" } else { "ArrowRight" };
            let times = usize::try_from(steps.unsigned_abs()).unwrap_or_default();
            self.input(options)?.keyboard().repeat(key, times).await?;
        }
        field.settle_value(value).await
    }

    /// Sets the value by script if it is not set yet. The page then receives an untrusted event.
    async fn settle_value(&self, value: &str) -> Result<()> {
        if self.ask::<String>("heldBy", Vec::new()).await? == value {
            Ok(())
        } else {
            self.set_value(value).await
        }
    }

    async fn set_value(&self, value: &str) -> Result<()> {
        self.ask("setValue", vec![value_argument(&value)]).await
    }

    // Select.

    /// Focuses the element on the first attempt. After that, another page may have taken the focus of the window.
    async fn keep_focus(&self, attempt: u32) -> Result<()> {
        if attempt == 0 {
            return self.focus().await;
        }
        self.frame().page()?.take_focus().await;
        Ok(())
    }

    /// Selects these options of a native `select`, and no others. Returns the selected values.
    pub async fn select_options(
        &self,
        choices: &[OptionChoice],
        several: MultipleChoicePolicy,
        options: &ActionOptions,
    ) -> Result<Vec<String>> {
        let force = options.force;
        // Pages often add options late, so the options are searched for until the time limit.
        let found = self.until_clear(options, |attempt| async move {
            let found = self.options(choices, several, force).await?;
            // Some pages fetch the options only when the list receives the focus.
            if found.available.is_some() && !self.input(options)?.is_bare() {
                self.keep_focus(attempt).await?;
            }
            Ok(match found.answer.obstacle(self)? {
                Some(by) => Attempt::Blocked(by),
                None => Attempt::Done(found),
            })
        });
        let found = match found.await {
            Err(error @ Error::NotActionable { .. }) => {
                let found = self.options(choices, several, force).await?;
                return Err(match (found.matching, found.available) {
                    (Some(matching), _) => Error::SeveralOptions { matching },
                    (None, Some(available)) => Error::NoSuchOption { available },
                    (None, None) => error,
                });
            }
            found => found?,
        };
        let natural = self.input(options)?.style() == InputStyle::Natural;
        if natural && found.wanted == found.selected && !found.wanted.is_empty() {
            return self.ask("selectedValues", Vec::new()).await;
        }
        let mut is_made = false;
        if natural && !cfg!(target_os = "macos") {
            let select = self.control().await?;
            let begun = self.frame().page()?.mark();
            let chosen = match found.list {
                true => select.choose_in_list(&found.wanted, options).await,
                false if select.hearing_of_keys().await != ListensTo::Keys => {
                    select.choose_without_listeners(&found, begun, options).await
                }
                false => select.choose_by_keys(&found, begun, options).await,
            };
            match chosen {
                // The choice made the page navigate or open a dialog.
                Err(Error::DocumentGone | Error::DialogOpen { .. }) => return Ok(Vec::new()),
                // `setOptions` below reports whether the list was removed before or after the choice.
                Err(Error::StaleRef { .. }) => {}
                chosen => is_made = chosen?,
            }
        }
        match self.ask("setOptions", vec![value_argument(&found.wanted), value_argument(&!natural)]).await {
            Err(Error::StaleRef { .. } | Error::DocumentGone) if is_made => Ok(Vec::new()),
            Ok(Chosen { gone: true, .. }) => Err(self.stale()),
            Ok(Chosen { shows: Some(shows), .. }) => Err(Error::NotTaken { shows }),
            set => set.map(|Chosen { values, .. }| values),
        }
    }

    async fn options(
        &self,
        choices: &[OptionChoice],
        several: MultipleChoicePolicy,
        force: bool,
    ) -> Result<Options> {
        let how = json!({ "first": several == MultipleChoicePolicy::FirstInList, "force": force });
        let found: Options =
            self.ask("optionsFor", vec![value_argument(&choices), value_argument(&how)]).await?;
        if let Some(found) = found.wrong {
            return Err(Error::WrongElement { found, needed: RequiredElementKind::NativeSelect });
        }
        if several == MultipleChoicePolicy::Refused && choices.len() > 1 && !found.multiple {
            let found = ElementKind::new("select-one");
            return Err(Error::WrongElement { found, needed: RequiredElementKind::SeveralOptions });
        }
        Ok(found)
    }

    /// Like [`choose_by_keys`](Self::choose_by_keys), without pointer and pauses, as no listener needs them.
    async fn choose_without_listeners(
        &self,
        found: &Options,
        begun: JournalMark,
        options: &ActionOptions,
    ) -> Result<bool> {
        let Some(strokes) = found.strokes() else { return Ok(false) };
        let keyboard = self
            .input(options)?
            .with_listeners(InputListeners { keys: false, ..InputListeners::ALL })
            .keyboard();
        self.focus().await?;
        keyboard.press("Alt+ArrowDown").await?;
        self.go_to_option(&keyboard, strokes, begun).await
    }

    /// Opens the list, moves to the option with the arrow keys and confirms it: the page receives one change event.
    /// Returns false if keys cannot reach the option.
    async fn choose_by_keys(
        &self,
        found: &Options,
        begun: JournalMark,
        options: &ActionOptions,
    ) -> Result<bool> {
        let Some(strokes) = found.strokes() else { return Ok(false) };
        let keyboard = self.input(options)?.keyboard();
        if let Some(reached) = self.try_approach(RequiredState::CLICKABLE, options).await? {
            reached.press(&self.input(options)?, &ClickOptions::default()).await?;
        } else {
            self.focus().await?;
            keyboard.press("Alt+ArrowDown").await?;
        }
        self.go_to_option(&keyboard, strokes, begun).await
    }

    /// Presses the arrow key `times` times, then Tab to confirm. Returns false if the list did not open.
    ///
    /// # Errors
    /// `not_actionable` if the page begins to navigate before the option is reached.
    async fn go_to_option(
        &self,
        keyboard: &Keyboard,
        (key, times): (&str, usize),
        begun: JournalMark,
    ) -> Result<bool> {
        // In a closed list, each key selects an option and dispatches a change event.
        if times > 1 && !self.ask::<bool>("showsPicker", Vec::new()).await? {
            return Ok(false);
        }
        keyboard.repeat(key, times - 1).await?;
        if self.frame().page()?.effects_since(begun).navigating {
            return Err(PressedElementFate::Elsewhere.lost("choice".to_owned()));
        }
        keyboard.press(key).await?;
        // Not Enter: the page also receives that key, and may react to it by submitting a form.
        keyboard.press("Tab").await.map(|()| true)
    }

    /// Clicks options of an open list, with Control held from the second option on. Returns false on failure.
    async fn choose_in_list(&self, wanted: &[usize], options: &ActionOptions) -> Result<bool> {
        for (position, index) in wanted.iter().enumerate() {
            let Some(option) = self.handle_of("optionAt", vec![value_argument(index)]).await? else {
                return Ok(false);
            };
            let Some(reached) = option.try_approach(RequiredState::CLICKABLE, options).await? else {
                return Ok(false);
            };
            let modifiers = if position == 0 { Vec::new() } else { vec![Modifier::ControlOrMeta] };
            reached
                .press(&self.input(options)?, &ClickOptions { modifiers, ..ClickOptions::default() })
                .await?;
        }
        Ok(!wanted.is_empty())
    }
}

/// Fails if the field did not accept the text. An editor may show another text, since it may update later.
fn judged(kind: FieldKind, typed: &Typed) -> Result<()> {
    match typed.error() {
        Some(Error::NotTaken { .. }) if kind == FieldKind::Editable => Ok(()),
        error => error.map_or(Ok(()), Err),
    }
}

async fn replace_selected(input: &Input, value: &str, empty: bool) -> Result<()> {
    match value {
        "" if empty => Ok(()),
        "" => input.keyboard().press("Delete").await,
        _ => input.keyboard().write(value).await,
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum DateStroke {
    Digits(String),
    Key(&'static str),
}

const DATE_PARTS: [&str; 9] =
    ["year", "month", "week", "day", "hour", "minute", "second", "millisecond", "ampm"];

fn collect_date_parts(node: &Node, parts: &mut Vec<DatePart>) {
    let attributes = node.attributes.as_deref().unwrap_or_default();
    let attribute =
        |name: &str| attributes.chunks_exact(2).find(|pair| pair[0] == name).map(|pair| pair[1].as_str());
    let kind = attribute("pseudo")
        .and_then(|pseudo| pseudo.strip_prefix("-webkit-datetime-edit-")?.strip_suffix("-field"))
        .and_then(|name| DATE_PARTS.into_iter().find(|kind| *kind == name));
    if let Some(kind) = kind {
        parts.push(DatePart { kind, digits: attribute("aria-valuemax").map_or(2, str::len) });
    }
    for child in node.children.iter().flatten() {
        collect_date_parts(child, parts);
    }
}

/// Returns the keys that enter `value`, starting at the first part; `None` if keys cannot enter the value.
fn date_strokes(parts: &[DatePart], value: &str) -> Option<Vec<DateStroke>> {
    let mut strokes = Vec::new();
    if value.is_empty() {
        for _ in parts {
            strokes.extend([DateStroke::Key("Backspace"), DateStroke::Key("ArrowRight")]);
        }
        return Some(strokes);
    }
    let halves = parts.iter().any(|part| part.kind == "ampm");
    let numbers = DateNumbers::read(value)?;
    for (index, part) in parts.iter().enumerate() {
        let last = index + 1 == parts.len();
        if part.kind == "ampm" {
            strokes.push(DateStroke::Digits(if numbers.hour? < 12 { "a" } else { "p" }.to_owned()));
            if !last {
                strokes.push(DateStroke::Key("ArrowRight"));
            }
            continue;
        }
        let number = match part.kind {
            "year" => numbers.year?,
            "month" => numbers.month?,
            "week" => numbers.week?,
            "day" => numbers.day?,
            "hour" if halves => (numbers.hour? + 11) % 12 + 1,
            "hour" => numbers.hour?,
            "minute" => numbers.minute?,
            "second" => numbers.second,
            _ => numbers.millisecond,
        };
        // A part that is full moves the focus to the next one.
        strokes.push(DateStroke::Digits(format!("{number:0width$}", width = part.digits)));
    }
    Some(strokes)
}

#[derive(Debug, Default)]
struct DateNumbers {
    year: Option<u32>,
    month: Option<u32>,
    week: Option<u32>,
    day: Option<u32>,
    hour: Option<u32>,
    minute: Option<u32>,
    second: u32,
    millisecond: u32,
}

impl DateNumbers {
    /// Parses the value of a date field, such as `2024-03-07T14:30`, `14:30:05.5`, `2024-03` or `2024-W10`.
    fn read(value: &str) -> Option<Self> {
        let mut numbers = Self::default();
        let (date, time) = match value.split_once('T') {
            Some((date, time)) => (date, time),
            None if value.contains(':') => ("", value),
            None => (value, ""),
        };
        let mut parts = date.split('-').filter(|part| !part.is_empty());
        if let Some(year) = parts.next() {
            numbers.year = Some(year.parse().ok()?);
            let second = parts.next()?;
            match second.strip_prefix('W') {
                Some(week) => numbers.week = Some(week.parse().ok()?),
                None => numbers.month = Some(second.parse().ok()?),
            }
            numbers.day = parts.next().map(str::parse).transpose().ok()?;
        }
        if !time.is_empty() {
            let mut parts = time.split(':');
            numbers.hour = Some(parts.next()?.parse().ok()?);
            numbers.minute = Some(parts.next()?.parse().ok()?);
            if let Some(seconds) = parts.next() {
                let (whole, part) = seconds.split_once('.').unwrap_or((seconds, "0"));
                numbers.second = whole.parse().ok()?;
                numbers.millisecond = format!("{part:0<3}").get(..3)?.parse().ok()?;
            }
        }
        Some(numbers)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(kind: &'static str, digits: usize) -> DatePart {
        DatePart { kind, digits }
    }

    fn typed(parts: &[DatePart], value: &str) -> String {
        let strokes = date_strokes(parts, value).unwrap();
        let texts = strokes.into_iter().map(|stroke| match stroke {
            DateStroke::Digits(digits) => digits,
            DateStroke::Key(key) => format!("<{key}>"),
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn dates_are_typed_in_the_order_of_the_language() {
        let (year, month, day) = (part("year", 6), part("month", 2), part("day", 2));
        assert_eq!(typed(&[month, day, year], "2024-03-07"), "03 07 002024");
        assert_eq!(typed(&[day, month, year], "2024-03-07"), "07 03 002024");
        assert_eq!(typed(&[part("week", 2), year], "2024-W10"), "10 002024");
    }

    #[test]
    fn times_are_typed_with_twelve_or_twenty_four_hours() {
        let (hour, minute) = (part("hour", 2), part("minute", 2));
        assert_eq!(typed(&[hour, minute], "14:30"), "14 30");
        assert_eq!(typed(&[hour, minute, part("ampm", 2)], "14:30"), "02 30 p");
        assert_eq!(typed(&[hour, minute, part("ampm", 2)], "00:05"), "12 05 a");
        assert_eq!(
            typed(&[hour, minute, part("second", 2), part("millisecond", 3)], "14:30:05.5"),
            "14 30 05 500"
        );
    }

    #[test]
    fn a_value_without_a_part_cannot_be_typed() {
        assert_eq!(date_strokes(&[part("year", 6), part("month", 2), part("day", 2)], "2024-03"), None);
    }
}
