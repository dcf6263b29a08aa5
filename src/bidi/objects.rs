//! Maps CDP's ids of worlds, nodes and objects to Firefox's ids.
use std::collections::HashMap;

use serde_json::{Value, json};

use super::errors::Refusal;
use super::values;

/// The name of the engine's isolated world.
pub(super) const UTILITY: &str = "utility";

/// A JavaScript world: the page's main world or an isolated one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct World {
    pub frame: String,
    pub realm: String,
}

/// A remote object that stays alive until it is released.
#[derive(Debug, Clone)]
pub(super) struct Object {
    pub world: i64,
    pub handle: Option<String>,
    pub node: Option<String>,
    pub group: Option<String>,
}

#[derive(Debug, Default)]
pub(super) struct Objects {
    next: i64,
    worlds: HashMap<i64, World>,
    held: HashMap<String, Object>,
    /// By CDP node id: Firefox's id of the node, and its frame.
    nodes: HashMap<i64, (String, String)>,
    node_numbers: HashMap<String, i64>,
}

impl Objects {
    /// Returns the CDP id of the world with this realm, creating it if necessary.
    pub(super) fn world(&mut self, frame: &str, realm: &str) -> i64 {
        if let Some((number, _)) = self.worlds.iter().find(|(_, world)| world.realm == realm) {
            return *number;
        }
        self.next += 1;
        self.worlds.insert(self.next, World { frame: frame.to_owned(), realm: realm.to_owned() });
        self.next
    }

    pub(super) fn world_by_number(&self, number: i64) -> Result<World, Refusal> {
        self.worlds.get(&number).cloned().ok_or_else(Refusal::replaced)
    }

    /// Returns the CDP id of a node, the same in all worlds, creating it if necessary.
    pub(super) fn node(&mut self, frame: &str, shared: &str) -> i64 {
        if let Some(number) = self.node_numbers.get(shared) {
            return *number;
        }
        self.next += 1;
        self.nodes.insert(self.next, (shared.to_owned(), frame.to_owned()));
        self.node_numbers.insert(shared.to_owned(), self.next);
        self.next
    }

    /// Returns Firefox's id of a node, and its frame.
    pub(super) fn node_by_number(&self, number: i64) -> Result<(String, String), Refusal> {
        self.nodes.get(&number).cloned().ok_or_else(|| Refusal::new("No node with given id found"))
    }

    pub(super) fn hold(&mut self, object: Object) -> String {
        self.next += 1;
        let id = format!("firefox.{}.{}", object.world, self.next);
        self.held.insert(id.clone(), object);
        id
    }

    pub(super) fn object(&self, id: &str) -> Result<Object, Refusal> {
        self.held.get(id).cloned().ok_or_else(Refusal::replaced)
    }

    /// Releases an object. Returns its world and Firefox's handle; `None` if Firefox keeps nothing for it.
    pub(super) fn release(&mut self, id: &str) -> Option<(World, String)> {
        let object = self.held.remove(id)?;
        Some((self.worlds.get(&object.world)?.clone(), object.handle?))
    }

    pub(super) fn in_group(&self, group: &str) -> Vec<String> {
        let named = self.held.iter().filter(|(_, object)| object.group.as_deref() == Some(group));
        named.map(|(id, _)| id.clone()).collect()
    }

    /// Drops all ids that belong to a frame's previous document.
    pub(super) fn forget_frame(&mut self, frame: &str) {
        self.worlds.retain(|_, world| world.frame != frame);
        let worlds = &self.worlds;
        self.held.retain(|_, object| worlds.contains_key(&object.world));
        self.nodes.retain(|_, (_, found_in)| found_in != frame);
        let nodes = &self.nodes;
        self.node_numbers.retain(|_, number| nodes.contains_key(number));
    }

    /// Converts a script's result to a CDP `RemoteObject`. With `hold`, objects get an id and stay alive.
    pub(super) fn remote(&mut self, value: &Value, world: i64, hold: bool, group: Option<&str>) -> Value {
        let mut object = values::remote_object(value);
        let handle = value["handle"].as_str().map(str::to_owned);
        let node = value["sharedId"].as_str().map(str::to_owned);
        if hold && (handle.is_some() || node.is_some()) {
            let group = group.map(str::to_owned);
            let id = self.hold(Object { world, handle, node, group });
            object.insert("objectId".to_owned(), id.into());
        }
        Value::Object(object)
    }

    /// Converts an argument of `Runtime.callFunctionOn` to BiDi.
    pub(super) fn argument(&self, argument: &Value) -> Result<Value, Refusal> {
        if let Some(id) = argument["objectId"].as_str() {
            return self.reference(id);
        }
        if let Some(special) = argument["unserializableValue"].as_str() {
            return Ok(values::special_argument(special));
        }
        Ok(match argument.get("value") {
            Some(value) => values::local(value),
            None => json!({"type": "undefined"}),
        })
    }

    /// Returns BiDi's reference to an object. Nodes are referenced by the id that all worlds share.
    pub(super) fn reference(&self, id: &str) -> Result<Value, Refusal> {
        let object = self.object(id)?;
        match (object.node, object.handle) {
            (Some(node), _) => Ok(json!({"sharedId": node})),
            (None, Some(handle)) => Ok(json!({"handle": handle})),
            (None, None) => Err(Refusal::replaced()),
        }
    }
}
