//! Handles to JavaScript objects and elements.
use std::time::Duration;

use pyo3::prelude::*;
use tokio::time::Instant;

use super::bridge::{Operation, block_on, operation};
use super::convert::{Plain, ToPython, options, to_js};
use super::frame::{Frame, Handles, element};
use crate::browser::locator::{self, WaitForState};
use crate::browser::{ElementAction, ElementHandle, ScriptWorld};
use crate::error::{ElementKind, Error, RequiredElementKind, Result};

/// A handle to a JavaScript object, or a primitive value.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct JsHandle(pub(super) crate::browser::JsHandle);

pub(super) fn scope(isolated: bool) -> ScriptWorld {
    if isolated { ScriptWorld::Isolated } else { ScriptWorld::Main }
}

/// Returns the element of a handle; an error if the object is not an element.
async fn element_of(handle: &crate::browser::JsHandle) -> Result<ElementHandle> {
    let wrong = Error::WrongElement { found: ElementKind::default(), needed: RequiredElementKind::Element };
    handle.element().await?.ok_or(wrong)
}

#[pymethods]
impl JsHandle {
    /// Whether the object is a DOM node.
    #[getter]
    fn is_node(&self) -> bool {
        self.0.is_node()
    }

    /// Type, subtype, description, and value as text, as in CDP's `RemoteObject`.
    #[getter]
    fn description(&self) -> (String, Option<String>, Option<String>, Option<String>) {
        let object = self.0.object();
        let value = match &object.value {
            Some(serde_json::Value::String(text)) => Some(text.clone()),
            Some(value) => Some(value.to_string()),
            None => object.unserializable_value.clone(),
        };
        let description = self.0.short_description().or_else(|| object.description.clone());
        (object.kind.clone(), object.subtype.clone(), description, value)
    }

    fn evaluate(&self, script: String, argument: &Bound<'_, PyAny>, isolated: bool) -> PyResult<Operation> {
        let (handle, argument) = (self.0.clone(), to_js(argument)?);
        Ok(operation(async move {
            handle.evaluate(&script, &argument, Some(scope(isolated))).await.map(ToPython)
        }))
    }

    fn evaluate_handle(
        &self,
        script: String,
        argument: &Bound<'_, PyAny>,
        isolated: bool,
    ) -> PyResult<Operation> {
        let (handle, argument) = (self.0.clone(), to_js(argument)?);
        Ok(operation(async move {
            handle.evaluate_handle(&script, &argument, Some(scope(isolated))).await.map(JsHandle)
        }))
    }

    fn json_value(&self) -> Operation {
        let handle = self.0.clone();
        operation(async move { handle.value().await.map(ToPython) })
    }

    fn get_property(&self, name: String) -> Operation {
        let handle = self.0.clone();
        operation(async move { handle.property(&name).await.map(JsHandle) })
    }

    fn get_properties(&self) -> Operation {
        let handle = self.0.clone();
        operation(async move {
            let properties = handle.properties().await?.into_iter();
            Ok(properties.map(|(name, value)| (name, JsHandle(value))).collect::<Vec<_>>())
        })
    }

    /// Performs an action on this element. `action`: see `ElementAction`.
    fn perform(&self, action: &Bound<'_, PyAny>, timeout_ms: f64) -> PyResult<Operation> {
        let (handle, action, limit) =
            (self.0.clone(), options::<ElementAction>(action)?, locator::timeout_from_ms(timeout_ms));
        Ok(operation(async move {
            let element = element_of(&handle).await?;
            let begun = (element.frame().page()?.mark(), Instant::now());
            // A text node cannot be acted on; its parent element is used instead.
            let done = if handle.is_text_node() && action.is_action() {
                element.parent().await?.perform(&action, limit).await
            } else {
                element.perform(&action, limit).await
            };
            action.wait_for_initiated_navigations(element.frame(), begun, limit).await;
            done.map(Plain)
        }))
    }

