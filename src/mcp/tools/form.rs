//! Tools for forms.
use futures_util::future::join_all;
use schemars::JsonSchema;
use serde::Deserialize;

use super::files::opened;
use super::readback::{Readback, describe_values, is_mixed};
use crate::Result;
use crate::browser::{
    ActionTarget, ControlKind, ControlValue, ElementHandle, Page, TypingOutcome, parse_checked,
};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::page_text::one_line;
use crate::mcp::reply::{PageDetail, Reply};
use crate::mcp::target;
use crate::mcp::tool::{Tool, ToolEffect};

// The kind of a form field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum FieldType {
    Textbox,
    Checkbox,
    Radio,
    Combobox,
    Slider,
    File,
}

/// A field and its value.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Field {
    pub name: String,
    pub element: Option<String>,
    pub r#type: Option<FieldType>,
    /// Ref or selector.
    #[schemars(length(min = 1))]
    pub r#ref: String,
    /// Text, number or file path; `true` or `false` for a checkbox or radio; option label or value.
    pub value: Option<String>,
    /// Several options, instead of value.
    #[serde(default)]
    pub values: Vec<String>,
}

/// Fill several form fields. Names are only for messages.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FillForm {
    #[schemars(length(min = 1))]
    pub fields: Vec<Field>,
}

/// A field of the call, with the element and the kind of control that were found for it.
struct FieldToFill<'a> {
    field: &'a Field,
    element: ElementHandle,
    kind: ControlKind,
    given: Vec<String>,
    /// The element's role and name on the page.
    reported: Option<String>,
}

impl Tool for FillForm {
    const NAME: &'static str = "browser_fill_form";
    const TITLE: &'static str = "Fill a form";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let found = self.find(call, &page).await?;
        call.progress.set_message("filling the form");
        let elements: Vec<_> = found.iter().map(|found| found.element.clone()).collect();
        let mut outcomes = Vec::with_capacity(found.len());
        let fill = async {
            for field in &found {
                match field.fill(call).await {
                    Err(error) if ends_filling(&error) => return Err(error),
                    Err(error) => {
                        outcomes.push(Err(target::suggest_visible_control(
                            call,
                            &page,
                            &field.element,
                            error,
                        )
                        .await));
                    }
                    filled => outcomes.push(filled),
                }
            }
            Ok(())
        };
        let ended = call.act_and_settle(&page, ActionTarget::Filled(&elements), Box::pin(fill)).await;
        reply.show_at_least(PageDetail::Changes);
        let mut shown = read(call, &page, &elements).await;
        // If the page wrote its own text into a field while it was being filled, the field is filled once more.
        let mixed: Vec<_> = found
            .iter()
            .zip(&shown)
            .zip(&outcomes)
            .filter(|((field, shown), outcome)| outcome.is_ok() && is_mixed(&field.given, shown))
            .map(|((field, _), _)| field)
            .collect();
        if ended.is_ok() && !mixed.is_empty() {
            let fields: Vec<_> = mixed.iter().map(|field| field.element.clone()).collect();
            let again = async {
                for field in mixed {
                    field.fill(call).await?;
                }
                Ok(())
            };
            call.act_and_settle(&page, ActionTarget::Filled(&fields), Box::pin(again)).await?;
            shown = read(call, &page, &elements).await;
        }
        let problems = report(&found, &outcomes, &shown, reply);
        ended?;
        if problems.is_empty() {
            return Ok(());
        }
        Err(Error::FormIncomplete { problems, count: found.len() })
    }
}

/// Reads the values that the fields show now; empty if they cannot be read.
async fn read(call: &Call<'_>, page: &Page, fields: &[ElementHandle]) -> Vec<ControlValue> {
    // The page runs no scripts while a dialog is open.
    if page.dialog().is_some() {
        return Vec::new();
    }
    ElementHandle::control_values(fields).await.unwrap_or_else(|_| {
        call.add_event("What the fields hold now could not be read.");
        Vec::new()
    })
}

/// Whether an error means that the other fields cannot be filled either.
fn ends_filling(error: &Error) -> bool {
    matches!(
        error,
        Error::DialogOpen { .. }
            | Error::PageClosed
            | Error::PageCrashed
            | Error::Cancelled
            | Error::BrowserGone { .. }
            | Error::PageBusy
    )
}

