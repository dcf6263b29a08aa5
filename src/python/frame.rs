//! Frames: navigation, scripts, selectors and expectations.
use pyo3::prelude::*;
use pyo3::types::PyList;
use serde::Deserialize;
use serde_json::{Map, json};
use tokio::time::Instant;

use super::bridge::{Operation, operation};
use super::convert::{Plain, ToPython, options, to_js, to_json};
use super::handle::{JsHandle, scope};
use super::page::Page;
use crate::browser::input::Point;
use crate::browser::locator::{self, WaitForState};
use crate::browser::{
    ActionOptions, AriaTemplate, ElementAction, ElementHandle, ExtractQuery, JsValue, NavigateOptions,
    NavigationOutcome, Schema, ScriptWorld, SnapshotOptions, TagOptions, WaitUntil, WebStorage,
};
use crate::error::Error;

/// Options of a drag from one element to another, as passed from Python.
#[derive(Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Dragging {
    source_position: Option<Point>,
    target_position: Option<Point>,
    force: bool,
    trial: bool,
    steps: Option<u32>,
    keeps_scroll: bool,
}

/// A frame of a page.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Frame(pub(super) crate::browser::Frame);

/// A wrapper that converts elements to a Python list of handles.
pub(super) struct Handles(pub(super) Vec<ElementHandle>);

impl<'py> IntoPyObject<'py> for Handles {
    type Target = PyList;
    type Output = Bound<'py, PyList>;
    type Error = PyErr;

    fn into_pyobject(self, py: Python<'py>) -> PyResult<Bound<'py, PyList>> {
        let handles = self.0.iter().map(|found| Py::new(py, element(found))).collect::<PyResult<Vec<_>>>()?;
        PyList::new(py, handles)
    }
}

pub(super) fn element(element: &ElementHandle) -> JsHandle {
    JsHandle(crate::browser::JsHandle::of_element(element))
}

/// Parses a load state: `load`, `domcontentloaded`, `networkidle` or `commit`.
pub(super) fn moment(name: &str) -> Result<WaitUntil, Error> {
    Ok(match name {
        "commit" => WaitUntil::Commit,
        "domcontentloaded" => WaitUntil::DomContentLoaded,
        "load" => WaitUntil::Load,
        "networkidle" => WaitUntil::NetworkIdle,
        _ => {
            let problem = "wait_until: expected one of (load|domcontentloaded|networkidle|commit)";
            return Err(Error::InvalidArguments { problems: vec![problem.to_owned()] });
        }
    })
}

pub(super) fn navigate(
    until: &str,
    timeout_ms: f64,
    referrer: Option<String>,
) -> Result<NavigateOptions, Error> {
    Ok(NavigateOptions { until: moment(until)?, limit: locator::timeout_from_ms(timeout_ms), referrer })
}

/// Returns the name that Python uses for a navigation's outcome.
pub(super) fn name_of(arrival: &NavigationOutcome) -> &'static str {
    match arrival {
        NavigationOutcome::Document(_) => "document",
        NavigationOutcome::SameDocument => "same_document",
        NavigationOutcome::Download => "download",
        NavigationOutcome::NoContent => "no_content",
        NavigationOutcome::Dialog => "dialog",
    }
}

fn storage(kind: &str) -> Result<WebStorage, Error> {
    kind.parse().map_err(|_| Error::InvalidArguments {
        problems: vec![format!("kind: expected one of (local|session), got {kind:?}")],
    })
}

#[pymethods]
impl Frame {
    /// The unique id of this frame.
    #[getter]
    fn key(&self) -> usize {
        self.0.instance_id()
    }

    #[getter]
    fn url(&self) -> String {
        self.0.url()
    }

    #[getter]
    fn name(&self) -> String {
        self.0.name()
    }

    #[getter]
    fn is_detached(&self) -> bool {
        self.0.is_detached()
    }

    #[getter]
    fn page(&self) -> Option<Page> {
        self.0.page().ok().map(Page)
    }

    #[getter]
    fn parent(&self) -> Option<Self> {
        self.0.parent().cloned().map(Self)
    }

    /// The child frames, in order of creation.
    #[getter]
    fn children(&self) -> Vec<Self> {
        let frames = self.0.page().map(|page| page.frames()).unwrap_or_default();
        frames.into_iter().filter(|frame| frame.parent() == Some(&self.0)).map(Self).collect()
    }

    /// The loader id of the current document, equal to the id of the document's request.
    #[getter]
    fn loader(&self) -> String {
        self.0.loader_id().to_string()
    }

