//! The accessibility tree: roles, names and states as assistive technology receives them.
use serde_json::Value;

use super::Empty;

domain! {
    commands {
        "Accessibility.getPartialAXTree" GetPartialAxTree { object_id: String } ? { fetch_relatives: bool } -> AxNodes
        "Accessibility.disable" Disable {} -> Empty
    }
    events {}
    objects {
        AxNodes { nodes: Vec<AxNode> }
        AxNode {
            ignored: bool,
            role: Option<AxValue>,
            name: Option<AxValue>,
            properties: Option<Vec<AxProperty>>,
        }
        AxValue {
            value: Value,
            sources: Option<Vec<AxValueSource>>,
        }
        AxValueSource {
            attribute: Option<String>,
            attribute_value: Option<Box<AxValue>>,
        }
        AxProperty {
            name: String,
            value: AxValue,
        }
    }
}
