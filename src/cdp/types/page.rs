//! The lifecycle of a page: documents, frames, dialogs, screenshots.
use super::Empty;

domain! {
    commands {
        "Page.enable" Enable {} -> Empty
        "Page.setLifecycleEventsEnabled" SetLifecycleEventsEnabled { enabled: bool } -> Empty
        "Page.getFrameTree" GetFrameTree {} -> FrameTreeReply
        "Page.navigate" Navigate { url: String }
            ? { referrer: String, referrer_policy: String, transition_type: String, frame_id: String } -> Navigated
        "Page.reload" Reload {} ? { ignore_cache: bool } -> Empty
        "Page.stopLoading" StopLoading {} -> Empty
        "Page.getNavigationHistory" GetNavigationHistory {} -> NavigationHistory
        "Page.navigateToHistoryEntry" NavigateToHistoryEntry { entry_id: i64 } -> Empty
        "Page.createIsolatedWorld" CreateIsolatedWorld { frame_id: String }
            ? { world_name: String, grant_univeral_access: bool } -> WorldCreated
        "Page.addScriptToEvaluateOnNewDocument" AddScriptToEvaluateOnNewDocument { source: String }
            ? { world_name: String, run_immediately: bool, #[serde(rename = "includeCommandLineAPI")] include_command_line_api: bool } -> ScriptAdded
        "Page.removeScriptToEvaluateOnNewDocument" RemoveScriptToEvaluateOnNewDocument { identifier: String } -> Empty
        "Page.setDocumentContent" SetDocumentContent { frame_id: String, html: String } -> Empty
        "Page.close" Close {} -> Empty
        "Page.handleJavaScriptDialog" HandleJavaScriptDialog { accept: bool } ? { prompt_text: String } -> Empty
        "Page.setInterceptFileChooserDialog" SetInterceptFileChooserDialog { enabled: bool } ? { cancel: bool } -> Empty
        "Page.captureScreenshot" CaptureScreenshot {}
            ? { format: String, quality: u32, clip: Viewport, from_surface: bool, capture_beyond_viewport: bool, optimize_for_speed: bool }
            -> Screenshot
        "Page.getResourceContent" GetResourceContent { frame_id: String, url: String } -> ResourceContent
        "Page.getLayoutMetrics" GetLayoutMetrics {} -> LayoutMetrics
        "Page.captureSnapshot" CaptureMhtml {} ? { format: String } -> Mhtml
        "Page.printToPDF" PrintToPdf {}
            ? { landscape: bool, display_header_footer: bool, print_background: bool, scale: f64, paper_width: f64,
                paper_height: f64, margin_top: f64, margin_bottom: f64, margin_left: f64, margin_right: f64,
                page_ranges: String, header_template: String, footer_template: String,
                #[serde(rename = "preferCSSPageSize")] prefer_css_page_size: bool, transfer_mode: String, #[serde(rename = "generateTaggedPDF")] generate_tagged_pdf: bool, generate_document_outline: bool }
            -> Pdf
        "Page.startScreencast" StartScreencast {}
            ? { format: String, quality: u32, max_width: u32, max_height: u32, every_nth_frame: u32 } -> Empty
        "Page.stopScreencast" StopScreencast {} -> Empty
        "Page.screencastFrameAck" ScreencastFrameAck { session_id: i64 } -> Empty
        "Page.setBypassCSP" SetBypassCsp { enabled: bool } -> Empty
        "Page.crash" Crash {} -> Empty
    }
    events {
        "Page.frameAttached" FrameAttached { frame_id: String, parent_frame_id: String }
        "Page.frameDetached" FrameDetached { frame_id: String, reason: String }
        "Page.frameNavigated" FrameNavigated { frame: Frame, #[serde(rename = "type")] kind: String }
        "Page.navigatedWithinDocument" NavigatedWithinDocument { frame_id: String, url: String }
        "Page.frameStartedNavigating" FrameStartedNavigating
            { frame_id: String, url: String, loader_id: String, navigation_type: String }
        "Page.frameRequestedNavigation" FrameRequestedNavigation
            { frame_id: String, reason: String, url: String, disposition: String }
        "Page.frameStartedLoading" FrameStartedLoading { frame_id: String }
        "Page.frameStoppedLoading" FrameStoppedLoading { frame_id: String }
        "Page.lifecycleEvent" LifecycleEvent { frame_id: String, loader_id: String, name: String, timestamp: f64 }
        "Page.loadEventFired" LoadEventFired { timestamp: f64 }
        "Page.windowOpen" WindowOpen
            { url: String, window_name: String, window_features: Vec<String>, user_gesture: bool }
        "Page.javascriptDialogOpening" JavascriptDialogOpening {
            url: String,
            message: String,
            #[serde(rename = "type")] kind: String,
            default_prompt: Option<String>,
            has_browser_handler: bool,
        }
        "Page.javascriptDialogClosed" JavascriptDialogClosed { result: bool, user_input: String }
        "Page.screencastFrame" ScreencastFrame { data: String, metadata: ScreencastMetadata, session_id: i64 }
        "Page.fileChooserOpened" FileChooserOpened { frame_id: String, mode: String, backend_node_id: Option<i64> }
    }
    objects {
        ResourceContent { content: String, base64_encoded: bool }
        Mhtml { data: String }
        Frame {
            id: String,
            parent_id: Option<String>,
            loader_id: String,
            name: Option<String>,
            url: String,
            url_fragment: Option<String>,
            mime_type: String,
            unreachable_url: Option<String>,
        }
        FrameTree { frame: Frame, child_frames: Option<Vec<FrameTree>> }
        FrameTreeReply { frame_tree: FrameTree }
        Navigated { frame_id: String, loader_id: Option<String>, error_text: Option<String>, is_download: Option<bool> }
        HistoryEntry { id: i64, url: String, title: String, transition_type: String }
        NavigationHistory { current_index: usize, entries: Vec<HistoryEntry> }
        WorldCreated { execution_context_id: i64 }
        ScriptAdded { identifier: String }
        /// A rectangle of the page in CSS pixels, and the scale of the screenshot.
        Viewport { x: f64, y: f64, width: f64, height: f64, scale: f64 }
        Screenshot { data: String }
        LayoutViewport { page_x: f64, page_y: f64, client_width: u32, client_height: u32 }
        VisualViewport {
            offset_x: f64,
            offset_y: f64,
            page_x: f64,
            page_y: f64,
            client_width: f64,
            client_height: f64,
            scale: f64,
        }
        Rectangle { x: f64, y: f64, width: f64, height: f64 }
        LayoutMetrics {
            css_layout_viewport: LayoutViewport,
            css_visual_viewport: VisualViewport,
            css_content_size: Rectangle,
        }
        ScreencastMetadata { device_width: f64, device_height: f64, timestamp: Option<f64> }
        Pdf { data: String, stream: Option<String> }
    }
}