    /// Navigates. Returns the kind of outcome: `document`, `same_document`, `download`, `no_content` or
    /// `dialog`.
    #[pyo3(signature = (url, until, timeout_ms, referrer = None))]
    fn goto(
        &self,
        url: String,
        until: &str,
        timeout_ms: f64,
        referrer: Option<String>,
    ) -> PyResult<Operation> {
        let (frame, options) = (self.0.clone(), navigate(until, timeout_ms, referrer)?);
        Ok(operation(async move {
            let arrived = frame.goto(&url, &options).await;
            frame.flush_exposed_calls().await;
            arrived.map(|arrival| name_of(&arrival))
        }))
    }

    fn set_content(&self, html: String, until: &str, timeout_ms: f64) -> PyResult<Operation> {
        let (frame, options) = (self.0.clone(), navigate(until, timeout_ms, None)?);
        Ok(operation(async move {
            let done = frame.set_content(&html, &options).await;
            frame.flush_exposed_calls().await;
            done
        }))
    }

    fn content(&self, with_shadows: bool) -> Operation {
        let frame = self.0.clone();
        operation(
            async move { if with_shadows { frame.html_with_shadows().await } else { frame.html().await } },
        )
    }

    fn title(&self) -> Operation {
        let frame = self.0.clone();
        operation(async move { frame.document_title().await })
    }

    /// Adds a `script` or `style` element. `tag`: see `TagOptions`.
    fn add_tag(&self, name: String, tag: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (frame, tag) = (self.0.clone(), options::<TagOptions>(tag)?);
        Ok(operation(async move {
            let added = frame.add_tag(&name, &tag).await;
            frame.flush_exposed_calls().await;
            added.map(JsHandle)
        }))
    }

    /// Extracts rows: of the table `each`, or with `fields` (see `Schema::read`) one row per match of `each`.
    fn extract(&self, each: Option<String>, fields: Option<&Bound<'_, PyAny>>) -> PyResult<Operation> {
        let (frame, fields) = (self.0.clone(), fields.map(to_json).transpose()?);
        Ok(operation(async move {
            let fields = fields.map(|fields| Schema::read(fields.as_object().unwrap_or(&Map::new())));
            let wanted = ExtractQuery { each, fields: fields.transpose()? };
            let rows = frame.extract(&wanted).await?.rows;
            Ok(ToPython(JsValue::from_json(&json!(rows))))
        }))
    }

    /// Waits until the URL differs from `url`. Returns the new URL.
    fn wait_for_url_change(&self, url: String, timeout_ms: f64) -> Operation {
        let (frame, limit) = (self.0.clone(), locator::timeout_from_ms(timeout_ms));
        operation(async move { frame.wait_for_url_change(&url, limit).await })
    }

    /// Returns name and value of each entry in `local` or `session` storage; with `name`, only of that one.
    fn stored(&self, kind: &str, name: Option<String>) -> PyResult<Operation> {
        let (frame, storage) = (self.0.clone(), storage(kind)?);
        Ok(operation(async move {
            let items = frame.storage_items(storage, name.as_deref()).await?.into_iter();
            Ok(items.map(|item| (item.name, item.value)).collect::<Vec<_>>())
        }))
    }

    fn store(&self, kind: &str, name: String, value: String) -> PyResult<Operation> {
        let (frame, storage) = (self.0.clone(), storage(kind)?);
        Ok(operation(async move { frame.set_storage_item(storage, &name, &value).await.map(drop) }))
    }

    /// Removes the entry `name` from `local` or `session` storage; with `None`, all entries.
    fn forget_stored(&self, kind: &str, name: Option<String>) -> PyResult<Operation> {
        let (frame, storage) = (self.0.clone(), storage(kind)?);
        Ok(operation(async move { frame.remove_storage_items(storage, name.as_deref()).await.map(drop) }))
    }

    fn wait_for_load_state(&self, state: &str, timeout_ms: f64) -> PyResult<Operation> {
        let (frame, until, limit) = (self.0.clone(), moment(state)?, locator::timeout_from_ms(timeout_ms));
        Ok(operation(async move { frame.wait_for_lifecycle(until, limit).await }))
    }

    fn evaluate(&self, script: String, argument: &Bound<'_, PyAny>, isolated: bool) -> PyResult<Operation> {
        let (frame, argument) = (self.0.clone(), to_js(argument)?);
        Ok(operation(async move {
            let value = frame.realm(scope(isolated)).await?.evaluate(&script, &argument).await;
            frame.flush_exposed_calls().await;
            value.map(ToPython)
        }))
    }

    fn evaluate_handle(
        &self,
        script: String,
        argument: &Bound<'_, PyAny>,
        isolated: bool,
    ) -> PyResult<Operation> {
        let (frame, argument) = (self.0.clone(), to_js(argument)?);
        Ok(operation(async move {
            frame.realm(scope(isolated)).await?.evaluate_handle(&script, &argument).await.map(JsHandle)
        }))
    }

