//! Snapshots of whole documents as flat lists of nodes (`DOMSnapshot` domain).
domain! {
    commands {
        "DOMSnapshot.captureSnapshot" CaptureSnapshot { computed_styles: Vec<String> } -> Captured
    }
    events {
    }
    objects {
        Captured { documents: Vec<Document>, strings: Vec<String> }
        Document { #[serde(rename = "documentURL")] document_url: i64, frame_id: i64, nodes: Nodes }
        /// The nodes of a document. Each list has one entry per node; strings are indexes into `strings`.
        Nodes {
            parent_index: Vec<i64>,
            node_type: Vec<i64>,
            node_name: Vec<i64>,
            node_value: Vec<i64>,
            attributes: Vec<Vec<i64>>,
            content_document_index: Option<Rare>,
            shadow_root_type: Option<Rare>,
            text_value: Option<Rare>,
            input_value: Option<Rare>,
            input_checked: Option<RareTruth>,
            option_selected: Option<RareTruth>,
        }
        Rare { index: Vec<i64>, value: Vec<i64> }
        RareTruth { index: Vec<i64> }
    }
}
