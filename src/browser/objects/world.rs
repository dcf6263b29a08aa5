//! Isolated worlds, one for each document. The injected JavaScript runs there, invisible to the page.
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::OnceCell;
use tokio::time::Instant;
use tokio::try_join;

use super::frame::Frame;
use crate::browser::injected::{self, as_function};
use crate::cdp::CdpSession;
use crate::cdp::types::dom::{DescribeNode, Node, ResolveNode};
use crate::cdp::types::runtime::{
    CallArgument, CallFunctionOn, Evaluate, Evaluated, ExceptionDetails, GetProperties, ReleaseObject,
    RemoteObject,
};
use crate::error::{ElementKind, Error, Result};

/// The world in which a script runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ScriptWorld {
    /// The isolated world. Shares the page's DOM, but not the globals that a page can replace.
    #[default]
    Isolated,
    /// The page's own world, with its global variables.
    Main,
}

/// The isolated world of one document. Valid as long as the document exists. Cheap to clone.
#[derive(Debug, Clone)]
pub struct UtilityWorld {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    frame: Frame,
    session: CdpSession,
    context_id: i64,
    /// The handle of the injected engine (`engine` in `injected/`), after its first use.
    engine: OnceCell<RemoteHandle>,
    /// The document and the window in the page's world.
    page_globals: OnceCell<[RemoteHandle; 2]>,
    /// The backend node ids of elements with pointer listeners that were passed to the engine.
    received: Mutex<HashSet<i64>>,
    is_crowded: AtomicBool,
    /// The time before which the document is not searched for closed shadow roots again.
    searched_until: Mutex<Option<Instant>>,
}

impl PartialEq for UtilityWorld {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl UtilityWorld {
    pub(in crate::browser) fn new(frame: Frame, session: CdpSession, context_id: i64) -> Self {
        let engine = OnceCell::new();
        Self {
            inner: Arc::new(Inner {
                frame,
                session,
                context_id,
                engine,
                page_globals: OnceCell::new(),
                received: Mutex::default(),
                is_crowded: AtomicBool::new(false),
                searched_until: Mutex::default(),
            }),
        }
    }

    /// The frame of this world's document.
    pub fn frame(&self) -> &Frame {
        &self.inner.frame
    }

    /// The CDP session of the process that runs this world.
    pub fn session(&self) -> &CdpSession {
        &self.inner.session
    }

    /// The execution context id of this world.
    pub fn context_id(&self) -> i64 {
        self.inner.context_id
    }

    /// Returns the injected engine. Injects it on first use.
    pub async fn injected_script(&self) -> Result<&RemoteHandle> {
        let install = || async {
            let evaluate = |expression| Evaluate {
                expression,
                context_id: Some(self.context_id()),
                silent: Some(true),
                ..Evaluate::default()
            };
            let (begin, install) =
                (injected::first_ref_script(self.frame().first_ref()), injected::engine_script());
            let install = if self.frame().page()?.context().browser()?.protocol().runs_in_order() {
                // Sent separately: the long script is then equal in all documents and is compiled only once.
                self.session().send(evaluate(begin)).ignore();
                install
            } else {
                format!("{begin};\n{install}")
            };
            let engine = outcome(self.session().call(evaluate(install)).await?)?;
            let engine = engine.object_id.ok_or(Error::DocumentGone)?;
            Ok(RemoteHandle::new(self.session().clone(), engine))
        };
        self.inner.engine.get_or_try_init(install).await
    }

    /// Returns the document and the window in the page's world, to which the browser reports the page's listeners.
    pub(in crate::browser) async fn page_globals(&self) -> Result<&[RemoteHandle; 2]> {
        let find = || async {
            let context_id = Some(self.frame().main_context().await?);
            let find = async |expression: &str| {
                let evaluate =
                    Evaluate { expression: expression.to_owned(), context_id, ..Evaluate::default() };
                let found =
                    self.session().call(evaluate).await?.result.object_id.ok_or(Error::DocumentGone)?;
                Ok::<_, Error>(RemoteHandle::new(self.session().clone(), found))
            };
            let (document, window) = try_join!(find("document"), find("globalThis"))?;
            Ok::<_, Error>([document, window])
        };
        self.inner.page_globals.get_or_try_init(find).await
    }

