//! JavaScript evaluation: execution contexts, arguments and results.
use serde_json::{Value, json};

use super::answers::{Answer, Command, quiet, unknown};
use super::driver::Driver;
use super::errors::Refusal;
use super::objects::{UTILITY, World};
use super::values;
use super::{dialogs, missing_features};

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    if matches!(method, "Runtime.evaluate" | "Runtime.callFunctionOn") {
        dialogs::until_answered(command).await;
    }
    match method {
        "Runtime.evaluate" => evaluate(command).await,
        "Runtime.callFunctionOn" => call(command).await,
        "Runtime.getProperties" => properties(command).await,
        "Runtime.addBinding" => add_binding(command).await,
        "Runtime.releaseObject" => Ok(release(command, vec![command.text("objectId").to_owned()])),
        "Runtime.releaseObjectGroup" => {
            let group = command.driver.state().objects.in_group(command.text("objectGroup"));
            Ok(release(command, group))
        }
        "Runtime.terminateExecution" => {
            // Firefox itself ends scripts that run too long. This call returns once it has done so.
            ask_page(command.driver, command.tab, "() => null", Vec::new()).await.map(|_| json!({}))
        }
        "Runtime.enable" | "Runtime.disable" | "Runtime.discardConsoleEntries" => {
            super::console::answer(command, method).await
        }
        _ => quiet(method).or_else(|_| unknown(method)),
    }
}

/// Script that makes DOM lists iterable in an isolated world, where Firefox lacks that. Invisible to pages.
const ITERABLE: &str = include_str!("iterable.js");

/// Returns the CDP id of a frame's main world.
pub(super) fn main_world(driver: &Driver, frame: &str) -> Result<i64, Refusal> {
    let mut state = driver.state();
    let realm = state.frames.get(frame).ok_or_else(Refusal::no_frame)?.realm.clone();
    let realm = realm.ok_or_else(Refusal::replaced)?;
    Ok(state.objects.world(frame, &realm))
}

/// Returns the CDP id of the engine's isolated world in a frame, creating the world on first use.
pub(super) async fn utility_world(driver: &Driver, frame: &str) -> Result<i64, Refusal> {
    let loader = || driver.state().frames.get(frame).map(|frame| frame.loader.clone());
    let document = loader();
    let target = json!({"context": frame, "sandbox": UTILITY});
    let made = driver
        .ask("script.evaluate", json!({"expression": ITERABLE, "target": target, "awaitPromise": false}));
    let realm = made.await?["realm"].as_str().unwrap_or_default().to_owned();
    if loader() != document {
        // The world may belong to the previous document.
        return Err(Refusal::replaced());
    }
    Ok(driver.state().objects.world(frame, &realm))
}

/// Calls a function in the engine's isolated world and returns its result as JSON.
pub(super) async fn ask_page(driver: &Driver, frame: &str, function: &str, arguments: Vec<Value>) -> Answer {
    let answer = ask_page_raw(driver, frame, function, arguments).await?;
    Ok(values::plain(&answer).unwrap_or(Value::Null))
}

/// Like [`ask_page`], but returns the result in BiDi's format.
pub(super) async fn ask_page_raw(
    driver: &Driver,
    frame: &str,
    function: &str,
    arguments: Vec<Value>,
) -> Answer {
    let call = json!({
        "functionDeclaration": function,
        "target": {"context": frame, "sandbox": UTILITY},
        "arguments": arguments,
        "awaitPromise": true,
        "serializationOptions": {"maxDomDepth": 0},
    });
    let answer = driver.ask("script.callFunction", call).await?;
    match answer.get("exceptionDetails") {
        Some(details) => Err(Refusal::new(details["text"].as_str().unwrap_or("a script of ours failed"))),
        None => Ok(answer["result"].clone()),
    }
}

async fn evaluate(command: Command<'_>) -> Answer {
    let world = match command.params["contextId"].as_i64() {
        Some(world) => world,
        None => main_world(command.driver, command.tab)?,
    };
    let mut ask = options(command.params);
    ask["expression"] = command.params["expression"].clone();
    run(command, world, "script.evaluate", ask).await
}

