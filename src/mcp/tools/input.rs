//! Tools for clicking and typing.
use schemars::JsonSchema;
use serde::Deserialize;

use super::readback::{Readback, describe_values};
use crate::Result;
use crate::browser::input::{Button, ClickOptions, Modifier};
use crate::browser::{
    ActionOptions, ActionTarget, ControlKind, ControlValue, ElementHandle, Page, PressFailure, TypingOutcome,
};
use crate::error::{CoveringElement, Error};
use crate::mcp::call::Call;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::target;
use crate::mcp::tool::{Tool, ToolEffect};

/// Click an element; with tap, touch it.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Click {
    /// Ref from a snapshot, or a selector.
    #[schemars(length(min = 1))]
    pub r#ref: String,
    pub element: Option<String>,
    #[serde(default)]
    pub button: Button,
    #[serde(default)]
    pub double_click: bool,
    /// Point in the element: 10,20 (px from the top left) or 90%,50%.
    pub position: Option<String>,
    /// Keys to hold.
    #[serde(default)]
    pub modifiers: Vec<Modifier>,
    #[serde(default)]
    pub tap: bool,
}

impl Tool for Click {
    const NAME: &'static str = "browser_click";
    const TITLE: &'static str = "Click";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let click = ClickOptions {
            button: self.button,
            count: if self.double_click { 2 } else { 1 },
            modifiers: self.modifiers,
            ..ClickOptions::default()
        };
        if self.tap {
            if self.double_click || self.button != Button::Left {
                let problems = vec!["`tap` goes with neither `button` nor `doubleClick`".to_owned()];
                return Err(Error::InvalidArguments { problems });
            }
            let by = By::Finger;
            return reach(call, &self.r#ref, self.element, self.position.as_deref(), &click, by, reply).await;
        }
        Box::pin(press(call, &self.r#ref, self.element, self.position.as_deref(), &click, reply)).await
    }
}

/// Clicks the element of a ref or selector, waits for the effects, and reports the click.
pub(super) async fn press(
    call: &Call<'_>,
    target: &str,
    words: Option<String>,
    position: Option<&str>,
    click: &ClickOptions,
    reply: &mut Reply,
) -> Result<()> {
    reach(call, target, words, position, click, By::Pointer, reply).await
}

/// The input device: mouse or touch.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum By {
    Pointer,
    Finger,
}

/// Clicks or taps the element of a ref or selector, waits for the effects, and reports the result.
async fn reach(
    call: &Call<'_>,
    target: &str,
    words: Option<String>,
    position: Option<&str>,
    click: &ClickOptions,
    by: By,
    reply: &mut Reply,
) -> Result<()> {
    let page = call.acquire_page().await?;
    let (element, description) = target::find_and_describe(call, &page, target, words).await?;
    if by == By::Pointer {
        call.progress.set_message("clicking");
    }
    let position = target::parse_position("position", position, &element).await?;
    let options = ActionOptions { position, ..call.action_options() };
    let around = Box::pin(press_found(call, &page, (target, &element), click, by, &options)).await?;
    let done = match by {
        By::Pointer => clicked(click.count),
        By::Finger => "Tapped",
    };
    reply.show_at_least(PageDetail::Changes);
    reply.say(match around {
        None => format!("{done} {description}"),
        Some(holder) => format!(
            "Pressed {description}, but whenever the pointer comes to it the page takes it out and puts it back, so the press reached \
             {holder} around it, as a hand's would. If nothing came of it, use keys, or its listeners by browser_evaluate."
        ),
    });
    Ok(())
}

/// Clicks or taps an element, or the one that replaced it before the press. If the page removes the element
/// whenever the pointer arrives, returns the container that received the press instead.
///
/// # Errors `not_actionable`, also if the press did not become a click, unless `options.force` is set.
pub(super) async fn press_found(
    call: &Call<'_>,
    page: &Page,
    (target, element): (&str, &ElementHandle),
    click: &ClickOptions,
    by: By,
    options: &ActionOptions,
) -> Result<Option<CoveringElement>> {
    let lost = match press_once(call, page, element, click, by, options).await {
        Err(error @ Error::StaleRef { .. }) => {
            match target::replacement_for_stale_ref(call, page, target).await {
                Some(successor) => press_once(call, page, &successor, click, by, options).await?,
                None => return Err(error),
            }
        }
        pressed => pressed?,
    };
    if options.force {
        return Ok(None);
    }
    PressFailure::into_result(lost, |again| {
        let reference = target::element_ref(call, page, element.frame(), again.number);
        format!("{} [ref={reference}]", target::words(&again.role, &again.name))
    })
}

/// Clicks or taps an element once. Returns the reason if the press did not become a click.
async fn press_once(
    call: &Call<'_>,
    page: &Page,
    element: &ElementHandle,
    click: &ClickOptions,
    by: By,
    options: &ActionOptions,
) -> Result<Option<PressFailure>> {
    call.confirm_press(element, false).await?;
    let work = async {
        match by {
            By::Pointer => element.click(click, options).await,
            By::Finger => element.tap(&click.modifiers, options).await,
        }
    };
    call.act_and_settle(page, ActionTarget::Clicked(element), Box::pin(work)).await
}

/// Returns the verb for a number of clicks, such as `Double-clicked`.
pub(in crate::mcp) fn clicked(count: u32) -> &'static str {
    match count {
        0 | 1 => "Clicked",
        2 => "Double-clicked",
        _ => "Triple-clicked",
    }
}

