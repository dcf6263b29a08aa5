//! Drops files or texts on elements, as if they came from outside the page.
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;

use super::actionability::{ActionOptions, RequiredState};
use super::drag::drag_event;
use super::element::ElementHandle;
use crate::browser::input::Point;
use crate::browser::objects::world::ScriptWorld;
use crate::browser::scripts::handle::JsHandle;
use crate::browser::scripts::value::JsValue;
use crate::cdp::types::input::{DragData, DragItem};
use crate::error::{Error, Result};

const DROP: &str = include_str!("../injected/drop.js");

/// The files and texts that are dropped on an element from outside the page.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct DropPayload {
    /// Paths of files.
    files: Vec<PathBuf>,
    /// The MIME type of each file, if given.
    types: Vec<Option<String>>,
    position: Option<Point>,
    /// Texts by MIME type, such as `text/plain`.
    data: Vec<(String, String)>,
}

impl DropPayload {
    pub(in crate::browser) fn new(files: Vec<PathBuf>, data: Vec<(String, String)>) -> Self {
        Self { files, data, ..Self::default() }
    }

    /// Returns the argument for `drop.js`: an array of the position, the files and the texts.
    async fn written(&self) -> Result<JsValue> {
        let list = |items| JsValue::Array { number: u64::MAX, items };
        let text = |text: &str| JsValue::Text(text.to_owned());
        let at = self
            .position
            .map_or(JsValue::Null, |at| list(vec![JsValue::Number(at.x), JsValue::Number(at.y)]));
        let mut files = Vec::new();
        for (number, path) in self.files.iter().enumerate() {
            let content = tokio::fs::read(path).await.map_err(|error| Error::File {
                path: path.display().to_string(),
                reason: error.to_string(),
            })?;
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let kind = self.types.get(number).and_then(Option::as_deref).unwrap_or_default();
            files.push(list(vec![text(&name), text(kind), JsValue::Text(BASE64_STANDARD.encode(content))]));
        }
        let texts = self.data.iter().map(|(kind, value)| list(vec![text(kind), text(value)])).collect();
        Ok(list(vec![at, list(files), list(texts)]))
    }
}

impl ElementHandle {
    /// Drops files or texts on the element as if they came from another program.
    pub async fn drop_payload(&self, dropped: &DropPayload, options: &ActionOptions) -> Result<()> {
        let options = &ActionOptions { position: dropped.position.or(options.position), ..options.clone() };
        const COPY: i64 = 1;
        let session = self.frame().page()?.session().clone();
        let to = self.wait_until_actionable(RequiredState::HOVERABLE, options).await?;
        if self.input(options)?.is_bare() {
            let answer = dropped.written().await?;
            return JsHandle::of_element(self)
                .evaluate(DROP, &answer, Some(ScriptWorld::Main))
                .await
                .map(drop);
        }
        let item = |(mime_type, data): &(String, String)| DragItem {
            mime_type: mime_type.clone(),
            data: data.clone(),
            ..DragItem::default()
        };
        let files: Vec<_> = dropped.files.iter().map(|path| path.display().to_string()).collect();
        let data = DragData {
            items: dropped.data.iter().map(item).collect(),
            files: Some(files).filter(|files| !files.is_empty()),
            drag_operations_mask: COPY,
        };
        for kind in ["dragEnter", "dragOver", "drop"] {
            session.call(drag_event(kind, to, data.clone())).await?;
        }
        Ok(())
    }
}
