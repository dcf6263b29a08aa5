//! Functions that pages can call and that the client answers. CDP bindings do not survive a navigation.
//! Instead, a script in the page queues the calls, and a pending evaluation fetches them.
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::timeout;

use super::handle::JsHandle;
use super::value::JsValue;
use crate::browser::injected::as_function;
use crate::browser::objects::context::BrowserContext;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::listeners::{Listener, Listeners};
use crate::browser::objects::page::{Page, unless_closed};
use crate::browser::objects::world::ScriptWorld;
use crate::cdp::types::page::AddScriptToEvaluateOnNewDocument;
use crate::error::{Error, Result};

const EXPOSED: &str = include_str!("../injected/exposed.js");

/// A function that pages can call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExposedFunction {
    name: Arc<str>,
    /// A secret that distinguishes our calls of the function from those of the page.
    token: Arc<str>,
    /// Whether the function is also exposed to frames of other sites and to empty frames.
    all_frames: bool,
    /// Whether a call's first argument is reported as a handle, and not as a value.
    passes_handle: bool,
}

/// A page's call of an exposed function, which waits for its answer.
#[derive(Debug, Clone)]
pub struct ExposedCall {
    pub frame: Frame,
    pub name: Arc<str>,
    pub arguments: Vec<JsValue>,
    /// The handle of the first argument, if the function was exposed with `passes_handle`.
    pub kept: Option<JsHandle>,
    token: Arc<str>,
    number: f64,
}

/// The init scripts and exposed functions of a context.
#[derive(Default)]
pub(in crate::browser) struct ContextScripts {
    /// The init script that runs before all others.
    pub(super) opening: Mutex<Option<String>>,
    pub(super) exposures: Mutex<Vec<ExposedFunction>>,
}

/// The init scripts and exposed functions of a page, in addition to those of its context.
#[derive(Default)]
pub(in crate::browser) struct PageScripts {
    pub(super) init_scripts: Mutex<Vec<String>>,
    pub(super) exposures: Mutex<Vec<ExposedFunction>>,
    pub(super) callers: Listeners<ExposedCall>,
}

/// The documents to which a script adds an exposed function. A frame at `about:blank` is empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
enum Where {
    Everywhere,
    /// Every document except those of empty child frames.
    Filled,
    /// Only documents of empty child frames.
    Empty,
}

impl ExposedFunction {
    pub fn new(name: &str, all_frames: bool, passes_handle: bool) -> Self {
        Self {
            name: Arc::from(name),
            token: uuid::Uuid::new_v4().to_string().into(),
            all_frames,
            passes_handle,
        }
    }

    /// The script that adds the function to a document.
    fn script(&self, place: Where) -> String {
        let text = |text: &str| serde_json::Value::from(text).to_string();
        let (name, token, place) = (text(&self.name), text(&self.token), text(place.into()));
        format!("({})({name}, {token}, {place}, {})", as_function(EXPOSED), self.passes_handle)
    }

    /// Returns the init script for the session of a page or an out-of-process frame; `None` if not needed.
    pub(in crate::browser) fn script_for(&self, is_page: bool) -> Option<String> {
        match (self.all_frames, is_page) {
            (true, _) => Some(self.script(Where::Everywhere)),
            (false, true) => Some(self.script(Where::Filled)),
            // An out-of-process frame belongs to another site.
            (false, false) => None,
        }
    }

    /// Whether new documents of `frame` get the function.
    fn belongs_in(&self, frame: &Frame) -> bool {
        let Ok(page) = frame.page() else { return false };
        let is_empty = frame.parent().is_some() && is_empty_address(&frame.url());
        self.all_frames || (frame.session().id() == page.session().id() && !is_empty)
    }

    /// Whether `script` contains the function's name.
    fn is_named_in(&self, script: &str) -> bool {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        script.match_indices(&*self.name).any(|(at, name)| {
            !script[..at].ends_with(is_word) && !script[at + name.len()..].starts_with(is_word)
        })
    }

    /// Returns the arguments of [`ASK`] for an operation: the function's name, the token, and the operation.
    fn ask(&self, what: &str) -> Vec<JsValue> {
        [&*self.name, &*self.token, what].map(|text| JsValue::Text(text.to_owned())).into()
    }
}

/// Whether a frame with this URL is empty: `about:blank`, or no URL yet.
fn is_empty_address(url: &str) -> bool {
    url.is_empty() || url.starts_with("about:blank")
}

const ASK: &str = "([name, ...rest]) => globalThis[name]?.(...rest)";