/// Reports the values of the filled fields. Returns a problem for each field that was not filled.
fn report(
    found: &[FieldToFill<'_>],
    outcomes: &[Result<()>],
    shown: &[ControlValue],
    reply: &mut Reply,
) -> Vec<String> {
    let mut filled: Vec<(String, String)> = Vec::new();
    let mut problems = Vec::new();
    for (at, field) in found.iter().enumerate() {
        let name = called(field, found);
        match outcomes.get(at) {
            None => problems.push(format!("{name}: not reached")),
            Some(Err(Error::NotTaken { .. })) if shown.get(at).is_some() => {
                problems.push(format!(
                    "{name}: the page did not take it; it shows {}",
                    describe_values(&shown[at])
                ));
            }
            Some(Err(error)) => {
                let next = error.suggestion().map(|hint| format!("; {hint}")).unwrap_or_default();
                let now = shown.get(at).map(|shown| format!(" (it shows {})", describe_values(shown)));
                problems.push(format!("{name}: {error}{next}{}", now.unwrap_or_default()));
            }
            Some(Ok(())) => match shown.get(at).map(|shown| Readback::of(&field.given, shown)) {
                None => filled.push((name, String::new())),
                Some(Readback::Taken(text)) => filled.push((name, text)),
                Some(Readback::Refused(_))
                    if shown[at].is_typed_text_lost() && shown[at].outcome != Some(TypingOutcome::Lost) =>
                {
                    problems.push(format!("{name}: {}", shown[at].not_taken_error()));
                }
                Some(Readback::Refused(text)) => {
                    problems.push(format!("{name}: the page did not take it; it shows {text}"));
                }
            },
        }
    }
    if !filled.is_empty() {
        reply.say(format!("Filled {} field(s):\n{}", filled.len(), listed(&filled).join("\n")));
    }
    problems
}

/// Returns the name of a field for the answer: the caller's, or the page's if several have the same name.
fn called(field: &FieldToFill<'_>, all: &[FieldToFill<'_>]) -> String {
    let is_shared = all.iter().filter(|other| other.field.name == field.field.name).count() > 1;
    let own = field.reported.as_deref().filter(|_| is_shared);
    one_line(own.unwrap_or(&field.field.name))
}

/// Formats one line per field with its value, and one line for several checkboxes with the same value.
fn listed(filled: &[(String, String)]) -> Vec<String> {
    let is_check = |text: &str| matches!(text, "checked" | "not checked");
    let mut lines = Vec::new();
    for (at, (name, text)) in filled.iter().enumerate() {
        let alike: Vec<&str> =
            filled.iter().filter(|(_, other)| other == text).map(|(name, _)| name.as_str()).collect();
        match text.as_str() {
            "" => lines.push(format!("- {name}")),
            text if is_check(text) && alike.len() > 1 => {
                if filled[..at].iter().all(|(_, other)| other != text) {
                    lines.push(format!("- {text}: {}", alike.join(", ")));
                }
            }
            text => lines.push(format!("- {name}: {text}")),
        }
    }
    lines
}

