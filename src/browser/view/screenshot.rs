//! Screenshots. Taking one does not change the document.
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use tokio::try_join;

use crate::browser::objects::page::Page;
use crate::browser::objects::world::ScriptWorld;
use crate::cdp::types::page::{CaptureScreenshot, GetLayoutMetrics, LayoutMetrics, Viewport};
use crate::error::{Error, Result};

/// The format of a screenshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImageFormat {
    #[default]
    Png,
    Jpeg,
    Webp,
}

impl ImageFormat {
    pub fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Webp => "image/webp",
        }
    }

    /// Returns the file name extension, without a dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Png => "png",
            Self::Jpeg => "jpeg",
            Self::Webp => "webp",
        }
    }

    fn name(self) -> &'static str {
        self.extension()
    }
}

/// The part of the page to capture. Coordinates are in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Area {
    /// The viewport.
    #[default]
    Viewport,
    /// The full scrollable page. The viewport is enlarged for a moment, which the page can detect.
    FullPage,
    /// x, y, width and height relative to the viewport. If larger, the viewport is enlarged for a moment.
    Part([f64; 4]),
    /// x, y, width and height relative to the top left corner of the viewport, clipped to the viewport.
    ViewportClip([f64; 4]),
    /// x, y, width and height relative to the top left corner of the full page, clipped to the page.
    PageClip([f64; 4]),
}

/// Options of a screenshot.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ScreenshotOptions {
    pub area: Area,
    pub format: ImageFormat,
    /// The quality from 0 to 100, for JPEG and WebP only.
    pub quality: Option<u32>,
    /// Image pixels per CSS pixel. Default: the device pixel ratio.
    pub scale: Option<f64>,
    /// The maximum number of pixels on each side, and in total. A larger image is scaled down.
    pub at_most: Option<(u32, u32)>,
}

/// An encoded screenshot.
#[derive(Debug, Clone)]
pub struct Screenshot {
    pub bytes: Vec<u8>,
    pub format: ImageFormat,
    /// The captured area (x, y, width, height) in CSS pixels, relative to the document.
    pub area: [f64; 4],
    /// Image pixels per CSS pixel.
    pub scale: f64,
}

/// The maximum side length in CSS pixels. A longer area would keep the browser busy for minutes.
const LONGEST_SIDE: f64 = 50_000.0;

/// The time limit of a capture, because a busy page may never draw a frame.
const LIMIT: Duration = Duration::from_secs(20);

impl Page {
    /// Takes a screenshot of the page. Secret texts are masked.
    pub async fn screenshot(&self, options: ScreenshotOptions) -> Result<Screenshot> {
        if self.hides_texts() {
            return self.fail_on_dialog(self.take_with_hidden_texts_masked(options)).await;
        }
        self.fail_on_dialog(self.while_stable(|| self.take_screenshot(options))).await
    }

    /// Takes a screenshot and masks secret texts, at their positions both before and after the capture.
    async fn take_with_hidden_texts_masked(&self, options: ScreenshotOptions) -> Result<Screenshot> {
        let mut places = self.hidden_text_boxes().await?;
        let plain = ScreenshotOptions { format: ImageFormat::Png, ..options };
        let taken = self.while_stable(|| self.take_screenshot(plain)).await?;
        places.extend(self.hidden_text_boxes().await?);
        let metrics = self.session().call(GetLayoutMetrics {}).await?;
        if places.is_empty() && options.format == ImageFormat::Png {
            return Ok(taken);
        }
        // To capture more than the viewport, the browser enlarges it briefly, which may move secret texts.
        if !places.is_empty() && options.area != Area::Viewport && !is_visible(&metrics, taken.area) {
            return Err(Error::SecretShown { what: "a picture of more than the viewport" });
        }
        self.cover(taken, &options, &places, "#000").await
    }

    async fn take_screenshot(&self, options: ScreenshotOptions) -> Result<Screenshot> {
        let _work = self.work();
        let metrics = self.session().send(GetLayoutMetrics {});
        let (mut metrics, [density, across, down]) = try_join!(metrics, self.pixels())?;
        let view = &mut metrics.css_visual_viewport;
        let is_plain = (view.scale - 1.0).abs() < 0.001;
        if is_plain {
            // The screenshot includes scroll bars, but these metrics do not.
            view.client_width = view.client_width.max(across);
            view.client_height = view.client_height.max(down);
        }
        let area = document_area(&metrics, options.area);
        let [x, y, width, height] = area;
        if width < 1.0 || height < 1.0 {
            return Err(nothing_to_show(options.area));
        }
        if let Some([across, down]) = end_before(&metrics, area) {
            return Err(Error::Unsupported {
                what: "a picture",
                reason: format!("the requested part is outside the page, which ends at {across}, {down}"),
            });
        }
        if width.max(height) > LONGEST_SIDE {
            return Err(too_large(ImageFormat::Png, width, height));
        }
        let wanted = options.scale.unwrap_or(density);
        let scale = match options.at_most {
            Some((side, pixels)) => wanted.min(fitting(width, height, f64::from(side), f64::from(pixels))),
            None => wanted,
        };
        // Capturing the whole viewport is faster without a clip.
        let whole = options.area == Area::Viewport && is_plain && (scale - density).abs() < 0.001;
        let clip = Viewport { x, y, width, height, scale: scale / density };
        let capture = CaptureScreenshot {
            format: Some(options.format.name().to_owned()),
            quality: options.quality.filter(|_| options.format != ImageFormat::Png),
            clip: (!whole).then_some(clip),
            // Compressing a PNG well takes longer than capturing it.
            optimize_for_speed: (options.format == ImageFormat::Png).then_some(true),
            capture_beyond_viewport: (!is_visible(&metrics, area)).then_some(true),
            ..CaptureScreenshot::default()
        };
        let picture = tokio::select! {
            biased;
            picture = self.session().call_within(capture, LIMIT) => picture?,
            () = self.until_in_script() => return Err(Error::PageBusy),
        };
        let bytes = BASE64.decode(picture.data.as_bytes()).map_err(|error| Error::Unreadable {
            method: "Page.captureScreenshot",
            reason: error.to_string(),
        })?;
        if bytes.is_empty() {
            return Err(too_large(options.format, width * scale, height * scale));
        }
        Ok(Screenshot { bytes, format: options.format, area, scale })
    }

