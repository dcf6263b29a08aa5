//! Actions of a program on elements, keyboard and mouse. They wait and ask for consent as tools do.
use serde_json::{Value, json};

use super::super::milliseconds;
use super::calls::Host;
use super::pages::of;
use crate::Result;
use crate::browser::input::{Button, ClickOptions, Point};
use crate::browser::locator::WaitForState;
use crate::browser::{
    ActionOptions, ActionTarget, DragOptions, ElementAction, ElementHandle, ElementSummary, PressFailure,
};
use crate::error::Error;

impl Host<'_> {
    /// Performs an action on an element, and waits for its effects.
    pub(super) async fn perform(&self, asked: &Value) -> Result<Value> {
        let wrong = |message: String| Error::Program { message };
        let action: ElementAction =
            serde_json::from_value(asked["action"].clone()).map_err(|error| wrong(error.to_string()))?;
        if matches!(action, ElementAction::SetInputFiles { .. } | ElementAction::Drop(_)) {
            return Err(wrong("a program has no files; use browser_file_upload".to_owned()));
        }
        let locator = self.locator(asked, true)?;
        let limit = self.found(&locator, asked).await?;
        if !action.is_action() {
            return locator.perform(&action, limit).await;
        }
        self.allow(asked).await?;
        let (page, action) = (self.state.pages.page(asked)?, &action);
        let acting = |element: ElementHandle, left| {
            let page = page.clone();
            async move {
                let mut value = Value::Null;
                let fields = [element.clone()];
                let acts_on = match action {
                    ElementAction::Click(_) | ElementAction::Tap(_) => ActionTarget::Pressed(&element),
                    ElementAction::Hover(_) => ActionTarget::Pointed(&element),
                    ElementAction::Fill { .. } => ActionTarget::Filled(&fields),
                    _ => ActionTarget::Page,
                };
                let secrets = self.call.services.secrets();
                let work = async {
                    value = match action {
                        ElementAction::Fill { value, force } => {
                            let value = secrets.expand_secrets(value, &element).await?.into_owned();
                            element.perform(&ElementAction::Fill { value, force: *force }, left).await?
                        }
                        ElementAction::Type { text, delay } => {
                            let text = secrets.expand_secrets(text, &element).await?;
                            let pause = milliseconds(delay.unwrap_or_default());
                            element.type_and_verify(&text, Some(pause), &ActionOptions::within(left)).await?;
                            Value::Null
                        }
                        action => element.perform(action, left).await?,
                    };
                    Ok(())
                };
                let lost = self.call.act_and_settle(&page, acts_on, Box::pin(work)).await?;
                PressFailure::into_result(lost, ElementSummary::description)?;
                Ok(value)
            }
        };
        locator.with_element(limit, acting).await
    }

    pub(super) async fn drag(&self, asked: &Value) -> Result<Value> {
        let (from, limit) = self.element(asked).await?;
        let target = self.state.pages.frame(asked)?.locator(of(asked, "target"), true)?;
        let to = target.wait_for(WaitForState::Visible, limit).await?;
        let to = to.ok_or(Error::ElementNotFound { waited: limit })?;
        self.allow(asked).await?;
        let options = DragOptions::default();
        let acting = Box::pin(from.drag(&to, &options));
        self.call.act_and_settle(&self.state.pages.page(asked)?, ActionTarget::Page, acting).await?;
        Ok(Value::Null)
    }

    /// Performs a call of `page.keyboard` or `page.mouse`.
    pub(super) async fn input(&self, asked: &Value) -> Result<Value> {
        self.allow(asked).await?;
        let page = self.state.pages.page(asked)?;
        let arguments = &asked["args"];
        let number = |at: usize| arguments[at].as_f64().unwrap_or_default();
        let text = arguments[0].as_str().unwrap_or_default();
        let (keyboard, mouse) = (page.keyboard(), page.mouse());
        let doing = async {
            let options = &arguments[if of(asked, "what").ends_with("click") { 2 } else { 0 }];
            let button: Button = options["button"].as_str().unwrap_or("left").parse().unwrap_or(Button::Left);
            let count = u32::try_from(options["clickCount"].as_u64().unwrap_or(1)).unwrap_or(1);
            let to = Point::new(number(0), number(1));
            let delay = arguments[1]["delay"].as_f64().map(milliseconds);
            match of(asked, "what") {
                "keyboard.down" => keyboard.down(text).await,
                "keyboard.up" => keyboard.up(text).await,
                "keyboard.press" => keyboard.press_for(text, delay).await,
                "keyboard.type" => keyboard.type_text(text, Some(delay.unwrap_or_default())).await,
                "keyboard.insertText" => keyboard.insert_text(text).await,
                "mouse.move" => {
                    let steps = u32::try_from(arguments[2]["steps"].as_u64().unwrap_or(1)).unwrap_or(1);
                    if steps > 1 { mouse.move_in_steps(to, steps).await } else { mouse.move_to(to).await }
                }
                "mouse.down" => mouse.down(button, count).await,
                "mouse.up" => mouse.up(button, count).await,
                "mouse.wheel" => mouse.wheel(number(0), number(1)).await,
                what => {
                    let count = if what == "mouse.dblclick" { 2 } else { count };
                    let options = ClickOptions { button, count, ..ClickOptions::default() };
                    mouse.click_in_turn(to, &options).await
                }
            }
        };
        self.call.act_and_settle(&page, ActionTarget::Page, Box::pin(doing)).await?;
        Ok(json!(null))
    }
}
