//! Videos of pages. A hidden page encodes screencast frames, and this process writes them as `WebM`.
use std::fs::File;
use std::io::{BufWriter, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::broadcast::error::{RecvError, TryRecvError};
use tokio::sync::{broadcast, watch};
use tokio::time::{Instant, sleep, sleep_until};

use super::cast_frame::ScreencastImage;
use super::screencast::{Screencast, ScreencastOptions};
use super::webm::Webm;
use crate::bidi::commands::CaptureScreencastFrame;
use crate::browser::injected::as_function;
use crate::browser::objects::page::Page;
use crate::browser::scripts::helper::Helper;
use crate::cdp::CdpSession;
use crate::error::{Error, Result};
use crate::sync::unix_time_ms;

const ENCODE: &str = include_str!("video/encode.js");
/// The URL of the hidden page for encoding, which must be a secure context. No request is sent to it.
const STUDIO: &str = "https://studio.invalid/";
const BITRATE: u32 = 1_000_000;
/// Without a size, the viewport is scaled down to fit into a square with this side, in pixels.
const USUAL_SIDE: f64 = 800.0;
const USUAL_FPS: u32 = 25;
/// The maximum number of frames that wait to be encoded. Above it, the oldest frames are dropped.
const WAITING: usize = 16;
/// The maximum time between two key frames, in milliseconds.
const BETWEEN_KEYS: u64 = 5_000;
/// The time limit for capturing the last frame.
const LAST_LOOK: Duration = Duration::from_secs(2);

/// Options of a video.
#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct VideoOptions {
    /// The size in pixels. Default: the viewport's, scaled down to fit into 800 by 800.
    pub size: Option<(u32, u32)>,
    /// The maximum number of frames per second. Default: 25.
    pub fps: Option<u32>,
    /// The JPEG quality of the screencast frames from 0 to 100.
    pub quality: Option<u32>,
}

/// A video of a page that is being recorded or is complete.
#[derive(Debug)]
pub struct Video {
    path: PathBuf,
    stop: watch::Sender<bool>,
    ended: watch::Receiver<bool>,
    failure: Arc<Mutex<Option<Error>>>,
}

impl Video {
    /// Returns the path of the file. The file is complete when the video has ended.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Stops the video, and waits until its file is written.
    ///
    /// # Errors Returns `file` if the file could not be written, `unsupported` if the browser cannot encode videos.
    pub async fn stop(&self) -> Result<()> {
        self.stop.send_replace(true);
        self.wait_for_end().await
    }

    /// Waits until the file is complete: after `stop`, or after the page was closed.
    ///
    /// # Errors Returns the errors of [`stop`](Self::stop).
    pub async fn wait_for_end(&self) -> Result<()> {
        let _ = self.ended.clone().wait_for(|ended| *ended).await;
        self.failure.lock().clone().map_or(Ok(()), Err)
    }
}

impl Page {
    /// Starts to record this page to the file `path`. Recording ends with `stop`, with the page, or on drop.
    ///
    /// # Errors `file` if the file cannot be written.
    pub fn record_video(&self, path: PathBuf, options: VideoOptions) -> Result<Video> {
        if self.hides_texts() {
            let reason =
                "secrets cannot be masked in a video; start the server without --secrets for one".to_owned();
            return Err(Error::Unsupported { what: "a video", reason });
        }
        let failed = |error: std::io::Error| Error::File {
            path: path.display().to_string(),
            reason: error.to_string(),
        };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        let file = BufWriter::new(File::create(&path).map_err(failed)?);
        let (stop, stopped) = watch::channel(false);
        let (end, ended) = watch::channel(false);
        let failure = Arc::new(Mutex::default());
        let video = Video { path, stop, ended, failure: Arc::clone(&failure) };
        let page = self.clone();
        tokio::spawn(async move {
            if let Err(error) = film(page, file, options, stopped).await {
                tracing::warn!(%error, "a video came to nothing");
                *failure.lock() = Some(error);
            }
            end.send_replace(true);
        });
        Ok(video)
    }
}

