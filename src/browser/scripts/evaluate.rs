//! Evaluates a user's script, and converts its result to JSON.
use std::collections::HashMap;
use std::pin::pin;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::time::timeout;

use crate::browser::injected::as_function;
use crate::browser::objects::frame::Frame;
use crate::browser::objects::page::Page;
use crate::browser::objects::world::{RemoteHandle, ScriptWorld, UtilityWorld, thrown};
use crate::cdp::types::runtime::{
    CallArgument, CallFunctionOn, Evaluate, Evaluated, RemoteObject, SerializationOptions,
};
use crate::error::{Error, Result};

/// The number of levels of a result that the browser serializes.
const DEEPEST: u32 = 24;
/// The CDP time limit for a script whose dialogs the caller answers.
const LONGEST: Duration = Duration::from_secs(3_600);

impl Frame {
    /// Evaluates `script`, an expression or a function, and returns its value as JSON; see [`json_value`] for
    /// values that JSON lacks. A function is called with `arguments`. Promises are awaited.
    ///
    /// Returns `Error::Script` with the page's stack if the script throws, `Error::DialogOpen` if it opens a dialog.
    pub async fn evaluate(
        &self,
        script: &str,
        arguments: Vec<CallArgument>,
        scope: ScriptWorld,
    ) -> Result<Value> {
        Ok(json_value(&self.run(script, arguments, scope, false).await?))
    }

    /// Like [`evaluate`](Self::evaluate), with a time limit. When the limit passes, a script that blocks the
    /// page is terminated; a script that only awaits a promise continues. Then returns `Error::WaitRanOut`,
    /// or `Error::PageBusy` if the page remains blocked.
    pub async fn evaluate_within(
        &self,
        limit: Duration,
        script: &str,
        arguments: Vec<CallArgument>,
        scope: ScriptWorld,
    ) -> Result<Value> {
        self.run_within(limit, script, arguments, scope, false).await
    }

    /// Like [`evaluate_within`](Self::evaluate_within), for a caller that answers the script's dialogs: a
    /// dialog is no error. The time limit restarts if it passes while a dialog is open.
    pub async fn evaluate_despite_dialogs(
        &self,
        limit: Duration,
        script: &str,
        arguments: Vec<CallArgument>,
        scope: ScriptWorld,
    ) -> Result<Value> {
        self.run_within(limit, script, arguments, scope, true).await
    }

    async fn run_within(
        &self,
        limit: Duration,
        script: &str,
        arguments: Vec<CallArgument>,
        scope: ScriptWorld,
        through_dialogs: bool,
    ) -> Result<Value> {
        let (page, session) = (self.page()?, self.session());
        page.acts();
        let mut running = pin!(self.run(script, arguments, scope, through_dialogs));
        loop {
            match timeout(limit, &mut running).await {
                Ok(Err(Error::NoAnswer { .. })) => break,
                Ok(ended) => return Ok(json_value(&ended?)),
                Err(_) if through_dialogs && page.dialog().is_some() => {}
                Err(_) => break,
            }
        }
        page.stop_script(&session).await;
        page.ensure_responsive().await?;
        Err(Error::WaitRanOut { what: "the end of the script".to_owned(), waited: limit })
    }

    async fn run(
        &self,
        script: &str,
        arguments: Vec<CallArgument>,
        scope: ScriptWorld,
        through_dialogs: bool,
    ) -> Result<RemoteObject> {
        let page = self.page()?;
        let context = self.execution_context(scope).await?;
        let (session, loader) = (self.session(), self.loader_id());
        let options = Some(deep_serialization(DEEPEST));
        let (running, sent, before) = if is_function(script) {
            let function = as_function(script);
            let running = session.send(CallFunctionOn {
                function_declaration: function.to_owned(),
                execution_context_id: Some(context),
                arguments: Some(arguments),
                await_promise: Some(true),
                serialization_options: options,
                ..CallFunctionOn::default()
            });
            // The browser compiles a function in parentheses.
            (running, function, 1)
        } else {
            let script = script.trim();
            // An object literal would otherwise be read as a block.
            let literal = script.starts_with('{') && script.ends_with('}');
            let running = session.send(Evaluate {
                expression: if literal { format!("({script})") } else { script.to_owned() },
                context_id: Some(context),
                await_promise: Some(true),
                serialization_options: options,
                ..Evaluate::default()
            });
            (running, script, usize::from(literal))
        };
        let ended = match through_dialogs {
            true => running.within(LONGEST).await,
            false => page.fail_on_dialog(running).await,
        };
        match ended.and_then(|evaluated| script_outcome(evaluated, sent, before)) {
            Err(Error::DocumentGone | Error::FrameDetached) => Err(self.why_left(&page, &loader).await),
            ended => ended,
        }
    }

