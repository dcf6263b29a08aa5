//! Labels and compares screenshots, using a hidden page.
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::{Value, json};

use super::screenshot::{ImageFormat, Screenshot};
use crate::browser::injected::as_function;
use crate::browser::objects::page::Page;
use crate::browser::scripts::helper::Helper;
use crate::error::{Error, Result};

const RETOUCH: &str = include_str!("retouch/retouch.js");
/// The URL of the hidden page, which must be a secure context. No request is sent to it.
const STUDIO: &str = "https://studio.invalid/";

/// The difference between two screenshots.
#[derive(Debug, Clone, Deserialize)]
pub struct ScreenshotDiff {
    /// The number of pixels that differ.
    pub changed: u64,
    /// The total number of pixels.
    pub all: u64,
    /// The box around all differences: x, y, width and height in pixels; `None` if there are none.
    #[serde(rename = "box")]
    pub within: Option<[u32; 4]>,
    /// A PNG in Base64 that shows the differences in red over a pale grey image.
    picture: String,
}

impl ScreenshotDiff {
    pub fn picture(&self) -> Result<Vec<u8>> {
        decoded(&self.picture)
    }
}

impl Page {
    /// Draws a numbered frame around each box (x, y, width, height in pixels). Returns an image in `format`.
    pub async fn label_boxes(
        &self,
        picture: &Screenshot,
        boxes: &[[f64; 4]],
        format: ImageFormat,
        quality: Option<u32>,
    ) -> Result<Vec<u8>> {
        let arguments = json!([BASE64_STANDARD.encode(&picture.bytes), boxes]);
        let labelled = self.retouch("label", arguments, format, quality).await?;
        decoded(labelled.as_str().unwrap_or_default())
    }

    /// Compares two screenshots pixel by pixel.
    pub async fn difference(&self, before: &Screenshot, after: &Screenshot) -> Result<ScreenshotDiff> {
        let [before, after] = [before, after].map(|picture| BASE64_STANDARD.encode(&picture.bytes));
        let answer = self.retouch("difference", json!([before, after]), ImageFormat::Png, None).await?;
        serde_json::from_value(answer)
            .map_err(|error| Error::Unreadable { method: "the difference", reason: error.to_string() })
    }

    async fn retouch(
        &self,
        what: &str,
        mut arguments: Value,
        format: ImageFormat,
        quality: Option<u32>,
    ) -> Result<Value> {
        let helper = Helper::hidden(self.context().browser()?).await?;
        helper.go(STUDIO).await?;
        if let Some(arguments) = arguments.as_array_mut() {
            arguments.push(format.mime_type().into());
            arguments.push(quality.map(|quality| f64::from(quality) / 100.0).into());
        }
        helper.evaluate(format!("{}.{what}(...{arguments})", as_function(RETOUCH))).await
    }
}

fn decoded(text: &str) -> Result<Vec<u8>> {
    BASE64_STANDARD
        .decode(text)
        .map_err(|error| Error::Unreadable { method: "a picture", reason: error.to_string() })
}