    /// Returns the device pixel ratio, and the viewport's width and height with scroll bars in CSS pixels.
    async fn pixels(&self) -> Result<[f64; 3]> {
        const SCRIPT: &str = "[devicePixelRatio, innerWidth, innerHeight]";
        let sizes = self.main_frame().evaluate(SCRIPT, Vec::new(), ScriptWorld::Isolated).await?;
        let number = |index: usize| sizes[index].as_f64().filter(|number| *number > 0.0);
        Ok([number(0).unwrap_or(1.0), number(1).unwrap_or_default(), number(2).unwrap_or_default()])
    }
}

fn document_area(metrics: &LayoutMetrics, area: Area) -> [f64; 4] {
    let view = &metrics.css_visual_viewport;
    let content = &metrics.css_content_size;
    let viewport = [view.page_x, view.page_y, view.client_width, view.client_height];
    let page = [content.x, content.y, content.width, content.height];
    match area {
        Area::Viewport => viewport,
        Area::FullPage => page,
        Area::ViewportClip(clip) => clipped(viewport, clip),
        Area::PageClip(clip) => clipped(page, clip),
        Area::Part([x, y, width, height]) => {
            // Round to whole pixels, so that the edges are sharp.
            let (left, top) = ((x + view.page_x).floor(), (y + view.page_y).floor());
            let (right, bottom) = ((x + view.page_x + width).ceil(), (y + view.page_y + height).ceil());
            [left, top, right - left, bottom - top]
        }
    }
}

/// Returns the part of a clip inside an area. The clip is relative to the area's top left corner.
fn clipped([left, top, width, height]: [f64; 4], [x, y, across, down]: [f64; 4]) -> [f64; 4] {
    let (begin_x, begin_y) = (x.clamp(0.0, width).floor(), y.clamp(0.0, height).floor());
    let (end_x, end_y) = ((x + across).clamp(0.0, width).ceil(), (y + down).clamp(0.0, height).ceil());
    [left + begin_x, top + begin_y, (end_x - begin_x).max(0.0), (end_y - begin_y).max(0.0)]
}

/// Returns the page's right and bottom edge, relative to the viewport, if the area begins beyond it.
fn end_before(metrics: &LayoutMetrics, [x, y, ..]: [f64; 4]) -> Option<[f64; 2]> {
    let (content, view) = (&metrics.css_content_size, &metrics.css_visual_viewport);
    let right = (content.x + content.width).max(view.page_x + view.client_width);
    let bottom = (content.y + content.height).max(view.page_y + view.client_height);
    (x >= right || y >= bottom).then(|| [(right - view.page_x).floor(), (bottom - view.page_y).floor()])
}

fn nothing_to_show(area: Area) -> Error {
    let reason = match area {
        Area::ViewportClip(_) | Area::PageClip(_) => {
            "Clipped area is either empty or outside the resulting image"
        }
        _ => "there is nothing to show",
    };
    Error::Unsupported { what: "a picture", reason: reason.to_owned() }
}

/// Returns the error for an image that is too large for its format. The browser returns no data then.
fn too_large(format: ImageFormat, width: f64, height: f64) -> Error {
    let size = format!("{} by {} pixels", width.round(), height.round());
    let reason = match format {
        ImageFormat::Png => format!("{size} are more than the browser can draw; take a part of it"),
        other => format!("{size} are more than a {} can hold; take a png", other.name()),
    };
    Error::Unsupported { what: "a picture", reason }
}

fn is_visible(metrics: &LayoutMetrics, [x, y, width, height]: [f64; 4]) -> bool {
    let view = &metrics.css_visual_viewport;
    let horizontally = x >= view.page_x && x + width <= view.page_x + view.client_width + 0.5;
    let vertically = y >= view.page_y && y + height <= view.page_y + view.client_height + 0.5;
    horizontally && vertically
}

/// Returns the largest scale at which an image has at most `side` pixels per side and `pixels` in total.
fn fitting(width: f64, height: f64, side: f64, pixels: f64) -> f64 {
    let scale = (side / width.max(height)).min((pixels / (width * height)).sqrt());
    let mut across = (width * scale).floor().max(1.0);
    while across > 1.0 && across * (height * across / width).ceil() > pixels {
        across -= 1.0;
    }
    scale.min(across / width)
}