    /// Sends a command to a routed WebSocket of the page. Commands may arrive out of order: the page executes
    /// them in the order of `number`, which starts at 0.
    fn command_socket(
        &self,
        name: String,
        socket: f64,
        number: u32,
        what: String,
        value: &Bound<'_, PyAny>,
    ) -> PyResult<Operation> {
        let (frame, value) = (self.0.clone(), to_js(value)?);
        Ok(operation(async move { frame.send_web_socket_command(&name, socket, number, &what, value).await }))
    }

    /// Waits until a script returns a truthy value. A negative `pause_ms` polls about once per animation
    /// frame. If `isolated` is `None`, a script that only reads the document runs in the isolated world.
    fn wait_for_function(
        &self,
        script: String,
        argument: &Bound<'_, PyAny>,
        isolated: Option<bool>,
        pause_ms: f64,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let (frame, argument) = (self.0.clone(), to_js(argument)?);
        let (pause, limit) = (locator::duration_from_ms(pause_ms), locator::timeout_from_ms(timeout_ms));
        let scope = isolated.map_or_else(|| ScriptWorld::choose_world(&script), scope);
        Ok(operation(async move {
            frame.wait_for_function(&script, &argument, scope, pause, limit).await.map(JsHandle)
        }))
    }

    /// Performs an action on the element that a selector matches. `action`: see `ElementAction`.
    fn perform(
        &self,
        selector: String,
        strict: bool,
        action: &Bound<'_, PyAny>,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let (frame, action, limit) =
            (self.0.clone(), options::<ElementAction>(action)?, locator::timeout_from_ms(timeout_ms));
        Ok(operation(async move {
            let begun = (frame.page()?.mark(), Instant::now());
            let done = frame.locator(&selector, strict)?.perform(&action, limit).await;
            action.wait_for_initiated_navigations(&frame, begun, limit).await;
            done.map(Plain)
        }))
    }

    /// Highlights all elements that a selector matches at this time.
    fn highlight(&self, selector: String) -> Operation {
        let frame = self.0.clone();
        operation(async move { frame.highlight(&selector).await })
    }

    fn hide_highlight(&self, selector: &str) -> PyResult<()> {
        Ok(self.0.hide_highlight(selector)?)
    }

    /// Returns the element that a selector matches at this time, or `None`.
    fn query(&self, selector: String, strict: bool) -> Operation {
        let frame = self.0.clone();
        operation(async move {
            let found = frame.locator(&selector, strict)?.query_element().await?;
            Ok(found.map(|found| element(&found)))
        })
    }

    /// Returns whether the element that a selector matches is visible, without waiting.
    fn is_visible(&self, selector: String, strict: bool) -> Operation {
        let frame = self.0.clone();
        operation(async move { frame.locator(&selector, strict)?.is_visible().await })
    }

    fn query_all(&self, selector: String) -> Operation {
        let frame = self.0.clone();
        operation(async move { Ok(Handles(frame.locator(&selector, false)?.all().await?)) })
    }

    /// Calls a script with an array of all elements that a selector matches at this time.
    fn evaluate_all(
        &self,
        selector: String,
        script: String,
        argument: &Bound<'_, PyAny>,
        isolated: bool,
    ) -> PyResult<Operation> {
        let (frame, argument) = (self.0.clone(), to_js(argument)?);
        Ok(operation(async move {
            let locator = frame.locator(&selector, false)?;
            let value = locator.evaluate_all(&script, &argument, scope(isolated)).await;
            frame.flush_exposed_calls().await;
            value.map(ToPython)
        }))
    }

    /// Returns the text of each matching element: `innerText` if `drawn`, otherwise `textContent`.
    fn texts(&self, selector: String, drawn: bool) -> Operation {
        let frame = self.0.clone();
        operation(async move { frame.locator(&selector, false)?.all_texts(drawn).await.map(Plain) })
    }

    /// Waits until an expectation about elements holds, or with `is_not`, until it does not. Returns whether
    /// it holds, and the actual value.
    fn expect(
        &self,
        selector: String,
        what: String,
        expected: &Bound<'_, PyAny>,
        is_not: bool,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let (frame, expected) = (self.0.clone(), to_json(expected)?);
        let limit = locator::timeout_from_ms(timeout_ms);
        Ok(operation(async move {
            let verdict = frame.locator(&selector, true)?.expect(&what, &expected, is_not, limit).await?;
            Ok((verdict.matches, Plain(verdict.received), verdict.missing))
        }))
    }

    /// Waits until the title matches, or with `is_not`, does not. Returns whether it matches, and the title.
    fn expect_title(
        &self,
        expected: &Bound<'_, PyAny>,
        is_not: bool,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let (frame, expected, limit) =
            (self.0.clone(), to_json(expected)?, locator::timeout_from_ms(timeout_ms));
        Ok(operation(async move {
            let outcome = frame.expect_title(&expected, is_not, limit).await?;
            Ok((outcome.matches, Plain(outcome.received)))
        }))
    }

