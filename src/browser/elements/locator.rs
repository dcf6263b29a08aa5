//! Locators: descriptions of elements that are resolved anew at each use, with retries until a time limit.
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::actionability::rest_before;
use super::closed_roots::{learn_more_closed_roots, look_through};
use super::element::ElementHandle;
use super::selector::{By, RoleOptions, Selector, SelectorChain, TextMatch, test_id_attribute};
use crate::browser::objects::frame::Frame;
use crate::browser::objects::world::{RemoteHandle, ScriptWorld, UtilityWorld, value_argument};
use crate::browser::scripts::handle::{JsHandle, NO_LIMIT, as_two_parameters};
use crate::browser::scripts::value::JsValue;
use crate::cdp::types::runtime::CallArgument;
use crate::error::{ElementKind, Error, RequiredElementKind, Result};
use crate::json::decode;

/// A selector with the frame or element to search in. Resolved anew at each use. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Locator {
    frame: Frame,
    /// Searches within this element instead of the whole document.
    root: Option<ElementHandle>,
    selector: Arc<Selector>,
    /// Whether several matches are an error.
    strict: bool,
}

/// The state of an element that [`Locator::wait_for`] waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WaitForState {
    Attached,
    Detached,
    Visible,
    Hidden,
}

/// The object id of the array of matches in serialized arguments, distinct from all ids in a user's argument.
const ALL: u64 = u64::MAX;

/// The pauses between the first attempts to find an element, in milliseconds.
const PAUSES_MS: [u64; 7] = [0, 10, 20, 50, 100, 100, 200];
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

pub(in crate::browser) fn pauses() -> impl Iterator<Item = Duration> {
    PAUSES_MS.into_iter().map(Duration::from_millis).chain(std::iter::repeat(LONGEST_PAUSE))
}

/// Converts a time limit in milliseconds to a duration. A limit of zero or less means no limit.
pub fn timeout_from_ms(limit_ms: f64) -> Duration {
    if limit_ms > 0.0 { Duration::from_secs_f64(limit_ms / 1000.0).min(NO_LIMIT) } else { NO_LIMIT }
}

/// Converts milliseconds to a duration. Returns `None` for zero and negative values.
pub fn duration_from_ms(ms: f64) -> Option<Duration> {
    (ms > 0.0).then(|| Duration::from_secs_f64(ms / 1000.0))
}

/// Locators by user-visible properties. They are strict: an action fails if there are several matches.
///
/// # Errors `invalid_selector` for an invalid regular expression.
impl Frame {
    /// Locates elements by role and other properties.
    pub fn by_role(&self, role: &str, options: &RoleOptions) -> Result<Locator> {
        self.by(&By::role(role, options))
    }

    /// Locates elements by their text.
    pub fn by_text(&self, text: impl Into<TextMatch>) -> Result<Locator> {
        self.by(&By::text(text))
    }

    /// Locates controls by their label.
    pub fn by_label(&self, text: impl Into<TextMatch>) -> Result<Locator> {
        self.by(&By::label(text))
    }

    /// Locates fields by their placeholder.
    pub fn by_placeholder(&self, text: impl Into<TextMatch>) -> Result<Locator> {
        self.by(&By::attribute("placeholder", text))
    }

    /// Locates images by their alternative text.
    pub fn by_alt_text(&self, text: impl Into<TextMatch>) -> Result<Locator> {
        self.by(&By::attribute("alt", text))
    }

    /// Locates elements by their `title` attribute.
    pub fn by_title(&self, text: impl Into<TextMatch>) -> Result<Locator> {
        self.by(&By::attribute("title", text))
    }

    /// Locates elements by their test id. A text must equal the full id.
    pub fn by_test_id(&self, id: impl Into<TextMatch>) -> Result<Locator> {
        self.by(&By::test_id(id))
    }

    /// Locates elements with a selector built by [`By`].
    pub fn by(&self, by: &By) -> Result<Locator> {
        self.locator(by.as_str(), true)
    }
}

impl Frame {
    /// Locates elements in this frame. If `strict`, several matches are an error.
    pub fn locator(&self, selector: &str, strict: bool) -> Result<Locator> {
        let selector = Arc::new(Selector::parse(selector)?);
        Ok(Locator { frame: self.clone(), root: None, selector, strict })
    }
}

