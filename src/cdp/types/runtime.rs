//! JavaScript values and calls. `Runtime.enable` is deliberately absent.
use serde_json::Value;

use super::Empty;

domain! {
    commands {
        "Runtime.evaluate" Evaluate { expression: String }
            ? { context_id: i64, return_by_value: bool, await_promise: bool, object_group: String, repl_mode: bool,
                generate_preview: bool, silent: bool, serialization_options: SerializationOptions, timeout: f64 }
            -> Evaluated
        "Runtime.callFunctionOn" CallFunctionOn { function_declaration: String }
            ? { object_id: String, execution_context_id: i64, arguments: Vec<CallArgument>, return_by_value: bool,
                await_promise: bool, object_group: String, silent: bool, serialization_options: SerializationOptions }
            -> Evaluated
        "Runtime.getProperties" GetProperties { object_id: String } ? { own_properties: bool } -> Properties
        "Runtime.releaseObject" ReleaseObject { object_id: String } -> Empty
        "Runtime.releaseObjectGroup" ReleaseObjectGroup { object_group: String } -> Empty
        "Runtime.runIfWaitingForDebugger" RunIfWaitingForDebugger {} -> Empty
        "Runtime.terminateExecution" TerminateExecution {} -> Empty
        "Runtime.addBinding" AddBinding { name: String } ? { execution_context_id: i64, execution_context_name: String } -> Empty
        "Runtime.removeBinding" RemoveBinding { name: String } -> Empty
        "Runtime.getHeapUsage" GetHeapUsage {} -> HeapUsage
    }
    events {
        "Runtime.bindingCalled" BindingCalled { name: String, payload: String, execution_context_id: i64 }
    }
    objects {
        SerializationOptions {
            serialization: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            max_depth: Option<u32>,
            #[serde(skip_serializing_if = "Option::is_none")]
            additional_parameters: Option<Value>,
        }
        /// An argument: a value, one that JSON has no word for, or an object of the page.
        CallArgument {
            #[serde(skip_serializing_if = "Option::is_none")]
            value: Option<Value>,
            #[serde(skip_serializing_if = "Option::is_none")]
            unserializable_value: Option<String>,
            #[serde(skip_serializing_if = "Option::is_none")]
            object_id: Option<String>,
        }
        RemoteObject {
            #[serde(rename = "type")]
            kind: String,
            subtype: Option<String>,
            class_name: Option<String>,
            value: Option<Value>,
            unserializable_value: Option<String>,
            description: Option<String>,
            object_id: Option<String>,
            deep_serialized_value: Option<Value>,
        }
        Evaluated { result: RemoteObject, exception_details: Option<ExceptionDetails> }
        ExceptionDetails {
            text: String,
            line_number: i64,
            column_number: i64,
            url: Option<String>,
            exception: Option<RemoteObject>,
        }
        PropertyDescriptor { name: String, value: Option<RemoteObject>, enumerable: bool, is_own: Option<bool> }
        Properties { result: Vec<PropertyDescriptor> }
        HeapUsage { used_size: f64, total_size: f64 }
    }
}