    /// Returns why a script was aborted: the frame was detached or navigated. Waits 1 s for a late event.
    async fn why_left(&self, page: &Page, loader: &str) -> Error {
        const SOON: Duration = Duration::from_secs(1);
        let left = page.until(|_| (self.is_detached() || *self.loader_id() != *loader).then_some(()));
        let _ = tokio::time::timeout(SOON, left).await;
        if self.is_detached() { Error::FrameDetached } else { Error::DocumentGone }
    }

    /// Returns the execution context id of the world `scope` in the current document.
    pub async fn execution_context(&self, scope: ScriptWorld) -> Result<i64> {
        match scope {
            ScriptWorld::Isolated => Ok(self.utility_world().await?.context_id()),
            ScriptWorld::Main => self.main_context().await,
        }
    }

    /// Returns `node` as a call argument for the world `scope`, and a handle to keep until the call ends.
    pub async fn node_argument(
        &self,
        world: &UtilityWorld,
        node: &RemoteHandle,
        scope: ScriptWorld,
    ) -> Result<(CallArgument, RemoteHandle)> {
        if scope == ScriptWorld::Isolated {
            return Ok((node.argument(), node.clone()));
        }
        let (backend_node_id, context) = (node.describe().await?.backend_node_id, self.main_context().await?);
        let moved = RemoteHandle::of_node(world.session(), backend_node_id, Some(context)).await?;
        let moved = moved.ok_or(Error::DocumentGone)?;
        Ok((moved.argument(), moved))
    }
}

/// Returns the result of a user script, or the thrown exception as an error. A syntax error tells its line and
/// column in `script`, before which `before` characters were compiled, unless the browser does not know them.
pub(super) fn script_outcome(evaluated: Evaluated, script: &str, before: usize) -> Result<RemoteObject> {
    let Some(details) = &evaluated.exception_details else { return Ok(evaluated.result) };
    let error = Error::Script { message: thrown(details) };
    if !error.is_syntax_error() {
        return Err(error);
    }
    let place = (usize::try_from(details.line_number), usize::try_from(details.column_number));
    let (Ok(line), Ok(column)) = place else { return Err(error) };
    let column = if line == 0 { column.saturating_sub(before) } else { column };
    let last = script.split('\n').enumerate().last();
    let is_at_end =
        last.is_some_and(|(number, text)| (number, text.encode_utf16().count()) == (line, column));
    let message = match error.to_string() {
        // Where an incomplete function ends, the browser reads the parenthesis that it put after it.
        message if is_at_end && before > 0 && message.ends_with("Unexpected token ')'") => {
            "SyntaxError: Unexpected end of input".to_owned()
        }
        message => message,
    };
    Err(Error::Script { message: format!("{message} (line {}, column {})", line + 1, column + 1) })
}

/// Returns the options for CDP's deep serialization, with `levels` levels of nested values.
pub(in crate::browser) fn deep_serialization(levels: u32) -> SerializationOptions {
    SerializationOptions {
        serialization: "deep".to_owned(),
        max_depth: Some(levels),
        // A node is serialized as its tag, without its children.
        additional_parameters: Some(json!({ "maxNodeDepth": 0, "includeShadowTree": "none" })),
    }
}

