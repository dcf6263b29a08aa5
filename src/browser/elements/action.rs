//! Element actions and queries as deserializable data, and how to perform them.
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::time::{Instant, timeout_at};

use super::actionability::{ActionOptions, rest_before};
use super::dropped::DropPayload;
use super::element::{ElementHandle, OptionChoice};
use super::fill::MultipleChoicePolicy;
use super::locator::{Locator, duration_from_ms, pauses, test_id_argument};
use crate::browser::input::{Button, ClickOptions, Modifier, Point};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::journal::JournalMark;
use crate::browser::objects::world::{ScriptWorld, value_argument};
use crate::browser::scripts::handle::JsHandle;
use crate::browser::scripts::value::JsValue;
use crate::error::{Error, Result, in_quotes};

const DISPATCH: &str = include_str!("../injected/dispatch.js");

/// An action on an element, or a query of its state.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum ElementAction {
    Click(PressOptions),
    Hover(PressOptions),
    Tap(PressOptions),
    Fill {
        value: String,
        #[serde(default)]
        force: bool,
    },
    Focus,
    Blur,
    Press {
        key: String,
        delay: Option<f64>,
        #[serde(default)]
        no_wait_after: bool,
    },
    Type {
        text: String,
        delay: Option<f64>,
    },
    SetChecked {
        checked: bool,
        #[serde(flatten)]
        press: PressOptions,
    },
    SelectOption {
        choices: Vec<OptionChoice>,
        #[serde(default)]
        force: bool,
    },
    SelectText {
        #[serde(default)]
        force: bool,
    },
    ScrollIntoView,
    SetInputFiles {
        paths: Vec<PathBuf>,
        /// The MIME type of each file. `None`: the type that the browser derives from the file name.
        #[serde(default)]
        types: Vec<Option<String>>,
    },
    Drop(DropPayload),
    Dispatch {
        event: String,
        #[serde(default)]
        init: Value,
    },
    TextContent,
    InnerText,
    InnerHtml,
    Attribute {
        name: String,
    },
    InputValue,
    BoundingBox,
    /// Returns the accessibility tree of the element as text, up to this depth.
    AriaSnapshot {
        depth: Option<usize>,
    },
    /// Returns a locator that finds the element again.
    GenerateLocator,
    IsVisible,
    IsEnabled,
    IsEditable,
    IsChecked,
    /// Waits until the element is `visible`, `hidden`, `stable`, `enabled`, `disabled` or `editable`.
    Wait {
        state: String,
    },
}

impl ElementAction {
    /// Checks the arguments that do not depend on the element: a directory must be the only path to upload.
    fn check(&self) -> Result<()> {
        let Self::SetInputFiles { paths, .. } = self else { return Ok(()) };
        let problem = match paths.iter().filter(|path| path.is_dir()).count() {
            0 => return Ok(()),
            1 if paths.len() == 1 => return Ok(()),
            folders if folders == paths.len() => "Multiple directories are not supported",
            _ => "File paths must be all files or a single directory",
        };
        Err(Error::InvalidArguments { problems: vec![problem.to_owned()] })
    }

    /// Whether locator handlers run before this action. They run before all actions that are not forced.
    fn runs_locator_handlers(&self) -> bool {
        match self {
            Self::Click(press) | Self::Hover(press) | Self::Tap(press) | Self::SetChecked { press, .. } => {
                !press.force
            }
            Self::Fill { force, .. } | Self::SelectOption { force, .. } | Self::SelectText { force } => {
                !force
            }
            other => other.is_action(),
        }
    }

    /// Whether this action skips the actionability checks.
    pub(super) fn is_forced(&self) -> bool {
        self.is_action() && !self.runs_locator_handlers()
    }

    /// Whether this action can make the browser navigate.
    fn may_navigate(&self) -> bool {
        matches!(
            self,
            Self::Click(_)
                | Self::Tap(_)
                | Self::Press { .. }
                | Self::SetChecked { .. }
                | Self::SelectOption { .. }
                | Self::Dispatch { .. }
        )
    }

    /// Whether to wait until a navigation caused by this action has loaded.
    fn is_followed(&self) -> bool {
        match self {
            Self::Click(press) => !press.no_wait_after,
            Self::Press { no_wait_after, .. } => !no_wait_after,
            _ => false,
        }
    }

    /// Waits for a navigation that the action caused since `begun`: until the browser reports it and, after
    /// a click or key press, until it has loaded. `limit` includes the time of the action itself.
    pub async fn wait_for_initiated_navigations(
        &self,
        frame: &Frame,
        begun: (JournalMark, Instant),
        limit: Duration,
    ) {
        let (mark, since) = begun;
        if self.may_navigate()
            && let Ok(page) = frame.page()
        {
            page.until_navigation_reported(mark).await;
            if self.is_followed() {
                page.until_navigations_ended(mark, limit.saturating_sub(since.elapsed())).await;
            }
            Box::pin(page.until_opener_and_popups_ran_tasks()).await;
        }
        if self.is_action() {
            frame.flush_exposed_calls().await;
        }
    }

