//! One node that was found, and what can be done with it.
use std::sync::Arc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::browser::input::{Point, Rect};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::{RemoteHandle, World, value_argument};
use crate::browser::scripts::handle::JsHandle;
use crate::cdp::types::runtime::CallArgument;
use crate::error::{ElementKind, Error, Needed, Result};

/// A node of a document. It ends with the document. Cheap to clone.
#[derive(Debug, Clone)]
pub struct ElementHandle {
    world: World,
    handle: RemoteHandle,
    /// How errors call it: its ref, where it was found by one.
    name: Option<Arc<str>>,
}

/// An option of a select, as a caller names it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OptionChoice {
    /// The first of this value or this label.
    Any(String),
    /// By label, or else by value, or else by what is like no other label.
    Like(String),
    Value(String),
    Label(String),
    Index(usize),
}

/// What an element is like at the moment.
#[derive(Debug, Clone, Copy, Deserialize)]
pub struct ElementState {
    pub visible: bool,
    pub enabled: bool,
    pub editable: bool,
    #[serde(deserialize_with = "checked_state")]
    pub checked: Option<bool>,
}

/// With what the browser helps to fill in a field.
#[derive(Debug, Clone, Deserialize, Serialize)]
pub struct Help {
    /// `date`, `time` and the like, or `text` for one with a list of proposals.
    pub kind: String,
    pub value: String,
    pub min: String,
    pub max: String,
    pub step: String,
    pub options: Vec<String>,
}

/// What acting on an element may set off.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Consequence {
    /// Whether a form is sent.
    pub submits: bool,
    /// What the element, or the button that stands for it, is called.
    pub name: String,
}

impl ElementHandle {
    /// A node that is held already.
    pub fn new(world: World, handle: RemoteHandle) -> Self {
        Self { world, handle, name: None }
    }

    /// The node with this number in the frame's document; `None` when it has left the document.
    pub async fn by_ref(frame: &Frame, number: u32) -> Result<Option<Self>> {
        let world = frame.utility().await?;
        let node = world.call_handle("byRef", vec![value_argument(&number)]).await?;
        Ok(node.map(|node| Self::new(world, node)))
    }

    /// The node that the browser knows by this number.
    pub async fn by_node(frame: &Frame, backend_node_id: i64) -> Result<Self> {
        let world = frame.utility().await?;
        let node = RemoteHandle::of_node(world.session(), backend_node_id, Some(world.context_id())).await?;
        Ok(Self::new(world, node.ok_or(Error::DocumentGone)?))
    }

    /// The number that stands for the node in its frame.
    pub async fn number(&self) -> Result<u32> {
        let number = self.ask("refOf", Vec::new()).await?;
        self.frame().refs_used_up_to(number);
        Ok(number)
    }

    /// The same node; errors call it so.
    #[must_use]
    pub fn named(mut self, name: &str) -> Self {
        self.name = Some(Arc::from(name));
        self
    }

