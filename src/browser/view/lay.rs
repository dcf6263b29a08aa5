//! Draws captions over screencast frames, in a hidden page.
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::json;
use tokio::sync::watch;

use super::cast_frame::ScreencastImage;
use crate::browser::elements::captions::{Caption, Visible};
use crate::browser::injected::as_function;
use crate::browser::objects::page::{Page, WeakPage};
use crate::browser::scripts::helper::Helper;
use crate::error::{Error, Result};

const LAY: &str = include_str!("lay/lay.js");
/// The URL of the hidden page, which must be a secure context. No request is sent to it.
const STUDIO: &str = "https://studio.invalid/";

/// Draws captions over the screencast frames of one page.
pub(super) struct CaptionLayers {
    page: WeakPage,
    captions: watch::Receiver<Visible>,
    /// The version of the captions in the last frame.
    version: u64,
    /// The last frame without captions, to draw changed captions over it.
    bare: Option<ScreencastImage>,
    studio: Option<CaptionRenderer>,
}

impl CaptionLayers {
    pub(super) fn of(page: &Page) -> Self {
        let mut captions = page.captions();
        captions.mark_changed();
        Self { page: page.downgrade(), captions, version: 0, bare: None, studio: None }
    }

    /// Waits until the captions change. Returns the last frame, without captions, with the current time.
    pub(super) async fn changed(&mut self) -> Option<ScreencastImage> {
        if self.captions.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
        self.bare.as_ref().map(ScreencastImage::again)
    }

    /// Draws the captions over a frame. Returns the frame unchanged if drawing fails.
    pub(super) async fn over(&mut self, frame: ScreencastImage) -> ScreencastImage {
        self.bare = Some(frame.again());
        let (version, captions) = self.captions.borrow_and_update().clone();
        self.version = version;
        if captions.is_empty() {
            return frame;
        }
        match self.lay(&captions, &frame).await {
            Ok(data) => frame.with_data(data),
            Err(error) => {
                tracing::warn!(%error, "a picture is shown without its captions");
                frame
            }
        }
    }

    /// Tells the page that the last frame shows its captions.
    pub(super) fn shown(&self) {
        if let Some(page) = self.page.upgrade() {
            page.captions_laid(self.version);
        }
    }

    async fn lay(&mut self, captions: &Arc<[Caption]>, frame: &ScreencastImage) -> Result<Vec<u8>> {
        if self.studio.is_none() {
            let page = self.page.upgrade().ok_or(Error::PageClosed)?;
            let browser = page.context().browser()?;
            drop(page);
            self.studio = Some(CaptionRenderer::open(Helper::hidden(browser).await?).await?);
        }
        let studio = self.studio.as_mut().ok_or(Error::PageClosed)?;
        let laid = studio.lay(captions, frame).await;
        if laid.is_err() {
            self.studio = None;
        }
        laid
    }
}

/// The captions that the hidden page has rendered, and the size for which it rendered them, in CSS pixels.
type ShownCaptions = (Arc<[Caption]>, (f64, f64));

struct CaptionRenderer {
    helper: Helper,
    shown: Option<ShownCaptions>,
}

impl CaptionRenderer {
    async fn open(helper: Helper) -> Result<Self> {
        helper.go(STUDIO).await?;
        helper.evaluate(format!("void (globalThis.studio = ({})())", as_function(LAY))).await?;
        Ok(Self { helper, shown: None })
    }

    async fn lay(&mut self, captions: &Arc<[Caption]>, frame: &ScreencastImage) -> Result<Vec<u8>> {
        let wanted = (Arc::clone(captions), frame.viewport);
        if self.shown.as_ref() != Some(&wanted) {
            let list: Vec<_> = captions.iter().map(|layer| json!([layer.html, layer.blurs])).collect();
            let (width, height) = frame.viewport;
            self.helper.evaluate(format!("studio.take({}, {width}, {height})", json!(list))).await?;
            self.shown = Some(wanted);
        }
        let picture = BASE64_STANDARD.encode(&*frame.data);
        let laid = self.helper.evaluate(format!("studio.lay(\"{picture}\")")).await?;
        BASE64_STANDARD
            .decode(laid.as_str().unwrap_or_default())
            .map_err(|error| Error::Unreadable { method: "a picture", reason: error.to_string() })
    }
}
