//! The tool that takes screenshots (`browser_take_screenshot`).
use std::sync::atomic::Ordering;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::try_join;
use url::Url;

use crate::Result;
use crate::browser::{Area, ImageFormat, Page, Screenshot, ScreenshotOptions};
use crate::error::{Error, Obstacle};
use crate::mcp::call::Call;
use crate::mcp::files::{self, Destination};
use crate::mcp::reply::{FileLink, Image, Reply};
use crate::mcp::settings::ImageResponses;
use crate::mcp::target;
use crate::mcp::tool::{Tool, ToolEffect};
use crate::session::{ContentKind, WriteTarget};

/// The longest side in pixels that models accept without scaling: just below 1568, as the browser rounds up.
const LONGEST_SIDE: u32 = 1566;
/// The number of pixels that models accept without scaling: just below 1.15 million.
const MOST_PIXELS: u32 = 1_147_000;
/// The JPEG quality of screenshots in an answer.
const INLINE_QUALITY: u32 = 80;

/// The format of a screenshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageType {
    Png,
    Jpeg,
    Webp,
}

/// Take a screenshot of the viewport or one element. To act, use `browser_snapshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TakeScreenshot {
    /// Default: png.
    pub r#type: Option<ImageType>,
    /// File in the screenshot directory, or path below the working directory.
    pub filename: Option<String>,
    /// Ref or selector of the element to capture.
    pub r#ref: Option<String>,
    pub element: Option<String>,
    /// The whole page.
    #[serde(default)]
    pub full_page: bool,
}

impl Tool for TakeScreenshot {
    const NAME: &'static str = "browser_take_screenshot";
    const TITLE: &'static str = "Take a screenshot";
    const EFFECT: ToolEffect = ToolEffect::Reads;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let (file, format) = self.file_and_format(call).await?;
        let needs_file = self.filename.is_some() || call.settings.image_responses == ImageResponses::File;
        let place = match file.resolve().await {
            Err(error) if needs_file => return Err(error),
            place => place,
        };
        let page = call.acquire_page().await?;
        let (area, what) = match &self.r#ref {
            Some(text) => {
                let (element, description) =
                    target::find_and_describe(call, &page, text, self.element.clone()).await?;
                element.scroll_into_view_if_reachable(&call.action_options()).await?;
                let hidden = Error::NotActionable { obstacle: Obstacle::Hidden, waited: Duration::ZERO };
                let area = element.bounding_box().await?.ok_or(hidden)?;
                (Area::Part([area.x, area.y, area.width, area.height]), description)
            }
            None if self.full_page => (Area::FullPage, "full page".to_owned()),
            None => (Area::Viewport, "viewport".to_owned()),
        };
        let options = ScreenshotOptions { area, format, quality: Some(90), ..ScreenshotOptions::default() };
        let (picture, shown) = match call.settings.image_responses {
            ImageResponses::Inline => {
                take_and_show(call, &page, options).await.map(|(picture, shown)| (picture, Some(shown)))?
            }
            ImageResponses::File | ImageResponses::Omit => (page.screenshot(options).await?, None),
        };
        let saved = Saved { name: file.name().to_owned(), format, what };
        let include = |reply: &mut Reply| shown.into_iter().for_each(|shown| include(shown, reply));
        saved.write(place, picture.bytes, call, reply, include).await
    }
}

/// A screenshot to save: its file name, format, and description.
pub(in crate::mcp) struct Saved {
    pub(in crate::mcp) name: String,
    pub(in crate::mcp) format: ImageFormat,
    pub(in crate::mcp) what: String,
}

impl Saved {
    /// Writes the file and reports its path. If the answer has the image, write errors do not fail the call.
    pub(in crate::mcp) async fn write(
        self,
        place: Result<WriteTarget>,
        bytes: Vec<u8>,
        call: &Call<'_>,
        reply: &mut Reply,
        include: impl FnOnce(&mut Reply),
    ) -> Result<()> {
        let Self { name, format, what } = self;
        let size = bytes.len() as u64;
        let file = match place {
            Ok(place) => files::write(place, bytes, ContentKind::Picture, call.services.secrets()).await,
            Err(error) => Err(error),
        };
        if call.settings.image_responses == ImageResponses::Omit {
            reply.say(format!("Screenshot captured ({what})"));
            return Ok(());
        }
        let file = match file {
            Err(error) if call.settings.image_responses == ImageResponses::Inline => {
                reply.say(format!("Screenshot taken ({what}); it was not saved: {error}"));
                include(reply);
                return Ok(());
            }
            file => file?,
        };
        reply.say(format!("Screenshot saved to {} ({what})", file.shown));
        include(reply);
        if let Ok(uri) = Url::from_file_path(&file.path) {
            let mime_type = format.mime_type();
            reply.add_file(FileLink { uri: uri.into(), name, mime_type, size: Some(size) });
        }
        Ok(())
    }
}

