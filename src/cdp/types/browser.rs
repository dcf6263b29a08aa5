//! The browser as a whole: version, windows, permissions, downloads.
use super::Empty;

domain! {
    commands {
        "Browser.getVersion" GetVersion {} -> Version
        "Browser.close" Close {} -> Empty
        "Browser.grantPermissions" GrantPermissions { permissions: Vec<String> }
            ? { origin: String, browser_context_id: String } -> Empty
        "Browser.resetPermissions" ResetPermissions {} ? { browser_context_id: String } -> Empty
        "Browser.setDownloadBehavior" SetDownloadBehavior { behavior: String }
            ? { browser_context_id: String, download_path: String, events_enabled: bool } -> Empty
        "Browser.cancelDownload" CancelDownload { guid: String } ? { browser_context_id: String } -> Empty
    }
    events {
        "Browser.downloadWillBegin" DownloadWillBegin { frame_id: String, guid: String, url: String, suggested_filename: String }
        "Browser.downloadProgress" DownloadProgress
            { guid: String, total_bytes: f64, received_bytes: f64, state: String, file_path: Option<String> }
    }
    objects {
        Version { protocol_version: String, product: String, revision: String, user_agent: String, js_version: String }
    }
}
