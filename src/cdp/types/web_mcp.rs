//! Tools that pages offer to agents (`WebMCP`).
use serde_json::Value;

use super::Empty;

domain! {
    commands {
        "WebMCP.enable" Enable {} -> Empty
        "WebMCP.invokeTool" InvokeTool { frame_id: String, tool_name: String, input: Value } -> Invoked
        "WebMCP.cancelInvocation" CancelInvocation { invocation_id: String } -> Empty
    }
    events {
        "WebMCP.toolsAdded" ToolsAdded { tools: Vec<Tool> }
        "WebMCP.toolsRemoved" ToolsRemoved { tools: Vec<RemovedTool> }
        "WebMCP.toolResponded" ToolResponded {
            invocation_id: String,
            status: String,
            output: Option<Value>,
            error_text: Option<String>,
            exception: Option<super::runtime::RemoteObject>,
        }
    }
    objects {
        Invoked { invocation_id: String }
        Tool {
            name: String,
            description: String,
            input_schema: Option<Value>,
            annotations: Option<Annotation>,
            frame_id: String,
            backend_node_id: Option<i64>,
        }
        Annotation { read_only: Option<bool>, consequential: Option<bool>, autosubmit: Option<bool> }
        RemovedTool { name: String, frame_id: String }
    }
}