async fn call(command: Command<'_>) -> Answer {
    let params = command.params;
    let (world, this, arguments) = {
        let state = command.driver.state();
        let this = params["objectId"].as_str();
        let world = match (this, params["executionContextId"].as_i64()) {
            (Some(id), _) => state.objects.object(id)?.world,
            (None, Some(world)) => world,
            (None, None) => {
                return Err(Refusal::new("Either objectId or executionContextId must be specified"));
            }
        };
        let arguments = params["arguments"].as_array().into_iter().flatten();
        let arguments =
            arguments.map(|argument| state.objects.argument(argument)).collect::<Result<Vec<_>, _>>()?;
        (world, this.map(|id| state.objects.reference(id)).transpose()?, arguments)
    };
    let mut ask = options(params);
    ask["functionDeclaration"] = params["functionDeclaration"].clone();
    ask["arguments"] = arguments.into();
    if let Some(this) = this {
        ask["this"] = this;
    }
    run(command, world, "script.callFunction", ask).await
}

/// The prefix of channel names that belong to bindings.
const BINDING: &str = "binding:";

/// Executes `Runtime.addBinding`: adds a global function to a world that sends a text to the engine.
async fn add_binding(command: Command<'_>) -> Answer {
    const BIND: &str = "(name, tell) => { globalThis[name] = text => tell(String(text)); }";
    let Some(world) = command.params["executionContextId"].as_i64() else {
        return Err(Refusal::Missing(missing_features::BINDING));
    };
    let World { realm, .. } = command.driver.state().objects.world_by_number(world)?;
    let channel = format!("{BINDING}{}", command.text("name"));
    let call = json!({
        "functionDeclaration": BIND,
        "target": {"realm": realm},
        "arguments": [
            {"type": "string", "value": command.text("name")},
            {"type": "channel", "value": {"channel": channel, "ownership": "none"}},
        ],
        "awaitPromise": false,
    });
    command.driver.ask("script.callFunction", call).await.map(|_| json!({}))
}

/// Reports a call of a function added by [`add_binding`] as `Runtime.bindingCalled`.
pub(super) fn binding_called(driver: &Driver, event: &Value) {
    let Some(name) = event["channel"].as_str().and_then(|channel| channel.strip_prefix(BINDING)) else {
        return;
    };
    let source = &event["source"];
    let (context, realm) =
        (source["context"].as_str().unwrap_or_default(), source["realm"].as_str().unwrap_or_default());
    let world = driver.state().objects.world(context, realm);
    let called = json!({"name": name, "payload": event["data"]["value"], "executionContextId": world});
    super::events::emit_for(driver, context, "Runtime.bindingCalled", called);
}

/// Returns the BiDi parameters for how a script's result is serialized.
fn options(params: &Value) -> Value {
    let deep = &params["serializationOptions"];
    let by_value = params["returnByValue"] == true;
    let mut depth = json!({"maxDomDepth": 0, "includeShadowTree": "none"});
    if !by_value {
        depth["maxObjectDepth"] =
            if deep["serialization"] == "deep" { deep["maxDepth"].clone() } else { 0.into() };
    }
    json!({
        "awaitPromise": params["awaitPromise"] == true,
        "resultOwnership": if by_value { "none" } else { "root" },
        "serializationOptions": depth,
        "userActivation": params["userGesture"] == true,
    })
}

async fn run(command: Command<'_>, world: i64, method: &str, mut ask: Value) -> Answer {
    let World { realm, .. } = command.driver.state().objects.world_by_number(world)?;
    ask["target"] = json!({"realm": realm});
    let answer = command.driver.ask(method, ask).await?;
    let params = command.params;
    let group = params["objectGroup"].as_str();
    let mut state = command.driver.state();
    if let Some(details) = answer.get("exceptionDetails") {
        let exception = thrown(details);
        return Ok(json!({"result": {"type": "undefined"}, "exceptionDetails": exception}));
    }
    let result = &answer["result"];
    if params["returnByValue"] == true {
        let mut object = values::remote_object(result);
        if !object.contains_key("unserializableValue")
            && let Some(value) = values::plain(result)
        {
            object.insert("value".to_owned(), value);
        }
        return Ok(json!({"result": object}));
    }
    let mut object = state.objects.remote(result, world, true, group);
    if params["serializationOptions"]["serialization"] == "deep" {
        object["deepSerializedValue"] = values::deep(result);
    }
    Ok(json!({"result": object}))
}

