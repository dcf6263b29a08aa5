//! Targets: pages, frames in other processes, workers.
use super::Empty;

domain! {
    commands {
        "Target.setAutoAttach" SetAutoAttach { auto_attach: bool, wait_for_debugger_on_start: bool, flatten: bool }
            ? { filter: Vec<FilterEntry> } -> Empty
        "Target.setDiscoverTargets" SetDiscoverTargets { discover: bool } ? { filter: Vec<FilterEntry> } -> Empty
        "Target.createTarget" CreateTarget { url: String }
            ? { browser_context_id: String, new_window: bool, background: bool, hidden: bool, width: u32, height: u32 } -> Created
        "Target.closeTarget" CloseTarget { target_id: String } -> Empty
        "Target.activateTarget" ActivateTarget { target_id: String } -> Empty
        "Target.attachToTarget" AttachToTarget { target_id: String, flatten: bool } -> Attached
        "Target.attachToBrowserTarget" AttachToBrowserTarget {} -> Attached
        "Target.detachFromTarget" DetachFromTarget {} ? { session_id: String } -> Empty
        "Target.getTargets" GetTargets {} ? { filter: Vec<FilterEntry> } -> Targets
        "Target.getTargetInfo" GetTargetInfo {} ? { target_id: String } -> Described
        "Target.createBrowserContext" CreateBrowserContext {}
            ? { dispose_on_detach: bool, proxy_server: String, proxy_bypass_list: String } -> ContextCreated
        "Target.getBrowserContexts" GetBrowserContexts {} -> Contexts
        "Target.disposeBrowserContext" DisposeBrowserContext { browser_context_id: String } -> Empty
    }
    events {
        "Target.attachedToTarget" AttachedToTarget { session_id: String, target_info: TargetInfo, waiting_for_debugger: bool }
        "Target.detachedFromTarget" DetachedFromTarget { session_id: String }
        "Target.targetCreated" TargetCreated { target_info: TargetInfo }
    }
    objects {
        TargetInfo {
            target_id: String,
            #[serde(rename = "type")]
            kind: String,
            title: String,
            url: String,
            attached: bool,
            opener_id: Option<String>,
            opener_frame_id: Option<String>,
            browser_context_id: Option<String>,
            subtype: Option<String>,
        }
        /// An entry of a list that selects which kinds of targets to attach to. The first matching entry decides.
        FilterEntry {
            exclude: bool,
            #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
            kind: Option<String>,
        }
        Created { target_id: String }
        Attached { session_id: String }
        Targets { target_infos: Vec<TargetInfo> }
        Described { target_info: TargetInfo }
        ContextCreated { browser_context_id: String }
        Contexts {
            /// The contexts that clients have created; excludes the default context.
            browser_context_ids: Vec<String>,
            default_browser_context_id: Option<String>,
        }
    }
}