    /// Returns a one-line preview. Blocks up to 1 s for the browser's reply, then returns an empty string.
    fn preview(&self, py: Python<'_>) -> PyResult<String> {
        const LIMIT: Duration = Duration::from_secs(1);
        let preview = block_on(py, async { tokio::time::timeout(LIMIT, self.0.preview()).await })?;
        Ok(preview.ok().and_then(Result::ok).unwrap_or_default())
    }

    /// Returns the first match of a selector within this element, or `None`.
    fn query(&self, selector: String, strict: bool) -> Operation {
        let handle = self.0.clone();
        operation(async move {
            let found = element_of(&handle).await?.locator(&selector, strict)?.query_element().await?;
            Ok(found.map(|found| element(&found)))
        })
    }

    /// Returns all matches of a selector within this element.
    fn query_all(&self, selector: String) -> Operation {
        let handle = self.0.clone();
        operation(
            async move { Ok(Handles(element_of(&handle).await?.locator(&selector, false)?.all().await?)) },
        )
    }

    /// Calls a script with an array of all matches of a selector within this element.
    fn evaluate_all(
        &self,
        selector: String,
        script: String,
        argument: &Bound<'_, PyAny>,
    ) -> PyResult<Operation> {
        let (handle, argument) = (self.0.clone(), to_js(argument)?);
        Ok(operation(async move {
            let within = element_of(&handle).await?;
            let value =
                within.locator(&selector, false)?.evaluate_all(&script, &argument, ScriptWorld::Main).await;
            within.frame().flush_exposed_calls().await;
            value.map(ToPython)
        }))
    }

    /// Dispatches an event of type `kind` in the main world. `init` may contain handles.
    fn dispatch(&self, kind: String, init: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (handle, init) = (self.0.clone(), to_js(init)?);
        Ok(operation(async move { element_of(&handle).await?.dispatch_event(&kind, init).await }))
    }

    /// Waits for a match of a selector within this element to reach a state.
    fn wait_for(
        &self,
        selector: String,
        state: &Bound<'_, PyAny>,
        strict: bool,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let (handle, state) = (self.0.clone(), options::<WaitForState>(state)?);
        let limit = locator::timeout_from_ms(timeout_ms);
        Ok(operation(async move {
            let found = element_of(&handle).await?.locator(&selector, strict)?.wait_for(state, limit).await?;
            Ok(found.map(|found| element(&found)))
        }))
    }

    /// Drags this element onto `target`.
    #[pyo3(signature = (target, source_position, target_position, force, timeout_ms))]
    fn drag_to(
        &self,
        target: &Self,
        source_position: Option<(f64, f64)>,
        target_position: Option<(f64, f64)>,
        force: bool,
        timeout_ms: f64,
    ) -> Operation {
        let (from, to) = (self.0.clone(), target.0.clone());
        let at = |position: Option<(f64, f64)>| crate::browser::ActionOptions {
            limit: locator::timeout_from_ms(timeout_ms),
            force,
            position: position.map(|(x, y)| crate::browser::input::Point::new(x, y)),
            ..crate::browser::ActionOptions::default()
        };
        let (source, aim) = (at(source_position), at(target_position));
        operation(async move {
            let (from, to) = (element_of(&from).await?, element_of(&to).await?);
            from.drag_to_and_verify(&to, &source, &aim).await
        })
    }

    /// Returns the frame that this element embeds, or `None`.
    fn content_frame(&self) -> Operation {
        let handle = self.0.clone();
        operation(async move {
            let Some(element) = handle.element().await? else { return Ok(None) };
            Ok(element.content_frame().await?.map(Frame))
        })
    }

    /// Returns the frame whose document contains this node, or `None`.
    fn owner_frame(&self) -> Operation {
        let handle = self.0.clone();
        operation(async move {
            let Some(element) = handle.element().await? else { return Ok(None) };
            Ok(element.owner_frame().await?.map(Frame))
        })
    }
}