/// Replace the text of a field, or without ref insert text at the caret.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Type {
    /// Ref or selector.
    #[schemars(length(min = 1))]
    pub r#ref: Option<String>,
    pub element: Option<String>,
    pub text: String,
    /// Press Enter afterwards.
    #[serde(default)]
    pub submit: bool,
    /// Press each key, for pages that listen to keys.
    #[serde(default)]
    pub slowly: bool,
}

impl Tool for Type {
    const NAME: &'static str = "browser_type";
    const TITLE: &'static str = "Type text";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(mut self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let Some(target) = &self.r#ref else { return self.type_at_focus(call, &page, reply).await };
        let (element, description) =
            target::find_and_describe(call, &page, target, self.element.clone()).await?;
        self.text = call.services.secrets().expand_secrets(&self.text, &element).await?.into_owned();
        if self.enters() {
            call.confirm_press(&element, true).await?;
        }
        call.progress.set_message("typing");
        let acts_on = typing(&element, &self.text, self.submit);
        let options = call.action_options_for(target);
        let mut field = element.clone();
        let typing = async {
            field = self.type_into(&element, &options).await?;
            Ok(())
        };
        let typed = call.act_and_settle(&page, acts_on, Box::pin(typing)).await;
        if let Err(error) = typed {
            return Err(target::suggest_visible_control(call, &page, &element, error).await);
        }
        reply.show_at_least(PageDetail::Changes);
        let gone = self.submit || page.dialog().is_some();
        let shown = match gone {
            true => None,
            false => field.control_value().await.ok(),
        };
        let said = self.readback(shown.as_ref())?;
        reply.say(format!(
            "Typed into {description}{}{said}",
            if self.submit { " and submitted" } else { "" }
        ));
        Ok(())
    }
}

/// Returns what to watch for after typing: Enter can submit a form, while other text changes only the field.
pub(super) fn typing<'a>(field: &'a ElementHandle, text: &str, submits: bool) -> ActionTarget<'a> {
    if submits || text.contains(['\n', '\r']) {
        ActionTarget::Pressed(field)
    } else {
        ActionTarget::Filled(std::slice::from_ref(field))
    }
}

impl Type {
    /// Types into the focused element, or into the page if none has the focus.
    async fn type_at_focus(&self, call: &Call<'_>, page: &Page, reply: &mut Reply) -> Result<()> {
        if self.enters() {
            call.confirm_anything(page, "Enter").await?;
        }
        call.progress.set_message("typing");
        let focused = ElementHandle::focused(page).await;
        let keyboard = page.input().keyboard();
        let options = call.action_options();
        let field = match &focused {
            Ok(Some(field))
                if field.control_value().await.is_ok_and(|shown| shown.kind == ControlKind::Text) =>
            {
                Some(field)
            }
            _ => None,
        };
        // The page may handle the keys itself.
        let other = match (&focused, field) {
            (Ok(Some(element)), None) => element.summary().await.ok(),
            _ => None,
        };
        let typing = async {
            match field {
                Some(field) => field.type_at_caret(&self.text, &options).await?,
                None => keyboard.type_text(&self.text, None).await?,
            }
            if self.submit { keyboard.press("Enter").await } else { Ok(()) }
        };
        call.act_and_settle(page, ActionTarget::Page, Box::pin(typing)).await?;
        let count = match self.text.chars().count() {
            1 => "1 character".to_owned(),
            count => format!("{count} characters"),
        };
        let enter = if self.submit { ", and Enter" } else { "" };
        let shown = match &focused {
            Ok(Some(field)) if !self.submit && page.dialog().is_none() => field.control_value().await.ok(),
            _ => None,
        };
        let shown = shown.filter(|shown| shown.kind == ControlKind::Text);
        reply.say(match (&focused, other, shown) {
            (Ok(None), ..) => format!(
                "Pressed the keys of {count}{enter}. No element has the focus: only a page that listens to keys as \
                 a whole takes them"
            ),
            (_, Some(other), _) => format!(
                "Pressed the keys of {count}{enter} at {}, which has the focus and is no text field",
                target::words(&other.role, &other.name)
            ),
            (.., Some(shown)) => {
                format!("Typed {count} where the focus is, which shows {}", describe_values(&shown))
            }
            (.., None) => format!("Typed {count} where the focus is{enter}"),
        });
        reply.show_at_least(PageDetail::Changes);
        Ok(())
    }

    fn enters(&self) -> bool {
        self.submit || self.text.contains(['\n', '\r'])
    }

    /// Describes the value that the field shows now. Fails if the field did not accept the text.
    fn readback(&self, shown: Option<&ControlValue>) -> Result<String> {
        let Some(shown) = shown.filter(|shown| shown.kind != ControlKind::None) else {
            return Ok(String::new());
        };
        // An empty field is no failure if Enter has sent the text, as in a chat.
        let is_sent =
            shown.outcome == Some(TypingOutcome::Consumed) || self.text.ends_with('\n') && shown.is_empty();
        match Readback::of(std::slice::from_ref(&self.text), shown) {
            Readback::Refused(_) if !is_sent => Err(shown.not_taken_error()),
            _ if is_sent || shown.secret => Ok(String::new()),
            _ => Ok(format!(", which shows {}", describe_values(shown))),
        }
    }

    /// Types into an element. Returns the field that received the text, as the page may replace the element.
    async fn type_into(&self, element: &ElementHandle, options: &ActionOptions) -> Result<ElementHandle> {
        let field = match self.slowly {
            true => element.clear_and_type(&self.text, None, options).await?,
            false => element.set_value_from_text(&self.text, options).await.map(|()| element.clone())?,
        };
        if self.submit {
            field.verify_control_value(&self.text).await?;
            field.press("Enter", options).await?;
        }
        Ok(field)
    }
}