impl ExposedCall {
    /// Answers the call: resolves its promise in the page with a value, or rejects it with an error.
    pub async fn answer(&self, value: Result<JsValue, JsValue>) -> Result<()> {
        let (name, token) = (self.name.clone(), self.token.clone());
        let exposure = ExposedFunction { name, token, all_frames: false, passes_handle: false };
        let (what, value) = match value {
            Ok(value) => ("done", value),
            Err(error) => ("fail", error),
        };
        let mut items = exposure.ask(what);
        items.extend([JsValue::Number(self.number), value]);
        let realm = self.frame.realm(ScriptWorld::Main).await?;
        realm.evaluate(ASK, &JsValue::Array { number: 0, items }).await.map(drop)
    }
}

impl BrowserContext {
    /// Exposes a function to all current and future pages of this context. [`Page::listen_to_calls`] reports the calls.
    ///
    /// All same-site frames except empty ones get the function. Other frames get it if `all_frames` is set,
    /// or once a user's script that runs in them contains its name. With `passes_handle`, the first argument of each
    /// call is reported as a handle.
    pub async fn expose(&self, name: &str, all_frames: bool, passes_handle: bool) -> Result<()> {
        let mut exposure = ExposedFunction::new(name, all_frames, passes_handle);
        exposure.all_frames |= self.options().init_scripts.iter().any(|script| exposure.is_named_in(script));
        self.extension::<ContextScripts>().exposures.lock().push(exposure.clone());
        for page in self.pages() {
            unless_closed(page.add_exposure(&exposure).await)?;
        }
        Ok(())
    }

    /// Adds each function that `script` names to all frames, because `script` will run in all of them.
    pub(in crate::browser) async fn expose_to_all_frames(&self, script: &str) -> Result<()> {
        let widened = extend_named(&mut self.extension::<ContextScripts>().exposures.lock(), script);
        for page in self.pages() {
            unless_closed(page.add_to_all_frames(&widened).await)?;
        }
        Ok(())
    }
}

/// Sets `all_frames` on the exposures whose name occurs in `script`, and returns those that did not have it.
fn extend_named(exposures: &mut [ExposedFunction], script: &str) -> Vec<ExposedFunction> {
    let named = exposures.iter_mut().filter(|exposure| !exposure.all_frames && exposure.is_named_in(script));
    named
        .map(|exposure| {
            exposure.all_frames = true;
            exposure.clone()
        })
        .collect()
}

impl Page {
    /// Exposes a function to this page, as [`BrowserContext::expose`] does for all pages.
    pub async fn expose(&self, name: &str, all_frames: bool, passes_handle: bool) -> Result<()> {
        let mut exposure = ExposedFunction::new(name, all_frames, passes_handle);
        let mut scripts = self.context().options().init_scripts;
        scripts.extend(self.extension::<PageScripts>().init_scripts.lock().iter().cloned());
        exposure.all_frames |= scripts.iter().any(|script| exposure.is_named_in(script));
        self.extension::<PageScripts>().exposures.lock().push(exposure.clone());
        self.add_exposure(&exposure).await
    }

    /// Adds each of this page's functions that `script` names to all frames, because `script` will run there.
    pub(in crate::browser) async fn expose_to_all_frames(&self, script: &str) -> Result<()> {
        let widened = extend_named(&mut self.extension::<PageScripts>().exposures.lock(), script);
        self.add_to_all_frames(&widened).await
    }

    /// Subscribes to calls of exposed functions.
    pub fn listen_to_calls(&self, listener: Listener<ExposedCall>) {
        self.extension::<PageScripts>().callers.add(listener);
    }

    /// Adds the function to existing and future documents.
    async fn add_exposure(&self, exposure: &ExposedFunction) -> Result<()> {
        for session in self.sessions() {
            if let Some(source) = exposure.script_for(session.id() == self.session().id()) {
                session.call(AddScriptToEvaluateOnNewDocument { source, ..Default::default() }).await?;
            }
        }
        for frame in self.frames() {
            if exposure.belongs_in(&frame) {
                frame.place(exposure).await?;
            }
        }
        Ok(())
    }

    /// Adds functions to the documents that do not have them.
    async fn add_to_all_frames(&self, exposures: &[ExposedFunction]) -> Result<()> {
        for exposure in exposures {
            for session in self.sessions() {
                let is_page = session.id() == self.session().id();
                let source = exposure.script(if is_page { Where::Empty } else { Where::Everywhere });
                session.call(AddScriptToEvaluateOnNewDocument { source, ..Default::default() }).await?;
            }
            for frame in self.frames() {
                frame.place(exposure).await?;
            }
        }
        Ok(())
    }