impl Page {
    /// Runs `work`, but returns `Error::DialogOpen` if a dialog opens, which blocks the page until it is answered.
    pub async fn fail_on_dialog<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        tokio::select! {
            biased;
            done = work => done,
            dialog = self.until(Page::blocking_dialog) => {
                let dialog = dialog?;
                Err(Error::DialogOpen { kind: dialog.kind, message: dialog.message })
            }
        }
    }
}

/// Whether `script` is a function expression or an arrow function.
pub(in crate::browser) fn is_function(script: &str) -> bool {
    let mut rest = skip_blank(script);
    if let Some(after) = rest.strip_prefix("async") {
        let blank = after.starts_with(|c: char| c.is_whitespace() || c == '(' || c == '/');
        if !blank {
            return is_arrow(rest);
        }
        rest = skip_blank(after);
    }
    if let Some(after) = rest.strip_prefix("function") {
        return after.starts_with(|c: char| c.is_whitespace() || "(*/".contains(c));
    }
    is_arrow(rest)
}

/// Whether `script` begins as an arrow function: `x => …` or `(…) => …`.
fn is_arrow(script: &str) -> bool {
    let rest = if script.starts_with('(') {
        match after_parenthesis(script) {
            Some(rest) => rest,
            None => return false,
        }
    } else {
        let name = script.trim_start_matches(|c: char| c.is_alphanumeric() || c == '_' || c == '$');
        if name.len() == script.len() {
            return false;
        }
        name
    };
    skip_blank(rest).starts_with("=>")
}

/// Returns the text after the parenthesis that closes the first one, ignoring parentheses in strings.
fn after_parenthesis(script: &str) -> Option<&str> {
    let mut depth = 0_usize;
    let mut quote = None;
    let mut escaped = false;
    for (at, character) in script.char_indices() {
        if let Some(open) = quote {
            if escaped {
                escaped = false;
            } else if character == '\\' {
                escaped = true;
            } else if character == open {
                quote = None;
            }
            continue;
        }
        match character {
            '"' | '\'' | '`' => quote = Some(character),
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(&script[at + 1..]);
                }
            }
            _ => {}
        }
    }
    None
}

fn skip_blank(mut script: &str) -> &str {
    loop {
        script = script.trim_start();
        if let Some(rest) = script.strip_prefix("//") {
            script = rest.split_once('\n').map_or("", |(_, rest)| rest);
        } else if let Some(rest) = script.strip_prefix("/*") {
            script = rest.split_once("*/").map_or("", |(_, rest)| rest);
        } else {
            return script;
        }
    }
}

/// Converts a remote object to JSON. `undefined` and functions become null, a `BigInt` its digits with an
/// `n`, a date ISO text, a Map an object or a list of pairs, a Set a list, a node its tag, a cycle
/// `[Circular]`, and other objects, such as errors and promises, the name of their kind: `[error]`.
pub fn json_value(object: &RemoteObject) -> Value {
    if let Some(deep) = &object.deep_serialized_value {
        return Deep::default().convert(deep);
    }
    match (&object.value, &object.unserializable_value) {
        (Some(value), _) => value.clone(),
        (None, Some(special)) => Value::from(special.as_str()),
        (None, None) => Value::Null,
    }
}

#[derive(Default)]
struct Deep {
    /// The converted objects, by id; `None` while an object is being converted, to detect cycles.
    met: HashMap<u64, Option<Value>>,
}

impl Deep {
    fn convert(&mut self, deep: &Value) -> Value {
        let reference = deep["weakLocalObjectReference"].as_u64();
        let value = &deep["value"];
        if let (Some(reference), true) = (reference, value.is_null())
            && let Some(met) = self.met.get(&reference)
        {
            return met.clone().unwrap_or_else(|| "[Circular]".into());
        }
        if let Some(reference) = reference {
            self.met.insert(reference, None);
        }
        let converted = self.convert_kind(deep["type"].as_str().unwrap_or_default(), value);
        if let Some(reference) = reference {
            self.met.insert(reference, Some(converted.clone()));
        }
        converted
    }

