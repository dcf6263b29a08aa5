//! Mouse, keyboard and touch input.
use super::Empty;

domain! {
    commands {
        "Input.dispatchMouseEvent" DispatchMouseEvent {
            #[serde(rename = "type")] kind: &'static str,
            x: f64,
            y: f64,
        } ? { modifiers: u32, button: &'static str, buttons: u32, click_count: u32, delta_x: f64, delta_y: f64,
              pointer_type: &'static str, force: f64, timestamp: f64 } -> Empty
        "Input.dispatchKeyEvent" DispatchKeyEvent {
            #[serde(rename = "type")] kind: &'static str,
        } ? { modifiers: u32, text: String, unmodified_text: String, code: String, key: String,
              windows_virtual_key_code: u32, location: u32, auto_repeat: bool, is_keypad: bool, timestamp: f64,
              commands: Vec<String> } -> Empty
        "Input.imeSetComposition" ImeSetComposition { text: String, selection_start: i64, selection_end: i64 } -> Empty
        "Input.insertText" InsertText { text: String } -> Empty
        "Input.dispatchTouchEvent" DispatchTouchEvent {
            #[serde(rename = "type")] kind: &'static str,
            touch_points: Vec<TouchPoint>,
        } ? { modifiers: u32 } -> Empty
        "Input.setInterceptDrags" SetInterceptDrags { enabled: bool } -> Empty
        "Input.dispatchDragEvent" DispatchDragEvent {
            #[serde(rename = "type")] kind: &'static str,
            x: f64,
            y: f64,
            data: DragData,
        } ? { modifiers: u32 } -> Empty
    }
    events {
        "Input.dragIntercepted" DragIntercepted { data: DragData }
    }
    objects {
        TouchPoint {
            x: f64,
            y: f64,
            #[serde(skip_serializing_if = "Option::is_none")]
            id: Option<f64>,
        }
        DragItem {
            mime_type: String,
            data: String,
            #[serde(skip_serializing_if = "Option::is_none")]
            title: Option<String>,
            #[serde(rename = "baseURL", skip_serializing_if = "Option::is_none")]
            base_url: Option<String>,
        }
        DragData {
            items: Vec<DragItem>,
            #[serde(skip_serializing_if = "Option::is_none")]
            files: Option<Vec<String>>,
            drag_operations_mask: i64,
        }
    }
}
