//! Pictures of a page, taken by the browser itself: nothing in the page changes, and nothing of it moves.
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;

use super::input::Rect;
use super::page::Page;
use super::world::Scope;
use crate::cdp::Command;
use crate::cdp::types::page::{CaptureScreenshot, GetLayoutMetrics, Viewport};
use crate::error::{Error, Result};

/// How long the browser may take for a picture.
const LIMIT: Duration = Duration::from_secs(30);

/// What is in the picture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Area {
    /// What a person sees now.
    Viewport,
    /// All of the page.
    FullPage,
    /// A part, in CSS pixels from the upper left corner of the viewport; it may reach beyond the viewport.
    Part(Rect),
}

/// How a picture is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImageFormat {
    Png,
    /// Quality, up to 100.
    Jpeg(u8),
    /// Quality, up to 100.
    Webp(u8),
}

/// A picture: a rectangle of the document, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Framing {
    rect: Rect,
    beyond_viewport: bool,
    /// Pixels of the picture for each CSS pixel.
    pub density: f64,
}

impl ImageFormat {
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg(_) => "image/jpeg",
            Self::Webp(_) => "image/webp",
        }
    }

    fn name(self) -> (&'static str, Option<u32>) {
        match self {
            Self::Png => ("png", None),
            Self::Jpeg(quality) => ("jpeg", Some(quality.into())),
            Self::Webp(quality) => ("webp", Some(quality.into())),
        }
    }
}

impl Framing {
    /// Width and height of the picture in pixels, at full size.
    pub fn size(&self) -> (f64, f64) {
        (self.rect.width * self.density, self.rect.height * self.density)
    }
}

impl Page {
    /// Measures what a picture of `area` would show.
    pub async fn framing(&self, area: Area) -> Result<Framing> {
        let metrics = self.session().send(GetLayoutMetrics {}).within(LIMIT);
        let density = self.main_frame().evaluate("devicePixelRatio", Vec::new(), Scope::Isolated).await?;
        let metrics = metrics.await?;
        let viewport = metrics.css_visual_viewport;
        let (rect, beyond_viewport) = match area {
            Area::Viewport => {
                let (width, height) = (viewport.client_width, viewport.client_height);
                (Rect { x: viewport.page_x, y: viewport.page_y, width, height }, false)
            }
            Area::FullPage => {
                let all = metrics.css_content_size;
                (Rect { x: 0.0, y: 0.0, width: all.width.ceil(), height: all.height.ceil() }, true)
            }
            Area::Part(rect) => {
                let inside = rect.x >= 0.0
                    && rect.y >= 0.0
                    && rect.x + rect.width <= viewport.client_width
                    && rect.y + rect.height <= viewport.client_height;
                let (x, y) = (rect.x + viewport.page_x, rect.y + viewport.page_y);
                (Rect { x, y, ..rect }, !inside)
            }
        };
        if rect.width < 1.0 || rect.height < 1.0 {
            let found = "too small to be seen".to_owned();
            return Err(Error::WrongElement { found, needed: "something that can be seen" });
        }
        Ok(Framing { rect, beyond_viewport, density: density.as_f64().unwrap_or(1.0) })
    }

    /// Takes the picture that was measured, `scale` times its size.
    pub async fn picture(&self, framing: &Framing, format: ImageFormat, scale: f64) -> Result<Vec<u8>> {
        let (name, quality) = format.name();
        let Rect { x, y, width, height } = framing.rect;
        let capture = CaptureScreenshot {
            format: Some(name.to_owned()),
            quality,
            clip: Some(Viewport { x, y, width, height, scale }),
            capture_beyond_viewport: Some(framing.beyond_viewport),
            ..CaptureScreenshot::default()
        };
        let capture = self.session().send(capture).within(LIMIT);
        let picture = self.unless_dialog(capture).await?;
        let decoded = BASE64_STANDARD.decode(picture.data);
        decoded.map_err(|error| Error::Unreadable {
            method: CaptureScreenshot::METHOD,
            reason: error.to_string(),
        })
    }
}