    fn convert_kind(&mut self, kind: &str, value: &Value) -> Value {
        match kind {
            "undefined" | "null" | "function" => Value::Null,
            "string" | "boolean" | "number" | "date" => value.clone(),
            "bigint" => format!("{}n", value.as_str().unwrap_or_default()).into(),
            "regexp" => {
                let part = |name: &str| value[name].as_str().unwrap_or_default();
                format!("/{}/{}", part("pattern"), part("flags")).into()
            }
            "array" | "set" | "nodelist" | "htmlcollection" | "typedarray" if value.is_array() => {
                value.as_array().into_iter().flatten().map(|item| self.convert(item)).collect()
            }
            "object" | "map" if value.is_array() => self.convert_pairs(value),
            "node" => describe_node(value).into(),
            "symbol" | "weakmap" | "weakset" | "promise" | "proxy" | "generator" | "window" | "error" => {
                format!("[{kind}]").into()
            }
            "array" | "set" => Value::from("[…]"),
            "object" | "map" => Value::from("{…}"),
            _ if value.is_null() => format!("[{kind}]").into(),
            _ => value.clone(),
        }
    }

    /// Converts the pairs of an object or Map: to an object if all keys are text, otherwise to a list of pairs.
    fn convert_pairs(&mut self, pairs: &Value) -> Value {
        let pairs: Vec<(Value, Value)> = pairs
            .as_array()
            .into_iter()
            .flatten()
            .map(|pair| {
                let key = if pair[0].is_string() { pair[0].clone() } else { self.convert(&pair[0]) };
                (key, self.convert(&pair[1]))
            })
            .collect();
        if pairs.iter().all(|(key, _)| key.is_string()) {
            let object: Map<String, Value> = pairs
                .into_iter()
                .filter_map(|(key, value)| key.as_str().map(|key| (key.to_owned(), value)))
                .collect();
            return Value::Object(object);
        }
        pairs.into_iter().map(|(key, value)| Value::from(vec![key, value])).collect()
    }
}

/// A short form of a node, such as `<a#top.button>`.
fn describe_node(node: &Value) -> String {
    const ELEMENT: u64 = 1;
    match node["nodeType"].as_u64() {
        Some(ELEMENT) => {
            let id = node["attributes"]["id"].as_str().filter(|id| !id.is_empty());
            let classes = node["attributes"]["class"].as_str().unwrap_or_default().split_whitespace();
            let mut shown = format!("<{}", node["localName"].as_str().unwrap_or("?"));
            if let Some(id) = id {
                shown = shown + "#" + id;
            }
            for class in classes.take(3) {
                shown = shown + "." + class;
            }
            shown + ">"
        }
        Some(9) => "#document".to_owned(),
        Some(11) => "#shadow-root".to_owned(),
        _ => node["nodeValue"].as_str().map_or_else(|| "#node".to_owned(), |text| format!("#text {text:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_distinguished_from_expressions() {
        for function in [
            "() => 1",
            "async () => { }",
            "x => x",
            "async x => x",
            "(a, {b} = {b: ')'}) => a",
            "function() {}",
            "function* name() {}",
            "/* why */ async function f() {}",
            "// line\n(el) => el.id",
            "async=>async",
        ] {
            assert!(is_function(function), "{function}");
        }
        for expression in [
            "1",
            "(1)",
            "(() => 1)()",
            "document.title",
            "asyncThing()",
            "functional",
            "{a: 1}",
            "x >= 1",
            "(a) + (b)",
            "",
        ] {
            assert!(!is_function(expression), "{expression}");
        }
    }

    #[test]
    fn values_that_json_lacks_get_a_short_form() {
        let deep = json!({"type": "object", "weakLocalObjectReference": 1, "value": [
            ["n", {"type": "bigint", "value": "12"}],
            ["m", {"type": "map", "value": [[{"type": "number", "value": 1}, {"type": "undefined"}]]}],
            ["self", {"type": "object", "weakLocalObjectReference": 1}],
            ["el", {"type": "node", "value": {"nodeType": 1, "localName": "a", "attributes": {"id": "x", "class": "b c"}}}],
        ]});
        let expected = json!({"n": "12n", "m": [[1, null]], "self": "[Circular]", "el": "<a#x.b.c>"});
        assert_eq!(Deep::default().convert(&deep), expected);
    }
}