    /// Starts to receive the calls of exposed functions from a frame's new document.
    pub(in crate::browser) fn serve_document(&self, frame: &Frame) {
        for exposure in self.all_exposures() {
            if exposure.belongs_in(frame) && frame.record_exposure(&frame.loader_id(), &exposure.token) {
                self.serve(frame, exposure);
            }
        }
    }

    /// Returns the exposed functions of this page and of its context.
    fn all_exposures(&self) -> Vec<ExposedFunction> {
        let mut exposures = self.context().extension::<ContextScripts>().exposures.lock().clone();
        exposures.extend(self.extension::<PageScripts>().exposures.lock().iter().cloned());
        exposures
    }

    /// Forwards each call of the exposed function in this frame to its listeners, until the frame's document is gone.
    fn serve(&self, frame: &Frame, exposure: ExposedFunction) {
        let (page, frame, loader) = (self.downgrade(), frame.clone(), frame.loader_id());
        tokio::spawn(async move {
            while frame.loader_id() == loader {
                let Ok(JsValue::Array { items: calls, .. }) = frame.ask_exposed(&exposure, "next").await
                else {
                    return;
                };
                let Some(page) = page.upgrade() else { return };
                for call in calls {
                    let JsValue::Array { items, .. } = call else { return };
                    let [JsValue::Number(number), JsValue::Array { items: arguments, .. }] = items.as_slice()
                    else {
                        return;
                    };
                    let kept = match exposure.passes_handle {
                        true => match frame.first_argument_of(&exposure, *number).await {
                            Ok(kept) => Some(kept),
                            Err(_) => return,
                        },
                        false => None,
                    };
                    page.extension::<PageScripts>().callers.emit(&ExposedCall {
                        kept,
                        frame: frame.clone(),
                        name: exposure.name.clone(),
                        arguments: arguments.clone(),
                        token: exposure.token.clone(),
                        number: *number,
                    });
                }
            }
        });
    }
}

impl Frame {
    /// Adds a function to the document, unless the document has it.
    async fn place(&self, exposure: &ExposedFunction) -> Result<()> {
        let placed = async {
            let (page, loader) = (self.page()?, self.loader_id());
            let realm = self.realm(ScriptWorld::Main).await?;
            if self.record_exposure(&loader, &exposure.token) {
                let script = format!("() => {{ {} }}", exposure.script(Where::Everywhere));
                realm.evaluate_unprepared(&script, &JsValue::Undefined).await?;
                page.serve(self, exposure.clone());
            }
            Ok(())
        };
        match placed.await {
            Err(Error::DocumentGone | Error::FrameDetached | Error::PageClosed) => Ok(()),
            placed => placed,
        }
    }

    /// Adds each of these functions to the document, unless the document has it.
    pub(in crate::browser) async fn place_all(&self, exposures: &[ExposedFunction]) -> Result<()> {
        for exposure in exposures {
            self.place(exposure).await?;
        }
        Ok(())
    }

    /// Returns the exposed functions that a user's script calls and that the document does not have.
    pub(in crate::browser) fn missing_functions(&self, script: &str) -> Vec<ExposedFunction> {
        let Ok(page) = self.page() else { return Vec::new() };
        let mut exposures = page.all_exposures();
        exposures.retain(|exposure| exposure.is_named_in(script) && !exposure.belongs_in(self));
        exposures
    }

    /// Returns a handle of the first argument of call `number`.
    async fn first_argument_of(&self, exposure: &ExposedFunction, number: f64) -> Result<JsHandle> {
        let mut items = exposure.ask("given");
        items.push(JsValue::Number(number));
        let ask = JsValue::Array { number: 0, items };
        self.realm(ScriptWorld::Main).await?.evaluate_handle(ASK, &ask).await
    }

    async fn ask_exposed(&self, exposure: &ExposedFunction, what: &str) -> Result<JsValue> {
        let ask = JsValue::Array { number: 0, items: exposure.ask(what) };
        self.realm(ScriptWorld::Main).await?.evaluate_despite_dialog(ASK, &ask).await
    }

    /// Waits until all calls made so far were reported to the listeners, at most 1 s per function.
    pub async fn flush_exposed_calls(&self) {
        const LIMIT: Duration = Duration::from_secs(1);
        let Ok(page) = self.page() else { return };
        let exposures = page.all_exposures().into_iter();
        for exposure in exposures.filter(|exposure| self.has_exposure(&exposure.token)) {
            // A document that was just created may not have the function yet.
            let _ = timeout(LIMIT, self.ask_exposed(&exposure, "reported")).await;
        }
    }
}