    /// Returns the backend node ids that were not passed to the engine yet, and records them as passed.
    pub(in crate::browser) fn unknown_nodes(&self, nodes: impl Iterator<Item = i64>) -> Vec<i64> {
        let mut received = self.inner.received.lock();
        nodes.filter(|node| received.insert(*node)).collect()
    }

    /// Whether the document has so many event listeners that they are not queried again.
    pub(in crate::browser) fn is_crowded(&self) -> bool {
        self.inner.is_crowded.load(Ordering::Relaxed)
    }

    pub(in crate::browser) fn set_crowded(&self) {
        self.inner.is_crowded.store(true, Ordering::Relaxed);
    }

    /// Whether the document may be searched for closed shadow roots again.
    pub(in crate::browser) fn may_search_closed_roots(&self, now: Instant) -> bool {
        self.inner.searched_until.lock().is_none_or(|until| until <= now)
    }

    pub(in crate::browser) fn pause_search_for_roots(&self, until: Instant) {
        *self.inner.searched_until.lock() = Some(until);
    }

    /// Calls `engine[method](...arguments)`, awaits it, and returns its value.
    pub async fn call<T: DeserializeOwned>(&self, method: &str, arguments: &[Value]) -> Result<T> {
        let arguments = arguments.iter().map(value_argument).collect();
        self.call_with(method, arguments).await
    }

    /// Like [`call`](Self::call), with arguments that may be nodes.
    pub async fn call_with<T: DeserializeOwned>(
        &self,
        method: &str,
        arguments: Vec<CallArgument>,
    ) -> Result<T> {
        self.begin_call(method, arguments).await?.await
    }

    /// Like [`call_with`](Self::call_with), but returns once the call is sent. The future yields the result.
    pub async fn begin_call<T: DeserializeOwned>(
        &self,
        method: &str,
        arguments: Vec<CallArgument>,
    ) -> Result<impl Future<Output = Result<T>> + use<T>> {
        let result = self.invoke(method, arguments, true).await?;
        Ok(async move { decoded(result.await?) })
    }

    /// Calls an engine method and returns a handle to the resulting object; `None` if it is not an object.
    pub async fn call_handle(
        &self,
        method: &str,
        arguments: Vec<CallArgument>,
    ) -> Result<Option<RemoteHandle>> {
        let object = self.invoke(method, arguments, false).await?.await?;
        Ok(object.object_id.map(|id| RemoteHandle::new(self.inner.session.clone(), id)))
    }

    /// Calls a function with the injected engine as `this`. For functions too rarely used to be part of that script.
    pub(in crate::browser) async fn call_apart<T: DeserializeOwned>(&self, function: &str) -> Result<T> {
        self.call_apart_with(function, Vec::new()).await
    }

    /// Like [`call_apart`](Self::call_apart), with arguments.
    pub(in crate::browser) async fn call_apart_with<T: DeserializeOwned>(
        &self,
        function: &str,
        arguments: Vec<CallArgument>,
    ) -> Result<T> {
        let _work = self.inner.frame.page().map(|page| page.work());
        let call = CallFunctionOn {
            function_declaration: as_function(function).to_owned(),
            object_id: Some(self.injected_script().await?.id().to_owned()),
            arguments: Some(arguments),
            return_by_value: Some(true),
            await_promise: Some(true),
            silent: Some(true),
            ..CallFunctionOn::default()
        };
        decoded(outcome(self.inner.session.call(call).await?)?)
    }

    async fn invoke(
        &self,
        method: &str,
        arguments: Vec<CallArgument>,
        by_value: bool,
    ) -> Result<BoxFuture<'static, Result<RemoteObject>>> {
        let work = self.inner.frame.page().map(|page| page.work());
        let mut all = vec![value_argument(&Value::from(method))];
        all.extend(arguments);
        let call = CallFunctionOn {
            function_declaration: "function(method, ...rest) { return this[method](...rest); }".to_owned(),
            object_id: Some(self.injected_script().await?.id().to_owned()),
            arguments: Some(all),
            return_by_value: Some(by_value),
            await_promise: Some(true),
            silent: Some(true),
            ..CallFunctionOn::default()
        };
        let reply = self.inner.session.send(call);
        Ok(Box::pin(async move {
            let _work = work;
            outcome(reply.await?).map_err(thrown_by_engine)
        }))
    }
}

