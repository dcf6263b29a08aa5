//! DOM nodes: their ids and descriptions, and files for file inputs.
use serde_json::{Map, Value, json};

use super::answers::{Answer, Command, unknown};
use super::errors::Refusal;
use super::missing_features;
use super::objects::{Object, Objects};
use super::runtime::main_world;

pub(super) async fn answer(command: Command<'_>, method: &str) -> Answer {
    match method {
        "DOM.enable" | "DOM.disable" => Ok(json!({})),
        "DOM.describeNode" => describe(command).await,
        "DOM.resolveNode" => resolve(command),
        "DOM.getFrameOwner" => owner(command).await,
        "DOM.setFileInputFiles" => set_files(command).await,
        "DOM.focus" => on_node(command, "node => node.focus()").await,
        "DOM.scrollIntoViewIfNeeded" => {
            on_node(
                command,
                "node => node.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })",
            )
            .await
        }
        "DOMDebugger.getEventListeners" => Err(Refusal::Missing(missing_features::LISTENERS)),
        _ => unknown(method),
    }
}

/// Returns the frame of the node in a command's parameters, and BiDi's reference to the node.
fn meant(command: Command<'_>) -> Result<(String, Value), Refusal> {
    let state = command.driver.state();
    if let Some(id) = command.params["objectId"].as_str() {
        let world = state.objects.object(id)?.world;
        return Ok((state.objects.world_by_number(world)?.frame, state.objects.reference(id)?));
    }
    let number = command.params["backendNodeId"].as_i64().unwrap_or_default();
    let (node, frame) = state.objects.node_by_number(number)?;
    Ok((frame, json!({"sharedId": node})))
}

async fn on_node(command: Command<'_>, function: &str) -> Answer {
    let (frame, node) = meant(command)?;
    super::runtime::ask_page(command.driver, &frame, function, vec![node]).await?;
    Ok(json!({}))
}

async fn describe(command: Command<'_>) -> Answer {
    let (frame, node) = meant(command)?;
    let depth = match command.params["depth"].as_i64() {
        Some(depth) if depth < 0 => Value::Null,
        Some(depth) => depth.into(),
        None => 0.into(),
    };
    let pierce = command.params["pierce"] == true;
    // Returns the node and, for a document or its root element, the window, whose id becomes `frameId`.
    const LOOK: &str = "node => [node, node === node.ownerDocument?.documentElement || node.nodeType === 9 ? \
        (node.ownerDocument ?? node).defaultView : null]";
    let ask = json!({
        "functionDeclaration": LOOK,
        "arguments": [node],
        "target": {"context": frame, "sandbox": super::objects::UTILITY},
        "awaitPromise": false,
        "serializationOptions": {"maxDomDepth": depth, "includeShadowTree": if pierce { "all" } else { "none" }},
    });
    let looked = command.driver.ask("script.callFunction", ask).await?["result"]["value"].take();
    let remote = &looked[0];
    if remote["type"] != "node" {
        return Err(Refusal::new("Object id doesn't reference a Node"));
    }
    let mut node = describe_node(&mut command.driver.state().objects, &frame, remote);
    if let Some(context) = looked[1]["value"]["context"].as_str() {
        node["frameId"] = context.into();
    }
    if matches!(remote["value"]["localName"].as_str(), Some("iframe" | "frame" | "object" | "embed")) {
        let shown = super::runtime::ask_page_raw(
            command.driver,
            &frame,
            "node => node.contentWindow",
            vec![json!({"sharedId": remote["sharedId"]})],
        );
        let shown = shown.await?;
        if let Some(context) = shown["value"]["context"].as_str() {
            node["frameId"] = context.into();
        }
    }
    Ok(json!({"node": node}))
}

/// Returns a CDP `Node` with the children and shadow roots that BiDi reported.
fn describe_node(objects: &mut Objects, frame: &str, remote: &Value) -> Value {
    let value = &remote["value"];
    let number = remote["sharedId"].as_str().map_or(0, |shared| objects.node(frame, shared));
    let local = value["localName"].as_str().unwrap_or_default();
    let mut node = Map::new();
    let kind = value["nodeType"].as_i64().unwrap_or_default();
    let name = match kind {
        3 => "#text".to_owned(),
        8 => "#comment".to_owned(),
        9 => "#document".to_owned(),
        11 => "#document-fragment".to_owned(),
        _ => local.to_uppercase(),
    };
    let attributes = value["attributes"].as_object().into_iter().flatten();
    let attributes: Vec<Value> =
        attributes.flat_map(|(name, value)| [name.clone().into(), value.clone()]).collect();
    for (key, remote) in [
        ("backendNodeId", number.into()),
        ("nodeType", kind.into()),
        ("nodeName", name.into()),
        ("localName", local.into()),
        ("nodeValue", value["nodeValue"].as_str().unwrap_or_default().into()),
        ("attributes", attributes.into()),
    ] {
        node.insert(key.to_owned(), remote);
    }
    if let Some(mode) = value["mode"].as_str() {
        node.insert("shadowRootType".to_owned(), mode.into());
    }
    let children = value["children"].as_array().into_iter().flatten();
    let children: Vec<Value> = children.map(|child| describe_node(objects, frame, child)).collect();
    node.insert("children".to_owned(), children.into());
    if value["shadowRoot"].is_object() {
        let root = describe_node(objects, frame, &value["shadowRoot"]);
        node.insert("shadowRoots".to_owned(), json!([root]));
    }
    Value::Object(node)
}

/// Executes `DOM.resolveNode`: returns a remote object for a node, in the given world or the main world.
fn resolve(command: Command<'_>) -> Answer {
    let number = command.params["backendNodeId"].as_i64().unwrap_or_default();
    let (shared, frame) = command.driver.state().objects.node_by_number(number)?;
    let world = match command.params["executionContextId"].as_i64() {
        Some(world) => world,
        None => main_world(command.driver, &frame)?,
    };
    let mut state = command.driver.state();
    state.objects.world_by_number(world)?;
    let group = command.params["objectGroup"].as_str().map(str::to_owned);
    let id = state.objects.hold(Object { world, handle: None, node: Some(shared), group });
    Ok(json!({"object": {"type": "object", "subtype": "node", "objectId": id}}))
}

/// Executes `DOM.getFrameOwner`: returns the node id of the element that embeds a frame.
async fn owner(command: Command<'_>) -> Answer {
    let frame = command.text("frameId");
    let parent = command.driver.state().frames.get(frame).and_then(|frame| frame.parent.clone());
    let parent = parent.ok_or_else(Refusal::no_frame)?;
    let locate = json!({"context": parent, "locator": {"type": "context", "value": {"context": frame}}});
    let found = command.driver.ask("browsingContext.locateNodes", locate).await?;
    let shared = found["nodes"][0]["sharedId"].as_str().ok_or_else(Refusal::no_frame)?;
    let number = command.driver.state().objects.node(&parent, shared);
    Ok(json!({"backendNodeId": number}))
}

async fn set_files(command: Command<'_>) -> Answer {
    let (frame, element) = meant(command)?;
    let files = json!({"context": frame, "element": element, "files": command.params["files"]});
    command.driver.ask("input.setFiles", files).await
}
