//! Pictures of pages.
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use crate::Result;
use crate::browser::{Area, Framing, ImageFormat, Page};
use crate::error::Error;
use crate::mcp::dispatch::Call;
use crate::mcp::files;
use crate::mcp::reply::{FileLink, Image, Reply};
use crate::mcp::settings::ImageResponses;
use crate::mcp::tool::{Effect, Tool};

/// The longest side and the most pixels that models look at without shrinking a picture themselves.
const LONGEST_SIDE: f64 = 1568.0;
const MOST_PIXELS: f64 = 1_150_000.0;
/// Quality of pictures that are sent along.
const INLINE: ImageFormat = ImageFormat::Jpeg(80);

/// How a screenshot is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ImageType {
    Png,
    Jpeg,
    Webp,
}

/// Save a picture of the page, or of one element. To act on the page, use `browser_snapshot`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TakeScreenshot {
    /// png when left out.
    pub r#type: Option<ImageType>,
    /// Name in the screenshot directory; made from the time when left out.
    pub filename: Option<String>,
    /// Ref of the element to show instead of the viewport.
    pub r#ref: Option<String>,
    /// The element in words.
    pub element: Option<String>,
    /// The whole page, not only what is visible.
    #[serde(default)]
    pub full_page: bool,
}

impl Tool for TakeScreenshot {
    const NAME: &'static str = "browser_take_screenshot";
    const TITLE: &'static str = "Take a screenshot";
    const EFFECT: Effect = Effect::Reads;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        if self.full_page && self.r#ref.is_some() {
            let problems = vec!["`fullPage` and `ref` cannot be used together".to_owned()];
            return Err(Error::InvalidArguments { problems });
        }
        let (name, format) = self.name_and_format()?;
        let page = call.open_page().await?;
        let (area, what) = match &self.r#ref {
            Some(_) => {
                return Err(Error::Unsupported {
                    what: "a ref here",
                    reason: "refs are not wired".to_owned(),
                });
            }
            None if self.full_page => (Area::FullPage, "full page".to_owned()),
            None => (Area::Viewport, "viewport".to_owned()),
        };
        let framing = page.framing(area).await?;
        let bytes = page.picture(&framing, format, 1.0).await?;
        let size = bytes.len() as u64;
        let file = files::write(&call.settings.screenshot_dir, &name, bytes).await?;
        if call.settings.image_responses == ImageResponses::Omit {
            reply.say(format!("Screenshot captured ({what})"));
            return Ok(());
        }
        reply.say(format!("Screenshot saved to {} ({what})", file.shown));
        if call.settings.image_responses == ImageResponses::Inline {
            include(&page, &framing, reply).await?;
        }
        if let Ok(uri) = Url::from_file_path(&file.path) {
            let mime_type = format.mime_type();
            reply.add_file(FileLink { uri: uri.into(), name, mime_type, size: Some(size) });
        }
        Ok(())
    }
}

impl TakeScreenshot {
    /// The name of the file, with the ending that its format has; the format, which the name may tell.
    fn name_and_format(&self) -> Result<(String, ImageFormat)> {
        let given = self.filename.as_deref().map(files::plain_name).transpose()?;
        let ending =
            given.as_deref().and_then(|name| name.rsplit_once('.')).and_then(|(_, ending)| named(ending));
        if let (Some(ending), Some(kind)) = (ending, self.r#type)
            && ending != kind
        {
            let problems = vec!["`filename` ends differently from `type`".to_owned()];
            return Err(Error::InvalidArguments { problems });
        }
        let kind = self.r#type.or(ending).unwrap_or(ImageType::Png);
        let format = match kind {
            ImageType::Png => ImageFormat::Png,
            ImageType::Jpeg => ImageFormat::Jpeg(90),
            ImageType::Webp => ImageFormat::Webp(90),
        };
        let stem = given.unwrap_or_else(|| files::timestamped("page"));
        let name =
            if ending.is_some() { stem } else { format!("{stem}.{}", format!("{kind:?}").to_lowercase()) };
        Ok((name, format))
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

/// Adds the picture to the answer, as large as a model looks at it.
async fn include(page: &Page, framing: &Framing, reply: &mut Reply) -> Result<()> {
    let scale = inline_scale(framing.size());
    let bytes = page.picture(framing, INLINE, scale).await?;
    reply.add_image(Image { base64: BASE64_STANDARD.encode(bytes), mime_type: INLINE.mime_type() });
    let factor = 1.0 / (scale * framing.density);
    if (factor - 1.0).abs() > 0.001 {
        reply.say(format!(
            "The picture here is scaled: multiply its coordinates by {factor:.3} to get the page's."
        ));
    }
    Ok(())
}

/// How much a picture is shrunk so that both its sides and its pixels are within what models look at.
fn inline_scale((width, height): (f64, f64)) -> f64 {
    let by_side = LONGEST_SIDE / width.max(height);
    let by_pixels = (MOST_PIXELS / (width * height)).sqrt();
    let scale = by_side.min(by_pixels);
    // The browser rounds both sides up, which must not lead out of the limits again.
    if scale >= 1.0 {
        1.0
    } else {
        scale * (1.0 - 2.0 / (scale * width.min(height)).max(LONGEST_SIDE / 10.0))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Whatever the size: what is sent along is within both limits, and is not shrunk much more than they ask.
        #[test]
        fn inline_pictures_are_within_the_limits(width in 1.0..20_000.0_f64, height in 1.0..20_000.0_f64) {
            let scale = inline_scale((width, height));
            let (shown_width, shown_height) = ((width * scale).ceil(), (height * scale).ceil());
            prop_assert!(shown_width.max(shown_height) <= LONGEST_SIDE);
            prop_assert!(shown_width * shown_height <= MOST_PIXELS);
            let close = shown_width.max(shown_height) > 0.98 * LONGEST_SIDE
                || shown_width * shown_height > 0.97 * MOST_PIXELS;
            prop_assert!(close || (1.0 - scale).abs() < f64::EPSILON);
        }
    }
}