impl ElementHandle {
    /// Locates elements within this element. If `strict`, several matches are an error.
    pub fn locator(&self, selector: &str, strict: bool) -> Result<Locator> {
        let selector = Arc::new(Selector::parse(selector)?);
        Ok(Locator { frame: self.frame().clone(), root: Some(self.clone()), selector, strict })
    }

    /// Returns the frame that this element embeds. `DocumentGone` while that frame is attached or detached.
    async fn shown_frame(&self) -> Result<Frame> {
        if let Some(frame) = self.content_frame().await? {
            return Ok(frame);
        }
        let name = self.handle().describe().await?.local_name;
        Err(match name.as_str() {
            "iframe" | "frame" => Error::DocumentGone,
            _ => Error::WrongElement { found: ElementKind::default(), needed: RequiredElementKind::Frame },
        })
    }

    /// Returns the frame that this element embeds; `None` if it embeds none.
    pub async fn content_frame(&self) -> Result<Option<Frame>> {
        let node = self.handle().describe().await?;
        let page = self.frame().page()?;
        let is_owner =
            node.content_document.is_some() || matches!(node.local_name.as_str(), "iframe" | "frame");
        Ok(node.frame_id.filter(|_| is_owner).and_then(|id| page.frame_by_id(&id)))
    }

    /// Returns the frame whose document contains this element now. A script may have moved it to another one.
    pub async fn owner_frame(&self) -> Result<Option<Frame>> {
        let Some(root) =
            self.world().call_handle("documentElementOf", vec![self.handle().argument()]).await?
        else {
            return Ok(None);
        };
        let root = root.describe().await?;
        let pages = self.frame().page()?.context().pages();
        Ok(root.frame_id.and_then(|id| pages.iter().find_map(|page| page.frame_by_id(&id))))
    }
}

impl Locator {
    /// Enters the selector's frames. Returns the innermost world, chain and root; `None` if one is missing.
    pub(in crate::browser) async fn innermost(
        &self,
    ) -> Result<Option<(UtilityWorld, &SelectorChain, Option<RemoteHandle>)>> {
        let chains = self.selector.chains();
        let mut frame = match chains[0].leading_ref() {
            Some(reference) => self.frame.page()?.frame_of_ref(reference)?,
            None if self.selector.searches_all_frames() => match self.frame_that_has(&chains[0]).await? {
                Some(frame) => frame,
                None => return Ok(None),
            },
            None => self.frame.clone(),
        };
        let mut root = self.root.as_ref().map(|root| root.handle().clone());
        for chain in &chains[..chains.len() - 1] {
            let world = frame.utility_world().await?;
            // Always strict: entering a frame requires a single frame element.
            let Some(owner) = pick(&world, chain, root.take(), true, true).await? else { return Ok(None) };
            frame = ElementHandle::new(world, owner).shown_frame().await?;
        }
        let world = match &self.root {
            Some(element) if chains.len() == 1 && chains[0].leading_ref().is_none() => {
                element.world().clone()
            }
            _ => frame.utility_world().await?,
        };
        Ok(Some((world, &chains[chains.len() - 1], root)))
    }