async fn film(
    page: Page,
    file: BufWriter<File>,
    options: VideoOptions,
    mut stopped: watch::Receiver<bool>,
) -> Result<()> {
    let size = match options.size {
        Some((width, height)) => (even(width.into()), even(height.into())),
        None => fitting(page.measure_viewport_size().await.unwrap_or((1280.0, 720.0))),
    };
    let (sender, mut pictures) = broadcast::channel(WAITING);
    // Keep only the image data: the browser skips frames until the frame is dropped, which acknowledges it.
    let watcher = Arc::new(move |frame: &ScreencastImage| drop(sender.send(Picture::of(frame))));
    let watched = ScreencastOptions { size: Some(size), quality: options.quality };
    // The video begins before its encoder is ready. Frames are queued until then.
    let begun_ms = unix_time_ms();
    let mut cast = Some(page.start_screencast(watched, watcher));
    let browser = page.context().browser()?;
    let is_pictured = browser.protocol().captures_screencasts_itself();
    let session = page.session().clone();
    drop(page);
    let helper = Helper::hidden(browser).await?;
    let mut studio = CaptionRenderer::open(helper, file, size, begun_ms, options.fps).await?;
    loop {
        tokio::select! {
            biased;
            () = async { drop(stopped.wait_for(|stopped| *stopped).await) } => break,
            picture = pictures.recv() => match picture {
                Ok(picture) => studio.add(picture).await?,
                Err(RecvError::Lagged(_)) => {}
                Err(RecvError::Closed) => break,
            },
            () = studio.until_late_is_due() => studio.add_late().await?,
        }
    }
    if is_pictured {
        add_present(&session, &mut pictures, &mut studio).await?;
    }
    drop::<Option<Screencast>>(cast.take());
    loop {
        match pictures.try_recv() {
            Ok(picture) => studio.add(picture).await?,
            Err(TryRecvError::Lagged(_)) => {}
            Err(TryRecvError::Empty | TryRecvError::Closed) => return studio.end().await,
        }
    }
}

/// A JPEG image and when it was captured, in milliseconds since 1970.
#[derive(Debug, Clone)]
struct Picture {
    data: Arc<Vec<u8>>,
    timestamp_ms: f64,
    /// The number that the browser gave the frame; `None` for a repeated frame.
    number: Option<i64>,
}

impl Picture {
    fn of(frame: &ScreencastImage) -> Self {
        Self { data: Arc::clone(&frame.data), timestamp_ms: frame.timestamp_ms, number: frame.number() }
    }
}

/// Captures a frame and adds all frames up to it, because the browser may not have sent the last change yet.
async fn add_present<W: Write + Seek>(
    session: &CdpSession,
    pictures: &mut broadcast::Receiver<Picture>,
    studio: &mut CaptionRenderer<W>,
) -> Result<()> {
    let late = Instant::now() + LAST_LOOK;
    let looked = session.call(CaptureScreencastFrame {});
    tokio::pin!(looked);
    let mut last = None;
    while last.is_none_or(|last| studio.newest < last) {
        let picture = tokio::select! {
            () = sleep_until(late) => return Ok(()),
            looked = &mut looked, if last.is_none() => match looked {
                Ok(looked) => {
                    last = Some(looked.number);
                    continue;
                }
                Err(_) => return Ok(()),
            },
            picture = pictures.recv() => picture,
        };
        match picture {
            Ok(picture) => studio.add(picture).await?,
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return Ok(()),
        }
    }
    Ok(())
}

/// Encodes frames in a hidden page, and writes them to a video file.
struct CaptionRenderer<W: Write + Seek> {
    helper: Helper,
    file: Webm<W>,
    begun_ms: f64,
    /// The minimum time between two frames, in milliseconds.
    step: u64,
    last: Option<u64>,
    last_key: Option<u64>,
    /// A frame that arrived before the next one is due. It waits, unless a newer frame replaces it.
    late: Option<Arc<Vec<u8>>>,
    /// The browser's number of the newest frame.
    newest: i64,
}

