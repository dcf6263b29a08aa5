//! Evaluation of user scripts, and handles of their results.
use std::sync::Arc;
use std::time::Duration;

use super::evaluate::{deep_serialization, is_function, script_outcome};
use super::gesture;
use super::value::{DEEPEST, JsValue, SERIALIZE_SCRIPT, preview};
use crate::browser::injected::as_function;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::front::FocusGuard;
use crate::browser::objects::worker::Worker;
use crate::browser::objects::world::{RemoteHandle, ScriptWorld, UtilityWorld, outcome};
use crate::cdp::CdpSession;
use crate::cdp::types::runtime::{CallArgument, CallFunctionOn, Evaluate, GetProperties, RemoteObject};
use crate::error::{Error, Result};

/// The time limit of a CDP call that runs a user script: practically none, because callers set their own.
pub(in crate::browser) const NO_LIMIT: Duration = Duration::from_secs(365 * 24 * 3600);

/// The browser's error text if a getter throws while a result is serialized.
const UNSERIALIZED: &str = "exception during deep serialization";
const GETTER_THROWS: &str = "Error: a getter of the result throws. Return the parts that are needed, or use evaluate_handle and then json_value, \
     which leaves out what throws.";

/// The place where a script runs: a world of a document, or a worker.
#[derive(Debug, Clone)]
pub struct Realm {
    session: CdpSession,
    /// The execution context id; `None` for a worker.
    context: Option<i64>,
    frame: Option<Frame>,
}

/// The result of a script: a remote object, or a primitive value. Cheap to clone.
#[derive(Debug, Clone)]
pub struct JsHandle {
    realm: Realm,
    object: Arc<RemoteObject>,
    remote: Option<RemoteHandle>,
}

impl Frame {
    /// Returns the realm for the world `scope` of the frame's current document.
    pub async fn realm(&self, scope: ScriptWorld) -> Result<Realm> {
        let context = self.execution_context(scope).await?;
        Ok(Realm { session: self.session(), context: Some(context), frame: Some(self.clone()) })
    }
}

impl Realm {
    /// The realm of a worker.
    pub fn of_worker(session: CdpSession) -> Self {
        Self { session, context: None, frame: None }
    }

    /// The realm with this execution context id.
    pub(in crate::browser) fn numbered(
        session: CdpSession,
        context: Option<i64>,
        frame: Option<Frame>,
    ) -> Self {
        Self { session, context, frame }
    }

    fn is(&self, other: &Self) -> bool {
        self.session.id() == other.session.id() && self.context == other.context
    }

    /// Evaluates `script`, an expression or a function that is called with `argument`, and returns its value.
    pub async fn evaluate(&self, script: &str, argument: &JsValue) -> Result<JsValue> {
        self.prepare_for(script).await?;
        self.evaluate_unprepared(script, argument).await
    }

    /// Like [`evaluate`](Self::evaluate), without adding exposed functions first.
    pub(in crate::browser) async fn evaluate_unprepared(
        &self,
        script: &str,
        argument: &JsValue,
    ) -> Result<JsValue> {
        let object = self.run(script, argument, true).await?;
        self.read(object).await
    }

    /// Adds the exposed functions that a user's script calls to the document.
    async fn prepare_for(&self, script: &str) -> Result<()> {
        let Some(frame) = &self.frame else { return Ok(()) };
        let called = frame.missing_functions(script);
        if called.is_empty() || self.context != Some(frame.main_context().await?) {
            return Ok(());
        }
        frame.place_all(&called).await
    }

    /// Like [`evaluate`](Self::evaluate), but does not fail while a dialog is open.
    pub(in crate::browser) async fn evaluate_despite_dialog(
        &self,
        script: &str,
        argument: &JsValue,
    ) -> Result<JsValue> {
        let unhindered = Self { frame: None, ..self.clone() };
        let object = unhindered.run(script, argument, true).await?;
        self.read(object).await
    }

    /// Like [`evaluate`](Self::evaluate), but returns a handle.
    pub async fn evaluate_handle(&self, script: &str, argument: &JsValue) -> Result<JsHandle> {
        self.prepare_for(script).await?;
        Ok(self.hold(self.run(script, argument, false).await?))
    }

    pub(in crate::browser) fn hold(&self, object: RemoteObject) -> JsHandle {
        let remote = object.object_id.clone().map(|id| RemoteHandle::new(self.session.clone(), id));
        JsHandle { realm: self.clone(), object: Arc::new(object), remote }
    }

