//! Roles, names and states of custom elements from `ElementInternals`. Scripts cannot read them, so they come
//! from the browser's accessibility tree.
use std::collections::BTreeMap;

use futures_util::future::join_all;
use serde_json::Value;

use crate::browser::objects::world::{UtilityWorld, value_argument};
use crate::cdp::types::accessibility::{AxNode, Disable, GetPartialAxTree};
use crate::error::Result;

/// The accessibility properties that correspond to an `aria-…` attribute of the same name.
const STATES: [&str; 8] =
    ["checked", "disabled", "expanded", "level", "pressed", "readonly", "required", "selected"];
const NO_ROLES: [&str; 3] = ["", "generic", "none"];

/// Reads the roles, names and states of the custom elements without a `role` attribute that the injected
/// script has met, and passes them to the script. Returns whether any of them have changed.
pub(in crate::browser) async fn adopt_internals(world: &UtilityWorld) -> Result<bool> {
    let Some(array) = world.call_handle("customs", Vec::new()).await? else { return Ok(false) };
    let (session, elements) = (world.session(), array.items().await?);
    let asked: Vec<_> = elements
        .iter()
        .map(|handle| {
            let object_id = handle.id().to_owned();
            session.send(GetPartialAxTree { object_id, fetch_relatives: Some(false) })
        })
        .collect();
    let nodes = join_all(asked).await;
    let _ = session.call(Disable {}).await;
    let found: Vec<_> = nodes
        .into_iter()
        .map(|reply| {
            reply.ok().and_then(|reply| reply.nodes.into_iter().next()).map(|node| attributes(&node))
        })
        .collect();
    world.call_with("adoptInternals", vec![array.argument(), value_argument(&found)]).await
}

/// Returns the ARIA attributes that would give an element the role, label and states of `node`.
fn attributes(node: &AxNode) -> BTreeMap<String, String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let role = node.role.iter().map(|role| text(&role.value)).find(|role| !NO_ROLES.contains(&role.as_str()));
    let Some(role) = role.filter(|_| !node.ignored) else { return BTreeMap::new() };
    let sources = node.name.iter().filter_map(|name| name.sources.as_ref()).flatten();
    let label = sources
        .filter(|source| source.attribute.as_deref() == Some("aria-label"))
        .find_map(|source| Some(text(&source.attribute_value.as_ref()?.value)));
    let states = node.properties.iter().flatten().filter(|state| STATES.contains(&state.name.as_str()));
    let states = states.map(|state| (format!("aria-{}", state.name), text(&state.value.value)));
    let label = label.map(|label| ("aria-label".to_owned(), label));
    states.chain(label).chain([("role".to_owned(), role)]).collect()
}