    /// Whether this acts on the page, unlike a query or a wait.
    pub fn is_action(&self) -> bool {
        !matches!(
            self,
            Self::TextContent
                | Self::InnerText
                | Self::InnerHtml
                | Self::Attribute { .. }
                | Self::InputValue
                | Self::BoundingBox
                | Self::AriaSnapshot { .. }
                | Self::GenerateLocator
                | Self::IsVisible
                | Self::IsEnabled
                | Self::IsEditable
                | Self::IsChecked
                | Self::Wait { .. }
        )
    }
}

/// Options for a click, hover, tap or check.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct PressOptions {
    button: Option<String>,
    count: Option<u32>,
    /// How long the button is held, in milliseconds. Default: the input style decides.
    delay: Option<f64>,
    /// The modifier keys held during the action, and no others. Default: the keys that are pressed now.
    modifiers: Option<Vec<String>>,
    position: Option<Point>,
    force: bool,
    /// Performs only the actionability checks, without the action.
    trial: bool,
    steps: Option<u32>,
    keeps_scroll: bool,
    /// Does not wait for a navigation that the action causes.
    no_wait_after: bool,
}

fn wrong(what: &str, value: &str) -> Error {
    Error::InvalidArguments { problems: vec![format!("{what}: unknown value {}", in_quotes(value))] }
}

impl PressOptions {
    fn click(&self) -> Result<ClickOptions> {
        let button = match self.button.as_deref() {
            None => Button::Left,
            Some(name) => Button::named(name).ok_or_else(|| wrong("button", name))?,
        };
        let read = |name: &String| name.parse::<Modifier>().map_err(|_| wrong("modifiers", name));
        let modifiers = self.modifiers.iter().flatten().map(read).collect::<Result<_>>()?;
        Ok(ClickOptions {
            button,
            count: self.count.unwrap_or(1),
            modifiers,
            only: self.modifiers.is_some(),
            hold: self.delay.and_then(duration_from_ms),
            ..ClickOptions::default()
        })
    }

    pub(super) fn is_trial(&self) -> bool {
        self.trial
    }

    pub(super) fn is_double(&self) -> bool {
        self.count == Some(2)
    }

    fn options(&self, limit: Duration) -> ActionOptions {
        ActionOptions {
            limit,
            force: self.force,
            position: self.position,
            steps: self.steps,
            keeps_scroll: self.keeps_scroll,
            ..ActionOptions::default()
        }
    }
}

impl Locator {
    /// Waits for the element and performs `action`. Returns the result of a query; null for most actions.
    pub async fn perform(&self, action: &ElementAction, limit: Duration) -> Result<Value> {
        action.check()?;
        let act = |element: ElementHandle, left| async move { element.act(action, left).await };
        self.with_locator_handlers(limit, action.runs_locator_handlers(), act).await
    }
}

impl ElementHandle {
    /// Dispatches a DOM event of type `kind` in the main world. `init` may contain JavaScript handles.
    pub async fn dispatch_event(&self, kind: &str, init: JsValue) -> Result<()> {
        let items = vec![JsValue::Text(kind.to_owned()), init];
        let argument = JsValue::Array { number: u64::MAX, items };
        JsHandle::of_element(self).evaluate(DISPATCH, &argument, Some(ScriptWorld::Main)).await.map(drop)
    }

    /// Performs `action` on this element. Returns the result of a query; null for most actions.
    pub async fn perform(&self, action: &ElementAction, limit: Duration) -> Result<Value> {
        if action.runs_locator_handlers() {
            self.frame().page()?.run_locator_handlers(limit, Instant::now() + limit).await?;
        }
        self.act(action, limit).await
    }

