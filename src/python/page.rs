//! Pages, dialogs, file choosers and calls of exposed functions.
use std::sync::Arc;

use parking_lot::Mutex;
use pyo3::IntoPyObjectExt as _;
use pyo3::prelude::*;
use serde_json::json;
use tokio::sync::oneshot;

use super::bridge::{Dispatcher, Operation, block_on, operation, operation_with};
use super::browser::{BrowserContext, InitScript};
use super::convert::{Plain, ToPython, options, to_js};
use super::frame::{Frame, element, name_of, navigate};
use super::handle::JsHandle;
use super::network::{Request, routed};
use super::recording::ScriptRecording;
use crate::browser::emulation::MediaEmulation;
use crate::browser::input::{Button, ClickOptions, Point};
use crate::browser::locator::{duration_from_ms, timeout_from_ms};
use crate::browser::{
    Area, ConsoleFilter, ContentFormat, ElementHandle, ImageFormat, JsValue, LocatorHandlerId,
    LocatorHandlerOptions, PdfOptions, ScreenshotAdjustments, ScreenshotOptions, SnapshotOptions,
};
use crate::cdp::types::network::Headers;
use crate::error::Error;
use crate::mcp::script::{ScriptLanguage, locator};
use crate::session::challenge::{Challenge, VisitPurpose, detect_challenge};

/// A page: a tab of the browser.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Page(pub(super) crate::browser::Page);

/// An open JavaScript dialog.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Dialog(pub(super) crate::browser::Dialog);

#[pymethods]
impl Dialog {
    #[getter]
    fn kind(&self) -> &str {
        &self.0.kind
    }

    #[getter]
    fn message(&self) -> &str {
        &self.0.message
    }

    #[getter]
    fn default_value(&self) -> &str {
        &self.0.default_prompt
    }
}

/// A file chooser opened by a page.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct FileChooser(pub(super) crate::browser::FileChooser);

#[pymethods]
impl FileChooser {
    #[getter]
    fn is_multiple(&self) -> bool {
        self.0.multiple
    }

    /// Returns the file input element.
    fn element(&self) -> Operation {
        let chooser = self.0.clone();
        operation(async move {
            let node = chooser.backend_node_id.ok_or(Error::NoFileChooser)?;
            Ok(element(&ElementHandle::by_backend_node_id(&chooser.frame, node).await?))
        })
    }
}

/// A page's call of an exposed function. The page waits for the result.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct Call(pub(super) crate::browser::ExposedCall);

#[pymethods]
impl Call {
    #[getter]
    fn frame(&self) -> Frame {
        Frame(self.0.frame.clone())
    }

    #[getter]
    fn name(&self) -> String {
        self.0.name.to_string()
    }

    /// The first argument as a handle, if the function was exposed with `keeps`; otherwise `None`.
    #[getter]
    fn kept(&self) -> Option<JsHandle> {
        self.0.kept.clone().map(JsHandle)
    }

    /// The arguments, as a Python list.
    #[getter]
    fn arguments(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        ToPython(JsValue::Array { number: 0, items: self.0.arguments.clone() }).into_py_any(py)
    }

    /// Returns `value` to the page; with `failed`, throws it there as an exception.
    fn answer(&self, value: &Bound<'_, PyAny>, failed: bool) -> PyResult<Operation> {
        let (call, value) = (self.0.clone(), to_js(value)?);
        Ok(operation(async move { call.answer(if failed { Err(value) } else { Ok(value) }).await }))
    }
}

/// A running locator handler. The blocked action waits until `end` is called.
#[pyclass(frozen, module = "patchright_mcp._core")]
pub(super) struct HandlerCall {
    /// The number that `Page.add_locator_handler` returned.
    #[pyo3(get)]
    handler: u64,
    ended: Mutex<Option<oneshot::Sender<Result<(), Error>>>>,
}

