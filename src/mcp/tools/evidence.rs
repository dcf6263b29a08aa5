//! Tools for evidence: labelled screenshots, comparisons, videos, saved pages.
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use schemars::JsonSchema;
use serde::Deserialize;
use url::Url;

use crate::Result;
use crate::browser::{
    Area, ImageFormat, Page, Screenshot, ScreenshotOptions, SnapshotTreeOptions, VideoOptions,
};
use crate::error::Error;
use crate::mcp::call::Call;
use crate::mcp::describe::capture;
use crate::mcp::files;
use crate::mcp::kept::RunningVideo;
use crate::mcp::page_text;
use crate::mcp::reply::{FileLink, Image, Reply};
use crate::mcp::settings::ImageResponses;
use crate::mcp::tool::{Capability, Tool, ToolEffect};
use crate::session::{ContentKind, WriteTarget};

/// The maximum number of labels in a screenshot. More would hide the page.
const MOST_LABELS: usize = 150;
const USUAL_QUALITY: u32 = 80;
/// The longest side of a screenshot that models accept without scaling, in pixels.
pub(super) const LONGEST_SIDE: u32 = 1566;
/// The total number of pixels of a screenshot that models accept without scaling.
const MOST_PIXELS: u32 = 1_147_000;
/// The maximum magnification of a region.
pub(super) const LARGEST_SCALE: f64 = 4.0;

/// Take a screenshot with numbered labels, of an enlarged region, scaled down, or compared with the last one.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TakeAnnotatedScreenshot {
    /// Number the interactive elements; the answer lists their refs.
    #[serde(default)]
    pub labels: bool,
    /// x, y, width, height in the viewport.
    #[schemars(length(min = 4, max = 4))]
    pub region: Option<Vec<f64>>,
    /// Mark differences from this tool's last picture in red.
    #[serde(default)]
    pub compare: bool,
    #[schemars(range(min = 1, max = 100))]
    pub quality: Option<u32>,
    #[schemars(range(min = 1000, max = 100_000_000))]
    pub max_pixels: Option<u32>,
    pub filename: Option<String>,
}

impl Tool for TakeAnnotatedScreenshot {
    const NAME: &'static str = "browser_picture";
    const TITLE: &'static str = "Picture with labels or differences";
    const EFFECT: ToolEffect = ToolEffect::Reads;
    const CAPABILITY: Capability = Capability::Evidence;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        let wrong = |problem: &str| Err(Error::InvalidArguments { problems: vec![problem.to_owned()] });
        if self.labels && self.compare {
            return wrong("`labels` and `compare` cannot be used together");
        }
        let area = match self.region.as_deref() {
            None => Area::Viewport,
            Some(&[x, y, width, height])
                if [x, y, width, height].iter().all(|number| number.is_finite() && *number >= 0.0)
                    && width >= 1.0
                    && height >= 1.0 =>
            {
                Area::Part([x, y, width, height])
            }
            Some(_) => return wrong("`region` must be x, y, width and height in pixels, none below 0"),
        };
        let folder = &call.settings.files.screenshot_dir;
        let mut file = call.destination(self.filename.as_deref(), folder).await?;
        let ending = file.name().rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        let format = match ending.as_deref() {
            None if self.compare => ImageFormat::Png,
            Some("png") => ImageFormat::Png,
            Some(_) if self.compare => return wrong("`filename` must end in .png: what differs is a png"),
            None | Some("jpg" | "jpeg") => ImageFormat::Jpeg,
            Some(_) => return wrong("`filename` must end in .jpeg or .png"),
        };
        if ending.is_none() {
            file.append_extension(&format!(".{}", format.extension()));
        }
        let (place, name) = (file.resolve().await?, file.name().to_owned());
        let page = call.acquire_page().await?;
        let taken = self.take(&page, area).await?;
        let (bytes, scale) = if self.compare {
            (self.differs(call, &page, &taken, reply).await?, taken.scale)
        } else {
            (self.labelled(call, &page, &taken, format, reply).await?, taken.scale)
        };
        *call.kept.picture.lock() = Some(taken);
        let size = bytes.len() as u64;
        if call.settings.image_responses == ImageResponses::Inline {
            reply.add_image(Image { base64: BASE64_STANDARD.encode(&bytes), mime_type: format.mime_type() });
        }
        let file = files::write(place, bytes, ContentKind::Picture, call.services.secrets()).await?;
        reply.say(format!("Picture saved to {} ({scale:.2} pixels for each of the page's)", file.shown));
        if let Ok(uri) = Url::from_file_path(&file.path) {
            reply.add_file(FileLink {
                uri: uri.into(),
                name,
                mime_type: format.mime_type(),
                size: Some(size),
            });
        }
        Ok(())
    }
}

