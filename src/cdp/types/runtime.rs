//! JavaScript values and calls.
use serde_json::Value;

use super::Empty;

domain! {
    commands {
        "Runtime.evaluate" Evaluate { expression: String }
            ? { context_id: i64, return_by_value: bool, await_promise: bool, repl_mode: bool,
                generate_preview: bool, silent: bool, serialization_options: SerializationOptions, timeout: f64,
                user_gesture: bool }
            -> Evaluated
        "Runtime.callFunctionOn" CallFunctionOn { function_declaration: String }
            ? { object_id: String, execution_context_id: i64, arguments: Vec<CallArgument>, return_by_value: bool,
                await_promise: bool, silent: bool, serialization_options: SerializationOptions,
                user_gesture: bool, generate_preview: bool }
            -> Evaluated
        "Runtime.getProperties" GetProperties { object_id: String } ? { own_properties: bool } -> Properties
        "Runtime.releaseObject" ReleaseObject { object_id: String } -> Empty
        "Runtime.runIfWaitingForDebugger" RunIfWaitingForDebugger {} -> Empty
        "Runtime.terminateExecution" TerminateExecution {} -> Empty
        /// Noticeable to pages, so it needs a permit such as [`crate::cdp::DetectableCommandReason::ConsoleSubscribed`].
        "Runtime.enable" Enable {} -> Empty
        "Runtime.disable" Disable {} -> Empty
        "Runtime.discardConsoleEntries" DiscardConsoleEntries {} -> Empty
        "Runtime.addBinding" AddBinding { name: String } ? { execution_context_id: i64, execution_context_name: String } -> Empty
        /// Returns the id of the page's JavaScript isolate, which the pages of one renderer process share.
        "Runtime.getIsolateId" GetIsolateId {} -> IsolateId
    }
    events {
        "Runtime.consoleAPICalled" ConsoleApiCalled {
            #[serde(rename = "type")]
            kind: String,
            args: Vec<RemoteObject>,
            execution_context_id: i64,
            timestamp: f64,
            stack_trace: Option<StackTrace>,
        }
        "Runtime.exceptionThrown" ExceptionThrown { timestamp: f64, exception_details: ExceptionDetails }
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
        /// An argument: exactly one of a JSON value, a value that JSON cannot express, and a remote object.
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
            preview: Option<ObjectPreview>,
        }
        /// A preview of an object, which the browser creates without running getters or other code of the page.
        ObjectPreview { properties: Vec<PropertyPreview> }
        PropertyPreview { name: String, value: Option<String> }
        StackTrace { call_frames: Vec<CallFrame> }
        CallFrame { function_name: String, url: String, line_number: i64, column_number: i64 }
        Evaluated { result: RemoteObject, exception_details: Option<ExceptionDetails> }
        ExceptionDetails {
            text: String,
            line_number: i64,
            column_number: i64,
            url: Option<String>,
            stack_trace: Option<StackTrace>,
            exception: Option<RemoteObject>,
        }
        PropertyDescriptor { name: String, value: Option<RemoteObject>, enumerable: bool, is_own: Option<bool> }
        Properties { result: Vec<PropertyDescriptor> }
        IsolateId { id: String }
    }
}