#[pymethods]
impl HandlerCall {
    /// Ends the handler. The action continues, or fails with the exception `raised`.
    fn end(&self, raised: Option<Bound<'_, PyAny>>) {
        if let Some(ended) = self.ended.lock().take() {
            let failed = |raised| Error::HandlerFailed { cause: Arc::new(PyErr::from_value(raised)) };
            // Fails if the action was cancelled meanwhile.
            let _ = ended.send(raised.map_or(Ok(()), |raised| Err(failed(raised))));
        }
    }
}

fn button(name: &str) -> Result<Button, Error> {
    Button::named(name).ok_or_else(|| Error::InvalidArguments {
        problems: vec![format!("button: expected one of (left|right|middle), got {name:?}")],
    })
}

#[pymethods]
impl Page {
    /// The unique id of this page.
    #[getter]
    fn key(&self) -> usize {
        self.0.instance_id()
    }

    /// The CDP target id.
    #[getter]
    fn id(&self) -> &str {
        self.0.id()
    }

    /// Intercepts requests whose URL matches one of `globs`; with `None`, all requests.
    fn route(&self, globs: Option<Vec<String>>) -> Operation {
        let (page, routed) = (self.0.clone(), routed(globs));
        operation(async move { page.set_interception(routed).await })
    }

    /// Returns the most recent requests, oldest first.
    fn requests(&self) -> Vec<Request> {
        self.0.requests().into_iter().map(Request).collect()
    }

    #[getter]
    fn context(&self) -> BrowserContext {
        BrowserContext(self.0.context().clone())
    }

    #[getter]
    fn main_frame(&self) -> Frame {
        Frame(self.0.main_frame().clone())
    }

    #[getter]
    fn frames(&self) -> Vec<Frame> {
        self.0.frames().into_iter().map(Frame).collect()
    }

    #[getter]
    fn opener(&self) -> Option<Self> {
        self.0.opener().map(Self)
    }

    #[getter]
    fn has_opener(&self) -> bool {
        self.0.has_opener()
    }

    #[getter]
    fn is_closed(&self) -> bool {
        self.0.is_closed()
    }

    #[getter]
    fn is_crashed(&self) -> bool {
        self.0.is_crashed()
    }

    #[getter]
    fn viewport(&self) -> Option<(u32, u32)> {
        self.0.viewport()
    }

    fn reload(&self, until: &str, timeout_ms: f64) -> PyResult<Operation> {
        let (page, options) = (self.0.clone(), navigate(until, timeout_ms, None)?);
        Ok(operation(async move {
            let arrived = page.reload(&options).await;
            page.main_frame().flush_exposed_calls().await;
            arrived.map(|arrival| name_of(&arrival))
        }))
    }

    /// Goes back in history and returns the outcome; `None` if there is no earlier entry.
    fn go_back(&self, until: &str, timeout_ms: f64) -> PyResult<Operation> {
        let (page, options) = (self.0.clone(), navigate(until, timeout_ms, None)?);
        Ok(operation(async move {
            match page.go_back(&options).await {
                Err(Error::NoHistory { .. }) => Ok(None),
                arrived => arrived.map(|arrival| Some(name_of(&arrival))),
            }
        }))
    }

    fn go_forward(&self, until: &str, timeout_ms: f64) -> PyResult<Operation> {
        let (page, options) = (self.0.clone(), navigate(until, timeout_ms, None)?);
        Ok(operation(async move {
            match page.go_forward(&options).await {
                Err(Error::NoHistory { .. }) => Ok(None),
                arrived => arrived.map(|arrival| Some(name_of(&arrival))),
            }
        }))
    }

    /// Closes the tab. With `ask`, runs `beforeunload` handlers, which may prevent it, and does not wait.
    fn close(&self, ask: bool) -> Operation {
        let page = self.0.clone();
        operation(async move { if ask { page.ask_to_close().await } else { page.close().await } })
    }

    fn bring_to_front(&self) -> Operation {
        let page = self.0.clone();
        operation(async move { page.bring_to_front().await })
    }

    fn answer_dialog(&self, accept: bool, text: Option<String>) -> Operation {
        let page = self.0.clone();
        operation(async move { page.answer_dialog(accept, text).await.map(drop) })
    }