    /// Reads the value of a deeply serialized result, with [`SERIALIZE_SCRIPT`] if the browser did not serialize it all.
    async fn read(&self, object: RemoteObject) -> Result<JsValue> {
        let value = JsValue::read(&object);
        let Some(held) = self.hold(object).remote else { return Ok(value.unwrap_or(JsValue::Undefined)) };
        match value {
            Some(value) => Ok(value),
            None => self.describe(&held).await,
        }
    }

    async fn describe(&self, object: &RemoteHandle) -> Result<JsValue> {
        let describe = CallFunctionOn {
            function_declaration: as_function(SERIALIZE_SCRIPT).to_owned(),
            object_id: Some(object.id().to_owned()),
            return_by_value: Some(true),
            ..CallFunctionOn::default()
        };
        let answer = outcome(self.session.call(describe).await?)?;
        Ok(JsValue::decode_remote(&answer.value.unwrap_or_default()))
    }

    async fn run(&self, script: &str, argument: &JsValue, by_value: bool) -> Result<RemoteObject> {
        if is_function(script) {
            return self.call(as_function(script), None, argument, by_value).await;
        }
        let script = script.trim();
        let literal = script.starts_with('{') && script.trim_end_matches(';').ends_with('}');
        let evaluate = |expression: String| Evaluate {
            user_gesture: gesture::is_needed(&expression).then_some(true),
            expression,
            context_id: self.context,
            await_promise: Some(true),
            serialization_options: by_value.then(|| deep_serialization(DEEPEST)),
            ..Evaluate::default()
        };
        // An object literal would otherwise be read as a block.
        let parenthesized = format!("({})", script.trim_end_matches(';'));
        let first = if literal { parenthesized } else { script.to_owned() };
        let mut evaluated = self.send(evaluate(first)).await;
        if literal && evaluated.as_ref().is_err_and(Error::is_syntax_error) {
            evaluated = self.send(evaluate(script.to_owned())).await;
        }
        let object = evaluated?;
        if object.kind != "function" {
            return Ok(object);
        }
        // If an expression evaluates to a function, the function is called.
        let function = self.hold(object);
        let call = "function (...all) { return this(...all); }";
        self.call(call, function.remote.as_ref(), argument, by_value).await
    }

    async fn send(&self, evaluate: Evaluate) -> Result<RemoteObject> {
        let _work = self.work();
        let script = evaluate.expression.clone();
        let running = self.session.send(evaluate).within(NO_LIMIT);
        script_outcome(self.fail_on_dialog(running).await.map_err(explained)?, &script, 0)
    }

    /// Calls a function with `argument`, and with `this` if given.
    async fn call(
        &self,
        function: &str,
        this: Option<&RemoteHandle>,
        argument: &JsValue,
        by_value: bool,
    ) -> Result<RemoteObject> {
        let _work = self.work();
        let (function_declaration, arguments, _held) = self.prepare(function, argument).await?;
        let (sent, before) = (function_declaration.clone(), function_declaration.find(function));
        // A call needs a context id or an object. A worker has no id: its global object is kept alive during the call.
        let global = match (this, self.context) {
            (None, None) => Some(self.global().await?),
            _ => None,
        };
        let call = CallFunctionOn {
            user_gesture: gesture::is_needed(&function_declaration).then_some(true),
            function_declaration,
            object_id: this.or(global.as_ref()).map(|this| this.id().to_owned()),
            execution_context_id: this.is_none().then_some(self.context).flatten(),
            arguments: Some(arguments),
            await_promise: Some(true),
            serialization_options: by_value.then(|| deep_serialization(DEEPEST)),
            ..CallFunctionOn::default()
        };
        let running = self.session.send(call).within(NO_LIMIT);
        let evaluated = self.fail_on_dialog(running).await.map_err(explained)?;
        // The browser compiles a function in parentheses.
        script_outcome(evaluated, &sent, 1 + before.unwrap_or_default())
    }

    async fn global(&self) -> Result<RemoteHandle> {
        let global = Evaluate { expression: "globalThis".to_owned(), ..Evaluate::default() };
        let id = outcome(self.session.call(global).await?)?.object_id.ok_or(Error::DocumentGone)?;
        Ok(RemoteHandle::new(self.session.clone(), id))
    }

