//! Pressing, typing and dragging.
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Result;
use crate::mcp::dispatch::Call;
use crate::mcp::reply::Reply;
use crate::mcp::tool::{Effect, Tool};

/// Mouse button; left when left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Button {
    #[default]
    Left,
    Right,
    Middle,
}

/// A key held while something is clicked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
pub enum Modifier {
    Alt,
    Control,
    ControlOrMeta,
    Meta,
    Shift,
}

/// Click an element.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Click {
    /// Ref from the snapshot.
    #[schemars(length(min = 1))]
    pub r#ref: String,
    /// The element in words.
    pub element: Option<String>,
    #[serde(default)]
    pub button: Button,
    #[serde(default)]
    pub double_click: bool,
    /// Keys held meanwhile.
    #[serde(default)]
    pub modifiers: Vec<Modifier>,
}

impl Tool for Click {
    const NAME: &'static str = "browser_click";
    const TITLE: &'static str = "Click";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, _reply: &mut Reply) -> Result<()> {
        call.open_page().await.map(drop)
    }
}

/// Type text into a field, replacing what is there.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Type {
    /// Ref from the snapshot.
    #[schemars(length(min = 1))]
    pub r#ref: String,
    /// The element in words.
    pub element: Option<String>,
    pub text: String,
    /// Press Enter afterwards.
    #[serde(default)]
    pub submit: bool,
    /// Key by key, for pages that listen to keys.
    #[serde(default)]
    pub slowly: bool,
}

impl Tool for Type {
    const NAME: &'static str = "browser_type";
    const TITLE: &'static str = "Type text";
    const EFFECT: Effect = Effect::Acts;

    async fn call(self, call: &Call<'_>, _reply: &mut Reply) -> Result<()> {
        call.open_page().await.map(drop)
    }
}