impl FillForm {
    /// Finds and checks all fields before filling any, so that an invalid call leaves the form unchanged.
    async fn find(&self, call: &Call<'_>, page: &Page) -> Result<Vec<FieldToFill<'_>>> {
        let mut found = Vec::with_capacity(self.fields.len());
        let mut problems = Vec::new();
        let checked = join_all(self.fields.iter().map(|field| field.find(call, page))).await;
        for (field, checked) in self.fields.iter().zip(checked) {
            match checked {
                Ok(field) => found.push(field),
                Err(error) if ends_filling(&error) => return Err(error),
                Err(error) => {
                    let next = error.suggestion().map(|hint| format!("; {hint}")).unwrap_or_default();
                    problems.push(format!("{}: {error}{next}", field.name));
                }
            }
        }
        if problems.is_empty() {
            return Ok(found);
        }
        problems.push("Nothing was filled.".to_owned());
        Err(Error::InvalidArguments { problems })
    }
}

impl Field {
    async fn find(&self, call: &Call<'_>, page: &Page) -> Result<FieldToFill<'_>> {
        let target = target::find_operable_control(call, page, &self.r#ref).await?;
        let description = target.description(call, page);
        let element = target.element;
        let mut given = self.given()?;
        let is_file = self.r#type == Some(FieldType::File);
        let kind = match is_file {
            true => ControlKind::File,
            false => element.control_kind(given.first().map(String::as_str)).await?,
        };
        let kind = match (kind, self.r#type) {
            (ControlKind::None, Some(FieldType::Slider)) => ControlKind::Slider,
            (kind, _) => kind,
        };
        match kind {
            ControlKind::Check => self.check(&element).await?,
            ControlKind::Text => {
                for text in &mut given {
                    *text = call.services.secrets().expand_secrets(text, &element).await?.into_owned();
                }
            }
            ControlKind::None => element.ensure_value_accepted("").await?,
            ControlKind::File => {
                opened(&given, &call.roots().await)?;
                call.confirm_upload(page, &given).await?;
                let element = element.file_input().await?;
                return Ok(FieldToFill { field: self, element, kind, given, reported: description });
            }
            _ => {}
        }
        Ok(FieldToFill { field: self, element, kind, given, reported: description })
    }

    fn given(&self) -> Result<Vec<String>> {
        match (&self.value, &self.values[..]) {
            (Some(value), []) => Ok(vec![value.clone()]),
            (None, [_, ..]) => Ok(self.values.clone()),
            (None, []) => Err(wrong_value("the value is missing")),
            (Some(_), _) => Err(wrong_value("give a value or values, not both")),
        }
    }

    /// Checks that a checkbox or radio button accepts this value.
    async fn check(&self, element: &ElementHandle) -> Result<()> {
        let [value] = &self.given()?[..] else {
            return Err(wrong_value("the value must be true or false"));
        };
        let wanted = parse_checked(value).ok_or_else(|| wrong_value("the value must be true or false"))?;
        if !wanted && element.is_radio().await? {
            return Err(wrong_value("a radio button cannot be switched off; choose another one"));
        }
        Ok(())
    }
}

fn wrong_value(problem: &str) -> Error {
    Error::InvalidArguments { problems: vec![problem.to_owned()] }
}

impl FieldToFill<'_> {
    async fn fill(&self, call: &Call<'_>) -> Result<()> {
        let options = call.action_options_for(&self.field.r#ref);
        match (self.kind, self.field.r#type) {
            (ControlKind::File, _) => {
                let files = opened(&self.given, &call.roots().await)?;
                self.element.set_opened_files(files).await.map(drop)
            }
            (ControlKind::Text, Some(FieldType::Combobox)) => {
                self.element.fill_autocomplete(&self.given, &options).await
            }
            (kind, _) => self.element.set_control_value(kind, &self.given, &options).await,
        }
    }
}

/// Select options in a drop-down list.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct SelectOption {
    /// Ref or selector.
    #[schemars(length(min = 1))]
    pub r#ref: String,
    pub element: Option<String>,
    /// Option labels or values.
    #[schemars(length(min = 1))]
    pub values: Vec<String>,
}

impl Tool for SelectOption {
    const NAME: &'static str = "browser_select_option";
    const TITLE: &'static str = "Choose options";
    const EFFECT: ToolEffect = ToolEffect::Acts;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let page = call.acquire_page().await?;
        let (element, description) =
            target::find_and_describe(call, &page, &self.r#ref, self.element).await?;
        let options = call.action_options();
        let select = async {
            match element.control_kind(None).await? {
                kind @ (ControlKind::Select | ControlKind::Choice | ControlKind::Group) => {
                    element.set_control_value(kind, &self.values, &options).await
                }
                ControlKind::Text => element.fill_autocomplete(&self.values, &options).await,
                _ => Err(element.not_a_list_error().await?),
            }
        };
        let select_alone = ActionTarget::Filled(std::slice::from_ref(&element));
        if let Err(error) = call.act_and_settle(&page, select_alone, Box::pin(select)).await {
            return Err(target::suggest_visible_control(call, &page, &element, error).await);
        }
        reply.show_at_least(PageDetail::Changes);
        let shown = match page.dialog() {
            Some(_) => None,
            None => element.control_value().await.ok().filter(|shown| shown.kind != ControlKind::Gone),
        };
        let given = serde_json::to_string(&self.values).unwrap_or_default();
        reply.say(match shown {
            Some(shown)
                if shown.kind == ControlKind::Select && shown.outcome == Some(TypingOutcome::Lost) =>
            {
                return Err(shown.not_taken_error());
            }
            Some(shown) if shown.kind == ControlKind::Select && shown.unchanged => {
                format!("Chose {given} in {description}, but the page made it {}", describe_values(&shown))
            }
            Some(shown) if shown.kind == ControlKind::Select && !shown.values.is_empty() => {
                format!("Selected [{}] in {description}", describe_values(&shown))
            }
            Some(shown) if shown.values != self.values && !shown.is_empty() => {
                format!("Selected {given} in {description}, which shows {}", describe_values(&shown))
            }
            _ => format!("Selected {given} in {description}"),
        });
        Ok(())
    }
}
