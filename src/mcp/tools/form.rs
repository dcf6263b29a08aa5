//! Forms: fields, choices, keys.
use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::browser::{ActsOn, ElementHandle, OptionChoice, Several};
use crate::error::Error;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::{Reply, View};
use crate::mcp::target;
use crate::mcp::tool::{Effect, Tool};

/// What a field is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FieldType {
    Textbox,
    Checkbox,
    Radio,
    Combobox,
    Slider,
}

/// A field and its value.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Field {
    /// The field in words.
    pub name: String,
    pub element: Option<String>,
    pub r#type: FieldType,
    /// Ref or selector.
    #[schemars(length(min = 1))]
    pub r#ref: String,
    /// Text; `true` or `false` for a checkbox or radio; value or label of an option.
    pub value: String,
}

/// Fill several fields of a form at once.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FillForm {
    #[schemars(length(min = 1))]
    pub fields: Vec<Field>,
}

impl Tool for FillForm {
    const NAME: &'static str = "browser_fill_form";
    const TITLE: &'static str = "Fill a form";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        // Every field is looked at before the first is filled, so that a mistake leaves the form as it was.
        let mut found = Vec::with_capacity(self.fields.len());
        let mut problems = Vec::new();
        let checked = join_all(self.fields.iter().map(|field| field.check(call, &page))).await;
        for (field, checked) in self.fields.iter().zip(checked) {
            match checked {
                Ok(element) => found.push(element),
                Err(error @ (Error::DialogOpen { .. } | Error::PageClosed | Error::PageCrashed)) => {
                    return Err(error);
                }
                Err(error) => problems.push(format!("{}: {error}", field.name)),
            }
        }
        if !problems.is_empty() {
            problems.push("Nothing was filled.".to_owned());
            return Err(Error::InvalidArguments { problems });
        }
        call.progress.say("filling the form");
        let mut filled = 0;
        let fill = async {
            for (field, element) in self.fields.iter().zip(&found) {
                field.fill(call, element).await.map_err(|error| named(error, &field.name, filled))?;
                filled += 1;
            }
            Ok(())
        };
        call.act(&page, ActsOn::Filled(&found), Box::pin(fill)).await?;
        let names: Vec<_> = self.fields.iter().map(|field| field.name.as_str()).collect();
        reply.say(format!("Filled {} field(s): {}", names.len(), names.join(", ")));
        reply.show(View::Changes);
        Ok(())
    }
}

impl Field {
    async fn check(&self, call: &Call<'_>, page: &crate::browser::Page) -> Result<ElementHandle> {
        let element = target::element(call, page, &self.r#ref).await?;
        match self.r#type {
            FieldType::Checkbox | FieldType::Radio => {
                let wanted = self.checked()?;
                let state = element.state().await?;
                if state.checked.is_none() {
                    let found = "no checkbox or radio button".to_owned();
                    return Err(Error::WrongElement { found, needed: "one that can be checked" });
                }
                if self.r#type == FieldType::Radio && !wanted {
                    let problem = "a radio button cannot be switched off; choose another one".to_owned();
                    return Err(Error::InvalidArguments { problems: vec![problem] });
                }
            }
            FieldType::Textbox | FieldType::Slider => element.takes(&self.value).await?,
            FieldType::Combobox => match element.takes(&self.value).await {
                // What its options are can depend on the fields before it.
                Err(Error::WrongElement { found, .. }) if found == "a select" => {}
                other => other?,
            },
        }
        Ok(element)
    }

    fn checked(&self) -> Result<bool> {
        match self.value.trim().to_ascii_lowercase().as_str() {
            "true" | "on" | "yes" | "1" | "checked" => Ok(true),
            "false" | "off" | "no" | "0" | "unchecked" => Ok(false),
            _ => {
                Err(Error::InvalidArguments { problems: vec!["the value must be true or false".to_owned()] })
            }
        }
    }

    async fn fill(&self, call: &Call<'_>, element: &ElementHandle) -> Result<()> {
        let options = call.action_options();
        match self.r#type {
            FieldType::Checkbox | FieldType::Radio => element.set_checked(self.checked()?, &options).await,
            FieldType::Combobox => {
                let chosen = element
                    .select_options(&[OptionChoice::Any(self.value.clone())], Several::Refused, &options)
                    .await;
                match chosen {
                    // A combobox that is no <select> is a field to type into.
                    Err(Error::WrongElement { .. }) => element.fill(&self.value, &options).await,
                    chosen => chosen.map(drop),
                }
            }
            FieldType::Textbox | FieldType::Slider => element.fill(&self.value, &options).await,
        }
    }
}

/// The error of one field, told with its name and with how far the form got.
fn named(error: Error, name: &str, filled: usize) -> Error {
    match error {
        Error::DialogOpen { .. } | Error::PageClosed | Error::PageCrashed | Error::Cancelled => error,
        error => Error::InvalidArguments {
            problems: vec![format!("{name}: {error}"), format!("{filled} field(s) before it were filled.")],
        },
    }
}

/// Choose options of a drop-down list.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SelectOption {
    /// Ref or selector.
    #[schemars(length(min = 1))]
    pub r#ref: String,
    pub element: Option<String>,
    /// Values or labels.
    #[schemars(length(min = 1))]
    pub values: Vec<String>,
}

impl Tool for SelectOption {
    const NAME: &'static str = "browser_select_option";
    const TITLE: &'static str = "Choose options";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        let (element, told) = target::described(call, &page, &self.r#ref, self.element).await?;
        let choices: Vec<_> = self.values.iter().cloned().map(OptionChoice::Any).collect();
        let options = call.action_options();
        let select = async { element.select_options(&choices, Several::Refused, &options).await.map(drop) };
        let select_alone = ActsOn::Filled(std::slice::from_ref(&element));
        call.act(&page, select_alone, Box::pin(select)).await?;
        let values = serde_json::to_string(&self.values).unwrap_or_default();
        reply.say(format!("Selected {values} in {told}"));
        reply.show(View::Changes);
        Ok(())
    }
}

/// Press a key or a chord on what has the focus.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct PressKey {
    /// Such as Enter, a, Control+a, Shift+ArrowLeft.
    #[schemars(length(min = 1))]
    pub key: String,
}

impl Tool for PressKey {
    const NAME: &'static str = "browser_press_key";
    const TITLE: &'static str = "Press a key";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.open_page().await?;
        let keyboard = page.input().keyboard();
        call.act(&page, ActsOn::Page, keyboard.press(&self.key)).await?;
        reply.say(format!("Pressed key '{}'", self.key));
        reply.show(View::Changes);
        Ok(())
    }
}