    /// The frame whose document the node belongs to.
    pub fn frame(&self) -> &Frame {
        self.world.frame()
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    /// Whether the other one is in the same document.
    pub(in crate::browser) fn is_beside(&self, other: &Self) -> bool {
        self.world == other.world
    }

    pub fn handle(&self) -> &RemoteHandle {
        &self.handle
    }

    /// Puts the focus on the element.
    pub async fn focus(&self) -> Result<()> {
        self.ask::<bool>("focus", Vec::new()).await.map(drop)
    }

    /// Takes the focus away from the element.
    pub async fn blur(&self) -> Result<()> {
        self.ask("blur", Vec::new()).await
    }

    // Reading.

    pub async fn text_content(&self) -> Result<Option<String>> {
        self.ask("textContent", Vec::new()).await
    }

    /// The text as it is drawn.
    pub async fn inner_text(&self) -> Result<String> {
        self.ask("innerText", Vec::new()).await
    }

    pub async fn inner_html(&self) -> Result<String> {
        self.ask("innerHTML", Vec::new()).await
    }

    pub async fn attribute(&self, name: &str) -> Result<Option<String>> {
        self.ask("attribute", vec![value_argument(&name)]).await
    }

    /// The value of an input, a text area or a select.
    pub async fn input_value(&self) -> Result<String> {
        #[derive(Deserialize)]
        struct Held {
            value: Option<String>,
            wrong: Option<ElementKind>,
        }
        let Held { value, wrong } = self.ask("inputValue", Vec::new()).await?;
        value.ok_or_else(|| Error::WrongElement { found: wrong.unwrap_or_default(), needed: Needed::Value })
    }

    /// What the element is like at the moment.
    pub async fn state(&self) -> Result<ElementState> {
        self.ask("state", Vec::new()).await
    }

    pub async fn is_visible(&self) -> Result<bool> {
        self.state().await.map(|state| state.visible)
    }

    /// The element's box in the page's viewport; `None` when it has none.
    pub async fn bounding_box(&self) -> Result<Option<Rect>> {
        let Some(own) = self.ask::<Option<Rect>>("boxOf", Vec::new()).await? else { return Ok(None) };
        if self.frame().parent().is_none() {
            return Ok(Some(own));
        }
        let corner = self.to_page_exactly(Point::new(own.x, own.y)).await?;
        let end = self.to_page_exactly(Point::new(own.x + own.width, own.y + own.height)).await?;
        Ok(Some(Rect { x: corner.x, y: corner.y, width: end.x - corner.x, height: end.y - corner.y }))
    }

    /// The element's box inside its border, in its own frame: positions in it are counted from there. `None` when it has none.
    pub async fn inner_box(&self) -> Result<Option<Rect>> {
        self.ask("innerBoxOf", Vec::new()).await
    }

    /// The origins of the element's document and of those around it, from the inside out; `null` for one without.
    pub async fn origins(&self) -> Result<Vec<String>> {
        // The world goes with the document, so that this is the one in which the element is.
        let mut origins = vec![self.world().call("origin", &[]).await?];
        let mut around = self.frame().parent();
        while let Some(frame) = around {
            origins.push(frame.utility().await?.call("origin", &[]).await?);
            around = frame.parent();
        }
        Ok(origins)
    }

    /// The element that keys go to; `None` when that is a page as a whole.
    pub async fn focused(page: &Page) -> Result<Option<Self>> {
        for frame in page.frames() {
            let world = frame.utility().await?;
            if let Some(handle) = world.call_handle("keyTarget", Vec::new()).await? {
                return Ok(Some(Self::new(world, handle)));
            }
        }
        Ok(None)
    }

    /// The field with the focus, if the browser helps to fill it in with a window that is in no picture.
    pub async fn helped(frame: &Frame) -> Result<Option<(Self, Help)>> {
        let world = frame.utility().await?;
        let Some(handle) = world.call_handle("helpedField", Vec::new()).await? else { return Ok(None) };
        let field = Self::new(world, handle);
        let help = field.ask("helpFor", Vec::new()).await?;
        Ok(Some((field, help)))
    }

    /// What a press on the element, or Enter in it, may set off.
    pub async fn consequence(&self, enters: bool) -> Result<Consequence> {
        self.ask("consequenceOf", vec![value_argument(&enters)]).await
    }

    // For the rest of this module's family.

    /// Calls `engine[method](node, ...arguments)`.
    pub(in crate::browser) async fn ask<T: DeserializeOwned>(
        &self,
        method: &str,
        arguments: Vec<CallArgument>,
    ) -> Result<T> {
        let mut all = vec![self.handle.argument()];
        all.extend(arguments);
        self.world.call_with(method, all).await.map_err(|error| self.explain(error))
    }

    /// The element around this one.
    pub async fn parent(&self) -> Result<ElementHandle> {
        self.handle_of("parentOf", Vec::new()).await?.ok_or_else(|| self.stale())
    }

    /// The control that is meant: the one of a label, the element itself otherwise.
    pub(in crate::browser) async fn control(&self) -> Result<ElementHandle> {
        self.handle_of("controlOf", Vec::new()).await?.ok_or_else(|| self.stale())
    }

    /// Calls `engine[method](node, ...arguments)`, which answers a node.
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

    /// Waits until the page has drawn so many frames.
    pub(in crate::browser) async fn frames(&self, count: u32) -> Result<()> {
        self.world.call("frames", &[count.into()]).await
    }

    pub(in crate::browser) fn stale(&self) -> Error {
        Error::StaleRef { target: self.name.as_deref().unwrap_or("the element").to_owned(), again: None }
    }

    /// The node went with its document, or was let go of.
    fn explain(&self, error: Error) -> Error {
        match error {
            Error::DocumentGone => self.stale(),
            Error::Protocol { message, .. } if message.starts_with("Could not find object") => self.stale(),
            other => other,
        }
    }
}

/// `"mixed"` is neither.
fn checked_state<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Option<bool>, D::Error> {
    Ok(Option::<serde_json::Value>::deserialize(deserializer)?.and_then(|value| value.as_bool()))
}

impl JsHandle {
    /// A node that was found already.
    pub fn of_element(element: &ElementHandle) -> Self {
        Self::of_node(element.world(), element.handle().clone())
    }

    /// The element in our own world, if this is a node.
    pub async fn element(&self) -> Result<Option<ElementHandle>> {
        Ok(self.node().await?.map(|(world, node)| ElementHandle::new(world, node)))
    }

    /// What it is, in one line. A node is looked at once more.
    pub async fn preview(&self) -> Result<String> {
        let Some(element) = self.element().await? else { return Ok(String::new()) };
        element.ask("shown", Vec::new()).await
    }
}
