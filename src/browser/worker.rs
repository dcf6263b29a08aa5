//! Workers: scripts without a document, each attached to before it runs.
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::sync::watch;

use super::evaluate::{is_function, json_value};
use super::page::Page;
use super::world::outcome;
use crate::cdp::CdpSession;
use crate::cdp::types::runtime::{
    CallArgument, CallFunctionOn, Evaluate, RemoteObject, SerializationOptions,
};
use crate::cdp::types::target::TargetInfo;
use crate::error::{Error, Result};

/// What kind of worker it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WorkerKind {
    /// Of one page, which ends with it.
    Dedicated,
    Shared,
    Service,
}

/// A worker. Cheap to clone; compares by identity.
#[derive(Debug, Clone)]
pub struct Worker {
    inner: Arc<Inner>,
}

#[derive(Debug)]
struct Inner {
    target: String,
    url: String,
    kind: WorkerKind,
    page: Option<Page>,
    session: CdpSession,
    /// The number of its one world, once known.
    context: Mutex<Option<i64>>,
    closed: watch::Sender<bool>,
}

impl PartialEq for Worker {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Eq for Worker {}

impl Worker {
    pub(super) fn new(session: CdpSession, info: &TargetInfo, page: Option<Page>) -> Option<Self> {
        let kind = match info.kind.as_str() {
            "worker" => WorkerKind::Dedicated,
            "shared_worker" => WorkerKind::Shared,
            "service_worker" => WorkerKind::Service,
            _ => return None,
        };
        let inner = Inner {
            target: info.target_id.clone(),
            url: info.url.clone(),
            kind,
            page,
            session,
            context: Mutex::default(),
            closed: watch::Sender::new(false),
        };
        Some(Self { inner: Arc::new(inner) })
    }

    /// The browser's id for this worker.
    pub fn id(&self) -> &str {
        &self.inner.target
    }

    pub fn url(&self) -> &str {
        &self.inner.url
    }

    pub fn kind(&self) -> WorkerKind {
        self.inner.kind
    }

    /// The page that it belongs to, if it is one page's.
    pub fn page(&self) -> Option<&Page> {
        self.inner.page.as_ref()
    }

    pub fn session(&self) -> &CdpSession {
        &self.inner.session
    }

    pub fn is_closed(&self) -> bool {
        *self.inner.closed.borrow() || self.inner.session.is_closed()
    }

    /// Waits until the worker has ended.
    pub async fn until_closed(&self) {
        let _ = self.inner.closed.subscribe().wait_for(|closed| *closed).await;
    }

    pub(super) fn ended(&self) {
        self.inner.closed.send_replace(true);
    }

    /// Runs `script`, an expression or a function, and gives its value as JSON.
    pub async fn evaluate(&self, script: &str, arguments: Vec<CallArgument>) -> Result<Value> {
        Ok(json_value(&self.run(script, arguments, true).await?))
    }

    /// Like [`evaluate`](Self::evaluate); the result stays in the worker.
    pub async fn evaluate_handle(&self, script: &str, arguments: Vec<CallArgument>) -> Result<RemoteObject> {
        self.run(script, arguments, false).await
    }

    async fn run(&self, script: &str, arguments: Vec<CallArgument>, by_value: bool) -> Result<RemoteObject> {
        const DEEPEST: u32 = 24;
        let options = by_value.then(|| SerializationOptions {
            serialization: "deep".to_owned(),
            max_depth: Some(DEEPEST),
            additional_parameters: None,
        });
        let evaluated = if is_function(script) {
            let call = CallFunctionOn {
                function_declaration: script.trim().trim_end_matches(';').to_owned(),
                execution_context_id: Some(self.context().await?),
                arguments: Some(arguments),
                await_promise: Some(true),
                serialization_options: options,
                ..CallFunctionOn::default()
            };
            self.inner.session.call(call).await?
        } else {
            let evaluate = Evaluate {
                expression: script.trim().to_owned(),
                await_promise: Some(true),
                serialization_options: options,
                ..Evaluate::default()
            };
            self.inner.session.call(evaluate).await?
        };
        outcome(evaluated)
    }

    /// The number of the worker's world. Nobody tells it; it is the middle part of the id of any object of it.
    pub async fn context(&self) -> Result<i64> {
        if let Some(known) = *self.inner.context.lock() {
            return Ok(known);
        }
        let global = Evaluate { expression: "globalThis".to_owned(), ..Evaluate::default() };
        let id = outcome(self.inner.session.call(global).await?)?.object_id.ok_or(Error::DocumentGone)?;
        let context = id.split('.').nth(1).and_then(|part| part.parse().ok()).ok_or(Error::DocumentGone)?;
        *self.inner.context.lock() = Some(context);
        Ok(context)
    }
}