    /// Sets whether file choosers are reported as events instead of shown.
    fn catch_file_choosers(&self, enabled: bool) -> Operation {
        let page = self.0.clone();
        operation(async move { page.catch_file_choosers(enabled).await })
    }

    fn set_viewport(&self, width: u32, height: u32) -> Operation {
        let page = self.0.clone();
        operation(async move { page.resize_viewport(width, height).await })
    }

    fn set_extra_headers(&self, headers: Headers) -> Operation {
        let page = self.0.clone();
        operation(async move { page.set_extra_headers(headers).await })
    }

    fn emulate_media(&self, media: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (page, media) = (self.0.clone(), options::<MediaEmulation>(media)?);
        Ok(operation(async move { page.emulate_media(media).await }))
    }

    /// Adds a locator handler and returns its number. Sends `in_the_way` when its element blocks an action.
    fn add_locator_handler(
        &self,
        selector: &str,
        name: String,
        no_wait_after: bool,
        times: Option<u32>,
        dispatcher: &Dispatcher,
    ) -> PyResult<u64> {
        let locator = self.0.main_frame().locator(selector, false)?;
        let options = LocatorHandlerOptions { name, no_wait_after, times };
        let (queue, key) = (dispatcher.queue(), self.0.instance_id());
        let id = self.0.add_locator_handler(locator, options, move |id| {
            let (ended, end) = oneshot::channel();
            let call = HandlerCall { handler: id.0, ended: Mutex::new(Some(ended)) };
            queue.emit_with("in_the_way", key, call);
            async move { end.await.unwrap_or(Err(Error::Cancelled)) }
        });
        Ok(id.0)
    }

    /// Returns whether a locator handler still exists and may be called again.
    fn has_locator_handler(&self, handler: u64) -> bool {
        self.0.has_locator_handler(LocatorHandlerId(handler))
    }

    fn remove_locator_handler(&self, handler: u64) {
        self.0.remove_locator_handler(LocatorHandlerId(handler));
    }

    /// Exposes a function to the page. Calls become `called` events. `keeps`: the first argument is a handle.
    fn expose(&self, name: String, all_frames: bool, keeps: bool) -> Operation {
        let page = self.0.clone();
        operation(async move { page.expose(&name, all_frames, keeps).await })
    }

    /// Sets whether this page reports console messages and uncaught errors.
    fn set_console_filter(&self, messages: bool, errors: bool) {
        self.0.set_console_filter(ConsoleFilter { messages, errors });
    }

    /// Emits events for console messages that the browser has stored; with `errors`, for uncaught errors too.
    fn replay_console(&self, errors: bool) -> Operation {
        let page = self.0.clone();
        operation(async move { page.replay_console(ConsoleFilter { messages: true, errors }).await })
    }

    fn clear_console(&self) {
        self.0.clear_console();
    }

    fn add_init_script(&self, source: String) -> Operation {
        let page = self.0.clone();
        operation(async move { Ok(InitScript(Arc::new(page.add_init_script(source).await?))) })
    }