impl TakeScreenshot {
    /// Returns the destination with its extension, and the format: from `type`, the file name, or else PNG.
    pub(in crate::mcp) async fn file_and_format(
        &self,
        call: &Call<'_>,
    ) -> Result<(Destination, ImageFormat)> {
        if self.full_page && self.r#ref.is_some() {
            let problems = vec!["`fullPage` and `ref` cannot be used together".to_owned()];
            return Err(Error::InvalidArguments { problems });
        }
        let folder = &call.settings.files.screenshot_dir;
        let mut file = call.destination(self.filename.as_deref(), folder).await?;
        let ending = file.name().rsplit_once('.').and_then(|(_, ending)| named(ending));
        if let (Some(ending), Some(kind)) = (ending, self.r#type)
            && ending != kind
        {
            let problems = vec!["`filename` ends differently from `type`".to_owned()];
            return Err(Error::InvalidArguments { problems });
        }
        let format = match self.r#type.or(ending).unwrap_or(ImageType::Png) {
            ImageType::Png => ImageFormat::Png,
            ImageType::Jpeg => ImageFormat::Jpeg,
            ImageType::Webp => ImageFormat::Webp,
        };
        if ending.is_none() {
            file.append_extension(&format!(".{}", format.extension()));
        }
        Ok((file, format))
    }
}

fn named(ending: &str) -> Option<ImageType> {
    match ending.to_ascii_lowercase().as_str() {
        "png" => Some(ImageType::Png),
        "jpeg" | "jpg" => Some(ImageType::Jpeg),
        "webp" => Some(ImageType::Webp),
        _ => None,
    }
}

/// Takes the screenshot for the file and the one for the answer, which is the same if it is small enough.
/// Takes two at once if the last one was too large for an answer, or if the area is not the viewport.
async fn take_and_show(
    call: &Call<'_>,
    page: &Page,
    options: ScreenshotOptions,
) -> Result<(Screenshot, Screenshot)> {
    let large = &call.kept.large_pictures;
    let area = options.area;
    if area != Area::Viewport || large.load(Ordering::Relaxed) {
        let both = try_join!(page.screenshot(options), shown(page, area, None))?;
        if area == Area::Viewport {
            large.store(!can_be_sent(&both.0), Ordering::Relaxed);
        }
        return Ok(both);
    }
    let picture = page.screenshot(options).await?;
    let fits = can_be_sent(&picture);
    large.store(!fits, Ordering::Relaxed);
    let shown = if fits { picture.clone() } else { shown(page, area, None).await? };
    Ok((picture, shown))
}

/// Whether a screenshot is small enough for an answer.
fn can_be_sent(picture: &Screenshot) -> bool {
    const MOST_BYTES: usize = 200_000;
    let [_, _, width, height] = picture.area.map(|side| (side * picture.scale).ceil());
    let (side, pixels) = (f64::from(LONGEST_SIDE), f64::from(MOST_PIXELS));
    picture.bytes.len() <= MOST_BYTES && width.max(height) <= side && width * height <= pixels
}

/// Takes a screenshot, scaled down to the size limits of models.
pub(super) async fn shown(page: &Page, area: Area, scale: Option<f64>) -> Result<Screenshot> {
    let options = ScreenshotOptions {
        area,
        scale,
        format: ImageFormat::Jpeg,
        quality: Some(INLINE_QUALITY),
        at_most: Some((LONGEST_SIDE, MOST_PIXELS)),
    };
    page.screenshot(options).await
}

pub(super) fn include(picture: Screenshot, reply: &mut Reply) {
    let factor = 1.0 / picture.scale;
    add(picture, reply);
    if (factor - 1.0).abs() > 0.001 {
        reply.say(format!(
            "The picture here is scaled: multiply its coordinates by {factor:.3} to get the page's."
        ));
    }
}

pub(super) fn add(picture: Screenshot, reply: &mut Reply) {
    reply.add_image(Image {
        base64: BASE64_STANDARD.encode(picture.bytes),
        mime_type: picture.format.mime_type(),
    });
}