impl TakeAnnotatedScreenshot {
    async fn take(&self, page: &Page, area: Area) -> Result<Screenshot> {
        let scale = match area {
            Area::Part([_, _, width, height]) => {
                let side = f64::from(LONGEST_SIDE) / width.max(height);
                Some(side.clamp(0.01, LARGEST_SCALE))
            }
            _ => None,
        };
        let at_most = Some((LONGEST_SIDE, self.max_pixels.unwrap_or(MOST_PIXELS)));
        // The default format, PNG, is lossless: a later screenshot may be compared with this one.
        page.screenshot(ScreenshotOptions { area, scale, at_most, ..ScreenshotOptions::default() }).await
    }

    async fn labelled(
        &self,
        call: &Call<'_>,
        page: &Page,
        taken: &Screenshot,
        format: ImageFormat,
        reply: &mut Reply,
    ) -> Result<Vec<u8>> {
        let quality = self.quality.or(Some(USUAL_QUALITY));
        if !self.labels {
            return page.label_boxes(taken, &[], format, quality).await;
        }
        let tree = capture(call, page, SnapshotTreeOptions { boxes: true, ..SnapshotTreeOptions::default() })
            .await?;
        let [_, _, width, height] = taken.area;
        let (left, top) =
            self.region.as_ref().map_or((0.0, 0.0), |region| (region[0].floor(), region[1].floor()));
        let (mut boxes, mut lines) = (Vec::new(), Vec::new());
        let mut more = 0;
        for node in tree.nodes().iter().filter(|node| node.is_control()) {
            let Some(bounds) = node.details.as_ref().and_then(|details| details.bounds) else { continue };
            let [x, y, across, down] = bounds.map(f64::from);
            let (x, y) = (x - left, y - top);
            let is_seen =
                across >= 1.0 && down >= 1.0 && x + across > 0.0 && y + down > 0.0 && x < width && y < height;
            if !is_seen {
                continue;
            }
            if boxes.len() == MOST_LABELS {
                more += 1;
                continue;
            }
            boxes.push([x, y, across, down].map(|number| number * taken.scale));
            let name = page_text::line_or_json(&node.name);
            lines.push(format!("{}. {} {name} [ref={}]", boxes.len(), node.role, tree.ref_of(node)));
        }
        if more > 0 {
            lines.push(format!("{more} more have no label; give a region"));
        }
        reply.say(if lines.is_empty() { "There is nothing to label".to_owned() } else { lines.join("\n") });
        page.label_boxes(taken, &boxes, format, quality).await
    }