    /// Takes a screenshot. `area`: `viewport`, `page` or `element`, and optionally a clip (x, y, width,
    /// height). `masks`: frame and selector of elements to cover. `finish`: see `ScreenshotAdjustments`.
    #[expect(clippy::too_many_arguments, reason = "what to take, how to write it, and what to do meanwhile")]
    fn screenshot(
        &self,
        format: &str,
        quality: Option<u32>,
        area: (&str, Option<[f64; 4]>),
        scale: Option<f64>,
        masks: Vec<(PyRef<'_, Frame>, String)>,
        finish: &Bound<'_, PyAny>,
        timeout_ms: f64,
    ) -> PyResult<Operation> {
        let area = match area {
            ("page", None) => Area::FullPage,
            ("page", Some(clip)) => Area::PageClip(clip),
            ("element", Some(part)) => Area::Part(part),
            (_, Some(clip)) => Area::ViewportClip(clip),
            (_, None) => Area::Viewport,
        };
        let format = match format {
            "jpeg" => ImageFormat::Jpeg,
            "webp" => ImageFormat::Webp,
            _ => ImageFormat::Png,
        };
        let shot = ScreenshotOptions { area, format, quality, scale, at_most: None };
        let (page, limit) = (self.0.clone(), timeout_from_ms(timeout_ms));
        let masks = masks.into_iter().map(|(frame, selector)| frame.0.locator(&selector, false));
        let finish = ScreenshotAdjustments { masks: masks.collect::<Result<_, _>>()?, ..options(finish)? };
        let work = async move {
            let picture = page.adjusted_screenshot(shot, &finish);
            tokio::time::timeout(limit, picture)
                .await
                .unwrap_or_else(|_| Err(Error::WaitRanOut { what: "the picture".to_owned(), waited: limit }))
        };
        Ok(operation_with(work, |py, picture| {
            Ok(pyo3::types::PyBytes::new(py, &picture.bytes).into_any().unbind())
        }))
    }

    /// Waits until the user clicks an element. Returns its selector and a Python expression for its locator.
    /// The page does not receive the click.
    fn pick(&self) -> Operation {
        let page = self.0.clone();
        operation(async move {
            let found = page.pick_locator().await?;
            let written = locator(&found, ScriptLanguage::Python);
            Ok((found.selector(), written.trim_start_matches("page.").to_owned()))
        })
    }

    /// Starts recording the user's actions in this tab as a `python` or `typescript` script.
    fn record_script(&self, language: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (page, language) = (self.0.clone(), options::<ScriptLanguage>(language)?);
        Ok(operation(async move { ScriptRecording::begin(&page, language).await }))
    }

    fn cancel_pick(&self) {
        self.0.cancel_pick_locator();
    }

    fn hide_highlights(&self) {
        self.0.hide_highlights();
    }

    /// Returns the snapshot of the page, with refs. `chosen`: see `SnapshotOptions`.
    fn snapshot(&self, chosen: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (page, options) = (self.0.clone(), options::<SnapshotOptions>(chosen)?);
        Ok(operation(async move { page.outline(&options).await }))
    }

    /// Returns the main content of the page as `text`, `markdown` or `html`.
    fn read(&self, format: String) -> Operation {
        let page = self.0.clone();
        operation(async move {
            let unknown = |_| Error::InvalidArguments {
                problems: vec!["format: expected one of (text|markdown|html)".to_owned()],
            };
            page.built_content(format.parse::<ContentFormat>().map_err(unknown)?).await
        })
    }

    /// Returns a DOM snapshot of each frame for a trace: frame id, URL, doctype, document as JSON text of
    /// nested arrays, and whether it is the main frame.
    fn dom_snapshots(&self, timeout_ms: f64) -> Operation {
        let (page, limit) = (self.0.clone(), timeout_from_ms(timeout_ms));
        operation(async move {
            let slow = || Error::WaitRanOut { what: "the snapshot".to_owned(), waited: limit };
            let taken = tokio::time::timeout(limit, page.dom_snapshots()).await;
            let to_json = |taken: crate::browser::DomSnapshot| {
                json!([taken.frame, taken.url, taken.doctype, taken.html.to_string(), taken.is_main])
            };
            Ok(Plain(taken.unwrap_or_else(|_| Err(slow()))?.into_iter().map(to_json).collect()))
        })
    }

    /// Returns a JPEG screenshot and a snapshot; `None` if the page does not respond within `limit_ms`.
    fn glimpse(&self, py: Python<'_>, limit_ms: f64) -> PyResult<Option<(Py<PyAny>, String)>> {
        let (page, limit) = (self.0.clone(), timeout_from_ms(limit_ms));
        let shot = ScreenshotOptions {
            format: ImageFormat::Jpeg,
            quality: Some(70),
            ..ScreenshotOptions::default()
        };
        let (finish, outline) = (
            ScreenshotAdjustments::default(),
            SnapshotOptions { max_chars: Some(4_000), ..Default::default() },
        );
        let look =
            async { tokio::try_join!(page.adjusted_screenshot(shot, &finish), page.outline(&outline)) };
        let seen = block_on(py, async { tokio::time::timeout(limit, Box::pin(look)).await })?;
        Ok(seen.ok().and_then(Result::ok).map(|(picture, outline)| {
            (pyo3::types::PyBytes::new(py, &picture.bytes).into_any().unbind(), outline)
        }))
    }

    /// Returns the challenge (login, captcha, …) that the page shows, or `None`. `asked`: the requested URL.
    #[pyo3(name = "wall")]
    fn challenge(&self, asked: Option<String>, acts: bool) -> Operation {
        let page = self.0.clone();
        operation(async move {
            let asked = asked.unwrap_or_else(|| page.url_before_redirects());
            let refused = |error: url::ParseError| Error::UrlRefused { reason: error.to_string() };
            let asked = url::Url::parse(&asked).map_err(refused)?;
            let purpose = if acts { VisitPurpose::Action } else { VisitPurpose::Content };
            let to_json = |challenge: Challenge| json!({ "kind": challenge.kind, "url": challenge.url, "what": challenge.what });
            Ok(detect_challenge(&page, &asked, purpose).await?.map(|challenge| Plain(to_json(challenge))))
        })
    }

    fn pdf(&self, chosen: &Bound<'_, PyAny>) -> PyResult<Operation> {
        let (page, options) = (self.0.clone(), options::<PdfOptions>(chosen)?);
        let work = async move { page.pdf(&options).await };
        Ok(operation_with(work, |py, bytes| Ok(pyo3::types::PyBytes::new(py, &bytes).into_any().unbind())))
    }

    // Mouse, keyboard and touch input.

    fn mouse_move(&self, x: f64, y: f64, steps: u32) -> Operation {
        let mouse = self.0.mouse();
        operation(async move {
            let to = Point::new(x, y);
            if steps > 1 { mouse.move_in_steps(to, steps).await } else { mouse.move_to(to).await }
        })
    }

    fn mouse_down(&self, name: &str, count: u32) -> PyResult<Operation> {
        let (mouse, button) = (self.0.mouse(), button(name)?);
        Ok(operation(async move { mouse.down(button, count).await }))
    }

    fn mouse_up(&self, name: &str, count: u32) -> PyResult<Operation> {
        let (mouse, button) = (self.0.mouse(), button(name)?);
        Ok(operation(async move { mouse.up(button, count).await }))
    }

    fn mouse_click(&self, x: f64, y: f64, name: &str, count: u32, delay_ms: f64) -> PyResult<Operation> {
        let (mouse, button) = (self.0.mouse(), button(name)?);
        let options =
            ClickOptions { button, count, hold: duration_from_ms(delay_ms), ..ClickOptions::default() };
        Ok(operation(async move { mouse.click_in_turn(Point::new(x, y), &options).await }))
    }

    fn mouse_wheel(&self, delta_x: f64, delta_y: f64) -> Operation {
        let mouse = self.0.mouse();
        operation(async move { mouse.wheel(delta_x, delta_y).await })
    }

    fn touch_tap(&self, x: f64, y: f64) -> Operation {
        let touch = self.0.touch();
        operation(async move { touch.tap(Point::new(x, y)).await })
    }

    fn key_down(&self, key: String) -> Operation {
        let keyboard = self.0.keyboard();
        operation(async move { keyboard.down(&key).await })
    }

    fn key_up(&self, key: String) -> Operation {
        let keyboard = self.0.keyboard();
        operation(async move { keyboard.up(&key).await })
    }

    fn key_press(&self, key: String, delay_ms: f64) -> Operation {
        let keyboard = self.0.keyboard();
        operation(async move { keyboard.press_for(&key, duration_from_ms(delay_ms)).await })
    }

    fn key_type(&self, text: String, delay_ms: f64) -> Operation {
        let keyboard = self.0.keyboard();
        operation(async move { keyboard.type_text(&text, duration_from_ms(delay_ms)).await })
    }

    fn key_insert(&self, text: String) -> Operation {
        let keyboard = self.0.keyboard();
        operation(async move { keyboard.insert_text(&text).await })
    }
}