    /// Returns the function, its arguments, and handles to keep until the call has ended. An argument that
    /// JSON cannot express becomes part of the function's source.
    async fn prepare(
        &self,
        function: &str,
        argument: &JsValue,
    ) -> Result<(String, Vec<CallArgument>, Vec<RemoteHandle>)> {
        let (mut arguments, mut held) = (Vec::new(), Vec::new());
        let mut handles = Vec::new();
        argument.handles(&mut handles);
        for handle in handles {
            let (argument, remote) = handle.argument_in(self).await?;
            arguments.push(argument);
            held.extend(remote);
        }
        Ok(match (argument, argument.plain()) {
            (JsValue::Handle(_), _) => (function.to_owned(), arguments, held),
            (JsValue::Undefined, _) => (function.to_owned(), vec![CallArgument::default()], held),
            (_, Some(value)) => {
                let value = CallArgument { value: Some(value), ..CallArgument::default() };
                (function.to_owned(), vec![value], held)
            }
            _ => {
                let written = argument.write();
                let wrapped = format!("function (...h) {{ return ({function}\n).call(this, {written}); }}");
                (wrapped, arguments, held)
            }
        })
    }

    fn work(&self) -> Option<FocusGuard> {
        let page = self.frame.as_ref()?.page().ok()?;
        page.acts();
        Some(page.work())
    }

    async fn fail_on_dialog<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        match &self.frame {
            Some(frame) => frame.page()?.fail_on_dialog(work).await,
            None => work.await,
        }
    }
}

fn explained(error: Error) -> Error {
    match error {
        Error::Protocol { message, .. } if message.contains(UNSERIALIZED) => {
            Error::Script { message: GETTER_THROWS.to_owned() }
        }
        other => other,
    }
}

/// Wraps a function of two parameters so that it takes both as one array.
pub(in crate::browser) fn as_two_parameters(script: &str) -> String {
    if is_function(script) {
        return format!("([a, b]) => ({}\n)(a, b)", as_function(script));
    }
    let script = as_function(script);
    format!("([a, b]) => {{ const f = ({script}\n); return typeof f === \"function\" ? f(a, b) : f; }}")
}

impl JsHandle {
    /// Creates a handle of a node in the isolated world.
    pub(in crate::browser) fn of_node(world: &UtilityWorld, node: RemoteHandle) -> Self {
        Self::of_ours(world, node, "node")
    }

    /// Creates a handle of an array in the isolated world.
    pub(in crate::browser) fn of_list(world: &UtilityWorld, list: RemoteHandle) -> Self {
        Self::of_ours(world, list, "array")
    }

    fn of_ours(world: &UtilityWorld, remote: RemoteHandle, subtype: &str) -> Self {
        let (session, context, frame) = (world.session(), world.context_id(), world.frame());
        let realm = Realm::numbered(session.clone(), Some(context), Some(frame.clone()));
        let object = RemoteObject {
            kind: "object".to_owned(),
            subtype: Some(subtype.to_owned()),
            object_id: Some(remote.id().to_owned()),
            ..RemoteObject::default()
        };
        Self { realm, object: Arc::new(object), remote: Some(remote) }
    }

    pub fn realm(&self) -> &Realm {
        &self.realm
    }

    /// The remote object as the browser reported it.
    pub fn object(&self) -> &RemoteObject {
        &self.object
    }

    /// Returns a short preview of the object; `None` if the browser reported no preview.
    pub fn short_description(&self) -> Option<String> {
        self.object.preview.as_ref().map(|_| preview(&self.object))
    }

    pub fn is_node(&self) -> bool {
        self.object.subtype.as_deref() == Some("node")
    }

    /// Evaluates `script` with this object as first argument, in the object's world; for a node, in `scope`.
    pub async fn evaluate(
        &self,
        script: &str,
        argument: &JsValue,
        scope: Option<ScriptWorld>,
    ) -> Result<JsValue> {
        let (realm, object) = self.run(script, argument, scope, true).await?;
        realm.read(object).await
    }

    /// Like [`evaluate`](Self::evaluate), but returns a handle.
    pub async fn evaluate_handle(
        &self,
        script: &str,
        argument: &JsValue,
        scope: Option<ScriptWorld>,
    ) -> Result<JsHandle> {
        let (realm, object) = self.run(script, argument, scope, false).await?;
        Ok(realm.hold(object))
    }

    async fn run(
        &self,
        script: &str,
        argument: &JsValue,
        scope: Option<ScriptWorld>,
        by_value: bool,
    ) -> Result<(Realm, RemoteObject)> {
        // A node can be used in every world, any other object only in its own.
        let realm = match (scope, &self.realm.frame) {
            (Some(scope), Some(frame)) if self.is_node() => frame.realm(scope).await?,
            _ => self.realm.clone(),
        };
        realm.prepare_for(script).await?;
        let items = vec![JsValue::Handle(self.clone()), argument.clone()];
        let both = JsValue::Array { number: 0, items };
        let object = realm.call(&as_two_parameters(script), None, &both, by_value).await?;
        Ok((realm, object))
    }

