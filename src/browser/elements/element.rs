//! Element handles: references to single DOM nodes, and the operations on them.
use std::sync::Arc;

use futures_util::future::BoxFuture;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::internals::adopt_internals;
use crate::browser::input::{Point, Rect};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::{RemoteHandle, UtilityWorld, value_argument};
use crate::browser::scripts::handle::JsHandle;
use crate::cdp::types::runtime::CallArgument;
use crate::error::{ElementKind, Error, RequiredElementKind, Result};

/// A handle of one DOM node, valid as long as the node's document exists. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ElementHandle {
    world: UtilityWorld,
    handle: RemoteHandle,
    /// The element's name in error messages, such as the ref by which it was found.
    name: Option<Arc<str>>,
}

/// How a caller identifies an option of a `select`.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptionChoice {
    /// The first option with this value or label.
    Any(String),
    /// The option with this label, else with this value, else the only one whose label contains this text.
    Like(String),
    Value(String),
    Label(String),
    Index(usize),
}

/// The current state of an element.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct ElementState {
    pub visible: bool,
    pub enabled: bool,
    pub editable: bool,
    #[serde(deserialize_with = "checked_state")]
    pub checked: Option<bool>,
}

/// The native picker of a field, such as a date picker, or its `datalist` suggestions.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct FieldPicker {
    /// The input type of a field with a picker, such as `date`; `text` for a field with suggestions.
    pub kind: String,
    pub value: String,
    pub min: String,
    pub max: String,
    pub step: String,
    pub options: Vec<String>,
}

/// The predicted effect of pressing an element.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct PredictedPressEffect {
    /// Whether the press submits a form.
    pub submits: bool,
    /// The label and text of the pressed element or, for Enter in a field, of the form's submit button.
    pub name: String,
}

impl ElementHandle {
    /// Creates an element handle for an existing remote object.
    pub fn new(world: UtilityWorld, handle: RemoteHandle) -> Self {
        Self { world, handle, name: None }
    }

    /// Returns the node with this ref number in the frame's document; `None` if the node is gone.
    pub async fn by_ref(frame: &Frame, number: u32) -> Result<Option<Self>> {
        let world = frame.utility_world().await?;
        let node = world.call_handle("byRef", vec![value_argument(&number)]).await?;
        Ok(node.map(|node| Self::new(world, node)))
    }

    /// Returns the node with this CDP backend node id. Fails with `DocumentGone` if the node is gone.
    pub async fn by_backend_node_id(frame: &Frame, backend_node_id: i64) -> Result<Self> {
        let world = frame.utility_world().await?;
        let node = RemoteHandle::of_node(world.session(), backend_node_id, Some(world.context_id())).await?;
        Ok(Self::new(world, node.ok_or(Error::DocumentGone)?))
    }

    /// Returns the node's ref number, which is unique in its frame. Assigns one at the first call.
    pub async fn number(&self) -> Result<u32> {
        let number = self.ask("refOf", Vec::new()).await?;
        self.frame().set_last_ref(number);
        Ok(number)
    }