    async fn act(&self, action: &ElementAction, limit: Duration) -> Result<Value> {
        let limit = self.show_action(action, limit).await?;
        let within = ActionOptions::within(limit);
        let forced = |force: bool| ActionOptions { force, ..within.clone() };
        match action {
            ElementAction::Click(press)
            | ElementAction::Tap(press)
            | ElementAction::SetChecked { press, .. }
                if press.trial =>
            {
                self.wait_until_clickable(&press.options(limit)).await?;
            }
            ElementAction::Click(press) => {
                let (click, options) = (press.click()?, press.options(limit));
                match press.force || press.no_wait_after || !self.verifies_effect(&options)? {
                    true => self.click(&click, &options).await?,
                    false => self.click_and_verify(&click, &options).await?,
                }
            }
            ElementAction::Hover(press) => {
                self.hover_with(&press.click()?.modifiers, press.trial, &press.options(limit)).await?
            }
            ElementAction::Tap(press) => self.tap(&press.click()?.modifiers, &press.options(limit)).await?,
            ElementAction::Fill { value, force } => match self.verifies_effect(&within)? {
                true => self.fill_for_sure(value, &forced(*force)).await?,
                false => self.fill(value, &forced(*force)).await?,
            },
            ElementAction::Focus => self.focus().await?,
            ElementAction::Blur => self.blur().await?,
            ElementAction::Press { key, delay, .. } => {
                self.press_for(key, delay.and_then(duration_from_ms), &within).await?
            }
            ElementAction::Type { text, delay } => {
                self.type_and_verify(text, delay.and_then(duration_from_ms), &within).await?
            }
            ElementAction::SetChecked { checked, press } => {
                self.set_checked(*checked, &press.options(limit)).await?;
                self.judge_control(json!({ "checked": checked }), &within).await?;
            }
            ElementAction::SelectOption { choices, force } => {
                let selected =
                    self.select_options(choices, MultipleChoicePolicy::FirstInList, &forced(*force)).await?;
                self.judge_control(json!({ "values": selected }), &within).await?;
                return Ok(json!(selected));
            }
            ElementAction::SelectText { force } => self.select_text(&forced(*force)).await?,
            ElementAction::ScrollIntoView => self.scroll_into_view_if_reachable(&within).await?,
            ElementAction::SetInputFiles { paths, types } => drop(self.give_files(paths, types).await?),
            ElementAction::Drop(dropped) => self.drop_payload(dropped, &within).await?,
            ElementAction::Dispatch { event, init } => {
                if event == "click" {
                    self.world().gesture();
                }
                self.ask::<()>("dispatch", vec![value_argument(event), value_argument(init)]).await?;
            }
            ElementAction::TextContent => return Ok(json!(self.text_content().await?)),
            ElementAction::InnerText => return self.ask("innerTextOf", Vec::new()).await.map_err(thrown),
            ElementAction::InnerHtml => return Ok(json!(self.inner_html().await?)),
            ElementAction::Attribute { name } => return Ok(json!(self.attribute(name).await?)),
            ElementAction::InputValue => return Ok(json!(self.input_value().await?)),
            ElementAction::AriaSnapshot { depth } => {
                return Ok(json!(self.aria_tree().await?.to_yaml(*depth)));
            }
            ElementAction::GenerateLocator => {
                return self.ask("wayTo", vec![test_id_argument()]).await.map_err(thrown);
            }
            ElementAction::BoundingBox => return Ok(json!(self.bounding_box().await?)),
            ElementAction::IsVisible => return Ok(json!(self.state().await?.visible)),
            ElementAction::IsEnabled => return Ok(json!(self.state().await?.enabled)),
            ElementAction::IsEditable => {
                return self.ask("isEditableField", Vec::new()).await.map_err(thrown);
            }
            ElementAction::IsChecked => {
                let state = self.ask_past_internals::<Value>("isCheckedControl", Vec::new()).await;
                return state.map(|state| state["checked"].clone()).map_err(thrown);
            }
            ElementAction::Wait { state } => self.wait_for_state(state, limit).await?,
        }
        Ok(Value::Null)
    }

    /// Whether to verify the effect of an action. `InputStyle::Bare` does not, as in Playwright.
    fn verifies_effect(&self, options: &ActionOptions) -> Result<bool> {
        Ok(!self.input(options)?.is_bare())
    }

    /// Fails if the page has reverted the checked state or the selected options that the action set.
    async fn judge_control(&self, wish: Value, options: &ActionOptions) -> Result<()> {
        #[derive(Deserialize)]
        struct Kept {
            held: bool,
            /// Whether `held` and `shows` describe an element that replaced the control.
            twin: bool,
            shows: String,
        }
        if !self.verifies_effect(options)? {
            return Ok(());
        }
        self.until_answered().await;
        let page = self.frame().page()?;
        match page.fail_on_dialog(self.ask_past_internals("stillHolds", vec![value_argument(&wish)])).await {
            Ok(Kept { held: false, twin: true, .. }) => Err(self.stale()),
            Ok(Kept { held: false, shows, .. }) => Err(Error::NotTaken { shows }),
            // The page has navigated, or a dialog is open.
            _ => Ok(()),
        }
    }

    async fn wait_for_state(&self, state: &str, limit: Duration) -> Result<()> {
        let deadline = Instant::now() + limit;
        for pause in pauses() {
            rest_before(deadline, pause).await;
            let look = self.ask::<bool>("isInState", vec![value_argument(&state)]);
            match timeout_at(deadline, look).await {
                Ok(Ok(true)) => return Ok(()),
                Ok(Err(error)) => return Err(thrown(error)),
                Ok(Ok(false)) if Instant::now() < deadline => {}
                _ => break,
            }
        }
        Err(Error::ElementNotFound { waited: limit })
    }
}

/// Removes the stack trace from errors that the injected functions throw on purpose.
pub(super) fn thrown(error: Error) -> Error {
    match error {
        Error::Script { message } => {
            let first = message.lines().next().unwrap_or_default();
            Error::Script { message: first.to_owned() }
        }
        other => other,
    }
}