    /// Waits until a property of the element equals a value, or with `is_not`, does not. Returns whether both
    /// are equal, and the property's value.
    fn expect_property(
        &self,
        selector: String,
        path: String,
        expected: &Bound<'_, PyAny>,
        is_not: bool,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let (frame, expected, limit) =
            (self.0.clone(), to_js(expected)?, locator::timeout_from_ms(timeout_ms));
        Ok(operation(async move {
            let locator = frame.locator(&selector, true)?;
            let outcome = locator.expect_property(&path, &expected, is_not, limit).await?;
            Ok((outcome.matches, ToPython(outcome.received)))
        }))
    }

    /// Waits until the element's accessibility tree matches a template, or with `is_not`, does not. Returns
    /// whether it matches, and the tree as text.
    fn expect_aria(&self, selector: String, template: String, is_not: bool, timeout_ms: f64) -> Operation {
        let (frame, limit) = (self.0.clone(), locator::timeout_from_ms(timeout_ms));
        operation(async move {
            let template = AriaTemplate::parse(&template)?;
            let outcome = frame.locator(&selector, true)?.expect_aria(&template, is_not, limit).await?;
            Ok((outcome.matches, outcome.received))
        })
    }

    /// Returns the snapshot of an element, with refs. `chosen`: see `SnapshotOptions`.
    fn snapshot(
        &self,
        selector: String,
        strict: bool,
        chosen: &Bound<'_, PyAny>,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let (frame, options) = (self.0.clone(), options::<SnapshotOptions>(chosen)?);
        let limit = locator::timeout_from_ms(timeout_ms);
        Ok(operation(async move { frame.locator(&selector, strict)?.outline(&options, limit).await }))
    }

    fn count(&self, selector: String) -> Operation {
        let frame = self.0.clone();
        operation(async move { frame.locator(&selector, false)?.count().await })
    }

    /// Waits until an element is `attached`, `visible`, `hidden` or `detached`. Returns it if it exists.
    fn wait_for(
        &self,
        selector: String,
        state: &Bound<'_, PyAny>,
        strict: bool,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let (frame, state) = (self.0.clone(), options::<WaitForState>(state)?);
        let limit = locator::timeout_from_ms(timeout_ms);
        Ok(operation(async move {
            let found = frame.locator(&selector, strict)?.wait_for(state, limit).await?;
            Ok(found.map(|found| element(&found)))
        }))
    }

    /// Waits for an element, calls a script with it, and returns the script's result.
    fn evaluate_on(
        &self,
        selector: String,
        strict: bool,
        script: String,
        argument: &Bound<'_, PyAny>,
        isolated: bool,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let (frame, argument) = (self.0.clone(), to_js(argument)?);
        let limit = locator::timeout_from_ms(timeout_ms);
        Ok(operation(async move {
            let locator = frame.locator(&selector, strict)?;
            let (script, argument): (&str, &JsValue) = (&script, &argument);
            let run = |found: ElementHandle, _| async move {
                let handle = crate::browser::JsHandle::of_element(&found);
                handle.evaluate(script, argument, Some(scope(isolated))).await
            };
            locator.with_element(limit, run).await.map(ToPython)
        }))
    }

    /// Drags one element onto another. `how`: see `Dragging`.
    fn drag(
        &self,
        source: String,
        target: String,
        strict: bool,
        how: &Bound<'_, PyAny>,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let (frame, how, limit) =
            (self.0.clone(), options::<Dragging>(how)?, locator::timeout_from_ms(timeout_ms));
        Ok(operation(async move {
            let (source, target) = (frame.locator(&source, strict)?, frame.locator(&target, strict)?);
            let Dragging { source_position, target_position, force, trial, steps, keeps_scroll } = how;
            let at = |position, limit| ActionOptions {
                limit,
                force,
                position,
                keeps_scroll,
                ..ActionOptions::default()
            };
            let target = &target;
            source
                .with_element(limit, |from, left| async move {
                    target
                        .with_element(left, |to, left| {
                            let from = from.clone();
                            async move {
                                let source = at(source_position, left);
                                let aim = ActionOptions { steps, ..at(target_position, left) };
                                if trial {
                                    from.wait_until_clickable(&source).await?;
                                    return to.wait_until_clickable(&aim).await;
                                }
                                from.drag_to_and_verify(&to, &source, &aim).await
                            }
                        })
                        .await
                })
                .await
        }))
    }

    /// Returns the element that embeds this frame, such as an `<iframe>`.
    fn frame_element(&self) -> Operation {
        let frame = self.0.clone();
        operation(async move {
            let (world, owner) = frame.owner_element().await?.ok_or(Error::FrameDetached)?;
            Ok(element(&ElementHandle::new(world, owner)))
        })
    }
}