impl<W: Write + Seek> CaptionRenderer<W> {
    async fn open(
        helper: Helper,
        file: W,
        size: (u32, u32),
        begun_ms: f64,
        fps: Option<u32>,
    ) -> Result<Self> {
        helper.go(STUDIO).await?;
        let (width, height) = size;
        let begin =
            format!("void (globalThis.studio = ({})({width}, {height}, {BITRATE}))", as_function(ENCODE));
        helper.evaluate(begin).await.map_err(|error| match error {
            Error::Script { message } => {
                let reason = message.lines().next().unwrap_or_default().to_owned();
                Error::Unsupported { what: "a video", reason }
            }
            other => other,
        })?;
        let step = 1000 / u64::from(fps.unwrap_or(USUAL_FPS).max(1));
        let file = Webm::begin(file, size).map_err(unwritten)?;
        Ok(Self { helper, file, begun_ms, step, last: None, last_key: None, late: None, newest: 0 })
    }

    /// Whether the frame at `at` (milliseconds) must be a key frame; if so, records it as one.
    fn is_key(&mut self, at: u64) -> bool {
        let is_key = self.last_key.is_none_or(|last| at - last >= BETWEEN_KEYS);
        if is_key {
            self.last_key = Some(at);
        }
        is_key
    }

    async fn add(&mut self, picture: Picture) -> Result<()> {
        self.newest = picture.number.unwrap_or(self.newest);
        let at = whole(picture.timestamp_ms - self.begun_ms);
        if at < self.next() {
            self.late = Some(picture.data);
            return Ok(());
        }
        self.encode(&picture.data, at).await
    }

    /// Returns the earliest time of the next frame, in milliseconds.
    fn next(&self) -> u64 {
        self.last.map_or(0, |last| last + self.step)
    }

    /// Waits until the frame in `late` is due; forever if there is none.
    async fn until_late_is_due(&self) {
        match self.late {
            Some(_) => sleep(Duration::from_millis(self.next().saturating_sub(self.now()))).await,
            None => std::future::pending().await,
        }
    }

    async fn add_late(&mut self) -> Result<()> {
        match self.late.take() {
            Some(data) => self.encode(&data, self.next()).await,
            None => Ok(()),
        }
    }

    async fn encode(&mut self, data: &[u8], at: u64) -> Result<()> {
        self.late = None;
        self.last = Some(at);
        let (data, key) = (BASE64_STANDARD.encode(data), self.is_key(at));
        let done = self.helper.evaluate(format!("studio.add(\"{data}\", {at}, {key})")).await?;
        self.write(&done)
    }

    /// Completes the video. Its last frame is shown until now.
    async fn end(mut self) -> Result<()> {
        self.add_late().await?;
        let at = self.now().max(self.last.map_or(0, |last| last + 1));
        let key = self.is_key(at);
        let done = self.helper.evaluate(format!("studio.end({at}, {key})")).await?;
        self.write(&done)?;
        self.file.end(at + self.step).map(drop).map_err(unwritten)
    }

    fn now(&self) -> u64 {
        whole(unix_time_ms() - self.begun_ms)
    }

    fn write(&mut self, done: &Value) -> Result<()> {
        for chunk in done.as_array().into_iter().flatten() {
            let (at, is_key) = (chunk[0].as_u64().unwrap_or_default(), chunk[1] == true);
            let picture = BASE64_STANDARD.decode(chunk[2].as_str().unwrap_or_default()).unwrap_or_default();
            self.file.add(at, is_key, &picture).map_err(unwritten)?;
        }
        Ok(())
    }
}

#[expect(clippy::needless_pass_by_value, reason = "it is given to map_err")]
fn unwritten(error: std::io::Error) -> Error {
    Error::File { path: "the video".to_owned(), reason: error.to_string() }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is not below 0, and a time")]
fn whole(ms: f64) -> u64 {
    ms.max(0.0) as u64
}

/// Rounds down to an even number of pixels, at least 2, because encoders require even sizes.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is not below 2, and a size")]
fn even(side: f64) -> u32 {
    (side.max(2.0) as u32) & !1
}

fn fitting((width, height): (f64, f64)) -> (u32, u32) {
    let scale = (USUAL_SIDE / width.max(height).max(1.0)).min(1.0);
    (even(width * scale), even(height * scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_video_fits_into_a_square_and_its_sides_are_even() {
        for (viewport, expected) in [
            ((1280.0, 720.0), (800, 450)),
            ((500.0, 333.0), (500, 332)),
            ((700.0, 1400.0), (400, 800)),
            ((1.0, 1.0), (2, 2)),
        ] {
            assert_eq!(fitting(viewport), expected, "{viewport:?}");
        }
    }
}
