//! Tools of Claude's toolset that type, fill in fields, and run scripts.
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::{FAMILY, RefTarget, act, wrong};
use crate::Result;
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{StallPolicy, Tool, ToolEffect, ToolsetTraits};
use crate::mcp::tools::{evaluate, form, input, keys};

/// Type text into the focused element.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Type {
    pub text: String,
}

impl Tool for Type {
    const NAME: &'static str = "type";
    const TITLE: &'static str = "Type text";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let text = self.text;
        let typing = input::Type { r#ref: None, element: None, text, submit: false, slowly: false };
        act(typing, call, reply).await
    }
}

/// Converts an X11 key name, such as `page_down`, to the name that our keyboard accepts, such as `PageDown`.
fn key_name(name: &str) -> &str {
    match name.to_ascii_lowercase().as_str() {
        "page_up" | "prior" => "PageUp",
        "page_down" | "next" => "PageDown",
        "caps_lock" => "CapsLock",
        "kp_enter" => "NumpadEnter",
        "super_l" | "super_r" => "Meta",
        "control_l" | "control_r" => "Control",
        "shift_l" | "shift_r" => "Shift",
        "alt_l" | "alt_r" => "Alt",
        _ => name,
    }
}

/// Converts the X11 key names in a chord: `ctrl+Page_Down` becomes `ctrl+PageDown`.
fn chord(text: &str) -> String {
    match text.rsplit_once('+') {
        Some((held, last)) if !held.is_empty() && !last.is_empty() => {
            let held: Vec<_> = held.split('+').map(key_name).collect();
            format!("{}+{}", held.join("+"), key_name(last))
        }
        _ => key_name(text).to_owned(),
    }
}

fn press(text: &str, times: Option<u32>, hold: Option<f64>) -> Result<keys::PressKey> {
    let keys: Vec<_> = text.split_whitespace().map(chord).collect();
    if keys.is_empty() || keys.len() > 100 {
        return Err(wrong("`text` must name 1 to 100 keys, with spaces between them"));
    }
    Ok(keys::PressKey { key: None, keys, times, hold, action: keys::KeyAction::Press })
}

/// Press a key, a combination such as ctrl+a, or several separated by spaces.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Key {
    #[schemars(length(min = 1))]
    pub text: String,
    /// Repetitions. Default: 1.
    #[schemars(range(min = 1, max = 100))]
    pub repeat: Option<u32>,
}

impl Tool for Key {
    const NAME: &'static str = "key";
    const TITLE: &'static str = "Press keys";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::GiveUpIfSilent;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        act(press(&self.text, self.repeat, None)?, call, reply).await
    }
}

/// Hold a key or key combination.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct HoldKey {
    #[schemars(length(min = 1))]
    pub text: String,
    /// Seconds.
    #[schemars(range(min = 0.001, max = 30))]
    pub duration: f64,
}

impl Tool for HoldKey {
    const NAME: &'static str = "hold_key";
    const TITLE: &'static str = "Hold a key";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::GiveUpIfSilent;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        act(press(&self.text, None, Some(self.duration * 1000.0))?, call, reply).await
    }
}

/// The value to set in a field: a text, a number, or the checked state.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Checked(bool),
    Number(serde_json::Number),
    Text(String),
}

impl JsonSchema for Value {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Value".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": ["string", "number", "boolean"] })
    }
}

/// Set a form field: text, true or false for a checkbox, or an option's label or value.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FormInput {
    pub target: RefTarget,
    pub value: Value,
}

impl Tool for FormInput {
    const NAME: &'static str = "form_input";
    const TITLE: &'static str = "Set a field";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let value = match self.value {
            Value::Checked(checked) => checked.to_string(),
            Value::Number(number) => number.to_string(),
            Value::Text(text) => text,
        };
        fill(self.target.r#ref, None, Some(value), Vec::new(), call, reply).await
    }
}

async fn fill(
    target: String,
    kind: Option<form::FieldType>,
    value: Option<String>,
    values: Vec<String>,
    call: &Call<'_>,
    reply: &mut Reply,
) -> Result<()> {
    let field =
        form::Field { name: target.clone(), element: None, r#type: kind, r#ref: target, value, values };
    act(form::FillForm { fields: vec![field] }, call, reply).await
}

/// Upload files to a file input.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct FileUpload {
    pub target: RefTarget,
    #[serde(default)]
    pub paths: Vec<String>,
    /// Files held by a harness; none exist here.
    #[serde(default)]
    pub document_ids: Vec<String>,
}

impl Tool for FileUpload {
    const NAME: &'static str = "file_upload";
    const TITLE: &'static str = "Upload files";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        if !self.document_ids.is_empty() {
            let reason = "documents are known to the harness that staged them; give `paths`".to_owned();
            return Err(Error::Unsupported { what: "`document_ids`", reason });
        }
        if self.paths.is_empty() {
            return Err(wrong("`paths` is missing"));
        }
        fill(self.target.r#ref, Some(form::FieldType::File), None, self.paths, call, reply).await
    }
}

/// Run JavaScript in the page. Returns the value of the last expression.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct JavascriptExec {
    #[schemars(length(min = 1))]
    pub text: String,
}

impl Tool for JavascriptExec {
    const NAME: &'static str = "javascript_exec";
    const TITLE: &'static str = "Run JavaScript";
    const EFFECT: ToolEffect = ToolEffect::Acts;
    const FAMILY: &'static ToolsetTraits = FAMILY;
    const STALL_POLICY: StallPolicy = StallPolicy::KeepWaiting;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let run = evaluate::Evaluate { function: self.text, r#ref: None, element: None };
        act(run, call, reply).await
    }
}

#[cfg(test)]
mod tests {
    use super::chord;

    #[test]
    fn keys_are_known_by_the_names_that_x11_has() {
        for (given, expected) in [
            ("Return", "Return"),
            ("ctrl+Page_Down", "ctrl+PageDown"),
            ("Control_L+a", "Control+a"),
            ("+", "+"),
            ("ctrl++", "ctrl++"),
        ] {
            assert_eq!(chord(given), expected, "{given}");
        }
    }
}