fn decoded<T: DeserializeOwned>(object: RemoteObject) -> Result<T> {
    serde_json::from_value(object.value.unwrap_or(Value::Null))
        .map_err(|error| Error::Unreadable { method: "an injected function", reason: error.to_string() })
}

/// Converts exceptions that the engine throws on purpose to specific errors, such as `StaleRef`.
fn thrown_by_engine(error: Error) -> Error {
    let Error::Script { message } = &error else { return error };
    let first = message.lines().next().unwrap_or_default();
    if first.starts_with("StaleElement") {
        return Error::StaleRef { target: "the element".to_owned(), again: None };
    }
    let wrong = first.strip_prefix("WrongElement: ").and_then(|parts| parts.split_once(' '));
    match wrong.and_then(|(needed, found)| Some((needed.parse().ok()?, found))) {
        Some((needed, found)) => Error::WrongElement { found: ElementKind::new(found), needed },
        None => error,
    }
}

/// A handle to a remote object. Dropping the last clone releases the object.
#[derive(Debug, Clone)]
pub struct RemoteHandle {
    inner: Arc<HandleInner>,
}

#[derive(Debug)]
struct HandleInner {
    session: CdpSession,
    id: String,
}

impl RemoteHandle {
    pub(in crate::browser) fn new(session: CdpSession, id: String) -> Self {
        Self { inner: Arc::new(HandleInner { session, id }) }
    }

    /// The remote object id.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    pub fn session(&self) -> &CdpSession {
        &self.inner.session
    }

    /// Resolves a backend node id in the world with execution context id `context`; `None`: the main world.
    pub(in crate::browser) async fn of_node(
        session: &CdpSession,
        backend_node_id: i64,
        context: Option<i64>,
    ) -> Result<Option<Self>> {
        let resolve = ResolveNode {
            backend_node_id: Some(backend_node_id),
            execution_context_id: context,
            ..ResolveNode::default()
        };
        let id = session.call(resolve).await?.object.object_id;
        Ok(id.map(|id| Self::new(session.clone(), id)))
    }

    /// Returns handles to the objects in this array.
    pub(in crate::browser) async fn items(&self) -> Result<Vec<Self>> {
        let list = GetProperties { object_id: self.id().to_owned(), own_properties: Some(true) };
        let items = self.session().call(list).await?.result.into_iter().filter(|item| item.enumerable);
        let items = items.filter_map(|item| item.value?.object_id);
        Ok(items.map(|id| Self::new(self.session().clone(), id)).collect())
    }

    /// Returns the result of `DOM.describeNode` for this node.
    pub(in crate::browser) async fn describe(&self) -> Result<Node> {
        let describe = DescribeNode { object_id: Some(self.id().to_owned()), ..DescribeNode::default() };
        Ok(self.session().call(describe).await?.node)
    }

    /// Returns this object as a call argument.
    pub fn argument(&self) -> CallArgument {
        CallArgument { object_id: Some(self.inner.id.clone()), ..CallArgument::default() }
    }
}

impl Drop for HandleInner {
    fn drop(&mut self) {
        if !self.session.is_closed() {
            self.session.send(ReleaseObject { object_id: std::mem::take(&mut self.id) }).ignore();
        }
    }
}

/// Returns a JSON value as a call argument.
pub fn value_argument(value: &impl Serialize) -> CallArgument {
    CallArgument { value: serde_json::to_value(value).ok(), ..CallArgument::default() }
}

/// Returns the result of an evaluation, or the thrown exception as an error.
pub(in crate::browser) fn outcome(evaluated: Evaluated) -> Result<RemoteObject> {
    match evaluated.exception_details {
        Some(details) => Err(Error::Script { message: thrown(&details) }),
        None => Ok(evaluated.result),
    }
}

/// Returns the text of an exception, with the stack if there is one.
pub(in crate::browser) fn thrown(details: &ExceptionDetails) -> String {
    let Some(exception) = &details.exception else { return details.text.clone() };
    match (&exception.description, &exception.value) {
        (Some(description), _) => description.clone(),
        (None, Some(Value::String(text))) => text.clone(),
        (None, Some(value)) => value.to_string(),
        (None, None) if exception.kind == "undefined" => "undefined".to_owned(),
        (None, None) if exception.subtype.as_deref() == Some("null") => "null".to_owned(),
        (None, None) => exception.unserializable_value.clone().unwrap_or_else(|| details.text.clone()),
    }
}