    /// Sets the name of the node in error messages.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(Arc::from(name));
        self
    }

    /// Returns the frame whose document contains the node.
    pub fn frame(&self) -> &Frame {
        self.world.frame()
    }

    pub fn world(&self) -> &UtilityWorld {
        &self.world
    }

    /// Whether both elements are in the same document.
    pub(in crate::browser) fn is_beside(&self, other: &Self) -> bool {
        self.world == other.world
    }

    pub fn handle(&self) -> &RemoteHandle {
        &self.handle
    }

    /// Focuses the element.
    pub async fn focus(&self) -> Result<()> {
        self.frame().page()?.take_focus().await;
        self.ask::<bool>("focus", Vec::new()).await.map(drop)
    }

    /// Removes the focus from the element.
    pub async fn blur(&self) -> Result<()> {
        self.ask("blur", Vec::new()).await
    }

    // Reading.

    pub async fn text_content(&self) -> Result<Option<String>> {
        self.ask("textContent", Vec::new()).await
    }

    /// Returns the element's `innerText`: its text as rendered.
    pub async fn inner_text(&self) -> Result<String> {
        self.ask("innerText", Vec::new()).await
    }

    pub async fn inner_html(&self) -> Result<String> {
        self.ask("innerHTML", Vec::new()).await
    }

    pub async fn attribute(&self, name: &str) -> Result<Option<String>> {
        self.ask("attribute", vec![value_argument(&name)]).await
    }

    /// Returns the value of an `input`, `textarea` or `select`.
    pub async fn input_value(&self) -> Result<String> {
        #[derive(Deserialize)]
        struct Held {
            value: Option<String>,
            wrong: Option<ElementKind>,
        }
        let Held { value, wrong } = self.ask("inputValue", Vec::new()).await?;
        value.ok_or_else(|| Error::WrongElement {
            found: wrong.unwrap_or_default(),
            needed: RequiredElementKind::Value,
        })
    }

    /// Returns the current state of the element.
    pub async fn state(&self) -> Result<ElementState> {
        self.ask_past_internals("state", Vec::new()).await
    }

    /// Like [`ask`](Self::ask), but calls again if the engine's copy of `ElementInternals` was outdated.
    pub(super) async fn ask_past_internals<T: DeserializeOwned>(
        &self,
        method: &str,
        arguments: Vec<CallArgument>,
    ) -> Result<T> {
        #[derive(Deserialize)]
        struct Answer<T> {
            #[serde(default)]
            internals: bool,
            #[serde(flatten)]
            value: T,
        }
        let answer: Answer<T> = self.ask(method, arguments.clone()).await?;
        if answer.internals && adopt_internals(self.world()).await.unwrap_or(false) {
            return self.ask::<Answer<T>>(method, arguments).await.map(|answer| answer.value);
        }
        Ok(answer.value)
    }

    pub async fn is_visible(&self) -> Result<bool> {
        self.state().await.map(|state| state.visible)
    }

    /// Returns the bounding box in the page's viewport; `None` if the element has no box.
    pub async fn bounding_box(&self) -> Result<Option<Rect>> {
        let Some(own) = self.ask::<Option<Rect>>("boxOf", Vec::new()).await? else { return Ok(None) };
        if self.frame().parent().is_none() {
            return Ok(Some(own));
        }
        let corner = self.to_page_exactly(Point::new(own.x, own.y)).await?;
        let end = self.to_page_exactly(Point::new(own.x + own.width, own.y + own.height)).await?;
        Ok(Some(Rect { x: corner.x, y: corner.y, width: end.x - corner.x, height: end.y - corner.y }))
    }

    /// Returns the padding box in the viewport of the element's frame; `None` if the element has no box.
    /// Click positions are relative to the top left corner of the padding box.
    pub async fn padding_box(&self) -> Result<Option<Rect>> {
        self.ask("innerBoxOf", Vec::new()).await
    }

    /// Returns the origins of the element's document and its ancestors, innermost first; `"null"` if opaque.
    pub async fn origins(&self) -> Result<Vec<String>> {
        // A world ends with its document, so this is the origin of the element's own document.
        let mut origins = vec![self.world().call("origin", &[]).await?];
        let mut around = self.frame().parent();
        while let Some(frame) = around {
            origins.push(frame.utility_world().await?.call("origin", &[]).await?);
            around = frame.parent();
        }
        Ok(origins)
    }

    /// Returns the focused element in any frame of the page; `None` if nothing has the focus.
    pub async fn focused(page: &Page) -> Result<Option<Self>> {
        for frame in page.frames() {
            let world = frame.utility_world().await?;
            if let Some(handle) = world.call_handle("keyTarget", Vec::new()).await? {
                return Ok(Some(Self::new(world, handle)));
            }
        }
        Ok(None)
    }

    /// Returns the focused field, if it has a native picker or suggestions, which screenshots do not show.
    pub async fn focused_field_with_picker(frame: &Frame) -> Result<Option<(Self, FieldPicker)>> {
        let world = frame.utility_world().await?;
        let Some(handle) = world.call_handle("helpedField", Vec::new()).await? else { return Ok(None) };
        let field = Self::new(world, handle);
        let help = field.ask("helpFor", Vec::new()).await?;
        Ok(Some((field, help)))
    }

    /// Predicts the effect of pressing the element or, if `enters`, of pressing Enter in it.
    pub async fn predict_press_effect(&self, enters: bool) -> Result<PredictedPressEffect> {
        self.ask("consequenceOf", vec![value_argument(&enters)]).await
    }

    // Internal methods for other modules.

    /// Calls `engine[method](node, ...arguments)` of the injected script.
    pub(in crate::browser) async fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        arguments: Vec<CallArgument>,
    ) -> Result<T> {
        let mut all = vec![self.handle.argument()];
        all.extend(arguments);
        self.world.call_with(method, all).await.map_err(|error| self.explain(error))
    }

    /// Like [`ask`](Self::ask), but returns once the call is sent. The future yields the answer, or fails with
    /// `DocumentGone` if the document goes before.
    pub(super) async fn begin_ask<T: DeserializeOwned + 'static>(
        &self,
        method: &str,
        arguments: Vec<CallArgument>,
    ) -> Result<BoxFuture<'static, Result<T>>> {
        let mut all = vec![self.handle.argument()];
        all.extend(arguments);
        let begun = self.world.begin_call(method, all).await.map_err(|error| self.explain(error))?;
        Ok(Box::pin(begun))
    }

    /// Returns the parent element.
    pub async fn parent(&self) -> Result<ElementHandle> {
        self.handle_of("parentOf", Vec::new()).await?.ok_or_else(|| self.stale())
    }

    /// Returns the labelled control if this is a label or inside one, otherwise this element.
    pub(in crate::browser) async fn control(&self) -> Result<ElementHandle> {
        self.handle_of("controlOf", Vec::new()).await?.ok_or_else(|| self.stale())
    }

    /// Calls `engine[method](node, ...arguments)` of the injected script, which returns a node or null.
    pub(in crate::browser) async fn handle_of(
        &self,
        method: &str,
        arguments: Vec<CallArgument>,
    ) -> Result<Option<ElementHandle>> {
        let mut all = vec![self.handle.argument()];
        all.extend(arguments);
        let found = self.world.call_handle(method, all).await.map_err(|error| self.explain(error))?;
        Ok(found.map(|handle| Self { world: self.world.clone(), handle, name: self.name.clone() }))
    }

    /// Waits until the page has drawn this number of animation frames.
    pub(in crate::browser) async fn frames(&self, count: u32) -> Result<()> {
        self.world.call("frames", &[count.into()]).await
    }

    pub(in crate::browser) fn stale(&self) -> Error {
        Error::StaleRef { target: self.name.as_deref().unwrap_or("the element").to_owned(), again: None }
    }

    /// Converts an error to `StaleRef` if the node's document is gone or its handle was released.
    fn explain(&self, error: Error) -> Error {
        match error {
            Error::DocumentGone => self.stale(),
            Error::Protocol { message, .. } if message.starts_with("Could not find object") => self.stale(),
            other => other,
        }
    }
}

/// Deserializes a checked state. `"mixed"` and null become `None`.
fn checked_state<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<bool>, D::Error> {
    Ok(Option::<serde_json::Value>::deserialize(deserializer)?.and_then(|value| value.as_bool()))
}

impl JsHandle {
    /// Creates a JavaScript handle of an element.
    pub fn of_element(element: &ElementHandle) -> Self {
        Self::of_node(element.world(), element.handle().clone())
    }

    /// Returns the element in the isolated world; `None` if this is not a node.
    pub async fn element(&self) -> Result<Option<ElementHandle>> {
        Ok(self.node().await?.map(|(world, node)| ElementHandle::new(world, node)))
    }

    /// Returns a one-line preview of the node in its current state; empty for other objects.
    pub async fn preview(&self) -> Result<String> {
        let Some(element) = self.element().await? else { return Ok(String::new()) };
        element.ask("shown", Vec::new()).await
    }
}
