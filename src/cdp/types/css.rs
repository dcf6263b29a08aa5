//! Inspector style sheets (`CSS` domain): they apply to the page, but scripts of the page cannot see them.
use super::Empty;

domain! {
    commands {
        "DOM.enable" EnableDom {} -> Empty
        "DOM.disable" DisableDom {} -> Empty
        "CSS.enable" Enable {} -> Empty
        "CSS.disable" Disable {} -> Empty
        "CSS.createStyleSheet" CreateStyleSheet { frame_id: String } ? { force: bool } -> Created
        "CSS.setStyleSheetText" SetStyleSheetText { style_sheet_id: String, text: String } -> SheetText
    }
    events {}
    objects {
        Created { style_sheet_id: String }
        SheetText {}
    }
}