/// Returns CDP `exceptionDetails` with the stack in Chromium's format.
pub(super) fn thrown(details: &Value) -> Value {
    let text = details["text"].as_str().unwrap_or("Uncaught");
    let mut exception = Value::Object(values::remote_object(&details["exception"]));
    // Firefox reports instances of a page's error classes as plain objects. Only the text reveals them.
    let is_own_error = details["exception"]["type"] == "object" && !text.starts_with("[object ");
    if details["exception"]["type"] == "error" || is_own_error {
        exception["description"] = with_stack(text, &details["stackTrace"]).into();
    }
    json!({
        "text": text,
        // Firefox names a place in its own code.
        "lineNumber": -1, "columnNumber": -1,
        "exception": exception,
        "stackTrace": {"callFrames": details["stackTrace"]["callFrames"].as_array().cloned().unwrap_or_default()},
    })
}

/// Returns an error message followed by its stack in Chromium's format.
pub(super) fn with_stack(text: &str, stack: &Value) -> String {
    let line = |frame: &Value| {
        let place = format!(
            "{}:{}:{}",
            frame["url"].as_str().unwrap_or_default(),
            frame["lineNumber"].as_i64().unwrap_or_default() + 1,
            frame["columnNumber"].as_i64().unwrap_or_default() + 1
        );
        match frame["functionName"].as_str().filter(|name| !name.is_empty()) {
            Some(name) => format!("\n    at {name} ({place})"),
            None => format!("\n    at {place}"),
        }
    };
    let frames = stack["callFrames"].as_array().into_iter().flatten();
    frames.map(line).fold(text.to_owned(), |trace, line| trace + &line)
}

/// Executes `Runtime.getProperties` for own properties. Keeps each value alive.
async fn properties(command: Command<'_>) -> Answer {
    let (world, realm, this) = {
        let state = command.driver.state();
        let id = command.text("objectId");
        let world = state.objects.object(id)?.world;
        (world, state.objects.world_by_number(world)?.realm, state.objects.reference(id)?)
    };
    // Returns a flat array of name, enumerability and value: BiDi describes only values at the first level.
    let list = "function () { return Object.getOwnPropertyNames(this).flatMap(name => { \
        const { value, enumerable } = Object.getOwnPropertyDescriptor(this, name); return [name, enumerable, value]; }); }";
    let ask = json!({
        "functionDeclaration": list,
        "this": this,
        "target": {"realm": realm},
        "awaitPromise": false,
        "resultOwnership": "none",
        "serializationOptions": {"maxDomDepth": 0, "maxObjectDepth": 1},
    });
    let answer = command.driver.ask("script.callFunction", ask).await?;
    let entries = answer["result"]["value"].as_array().cloned().unwrap_or_default();
    let objects: Vec<usize> = (2..entries.len())
        .step_by(3)
        .filter(|&at| entries[at]["sharedId"].is_null() && is_object(&entries[at]))
        .collect();
    let mut held = std::collections::HashMap::new();
    for at in objects {
        // BiDi returns a handle only for the result of a call, so each object is fetched by a separate call.
        let ask = json!({
            "functionDeclaration": "function (name) { return this[name]; }",
            "this": this,
            "arguments": [{"type": "string", "value": entries[at - 2]["value"]}],
            "target": {"realm": realm},
            "awaitPromise": false,
            "resultOwnership": "root",
            "serializationOptions": {"maxDomDepth": 0, "maxObjectDepth": 0},
        });
        held.insert(at, command.driver.ask("script.callFunction", ask));
    }
    let mut properties = Vec::new();
    for (number, entry) in entries.chunks_exact(3).enumerate() {
        let value = match held.remove(&(3 * number + 2)) {
            Some(value) => value.await?["result"].clone(),
            None => entry[2].clone(),
        };
        let object = command.driver.state().objects.remote(&value, world, true, None);
        properties.push(json!({
            "name": entry[0]["value"],
            "enumerable": entry[1]["value"],
            "isOwn": true,
            "value": object,
        }));
    }
    Ok(json!({"result": properties}))
}

fn is_object(value: &Value) -> bool {
    let plain = ["undefined", "null", "string", "number", "boolean", "bigint"];
    !plain.contains(&value["type"].as_str().unwrap_or_default())
}

fn release(command: Command<'_>, ids: Vec<String>) -> Value {
    for id in ids {
        let released = command.driver.state().objects.release(&id);
        if let Some((world, handle)) = released {
            let disown = json!({"handles": [handle], "target": {"realm": world.realm}});
            command.driver.tell("script.disown", disown);
        }
    }
    json!({})
}