    async fn differs(
        &self,
        call: &Call<'_>,
        page: &Page,
        taken: &Screenshot,
        reply: &mut Reply,
    ) -> Result<Vec<u8>> {
        let before = call.kept.picture.lock().clone();
        let Some(before) = before else {
            reply.say("There was no picture to compare with; the next is compared with this one");
            return Ok(taken.bytes.clone());
        };
        if before.area[2..] != taken.area[2..] {
            reply.say("The picture before shows a part of another size; the next is compared with this one");
            return Ok(taken.bytes.clone());
        }
        let difference = page.difference(&before, taken).await?;
        reply.say(match difference.within {
            None => "Nothing differs".to_owned(),
            Some([x, y, width, height]) => {
                let scaled = |pixels: u32| (f64::from(pixels) / taken.scale).round();
                format!(
                    "{} of {} pixels differ, within {},{} {}x{} (px of the page, from the picture's corner)",
                    difference.changed,
                    difference.all,
                    scaled(x),
                    scaled(y),
                    scaled(width),
                    scaled(height)
                )
            }
        });
        difference.picture()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum RecordAction {
    Start,
    Stop,
    Mhtml,
}

/// Record a video of the tab (start, stop), or save the page as one file (mhtml).
#[derive(Debug, Deserialize, JsonSchema)]
pub struct RecordPage {
    pub action: RecordAction,
    /// Name in the output directory, or path below the working directory. For a video, pass it at start or stop.
    pub filename: Option<String>,
}

impl Tool for RecordPage {
    const NAME: &'static str = "browser_record";
    const TITLE: &'static str = "Record or archive";
    const EFFECT: ToolEffect = ToolEffect::Adds;
    const CAPABILITY: Capability = Capability::Evidence;

    async fn call(self, call: &Call<'_>, reply: &mut Reply) -> Result<()> {
        match self.action {
            RecordAction::Stop => {
                let missing = || wrong("no video is being recorded; start one");
                if call.kept.video.lock().is_none() {
                    return Err(missing());
                }
                // Checks the name before the recording stops, so that an invalid one does not lose the video.
                let renamed = match self.filename {
                    Some(_) => Some(self.destination(call, "webm").await?),
                    None => None,
                };
                let mut recording = call.kept.video.lock().take().ok_or_else(missing)?;
                if let Some((place, name)) = renamed {
                    (recording.place, recording.name) = (place, name);
                }
                recording.video.stop().await?;
                let bytes = tokio::fs::read(&recording.file).await;
                let bytes = bytes.map_err(|error| Error::File {
                    path: recording.name.clone(),
                    reason: error.to_string(),
                })?;
                let size = bytes.len() as u64;
                let file =
                    files::write(recording.place, bytes, ContentKind::Video, call.services.secrets()).await?;
                reply.say(format!("Video saved to {} ({size} bytes)", file.shown));
                if let Ok(uri) = Url::from_file_path(&file.path) {
                    let name = recording.name;
                    reply.add_file(FileLink {
                        uri: uri.into(),
                        name,
                        mime_type: "video/webm",
                        size: Some(size),
                    });
                }
            }
            RecordAction::Start => {
                if call.kept.video.lock().is_some() {
                    return Err(wrong("a video is being recorded already; stop it first"));
                }
                let (place, name) = self.destination(call, "webm").await?;
                let page = call.acquire_or_open_page().await?;
                // Records to a temporary file. The requested file is written when the video is complete.
                let file = tempfile::NamedTempFile::new().map(tempfile::NamedTempFile::into_temp_path);
                let file =
                    file.map_err(|error| Error::File { path: name.clone(), reason: error.to_string() })?;
                let video = page.record_video(file.to_path_buf(), VideoOptions::default())?;
                *call.kept.video.lock() = Some(RunningVideo { video, file, place, name });
                reply.say("Recording");
            }
            RecordAction::Mhtml => {
                let (place, name) = self.destination(call, "mhtml").await?;
                let page = call.acquire_page().await?;
                let bytes = page.mhtml().await?.into_bytes();
                let size = bytes.len() as u64;
                let file = files::write(place, bytes, ContentKind::Text, call.services.secrets()).await?;
                reply.say(format!("Page saved to {} ({size} bytes)", file.shown));
                if let Ok(uri) = Url::from_file_path(&file.path) {
                    let mime_type = "multipart/related";
                    reply.add_file(FileLink { uri: uri.into(), name, mime_type, size: Some(size) });
                }
            }
        }
        Ok(())
    }
}

impl RecordPage {
    async fn destination(&self, call: &Call<'_>, ending: &str) -> Result<(WriteTarget, String)> {
        let mut file = call.destination(self.filename.as_deref(), &call.settings.files.output_dir).await?;
        if !file.name().to_ascii_lowercase().ends_with(&format!(".{ending}")) {
            file.append_extension(&format!(".{ending}"));
        }
        Ok((file.resolve().await?, file.name().to_owned()))
    }
}

fn wrong(problem: &str) -> Error {
    Error::InvalidArguments { problems: vec![problem.to_owned()] }
}
