//! DOM nodes as the browser sees them, including closed shadow roots, which JavaScript cannot reach.
use super::Empty;

domain! {
    commands {
        "DOM.describeNode" DescribeNode {}
            ? { node_id: i64, backend_node_id: i64, object_id: String, depth: i64, pierce: bool } -> Described
        "DOM.resolveNode" ResolveNode {}
            ? { node_id: i64, backend_node_id: i64, object_group: String, execution_context_id: i64 } -> Resolved
        "DOM.getFrameOwner" GetFrameOwner { frame_id: String } -> FrameOwner
        "DOM.setFileInputFiles" SetFileInputFiles { files: Vec<String> } ? { backend_node_id: i64, object_id: String } -> Empty
        "DOMDebugger.getEventListeners" GetEventListeners { object_id: String } ? { depth: i64, pierce: bool } -> EventListeners
    }
    events {}
    objects {
        Node {
            node_id: i64,
            backend_node_id: i64,
            node_type: i64,
            node_name: String,
            local_name: String,
            node_value: String,
            attributes: Option<Vec<String>>,
            frame_id: Option<String>,
            shadow_root_type: Option<String>,
            children: Option<Vec<Node>>,
            shadow_roots: Option<Vec<Node>>,
            content_document: Option<Box<Node>>,
        }
        Described { node: Node }
        Resolved { object: super::runtime::RemoteObject }
        FrameOwner { backend_node_id: i64 }
        EventListener {
            #[serde(rename = "type")]
            kind: String,
            passive: bool,
            once: bool,
            backend_node_id: i64,
        }
        EventListeners { listeners: Vec<EventListener> }
    }
}