    /// Whether the value is truthy.
    pub fn is_truthy(&self) -> bool {
        match JsValue::read(&RemoteObject { deep_serialized_value: None, ..(*self.object).clone() }) {
            _ if self.remote.is_some() => true,
            Some(JsValue::Bool(value)) => value,
            Some(JsValue::Number(number)) => number != 0.0 && !number.is_nan(),
            Some(JsValue::BigInt(digits)) => digits != "0",
            Some(JsValue::Text(text)) => !text.is_empty(),
            _ => false,
        }
    }

    /// Serializes the object and returns its value.
    pub async fn value(&self) -> Result<JsValue> {
        let Some(remote) = &self.remote else {
            return Ok(JsValue::read(&self.object).unwrap_or(JsValue::Undefined));
        };
        let call = "function () { return this; }";
        match self.realm.call(call, Some(remote), &JsValue::Undefined, true).await {
            Err(Error::Script { message }) if message == GETTER_THROWS => self.realm.describe(remote).await,
            called => self.realm.read(called?).await,
        }
    }

    /// Returns the object's own enumerable properties as names and handles; none for a primitive.
    pub async fn properties(&self) -> Result<Vec<(String, JsHandle)>> {
        let Some(remote) = &self.remote else { return Ok(Vec::new()) };
        let get = GetProperties { object_id: remote.id().to_owned(), own_properties: Some(true) };
        let properties = self.realm.session.call(get).await?.result;
        let shown = properties.into_iter().filter(|property| property.enumerable);
        Ok(shown.filter_map(|property| Some((property.name, self.realm.hold(property.value?)))).collect())
    }

    /// Returns a handle of one property's value. The property may be own or inherited.
    pub async fn property(&self, name: &str) -> Result<JsHandle> {
        let name = JsValue::Text(name.to_owned());
        // The array keeps the call from awaiting a value that is a promise.
        let listed = self.evaluate_handle("(object, name) => [object[name]]", &name, None).await?;
        let found = listed.properties().await?.into_iter().next();
        Ok(found.map_or(listed, |(_, value)| value))
    }

    /// Whether the object is a text node.
    pub fn is_text_node(&self) -> bool {
        self.object.description.as_deref() == Some("#text")
    }

    /// Returns this node in the isolated world; `None` if the object is not a node.
    pub(in crate::browser) async fn node(&self) -> Result<Option<(UtilityWorld, RemoteHandle)>> {
        let (Some(remote), Some(frame), true) = (&self.remote, &self.realm.frame, self.is_node()) else {
            return Ok(None);
        };
        let world = frame.utility_world().await?;
        if self.realm.context == Some(world.context_id()) {
            return Ok(Some((world, remote.clone())));
        }
        let (_, moved) = self.argument_in(&frame.realm(ScriptWorld::Isolated).await?).await?;
        Ok(moved.map(|moved| (world, moved)))
    }

    /// Returns this object as a call argument for `realm`, and a handle to keep until the call has ended.
    async fn argument_in(&self, realm: &Realm) -> Result<(CallArgument, Option<RemoteHandle>)> {
        let Some(remote) = &self.remote else {
            let value = self.object.value.clone();
            let unserializable_value = self.object.unserializable_value.clone();
            return Ok((CallArgument { value, unserializable_value, ..CallArgument::default() }, None));
        };
        if self.realm.is(realm) {
            return Ok((remote.argument(), Some(remote.clone())));
        }
        let elsewhere = || Error::Script {
            message: "JSHandles can be evaluated only in the context they were created!".to_owned(),
        };
        if !self.is_node() {
            return Err(elsewhere());
        }
        let backend_node_id = remote.describe().await?.backend_node_id;
        let moved = RemoteHandle::of_node(&realm.session, backend_node_id, realm.context).await;
        let moved = moved.map_err(|error| match error {
            Error::Protocol { .. } => Error::Script {
                message: "Unable to adopt element handle from a different document".to_owned(),
            },
            other => other,
        })?;
        let moved = moved.ok_or_else(elsewhere)?;
        Ok((moved.argument(), Some(moved)))
    }
}

impl Worker {
    /// Returns the realm in which the worker's scripts run.
    pub fn realm(&self) -> Realm {
        Realm::of_worker(self.session().clone())
    }
}