    /// Returns the first frame in which `chain` has a match, starting with the locator's own frame.
    async fn frame_that_has(&self, chain: &SelectorChain) -> Result<Option<Frame>> {
        let page = self.frame.page()?;
        let others = page.frames().into_iter().filter(|frame| *frame != self.frame);
        for frame in std::iter::once(self.frame.clone()).chain(others) {
            let look = async {
                let arguments = vec![value_argument(chain), value_argument(&Value::Null)];
                frame.utility_world().await?.call_with::<usize>("count", arguments).await
            };
            match look.await.map_err(Selector::from_script_error) {
                Ok(0) | Err(Error::DocumentGone | Error::FrameDetached) => {}
                Ok(_) => return Ok(Some(frame)),
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Whether `error` is temporary because a document, an element or a frame is being replaced.
    pub(super) fn passes(&self, error: &Error) -> bool {
        let leads_into_frames = self.selector.chains().len() > 1 || self.selector.searches_all_frames();
        is_passing(error) || (leads_into_frames && is_of_a_frame(error) && !self.frame.is_detached())
    }

    /// Repeats `look` while it fails with temporary errors, for at most `NEW_DOCUMENT_LIMIT`.
    async fn while_passing<T, Looking: Future<Output = Result<T>>>(
        &self,
        look: impl Fn() -> Looking,
    ) -> Result<T> {
        let deadline = Instant::now() + NEW_DOCUMENT_LIMIT;
        let mut pauses = pauses();
        loop {
            rest_before(deadline, pauses.next().unwrap_or_default()).await;
            match look().await {
                Err(error) if self.passes(&error) && Instant::now() < deadline => {}
                looked => return looked,
            }
        }
    }

    /// Returns the matching element without waiting for it; `None` if there is no match.
    pub async fn query_element(&self) -> Result<Option<ElementHandle>> {
        self.while_passing(|| self.found(false)).await
    }

    /// Like [`query_element`](Self::query_element), but looks only once. `waits`: the caller retries.
    pub(super) async fn found(&self, waits: bool) -> Result<Option<ElementHandle>> {
        let Some((world, chain, root)) = self.innermost().await? else { return Ok(None) };
        let found = pick(&world, chain, root, self.strict, waits).await?;
        Ok(found.map(|node| ElementHandle::new(world, node)))
    }

    /// Whether the element exists now and is visible.
    pub async fn is_visible(&self) -> Result<bool> {
        let look = || async {
            match self.found(false).await? {
                Some(element) => element.is_visible().await,
                None => Ok(false),
            }
        };
        self.while_passing(look).await
    }

    /// Returns all current matches in document order.
    pub async fn all(&self) -> Result<Vec<ElementHandle>> {
        self.while_passing(|| self.all_now()).await
    }

    async fn all_now(&self) -> Result<Vec<ElementHandle>> {
        let elements = self.all_known().await?;
        if elements.is_empty()
            && let Some((world, ..)) = self.innermost().await?
            && learn_more_closed_roots(&world, false).await?
        {
            return self.all_known().await;
        }
        Ok(elements)
    }

    /// Like [`all`](Self::all), without elements in closed shadow roots that were not discovered yet.
    async fn all_known(&self) -> Result<Vec<ElementHandle>> {
        let Some((world, list)) = self.all_as_array().await? else { return Ok(Vec::new()) };
        let items = list.items().await?.into_iter();
        Ok(items.map(|item| ElementHandle::new(world.clone(), item)).collect())
    }

    /// Returns all current matches as one JavaScript array, with its isolated world.
    pub async fn all_as_array(&self) -> Result<Option<(UtilityWorld, RemoteHandle)>> {
        let Some((world, chain, root)) = self.innermost().await? else { return Ok(None) };
        let arguments = vec![value_argument(chain), root_argument(root.as_ref())];
        let list = world.call_handle("select", arguments).await.map_err(Selector::from_script_error)?;
        Ok(list.map(|list| (world, list)))
    }

    /// Returns a handle of one JavaScript array with all current matches.
    pub async fn all_as_array_handle(&self) -> Result<JsHandle> {
        self.while_passing(|| self.list_now()).await
    }

    async fn list_now(&self) -> Result<JsHandle> {
        // `count_now` also searches closed shadow roots if nothing matches elsewhere.
        self.count_now().await?;
        match self.all_as_array().await? {
            Some((world, list)) => Ok(JsHandle::of_list(&world, list)),
            None => Err(Error::ElementNotFound { waited: Duration::ZERO }),
        }
    }

    /// Calls the function `script` with an array of all current matches and `argument`.
    pub async fn evaluate_all(
        &self,
        script: &str,
        argument: &JsValue,
        scope: ScriptWorld,
    ) -> Result<JsValue> {
        if scope == ScriptWorld::Isolated {
            return self.all_as_array_handle().await?.evaluate(script, argument, Some(scope)).await;
        }
        let elements = self.all().await?;
        let items = elements.iter().map(|element| JsValue::Handle(JsHandle::of_element(element))).collect();
        let list = JsValue::Array { number: ALL, items };
        let both = JsValue::Array { number: 0, items: vec![list, argument.clone()] };
        self.frame.realm(scope).await?.evaluate(&as_two_parameters(script), &both).await
    }

    /// Returns an array of texts, one for each match: `innerText` if `rendered`, otherwise `textContent`.
    pub async fn all_texts(&self, rendered: bool) -> Result<Value> {
        self.while_passing(|| self.texts_now(rendered)).await
    }

    async fn texts_now(&self, drawn: bool) -> Result<Value> {
        let Some((world, chain, root)) = self.innermost().await? else {
            return Err(Error::ElementNotFound { waited: Duration::ZERO });
        };
        let read = || async {
            let arguments = vec![value_argument(chain), root_argument(root.as_ref()), value_argument(&drawn)];
            world.call_with("textsOf", arguments).await.map_err(Selector::from_script_error)
        };
        look_through(&world, false, read, |texts: &Value| texts.as_array().is_some_and(Vec::is_empty)).await
    }

    /// Returns the number of current matches.
    pub async fn count(&self) -> Result<usize> {
        self.while_passing(|| self.count_now()).await
    }

    async fn count_now(&self) -> Result<usize> {
        let Some((world, chain, root)) = self.innermost().await? else { return Ok(0) };
        let count = || async {
            let arguments = vec![value_argument(chain), root_argument(root.as_ref())];
            world.call_with("count", arguments).await.map_err(Selector::from_script_error)
        };
        look_through(&world, false, count, |count| *count == 0).await
    }

    /// Waits for the element and calls `act` with it and the time left. Retries if the element is replaced.
    pub async fn with_element<T, Doing: Future<Output = Result<T>>>(
        &self,
        limit: Duration,
        act: impl FnMut(ElementHandle, Duration) -> Doing,
    ) -> Result<T> {
        self.with_locator_handlers(limit, true, act).await
    }

    /// Like [`with_element`](Self::with_element). If `clears`, runs locator handlers before each attempt.
    pub(super) async fn with_locator_handlers<T, Doing: Future<Output = Result<T>>>(
        &self,
        limit: Duration,
        clears: bool,
        mut act: impl FnMut(ElementHandle, Duration) -> Doing,
    ) -> Result<T> {
        let deadline = Instant::now() + limit;
        let mut last = Error::ElementNotFound { waited: limit };
        for pause in pauses() {
            rest_before(deadline, pause).await;
            if clears {
                self.run_locator_handlers(limit, deadline).await?;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            match timeout_at(deadline, self.found(true)).await {
                Ok(Ok(Some(element))) => match act(element, left).await {
                    Err(error) if self.passes(&error) => last = error,
                    done => return done,
                },
                Ok(Ok(None)) => {
                    self.refuse_stale_ref().await?;
                    last = Error::ElementNotFound { waited: limit };
                }
                Ok(Err(error)) if self.passes(&error) => last = error,
                Ok(Err(error)) => return Err(error),
                Err(_) => break,
            }
            if Instant::now() >= deadline {
                break;
            }
            if self.frame.is_detached() {
                return Err(self.frame.detached_error());
            }
        }
        Err(match last {
            last if self.passes(&last) => Error::ElementNotFound { waited: limit },
            other => other,
        })
    }

    /// Runs locator handlers, if the page is open.
    pub(super) async fn run_locator_handlers(&self, limit: Duration, deadline: Instant) -> Result<()> {
        match self.frame.page() {
            Ok(page) => page.run_locator_handlers(limit, deadline).await,
            // The search for the element reports a closed page.
            Err(_) => Ok(()),
        }
    }

    /// Fails if the locator begins with a ref whose element is gone, since such an element does not come back.
    async fn refuse_stale_ref(&self) -> Result<()> {
        let Some(reference) = self.selector.chains()[0].leading_ref() else { return Ok(()) };
        let frame = self.frame.page()?.frame_of_ref(reference)?;
        match ElementHandle::by_ref(&frame, reference.element).await {
            Ok(None) => Err(Error::StaleRef { target: reference.to_string(), again: None }),
            Err(error) if !is_passing(&error) => Err(error),
            _ => Ok(()),
        }
    }

    /// Waits until the element is attached, visible, hidden or detached. Returns the element, if there is one.
    pub async fn wait_for(&self, presence: WaitForState, limit: Duration) -> Result<Option<ElementHandle>> {
        let deadline = Instant::now() + limit;
        let gone = matches!(presence, WaitForState::Detached | WaitForState::Hidden);
        for pause in pauses() {
            rest_before(deadline, pause).await;
            self.run_locator_handlers(limit, deadline).await?;
            let look = async {
                let Some(element) = self.found(!gone).await? else { return Ok((gone, None)) };
                Ok(match presence {
                    WaitForState::Attached => (true, Some(element)),
                    WaitForState::Detached => (false, Some(element)),
                    WaitForState::Visible => (element.is_visible().await?, Some(element)),
                    WaitForState::Hidden => (!element.is_visible().await?, None),
                })
            };
            match timeout_at(deadline, look).await {
                Ok(Ok((true, element))) => return Ok(element),
                Ok(Err(error)) if !self.passes(&error) => return Err(error),
                Ok(_) if Instant::now() < deadline && !self.frame.is_detached() => {
                    if !gone {
                        self.refuse_stale_ref().await?;
                    }
                }
                _ => break,
            }
        }
        if self.frame.is_detached() && Instant::now() < deadline {
            return Err(self.frame.detached_error());
        }
        Err(Error::ElementNotFound { waited: limit })
    }
}

/// Whether an error is temporary: a document or an element is being replaced.
pub(in crate::browser) fn is_passing(error: &Error) -> bool {
    matches!(error, Error::StaleRef { .. } | Error::DocumentGone)
}

/// How long to wait for a new document while the old one is being replaced.
const NEW_DOCUMENT_LIMIT: Duration = Duration::from_secs(5);

/// Whether the error can come from a frame that was detached during the operation.
fn is_of_a_frame(error: &Error) -> bool {
    match error {
        Error::FrameDetached | Error::Unreadable { .. } => true,
        Error::Protocol { message, .. } => {
            ["Frame with the given id was not found", "No node with given id", "Could not find node"]
                .iter()
                .any(|known| message.contains(known))
        }
        _ => false,
    }
}

/// Returns the search root as an argument for an injected function: null for the whole document.
pub(in crate::browser) fn root_argument(root: Option<&RemoteHandle>) -> CallArgument {
    root.map_or_else(|| value_argument(&Value::Null), RemoteHandle::argument)
}

/// Returns the first match of a chain. `strict`: several matches are an error. `waits`: the caller retries.
async fn pick(
    world: &UtilityWorld,
    chain: &SelectorChain,
    root: Option<RemoteHandle>,
    strict: bool,
    waits: bool,
) -> Result<Option<RemoteHandle>> {
    let test_id = if strict { test_id_argument() } else { value_argument(&Value::Null) };
    let pick = || async {
        let arguments = vec![value_argument(chain), root_argument(root.as_ref()), test_id.clone()];
        world
            .call_handle("pick", arguments)
            .await
            .map_err(|error| not_unique(Selector::from_script_error(error)))
    };
    look_through(world, waits, pick, Option::is_none).await
}

/// Returns the name of the test id attribute as an argument for an injected function.
pub(in crate::browser) fn test_id_argument() -> CallArgument {
    value_argument(&test_id_attribute())
}

/// Converts the exception that `pick` throws for several matches to [`Error::NotUnique`].
pub(in crate::browser) fn not_unique(error: Error) -> Error {
    #[derive(Deserialize)]
    struct Several {
        count: usize,
        previews: Vec<String>,
        /// A locator for each match: `{by, text, name, exact, nth}`.
        ways: Vec<Value>,
    }
    let Error::Script { message } = &error else { return error };
    let several = message.strip_prefix("NotUnique: ").and_then(|rest| rest.lines().next());
    match several.and_then(|json| decode::<Several>(json.as_bytes()).ok()) {
        Some(Several { count, previews, ways }) => {
            Error::NotUnique { count, previews, ways: ways.iter().map(Value::to_string).collect() }
        }
        None => error,
    }
}
